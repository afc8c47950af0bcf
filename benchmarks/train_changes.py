"""Fit the weights of `memcore/review/count_pairs.py`: whether two numbers count the same.

    python -m benchmarks.train_changes [--unlike STORE] [--write]

Learnt from are the pairs of `value_changes.txt` beside this script, invented for it (its head says what they
are), crossed with each other: the older of one line and the newer of another count something else. `--unlike`
adds the pairs of a store of LongMemEval's haystacks (MIT), whose sessions are of different people: what is
counted there twice is hardly ever the same. LoCoMo is never learnt from.

Logistic regression by Newton's method; those that count the same weigh as much together as the others.
Printed is what is found where each line was left out with all pairs it is crossed with.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import MemoryEntry
from memcore.nlp.encoder.minilm import load_minilm
from memcore.review.count_pairs import count_pairs
from memcore.review.pairs import said_later, statement

PAIRS = Path(__file__).with_name("value_changes.txt")
WEIGHTS = Path(__file__).resolve().parent.parent / "memcore/review/weights/counts.json"
RIDGE = 1.0
STEPS = 60
THRESHOLD = 0.7
NEAREST = 0.3
"""Cosine below which no pair is compared."""
_DAY = re.compile(r"(?<!As of )(?<!in )\bon (\d{1,2} [A-Z][a-z]+ \d{4})\b")
SAID = (datetime(2024, 1, 10), datetime(2024, 5, 10))

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A pair's features, whether both count the same, and the lines that it is made of."""

    features: dict[str, float]
    same: bool
    lines: frozenset[int]


def written_pairs(path: Path) -> list[tuple[bool, str, str]]:
    """(whether the newer tells another value, older, newer) of each line."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("+ ", "- ")):
            older, newer = line[2:].split(" => ")
            found.append((line[0] == "+", older, newer))
    return found


def _memory(id: str, text: str, said_at: datetime) -> MemoryEntry:
    day = _DAY.search(text)
    happened = datetime.strptime(day[1], "%d %B %Y") if day is not None else None
    return MemoryEntry(id, "me", text, "fact", "memscope", "", (), mentioned_at=said_at, event_at=happened)


def invented(path: Path = PAIRS) -> list[Example]:
    """The pairs of the file, and each of its older statements with each newer one of another line."""
    pairs = written_pairs(path)
    encoder = load_minilm()
    before = [older for _, older, _ in pairs]
    after = [newer for _, _, newer in pairs]
    cosines = np.asarray(encoder.embed(before) @ encoder.embed(after).T)
    found = []
    for i, older in enumerate(before):
        for j, newer in enumerate(after):
            if i != j and (cosines[i, j] < NEAREST or older == before[j]):
                continue
            found += _examples(
                _memory(f"a{i}", older, SAID[0]),
                _memory(f"b{j}", newer, SAID[1]),
                float(cosines[i, j]),
                same=i == j and pairs[i][0],
                lines=frozenset({i, j}),
            )
    return found


def _examples(
    older: MemoryEntry, newer: MemoryEntry, cosine: float, *, same: bool, lines: frozenset[int]
) -> list[Example]:
    pairs = list(count_pairs(statement(older), statement(newer), cosine))
    if same:  # of several numbers in a line one is meant: the first of the kind
        pairs = pairs[:1]
    return [Example(dict(pair.features), same, lines) for pair in pairs]


def of_store(directory: Path) -> Iterator[Example]:
    """Pairs of one owner's memories of different sessions, none the same."""
    from memcore.memory import open_memory

    with open_memory(directory) as memory:
        embedder = memory.backends.embedder()
        for owner in memory.store.owners():
            memories = [m for m in memory.store.memories(owner, recipe="memscope") if m.kind != "statement"]
            vectors = embedder.embed([m.text for m in memories])
            for i, one in enumerate(memories):
                for j in np.flatnonzero(vectors @ vectors[i] >= NEAREST):
                    other = memories[j]
                    if said_later(other, one):
                        cosine = float(vectors[i] @ vectors[j])
                        yield from _examples(one, other, cosine, same=False, lines=frozenset({-1 - i % 10}))


def fitted(rows: Floats, same: NDArray[np.bool_]) -> Floats:
    """Weights, the bias last; both kinds of pairs count as much together."""
    columns = np.hstack([rows, np.ones((len(rows), 1))])
    share = np.where(same, 0.5 / max(1, same.sum()), 0.5 / max(1, (~same).sum())) * len(rows)
    weights = np.zeros(columns.shape[1])
    ridge = np.diag([*[RIDGE] * rows.shape[1], 0.0])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-columns @ weights))
        slope = columns.T @ (share * (chance - same)) + ridge @ weights
        bend = (columns * (share * chance * (1 - chance))[:, None]).T @ columns + ridge
        weights -= np.linalg.solve(bend, slope)
    return weights


def _chances(examples: Sequence[Example], names: Sequence[str], weights: Floats) -> Floats:
    rows = np.array([[one.features[name] for name in names] for one in examples])
    chances: Floats = 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))
    return chances


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--unlike", type=Path, metavar="STORE")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    examples = invented() + (list(of_store(options.unlike)) if options.unlike else [])
    names = list(examples[0].features)
    rows = np.array([[one.features[name] for name in names] for one in examples])
    same = np.array([one.same for one in examples])
    print(f"{len(examples)} pairs, {same.sum()} of the same")
    held_out = np.zeros(len(examples))
    for line in sorted({line for one in examples for line in one.lines}):
        without = np.array([line not in one.lines for one in examples])
        own = [place for place, one in enumerate(examples) if one.lines == {line} or min(one.lines) == line]
        if own:
            weights = fitted(rows[without], same[without])
            held_out[own] = _chances([examples[place] for place in own], names, weights)
    for threshold in (0.5, 0.7, 0.8, 0.9, 0.95, 0.98):
        seen = held_out >= threshold
        right, wrong = int((seen & same).sum()), int((seen & ~same).sum())
        print(f"{threshold}: found {right}/{same.sum()}, of the others {wrong}/{(~same).sum()}")
    weights = fitted(rows, same)
    for name, weight in zip((*names, "bias"), weights, strict=True):
        print(f"  {name:16} {weight:7.3f}")
    if options.write:
        document = {
            "provenance": {
                "made_by": "benchmarks/train_changes.py",
                "data": "invented pairs (benchmarks/value_changes.txt)"
                + (
                    "; pairs of LongMemEval haystacks (MIT) that are not of the same"
                    if options.unlike
                    else ""
                ),
                "examples": len(examples),
                "same": int(same.sum()),
            },
            "threshold": THRESHOLD,
            "bias": round(float(weights[-1]), 3),
            "weights": {name: round(float(w), 3) for name, w in zip(names, weights, strict=False)},
        }
        WEIGHTS.parent.mkdir(exist_ok=True)
        WEIGHTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
