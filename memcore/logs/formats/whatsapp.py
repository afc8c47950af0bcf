"""WhatsApp's text export, as Android and as iOS write it:

    03/04/2024, 21:05 - Nora: text          [03.04.24, 21:05:11] Nora: text

with a clock of 12 or 24 hours, separators of the phone's language, narrow spaces and marks of direction. A
message goes on over the lines that start no other. Lines without a speaker, and what iOS puts behind a
left-to-right mark in place of a text, are WhatsApp's own words and are left out; media and deleted
messages have no text, captions are kept.

Which of 03/04 is the day depends on the phone. It is read where the file shows it: by a number over 12, or
because only one reading keeps the messages in order of time. Else `ReadOptions.day_first` decides, and
without it no message of the file has a time: a few that could be read would date the others wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from memcore.logs.damaged_starts import Beginnings
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.times import day_first_of, is_ambiguous, parse_time

MAX_NAME = 80
FIRST_LINES = 10
_DATE = r"(?P<date>\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4})"
_JOIN = r"(?:, ?| at | um | à | )"
_HALF = r"(?: ?[AaPp]\.? ?[Mm]\.?)?"
_STARTS = (
    re.compile(rf"{_DATE}{_JOIN}(?P<clock>\d{{1,2}}[:.]\d\d{_HALF}) - (?P<rest>.*)"),
    re.compile(rf"\[{_DATE}{_JOIN}(?P<clock>\d{{1,2}}[:.]\d\d[:.]\d\d{_HALF})\] (?P<rest>.*)"),
)
_POINT = re.compile(r"(?<=\d)\.(?=\d)")
_HALF_AT_END = re.compile(r" ?([AaPp])\.? ?[Mm]\.?$")
_ANY_TRANSCRIPT = re.compile(r"\[?\d{4}[/.-]\d{1,2}[/.-]\d{1,2} ")
_SPEAKER = re.compile(rf"(?P<name>[^:\"“”«»]{{1,{MAX_NAME}}}):(?: (?P<text>.*))?")
_DAMAGED_NAME = re.compile(r"[^:]{0,40}[\"{}\[\]<>\\|][^:]{0,40}:|\s*[\"'{}\[\]<>]|[^:\d]{1,40}:(?![\s/\d])")
"""How no words of WhatsApp's own begin."""
_ATTACHED = re.compile(
    r"^.*\.\w{2,5} \((?:file attached|Datei angehängt|archivo adjunto|fichier joint|file allegato"
    r"|arquivo anexado|bestand bijgevoegd)\)\n?|<[^<>\n:]{3,30}: [^<>\n]+\.\w{2,5}>"
)
_OMITTED = re.compile(
    r"<[^<>\n]{3,30} [^<>\n]{3,30}>|(?:image|video|audio|GIF|sticker|document|Contact card) omitted"
    r"|(?:This message was deleted|You deleted this message)\.?|null"
)
_EDITED = re.compile(r"<(?:This message was edited|Diese Nachricht wurde bearbeitet)>$")
_MARKS = re.compile("[\u200e\u200f\u202a\u202c\u2068\u2069]")
_LEFT_TO_RIGHT = "\u200e"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message or a line of WhatsApp's own: where it starts, its time, and all that follows it."""

    line: int
    date: str
    clock: str
    rest: str

    @property
    def time(self) -> str:
        return f"{self.date}, {self.clock}"


def matches(content: Content) -> bool:
    """Whether the first line (or, should that be damaged, most of the first) starts an entry as WhatsApp
    does, and no other transcript would."""
    first = content.text.lstrip("\n \u200e\u200f").split("\n", FIRST_LINES)[:FIRST_LINES]
    starts = [_start(line, 1) is not None and not _ANY_TRANSCRIPT.match(line) for line in first]
    return starts[0] or sum(starts) * 2 > len(starts)


def read(content: Content, options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation for the whole file."""
    entries = list(_entries(content))
    day_first = options.day_first
    if day_first is None:
        day_first = _day_first([date for date, _entries in groupby(entry.date for entry in entries)])
    either = {date for date in {entry.date for entry in entries} if day_first is None and is_ambiguous(date)}
    unclear = [entry for entry in entries if entry.date in either]
    if unclear:
        content.unclear_dates.extend(entry.time for entry in unclear)
        places = [f"line {entry.line}" for entry in unclear]
        why = f"the time {unclear[0].time!r} could have the day or the month first; say which"
        content.skip_together(places, f"{why}. No message of the file has a time until then")
    turns: list[MessageDraft] = []
    without_text: list[str] = []
    not_said: list[str] = []
    said = [_spoken(entry) for entry in entries]
    names = {spoken[0] for spoken in said if spoken}
    for entry, as_written in zip(entries, said, strict=True):
        where = f"line {entry.line}"
        if (spoken := as_written or _begun_by(entry, names)) is None:
            if _is_damaged(entry.rest, names):
                content.skip(where, "looks like a message, but its speaker's name is damaged; correct it")
            elif _SPEAKER.fullmatch(entry.rest.partition("\n")[0]):
                not_said.append(where)
            continue
        speaker, text = spoken
        if not text.strip():
            without_text.append(where)
            continue
        said_at = None if unclear else parse_time(entry.time, day_first)
        if said_at is None and not unclear:
            content.skip_time(where, entry.time)
        turns.append(MessageDraft(speaker, "person", text, where, said_at))
    content.skip_together(not_said, "marked as WhatsApp's own words (a call, a notice), not said by anyone")
    content.skip_together(without_text, "without text (media that was left out, or a deleted message)")
    yield ConversationDraft([SessionDraft(turns)], split_at_gaps=True)


def _start(line: str, number: int) -> _Entry | None:
    """The entry that a line starts. The text behind its time is kept as it is written."""
    line = line.lstrip(_LEFT_TO_RIGHT + "\u200f")
    spaced = _plain(line)
    for form in _STARTS:
        if found := form.fullmatch(spaced):
            clock = _HALF_AT_END.sub(r" \1m", _POINT.sub(":", found["clock"]))
            return _Entry(number, found["date"], clock, line[found.start("rest") :])
    return None


def _entries(content: Content) -> Iterator[_Entry]:
    """The file's entries, each with the lines that belong to it. A line that has lost its time costs its
    entry, rather than becoming part of the one before."""
    entry: _Entry | None = None
    more: list[str] = []
    damaged = False
    lines = [(line, _start(line, number)) for number, line in enumerate(content.text.split("\n"), 1)]
    usual = Beginnings(_plain(line)[: -len(start.rest) or None] for line, start in lines if start)
    for number, (line, start) in enumerate(lines, 1):
        if start or usual.are_like(_plain(line)):
            if entry:
                yield _whole(entry, more)
            entry, more, damaged = start, [], start is None
            if damaged:
                content.skip(f"line {number}", "looks like a message, but its time is damaged; correct it")
        elif entry:
            more.append(line)
        elif line.strip() and not damaged:
            content.skip(f"line {number}", "text before the first message")
    if entry:
        yield _whole(entry, more)


def _whole(entry: _Entry, more: Sequence[str]) -> _Entry:
    """The entry with the lines that go on with it."""
    return replace(entry, rest="\n".join([entry.rest, *more]).rstrip("\n")) if more else entry


def _plain(line: str) -> str:
    """The line without narrow spaces and marks of direction; what it says stands at its end as it is."""
    return _spaced(line.lstrip(_LEFT_TO_RIGHT + "\u200f"))


def _spaced(text: str) -> str:
    return text.replace("\u202f", " ").replace("\u00a0", " ")


def _spoken(entry: _Entry) -> tuple[str, str] | None:
    """Who says what, None for WhatsApp's own words; the text is empty when it is not in the file."""
    first, _, more = entry.rest.partition("\n")
    found = _SPEAKER.fullmatch(first)
    name = _MARKS.sub("", _spaced(found["name"])).strip("~ ") if found else ""
    if found is None or not name:
        return None
    written = "\n".join([found["text"] or "", more]).strip("\n")
    text = _ATTACHED.sub("", written.removeprefix(_LEFT_TO_RIGHT))
    is_media = text != written.removeprefix(_LEFT_TO_RIGHT)
    text = _MARKS.sub("", text)
    if edited := _EDITED.search(text.rstrip()):
        text = text[: edited.start()].rstrip()
    if _OMITTED.fullmatch(text.strip()):
        return name, ""
    if written.startswith(_LEFT_TO_RIGHT) and not is_media:
        return None
    return name, text.strip() if is_media else text


def _begun_by(entry: _Entry, names: Set[str]) -> tuple[str, str] | None:
    """What someone says whose name a damage has run together with it; other lines without a speaker are
    WhatsApp's own."""
    name, colon, said = entry.rest.partition(":")
    return (name, said) if colon and name in names and said[:1].strip() else None


def _is_damaged(rest: str, names: Set[str]) -> bool:
    """Whether this begins as no words of WhatsApp's own do: with a name, and then with what no sentence
    about someone goes on with."""
    follows = (rest[len(name) : len(name) + 1] for name in names if rest.startswith(name))
    return _DAMAGED_NAME.match(rest) is not None or any(
        mark and not mark.isalnum() and mark not in " :'’,." for mark in follows
    )


def _day_first(dates: Sequence[str]) -> bool | None:
    """How the file writes 03/04: by a number over 12, or by the one reading that is in order of time."""
    readable = [
        date for date in dates if parse_time(date, day_first=True) or parse_time(date, day_first=False)
    ]
    shown = day_first_of(readable)
    if shown is not None or not any(map(is_ambiguous, readable)):
        return shown
    in_order = [day_first for day_first in (True, False) if _is_in_order(readable, day_first)]
    return in_order[0] if len(in_order) == 1 else None


def _is_in_order(dates: Sequence[str], day_first: bool) -> bool:
    days = [parse_time(date, day_first) for date in dates]
    return all(a is not None and b is not None and a <= b for a, b in pairwise(days))
