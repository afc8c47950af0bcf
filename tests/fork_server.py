"""A process that has loaded what work needs and forks a child for each piece of it, so that killing one costs
no start of Python and no loading of models.

Usage: python -m tests.fork_server MODULE; the module has `work(*arguments)`, and `warm_up()` if more is to
be loaded than its imports. One JSON list of arguments a line on stdin. On stdout: `pid N`, what the work says
(`say`), `exit N`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from importlib import import_module
from typing import Any


def say(line: str) -> None:
    """Tell the test, at once and whole, whatever kills us next."""
    os.write(1, f"{line}\n".encode())


def serve(module: Any) -> None:
    """Until stdin ends."""
    getattr(module, "warm_up", lambda: None)()
    say("ready")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                say(f"pid {os.getpid()}")
                module.work(*json.loads(line))
                code = 0
            except BaseException:  # noqa: BLE001 (told to the test as the exit code)
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        say(f"exit {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    serve(import_module(sys.argv[1]))
