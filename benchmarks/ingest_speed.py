"""How many messages a second ingest reaches with no LLM and every stage on, where the time goes, and how that
compares with sentence-transformers merely encoding the same messages.

    python -m benchmarks.ingest_speed ../shared/data/locomo/locomo_dev4.json

The models are loaded by ingesting the sample first; then the clock starts on a new store. The whole
run counts: storing the evidence, every stage, every transaction. One log is measured per process,
because vectors of texts seen before are remembered. Two steps are read side by side, so the stages'
shares are of the summed time, not of the wall clock: `storing` are the transactions, evidence included.
Processor time is of this process and those it started (the language pipeline's).
The reference encodes before and after, with 2 threads, 32 texts a batch, sorted by length; the faster time
counts. Run it on an idle machine; it prints the load it found, and the processor time, which says more than
the clock where others compute too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks.long_message import reference, timed
from memcore import open_memory
from memcore.logs import read_log
from memcore.store import DuckStore

SAMPLE = Path(__file__).parent.parent / "sample_data" / "two_friends.json"


def main() -> None:
    """Print how fast a log is read, and what of it the store takes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("log", type=Path)
    log = read_log(parser.parse_args().log)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before")
    texts = [message.text for one in log.logs for message in one.messages]
    encode = reference()
    encode(texts[:64])
    plain = [timed(lambda: encode(texts))]
    with tempfile.TemporaryDirectory() as place:
        with open_memory(Path(place) / "warm") as memory:
            memory.ingest(read_log(SAMPLE))
        with open_memory(Path(place) / "measured") as memory, _timing_transactions() as storing:
            begun = processor_seconds()
            report = memory.ingest(log)
            processor = processor_seconds() - begun
            spent = {**memory.runs.view(report.run_id).stage_milliseconds, "storing": 1000 * sum(storing)}
    plain.append(timed(lambda: encode(texts)))
    speed = report.messages / report.seconds
    print(f"{report.messages} messages in {report.seconds:.1f} s = {speed:.1f} messages/s")
    print(f"processor time {processor:.1f} s, {1000 * processor / report.messages:.2f} ms/message")
    clock, reading = map(min, zip(*plain, strict=True))
    print(f"reference {len(texts) / clock:.1f} messages/s, {1000 * reading / len(texts):.2f} ms/message")
    print(f"ratio {speed * clock / len(texts):.2f} by the clock, {reading / processor:.2f} by processor time")
    for stage, milliseconds in sorted(spent.items(), key=lambda item: -item[1]):
        each, share = milliseconds / report.messages, milliseconds / sum(spent.values())
        print(f"  {stage:<10} {each:6.2f} ms/message  {share:5.1%}")


def processor_seconds() -> float:
    """What this process and those it started have computed so far; not what has ended of these."""
    children = [one.cpu_times() for one in psutil.Process().children(recursive=True)]
    seconds: float = sum((one.user + one.system for one in children), start=time.process_time())
    return seconds


@contextmanager
def _timing_transactions() -> Iterator[list[float]]:
    """The seconds of each write transaction of any store, inside the block."""
    seconds: list[float] = []
    write = DuckStore.write

    def timed(store: DuckStore, *args: Any, **options: Any) -> AbstractContextManager[Any]:
        @contextmanager
        def transaction() -> Iterator[Any]:
            begun = time.perf_counter()
            with write(store, *args, **options) as writer:
                yield writer
            seconds.append(time.perf_counter() - begun)

        return transaction()

    DuckStore.write = timed  # type: ignore[method-assign,assignment]
    try:
        yield seconds
    finally:
        DuckStore.write = write  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
