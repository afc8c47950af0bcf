"""How many messages a second ingest reaches with no LLM and every stage on, and where the time goes.

    python -m benchmarks.ingest_speed ../shared/data/locomo/locomo_dev4.json

The models are loaded by ingesting the sample first; then the clock starts on a new store. The whole
run counts: storing the evidence, every stage, every transaction. One log is measured per process,
because vectors of texts seen before are remembered. Two steps are read side by side, so the stages'
shares are of the summed stage time, not of the wall clock. Run it on an idle machine; it prints the
load it found.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from pathlib import Path

from memcore import open_memory
from memcore.logs import read_log

SAMPLE = Path(__file__).parent.parent / "sample_data" / "two_friends.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("log", type=Path)
    log = read_log(parser.parse_args().log)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before")
    with tempfile.TemporaryDirectory() as place:
        with open_memory(Path(place) / "warm") as memory:
            memory.ingest(read_log(SAMPLE))
        with open_memory(Path(place) / "measured") as memory:
            report = memory.ingest(log)
            spent = Counter(memory.run(report.run_id).stage_milliseconds)
    speed = report.messages / report.seconds
    print(f"{report.messages} messages in {report.seconds:.1f} s = {speed:.1f} messages/s")
    for stage, milliseconds in spent.most_common():
        each, share = milliseconds / report.messages, milliseconds / spent.total()
        print(f"  {stage:<10} {each:6.2f} ms/message  {share:5.1%}")


if __name__ == "__main__":
    main()
