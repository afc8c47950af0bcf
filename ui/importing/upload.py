"""Uploaded files on the Import page: read once per choice of options, previewed before anything is stored.

Reading is the library's; this module remembers its outcome for the browser session, so that a page
run costs nothing, and draws it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from memcore.domain.errors import LogError
from memcore.domain.models import LogRead, Message, Skipped
from memcore.logs import FORMATS, ReadOptions, missing_times, read_bytes
from ui.shell import templates
from ui.shell.frame import draw_error, meta
from ui.shell.marked import block
from ui.shell.text import clock, count, day, label, shorten

_FIRST = 6
_SHOWN_SKIPS = 200
_UUID = re.compile(r"\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it arrived; `key` is the same for the same upload."""

    key: str
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What reading one file gave: the log, or the error that says why not."""

    name: str
    read: LogRead | None = None
    error: LogError | None = None

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that were found in it, in order; none when it could not be read."""
        logs = self.read.logs if self.read else ()
        return tuple(dict.fromkeys(log.conversation.format for log in logs))


def outcome(upload: Upload, options: ReadOptions) -> Outcome:
    """Read a file, or recall what reading it with these options gave."""
    known: dict[str, Outcome] = st.session_state.setdefault("read_outcomes", {})
    key = f"{upload.key} {options!r}"
    if key not in known:
        try:
            known[key] = Outcome(upload.name, read=read_bytes(upload.name, upload.data, options))
        except LogError as error:
            known[key] = Outcome(upload.name, error=error)
    return known[key]


def forget() -> None:
    """Drop every remembered reading."""
    for known in ("read_outcomes", "csv_headers", "branchings"):
        st.session_state.pop(known, None)


def together(outcomes: Sequence[Outcome]) -> LogRead:
    """All good files as one, with those that could not be read at all."""
    reads = [o.read for o in outcomes if o.read]
    bad = [Skipped.whole(o.error) for o in outcomes if o.error]
    return LogRead(
        tuple(log for read in reads for log in read.logs),
        (*bad, *(skipped for read in reads for skipped in read.skipped)),
        tuple(date for read in reads for date in read.unclear_dates),
    )


def draw(result: Outcome) -> None:
    """What one file holds: its format and counts, its first messages, what was skipped; or its error."""
    if result.error is not None:
        draw_error(result.error)
    if result.read is None:
        return
    logs = result.read.logs
    meta(_described(result))
    messages = [m for log in logs for m in log.messages[:_FIRST]][:_FIRST]
    templates.draw("importing.messages", rows=[_row(message, result.name) for message in messages])
    if undated := missing_times(result.read):
        meta(f"{count(undated, 'message')} without a time.", css="ms-warn")
    draw_skipped(result.read.skipped)


def draw_skipped(skipped: Sequence[Skipped]) -> None:
    """Files and records that could not be read, each with its place and the reason."""
    if not skipped:
        return
    files, number = sum(not one.records for one in skipped), sum(one.records for one in skipped)
    told = [f"{count(files, 'file')} could not be read"] if files else []
    told += [f"{count(number, 'record')} skipped"] if number else []
    with st.expander(label(", ".join(told)), expanded=len(skipped) <= 5):
        records, more = skipped[:_SHOWN_SKIPS], len(skipped) - _SHOWN_SKIPS
        templates.draw("importing.skipped", records=records, more=more)


def _row(message: Message, upload: str) -> tuple[str, str, Markup, str]:
    speaker, said = shorten(message.speaker, 40), block(message.text, 300)
    return clock(message.said_at), speaker, said, _place(message, upload)


def _place(message: Message, upload: str) -> str:
    """Where a message stands: in an archive, the file inside it too. Of ids that say nothing to a person
    the beginning is enough to find them."""
    inside = message.raw_ref.file.removeprefix(upload).removeprefix("/")
    return _UUID.sub(r"\1…", ", ".join(part for part in (inside, message.raw_ref.where) if part))


def _described(result: Outcome) -> str:
    logs = result.read.logs if result.read else ()
    messages = [m for log in logs for m in log.messages]
    times = sorted(m.said_at for m in messages if m.said_at)
    parts = [
        ", ".join(FORMATS[name].title if name in FORMATS else name for name in result.formats),
        count(len(logs), "conversation"),
        count(sum(len(log.sessions) for log in logs), "session"),
        count(len(messages), "message"),
        count(len({m.speaker for m in messages}), "speaker"),
    ]
    if times:
        parts.append(f"{day(times[0])} to {day(times[-1])}")
    return " · ".join(parts)
