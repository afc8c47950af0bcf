"""Vector indexes as files: written so that a crash at any point leaves the old one or the new one.

A manifest names the graph file, its checksum and the store it belongs to; replacing the manifest is
the moment of change. A pair that does not fit is no error but no cache: the caller makes it anew. Their
names begin with the format; files of another one, which nothing will read, go when a new one is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from pathlib import Path

from memcore.errors import StoreError
from memcore.store.vector_index import HnswIndex

FORMAT = 2
"""1: an index for each owner and kind, whatever the recipe."""
_PREFIX = f"v{FORMAT}-"


class IndexFiles:
    """The index files of one store and embedding model in one directory."""

    def __init__(self, directory: Path, *, store_id: str, model_id: str, dimension: int) -> None:
        self._directory = directory
        self._dimension = dimension
        self._belongs = {
            "format": FORMAT,
            "store": store_id,
            "model": model_id,
            "dimension": dimension,
        }

    def load(self, owner: str, kind: str, recipe: str) -> tuple[HnswIndex, int] | None:
        """(index, the generation it holds), or None when there is none that fits."""
        try:
            manifest = json.loads(self._manifest(owner, kind, recipe).read_bytes())
            if {key: manifest[key] for key in self._belongs} != self._belongs or manifest["owner"] != owner:
                return None
            graph = self._directory / Path(manifest["graph"]).name
            if _checksum(graph) != manifest["checksum"]:
                return None
            return HnswIndex.load(graph, self._dimension, manifest["rest"]), int(manifest["generation"])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError):
            return None

    def save(self, owner: str, kind: str, recipe: str, index: HnswIndex, generation: int) -> None:
        """Raises StoreError when the directory cannot be written."""
        manifest_path = self._manifest(owner, kind, recipe)
        graph = manifest_path.with_name(f"{manifest_path.stem}-{uuid.uuid4().hex[:8]}.hnsw")
        draft = graph.with_suffix(".json.new")
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            rest = index.save(graph)
            manifest = self._belongs | {
                "owner": owner,
                "kind": kind,
                "recipe": recipe,
                "generation": generation,
                "graph": graph.name,
                "checksum": _checksum(graph),
                "rest": rest,
            }
            draft.write_text(json.dumps(manifest))
            _sync(graph)
            _sync(draft)
            draft.replace(manifest_path)
            for old in self._directory.iterdir():
                replaced = old.name.startswith(f"{manifest_path.stem}-") and old != graph
                earlier = old.suffix in (".json", ".hnsw") and not old.name.startswith(_PREFIX)
                if replaced or earlier:
                    old.unlink(missing_ok=True)
        except (OSError, RuntimeError) as error:
            raise StoreError(
                f"The search index cannot be saved in {self._directory}: {error}.",
                "Free disk space there. Nothing is lost: the index is made anew from the store.",
            ) from error

    def _manifest(self, owner: str, kind: str, recipe: str) -> Path:
        name = hashlib.sha256(f"{kind}\x1f{owner}\x1f{recipe}".encode("utf-8", "surrogatepass")).hexdigest()[
            :16
        ]
        return self._directory / f"{_PREFIX}{kind}-{name}.json"


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
