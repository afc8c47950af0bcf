"""What a store writes is its owner's alone: files of mode 0600, directories of mode 0700.

A store's directory that holds other things as well (somebody named their desktop) keeps its mode; the store's
files in it are closed nevertheless. Where a file belongs to somebody else, or the file system has no modes,
nothing is changed.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

FILE, DIRECTORY = 0o600, 0o700
OURS = re.compile(r"memscope\.duckdb.*|settings\.(json|tmp)|index|evaluations|wanted|served\.json")
"""The names of a store's own files and directories."""


def make_directory(directory: Path) -> None:
    """Make a directory that only its owner may look into, unless there is one."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        directory.mkdir(mode=DIRECTORY)


def create(path: Path) -> BinaryIO:
    """A new file to write to, never open to others, not for a moment. Raises FileExistsError."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE), "wb")


def replace(path: Path, content: bytes) -> None:
    """A file with this content in the place of what is there, whole or, on any error, not at all."""
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with create(draft) as file:
            file.write(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def close_to_others(path: Path) -> None:
    """Take everybody else's rights to a file or directory of one's own."""
    wanted = DIRECTORY if path.is_dir() else FILE
    with suppress(OSError):
        found = path.stat()
        if found.st_mode & 0o777 & ~wanted and found.st_uid == os.getuid():
            path.chmod(wanted)


def close_store(directory: Path) -> None:
    """As `close_to_others`, for a whole store: those made by earlier versions were readable by all."""
    entries = list(directory.iterdir())
    ours = [path for path in entries if OURS.fullmatch(path.name)]
    if len(ours) == len(entries):
        close_to_others(directory)
    for path in ours:
        if path.is_symlink():
            continue
        close_to_others(path)
        if path.is_dir():
            for inside in path.iterdir():
                close_to_others(inside)


def remove(path: Path) -> None:
    """A file, or a directory with everything in it; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
