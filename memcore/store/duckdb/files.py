"""The files of a store by name, and the removal of those that a killed process left half written."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from memcore.domain import private_files

FILE_NAME = "memscope.duckdb"
INDEX_DIRECTORY = "index"
WANTED_FILE = "wanted"
"""Touched in the directory by a process that finds the store held."""
SERVED_FILE = "served.json"
"""Where, and with which token, the process that holds the store serves it (`memcore.server.served`)."""
EXPORT_DRAFT = re.compile(r"\.[0-9a-f]{8}\.new$")
"""How the draft of an export ends (`exporting.draft_file`), where it stands in the store's directory."""
TRIAL = ".trial"
"""How the directory of a copy of the store ends, on which something is tried (`copying`)."""


def tidy(path: Path) -> None:
    """Once the store is ours: remove what a killed process left half written beside it, and close what
    earlier versions left open to others."""
    left = [
        *path.parent.glob(f"{FILE_NAME}.*.new*"),  # a new or rewritten store
        *path.parent.glob(f"{FILE_NAME}.*{TRIAL}"),  # a copy that something was tried on
        *path.parent.glob(f"{FILE_NAME}.tmp"),  # what did not fit in DuckDB's memory
        *(path.parent / INDEX_DIRECTORY).glob("*.new"),
        *(path.parent / INDEX_DIRECTORY).glob("*.new-*"),
        *(one for one in path.parent.glob("*.new") if EXPORT_DRAFT.search(one.name)),
    ]
    with suppress(OSError):  # a store that one may only read is left as it is
        for abandoned in left:
            private_files.remove(abandoned)
        private_files.close_store(path.parent)
