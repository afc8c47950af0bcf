"""Whether a store has lost changes that it once kept, and what is left of them.

DuckDB replays its write-ahead log when a store is opened. Measured with 2.0.0: a log that belongs to another
database, or is damaged in the middle, is refused. One that is empty, that does not begin like a log, or whose
end is missing or damaged is passed over from there on without a word, and overwritten by the next commit.
After a killed process a torn end is what one expects, since the commit in hand was never finished; so beside
the database stands which commit was the last that was finished, and a store that has fewer has lost some.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.models import now

LOG_BEGINS = b"d\x00be\x00"
"""The first bytes of every log of DuckDB 1.4 to 2.0."""
KEPT_ASIDE = ".wal.unusable-"
_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Lost:
    """That changes are gone. `commits`: how many, as far as that is known; `kept`: where the log that could
    not be read is kept (an empty file where there was none, None where nothing could be written)."""

    store: Path
    commits: int | None
    kept: Path | None

    @property
    def cause(self) -> str:
        """What happened, for a person."""
        changes = {None: "Changes", 1: "1 change"}.get(self.commits, f"{self.commits or 0:,} changes")
        kept = self.kept
        where = ""
        if kept is not None and kept.exists() and kept.stat().st_size:
            where = f"; what could not be read of it is kept in {kept.name}"
        return f"{changes} that the store {self.store} had stored last could not be read again{where}."

    @property
    def fix(self) -> str:
        """What to do about it, for a person."""
        return remedy(self.kept)


def remedy(kept: Path | None) -> str:
    """What to do where changes were lost."""
    restored = "Restore the directory from a backup, or import the last logs again and decide again."
    return f"{restored} When that is done, delete {kept.name}: it may hold words." if kept else restored


class CommitNote:
    """The file that says which commit of which store was the last to be finished."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.committed")
        self._file: int | None = None

    def last(self, store_id: str) -> int | None:
        """The last finished commit of this store; None: not known."""
        try:
            of, number = self._path.read_text("utf-8").split()
        except (OSError, ValueError):
            return None
        return int(number) if of == store_id and number.isdecimal() else None

    def put(self, store_id: str, generation: int) -> None:
        """Note a commit. Without waiting for the disk: the note may be behind the store, never ahead."""
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, private_files.FILE)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, f"{store_id} {generation}".ljust(_LENGTH).encode())

    def close(self) -> None:
        """Give up the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def look(database: Path, store_id: str, generation: int, noted: int | None) -> Lost | None:
    """What the store, just opened and not yet written to, has lost of what it had; the log that could not be
    read is kept aside, since the next commit overwrites it."""
    log = database.with_name(f"{database.name}.wal")
    try:
        with log.open("rb") as file:
            begins = file.read(len(LOG_BEGINS))
    except OSError:
        begins = b""
    missing = max(0, noted - generation) if noted is not None else 0
    if not missing and LOG_BEGINS.startswith(begins):
        return None
    return Lost(database.parent, missing or None, _keep(database, log))


def kept_aside(database: Path) -> list[Path]:
    """Every log of this store that could not be read, oldest first."""
    return sorted(database.parent.glob(f"{database.name}{KEPT_ASIDE}*"))


def _keep(database: Path, log: Path) -> Path | None:
    aside = database.with_name(f"{database.name}{KEPT_ASIDE}{now():%Y-%m-%dT%H%M%S.%f}")
    try:
        with private_files.create(aside) as file, suppress(FileNotFoundError):
            file.write(log.read_bytes())
    except OSError:
        return None
    return aside
