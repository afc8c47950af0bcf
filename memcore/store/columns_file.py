"""Arrays by name in one file, of numpy's own format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore.domain import private_files


def write_columns(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    """Make the file. Raises OSError."""
    with private_files.create(path) as file:
        np.savez(file, allow_pickle=False, **columns)


def read_columns(path: Path) -> dict[str, NDArray[Any]]:
    """What was written. Raises OSError, ValueError or zipfile.BadZipFile where it is nothing of the kind."""
    with np.load(path) as saved:
        return {name: saved[name] for name in saved.files}
