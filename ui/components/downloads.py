"""What a page shows, as files: the same records as CSV for a spreadsheet and as JSON Lines for a program.

The records are made when a button is pressed. Knows nothing of what they hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from memcore.exporting.csv_file import csv_file

Record = Mapping[str, object]


def downloads(name: str, records: Callable[[], Sequence[Record]], *, about: str) -> None:
    """The two buttons side by side. `name` is the files' and the keys'; `about` says what is in them."""
    with st.container(horizontal=True):
        for ending, mime, written in (
            ("csv", "text/csv", as_csv),
            ("jsonl", "application/jsonl", as_jsonl),
        ):
            st.download_button(
                f"{ending.upper()} of what is shown",
                partial(_made, written, records),
                f"{name}.{ending}",
                mime,
                key=f"{name}_{ending}",
                on_click="ignore",
                help=about,
            )


def _made(written: Callable[[Sequence[Record]], bytes], records: Callable[[], Sequence[Record]]) -> bytes:
    return written(records())


def as_csv(records: Sequence[Record]) -> bytes:
    """One row a record, one column a name that any of them has. Of a list its parts stand between " | "; no
    text begins a formula (`csv_file`).

    >>> as_csv([{"said": "=1+1", "by": ["Ada", "Ben"]}]).decode("utf-8-sig")
    "said,by\\r\\n'=1+1,Ada | Ben\\r\\n"
    """
    columns = list(dict.fromkeys(name for record in records for name in record))
    return csv_file(columns, [[_cell(record.get(name)) for name in columns] for record in records])


def as_jsonl(records: Sequence[Record]) -> bytes:
    """One JSON object a line, in UTF-8; times in ISO 8601.

    >>> as_jsonl([{"said": "=1+1", "at": datetime(2024, 3, 4)}])
    b'{"said": "=1+1", "at": "2024-03-04T00:00:00"}\\n'
    """
    lines = (json.dumps(dict(record), ensure_ascii=False, default=_plain) + "\n" for record in records)
    return "".join(lines).encode()


def _cell(value: object) -> object:
    if isinstance(value, list | tuple):
        return " | ".join(str(_cell(part)) for part in value)
    return "" if value is None else value if isinstance(value, int | float | str) else _plain(value)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
