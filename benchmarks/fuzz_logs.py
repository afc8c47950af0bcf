"""Whether reading ever ends in anything but messages or a clear error, however a log is changed.

Every sample (of tests/logs and sample_data) is changed at random: bytes replaced, pieces cut out, doubled or
taken from another sample, JSON values of the wrong type put in; and read as what it is found to be, or as
another format:

    python -m benchmarks.fuzz_logs --mutations 20000 [--seed 1]

Prints how many were read, refused and crashed, the slowest, and each kind of crash once with its seed.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from memcore.domain.errors import LogError
from memcore.logs import FORMATS, ReadOptions, branches_of, read_bytes

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "tests/logs/samples", ROOT / "tests/logs/data", ROOT / "sample_data")
VALUES = (b"null", b"[]", b"{}", b"0", b"true", b'""', b'"x"', b"[[1]]", b'{"role": 1}', b"1e999", b"NaN")
MARKS = b"{}[],:\"\\'\n \x00\xff-#*|;"


def samples() -> list[bytes]:
    """The files that are changed."""
    paths = (path for folder in FOLDERS for path in sorted(folder.iterdir()) if path.is_file())
    return [path.read_bytes() for path in paths if not path.name.endswith(".expected.json")]


def mutated(logs: list[bytes], chance: random.Random) -> bytes:
    """One of the logs, changed in one to four places."""
    data = chance.choice(logs)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + int(chance.expovariate(1 / 20)))
        other = chance.choice(logs)
        at = chance.randrange(len(other))
        piece = chance.choice(
            (b"", data[start:end] * 2, bytes([chance.randrange(256)]), bytes([chance.choice(MARKS)]),
             chance.choice(VALUES), other[at : at + end - start + 5])
        )  # fmt: skip
        if chance.random() < 0.3 and (colon := data.find(b": ", start)) >= 0:
            comma = data.find(b",", colon)
            start, end, piece = colon + 2, comma if comma > 0 else len(data), chance.choice(VALUES)
        data = (data[:start] + piece + data[end:]) or b"x"
    return data


def outcome(data: bytes, options: ReadOptions) -> str:
    """`read`, `refused`, or the crash in words."""
    try:
        found = read_bytes("log", data, options)
        branches_of("log", data, options)
    except LogError as error:
        return "refused" if error.cause and error.fix else "an error without cause or fix"
    except Exception as error:  # noqa: BLE001 (what is counted)
        return f"crashed: {type(error).__name__}: {error}"[:200]
    ids = [message.id for log in found.logs for message in log.messages]
    return "read" if ids and len(ids) == len(set(ids)) else "crashed: without messages, or one id twice"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Whether reading a changed log ever crashes.")
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    logs = samples()
    counts: Counter[str] = Counter()
    slowest = 0.0
    for number in range(asked.mutations):
        chance = random.Random(f"{asked.seed} {number}")
        data = mutated(logs, chance)
        named = chance.choice(list(FORMATS)) if chance.random() < 0.2 else "auto"
        begun = time.perf_counter()
        result = outcome(data, ReadOptions(format=named))
        slowest = max(slowest, time.perf_counter() - begun)
        if result not in counts and result not in ("read", "refused"):
            print(f"mutation {number} (as {named}) {result}")
        counts[result] += 1
    print(dict(counts), f"slowest {slowest:.2f} s")


if __name__ == "__main__":
    main()
