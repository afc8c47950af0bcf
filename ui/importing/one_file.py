"""One uploaded file on the Import page: what it was read as, and what only a person can say about it.

Asked is what the file leaves open: another format than the detected one, a table's columns, the branches of
edited conversations, the order of day and month, the day it began. Each answer reads the file again.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time

import streamlit as st

from memcore.logs import FORMATS, ReadOptions
from memcore.logs.times import parse_time
from ui.importing import branches, columns, reading, upload
from ui.importing.reading import Found, Outcome, Upload
from ui.shell.templates import draw
from ui.shell.text import day, label

DETECTED = "auto"
TABLES = (".csv", ".tsv")


def preview(one: Upload, options: ReadOptions) -> Outcome | None:
    """Draw one file with its questions and what reading it by the answers gave; None while it is read, of
    which its beginning is drawn."""
    with st.container(border=True):
        detected = reading.found(one, options)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            draw("shell.lead", text=one.name, width="content")
            if detected is not None:
                options = replace(options, format=_format(one, detected))
        answered = _answered(one, options, detected) if detected is not None else None
        outcome = reading.read(one, answered) if answered is not None else None
        if outcome is not None:
            upload.draw(outcome)
        else:
            upload.draw_head(one, reading.head(one))
    return outcome


def _answered(one: Upload, options: ReadOptions, detected: Found) -> ReadOptions | None:
    """The options with a person's answers to what the file leaves open; None while it is read by an answer
    that others depend on."""
    if _is_table(one, options, detected):
        chosen = columns.choose(one)
        if chosen or detected.formats != ("csv",):
            options = replace(options, format="csv", columns=chosen)
    if (found := reading.found(one, options)) is None:
        _ask_later(one, "day_first", "base")
        return None
    if picked := branches.choose(one, found.branchings):
        options = replace(options, branches=picked)
    if (found := reading.found(one, options)) is None:
        _ask_later(one, "day_first", "base")
        return None
    if found.unclear_date:
        options = replace(options, day_first=_day_first(one, found.unclear_date))
    if (found := reading.found(one, options)) is None:
        _ask_later(one, "base")
        return None
    if found.undated and not found.unclear_date:
        options = replace(options, base_date=_base_date(one))
    return options


def _ask_later(one: Upload, *questions: str) -> None:
    """These are not asked yet; what was answered before stays, which Streamlit forgets otherwise."""
    for key in (f"{question}_{one.key}" for question in questions):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def _format(one: Upload, detected: Found) -> str:
    found = ", ".join(FORMATS[name].title for name in detected.formats) or "nothing known"
    titles = {DETECTED: f"Detected: {found}"} | {name: reader.title for name, reader in FORMATS.items()}
    return str(
        st.selectbox(
            f"Format of {label(one.name)}",
            list(titles),
            key=f"format_{one.key}",
            format_func=titles.__getitem__,
            width=320,
            label_visibility="collapsed",
        )
    )


def _is_table(one: Upload, options: ReadOptions, detected: Found) -> bool:
    """Whether its columns are to be asked for: a CSV file, or one that is called so and cannot be read."""
    if options.format != DETECTED:
        return options.format == "csv"
    return detected.formats == ("csv",) or (not detected.formats and one.name.lower().endswith(TABLES))


def _day_first(one: Upload, written: str) -> bool | None:
    """Ask for the order of day and month by what it makes of a date in the file."""
    readings = {
        f"{order} first: {label(written)} is {day(parse_time(written, day_first))}": day_first
        for order, day_first in (("Day", True), ("Month", False))
    }
    picked = st.radio(
        f"{label(one.name)} does not show whether the day or the month comes first. Which is right?",
        list(readings),
        index=None,
        key=f"day_first_{one.key}",
        help="Until you choose, its messages stay undated.",
    )
    return readings[picked] if picked else None


def _base_date(one: Upload) -> datetime | None:
    picked = st.date_input(
        f"{label(one.name)} has messages without a time. On which day did it begin?",
        value=None,
        key=f"base_{one.key}",
        help="Relative dates such as “last week” are counted from it. Left empty, the order is kept "
        "and the messages stay undated.",
    )
    return datetime.combine(picked, time()) if picked else None
