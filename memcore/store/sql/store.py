"""The store as the rest of memcore sees it: readers, the writer, search and the call ledger in one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import DEFAULT_RECIPE, LlmCall
from memcore.domain.protocols import SearchedKind, TokenCodes
from memcore.domain.protocols.erasure import Erasure
from memcore.store.codec import Table
from memcore.store.sql.database import Database
from memcore.store.sql.evidence import EvidenceReader
from memcore.store.sql.grounding import GroundingReader
from memcore.store.sql.history import HistoryReader
from memcore.store.sql.integrity import Finding, check
from memcore.store.sql.neighbours import Neighbours
from memcore.store.sql.query import Objects
from memcore.store.sql.references import ReferenceMaps
from memcore.store.sql.semantic import SemanticReader
from memcore.store.sql.symbolic import SymbolicReader
from memcore.store.sql.tables import ENTITIES, LLM_CALLS, MEMORIES, MESSAGES, TRIPLES
from memcore.store.sql.transfer import export_jsonl, import_jsonl, import_lines
from memcore.store.sql.writer import Writer, writing

T = TypeVar("T")


class Loss(Protocol):
    """That changes which were once kept are gone: cause and fix, for a person."""

    @property
    def cause(self) -> str:
        """What happened."""
        ...

    @property
    def fix(self) -> str:
        """What to do."""
        ...


class Neighboured(Protocol):
    """What stands around messages in their sessions, as each engine finds it best."""

    def of(self, owner: str, message_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """As `Store.neighbours`."""
        ...


class Searching(Protocol):
    """Search by meaning and by words: the part of `SearchIndex` that each engine does in its way."""

    def semantic(
        self, owner: str, vector: NDArray[np.float32], k: int, *, kind: SearchedKind, recipe: str
    ) -> list[tuple[str, float]]:
        """As `SearchIndex.semantic`."""
        ...

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str
    ) -> list[tuple[str, float]]:
        """As `SearchIndex.lexical`."""
        ...

    def rarity(self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str) -> list[float]:
        """As `SearchIndex.rarity`."""
        ...

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str
    ) -> dict[str, TokenCodes]:
        """As `SearchIndex.token_codes`."""
        ...

    def prepare(
        self, owner: str, *, recipe: str, semantic: Sequence[SearchedKind], lexical: Sequence[SearchedKind]
    ) -> None:
        """As `SearchIndex.prepare`."""
        ...


class SqlStore(EvidenceReader, SemanticReader, GroundingReader, SymbolicReader, HistoryReader):
    """Implements Store over a database. Thread-safe: reads run side by side, writes one after the other."""

    _search: Searching

    def __init__(self, database: Database) -> None:
        self._database: Database = database
        self._judge = None
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        """Nothing is cached yet."""
        self._references = ReferenceMaps(self._database)
        self._neighbours: Neighboured = Neighbours(self._database)
        self._messages = self._objects(MESSAGES, immutable=True)
        self._memories = self._objects(MEMORIES, immutable=False)
        self._entities = self._objects(ENTITIES, immutable=False)
        self._triples = self._objects(TRIPLES, immutable=False)
        self._search = self._searching()
        self._waiting = {}
        self._counted = {}

    @abstractmethod
    def _objects(self, table: Table[T], *, immutable: bool) -> Objects[T]:
        """The objects of a stamped table by id. `immutable`: no row of it ever changes."""

    @abstractmethod
    def _searching(self) -> Searching:
        """A search that has cached nothing yet."""

    @property
    def name(self) -> str:
        """What the store is called: its directory, or its address without a password."""
        return self._database.name

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
    def generation(self) -> int:
        """The number of the newest change, whoever made it."""
        return self._database.generation

    def wait_for_change(self, seconds: float) -> bool:
        """Wait until the store may have changed since this was last called, at most so long; whether it may
        have. For one thread of a process."""
        return self._database.wait_for_change(seconds)

    def at_work(self, run_id: str) -> bool:
        """Whether a run is at work now, in whichever process; one that is only said to run was broken off."""
        return self._database.at_work(run_id)

    @property
    @abstractmethod
    def lost(self) -> Loss | None:
        """What was found lost when this process opened the store; None: nothing."""

    def write(self, *, actor: str, run_id: str = "") -> AbstractContextManager[Writer]:
        """A block whose writes are committed together when it ends without an exception."""
        return writing(self._database, actor=actor, run_id=run_id, judge=self._judge)

    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> AbstractContextManager[bool]:
        """The right to read an owner's messages with a system, which one run at a time has."""
        return self._database.claim(owner, recipe, waiting=waiting)

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

    def at_once(self, asks: Sequence[Callable[[], object]]) -> None:
        """Here nothing is waited for: one after the other."""
        for ask in asks:
            ask()

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

    @abstractmethod
    def erase(self, erasure: Erasure, *, actor: str, keep: bool) -> tuple[dict[str, int], dict[str, int]]:
        """Rows by table that go, and that stay without the words, for good; unless `keep`, only count them.
        Raises StoreBusyError while the store is read, written or tried on."""

    @abstractmethod
    def trial(self) -> AbstractContextManager[SqlStore]:
        """An equal store to try things on, which are not seen here; it is gone after the block. Raises
        StoreError."""

    @abstractmethod
    def require_login(self, login: str) -> None:
        """Raise NotFoundError where the store's server has no such login, UsageError where it has none."""

    @abstractmethod
    def admit_logins(self) -> None:
        """Have the server's logins do what stands in the grants, and no more."""

    def close(self) -> None:
        """Give the store up. Use no method afterwards but this one."""
        if not self._closed:
            self._closed = True
            self._give_up()

    def _give_up(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
