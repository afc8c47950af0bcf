"""`memscope`: starts the workbench. What is typed after it goes to `streamlit run` (`--server.port 8600`).

The workbench is a Streamlit script with its pages beside it. Streamlit puts the script's folder on the
import path and reads the configuration that lies there, so the command works in any directory.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from memcore.cli.output import fail

INSTALLED_FOLDER = "memscope_workbench"
"""Where the wheel has app.py, pages/ and ui/: beside memcore, as pyproject.toml says."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the workbench until it is stopped; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    script = _script(Path(__file__).parents[2])
    if script is None:
        fail("The workbench is not installed.", "Run: pip install --force-reinstall memscope", as_json=False)
        return 1
    sys.argv = ["streamlit", "run", str(script), *arguments]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0


def _script(root: Path) -> Path | None:
    """app.py of an installed workbench, or of the repository."""
    places = (root / INSTALLED_FOLDER / "app.py", root / "app.py")
    return next((place for place in places if place.is_file()), None)
