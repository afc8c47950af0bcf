"""How much faster two Ray readers are than one, side by side in one run: one core each, models loaded in it.

    OMP_NUM_THREADS=1 PYTHONPATH=. python -m benchmarks.ray_readers LOG postgresql://…/EMPTY postgresql://…/EMPTY2

Into the first database one reader reads, into the second two. Needs two cores that have nothing else to do.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import ray

from memcore import open_memory
from memcore.domain.models import LogRead
from memcore.logs import read_log
from memcore.runtime.chosen import ChosenBackends
from memcore.scale.ray_readers import RayReaders


def seconds(log: LogRead, store: str, cores: int) -> float:
    """What reading takes with a reader for each of so many cores."""
    ray.init(
        address="local",
        num_cpus=cores,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    try:
        with open_memory(store) as memory:
            readers = RayReaders(memory.settings, ChosenBackends)
            report = memory.ingest_in_bulk([log], readers)
    finally:
        ray.shutdown()
    print(f"{cores} readers: {report.read} messages, {report.memories} memories, {report.seconds:.1f} s")
    return report.seconds


def main() -> None:
    """Read with one and with two, and print the ratio."""
    log = read_log(Path(sys.argv[1]))
    one, two = (seconds(log, store, cores) for cores, store in enumerate(sys.argv[2:4], start=1))
    print(f"speed-up of two readers: {one / two:.2f}")


if __name__ == "__main__":
    main()
