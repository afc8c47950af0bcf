"""What refers to what, and what stands beside what, read by columns when it is first asked: those of a large
table as Python objects would take several times as long and hundreds of megabytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from memcore.store.duckdb.database import Database
from memcore.store.id_table import IdTable
from memcore.store.links import Links
from memcore.store.sql.neighbours import AROUND, Neighbours, Told
from memcore.store.sql.references import ReferenceMaps, References, Scope


class ReferencesByColumns(References):
    """As `References`, of DuckDB's tables."""

    _database: Database

    def _read_all(self) -> Links:
        found = self._database.columns(self._select, self._asked | {"seen": -1})
        return Links.of_columns(found.column(0), found.column(1), None if self._key is str else self._key)


class DuckReferences(ReferenceMaps):
    """As `ReferenceMaps`, of DuckDB's tables."""

    _database: Database

    def _references(self, table: str, select: str, scope: Scope, key: Callable[[str], str]) -> References:
        return ReferencesByColumns(self._database, table, select, scope, key)


class DuckNeighbours(Neighbours):
    """As `Neighbours`, of DuckDB's tables."""

    _database: Database

    def _read(self, told: Told, asked: dict[str, Any]) -> None:
        if told.following.seen >= 0:
            super()._read(told, asked)
            return
        ids, first, last = self._database.columns(AROUND, asked).combine_chunks().columns
        numbers = (one.combine_chunks().cast(pa.uint8()) for one in (first, last))
        marks = (np.from_dlpack(one).tobytes() for one in numbers)  # to_numpy would import pandas
        told.begin(IdTable.of_letters(ids.combine_chunks()), *marks)
