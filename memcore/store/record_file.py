"""Records of bytes on disk, read a few hundred at a time by number, each checked as it is read.

A record's checksum, kept in memory, tells whether the file still holds what was written, so that opening need
not read gigabytes. Records that came since the file was written lie in an unnamed one, of which a killed
process leaves nothing. Records of one length are rows of a matrix that is mapped into memory; of what was
touched so little is kept mapped that it does not count as this process's memory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from array import array
from collections.abc import Callable, Iterable, Mapping
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memcore.domain import private_files

FRESH = 4 * 2**20
"""Bytes that wait in memory before they are written to the unnamed file."""

ROWS_MAPPED = 1_024
"""Rows after which what is mapped is given back. A row may bring 64 KiB with it."""


class DamagedRecordError(Exception):
    """The file does not hold what was written to it."""


def word_sums(rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """A checksum for each row of 32-bit words, of many rows at once: each word counts by its place."""
    weights = np.arange(rows.shape[1], dtype=np.uint32) * np.uint32(2_654_435_761) | np.uint32(1)
    return np.asarray((rows * weights).sum(axis=1, dtype=np.uint32))


def word_sum(record: bytes) -> int:
    """The checksum of one record as a row."""
    return int(word_sums(np.frombuffer(record, dtype=np.uint32)[None])[0])


class RecordFile:
    """Records by number, appended and never changed. `checksum` is `word_sum` where they are rows."""

    def __init__(self, checksum: Callable[[bytes], int] = crc32) -> None:
        self._checksum = checksum
        self._mapped: mmap | None = None  # the saved file, once rows were asked for
        self._rows_mapped = 0
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
        """Of every record."""
        return np.array(self._checksums, dtype=np.uint32)

    def append(self, record: bytes, checksum: int | None = None) -> None:
        """Add one at the end. `checksum`: for who knows it already."""
        self._checksums.append(self._checksum(record) if checksum is None else checksum)
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
            if self._checksum(record) != self._checksums[number]:
                raise DamagedRecordError
            found.append(record)
        return found

    def rows(self, numbers: NDArray[np.int64], words: int) -> NDArray[np.uint32]:
        """Records of so many 32-bit words as rows of a matrix. Raises DamagedRecordError."""
        if self._saved is None or not self._saved_end or int(numbers.max()) * 4 * words >= self._saved_end:
            return np.frombuffer(b"".join(self.read(numbers.tolist())), dtype=np.uint32).reshape(-1, words)
        if os.fstat(self._saved.fileno()).st_size != self._saved_end:
            raise DamagedRecordError  # reading what is mapped of a file cut short would end the process
        if self._mapped is None:
            self._mapped = mmap(self._saved.fileno(), 0, access=ACCESS_READ)
        found = np.frombuffer(self._mapped, dtype=np.uint32).reshape(-1, words)[numbers]
        self._rows_mapped += len(numbers)
        if self._rows_mapped > ROWS_MAPPED:
            self._mapped.madvise(MADV_DONTNEED)
            self._rows_mapped = 0
        expected = np.frombuffer(self._checksums, dtype=np.uint32)[numbers]
        if not np.array_equal(word_sums(found), expected):
            raise DamagedRecordError
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
        self._saved, self._saved_end, self._mapped = file, self._ends[-1], None
        self._unnamed, self._fresh = None, bytearray()

    @classmethod
    def load(
        cls, path: Path, columns: Mapping[str, NDArray[Any]], checksum: Callable[[bytes], int] = crc32
    ) -> RecordFile:
        """Raises OSError; KeyError or ValueError where file and columns do not fit together."""
        records = cls(checksum)
        records._checksums = array("I", columns["record_checksums"].tobytes())
        records._ends = array("q", columns["record_ends"].tobytes())
        if len(records._ends) != len(records._checksums) + 1:
            raise ValueError("records and their ends differ in number")
        records._open(path)
        return records
