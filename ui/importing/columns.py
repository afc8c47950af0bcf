"""Which CSV column holds what, asked on screen when a file is a table."""

from __future__ import annotations

import streamlit as st

from memcore.logs.formats import csv_table
from memcore.review.diff import show_hidden
from ui.importing import reading
from ui.importing.reading import Upload
from ui.shell.text import label

USES = {"text": "Message", "speaker": "Speaker", "role": "Role", "time": "Time"}


def choose(upload: Upload) -> dict[str, str] | None:
    """Ask for a table's columns, beginning with what their names suggest. None: as these do."""
    names = reading.columns(upload)
    if not names:
        return None
    suggested = {use: _suggested(use, names) for use in USES}
    with st.expander(f"Columns of {label(upload.name)}", expanded=suggested["text"] is None):
        chosen = {}
        with st.container(horizontal=True):
            for use, title in USES.items():
                chosen[use] = st.selectbox(
                    title,
                    names,
                    index=suggested[use],
                    key=f"column_{use}_{upload.key}",
                    placeholder="none",
                    format_func=show_hidden,
                )
    mapped = {use: name for use, name in chosen.items() if name}
    usual = {use: names[at] for use, at in suggested.items() if at is not None}
    return mapped if "text" in mapped and mapped != usual else None


def _suggested(use: str, names: list[str]) -> int | None:
    lowered = [name.casefold().replace(" ", "_") for name in names]
    return next((lowered.index(usual) for usual in csv_table.NAMES[use] if usual in lowered), None)
