"""Nearest neighbours by cosine: candidates from hnswlib's HNSW graph, compared exactly with vectors on disk.

HNSW: Malkov & Yashunin 2018. The graph holds each distinct vector once, because many equal vectors
(a thousand times "Thanks!") disconnect it; ids that share a vector share its node. It holds them in
`GRAPH_DIMENSION` numbers, which take a quarter of the memory; which of the candidates are nearest the whole
vectors decide. Adding never rebuilds. Knows nothing of owners, texts or DuckDB.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import hnswlib
import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Vectors
from memcore.store.columns_file import read_columns, write_columns
from memcore.store.id_table import IdTable
from memcore.store.key_places import KeyPlaces
from memcore.store.principal import principal_directions
from memcore.store.record_file import RecordFile

# Measured on 24,000 sentences of LongMemEval (MiniLM, 384 dimensions), one core: EF_CONSTRUCTION 200 built in
# 8.6 s, 100 in 4.5 s, 60 in 2.8 s; of the 200 nearest, looking at 400, they find .997, .995 and .992. Making
# a graph is what a person may have to wait for.
LINKS = 16
EF_CONSTRUCTION = 64
GRAPH_DIMENSION = 128
"""Principal components in the graph: a third of the memory. Of 60,000 vectors spread like MiniLM's, the 10,
50 and 100 nearest were found to .991, .983 and .973, where a graph of all numbers that looked at 160 found
.991, .975 and .956."""
EF_SEARCH = 200
"""Nodes, besides each object asked for, that the graph is walked for."""
COMPARED = 100
"""Of these, besides three for every two objects asked for, those whose whole vectors are compared."""
SEED = 100
FIRST_CAPACITY = 256

READ_BY_ROW = frozenset({"vectors"})
"""The files that are checked as they are read, and not when the index is opened."""


class HnswIndex:
    """Implements VectorIndex. Not thread-safe: its owner holds a lock."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._directions: NDArray[np.float32] | None = None  # from the first vectors; None: all numbers
        self._graph: Any = hnswlib.Index(space="cosine", dim=min(dimension, GRAPH_DIMENSION))
        self._capacity = 0  # hnswlib crashes the process when asked anything before it has room
        self._vectors = RecordFile()  # by label, as they were given
        self._labels = KeyPlaces()  # by the vector's checksum
        self._ids = IdTable()
        self._label_of = array("i")  # by the id's place
        self._place_of = array("i")  # by label: of the first id whose vector the node holds; -1: none has it
        self._further: dict[int, list[int]] = {}  # label -> the places of the others
        self._live = 0  # nodes that some id has

    def __len__(self) -> int:
        return len(self._ids)

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add objects, or give those already there another vector. `vectors`: (len(ids), dimension)."""
        rows = {key: row for row, key in enumerate(ids)}
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        before, fresh = len(self._vectors), []
        for key, row in rows.items():
            vector = vectors[row].tobytes()
            checksum = crc32(vector)
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
        if self._dimension <= GRAPH_DIMENSION:
            return vectors
        if self._directions is None:
            self._directions = principal_directions(vectors, GRAPH_DIMENSION)
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
        labels = self._candidates(vector, wanted)
        cosines = self._cosines(vector, labels)
        if len(labels) > wanted:
            least = np.partition(cosines, len(cosines) - wanted)[len(cosines) - wanted]
            labels, cosines = labels[cosines >= least], cosines[cosines >= least]
        found = [
            (key, score)
            for label, score in zip(labels.tolist(), cosines.tolist(), strict=True)
            for key in self._ids.at([self._place_of[label], *self._further.get(label, ())])
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _candidates(self, vector: NDArray[np.float32], wanted: int) -> NDArray[np.int64]:
        """The nodes whose exact cosines are worth looking at, in order of their label."""
        walked = min(self._live, EF_SEARCH + wanted)
        compared = min(self._live, COMPARED + 3 * wanted // 2)
        self._graph.set_ef(max(walked, compared))
        for enough in (compared, wanted):
            try:
                labels, _ = self._graph.knn_query(self._reduced(vector), k=enough, num_threads=1)
                return np.sort(labels[0].astype(np.int64))
            except RuntimeError:  # the walk reached fewer nodes
                continue
        return np.flatnonzero(np.frombuffer(self._place_of, dtype=np.int32) >= 0)  # all there are

    def _cosines(self, vector: NDArray[np.float32], labels: NDArray[np.int64]) -> NDArray[np.float32]:
        query = vector / (float(np.linalg.norm(vector)) or 1.0)
        found = np.empty(len(labels), dtype=np.float32)
        for begin in range(0, len(labels), 10_000):
            records = self._vectors.read(labels[begin : begin + 10_000].tolist())
            rows = np.frombuffer(b"".join(records), dtype=np.float32).reshape(-1, self._dimension)
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
        return {"entries": len(self)}

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
        index = cls(dimension)
        table = read_columns(files["table"])
        index._ids = IdTable.of_columns(table)
        if not len(index._ids) == len(table["labels"]) == rest["entries"]:
            raise ValueError("ids and labels differ in number")
        index._vectors = RecordFile.load(files["vectors"], table)
        index._labels = KeyPlaces(index._vectors.checksums)
        index._hold(table["labels"])
        if dimension > GRAPH_DIMENSION and len(index._vectors):
            index._directions = table["directions"].reshape(dimension, GRAPH_DIMENSION)
        index._capacity = max(FIRST_CAPACITY, len(index._vectors) + len(index._vectors) // 8)
        index._graph.load_index(str(files["graph"]), max_elements=index._capacity)
        if index._graph.get_current_count() != len(index._vectors):
            raise ValueError("graph and vectors differ in number")
        return index
