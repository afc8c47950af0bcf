"""The address of a PostgreSQL database that keeps a store, and the password that nobody is shown."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from memcore.domain.errors import StoreError

SCHEMES = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """`postgresql://user@host:port/database?parameters`. `password` is apart from what is shown; without one,
    PostgreSQL's own ways give it (~/.pgpass, PGPASSWORD). `directory`: where this machine keeps what belongs
    to the store and is no row of it."""

    shown: str
    password: str = field(default="", repr=False, compare=False)
    directory: Path | None = field(default=None, compare=False)

    @classmethod
    def parse(cls, text: str) -> ServerAddress | None:
        """The address that `text` is, or None for what is none, such as a directory. Raises StoreError for
        one that cannot be read."""
        scheme, separator, _ = text.partition("://")
        if not separator or scheme.lower() not in SCHEMES:
            return None
        try:
            parts = urlsplit(text)
            _ = parts.port  # raises for what is no number
        except ValueError as error:
            raise _unreadable() from error
        if "password=" in parts.query.lower():
            raise StoreError(
                "The address of the store has a password among its parameters, where it would be shown.",
                "Put it before the host (postgresql://user:password@host/database), in PGPASSWORD or in "
                "~/.pgpass.",
            )
        if not parts.path.strip("/") and "dbname=" not in parts.query:
            raise _unreadable()
        place = parts.netloc.rpartition("@")[2]
        user = f"{quote(unquote(parts.username))}@" if parts.username else ""
        shown = urlunsplit(("postgresql", f"{user}{place}", parts.path, parts.query, ""))
        return cls(shown, unquote(parts.password or ""))

    @property
    def digest(self) -> str:
        """Tells this address from others in the name of a file."""
        return hashlib.sha256(self.shown.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def database(self) -> str:
        """The name of the database; empty where the parameters have it."""
        return unquote(urlsplit(self.shown).path.strip("/"))

    def __str__(self) -> str:
        return self.shown


def _unreadable() -> StoreError:
    return StoreError(
        "The address of the store cannot be read.",
        "Write it as postgresql://user@host:5432/database; special characters in it as %XX.",
    )
