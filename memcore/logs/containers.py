"""Files inside files: ZIP archives and xz, unpacked in memory within limits, never to disk.

Header sizes are not believed: data is read in chunks and counted. Entries that could not be read are
reported, the others are kept. A ZIP inside a ZIP is not opened.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath, PureWindowsPath

from memcore.domain.errors import LogError
from memcore.domain.models import Skipped

MAX_BYTES = 200 * 1024 * 1024
"""The largest file that is read."""

MAX_UNPACKED = 500 * 1024 * 1024
"""The most an archive may unpack to, all its entries together."""

MAX_RATIO = 200
"""The most something over a mebibyte may unpack to, as a multiple of its packed size."""

MAX_ENTRIES = 50_000
"""The most entries an archive may have."""

_CHUNK = 1024 * 1024
_XZ_MEMORY = 256 * 1024 * 1024
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_XZ_MAGIC = b"\xfd7zXZ\x00"
_MEDIA_MAGIC = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"OggS", b"ID3", b"%PDF")
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error,
    EOFError, OSError, NotImplementedError, RuntimeError, ValueError, IndexError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Files by name, in the archive's order, and what was skipped."""

    files: dict[str, bytes]
    skipped: tuple[Skipped, ...] = ()


class _RefusedError(Exception):
    """Why an entry is not unpacked."""


@dataclass(slots=True)
class _Budget:
    """What may still be unpacked."""

    left: int = field(default_factory=lambda: MAX_UNPACKED)

    def take(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise _RefusedError(f"the archive unpacks to more than {MAX_UNPACKED >> 20} MiB; split it")


def unpack(name: str, data: bytes) -> Unpacked:
    """The files in an archive, or the file itself. Raises LogError when nothing can be read."""
    if data.startswith(_XZ_MAGIC):
        try:
            return Unpacked({name: _unpack_xz(data)})
        except (_RefusedError, *_DAMAGE) as error:
            raise LogError(
                f"{name} cannot be unpacked: {error}.", "Download or compress it again.", file=name
            ) from error
    if data.startswith(_ZIP_MAGIC):
        return _unpack_zip(name, data)
    return Unpacked({name: data})


def _unpack_xz(data: bytes) -> bytes:
    budget, out = _Budget(), BytesIO()
    rest = data
    while rest:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
        while not stream.eof:
            piece = stream.decompress(rest, max_length=_CHUNK)
            rest = b""
            budget.take(len(piece))
            out.write(piece)
            _check_ratio(out.tell(), len(data))
            if stream.needs_input and not stream.eof:
                raise EOFError("it is cut off")
        rest = stream.unused_data.lstrip(b"\x00")
    return out.getvalue()


def _check_ratio(unpacked: int, packed: int) -> None:
    if unpacked > _CHUNK and unpacked > MAX_RATIO * max(packed, 1):
        raise _RefusedError(
            f"it unpacks to more than {MAX_RATIO} times its size, as a decompression bomb does"
        )


def _unpack_zip(name: str, data: bytes) -> Unpacked:
    broken = "Download or export the archive again."
    if data.count(b"PK\x01\x02") > MAX_ENTRIES:
        raise LogError(f"{name} has more than {MAX_ENTRIES} entries.", "Split the archive.", file=name)
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except _DAMAGE as error:
        raise LogError(f"{name} is a damaged ZIP archive: {error}.", broken, file=name) from error
    files: dict[str, bytes] = {}
    skipped: list[Skipped] = []
    budget = _Budget()
    with archive:
        for entry in archive.infolist():
            if entry.filename.endswith("/"):
                continue
            try:
                if entry.filename in files:
                    raise _RefusedError("another entry has the same name")
                _check_name(entry)
                if (unpacked := _unpack_entry(archive, entry, len(data), budget)) is not None:
                    files[entry.filename] = unpacked
            except (_RefusedError, *_DAMAGE) as error:
                skipped.append(Skipped(name, entry.filename, f"not unpacked: {error}", records=0))
    if not files:
        reasons = "; ".join(f"{item.where}: {item.why}" for item in skipped[:3]) or "it holds no text files"
        raise LogError(f"{name}: nothing in the archive can be read ({reasons}).", broken, file=name)
    return Unpacked(files, tuple(skipped))


def _check_name(entry: zipfile.ZipInfo) -> None:
    """Nothing is written to disk, so no name can do harm; but one that tries is not a log."""
    posix, windows = PurePosixPath(entry.filename), PureWindowsPath(entry.filename)
    if posix.is_absolute() or windows.is_absolute() or windows.drive or windows.root:
        raise _RefusedError("its path is absolute")
    if ".." in windows.parts:
        raise _RefusedError("its path leads out of the archive")
    if entry.flag_bits & 0x1:
        raise _RefusedError("it is encrypted; unpack it with its password and read the file inside")


def _unpack_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, archive_size: int, budget: _Budget
) -> bytes | None:
    """The entry's bytes, or None for what is no text: images, audio, web pages."""
    out = BytesIO()
    packed = min(entry.compress_size, archive_size)
    with archive.open(entry) as source:
        while piece := source.read(_CHUNK):
            if not out.tell():
                if piece.startswith(_ZIP_MAGIC):
                    raise _RefusedError("it is an archive in an archive; unpack it and read it by itself")
                if _is_no_log(piece):
                    return None
            budget.take(len(piece))
            out.write(piece)
            if out.tell() > MAX_BYTES:
                raise _RefusedError(f"it is larger than {MAX_BYTES >> 20} MiB; split it")
            _check_ratio(out.tell(), packed)
    unpacked = out.getvalue()
    return _unpack_xz(unpacked) if unpacked.startswith(_XZ_MAGIC) else unpacked


def _is_no_log(start: bytes) -> bool:
    sample = start[:65536]
    if sample.startswith((_XZ_MAGIC, b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return False
    is_media = sample.startswith(_MEDIA_MAGIC) or sample[4:8] == b"ftyp"
    return is_media or sample.lstrip()[:1] == b"<" or sample.count(0) * 100 > len(sample)
