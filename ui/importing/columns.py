"""Which CSV column holds what, asked on screen when a file is a table."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import LogError
from memcore.logs import columns_of
from memcore.logs.formats import csv_table
from memcore.review.diff import show_hidden
from ui.importing.upload import Upload
from ui.shell.text import label

USES = {"text": "Message", "speaker": "Speaker", "role": "Role", "time": "Time"}


def choose(upload: Upload) -> dict[str, str] | None:
    """Ask for a table's columns, beginning with what their names suggest. None: by their names."""
    names = _header(upload)
    if not names:
        return None
    with st.expander(f"Columns of {label(upload.name)}", expanded=_suggested("text", names) is None):
        chosen = {}
        with st.container(horizontal=True):
            for use, title in USES.items():
                chosen[use] = st.selectbox(
                    title,
                    names,
                    index=_suggested(use, names),
                    key=f"column_{use}_{upload.key}",
                    placeholder="none",
                    format_func=show_hidden,
                )
    mapped = {use: name for use, name in chosen.items() if name}
    return mapped if "text" in mapped else None


def _header(upload: Upload) -> list[str]:
    """The table's column names; none when it cannot be read (reading it says why)."""
    known: dict[str, list[str]] = st.session_state.setdefault("csv_headers", {})
    if upload.key not in known:
        try:
            known[upload.key] = [name for name in columns_of(upload.name, upload.data) if name]
        except LogError:
            known[upload.key] = []
    return known[upload.key]


def _suggested(use: str, names: list[str]) -> int | None:
    lowered = [name.casefold().replace(" ", "_") for name in names]
    return next((lowered.index(usual) for usual in csv_table.NAMES[use] if usual in lowered), None)
