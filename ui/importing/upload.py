"""What was found in uploaded files, drawn before anything is stored; of a file that is still being read, what
it begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

import streamlit as st
from markupsafe import Markup

from memcore.domain.models import LogRead, Message, Skipped
from memcore.logs import FORMATS
from ui.importing.reading import Outcome, Upload
from ui.shell import templates
from ui.shell.frame import draw_error, meta
from ui.shell.marked import block
from ui.shell.text import clock, count, day, label, megabytes, shorten

_FIRST = 6
_SHOWN_SKIPS = 200
_UUID = re.compile(r"\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)


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
    meta(_described(result))
    _draw_first((m for log in result.read.logs for m in log.messages), result.name)
    if undated := result.found.undated:
        meta(f"{count(undated, 'message')} without a time.", css="ms-warn")
    draw_skipped(result.read.skipped)


def draw_head(upload: Upload, head: LogRead | None) -> None:
    """What a file that is being read begins with, as far as that is known; not its last message, which may be
    cut off."""
    size = megabytes(len(upload.data))
    whole = [m for log in head.logs for m in log.messages][:-1] if head else []
    if head is None or not whole:
        meta(f"{size} are being read.")
        return
    title = FORMATS[head.logs[0].conversation.format].title
    meta(f"{title} · the beginning of {size}. Counts, dates and what is skipped follow when all is read.")
    _draw_first(whole, upload.name)


def _draw_first(messages: Iterable[Message], upload: str) -> None:
    first = islice(messages, _FIRST)
    templates.draw("importing.messages", rows=[_row(message, upload) for message in first])


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
        ", ".join(FORMATS[name].title for name in result.found.formats),
        count(len(logs), "conversation"),
        count(sum(len(log.sessions) for log in logs), "session"),
        count(len(messages), "message"),
        count(len({m.speaker for m in messages}), "speaker"),
    ]
    if times:
        parts.append(f"{day(times[0])} to {day(times[-1])}")
    return " · ".join(parts)
