"""Bytes to text, without guessing an encoding.

UTF-8 (with or without byte order mark) and UTF-16 or UTF-32 with a byte order mark are read. Anything
else would be a guess between encodings that differ in a few letters, and a wrong letter in a name is a
wrong memory; so it is refused, with the place and the way to convert. Text that is clearly UTF-8 but for
a few damaged bytes is kept, the damage marked with U+FFFD and reported.
"""

from __future__ import annotations

import codecs

from memcore.domain.errors import LogError
from memcore.logs.drafts import Content

MAX_DAMAGE = 100
"""More damaged places than this are not damage but another encoding."""

_MARKS = (  # the marks of UTF-32 begin with those of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONVERT = (
    "Save the file as UTF-8 (in an editor: Save as, encoding UTF-8; in Excel: CSV UTF-8; in a terminal: "
    "iconv -f WINDOWS-1252 -t UTF-8, with the encoding it has) and read it again."
)


def decode(name: str, data: bytes) -> Content:
    """The file's text. Raises LogError for an empty file, a binary file and an unknown encoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _ready(name, _decode_marked(name, data, encoding))
    data = data.removeprefix(codecs.BOM_UTF8)
    if is_binary(data):
        raise LogError(
            f"{name} is not text: it contains zero bytes.",
            "Give a log as text, JSON, CSV or ZIP; a text in UTF-16 needs a byte order mark.",
            file=name,
            where=f"byte {data.index(0)}",
        )
    try:
        return _ready(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _decode_damaged(name, data, error)


def beginning(data: bytes, most: int) -> bytes:
    """At most so many bytes of a text's start: whole lines, unless they are very long."""
    if len(data) <= most:
        return data
    cut = data[: most - most % 4]  # as many bytes as one character has in UTF-32
    if data.startswith(tuple(mark for mark, _ in _MARKS)):
        return cut
    lines = cut.rfind(b"\n") + 1
    return cut[:lines] if 2 * lines > most else cut


def is_binary(data: bytes) -> bool:
    """Whether this is no text at all: more than one byte in a hundred is zero."""
    sample = data[:65536]
    return not sample.startswith(tuple(mark for mark, _ in _MARKS)) and sample.count(0) * 100 > len(sample)


def _ready(name: str, text: str) -> Content:
    if not text.strip():
        raise LogError(
            f"{name} is empty.",
            "Export the log again; it should contain messages.",
            file=name,
            where="only white space" if text else "0 bytes",
        )
    return Content(name, text.replace("\r\n", "\n"))


def _decode_marked(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise LogError(
            f"{name} is marked as {encoding.upper()} but byte {error.start} is not.",
            _CONVERT,
            file=name,
            where=f"byte {error.start}",
        ) from error


def _decode_damaged(name: str, data: bytes, error: UnicodeDecodeError) -> Content:
    """Text with the damage marked, when the file is otherwise UTF-8 beyond doubt; else LogError."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd") - data.count("\ufffd".encode())
    sound = sum(1 for letter in text if letter > "\x7f") - text.count("\ufffd")
    cut_off = error.end == len(data) and error.reason == "unexpected end of data"
    if not cut_off and (damaged > MAX_DAMAGE or sound < 4 * damaged):
        raise LogError(
            f"{name} is not UTF-8: byte {error.start} (0x{data[error.start]:02x}) does not fit.",
            _CONVERT,
            file=name,
            where=f"byte {error.start}",
        ) from error
    content = _ready(name, text)
    content.skip(f"byte {error.start}", f"{damaged} damaged places in the text, marked with \ufffd")
    return content
