"""Tables as CSV files that a spreadsheet opens as they are. Knows nothing of what they hold.

A text that a spreadsheet would take for a formula is told by how it begins (OWASP, CSV injection): with one
of = + - @, also as wide as a Chinese character, with a tab or a line break. It gets an apostrophe before it,
which spreadsheets read as "this is text".
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable
from typing import BinaryIO

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def write_csv(file: BinaryIO, header: Iterable[object], rows: Iterable[Iterable[object]]) -> int:
    """Write rows as they come, in UTF-8 with a byte order mark, for Excel; returns their number. A text that
    a spreadsheet would take for a formula begins with an apostrophe; numbers are left as they are."""
    file.write(codecs.BOM_UTF8)
    text = io.TextIOWrapper(file, "utf-8", newline="")
    written = 0
    try:
        writer = csv.writer(text)
        writer.writerow([_no_formula(cell) for cell in header])
        for row in rows:
            writer.writerow([_no_formula(cell) for cell in row])
            written += 1
    finally:
        text.detach()  # the file is its owner's to close
    return written


def csv_file(header: Iterable[object], rows: Iterable[Iterable[object]]) -> bytes:
    """The same as bytes.

    >>> csv_file(["a", "b"], [["=1+1", -1]]).decode("utf-8-sig")
    "a,b\\r\\n'=1+1,-1\\r\\n"
    """
    file = io.BytesIO()
    write_csv(file, header, rows)
    return file.getvalue()


def _no_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
