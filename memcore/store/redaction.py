"""Taking words out of the files that stand beside a store's database, such as kept evaluations."""

from __future__ import annotations

import gzip
import json
import uuid
import zlib
from collections.abc import Callable
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.protocols.erasure import Erasure

HALF_WRITTEN = ".part"
"""How the file of an evaluation is called until all of it is there (`evaluation.records`)."""


def redact_files(
    directory: Path, erasure: Erasure, *, keep: bool, passing: Callable[[str], bool] = lambda name: False
) -> int:
    """Empty the touched texts of JSON files (packed or not, one document or one a line) in the directories of
    a store but those `passing` by name, each file at once; returns how many files that takes. What was left
    half written goes."""
    files = [
        path
        for inside in directory.iterdir()
        if inside.is_dir() and not passing(inside.name)
        for path in inside.rglob("*")
        if path.is_file()
    ]
    return sum(_redact_file(path, erasure, keep=keep) for path in sorted(files))


def _redact_file(path: Path, erasure: Erasure, *, keep: bool) -> bool:
    if path.suffix == HALF_WRITTEN:
        if keep:
            private_files.remove(path)
        return True
    packed = path.suffix == ".gz"
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if packed else data).decode()
        lines = [json.loads(text)] if _is_json(text) else [json.loads(line) for line in text.splitlines()]
    except (OSError, ValueError, EOFError, zlib.error):
        return False
    clean = erasure.redacted(lines)
    if clean == lines:
        return False
    if keep:
        written = "\n".join(json.dumps(line, ensure_ascii=False) for line in clean).encode()
        draft = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.new")
        with private_files.create(draft) as file:
            file.write(gzip.compress(written) if packed else written)
        draft.replace(path)
    return True


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
