"""Indexes as files: written so that a crash at any point leaves the old one or the new one.

A manifest names the data file, its checksum and the store it belongs to; replacing the manifest is
the moment of change. A pair that does not fit is no error but no cache: the caller makes it anew. Their
names begin with the format; files of another one, which nothing will read, go when a new one is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from memcore.domain import private_files
from memcore.domain.errors import StoreError
from memcore.store.keyword_index import Bm25Index
from memcore.store.vector_index import HnswIndex

FORMAT = 3
"""1: an index for each owner and kind, whatever the recipe. 2: vectors only."""
_PREFIX = f"v{FORMAT}-"

Filed = TypeVar("Filed", HnswIndex, Bm25Index)


class IndexFiles(Generic[Filed]):
    """The files of one sort of index of one store and embedding model in one directory. `read` makes an
    index of a data file and of what the manifest has of it."""

    def __init__(
        self,
        directory: Path,
        sort: Literal["vectors", "words"],
        read: Callable[[Path, dict[str, Any]], Filed],
        *,
        store_id: str,
        model_id: str,
        dimension: int,
    ) -> None:
        self._directory = directory
        self._sort = sort
        self._read: Callable[[Path, dict[str, Any]], Filed] = read
        self._belongs = {
            "format": FORMAT,
            "sort": sort,
            "store": store_id,
            "model": model_id,
            "dimension": dimension,
        }

    def load(self, owner: str, kind: str, recipe: str) -> tuple[Filed, int] | None:
        """(index, the generation it holds), or None when there is none that fits."""
        try:
            manifest = json.loads(self._manifest(owner, kind, recipe).read_bytes())
            if {key: manifest[key] for key in self._belongs} != self._belongs or manifest["owner"] != owner:
                return None
            data = self._directory / Path(manifest["data"]).name
            if _checksum(data) != manifest["checksum"]:
                return None
            return self._read(data, manifest["rest"]), int(manifest["generation"])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError):
            return None

    def save(self, owner: str, kind: str, recipe: str, index: Filed, generation: int) -> None:
        """Raises StoreError when the directory cannot be written."""
        manifest_path = self._manifest(owner, kind, recipe)
        data = manifest_path.with_name(f"{manifest_path.stem}-{uuid.uuid4().hex[:8]}.index")
        draft = data.with_suffix(".json.new")
        try:
            private_files.make_directory(self._directory)
            rest = index.save(data)
            private_files.close_to_others(data)
            manifest = self._belongs | {
                "owner": owner,
                "kind": kind,
                "recipe": recipe,
                "generation": generation,
                "data": data.name,
                "checksum": _checksum(data),
                "rest": rest,
            }
            with private_files.create(draft) as file:
                file.write(json.dumps(manifest).encode())
            _sync(data)
            _sync(draft)
            draft.replace(manifest_path)
            for old in self._directory.iterdir():
                replaced = old.name.startswith(f"{manifest_path.stem}-") and old != data
                earlier = old.suffix in (".json", ".index", ".hnsw") and not old.name.startswith(_PREFIX)
                if replaced or earlier:
                    old.unlink(missing_ok=True)
        except (OSError, RuntimeError) as error:
            raise StoreError(
                f"The search index cannot be saved in {self._directory}: {error}.",
                "Free disk space there. Nothing is lost: the index is made anew from the store.",
            ) from error

    def _manifest(self, owner: str, kind: str, recipe: str) -> Path:
        of = f"{self._sort}\x1f{kind}\x1f{owner}\x1f{recipe}".encode("utf-8", "surrogatepass")
        return self._directory / f"{_PREFIX}{self._sort}-{kind}-{hashlib.sha256(of).hexdigest()[:16]}.json"


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
