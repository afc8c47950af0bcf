"""Tables as CSV files that a spreadsheet opens as they are. Knows nothing of what they hold.

A text that a spreadsheet would take for a formula is told by how it begins (OWASP, CSV injection): with one
of = + - @, also as wide as a Chinese character, with a tab or a line break. It gets an apostrophe before it,
which spreadsheets read as "this is text".
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def csv_file(header: Iterable[object], rows: Iterable[Iterable[object]]) -> bytes:
    """UTF-8 with a byte order mark, for Excel. A text that a spreadsheet would take for a formula begins with
    an apostrophe; numbers are left as they are.

    >>> csv_file(["a", "b"], [["=1+1", -1]]).decode("utf-8-sig")
    "a,b\\r\\n'=1+1,-1\\r\\n"
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows([_no_formula(cell) for cell in row] for row in (header, *rows))
    return out.getvalue().encode("utf-8-sig")


def _no_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
