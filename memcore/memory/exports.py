"""`memory.exports`: the store as files, and back."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from memcore import exporting
from memcore.domain.models import EVERY_OWNER
from memcore.memory.rights import Rights, everyone, needs
from memcore.store import SqlStore


class Exports:
    """What is stored, in one of `exporting.FORMATS`."""

    def __init__(self, store: SqlStore, rights: Rights) -> None:
        self._store = store
        self._rights = rights

    @needs("read")
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
        self._require_whole(format)
        return exporting.export(self._store, to, format, owner=owner, recipe=recipe, overwrite=overwrite)

    @needs("read")
    def content(self, format: str, *, owner: str | None = None, recipe: str | None = None) -> bytes:
        """The same as the bytes of a file."""
        self._require_whole(format)
        return exporting.exported(self._store, format, owner=owner, recipe=recipe)

    @needs("administer", of=everyone)
    def read(self, path: Path) -> int:
        """Read an exported store into this one; returns the number of rows that were new."""
        return self._store.import_jsonl(path)

    @needs("administer", of=everyone)
    def read_content(self, content: bytes, name: str) -> int:
        """The same for the bytes of a file called `name`, which are written nowhere else on the way."""
        return self._store.import_lines(BytesIO(content), name)

    def _require_whole(self, format: str) -> None:
        """A whole store has also what its administrators alone see: who may do what, and every model call."""
        if format in exporting.FORMATS and exporting.FORMATS[format].whole:
            self._rights.require("administer", EVERY_OWNER)
