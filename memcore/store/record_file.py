"""Records of bytes on disk, read a few hundred at a time by number, each checked as it is read.

They are read and not mapped into memory: what is mapped counts as this process's memory once it was touched,
and a file cut short would end the process. A record's checksum, kept in memory, tells whether the file still
holds what was written, so that opening need not read gigabytes. Records that came since the file was written
lie in an unnamed one, of which a killed process leaves nothing.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memcore.domain import private_files

FRESH = 4 * 2**20
"""Bytes that wait in memory before they are written to the unnamed file."""


class DamagedRecordError(Exception):
    """The file does not hold what was written to it."""


class RecordFile:
    """Records by number, appended and never changed."""

    def __init__(self) -> None:
        self._checksums = array("I")
        self._ends = array("q", [0])  # record n lies from its n-th to its next
        self._saved: BinaryIO | None = None
        self._saved_end = 0  # where the unnamed file takes over
        self._unnamed: BinaryIO | None = None
        self._fresh = bytearray()

    def __len__(self) -> int:
        return len(self._checksums)

    @property
    def checksums(self) -> NDArray[np.uint32]:
        """`crc32` of every record."""
        return np.array(self._checksums, dtype=np.uint32)

    def append(self, record: bytes, checksum: int | None = None) -> None:
        """Add one at the end. `checksum`: its `crc32`, for who knows it."""
        self._checksums.append(crc32(record) if checksum is None else checksum)
        self._ends.append(self._ends[-1] + len(record))
        self._fresh += record
        if len(self._fresh) >= FRESH:
            self._unnamed = self._unnamed or tempfile.TemporaryFile()  # noqa: SIM115  closed with this object
            self._unnamed.write(self._fresh)
            self._unnamed.flush()
            self._fresh.clear()

    def read(self, numbers: Iterable[int]) -> list[bytes]:
        """These records as they were appended. Raises DamagedRecordError."""
        ends, saved_end, fresh_from = self._ends, self._saved_end, self._ends[-1] - len(self._fresh)
        found = []
        for number in numbers:
            begin, end = ends[number], ends[number + 1]
            if begin < saved_end and self._saved:
                record = os.pread(self._saved.fileno(), end - begin, begin)
            elif begin < fresh_from and self._unnamed:
                record = os.pread(self._unnamed.fileno(), end - begin, begin - saved_end)
            else:
                record = bytes(self._fresh[begin - fresh_from : end - fresh_from])
            if crc32(record) != self._checksums[number]:
                raise DamagedRecordError
            found.append(record)
        return found

    def save(self, path: Path) -> dict[str, NDArray[Any]]:
        """Write every record to a new file, read them from there from now on, and return what `load` needs
        besides. Raises OSError."""
        with private_files.create(path) as file:
            for part in (self._saved, self._unnamed):
                if part is not None:
                    part.seek(0)
                    shutil.copyfileobj(part, file, 2**20)
            file.write(self._fresh)
        self._open(path)
        return {"record_ends": np.array(self._ends, np.int64), "record_checksums": self.checksums}

    def _open(self, path: Path) -> None:
        file = path.open("rb", buffering=0)
        if os.fstat(file.fileno()).st_size != self._ends[-1]:
            file.close()
            raise ValueError("the file of records has another length")
        self._saved, self._saved_end = file, self._ends[-1]
        self._unnamed, self._fresh = None, bytearray()

    @classmethod
    def load(cls, path: Path, columns: Mapping[str, NDArray[Any]]) -> RecordFile:
        """Raises OSError; KeyError or ValueError where file and columns do not fit together."""
        records = cls()
        records._checksums = array("I", columns["record_checksums"].tobytes())
        records._ends = array("q", columns["record_ends"].tobytes())
        if len(records._ends) != len(records._checksums) + 1:
            raise ValueError("records and their ends differ in number")
        records._open(path)
        return records
