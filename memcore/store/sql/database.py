"""The seam between the store and what keeps it: one `Database`, whose statements every engine runs.

Engines differ in how they connect, lock, copy and erase, which is theirs; what a statement says is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import pyarrow as pa

from memcore.domain.errors import EmbeddingMismatchError
from memcore.domain.protocols import Vectors
from memcore.store.codec import Table

Parameters = Sequence[Any] | dict[str, Any]
"""Values for `?` by place or for `$name` by name."""


class Reader(Protocol):
    """Whatever answers a select: the database (what is committed) or a transaction in progress."""

    def query(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """The rows of one statement; of a change, one row with the number of rows it changed."""
        ...


class Transaction(Reader, Protocol):
    """Statements that are committed together; it sees its own writes and what was committed before."""

    def stream(self, sql: str, size: int = 2_000) -> Iterator[tuple[Any, ...]]:
        """The rows of a long read one by one. Ask nothing else of the transaction meanwhile."""
        ...

    def insert(self, table: str, rows: pa.Table, *, clash: str = "") -> None:
        """Bulk-insert `rows` by column name. `clash` says what happens to a row whose key exists:
        fail (default), `or ignore` or `or replace`."""
        ...

    def put(self, table: Table[Any], values: Sequence[Any], generation: int = 0, *, clash: str = "") -> None:
        """Insert objects into their table; `clash` is said of an id that is there already."""
        ...

    def delete_in(self, table: str, column: str, keys: pa.Table) -> int:
        """Delete the rows whose column is one of the `key` of `keys`; returns how many there were."""
        ...

    def last_event(self) -> int:
        """The number of the newest event, whosever it is; 0: there is none."""
        ...

    def next_generation(self) -> int:
        """Count this commit; indexes compare their own generation with the store's."""
        ...


class Database(Reader, Protocol):
    """One store of an engine, shared by every thread of this process."""

    store_id: str
    embedding_model: str
    dimension: int
    read_only: bool

    @property
    def name(self) -> str:
        """What messages call the store: its directory, or its address without a password."""
        ...

    @property
    def generation(self) -> int:
        """How many commits have counted themselves."""
        ...

    def wait_for_change(self, seconds: float) -> bool:
        """Wait until there may have been a commit since this was last called, at most so long; whether there
        may have been. For one thread of a process."""
        ...

    def newest(self, *tables: str) -> int:
        """The newest generation that may have written to one of these tables: what is cached of a table
        need only be compared with it after a commit of that table. Afterwards `store_id` is another where
        rows were erased meanwhile (`Following`)."""
        ...

    def vectors(self, sql: str, parameters: Parameters = ()) -> Iterator[tuple[list[str], Vectors]]:
        """A read of (key, vector), in batches of keys and rows of a matrix."""
        ...

    def exclusive(self) -> AbstractContextManager[None]:
        """Hold the right to write, which one thread of one process has at a time. Raises StoreBusyError
        after two minutes, StoreError when this very thread holds it already, and ReadOnlyStoreError."""
        ...

    def require_writable(self) -> None:
        """Raise ReadOnlyStoreError where the store can only be read."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Commit all of the block's statements together; on any exception, none. Reads in it see one
        moment."""
        ...

    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> AbstractContextManager[bool]:
        """As `Store.claim`."""
        ...

    def begin_work(self, run_id: str) -> None:
        """Show to every process that uses the store that a run is at work, until `end_work` or the end of
        this process."""
        ...

    def end_work(self, run_id: str) -> None:
        """Show that it is at work no more."""
        ...

    def at_work(self, run_id: str) -> bool:
        """Whether a run is shown to be at work, by whichever process."""
        ...

    def close(self) -> None:
        """Give up this handle; the last one closes the connection."""
        ...


class Following:
    """How far a cache follows some tables: up to the commit of generation `seen` (-1: it holds nothing)."""

    def __init__(self, database: Database, *tables: str, forget: Callable[[], None]) -> None:
        """`forget` empties the cache: rows that it may hold were erased, by whichever process."""
        self._database = database
        self._tables = tables
        self._forget = forget
        self._store_id = database.store_id
        self.seen = -1

    def newest(self) -> int:
        """The newest generation that wrote to the tables; to be noted as `seen` after reading what is newer
        than that: what is read twice does no harm."""
        newest = self._database.newest(*self._tables)
        if self._database.store_id != self._store_id:
            self._store_id, self.seen = self._database.store_id, -1
            self._forget()
        return newest


def require_model(database: Database, where: object, embedding_model: str, dimension: int) -> None:
    """See that the vectors of a database, just opened, are of this model; where they are not, close it and
    raise EmbeddingMismatchError. `where`: what names the store."""
    if (database.embedding_model, database.dimension) == (embedding_model, dimension):
        return
    made_with = f"{database.embedding_model} ({database.dimension} dimensions)"
    database.close()
    raise EmbeddingMismatchError(
        f"The store {where} was made with the embedding model {made_with}; "
        f"the active one is {embedding_model} ({dimension} dimensions). "
        "Vectors of different models cannot be compared.",
        "Choose the store's model in the settings, or move the store to the active one: "
        f"python -m memcore reembed --store {where}",
    )
