"""How long one very long message takes to be taken in, beside encoding its sentences once with
sentence-transformers.

    python -m benchmarks.long_message [--characters 100000] [--rounds 2] [--profile]

The message is made of the sentences of the sample conversation, numbered so that no two are equal. Both work
in one process, in turns, with the models loaded before, no language model and every stage on. Printed are
seconds by the clock and of the processor (which other programs distort less), and the ratio of each to the
reference's; then where the time of the stages goes. The reference only encodes: the ratio says what
compressing, dividing, reading and storing a message costs on top of reading its words once.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import os
import pstats
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memcore import open_memory
from memcore.domain.models import LogRead
from memcore.logs import read_log
from memcore.nlp.encoder.checkpoint import minilm_directory

SAMPLE = Path(__file__).parent.parent / "sample_data" / "two_friends.json"
Seconds = tuple[float, float]
"""By the clock, and of the processor."""


def main() -> None:
    """Print both times, their ratio, and the shares of the stages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--characters", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--profile", action="store_true", help="Print the functions that take longest, too.")
    asked = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before")
    sentences = said(asked.characters)
    encode = reference()
    encode(sentences[:8])
    ingest(" ".join(said(2_000)))  # the models are loaded
    ours: list[Seconds] = []
    theirs: list[Seconds] = []
    stages: dict[str, float] = {}
    for number in range(asked.rounds):  # a word more each time: vectors of texts read before are remembered
        told = [f"{sentence[:-1]} ({number})." for sentence in sentences]
        ours.append(timed(lambda told=told: stages.update(ingest(" ".join(told)))))  # type: ignore[misc]
        theirs.append(timed(lambda told=told: encode(told)))  # type: ignore[misc]
    print(f"one message of {len(' '.join(sentences)):,} characters, {len(sentences):,} sentences")
    for place, clock in enumerate(("seconds", "processor seconds")):
        best, plain = (min(row[place] for row in rows) for rows in (ours, theirs))
        print(f"{clock:<18} ingest {best:6.2f}   reference {plain:6.2f}   ratio {best / plain:.2f}")
    for stage, milliseconds in sorted(stages.items(), key=lambda item: -item[1]):
        print(f"  {stage:<10} {milliseconds / 1000:6.2f} s")
    if asked.profile:
        profile = cProfile.Profile()
        profile.runcall(ingest, " ".join(f"{sentence[:-1]} (again)." for sentence in sentences))
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def said(characters: int) -> list[str]:
    """Sentences that are so long together, each with a number of its own."""
    found = [
        part.strip()
        for log in read_log(SAMPLE).logs
        for message in log.messages
        for part in message.text.split(".")
        if part.strip()
    ]
    sentences: list[str] = []
    length = 0
    for number, sentence in enumerate(itertools.cycle(found)):
        if length >= characters:
            return sentences
        sentences.append(f"{sentence}, number {number}.")
        length += len(sentences[-1]) + 1
    raise AssertionError("unreachable: the sample has sentences")


def ingest(text: str) -> dict[str, float]:
    """Take the one message in; returns the milliseconds of each stage."""
    (sample, *_) = read_log(SAMPLE).logs
    message = replace(sample.messages[0], text=text)
    log = replace(sample, sessions=sample.sessions[:1], messages=(message,))
    with tempfile.TemporaryDirectory() as place, open_memory(place) as memory:
        report = memory.ingest(LogRead((log,)), owner=log.conversation.owner)
        return memory.runs.view(report.run_id, owner=log.conversation.owner).stage_milliseconds


def reference() -> Callable[[list[str]], object]:
    """Encoding with sentence-transformers, the same encoder in its own code, on two threads."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(2)
    model = SentenceTransformer(str(minilm_directory()), device="cpu")
    return lambda texts: model.encode(texts, batch_size=32, show_progress_bar=False)


def timed(work: Callable[[], object]) -> Seconds:
    """How long it takes."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


if __name__ == "__main__":
    main()
