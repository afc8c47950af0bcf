"""One table of what costs time, each beside a plain reference in the same run: `make bench`.

    python -m benchmarks.table [FILE.md] [--memories 20000] [--rounds 3]

Cold is a process that begins, with the files it reads in the system's cache; warm is asked again. Of several
rounds the best counts, for both. The clock is what a person waits, processor time what other programs on the
machine distort less; a ratio below 1 is less than the reference. Printed, and written to FILE.md if one is
named. The scripts of this folder look closer at each.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.long_message import Seconds, ingest, reference, said, timed
from benchmarks.search_scale import DIMENSION, Language, build, opened
from memcore.store import ExactIndex

SAMPLE = Path(__file__).parent.parent / "sample_data" / "two_friends.json"
FEATURES = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
QUESTIONS = 50


@dataclass(frozen=True, slots=True)
class Line:
    """One measure: ours and the reference's seconds, by the clock and of the processor."""

    what: str
    ours: Seconds
    against: str
    reference: Seconds

    def __str__(self) -> str:
        (clock, processor), (other_clock, other_processor) = self.ours, self.reference
        return (
            f"| {self.what} | {_shown(clock)} | {_shown(processor)} | {self.against} | {_shown(other_clock)} "
            f"| {_shown(other_processor)} | {clock / other_clock:.2f} | {processor / other_processor:.2f} |"
        )


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", help="where the table is written, too")
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    lines = [*cold(asked.rounds), *warm(asked.rounds), *searching(asked.memories, asked.rounds)]
    table = "\n".join(
        [
            f"# Benchmarks\n\n`make bench`, {asked.rounds} rounds. {machine()}; load {load:.1f} before.\n",
            "| What | clock | processors | Reference | clock | processors | ratio | processors' ratio |",
            "|---|---|---|---|---|---|---|---|",
            *map(str, lines),
            "",
        ]
    )
    print(table)
    if asked.file:
        asked.file.write_text(table)


def machine() -> str:
    """Processor, cores and the features that kernels are chosen by."""
    described = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    entries = dict(line.split(":", 1) for line in described.replace("\t", "").splitlines() if ":" in line)
    found = [feature for feature in FEATURES if feature in entries.get("flags", "").split()]
    name = entries.get("model name", platform.processor()).strip()
    return f"{name}, {os.cpu_count()} cores, {' '.join(found) or 'features unknown'}"


def cold(rounds: int) -> list[Line]:
    """What a process costs that does one thing and ends."""
    with tempfile.TemporaryDirectory() as store:
        memcore = [sys.executable, "-m", "memcore"]
        subprocess.run([*memcore, "ingest", str(SAMPLE), "--store", store], check=True, capture_output=True)
        search = [*memcore, "search", "Where did they meet?", "--store", store]
        torch = [sys.executable, "-c", "import torch"]
        return [
            Line("search of the sample, cold", *_best(search, "`import torch`", torch, rounds)),
            Line("`memcore --help`, cold", *_best([*memcore, "--help"], "`import torch`", torch, rounds)),
        ]


def _best(ours: Sequence[str], name: str, other: Sequence[str], rounds: int) -> tuple[Seconds, str, Seconds]:
    """Both in turns."""
    times: tuple[list[Seconds], list[Seconds]] = ([], [])
    for _ in range(rounds):
        for command, taken in zip((ours, other), times, strict=True):
            taken.append(_process(command))
    return _least(times[0]), name, _least(times[1])


def _process(command: Sequence[str]) -> Seconds:
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, used


def warm(rounds: int) -> list[Line]:
    """Reading a message with every stage on, models loaded, beside merely encoding its sentences."""
    encode = reference()
    sentences = said(10_000)
    encode(sentences[:8])
    ingest(" ".join(said(1_000)))
    ours, theirs = [], []
    for number in range(rounds):  # other words each time: vectors of texts read before are remembered
        told = [f"{sentence[:-1]} ({number})." for sentence in sentences]
        text = " ".join(told)
        ours.append(timed(lambda text=text: ingest(text)))  # type: ignore[misc]
        theirs.append(timed(lambda told=told: encode(told)))  # type: ignore[misc]
    what = "reading 10,000 characters, every stage, warm"
    return [Line(what, _least(ours), "sentence-transformers encoding them", _least(theirs))]


def searching(memories: int, rounds: int) -> list[Line]:
    """The nearest memories in a store, its indexes made, opened from files and asked."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        build(directory, memories, Language(memories))
        questions = Language(memories, seed=2).vectors(QUESTIONS)
        ids = [str(number) for number in range(memories)]
        vectors = Language(memories, seed=3).vectors(memories)
        made = _opening(directory, questions)
        from_files = _opening(directory, questions)
        filling = timed(lambda: ExactIndex(DIMENSION).put(ids, vectors))
        with opened(directory) as store:
            found, exact = [], []
            for _ in range(rounds):
                found.append(_asking(questions, lambda v: store.semantic("me", v, 100, kind="memory")))
                exact.append(_asking(questions, lambda v: np.argpartition(vectors @ v, -100)[-100:]))
    of = f"of {memories:,} memories"
    return [
        Line(f"vector index {of} made, first search", made, "copying the vectors into an array", filling),
        Line("the same opened from its files, cold", from_files, "the same", filling),
        Line(f"100 nearest {of}, warm, a question", _least(found), "numpy's exact search", _least(exact)),
    ]


def _opening(directory: Path, questions: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Seconds:
    with opened(directory) as store:
        return timed(lambda: store.semantic("me", questions[0], 100, kind="memory"))


def _asking(
    questions: np.ndarray[tuple[int, ...], np.dtype[np.float32]], ask: Callable[..., object]
) -> Seconds:
    clock, processor = timed(lambda: [ask(vector) for vector in questions])
    return clock / len(questions), processor / len(questions)


def _least(times: Sequence[Seconds]) -> Seconds:
    return min(clock for clock, _ in times), min(processor for _, processor in times)


def _shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.2f} ms"


if __name__ == "__main__":
    main()
