"""Connecting to the database of a store, and what PostgreSQL's complaints mean, as cause and fix."""

from __future__ import annotations

import psycopg
from psycopg import errors

from memcore.domain.errors import (
    MemcoreError,
    NotPermittedError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
)
from memcore.domain.server_address import ServerAddress

SCHEMA = "memscope"
"""Where in its database a store has its tables: beside whatever else is there."""
CHANNEL = f"{SCHEMA}_changes"
"""Where commits notify who listens. Like the schema it is one a database; the store's id would not do, which
erasing changes."""
USUAL = {
    "application_name": "memscope",
    "connect_timeout": 10,
    "keepalives_idle": 20,  # a server that has gone is noticed within a minute, also by who only listens
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""What is asked of a connection, where the address does not ask otherwise. In seconds."""
OLDEST_SERVER = 15

_NOT_GRANTED = ("row-level security", "permission denied for schema")
"""In the server's words: to write for somebody else, and to see anything at all."""

Connection = psycopg.Connection[tuple[object, ...]]


def connect(address: ServerAddress) -> Connection:
    """A connection in which every statement is its own transaction. Raises StoreError."""
    wanted = {name: value for name, value in USUAL.items() if f"{name}=" not in address.shown}
    if address.password:
        wanted["password"] = address.password
    try:
        connection = psycopg.connect(address.shown, autocommit=True, **wanted)  # type: ignore[arg-type]
    except psycopg.Error as error:
        raise unconnected(error, address) from None  # whose parameters a traceback would show
    if connection.info.server_version < OLDEST_SERVER * 10_000:
        version = connection.info.server_version // 10_000
        connection.close()
        raise StoreError(
            f"The server of {address} is PostgreSQL {version}; Memscope needs {OLDEST_SERVER} or newer.",
            "Name a newer server, or upgrade this one.",
        )
    return connection


def unconnected(error: psycopg.Error, address: ServerAddress) -> StoreError:
    """Why there is no connection, as cause and fix."""
    message = " ".join(str(error).split())
    if "password" in message or "authentication failed" in message:
        return StoreError(
            f"The server does not let this user in to {address}: wrong or no password.",
            "Give the right one in PGPASSWORD, in ~/.pgpass or in the address "
            "(postgresql://user:password@host/database).",
        )
    if "does not exist" in message and "database" in message:
        return StoreError(
            f"There is no database {address}.",
            "Create it (createdb -h HOST -U USER NAME), or correct the name in the address.",
        )
    if "does not exist" in message and "role" in message:
        return StoreError(
            f"The server of {address} has no such user.",
            "Create it (createuser -h HOST NAME), or correct the name in the address.",
        )
    if "pg_hba.conf" in message:
        return StoreError(
            f"The server does not accept connections to {address} from here.",
            "Let its administrator allow it in pg_hba.conf; with `no encryption` in the server's log, add "
            "?sslmode=require to the address.",
        )
    if "too many clients" in message or "remaining connection slots" in message:
        return StoreBusyError(
            f"The server of {address} has no connection left.",
            "Close programs that use it, or raise its max_connections.",
        )
    return StoreError(
        f"No PostgreSQL server answers at {address}: {message}.",
        "Start the server, or correct host and port in the address.",
    )


def only_read(address: ServerAddress) -> ReadOnlyStoreError:
    """What is said of a store that this user may not write to."""
    return ReadOnlyStoreError(
        f"The store {address} can only be read: its server or this user's rights allow no more.",
        "Name a user who may write, or the primary server if this one is a standby.",
    )


def explained(error: Exception, address: ServerAddress) -> MemcoreError:
    """PostgreSQL's complaint as cause and fix."""
    if isinstance(error, MemcoreError):
        return error
    if isinstance(error, errors.InsufficientPrivilege) and any(what in str(error) for what in _NOT_GRANTED):
        return NotPermittedError(
            f"That was not granted to this login of {address}.",
            "Let whoever owns the store share it: python -m memcore people grant 'postgresql|LOGIN' "
            "--role ROLE --owner NAME",
        )
    if isinstance(error, errors.ReadOnlySqlTransaction | errors.InsufficientPrivilege):
        return only_read(address)
    if isinstance(error, errors.LockNotAvailable):
        return StoreBusyError(
            f"Another program has been writing to {address} for a long time.",
            "Wait for the running job to finish or cancel it, then try again.",
        )
    if isinstance(error, errors.DiskFull):
        return StoreError(f"The server of {address} has no disk space left.", "Make room there.")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreError(
            f"The connection to {address} was lost: {' '.join(str(error).split())}.",
            "See that the server runs, then try again: what was not finished was not stored.",
        )
    return StoreError(
        f"The store {address} failed: {' '.join(str(error).split())}.",
        "`python -m memcore doctor --store` tells whether the content is intact.",
    )
