"""Indexes as files: written so that a crash at any point leaves the old one or the new one.

A manifest names the data files, their checksums and the store they belong to; replacing the manifest is
the moment of change. What does not fit together is no error but no cache: the caller makes it anew. Their
names begin with the format; files of another one, which nothing will read, go when a new one is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar
from zipfile import BadZipFile

from memcore.domain import private_files
from memcore.domain.errors import StoreError
from memcore.store.sql.database import Database

FORMAT = 4
"""1: an index for each owner and kind, whatever the recipe. 2: vectors only. 3: one data file an index."""
_PREFIX = f"v{FORMAT}-"


class FiledIndex(Protocol):
    """An index that can be written as several files."""

    def save(self, at: Callable[[str], Path]) -> dict[str, Any]:
        """Write a file for each part where `at` says, and return the rest as JSON values."""
        ...


Filed = TypeVar("Filed", bound=FiledIndex)


class IndexFiles(Generic[Filed]):
    """The files of one sort of index of one store and embedding model in one directory. `read` makes an
    index of its files, by part, and of the rest that the manifest has of it. `checked_by_index` are parts
    that the index itself checks, row by row as it reads them: opening does not read them. None is written
    where the store can only be read, and none any more once something was erased from it, which gives it
    another id: what an index holds from before may hold that."""

    def __init__(
        self,
        database: Database,
        directory: Path,
        sort: Literal["vectors", "words", "codes", "rows"],
        read: Callable[[Mapping[str, Path], Mapping[str, Any]], Filed],
        *,
        checked_by_index: frozenset[str] = frozenset(),
    ) -> None:
        self._database = database
        self._directory = directory
        self._sort = sort
        self._read: Callable[[Mapping[str, Path], Mapping[str, Any]], Filed] = read
        self._checked_by_index = checked_by_index
        self._belongs = {
            "format": FORMAT,
            "sort": sort,
            "store": database.store_id,
            "model": database.embedding_model,
            "dimension": database.dimension,
        }

    def are_there(self, owner: str, kind: str, recipe: str) -> bool:
        """Whether something was written, which may fit or not."""
        return self._manifest(owner, kind, recipe).exists()

    def load(self, owner: str, kind: str, recipe: str) -> tuple[Filed, int] | None:
        """(index, the generation it holds), or None when there is none that fits."""
        try:
            manifest = json.loads(self._manifest(owner, kind, recipe).read_bytes())
            if {key: manifest[key] for key in self._belongs} != self._belongs or manifest["owner"] != owner:
                return None
            files = {part: self._directory / Path(name).name for part, name in manifest["files"].items()}
            if {part: self._checksum(part, files[part]) for part in files} != manifest["checksums"]:
                return None
            return self._read(files, manifest["rest"]), int(manifest["generation"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, BadZipFile):
            return None

    def save(self, owner: str, kind: str, recipe: str, index: Filed, generation: int) -> None:
        """Raises StoreError when the directory cannot be written."""
        if not self._may_write():
            return
        manifest_path = self._manifest(owner, kind, recipe)
        stem = f"{manifest_path.stem}-{uuid.uuid4().hex[:8]}"
        draft = manifest_path.with_name(f"{stem}.json.new")
        files: dict[str, Path] = {}

        def at(part: str) -> Path:
            return files.setdefault(part, manifest_path.with_name(f"{stem}-{part}.index"))

        try:
            private_files.make_directory(self._directory)
            rest = index.save(at)
            for data in files.values():
                private_files.close_to_others(data)
                _sync(data)
            manifest = self._belongs | {
                "owner": owner,
                "kind": kind,
                "recipe": recipe,
                "generation": generation,
                "files": {part: data.name for part, data in files.items()},
                "checksums": {part: self._checksum(part, data) for part, data in files.items()},
                "rest": rest,
            }
            with private_files.create(draft) as file:
                file.write(json.dumps(manifest).encode())
            _sync(draft)
            draft.replace(manifest_path)
            self._remove_older(manifest_path.stem, {data.name for data in files.values()})
        except (OSError, RuntimeError) as error:
            raise StoreError(
                f"The search index cannot be saved in {self._directory}: {error}.",
                "Free disk space there. Nothing is lost: the index is made anew from the store.",
            ) from error
        if not self._may_write():  # something was erased meanwhile
            for left in self._directory.glob(f"{manifest_path.stem}*"):
                left.unlink(missing_ok=True)

    def _may_write(self) -> bool:
        return not self._database.read_only and self._database.store_id == self._belongs["store"]

    def _remove_older(self, stem: str, kept: Set[str]) -> None:
        for old in self._directory.iterdir():
            replaced = old.name.startswith(f"{stem}-") and old.name not in kept
            earlier = old.suffix in (".json", ".index", ".hnsw") and not old.name.startswith(_PREFIX)
            if replaced or earlier:
                old.unlink(missing_ok=True)

    def _checksum(self, part: str, path: Path) -> str:
        """Of the content; of a part that the index checks, of its length."""
        if part in self._checked_by_index:
            return f"{path.stat().st_size} bytes"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _manifest(self, owner: str, kind: str, recipe: str) -> Path:
        of = f"{self._sort}\x1f{kind}\x1f{owner}\x1f{recipe}".encode("utf-8", "surrogatepass")
        return self._directory / f"{_PREFIX}{self._sort}-{kind}-{hashlib.sha256(of).hexdigest()[:16]}.json"


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
