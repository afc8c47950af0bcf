"""`memory.exports`: the store as files, and back."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from memcore import exporting
from memcore.store import DuckStore


class Exports:
    """What is stored, in one of `exporting.FORMATS`."""

    def __init__(self, store: DuckStore) -> None:
        self._store = store

    def write(
        self,
        to: Path,
        *,
        format: str = "jsonl",
        owner: str | None = None,
        recipe: str | None = None,
        overwrite: bool = False,
    ) -> int:
        """Write everything (of one owner, as one system made it) to a file; returns the number of objects
        in it. Raises as `exporting.export`."""
        return exporting.export(self._store, to, format, owner=owner, recipe=recipe, overwrite=overwrite)

    def content(self, format: str, *, owner: str | None = None, recipe: str | None = None) -> bytes:
        """The same as the bytes of a file."""
        return exporting.exported(self._store, format, owner=owner, recipe=recipe)

    def read(self, path: Path) -> int:
        """Read an exported store into this one; returns the number of rows that were new."""
        return self._store.import_jsonl(path)

    def read_content(self, content: bytes, name: str) -> int:
        """The same for the bytes of a file called `name`, which are written nowhere else on the way."""
        return self._store.import_lines(BytesIO(content), name)
