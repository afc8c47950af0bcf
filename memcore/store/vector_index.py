"""Nearest neighbours by cosine over hnswlib's HNSW graphs, one collection at a time.

HNSW: Malkov & Yashunin 2018. The graph holds each distinct vector once, because many equal vectors
(a thousand times "Thanks!") disconnect it; ids that share a vector share its node. Adding never
rebuilds. Knows nothing of owners, texts or DuckDB.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Vectors

# Measured on 24,000 sentences of LongMemEval (MiniLM, 384 dimensions), one core: EF_CONSTRUCTION 200 built in
# 8.6 s, 100 in 4.5 s, 60 in 2.8 s; of the 200 nearest, looking at 400, they find .997, .995 and .992. Making
# a graph is what a person may have to wait for. On 59,800 sentences EF_SEARCH 160 finds .995 of the 10
# nearest and .98 of the 100 nearest in .34 ms; 256 finds .999 and .99 in .50 ms.
LINKS = 16
EF_CONSTRUCTION = 64
EF_SEARCH = 160
SEED = 100
FIRST_CAPACITY = 256


class HnswIndex:
    """Implements VectorIndex. Not thread-safe: its owner holds a lock."""

    def __init__(self, dimension: int) -> None:
        self._graph: Any = hnswlib.Index(space="cosine", dim=dimension)
        self._capacity = 0  # hnswlib crashes the process when asked anything before it has room
        self._ids_of: list[list[str]] = []  # label -> the ids whose vector the node holds
        self._label_of: dict[str, int] = {}
        self._digests: list[str] = []  # label -> digest of the vector as it was given
        self._label_by_digest: dict[str, int] = {}
        self._live = 0  # nodes that some id has

    def __len__(self) -> int:
        return len(self._label_of)

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add objects, or give those already there another vector. `vectors`: (len(ids), dimension)."""
        fresh: list[int] = []
        for key, row in {key: row for row, key in enumerate(ids)}.items():
            digest = _digest(vectors[row])
            label = self._label_by_digest.get(digest)
            if label is None:
                label = self._label_by_digest[digest] = len(self._ids_of)
                self._digests.append(digest)
                self._ids_of.append([])
                fresh.append(row)
            elif self._label_of.get(key) == label:
                continue
            elif not self._ids_of[label]:
                self._graph.unmark_deleted(label)
            self.remove([key])
            self._live += not self._ids_of[label]
            self._ids_of[label].append(key)
            self._label_of[key] = label
        if fresh:
            total = len(self._ids_of)
            self._make_room(total)
            # A second thread would make the graph, and so results, differ from run to run; `Search` makes
            # several collections at once instead.
            self._graph.add_items(vectors[fresh], np.arange(total - len(fresh), total), num_threads=1)

    def _make_room(self, total: int) -> None:
        if self._capacity == 0:
            self._capacity = max(FIRST_CAPACITY, total)
            self._graph.init_index(
                max_elements=self._capacity, M=LINKS, ef_construction=EF_CONSTRUCTION, random_seed=SEED
            )
        elif total > self._capacity:
            self._capacity = max(2 * self._capacity, total)
            self._graph.resize_index(self._capacity)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        for key in ids:
            label = self._label_of.pop(key, None)
            if label is None:
                continue
            self._ids_of[label].remove(key)
            if not self._ids_of[label]:
                self._graph.mark_deleted(label)
                self._live -= 1

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[str, float]]:
        """The k nearest objects (all, when there are fewer) as (id, cosine), best first, equals by id."""
        wanted = min(k, self._live)
        if wanted <= 0:
            return []
        self._graph.set_ef(max(EF_SEARCH, wanted + wanted // 4))
        try:
            labels, distances = self._graph.knn_query(vector, k=wanted, num_threads=1)
            pairs: Iterable[tuple[int, float]] = zip(
                labels[0].tolist(), (1.0 - distances[0]).tolist(), strict=True
            )
        except RuntimeError:  # the walk reached fewer than k nodes: compare with every vector instead
            pairs = self._all_cosines(vector)
        found = [(key, score) for label, score in pairs for key in self._ids_of[label]]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _all_cosines(self, vector: NDArray[np.float32]) -> Iterable[tuple[int, float]]:
        labels = [label for label, ids in enumerate(self._ids_of) if ids]
        vectors = np.asarray(self._graph.get_items(labels), dtype=np.float32)  # stored with length 1
        length = float(np.linalg.norm(vector)) or 1.0
        return zip(labels, (vectors @ (vector / length)).tolist(), strict=True)

    def save(self, path: Path) -> dict[str, Any]:
        """Write the graph to `path` and return the rest, as JSON values, for `load`."""
        self._make_room(len(self._ids_of))
        self._graph.save_index(str(path))
        return {"digests": self._digests, "ids": [sorted(ids) for ids in self._ids_of]}

    @classmethod
    def load(cls, path: Path, rest: dict[str, Any], *, dimension: int) -> HnswIndex:
        """Raises RuntimeError, KeyError or TypeError when the two do not fit together."""
        index = cls(dimension)
        index._digests = list(rest["digests"])
        index._ids_of = [list(ids) for ids in rest["ids"]]
        index._label_by_digest = {digest: label for label, digest in enumerate(index._digests)}
        index._label_of = {key: label for label, ids in enumerate(index._ids_of) for key in ids}
        index._live = sum(1 for ids in index._ids_of if ids)
        index._capacity = max(FIRST_CAPACITY, 2 * len(index._ids_of))
        index._graph.load_index(str(path), max_elements=index._capacity)
        if not index._graph.get_current_count() == len(index._ids_of) == len(index._digests):
            raise RuntimeError("graph and labels differ in number")
        return index


def _digest(vector: NDArray[np.float32]) -> str:
    return hashlib.blake2b(np.ascontiguousarray(vector).tobytes(), digest_size=12).hexdigest()
