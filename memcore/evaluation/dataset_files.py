"""Files of evaluation data, on disk or uploaded, as text and JSON records: unpacked, decoded, and refused
when damaged.

Where a log with a bad record is worth reading without it, a measurement on part of a dataset is not:
anything that cannot be read raises LogError with its place. Knows no dataset.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from memcore.domain.errors import LogError
from memcore.logs.containers import unpack
from memcore.logs.decode import decode
from memcore.logs.tolerant_json.records import Broken, Record, read_records


class DatasetFile(Protocol):
    """A file as far as it is read here; a `Path` is one. As a string it says which file it is."""

    @property
    def name(self) -> str:
        """The file's name, for messages and for telling formats apart."""
        ...

    def read_bytes(self) -> bytes:
        """All of its content."""
        ...


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that was handed over and lies nowhere."""

    name: str
    data: bytes

    def read_bytes(self) -> bytes:
        """The content as it was given."""
        return self.data

    def __str__(self) -> str:
        return self.name


_RESTORE = "Restore the file from where the dataset is published."


def read_text(path: DatasetFile) -> str:
    """The text of a plain or xz-packed file. Raises LogError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LogError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Check that it exists, is a file, and that you may read it.",
            file=path.name,
        ) from error
    unpacked = unpack(path.name, data)
    if len(unpacked.files) != 1:
        raise LogError(f"{path} is an archive of several files.", "Unpack it first.", file=path.name)
    [(name, content)] = unpacked.files.items()
    decoded = decode(name, content)
    if decoded.skipped:
        raise damaged(path, decoded.skipped[0].where, decoded.skipped[0].why)
    return decoded.text


def json_records(path: DatasetFile, text: str) -> Iterator[Record]:
    """The records of a JSON array, of JSON Lines, or the one document; nothing if it is no JSON. Raises
    LogError at the first that is broken."""
    for record in read_records(text):
        if isinstance(record, Broken):
            raise damaged(path, record.where, record.why)
        yield record


def damaged(path: DatasetFile, where: str, why: str) -> LogError:
    """The error for a place in a dataset that is not as its format has it."""
    place = f" at {where}" if where else ""
    return LogError(f"{path} is damaged{place}: {why}.", _RESTORE, file=path.name, where=where)
