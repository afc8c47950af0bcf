"""Opening the store of a database: made when there is none, brought up to date, once a process."""

from __future__ import annotations

import uuid

import psycopg
from psycopg import errors

from memcore.domain.errors import StoreError
from memcore.domain.models import now
from memcore.domain.models.people import login_named
from memcore.domain.server_address import ServerAddress
from memcore.store.postgres.connecting import SCHEMA, Connection, connect, explained
from memcore.store.postgres.database import OPEN, OPEN_LOCK, PostgresDatabase, prepare
from memcore.store.postgres.migrations import STEPS, migrate, older, taken_steps
from memcore.store.postgres.protecting import protect
from memcore.store.postgres.transaction import PostgresTransaction, rows_of
from memcore.store.sql.database import require_model
from memcore.store.sql.query import Select
from memcore.store.sql.tables import GRANTS

OLDEST_PGVECTOR = (0, 8)
_MAKING = 0x6D656D73636F7065  # "memscope": the advisory lock of whoever makes a store or migrates it


def open_database(address: ServerAddress, *, embedding_model: str, dimension: int) -> PostgresDatabase:
    """The process's connections to the store at an address, made new when there is none. Raises
    EmbeddingMismatchError (made with other vectors) and StoreError."""
    database = open_any_model(address, create=(embedding_model, dimension))
    require_model(database, address, embedding_model, dimension)
    return database


def open_any_model(address: ServerAddress, *, create: tuple[str, int] | None = None) -> PostgresDatabase:
    """As `open_database`, without comparing embedding models. `create`: model and dimension of a new store;
    None raises StoreError when there is none."""
    with OPEN_LOCK:
        database = OPEN.get(address)
        if database is not None:
            database.handles += 1
            return database
        connection = connect(address)
        try:
            prepare(connection)
            _bring_up_to_date(connection, address, create)
            prepare(connection)  # the schema and vectors may be there only now
            database = PostgresDatabase(address, connection)
        except psycopg.Error as error:
            connection.close()
            raise explained(error, address) from error
        except BaseException:
            connection.close()
            raise
        OPEN[address] = database
        return database


def database_has_store(address: ServerAddress) -> bool:
    """Whether a store was made in the database. Raises StoreError where it cannot be asked."""
    connection = connect(address)
    try:
        prepare(connection)
        return taken_steps(connection, address) is not None
    except psycopg.Error as error:
        raise explained(error, address) from error
    finally:
        connection.close()


def _bring_up_to_date(connection: Connection, address: ServerAddress, create: tuple[str, int] | None) -> None:
    taken = taken_steps(connection, address)
    if taken == len(STEPS) and rows_of(connection, "select 1 from store", ()):
        return
    if taken is None and create is None:
        raise StoreError(f"There is no store in {address}.", "Name the address of an existing store.")
    rows_of(connection, "select pg_advisory_lock(?)", [_MAKING])
    try:
        _vectors(connection, address)
        with connection.transaction():  # a crash leaves no half of a store
            rows_of(connection, f"create schema if not exists {SCHEMA}", ())
            rows_of(
                connection,
                f"create table if not exists {SCHEMA}.migrations "
                "(number integer primary key, taken_at timestamp not null)",
                (),
            )
            prepare(connection)
            migrate(connection, taken_steps(connection, address) or 0)
            _protect_anew(connection)
            if create is not None and not rows_of(connection, "select 1 from store", ()):
                rows_of(
                    connection,
                    "insert into store values (?, ?, ?, ?, 0)",
                    [f"sto_{uuid.uuid4().hex[:16]}", *create, now()],
                )
    except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
        if taken is not None:
            raise older(address, taken) from error
        raise StoreError(
            f"No store can be made in {address}: this user may not create a schema there.",
            "Let the owner of the database run `grant create on database NAME to USER`, or name a user who "
            "may.",
        ) from error
    finally:
        rows_of(connection, "select pg_advisory_unlock(?)", [_MAKING])


def _protect_anew(connection: Connection) -> None:
    """Give new tables the policies of the others, where any login was ever granted something."""
    transaction = PostgresTransaction(connection)
    grants = Select(GRANTS).all(transaction)
    if any(login_named(grant.person) for grant in grants):
        protect(transaction, grants)


def _vectors(connection: Connection, address: ServerAddress) -> None:
    """See that the database has pgvector, new enough. Raises StoreError."""
    find = "select extversion from pg_extension where extname = 'vector'"
    if not (found := rows_of(connection, find, ())):
        try:
            rows_of(connection, "create extension if not exists vector", ())
        except (errors.FeatureNotSupported, errors.UndefinedFile) as error:
            raise StoreError(
                f"The server of {address} does not have pgvector, which finds memories by meaning.",
                "Install it on the server (packages are called postgresql-NN-pgvector or pgvector), version "
                "0.8 or newer.",
            ) from error
        except errors.InsufficientPrivilege as error:
            raise StoreError(
                f"pgvector is not switched on in {address}, and this user may not do it.",
                "Let an administrator run there, once: create extension vector",
            ) from error
        found = rows_of(connection, find, ())
    version = str(found[0][0])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PGVECTOR:
        raise StoreError(
            f"{address} has pgvector {version}; Memscope needs 0.8 or newer.",
            "Install a newer pgvector on the server and run there: alter extension vector update",
        )
