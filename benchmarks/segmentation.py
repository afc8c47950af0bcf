"""Every segmentation method against known topic shifts, and against random and every-k boundaries.

Streams: TIAGE dialogues (MIT), and LongMemEval sessions (MIT) put one after the other, whose seams are
the topic shifts. No times, no session marks. Reported streams are disjoint from those `--tune` uses.
Figures are percentages over all gaps of a dataset; Pk and WindowDiff (lower is better) are averaged
over streams, window half the mean topic length.

    python -m benchmarks.segmentation --tiage ../shared/data/segmentation/tiage \\
        --sessions ../shared/data/longmemeval/sessions_dev60.jsonl.xz [--tune]
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np

from memcore.nlp.minilm import MiniLM, load_minilm
from memcore.stages import segment_scores
from memcore.stages.segment_scores import DEFAULT_METHOD, METHODS, Scores, score_gaps

RATE = 0.6
SESSIONS_PER_STREAM = 10
SEED = 5


@dataclass(frozen=True)
class Stream:
    """Turns one after the other, and the positions where a new topic starts."""

    turns: tuple[str, ...]
    shifts: tuple[int, ...]


def tiage(file: Path) -> list[Stream]:
    dialogues = json.loads(file.read_text(encoding="utf-8")).values()
    return [
        Stream(
            tuple(text for text, _ in turns), tuple(i for i, (_, label) in enumerate(turns) if label == "1")
        )
        for turns in dialogues
    ]


def longmemeval(file: Path, count: int, *, tuning: bool) -> list[Stream]:
    """Streams of sessions drawn without repetition; tuning draws from one half, reporting from the other."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        sessions = {
            s["id"]: [t["content"] for t in s["turns"] if t["content"].strip()]
            for s in map(json.loads, lines)
        }
    names = sorted(name for name, turns in sessions.items() if turns)
    random.Random(SEED).shuffle(names)
    half = names[: len(names) // 2] if tuning else names[len(names) // 2 :]
    streams = []
    for start in range(0, count * SESSIONS_PER_STREAM, SESSIONS_PER_STREAM):
        parts = [sessions[name] for name in half[start : start + SESSIONS_PER_STREAM]]
        ends = list(itertools.accumulate(map(len, parts)))
        streams.append(Stream(tuple(itertools.chain(*parts)), tuple(ends[:-1])))
    return streams


def windows_of(stream: Stream) -> int:
    return max(2, round(len(stream.turns) / (len(stream.shifts) + 1) / 2))


def pk(stream: Stream, found: Sequence[int]) -> float:
    """Beeferman et al. 1999: how often two turns k apart are wrongly held to be of one topic or of two."""
    return mean(bool(a) != bool(b) for a, b in _counts(stream, found))


def windowdiff(stream: Stream, found: Sequence[int]) -> float:
    """Pevzner and Hearst 2002: how often a window holds a wrong number of boundaries."""
    return mean(a != b for a, b in _counts(stream, found))


def _counts(stream: Stream, found: Sequence[int]) -> list[tuple[int, int]]:
    k = windows_of(stream)
    spans = range(max(1, len(stream.turns) - k))
    return [tuple(sum(i < at <= i + k for at in some) for some in (stream.shifts, found)) for i in spans]  # type: ignore[misc]


def report(streams: Sequence[Stream], found: Sequence[Sequence[int]]) -> dict[str, float]:
    hits = sum(len(set(s.shifts) & set(f)) for s, f in zip(streams, found, strict=True))
    predicted, true = sum(map(len, found)), sum(len(s.shifts) for s in streams)
    pairs = list(zip(streams, found, strict=True))
    figures = {
        "precision": hits / predicted if predicted else 0.0,
        "recall": hits / true,
        "f1": 2 * hits / (predicted + true),
        "pk": mean(pk(s, f) for s, f in pairs),
        "windowdiff": mean(windowdiff(s, f) for s, f in pairs),
    }
    return {name: round(100 * value, 1) for name, value in figures.items()}


def evaluate(streams: Sequence[Stream], scored: Sequence[Scores]) -> Mapping[str, dict[str, float]]:
    draw = random.Random(SEED)
    gaps, shifts = sum(len(s.turns) - 1 for s in streams), sum(len(s.shifts) for s in streams)
    every = round(gaps / shifts)
    found = {name: [rule(scores).at for scores in scored] for name, rule in METHODS.items()}
    found["random"] = [
        tuple(i for i in range(1, len(s.turns)) if draw.random() < shifts / gaps) for s in streams
    ]
    found[f"every {every}"] = [tuple(range(every, len(s.turns), every)) for s in streams]
    found["none"] = [() for _ in streams]
    return {name: report(streams, positions) for name, positions in found.items()}


def read(
    streams: Sequence[Stream], encoder: MiniLM
) -> tuple[list[Scores], list[np.ndarray], dict[str, float]]:
    """Scores and vectors of each stream, and milliseconds a turn for each of the two readings."""
    scored, vectors, spent = [], [], [0.0, 0.0]
    for stream in streams:
        begun = time.perf_counter()
        compressed = encoder.compress(stream.turns, RATE)
        own = encoder.embed(stream.turns)
        between = time.perf_counter()
        matrix = encoder.turn_attention([c.text for c in compressed])
        spent = [spent[0] + between - begun, spent[1] + time.perf_counter() - between]
        scored.append(score_gaps(own, np.concatenate([[np.nan], np.diagonal(matrix, offset=-1)])))
        vectors.append(own)
    turns = sum(len(s.turns) for s in streams) / 1000
    return (
        scored,
        vectors,
        {"compress_and_embed": round(spent[0] / turns, 2), "attention": round(spent[1] / turns, 2)},
    )


def tune(datasets: Mapping[str, Sequence[Stream]], encoder: MiniLM) -> None:
    """F1 of the grids the constants of `segment_scores` were chosen from, by mean over the datasets."""
    vectors = {name: read(streams, encoder)[1] for name, streams in datasets.items()}
    rows = []
    for threshold in np.arange(0.05, 0.45, 0.05):
        f1 = {
            name: report(
                streams, [segment_scores.below(score_gaps(v).similarity, threshold) for v in vectors[name]]
            )["f1"]
            for name, streams in datasets.items()
        }
        rows.append((mean(f1.values()), f"similarity threshold {threshold:.2f}", f1))
    for spread in (1.0, 1.5, 2.0, 3.0):
        blocks = {
            name: [segment_scores.block_similarity(v, spread=spread) for v in vectors[name]]
            for name in datasets
        }
        for deviations, floor in itertools.product((0.75, 1.0, 1.25, 1.5), (0.1, 0.2, 0.3)):
            f1 = {}
            for name, streams in datasets.items():
                found = []
                for block in blocks[name]:
                    depth = segment_scores.depth_scores(block)
                    least = max(floor, float(depth[1:].mean() + deviations * depth[1:].std()))
                    base = Scores(None, block, block, depth, least)
                    found.append(segment_scores.by_texttiling(base).at)
                f1[name] = report(streams, found)["f1"]
            rows.append((mean(f1.values()), f"spread {spread} deviations {deviations} floor {floor}", f1))
    for average, setting, f1 in sorted(rows, key=lambda row: -row[0]):
        print(f"{average:5.1f}  {setting}  {f1}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tiage", type=Path, required=True, help="directory with anno_train.json, anno_dev.json"
    )
    parser.add_argument("--sessions", type=Path, required=True, help="LongMemEval sessions, .jsonl.xz")
    parser.add_argument("--streams", type=int, default=8, help="how many LongMemEval streams")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tune", action="store_true", help="print the grids on the tuning splits instead")
    arguments = parser.parse_args()
    encoder = load_minilm(threads=arguments.threads)
    split = "train" if arguments.tune else "dev"
    datasets = {
        f"tiage {split}": tiage(arguments.tiage / f"anno_{split}.json"),
        "longmemeval streams": longmemeval(arguments.sessions, arguments.streams, tuning=arguments.tune),
    }
    if arguments.tune:
        tune(datasets, encoder)
        return
    for name, streams in datasets.items():
        scored, _, spent = read(streams, encoder)
        print(json.dumps({
            "dataset": name, "streams": len(streams), "turns": sum(len(s.turns) for s in streams),
            "boundaries": sum(len(s.shifts) for s in streams), "default": DEFAULT_METHOD,
            "milliseconds_a_turn": spent, "methods": evaluate(streams, scored),
        }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
