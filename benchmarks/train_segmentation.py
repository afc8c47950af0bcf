"""Train the judge of gaps (`memcore/stages/segmentation/model.py`) and cross-validate it.

Corpora of three kinds, all with known topic shifts. Chit-chat: TIAGE's training dialogues (MIT), singly and
ten in a row. Assistant chats: sessions of LongMemEval (MIT) ten in a row, seams as shifts, once whole, once
the user's turns only and once with every turn cut to one sentence, so that long answers and strict
alternation are not what is learned. Task-oriented: dialogues of Schema-Guided Dialogue (CC BY-SA 4.0; its
development files) that use one service, ten in a row, once whole and once their first turns. Only the
tuning half of LongMemEval's sessions is read; the other half, TIAGE's development split, DialSeg711 and
LoCoMo are for reporting.

A shift of a corpus in which F1 can reach F weighs (2 - F) / F: the cut that is best for F1 lies at
probability F / 2, and this moves it to one half in every corpus, so that one threshold serves all. The
threshold is lower: of talk of another kind than those learned from, the model is less sure.

    python -m benchmarks.train_segmentation --tiage ../shared/data/segmentation/tiage \\
        --sessions ../shared/data/longmemeval/sessions_dev60.jsonl.xz --tasks SGD/dev [--vectors CACHE.npz]

Prints F1 on folds that were left out (by dialogue and session) and on kinds of talk that were left out
whole, and writes the weights.
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from memcore.domain.models import text_hash
from memcore.evaluation.metrics import boundary_scores
from memcore.nlp.encoder.minilm import MODEL_ID, load_minilm
from memcore.stages.segmentation.cues import turn_cues
from memcore.stages.segmentation.features import gap_features
from memcore.stages.segmentation.model import (
    MANNER_LIMIT,
    STANDARDISED_LIMIT,
    GapModel,
    judge,
    parse_model,
    standardise,
)
from memcore.stages.segmentation.scores import shifts_of

WEIGHTS = (
    Path(__file__).resolve().parent.parent
    / "memcore"
    / "stages"
    / "segmentation"
    / "weights"
    / "topic_shift.json"
)
SEED, SESSIONS, TASKS, PER_STREAM, FOLDS = 5, 500, 600, 10, 5
FIRST_TURNS = (2, 4, 4, 6, 6, 8, 10)
THRESHOLD = 0.4
PENALTY = 0.1  # scikit-learn's C: smaller is stronger
MANNER = "talk_"
MANNER_SCALE = 0.35  # what depends on the manner of the talk is penalised eight times as much
ROWS = 5000  # sample weights sum to this, so that PENALTY means the same for any amount of data

Turns = tuple[str, ...]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Corpus:
    """Streams of a `kind` of talk with the positions of their shifts and the fold of each; `share` of the
    corpus in the training, and the `reachable` F1 that sets what a shift weighs."""

    kind: str
    share: float
    reachable: float
    streams: tuple[tuple[Turns, tuple[int, ...]], ...]
    folds: tuple[int, ...]


def tiage(file: Path) -> list[tuple[Turns, tuple[int, ...]]]:
    """TIAGE's dialogues: the turns of each, and where a new topic begins."""
    return [
        (tuple(text for text, _ in turns), tuple(i for i, (_, label) in enumerate(turns) if label == "1"))
        for turns in json.loads(file.read_text(encoding="utf-8")).values()
    ]


def tuning_sessions(file: Path) -> list[Turns]:
    """Sessions of the half that is never reported on."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    turns = {r["id"]: tuple(t["content"] for t in r["turns"] if t["content"].strip()) for r in records}
    names = sorted(name for name, said in turns.items() if said)
    random.Random(SEED).shuffle(names)
    return [turns[name] for name in names[: len(names) // 2][:SESSIONS]]


def single_tasks(directory: Path) -> list[Turns]:
    """Dialogues of Schema-Guided Dialogue that use one service."""
    found = [
        tuple(turn["utterance"] for turn in dialogue["turns"])
        for file in sorted(directory.glob("dialogues_*.json"))
        for dialogue in json.loads(file.read_text(encoding="utf-8"))
        if len(dialogue["services"]) == 1
    ]
    random.Random(SEED).shuffle(found)
    return found[:TASKS]


def one_sentence(turns: Turns) -> Turns:
    """Each turn's first or last sentence by turns, 200 characters at most."""
    cut = []
    for i, text in enumerate(turns):
        parts = [p for p in re.split(r"(?<=[.!?])\s+|\n+", text.strip()) if re.search(r"\w", p)] or [text]
        cut.append(parts[0 if i % 2 else -1][:200])
    return tuple(cut)


def joined(
    parts: Sequence[tuple[Turns, tuple[int, ...]]],
) -> list[tuple[Turns, tuple[int, ...]]]:
    """Streams of ten parts; seams are shifts, as are those within the parts."""
    streams = []
    for first in range(0, len(parts) - PER_STREAM + 1, PER_STREAM):
        row = parts[first : first + PER_STREAM]
        starts = [0, *itertools.accumulate(len(turns) for turns, _ in row)]
        inner = {start + at for start, (_, shifts) in zip(starts, row, strict=False) for at in shifts}
        streams.append(
            (tuple(itertools.chain(*(turns for turns, _ in row))), tuple(sorted(inner | {*starts[1:-1]})))
        )
    return streams


def corpora(
    dialogues: Sequence[tuple[Turns, tuple[int, ...]]], sessions: Sequence[Turns], tasks: Sequence[Turns]
) -> dict[str, Corpus]:
    """All seven; streams of the same dialogues or sessions share a fold."""
    first = random.Random(SEED)

    def in_a_row(
        kind: str, share: float, reachable: float, parts: Sequence[Turns], cut: Callable[[Turns], Turns]
    ) -> Corpus:
        streams = joined([(cut(turns), ()) for turns in parts])
        return Corpus(kind, share, reachable, tuple(streams), tuple(i % FOLDS for i in range(len(streams))))

    def of_sessions(share: float, reachable: float, cut: Callable[[Turns], Turns]) -> Corpus:
        return in_a_row("assistant chats", share, reachable, sessions, cut)

    def of_tasks(share: float, reachable: float, cut: Callable[[Turns], Turns]) -> Corpus:
        return in_a_row("tasks", share, reachable, tasks, cut)

    rows = joined(dialogues)
    return {
        "tiage": Corpus(
            "chit-chat",
            1.0,
            0.57,
            tuple(dialogues),
            tuple(i // PER_STREAM % FOLDS for i in range(len(dialogues))),
        ),
        "tiage joined": Corpus(
            "chit-chat", 0.5, 0.65, tuple(rows), tuple(i % FOLDS for i in range(len(rows)))
        ),
        "sessions": of_sessions(1.5, 0.94, lambda turns: turns),
        "user turns": of_sessions(0.5, 0.93, lambda turns: turns[::2]),
        "one sentence": of_sessions(0.5, 0.66, one_sentence),
        "tasks": of_tasks(0.5, 0.7, lambda turns: turns),
        "tasks cut short": of_tasks(1.0, 0.75, lambda turns: turns[: first.choice(FIRST_TURNS)]),
    }


@dataclass(frozen=True)
class Table:
    """One stream's gaps: features by name, whether a topic starts there, and what it weighs."""

    corpus: str
    kind: str
    fold: int
    features: Mapping[str, Floats]
    starts: NDArray[np.bool_]
    weight: Floats


def tables(found: Mapping[str, Corpus], vector: Mapping[str, NDArray[np.float32]]) -> list[Table]:
    """Features, labels and weights of every stream's gaps, a corpus weighing its share."""
    made = []
    for name, corpus in found.items():
        gaps = sum(len(turns) - 1 for turns, _ in corpus.streams)
        for (turns, shifts), fold in zip(corpus.streams, corpus.folds, strict=True):
            features = gap_features([turn_cues(t) for t in turns], np.stack([vector[t] for t in turns]))
            starts = np.isin(np.arange(1, len(turns)), shifts)
            weight = np.where(starts, (2 - corpus.reachable) / corpus.reachable, 1.0)
            made.append(
                Table(
                    name,
                    corpus.kind,
                    fold,
                    {k: v[1:] for k, v in features.items()},
                    starts,
                    weight * corpus.share / gaps,
                )
            )
    return made


def fit(rows: Sequence[Table]) -> dict[str, object]:
    """The model's JSON document, without provenance."""
    names = tuple(name for name in rows[0].features if not name.startswith(MANNER))
    manner = tuple(name for name in rows[0].features if name.startswith(MANNER))
    values = {name: np.concatenate([row.features[name] for row in rows]) for name in (*names, *manner)}
    starts = np.concatenate([row.starts for row in rows])
    weight = np.concatenate([row.weight for row in rows])
    weight *= ROWS / weight.sum()
    mean, scale = _moments(values, names, weight)
    manner_mean, manner_scale = _moments(values, manner, weight)
    table = standardise(values, names, mean, scale, STANDARDISED_LIMIT)
    talk = standardise(values, manner, manner_mean, manner_scale, MANNER_LIMIT)
    by = [MANNER_SCALE * table * talk[:, [k]] for k in range(len(manner))]
    seen = np.concatenate([table, talk, *by], axis=1)
    fitted = LogisticRegression(C=PENALTY, max_iter=2000).fit(seen, starts, sample_weight=weight)
    own, of_talk, *of_both = np.split(
        fitted.coef_[0], np.cumsum([len(names), len(manner), *[len(names)] * (len(manner) - 1)])
    )
    return {
        "threshold": THRESHOLD,
        "bias": _short(fitted.intercept_[0]),
        "features": {
            name: {"mean": _short(mean[i]), "scale": _short(scale[i]), "weight": _short(own[i])}
            for i, name in enumerate(names)
        },
        "manner": {
            trait: {
                "mean": _short(manner_mean[k]),
                "scale": _short(manner_scale[k]),
                "weight": _short(of_talk[k]),
                "by": {name: _short(MANNER_SCALE * of_both[k][i]) for i, name in enumerate(names)},
            }
            for k, trait in enumerate(manner)
        },
    }


def _moments(values: Mapping[str, Floats], names: Sequence[str], weight: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of each, by weight, where it is known."""
    mean, scale = np.zeros(len(names)), np.ones(len(names))
    for i, name in enumerate(names):
        known = ~np.isnan(values[name])
        mean[i] = np.average(values[name][known], weights=weight[known])
        scale[i] = np.sqrt(np.average((values[name][known] - mean[i]) ** 2, weights=weight[known]))
    return mean, scale


def _short(value: float) -> float:
    return round(float(value), 5)


def found_by(model: GapModel, row: Table) -> tuple[int, ...]:
    """Where the model begins new topics in a stream."""
    padded = {name: np.concatenate([[np.nan], column]) for name, column in row.features.items()}
    return shifts_of(judge(padded, model).probability, model.threshold)


def score(pairs: Iterable[tuple[Table, tuple[int, ...]]]) -> str:
    """Precision, recall and F1 over all streams, as a line."""
    rows, found = zip(*pairs, strict=True)
    lengths = [len(row.starts) + 1 for row in rows]
    shifts = [tuple(int(i) + 1 for i in np.flatnonzero(row.starts)) for row in rows]
    figures = boundary_scores(lengths, shifts, found)
    return f"P {figures.precision:.1f}  R {figures.recall:.1f}  F1 {figures.f1:.1f}"


def cross_validate(rows: Sequence[Table]) -> None:
    """Print, corpus by corpus, how models do on folds that they have not seen, and on kinds of talk."""
    models = [parse_model(fit([row for row in rows if row.fold != fold])) for fold in range(FOLDS)]
    kinds = dict.fromkeys(row.kind for row in rows)
    without = {kind: parse_model(fit([row for row in rows if row.kind != kind])) for kind in kinds}
    for name in dict.fromkeys(row.corpus for row in rows):
        own = [row for row in rows if row.corpus == name]
        print(f"{name:16s} fold left out ", score((row, found_by(models[row.fold], row)) for row in own))
        print(f"{'':16s} kind left out ", score((row, found_by(without[row.kind], row)) for row in own))


def read_vectors(texts: Sequence[str], cache: Path | None) -> dict[str, NDArray[np.float32]]:
    """The texts' vectors; those in the cache file are not computed again."""
    known: dict[str, NDArray[np.float32]] = {}
    if cache is not None and cache.exists():
        with np.load(cache) as stored:
            known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    unread = [text for text in dict.fromkeys(texts) if text_hash(text) not in known]
    if unread:
        known |= dict(zip(map(text_hash, unread), load_minilm(threads=1).embed(unread), strict=True))
    if cache is not None:
        np.savez(cache, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
    return {text: known[text_hash(text)] for text in texts}


def main() -> None:
    """Cross-validate, then train on everything and write the weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiage", type=Path, required=True, help="directory with anno_train.json")
    parser.add_argument("--sessions", type=Path, required=True, help="LongMemEval sessions, .jsonl.xz")
    parser.add_argument("--tasks", type=Path, required=True, help="directory with SGD's dialogues_*.json")
    parser.add_argument("--vectors", type=Path, help="keep the sentence vectors in this .npz file")
    arguments = parser.parse_args()
    found = corpora(
        tiage(arguments.tiage / "anno_train.json"),
        tuning_sessions(arguments.sessions),
        single_tasks(arguments.tasks),
    )
    texts = [text for corpus in found.values() for turns, _ in corpus.streams for text in turns]
    rows = tables(found, read_vectors(texts, arguments.vectors))
    cross_validate(rows)
    provenance = {
        "made_by": "benchmarks/train_segmentation.py",
        "data": "TIAGE train (MIT), LongMemEval-S cleaned, tuning half of the sessions (MIT), "
        "Schema-Guided Dialogue dev (CC BY-SA 4.0)",
        "encoder": MODEL_ID,
        "gaps": {
            name: sum(len(row.starts) for row in rows if row.corpus == name)
            for name in dict.fromkeys(row.corpus for row in rows)
        },
    }
    WEIGHTS.parent.mkdir(exist_ok=True)
    WEIGHTS.write_text(json.dumps({"provenance": provenance, **fit(rows)}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
