"""Nearest neighbours by cosine over hnswlib's HNSW graphs, one collection at a time.

HNSW: Malkov & Yashunin 2018. The graph holds each distinct vector once, because many equal vectors
(a thousand times "Thanks!") disconnect it; ids that share a vector share its node. The graph of a very large
collection holds vectors in `GRAPH_DIMENSION` numbers; which of its candidates are nearest, the whole vectors
decide, which lie on disk. Adding never rebuilds. Knows nothing of owners, texts or DuckDB.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Vectors
from memcore.store.columns_file import read_columns, write_columns
from memcore.store.id_table import IdTable
from memcore.store.key_places import KeyPlaces
from memcore.store.principal import principal_directions
from memcore.store.record_file import RecordFile, word_sum, word_sums

# Measured on 24,000 sentences of LongMemEval (MiniLM, 384 dimensions), one core: EF_CONSTRUCTION 200 built in
# 8.6 s, 100 in 4.5 s, 60 in 2.8 s; of the 200 nearest, looking at 400, they find .997, .995 and .992. Making
# a graph is what a person may have to wait for.
LINKS = 16
EF_CONSTRUCTION = 64
# On 59,800 sentences EF_SEARCH 160 finds .995 of the 10 nearest and .98 of the 100 nearest in .34 ms; 256
# finds .999 and .99 in .50 ms.
EF_SEARCH = 160
GRAPH_DIMENSION = 128
"""Principal components in the graph of a very large collection: two fifths of the memory. Of 60,000 vectors
spread like MiniLM's, the 10, 50 and 100 nearest were found to .991, .982 and .976, where a graph of all
numbers that looked at EF_SEARCH found .991, .975 and .956 in half the time."""
CANDIDATES = 220
"""Nodes, besides three for every two objects asked for, whose whole vectors are compared."""
SEED = 100
FIRST_CAPACITY = 256

READ_BY_ROW = frozenset({"vectors"})
"""The files that are checked as they are read, and not when the index is opened."""


class HnswIndex:
    """Implements VectorIndex. Not thread-safe: its owner holds a lock. `graph_dimension`: in how many numbers
    the graph holds vectors (none: all)."""

    def __init__(self, dimension: int, graph_dimension: int | None = None) -> None:
        self._dimension = dimension
        self._graph_dimension = min(dimension, graph_dimension or dimension)
        self._directions: NDArray[np.float32] | None = None  # from the first vectors
        self._graph: Any = hnswlib.Index(space="cosine", dim=self._graph_dimension)
        self._capacity = 0  # hnswlib crashes the process when asked anything before it has room
        self._vectors = RecordFile(word_sum)  # by label, as they were given
        self._labels = KeyPlaces()  # by the vector's checksum
        self._ids = IdTable()
        self._label_of = array("i")  # by the id's place
        self._place_of = array("i")  # by label: of the first id whose vector the node holds; -1: none has it
        self._further: dict[int, list[int]] = {}  # label -> the places of the others
        self._live = 0  # nodes that some id has

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def whole(self) -> bool:
        """Whether the graph holds all numbers of its vectors."""
        return self._graph_dimension == self._dimension

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add objects, or give those already there another vector. `vectors`: (len(ids), dimension)."""
        rows = {key: row for row, key in enumerate(ids)}
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        checksums = word_sums(vectors.view(np.uint32)).tolist()
        before, fresh = len(self._vectors), []
        for key, row in rows.items():
            vector = vectors[row].tobytes()
            checksum = checksums[row]
            label = self._label_with(checksum, vector)
            if label is None:
                label = len(self._vectors)
                self._vectors.append(vector, checksum)
                self._labels.add(checksum, label)
                self._place_of.append(-1)
                fresh.append(row)
            self._give(key, label, in_graph=label < before)
        if fresh:
            self._make_room(len(self._vectors))
            # A second thread would make the graph, and so results, differ from run to run; `Search` makes
            # several collections at once instead.
            labels = np.arange(before, len(self._vectors))
            self._graph.add_items(self._reduced(vectors[fresh]), labels, num_threads=1)

    def _label_with(self, checksum: int, vector: bytes) -> int | None:
        """The node of this very vector, if there is one."""
        (labels,) = self._labels.at([checksum])
        held = zip(labels, self._vectors.read(labels), strict=True)
        return next((label for label, one in held if one == vector), None)

    def _give(self, key: str, label: int, *, in_graph: bool) -> None:
        """Let the node stand for the id, which may have had another."""
        place = self._ids.place(key)
        if place is not None:
            if self._label_of[place] == label:
                return
            self.remove([key])
        if self._place_of[label] < 0:
            if in_graph:
                self._graph.unmark_deleted(label)
            self._live += 1
        place = self._ids.append(key)
        self._label_of.append(label)
        if self._place_of[label] < 0:
            self._place_of[label] = place
        else:
            self._further.setdefault(label, []).append(place)

    def _reduced(self, vectors: Vectors) -> Vectors:
        """As the graph holds them."""
        if self.whole:
            return vectors
        if self._directions is None:
            self._directions = principal_directions(vectors, self._graph_dimension)
        return vectors @ self._directions

    def _make_room(self, total: int) -> None:
        if self._capacity == 0:
            self._capacity = max(FIRST_CAPACITY, total)
            self._graph.init_index(
                max_elements=self._capacity, M=LINKS, ef_construction=EF_CONSTRUCTION, random_seed=SEED
            )
        elif total > self._capacity:
            self._capacity = max(self._capacity + self._capacity // 2, total)
            self._graph.resize_index(self._capacity)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        for key in ids:
            place = self._ids.forget(key)
            if place is None:
                continue
            label = self._label_of[place]
            places = [p for p in (self._place_of[label], *self._further.pop(label, ())) if p != place]
            self._place_of[label] = places[0] if places else -1
            if places[1:]:
                self._further[label] = places[1:]
            if not places:
                self._graph.mark_deleted(label)
                self._live -= 1

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[str, float]]:
        """The k nearest objects (all, when there are fewer) as (id, cosine), best first, equals by id. Raises
        DamagedRecordError when the vectors on disk are no longer those that were saved."""
        wanted = min(k, self._live)
        if wanted <= 0:
            return []
        labels, cosines = self._nearest(vector, wanted)
        if len(labels) > wanted:
            least = np.partition(cosines, len(cosines) - wanted)[len(cosines) - wanted]
            labels, cosines = labels[cosines >= least], cosines[cosines >= least]
        places, scores = [], []
        for label, score in zip(labels.tolist(), cosines.tolist(), strict=True):
            holding = [self._place_of[label], *self._further.get(label, ())]
            places += holding
            scores += [score] * len(holding)
        found = zip(self._ids.at(places), scores, strict=True)
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _nearest(
        self, vector: NDArray[np.float32], wanted: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Nodes and their cosines, the `wanted` nearest among them."""
        if self.whole:
            found = self._walked(vector, max(EF_SEARCH, wanted + wanted // 4), wanted)
            if found is not None:
                return found[0], 1.0 - found[1]
        else:
            compared = min(self._live, CANDIDATES + 3 * wanted // 2)
            found = self._walked(vector, compared, compared) or self._walked(vector, compared, wanted)
        every = np.frombuffer(self._place_of, dtype=np.int32) >= 0
        labels = np.flatnonzero(every) if found is None else np.sort(found[0])
        return labels, self._cosines(vector, labels)

    def _walked(
        self, vector: NDArray[np.float32], looked_at: int, wanted: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
        """Nodes and distances by the graph; None: the walk reached fewer than `wanted`."""
        self._graph.set_ef(looked_at)
        try:
            labels, distances = self._graph.knn_query(self._reduced(vector), k=wanted, num_threads=1)
        except RuntimeError:
            return None
        return labels[0].astype(np.int64), distances[0]

    def _cosines(self, vector: NDArray[np.float32], labels: NDArray[np.int64]) -> NDArray[np.float32]:
        query = vector / (float(np.linalg.norm(vector)) or 1.0)
        found = np.empty(len(labels), dtype=np.float32)
        for begin in range(0, len(labels), 10_000):
            rows = self._vectors.rows(labels[begin : begin + 10_000], self._dimension).view(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            found[begin : begin + 10_000] = rows @ query / np.where(lengths > 0, lengths, 1)
        return found

    def save(self, at: Callable[[str], Path]) -> dict[str, Any]:
        """Write files where `at` says, by part, and return the rest, as JSON values, for `load`."""
        self._close_up()
        self._make_room(len(self._vectors))
        self._graph.save_index(str(at("graph")))
        table = self._ids.columns() | self._vectors.save(at("vectors"))
        table["labels"] = np.array(self._label_of, dtype=np.int32)
        if self._directions is not None:
            table["directions"] = self._directions
        write_columns(at("table"), table)
        return {"entries": len(self), "graph_dimension": self._graph_dimension}

    def _close_up(self) -> None:
        """Give up the empty places."""
        if len(self._ids) == self._ids.places:
            return
        labels = np.frombuffer(self._label_of, dtype=np.int32)[self._ids.standing()]
        self._ids = self._ids.kept()
        self._hold(labels)

    def _hold(self, labels: NDArray[np.int32]) -> None:
        """Note which label each place has."""
        self._label_of = array("i", labels.tobytes())
        nodes, first = np.unique(labels, return_index=True)
        place_of = np.full(len(self._vectors), -1, dtype=np.int32)
        place_of[nodes] = first
        self._place_of = array("i", place_of.tobytes())
        self._live = len(nodes)
        self._further = {}
        is_first = np.zeros(len(labels), dtype=np.bool_)
        is_first[first] = True
        for place in np.flatnonzero(~is_first).tolist():
            self._further.setdefault(int(labels[place]), []).append(place)

    @classmethod
    def load(cls, files: Mapping[str, Path], rest: Mapping[str, Any], *, dimension: int) -> HnswIndex:
        """Raises OSError, RuntimeError, ValueError, KeyError or TypeError when they do not fit together."""
        index = cls(dimension, int(rest["graph_dimension"]))
        table = read_columns(files["table"])
        index._ids = IdTable.of_columns(table)
        if not len(index._ids) == len(table["labels"]) == rest["entries"]:
            raise ValueError("ids and labels differ in number")
        index._vectors = RecordFile.load(files["vectors"], table, word_sum)
        index._labels = KeyPlaces(index._vectors.checksums)
        index._hold(table["labels"])
        if not index.whole and len(index._vectors):
            index._directions = table["directions"].reshape(dimension, index._graph_dimension)
        index._capacity = max(FIRST_CAPACITY, len(index._vectors) + len(index._vectors) // 8)
        index._graph.load_index(str(files["graph"]), max_elements=index._capacity)
        if index._graph.get_current_count() != len(index._vectors):
            raise ValueError("graph and vectors differ in number")
        return index
