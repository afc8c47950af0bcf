"""A directory that this process may read and not write, for the length of a block."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def unwritable(directory: Path) -> Iterator[None]:
    """By its mode; for root, whom modes do not stop, as a mount that can only be read. Skips the test where
    neither is possible (root in a container without the right to mount)."""
    if os.geteuid() != 0:
        modes = {path: path.stat().st_mode for path in (directory, *directory.rglob("*"))}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        try:
            yield
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        return
    where = str(directory)
    if subprocess.run(["mount", "--bind", where, where], capture_output=True, check=False).returncode:
        pytest.skip("root may write everywhere here, and may not mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", where], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", where], check=True)
