"""The store as the rest of memcore sees it: readers, the writer, search and the call ledger in one.

A store is a directory: `memscope.duckdb` holds everything, `index/` holds caches and may be deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import DEFAULT_RECIPE, LlmCall
from memcore.domain.protocols import SearchedKind, TokenCodes
from memcore.domain.protocols.erasure import Erasure
from memcore.store.duckdb.copying import copied
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.erasure import erase
from memcore.store.duckdb.evidence import EvidenceReader
from memcore.store.duckdb.files import INDEX_DIRECTORY
from memcore.store.duckdb.grounding import GroundingReader
from memcore.store.duckdb.history import HistoryReader
from memcore.store.duckdb.integrity import Finding, check
from memcore.store.duckdb.lost_changes import Lost
from memcore.store.duckdb.neighbours import Neighbours
from memcore.store.duckdb.opening import open_database
from memcore.store.duckdb.references import ReferenceMaps
from memcore.store.duckdb.row_records import RowRecords
from memcore.store.duckdb.rows import Rows
from memcore.store.duckdb.search import Search
from memcore.store.duckdb.semantic import SemanticReader
from memcore.store.duckdb.symbolic import SymbolicReader
from memcore.store.duckdb.tables import ENTITIES, LLM_CALLS, MEMORIES, MESSAGES, TRIPLES
from memcore.store.duckdb.transaction import Transaction
from memcore.store.duckdb.transfer import export_jsonl, import_jsonl, import_lines
from memcore.store.duckdb.writer import Writer, writing


class DuckStore(EvidenceReader, SemanticReader, GroundingReader, SymbolicReader, HistoryReader):
    """Implements Store. Thread-safe: reads run side by side, writes one after the other."""

    def __init__(self, directory: Path, database: Database) -> None:
        self.directory = directory
        self._database = database
        self._judge = None
        self._begin()
        database.when_rewritten(self._forget)
        self._closed = False

    def _forget(self) -> None:
        """Rows were erased, which caches would go on holding."""
        self._search.abandon()
        for rows in (self._messages, self._memories, self._entities, self._triples):
            rows.abandon()
        self._begin()

    def _begin(self) -> None:
        """Nothing is cached yet."""
        indexes = self.directory / INDEX_DIRECTORY
        self._references = ReferenceMaps(self._database)
        self._neighbours = Neighbours(self._database)
        self._messages = Rows(
            self._database, MESSAGES, RowRecords(self._database, MESSAGES, indexes), immutable=True
        )
        self._memories = Rows(self._database, MEMORIES, RowRecords(self._database, MEMORIES, indexes))
        self._entities = Rows(self._database, ENTITIES, RowRecords(self._database, ENTITIES, indexes))
        self._triples = Rows(self._database, TRIPLES, RowRecords(self._database, TRIPLES, indexes))
        self._search = Search(self._database, indexes)
        self._waiting = {}
        self._counted = {}

    @property
    def embedding_model(self) -> str:
        """The model that made the stored vectors."""
        return self._database.embedding_model

    @property
    def dimension(self) -> int:
        """The length of every stored vector."""
        return self._database.dimension

    @property
    def read_only(self) -> bool:
        """Whether the store can only be read, since it may not be written where it is."""
        return self._database.read_only

    def require_writable(self) -> None:
        """Raise ReadOnlyStoreError where the store can only be read: before work that is to be kept."""
        self._database.require_writable()

    @property
    def lost(self) -> Lost | None:
        """What was found lost when this process opened the store; None: nothing."""
        return self._database.lost

    @property
    def opened_at(self) -> datetime:
        """When this process opened the store: what began before was broken off with the process before."""
        return self._database.opened_at

    @property
    def generation(self) -> int:
        """The number of the newest change, whoever made it."""
        return self._database.generation

    def write(self, *, actor: str, run_id: str = "") -> AbstractContextManager[Writer]:
        """A block whose writes are committed together when it ends without an exception."""
        return writing(self._database, actor=actor, run_id=run_id, judge=self._judge)

    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> AbstractContextManager[bool]:
        """The right to read an owner's messages with a system, which one run at a time has."""
        return self._database.claims.claim(owner, recipe, waiting=waiting)

    def record(self, call: LlmCall) -> None:
        """A transaction of its own, beside any write in progress; the same id is recorded once."""
        with self._database.transaction() as transaction:
            transaction.put(LLM_CALLS, [LLM_CALLS.clean(call)], clash="or ignore")

    def semantic(
        self,
        owner: str,
        vector: NDArray[np.float32],
        k: int,
        *,
        kind: SearchedKind,
        recipe: str = DEFAULT_RECIPE,
    ) -> list[tuple[str, float]]:
        """The k nearest as (object id, cosine), best first."""
        return self._search.semantic(owner, vector, k, kind=kind, recipe=recipe)

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[tuple[str, float]]:
        """The k best by BM25 as (object id, score > 0), best first."""
        return self._search.lexical(owner, query, k, kind=kind, recipe=recipe)

    def rarity(
        self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[float]:
        """How much each word tells among the owner's objects: log((n + 1) / (m + ½)), m of n holding it."""
        return self._search.rarity(owner, words, kind=kind, recipe=recipe)

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> dict[str, TokenCodes]:
        """The stored token codes of objects, by id."""
        return self._search.token_codes(owner, ids, kind=kind, recipe=recipe)

    def neighbours(self, owner: str, message_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The ids of the messages before and after each in its session (empty: none)."""
        return self._neighbours.of(owner, message_ids)

    def prepare(
        self,
        owner: str,
        *,
        recipe: str = DEFAULT_RECIPE,
        semantic: Sequence[SearchedKind] = (),
        lexical: Sequence[SearchedKind] = (),
    ) -> None:
        """Make the indexes of these kinds that no search has needed yet, side by side."""
        self._search.prepare(owner, recipe=recipe, semantic=semantic, lexical=lexical)

    def check(self) -> list[Finding]:
        """Whether the store is sound, check by check: (name, sound, what, fix)."""
        return check(self._database)

    def export_jsonl(self, file: BinaryIO) -> int:
        """Write everything to `file` as JSON lines; returns the number of rows."""
        return export_jsonl(self._database, file)

    def import_jsonl(self, path: Path) -> int:
        """Take in an export, all of it or, on any error, nothing; returns the number of new rows."""
        return import_jsonl(self._database, path)

    def import_lines(self, file: BinaryIO, name: str) -> int:
        """The same from an open file, which messages call `name`."""
        return import_lines(self._database, file, Path(name))

    def erase(self, erasure: Erasure, *, actor: str, keep: bool) -> tuple[dict[str, int], dict[str, int]]:
        """Rows by table that go, and that stay without the words, for good; unless `keep`, only count them.
        Nothing is left in the file. Raises StoreBusyError while the store is read, written or tried on."""

        def change(draft: Transaction) -> tuple[dict[str, int], dict[str, int]]:
            return erase(draft, erasure, self.directory, actor=actor, keep=keep)

        return self._database.rewrite(change, keep=keep)

    @contextmanager
    def trial(self) -> Iterator[DuckStore]:
        """An equal store to try things on, which are not seen here; it is gone after the block. Raises
        StoreError."""
        with (
            copied(self._database, self.directory / INDEX_DIRECTORY) as directory,
            open_store(directory, embedding_model=self.embedding_model, dimension=self.dimension) as copy,
        ):
            yield copy

    def close(self) -> None:
        """Save the index caches and give the store up. Use no method afterwards but this one."""
        if self._closed:
            return
        self._closed = True
        try:
            self._search.save()
        finally:
            self._database.close()

    def __enter__(self) -> DuckStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(directory: Path, *, embedding_model: str, dimension: int) -> DuckStore:
    """Open the store in `directory`, or make it. A second call in the same process shares the connection.

    Raises StoreBusyError when another process holds it, EmbeddingMismatchError when its vectors are
    of another model or dimension, StoreError when it is damaged or written by a newer program.
    """
    database = open_database(directory, embedding_model=embedding_model, dimension=dimension)
    return DuckStore(directory, database)
