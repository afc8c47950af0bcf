"""Plain and Markdown transcripts: who said what, as people write it down.

A message starts with one of

    [2024-03-05 18:30] Ana: text      (2024-03-05 18:30) Ana: text     2024-03-05 18:30 Ana: text
    Ana [18:30]: text                 Ana: text
    **Ana:** text                     **Ana** (18:30): text            ## Ana   (text on the next lines)

and goes on over the lines that start no other. A line or heading that is a date (`## 5 March 2024`,
`--- 2024-03-05 ---`, `Session 2, 5 March 2024`) starts a session and dates the clock times below it.

`Note: bring shoes` looks like a message too. With a time before it, a line is one; otherwise the name
must be a role (`User`, `Assistant`), or start lines at least twice, unless every line is like that or
fewer than two people would be left. When an assistant speaks, only roles do: its answers are full of
bold labels and headings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from memcore.logs.assemble import SESSION_GAP
from memcore.logs.damaged_starts import Beginnings
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import ROLES, role_of
from memcore.logs.times import day_first_of, is_ambiguous, parse_clock, parse_time

_NAME = r"(?P<name>[^\W\d_](?:[^\n:*#\[\]<>|{}\"“”?!;=/]{0,38}[^\s:*#\[\]<>|{}\"“”?!;=,/(])?)"
_TIME = r"(?:[\[(](?P<time>[^\])\n]{3,40})[\])])"
_BARE_TIME = r"(?P<bare>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)"
_TEXT = r"(?:\s+(?P<text>.*))?"
_STAMP = rf"(?:{_TIME}|{_BARE_TIME})"
_STARTS = tuple(
    (style, re.compile(r"(?:[-*] )?" + form))
    for style, form in (
        ("timed", rf"{_STAMP}\s*[-–—]?\s*(?:\*\*)?{_NAME}(?:\*\*)?\s*:(?:\*\*)?{_TEXT}"),
        ("timed", rf"(?:\*\*)?{_NAME}(?:\*\*)?\s*{_TIME}\s*:(?:\*\*)?{_TEXT}"),
        ("bold", rf"\*\*{_NAME}\s*(?::\*\*|\*\*\s*:)\s*(?P<text>.*)"),
        ("heading", rf"#{{1,6}}\s+(?:\*\*)?{_NAME}(?:\*\*)?\s*{_TIME}?\s*:?(?P<text>)"),
        ("plain", rf"{_NAME}:{_TEXT}"),
    )
)
_LABELS = frozenset(
    "note notes ps p.s nb n.b todo edit update re fwd cc subject warning tip tips example e.g i.e "
    "http https ftp mailto ingredients instructions steps step total summary source link title date "
    "time price answer question".split()
)
_NO_DIGIT = re.compile(r"\D*")
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*")
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*")
_SESSION_WORD = re.compile(r"(?:session|chat|day|conversation)\s*#?\d+\b[\s,:(–—-]*", re.IGNORECASE)
MAX_WORDS = 4
MAX_TITLE = 200
DETECT_LINES = 2000


@dataclass(frozen=True, slots=True)
class _Start:
    """The line that begins a message."""

    style: str
    name: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the file; `start` when it looks like the beginning of a message."""

    number: int
    text: str
    start: _Start | None


def matches(content: Content) -> bool:
    """Whether lines start messages of at least two turns, or all of them do."""
    if content.head or content.text.lstrip()[:1] in "<{":
        return False
    lines = _lines(content.text.split("\n", DETECT_LINES)[:DETECT_LINES])
    speakers = _speakers(lines)
    spoken = sum(_speaks(line.start, speakers) for line in lines)
    return spoken >= 2 or (spoken == 1 and sum(bool(line.text.strip()) for line in lines) == 1)


def read(content: Content, options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation for the whole file."""
    lines = _lines(content.text.split("\n"))
    day_first = options.day_first
    if day_first is None:
        day_first = day_first_of(line.start.time for line in lines if line.start)
    timed = (line for line in lines if line.start and line.start.time)
    usual = Beginnings(line.text[: -len(line.start.text) or None] for line in timed if line.start)
    reader = _TranscriptReader(content, _speakers(lines), day_first, usual)
    for line in lines:
        reader.take(line)
    reader.finish()
    yield ConversationDraft(reader.sessions, title=reader.title, split_at_gaps=True)


def _lines(texts: list[str]) -> list[_Line]:
    return [_Line(number, text, _start(text)) for number, text in enumerate(texts, 1)]


def _start(line: str) -> _Start | None:
    line = line.strip()
    if ":" not in line and not line.startswith("#"):
        return None
    for style, form in _STARTS:
        if found := form.fullmatch(line[:200] if style == "heading" else line):
            parts = found.groupdict()
            stated = parts.get("time") or parts.get("bare") or ""
            if style == "timed" and not _is_time(stated):
                continue
            text, name = parts.get("text") or "", parts["name"].strip()
            if len(name.split()) > MAX_WORDS or parse_time(name, day_first=True):
                continue
            return _Start(style, name, stated if stated and _is_time(stated) else "", text)
    return None


def _is_time(text: str) -> bool:
    return bool(parse_clock(text) or parse_time(text, day_first=True) or parse_time(text, day_first=False))


def _speakers(lines: list[_Line]) -> dict[str, set[str]]:
    """For each style, the names that speak in it."""
    starts = [line.start for line in lines if line.start]
    timed = {start.name for start in starts if start.style == "timed"}
    roles = {start.name for start in starts if start.name.lower() in ROLES}
    if not timed and len({role_of(name) for name in roles}) >= 2:
        return dict.fromkeys(("timed", "bold", "heading", "plain"), roles)
    counts = Counter((start.style, start.name) for start in starts if start.name.lower() not in _LABELS)
    often = {style: {name for (s, name), n in counts.items() if s == style and n > 1} for style, _ in _STARTS}
    filled = sum(bool(line.text.strip()) and not _RULE.fullmatch(line.text) for line in lines)
    frequent = timed.union(*often.values())
    if not timed and (len(starts) == filled or len(frequent) < 2):
        often = {style: {name for s, name in counts if s == style} for style, _ in _STARTS}
    return {style: names | timed | (roles if not timed else set()) for style, names in often.items()}


def _speaks(start: _Start | None, speakers: dict[str, set[str]]) -> bool:
    return start is not None and (start.style == "timed" or start.name in speakers[start.style])


class _TranscriptReader:
    """What has been read of one transcript, line by line."""

    def __init__(
        self, content: Content, speakers: dict[str, set[str]], day_first: bool | None, usual: Beginnings
    ) -> None:
        self._content = content
        self._usual = usual
        self._damaged = False
        self._speakers = speakers
        self._day_first = day_first
        self.sessions: list[SessionDraft] = [SessionDraft([])]
        self.title = ""
        self._message: MessageDraft | None = None
        self._more: list[str] = []
        self._day: datetime | None = None
        self._clock: timedelta | None = None

    def take(self, line: _Line) -> None:
        """Take the next line: a date, the start of a message, or more of the last one."""
        if self._starts_session(line):
            return
        start, where = line.start, f"line {line.number}"
        speaks = start and _speaks(start, self._speakers)
        if not speaks and self._usual.are_like(line.text):
            self._end_message()
            self._damaged = True
            self._content.skip(where, "looks like a message, but its time or name is damaged; correct it")
        elif start and speaks:
            self._end_message()
            self._damaged = False
            said_at, clock = self._when(start.time, where)
            self._message = MessageDraft(start.name, role_of(start.name), start.text, where, said_at, clock)
        elif self._message:
            self._more.append(line.text)
        elif self._damaged:
            pass  # more of the message that was reported
        elif not self.title and (heading := _HEADING.fullmatch(line.text[:MAX_TITLE])):
            self.title = heading["title"]
        elif line.text.strip() and not _RULE.fullmatch(line.text):
            self._content.skip(where, "text before the first speaker")

    def finish(self) -> None:
        """The file ends. A session that a mere date started began with its first message."""
        self._end_message()
        for number, session in enumerate(self.sessions):
            first = next((turn.said_at for turn in session.turns if turn.said_at), None)
            if first and session.started_at and session.started_at == datetime.combine(first, time()):
                self.sessions[number] = replace(session, started_at=first)

    def _end_message(self) -> None:
        if self._message is None:
            return
        while self._more and (not self._more[-1].strip() or _RULE.fullmatch(self._more[-1])):
            self._more.pop()
        first = self._message
        text = "\n".join([first.text, *self._more]).strip("\n")
        if text.strip():
            self.sessions[-1].turns.append(replace(first, text=text))
        else:
            self._content.skip(first.where, f"a message of {first.speaker} without text")
        self._message, self._more = None, []

    def _starts_session(self, line: _Line) -> bool:
        """Whether the line is a date or a numbered session, and so starts one."""
        if len(line.text) > MAX_TITLE or _NO_DIGIT.fullmatch(line.text):
            return False
        heading = _HEADING.fullmatch(line.text.strip())
        words = (heading["title"] if heading else line.text).strip().strip("-–—=*[]_ ")
        if line.start and not heading:
            return False
        rest = _SESSION_WORD.sub("", words, count=1).strip("() ")
        day = parse_time(rest, self._day_first)
        if day is None and not (heading and not rest):
            return False
        self._end_message()
        self._day, self._clock = day, None
        self.sessions.append(SessionDraft([], day, title=words if rest != words else ""))
        return True

    def _when(self, stated: str, where: str) -> tuple[datetime | None, timedelta | None]:
        """A message's time, or its clock time when no date is known."""
        if not stated:
            return None, None
        clock = parse_clock(stated)
        if clock is None:
            said_at = parse_time(stated, self._day_first)
            if said_at is None and is_ambiguous(stated):
                self._content.skip_time(where, stated)
            return said_at, None
        self._clock = _next_clock(self._clock, clock)
        if self._day is None:
            return None, self._clock
        return datetime.combine(self._day, time()) + self._clock, None


def _next_clock(last: timedelta | None, clock: time) -> timedelta:
    """Time since the first midnight; a clock that goes far back has passed midnight."""
    since = timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second)
    if last is None:
        return since
    since += timedelta(days=last.days)
    return since + timedelta(days=1) if last - since > SESSION_GAP else since
