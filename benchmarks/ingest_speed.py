"""How many messages a second ingest reaches with no LLM and every stage on, and where the time goes.

    python benchmarks/ingest_speed.py ../shared/data/locomo/locomo_dev4.json [--repeat 3]

Models are loaded before the clock starts. The whole run counts: storing the evidence, every stage,
every transaction. Stages of several steps run side by side, so their shares are of the summed
stage time, not of the wall clock. Run it on an idle machine; it prints the load it found.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from memcore import open_memory
from memcore.logs import read_log


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("log", type=Path)
    options.add_argument("--repeat", type=int, default=3)
    chosen = options.parse_args()
    log = read_log(chosen.log)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {chosen.log.name}")
    for turn in range(1 + chosen.repeat):
        place = Path(tempfile.mkdtemp())
        with open_memory(place) as memory:
            report = memory.ingest(log)
            spent: Counter[str] = Counter(memory.run(report.run_id).stage_milliseconds)
        shutil.rmtree(place)
        name = "warm-up (loads models)" if turn == 0 else f"run {turn}"
        speed = report.messages / report.seconds
        print(f"\n{name}: {report.messages} messages in {report.seconds:.1f} s = {speed:.1f} messages/s")
        if turn:
            for stage, milliseconds in spent.most_common():
                share = milliseconds / spent.total()
                print(f"  {stage:<10} {milliseconds / report.messages:6.2f} ms/message  {share:5.1%}")


if __name__ == "__main__":
    main()
