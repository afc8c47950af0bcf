"""How many answer tokens survive compression, against plainer ways to drop as much text.

LoCoMo questions of categories 1 to 4 whose answer stands verbatim in one of its evidence turns. Each
such turn is compressed; an answer token counts as kept when the words that carry it were. Two figures:
over the answer's content words, and over all of them, stop words included. Every method drops down to
the same share of cl100k tokens. Also the share of negations, numbers and names kept over all turns,
and the speed.

    python -m benchmarks.compression ../shared/data/locomo/locomo_dev4.json
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memcore.nlp.llmlingua2 import count_tokens, load_embedded
from memcore.nlp.words import NEGATIONS, protected_words, word_spans

RATES = (0.8, 0.7, 0.6, 0.5, 0.4)
EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
SEED = 7


@dataclass(frozen=True)
class Answer:
    """Indices of the words that carry an answer in one turn, and which of them are content words."""

    turn: str
    words: tuple[int, ...]
    content: tuple[int, ...]


def turns_of(conversation: dict[str, Any]) -> dict[tuple[int, int], str]:
    found = {}
    for key, turns in conversation.items():
        if re.fullmatch(r"session_\d+", key):
            for turn in turns:
                place = EVIDENCE.fullmatch(turn["dia_id"])
                if place:
                    found[int(place[1]), int(place[2])] = turn["text"]
    return found


def answers(samples: Sequence[dict[str, Any]], stop_words: frozenset[str]) -> list[Answer]:
    """One entry per (answer, evidence turn) in which the answer's words stand in a row."""
    found = []
    for sample in samples:
        turns = turns_of(sample["conversation"])
        for question in sample["qa"]:
            if question["category"] not in (1, 2, 3, 4):
                continue
            wanted = _plain(str(question["answer"]))
            for place in {
                EVIDENCE.findall(e)[i] for e in question["evidence"] for i in range(len(EVIDENCE.findall(e)))
            }:
                text = turns.get((int(place[0]), int(place[1])))
                if text is None or not wanted:
                    continue
                owners = [
                    (token, i) for i, (a, b) in enumerate(word_spans(text)) for token in _plain(text[a:b])
                ]
                tokens = [token for token, _ in owners]
                for start in range(len(tokens) - len(wanted) + 1):
                    if tokens[start : start + len(wanted)] == wanted:
                        run = owners[start : start + len(wanted)]
                        content = [i for token, i in run if not _is_stop(token, stop_words)]
                        found.append(Answer(text, tuple(i for _, i in run), tuple(content)))
                        break
    return found


def _plain(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.lower().replace("’", "'"))


def _is_stop(token: str, stop_words: frozenset[str]) -> bool:
    """Contractions of stop words ("it's") count as stop words."""
    stem, apostrophe, ending = token.partition("'")
    return stem in stop_words and (not apostrophe or apostrophe + ending in stop_words)


Kept = list[bool]
Method = Callable[[Sequence[str], float], list[Kept]]


def down_to(order: Callable[[str, list[str]], Sequence[float]]) -> Method:
    """Keep the highest ranked words while they fit the rate's share of the tokens."""

    def method(texts: Sequence[str], rate: float) -> list[Kept]:
        result = []
        for text in texts:
            words = [text[a:b] for a, b in word_spans(text)]
            rank = order(text, words)
            room = rate * sum(count_tokens(" " + word) for word in words)
            kept = [False] * len(words)
            for i in sorted(range(len(words)), key=lambda i: -rank[i]):
                room -= count_tokens(" " + words[i])
                if room < 0:
                    break
                kept[i] = True
            result.append(kept)
        return result

    return method


def share(hits: Sequence[bool]) -> float:
    return round(100 * sum(hits) / len(hits), 2) if hits else 100.0


def must_keep(text: str) -> dict[str, list[int]]:
    """Word indices of negations, numbers and mid-sentence capitalised words, found independently of
    the protection rules."""
    words = [text[a:b] for a, b in word_spans(text)]
    plain = [re.sub(r"[^\w'’-]", "", word).replace("’", "'") for word in words]
    return {
        "negations": [i for i, w in enumerate(plain) if w.lower() in NEGATIONS or w.lower().endswith("n't")],
        "numbers": [i for i, w in enumerate(plain) if re.search(r"\d", w)],
        "names": [
            i for i, w in enumerate(plain)
            if i and re.match(r"[A-Z][a-z]", w) and not w.startswith("I'") and words[i - 1][-1].isalnum()
        ],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path)
    arguments = parser.parse_args()
    from spacy.lang.en.stop_words import STOP_WORDS

    stop_words = frozenset(STOP_WORDS)
    samples = json.loads(arguments.samples.read_text(encoding="utf-8"))
    found = answers(samples, stop_words)
    texts = sorted({answer.turn for answer in found})
    every = [text for sample in samples for text in turns_of(sample["conversation"]).values()]
    draw = random.Random(SEED)
    protecting = load_embedded(threads=1)
    plain = load_embedded(threads=1, protect=False)

    def stop_word_rank(text: str, words: list[str]) -> list[float]:
        return [
            float(not all(_is_stop(t, stop_words) for t in _plain(word))) - 1e-6 * i
            for i, word in enumerate(words)
        ]

    methods: dict[str, Method] = {
        "keep head, protected": lambda ts, r: [[w.kept for w in c.words] for c in protecting.compress(ts, r)],
        "keep head": lambda ts, r: [[w.kept for w in c.words] for c in plain.compress(ts, r)],
        "stop-word drop": down_to(stop_word_rank),
        "truncation": down_to(lambda text, words: [-float(i) for i in range(len(words))]),
        "random": down_to(lambda text, words: [draw.random() for _ in words]),
    }
    rates: dict[str, Any] = {}
    for rate in RATES:
        rows = rates[str(rate)] = {}
        for name, method in methods.items():
            kept = dict(zip(texts, method(texts, rate), strict=True))
            before = after = 0
            for text in texts:
                for (a, b), stays in zip(word_spans(text), kept[text], strict=True):
                    size = count_tokens(" " + text[a:b])
                    before, after = before + size, after + size * stays
            rows[name] = {
                "answer_tokens_kept": share([kept[a.turn][i] for a in found for i in a.content]),
                "with_stop_words": share([kept[a.turn][i] for a in found for i in a.words]),
                "achieved_rate": round(after / before, 3),
            }
        everything = protecting.compress(every, rate)
        rows["keep head, protected"]["must_keep"] = {
            kind: share(
                [
                    c.words[i].kept
                    for text, c in zip(every, everything, strict=True)
                    for i in must_keep(text)[kind]
                ]
            )
            for kind in ("negations", "numbers", "names")
        }
    begun = time.perf_counter()
    done = protecting.compress(every, 0.6)
    seconds = time.perf_counter() - begun
    forced = [flag for text in every for flag in protected_words(text, word_spans(text))]
    print(json.dumps({
        "dataset": arguments.samples.name, "answers": len(found), "turns": len(texts), "rates": rates,
        "default": "keep head, protected", "forced_words_percent": share(forced),
        "messages_per_second": round(len(every) / seconds, 1),
        "tokens_per_second": round(sum(c.tokens_before for c in done) / seconds),
    }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
