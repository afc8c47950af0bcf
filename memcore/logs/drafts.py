"""What a reader gets and what it gives: a log's content, and drafts of the conversations in it.

A draft is what a format says, before ids, sessions by time gap and text cleaning, which are the
same for all formats and live in `assemble`. Knows no format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import Any

from memcore.domain.models import DEFAULT_OWNER, Skipped
from memcore.logs.times import is_ambiguous
from memcore.logs.tolerant_json.records import Broken, Record, read_records
from memcore.logs.tolerant_json.values import LOST

HEAD_RECORDS = 20
"""How many records decide which format a file has."""

MAX_SKIPPED = 1000
"""Places reported one by one; what goes beyond is counted in one last entry."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a person decides about a log.

    `owner`: whose memory it is. `base_date`: the time to use where the log states none. `format`: a
    name from `FORMATS`, or `auto`. `columns`: for CSV, which column holds `text`, `speaker`, `role`,
    `time`. `day_first`: how to read 03/04/2024 (None: only where the file itself shows it). `branches`: for
    conversations with several branches, by `Branching.conversation`, the id of the message to read to;
    the current branch is read of those it does not name, and a message that does not exist is reported.
    """

    owner: str = DEFAULT_OWNER
    base_date: datetime | None = None
    format: str = "auto"
    columns: Mapping[str, str] | None = None
    day_first: bool | None = None
    branches: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """One message as its format states it. `where` is its place in the file, in words. `clock`: time
    since the midnight of an unknown first day, for logs that write hours but no date. `file`: the file it
    stands in, where that is not the one read (a log in many files)."""

    speaker: str
    role: str
    text: str
    where: str
    said_at: datetime | None = None
    clock: timedelta | None = None
    native_id: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class SessionDraft:
    """Messages of one session. `native_id` names it within its conversation; `started_at` is the
    time the format gives the session as a whole."""

    turns: list[MessageDraft]
    started_at: datetime | None = None
    title: str = ""
    native_id: str = ""


@dataclass(frozen=True, slots=True)
class ConversationDraft:
    """One conversation. `split_at_gaps`: the format has one endless thread, so sessions are found
    by the time between messages. `user_name`: what the format says the user is called, whom its messages name
    by role only."""

    sessions: list[SessionDraft]
    native_id: str = ""
    title: str = ""
    split_at_gaps: bool = False
    user_name: str = ""


Neighbours = Callable[[str], Iterable["Content"]]
"""Given a glob pattern, the files beside this one that match it: of the same folder, or anywhere in the same
archive. There, a pattern with a slash is one of whole paths."""


def no_neighbours(_pattern: str) -> Iterable[Content]:
    """An upload stands alone."""
    return ()


@dataclass(eq=False)
class Content:
    """One file's text, with a place to report what in it could not be used."""

    name: str
    text: str
    neighbours: Neighbours = no_neighbours
    skipped: list[Skipped] = field(default_factory=list)
    unclear_dates: list[str] = field(default_factory=list)
    _beyond: int = 0

    @cached_property
    def head(self) -> tuple[Any, ...]:
        """The first JSON objects and arrays of the file; empty when it is not JSON."""
        good = (record.value for record in read_records(self.text) if isinstance(record, Record))
        return tuple(islice((value for value in good if isinstance(value, dict | list)), HEAD_RECORDS))

    def records(self) -> Iterator[Record]:
        """The file's JSON records one by one; broken ones are reported and skipped."""
        for record in read_records(self.text):
            if isinstance(record, Broken):
                self.skip(record.where, record.why)
            else:
                yield record

    def skip(self, where: str, why: str, records: int = 1) -> None:
        """Report a place that could not be used, and why."""
        if len(self.skipped) < MAX_SKIPPED:
            self.skipped.append(Skipped(self.name, where, why, records))
            return
        self._beyond += records
        more = f"{self._beyond} more places"
        self.skipped[MAX_SKIPPED:] = [Skipped(self.name, more, "not listed one by one", self._beyond)]

    def skip_record(self, where: str, record: object, why: str) -> None:
        """Report something that is no record of its format; what a damage took was reported with it."""
        if record is not LOST:
            self.skip(where, why)

    def skip_together(self, places: Sequence[str], why: str) -> None:
        """Report places of one harmless kind (photos in a chat) in one entry, by the first of them."""
        if places:
            more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
            self.skip(f"{places[0]}{more}", why, len(places))

    def skip_time(self, where: str, stated: str) -> None:
        """Report a time that cannot be read, or only by someone who says which of its numbers is the day."""
        why = "cannot be read"
        if is_ambiguous(stated):
            why = "could have the day or the month first; say which"
            self.unclear_dates.append(stated)
        self.skip(where, f"the time {stated[:40]!r} {why}; the message is kept without it")
