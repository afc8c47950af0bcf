"""Uploaded files are read once per choice of options: a small one while the page is drawn, a large one on a
thread, so that its beginning is on screen at once.

What was found stays with the browser session, so that a page run costs nothing; of the messages, which are
many, only those of a file's last reading.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import streamlit as st

from memcore.domain.errors import LogError
from memcore.domain.models import LogRead
from memcore.logs import (
    FORMATS,
    Branching,
    ReadOptions,
    branches_of,
    columns_of,
    missing_times,
    read_bytes,
    read_head,
)
from ui.shell import address
from ui.shell.frame import meta
from ui.shell.text import count

AT_ONCE = 512 * 1024
"""Bytes of a file that is read while the page is drawn, in a fraction of a second."""
AT_A_TIME = 2
"""Large files that are read beside each other, of all tabs together: each takes memory meanwhile."""
LOOK_SECONDS, WAIT_SECONDS = 2.0, 1.0
"""How often it is seen whether a file has been read, and for how long that is then waited for: after every
look Streamlit walks through the heap, in which the messages are."""

_FILES = "files_read"
_turns = threading.BoundedSemaphore(AT_A_TIME)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it arrived; `key` is the same for the same upload."""

    key: str
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """What reading a file showed of it that asks for an answer: `unclear_date` is the first date that could
    have the day or the month first, `undated` how many messages have no time."""

    formats: tuple[str, ...] = ()
    unclear_date: str = ""
    undated: int = 0
    branchings: tuple[Branching, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What reading one file gave: the log, or the error that says why not."""

    name: str
    read: LogRead | None = None
    error: LogError | None = None
    branchings: tuple[Branching, ...] = ()

    @cached_property
    def found(self) -> Found:
        """What of it is still known when it was read again."""
        if self.read is None:
            return Found()
        unclear = next(iter(self.read.unclear_dates), "")
        formats = tuple(dict.fromkeys(log.conversation.format for log in self.read.logs))
        return Found(formats, unclear, missing_times(self.read), self.branchings)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a file, under way or done, and what it begins with."""

    options: str
    head: LogRead | None
    outcome: Future[Outcome]


@dataclass
class _File:
    """What a session knows of a file: what was found by each choice of options, the last reading, and the
    columns of a table (None while nobody asked for them). `awaited`: the page that is being drawn shows it
    as one that is still being read, whether or not it has been by now."""

    found: dict[str, Found] = field(default_factory=dict)
    last: _Reading | None = None
    awaited: bool = False
    columns: list[str] | None = None


def found(upload: Upload, options: ReadOptions) -> Found | None:
    """What reading a file with these options shows; None while it is being read."""
    known = _files().setdefault(upload.key, _File()).found
    if _key(options) not in known:
        outcome = read(upload, options)
        if outcome is None:
            return None
        known[_key(options)] = outcome.found
    return known[_key(options)]


def read(upload: Upload, options: ReadOptions) -> Outcome | None:
    """What reading a file with these options gave; None while it is being read, which begins with this."""
    file = _files().setdefault(upload.key, _File())
    if file.last is None or file.last.options != repr(options):
        _leave(file)
        file.last = _begin(upload, options, with_branches=_key(options) not in file.found)
    file.awaited = not file.last.outcome.done()
    return None if file.awaited else file.last.outcome.result()


def head(upload: Upload) -> LogRead | None:
    """What a file begins with that is being read; None if that cannot be read by itself."""
    last = _files()[upload.key].last
    return last.head if last else None


def columns(upload: Upload) -> list[str]:
    """The names of a table's columns; none when they cannot be read (reading the whole says why)."""
    file = _files().setdefault(upload.key, _File())
    if file.columns is None:
        try:
            file.columns = [name for name in columns_of(upload.name, upload.data) if name]
        except LogError:
            file.columns = []
    return file.columns


def keep(uploads: Sequence[Upload]) -> None:
    """Forget all other files; a page that is drawn begins with this."""
    files = _files()
    for key in files.keys() - {upload.key for upload in uploads}:
        _leave(files.pop(key))
    for file in files.values():
        file.awaited = False


def wait() -> None:
    """Say that files are being read, and draw the page anew as soon as one of them has been, be it while the
    page was drawn; nothing if none is shown as such."""
    awaited = [file.last.outcome for file in _files().values() if file.last and file.awaited]
    if any(outcome.done() for outcome in awaited):
        st.rerun()
    if awaited:
        _wait(awaited)


@st.fragment(run_every=LOOK_SECONDS)
def _wait(under_way: list[Future[Outcome]]) -> None:
    address.stand()
    meta(f"{count(len(under_way), 'file')} still being read. Then you can import.")
    if wait_for(under_way, WAIT_SECONDS, FIRST_COMPLETED).done:
        st.rerun(scope="app")


def _files() -> dict[str, _File]:
    files: dict[str, _File] = st.session_state.setdefault(_FILES, {})
    return files


def _key(options: ReadOptions) -> str:
    """The options that decide what is found: not whose memory it will be."""
    return repr(replace(options, owner=""))


def _leave(file: _File) -> None:
    """Do not begin what nobody waits for any more; a reading that has begun goes on to its end."""
    if file.last is not None:
        file.last.outcome.cancel()
        file.last = None


def _begin(upload: Upload, options: ReadOptions, *, with_branches: bool) -> _Reading:
    work = partial(_read, upload, options, with_branches=with_branches)
    outcome: Future[Outcome] = Future()
    if len(upload.data) <= AT_ONCE:
        outcome.set_result(work())
        return _Reading(repr(options), None, outcome)
    try:
        begins = read_head(upload.name, upload.data, options)
    except LogError:  # reading the whole says why
        begins = None
    threading.Thread(target=_in_turn, args=(outcome, work), name=f"reading-{upload.key}", daemon=True).start()
    return _Reading(repr(options), begins, outcome)


def _in_turn(outcome: Future[Outcome], work: Callable[[], Outcome]) -> None:
    with _turns:
        if not outcome.set_running_or_notify_cancel():
            return
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - kept in the future and shown on the page
            outcome.set_exception(error)
        else:
            outcome.set_result(result)


def _read(upload: Upload, options: ReadOptions, *, with_branches: bool) -> Outcome:
    try:
        whole = read_bytes(upload.name, upload.data, options)
    except LogError as error:
        return Outcome(upload.name, error=error.with_traceback(None))  # which holds all that was read
    branchings = _branchings(upload, whole, options) if with_branches else ()
    return Outcome(upload.name, whole, branchings=branchings)


def _branchings(upload: Upload, whole: LogRead, options: ReadOptions) -> tuple[Branching, ...]:
    """The conversations with several branches; not looked for again once one of them is chosen."""
    formats = {log.conversation.format for log in whole.logs}
    if options.branches or not any(FORMATS[name].trees for name in formats):
        return ()
    try:
        return branches_of(upload.name, upload.data, options)
    except LogError:  # reading it has said why
        return ()
