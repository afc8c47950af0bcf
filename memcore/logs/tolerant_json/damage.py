"""What is whole in a damaged JSON text.

The beginning is read as far as it is sound, and the end backwards as far as it is (`suffix`); both
agree on the containers that the damage lies in, so that what stands before and after it is found at its
own depth, and only what is damaged is lost. Between two damages, elements are found again by being like
those around them. Every damage is told with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memcore.logs.tolerant_json.misplaced import common_names, flattened, list_for, put_right
from memcore.logs.tolerant_json.suffix import Level, Span, sound_end
from memcore.logs.tolerant_json.values import (
    LOST,
    Decoded,
    decode,
    describe_doubled,
    position_of,
    reason_of,
    skip_space,
)

MAX_DEPTH = 64
"""How deep into containers a damage is followed."""

MAX_TRIES = 1000
"""How often, over a whole text, an element is looked for where none is."""

_CLOSING = {"[": "]", "{": "}"}
_ELEMENT = {"[": re.compile(r"(?=\{)"), "{": re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"\s*:\s*(?=\{)')}
_MARKS = " \t\r\n,:[]{}"
_CLOSED = " \t\r\n,:]}"
_STRAY = _MARKS + '"\\'
_CUT_OFF = "the text is cut off"
_NO_COMMA = "Expecting ',' delimiter"


@dataclass(frozen=True, slots=True)
class Child:
    """A child of a container: its name in an object (None in a list), its value, and where it begins."""

    name: str | None
    value: Any
    start: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A damage: where in the text, and what is wrong."""

    at: int
    why: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """What is left of a container, `LOST` in place of children of which nothing is; and every damage."""

    children: list[Child]
    problems: list[Problem]


@dataclass(slots=True)
class _Frame:
    """A container that is open where the damage begins: its sound children, where they end, and name and
    place of the child the damage lies in."""

    opening: str
    sound: int
    children: list[Child] = field(default_factory=list)
    name: str | None = None
    damaged_at: int = 0

    def damaged(self, value: Any) -> Child:
        return Child(self.name, value, self.damaged_at)


def recover(text: str, at: int, end: int, opening: str) -> Recovered:
    """What is whole of a damaged container in `text[:end]`; `at`: behind its opening bracket, or behind a
    sound child."""
    recovery = _Recovery(text)
    children = recovery.children_of(_Frame(opening, at), end)
    return Recovered(children, list(recovery.problems.values()))


def made(opening: str, children: list[Child]) -> Any:
    """The list or object of these children."""
    if opening == "[":
        return put_right([child.value for child in children])
    return put_right({child.name: child.value for child in children if child.name is not None})


class _Recovery:
    """One text, the damages found in it, and how often more may be looked for what is whole."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: dict[int, Problem] = {}
        self._tries = MAX_TRIES

    def _tell(self, problem: Problem) -> None:
        """Report a damage, once however often it is come upon."""
        self.problems.setdefault(problem.at, problem)

    def children_of(self, first: _Frame, end: int) -> list[Child]:
        """The children of the container, of the damaged ones what is left."""
        frames, problem = self._sound_beginning(first, end)
        if first.opening == "[":
            first.children = _gathered(first.children)
        self._tell(problem)
        levels = sound_end(self.text, frames[-1].sound, end, [frame.opening for frame in frames])
        shared = 0
        while shared < min(len(frames), len(levels)) and frames[shared].opening == levels[shared].opening:
            shared += 1
        several = (n for n in range(shared) if self._has_whole(frames[n], levels[n:], end))
        innermost = next(several, max(shared - 1, 0))
        children = self._around(frames[innermost:], levels[innermost:] if shared else [], end)
        for depth in range(innermost - 1, -1, -1):
            value = worthy(made(frames[depth + 1].opening, children))
            frame = frames[depth]
            children = [*frame.children, frame.damaged(value), *self._decoded(levels[depth])]
        return _flattened(children) if first.opening == "[" else children

    # ------------------------------------------------------------ the sound beginning

    def _sound_beginning(self, first: _Frame, end: int) -> tuple[list[_Frame], Problem]:
        """The open containers at the first unsound place, outermost first, and what is wrong there."""
        frames = [first]
        while True:
            problem = self._read_children(frames[-1], end)
            if problem or len(frames) == MAX_DEPTH:
                return frames, problem or Problem(frames[-1].sound, "it is nested too deeply")
            inside = frames[-1].damaged_at if frames[-1].opening == "[" else self._value_of(frames[-1])
            frames.append(_Frame(self.text[inside], inside + 1))

    def _value_of(self, frame: _Frame) -> int:
        return self._name(frame.damaged_at)[1]

    def _read_children(self, frame: _Frame, end: int) -> Problem | None:
        """Read the sound children; what is wrong behind them, or None if the next one is a container that
        is damaged inside."""
        at = skip_space(self.text, frame.sound)
        while at < end:
            if self.text[at] == "," and frame.children:
                at = skip_space(self.text, at + 1)
            frame.damaged_at = at
            if frame.opening == "{":
                frame.name, at, why = self._name(at)
                if why:
                    return Problem(at, why)
            try:
                read = decode(self.text, at)
            except ValueError as error:
                position = position_of(error, at)
                inside = self.text[at : at + 1] in ("[", "{") and position > at
                return None if inside else Problem(position, reason_of(error))
            if problem := self._accept(frame, read, end):
                return problem
            at = skip_space(self.text, read.end)
        return Problem(at, _CUT_OFF)

    def _accept(self, frame: _Frame, read: Decoded, end: int) -> Problem | None:
        """Take a value that could be read for a child, if it is one; what is wrong behind it."""
        follows = skip_space(self.text, read.end)
        mark = self.text[follows] if follows < end else ""
        separated = mark in ("", ",", _CLOSING[frame.opening])
        if separated or isinstance(read.value, dict | list):
            frame.children.append(Child(frame.name, read.value, frame.damaged_at))
            if not separated and frame.opening == "[":
                put_right(read.value)
            frame.sound, frame.name, frame.damaged_at = read.end, None, follows
            if read.doubled:
                self._tell(Problem(read.end, describe_doubled(read.doubled)))
        if not separated:
            return Problem(follows, _NO_COMMA)
        return Problem(follows, "more text after the closing bracket") if mark not in ("", ",") else None

    def _name(self, at: int) -> tuple[str | None, int, str]:
        """The name of an object's member and where its value begins; or where it is wrong, and what."""
        try:
            read = decode(self.text, at)
        except ValueError as error:
            return None, position_of(error, at), reason_of(error)
        colon = skip_space(self.text, read.end)
        if not isinstance(read.value, str) or self.text[colon : colon + 1] != ":":
            return None, at, "Expecting a name and ':'"
        return read.value, skip_space(self.text, colon + 1), ""

    # ------------------------------------------------------------ around the damage

    def _decoded(self, level: Level) -> list[Child]:
        """The children of a container of which the end is known."""
        return [self._decoded_child(level, span) for span in level.children]

    def _decoded_child(self, level: Level, span: Span) -> Child:
        name: str | None = None
        try:
            if level.opening == "{":
                name = decode(self.text, span.start).value
            read = decode(self.text, span.value)
        except ValueError as error:
            self._tell(Problem(position_of(error, span.value), reason_of(error)))
            return Child(name, LOST, span.start)
        if read.doubled:
            self._tell(Problem(span.start, describe_doubled(read.doubled)))
        return Child(name, read.value, span.start)

    def _around(self, frames: list[_Frame], levels: list[Level], end: int) -> list[Child]:
        """The children of the innermost container that is open on both sides of the damage; where nothing
        is known of the end (there are no `levels`), of the outermost one."""
        frame, level, deeper = frames[0], levels[0] if levels else None, levels[1:]
        after = self._decoded(level) if level else []
        until = _until(levels, end)
        if between := list(self._between(frame, after, until)):
            return [*frame.children, *between, *after]
        begun, ended = self._begun(frames[1:]), self._ended(deeper)
        if begun is LOST and (goes_on := _that_goes_on(frame, ended)) is not None:
            last = frame.children[goes_on]
            frame.children[goes_on] = Child(last.name, _together(last.value, ended), last.start)
            return [*frame.children, *after]
        damaged = frame.damaged(ended if begun is LOST else begun)
        only_marks = not self.text[frame.sound : until].strip(_MARKS if level else _CLOSED)
        nothing = damaged.value is LOST and (only_marks or (damaged.name is None and frame.opening == "{"))
        return [*frame.children, *([] if nothing else [damaged]), *after]

    def _begun(self, frames: list[_Frame]) -> Any:
        """What a damaged child was before the damage."""
        value: Any = LOST
        for frame in reversed(frames):
            inside = [] if value is LOST else [frame.damaged(value)]
            value = worthy(made(frame.opening, [*frame.children, *inside]))
        return value

    def _ended(self, levels: list[Level]) -> Any:
        """What a damaged child is after the damage."""
        value: Any = LOST
        for level in reversed(levels):
            inside = [] if value is LOST else [Child(None, value, level.closed_at)]
            value = made(level.opening, [*inside, *self._decoded(level)]) or LOST
        return value

    # ------------------------------------------------------------ between two damages

    def _has_whole(self, frame: _Frame, levels: list[Level], end: int) -> bool:
        """Whether a whole element stands where one is damaged: then more than one is, and the containers
        that are open on both sides are not the same ones."""
        values = [child.value for child in (*frame.children, *self._decoded(levels[0]))]
        whole = self._elements_like(frame.opening, frame.sound, _until(levels, end), common_names(values))
        return next(whole, None) is not None

    def _between(self, frame: _Frame, after: list[Child], until: int) -> Iterator[Child]:
        """What stands between the first and the last damage in a container: whole elements like those
        around them, and of the damaged ones what is left. Nothing if there is no whole one."""
        like = common_names([child.value for child in (*frame.children, *after)])
        at = frame.sound
        for child, ends in self._elements_like(frame.opening, at, until, like):
            yield from self._left_of(frame.opening, at, child.start)
            yield child
            at = ends
        if at > frame.sound:
            yield from self._left_of(frame.opening, at, until)

    def _elements_like(
        self, opening: str, at: int, until: int, like: frozenset[str]
    ) -> Iterator[tuple[Child, int]]:
        while like and self._tries > 0 and (found := _ELEMENT[opening].search(self.text, at, until)):
            at = found.end()
            try:
                read = decode(self.text, at)
            except ValueError:
                self._tries -= 1
                at += 1
                continue
            at = read.end
            if isinstance(read.value, dict) and like <= read.value.keys() and read.end <= until:
                name = self._name(found.start())[0] if opening == "{" else None
                yield Child(name, read.value, found.start()), read.end

    def _left_of(self, opening: str, at: int, until: int) -> Iterator[Child]:
        """What is left of a damaged element between two whole ones; nothing where only commas stand."""
        at = skip_space(self.text, at)
        while at < until and self.text[at] == ",":
            at = skip_space(self.text, at + 1)
        if at >= until:
            return
        start, name = at, None
        if opening == "{":
            name, at, _why = self._name(at)
        value: Any = LOST
        if at < until and self.text[at] in _CLOSING and self._tries > 0:
            self._tries -= 1
            inner = self.text[at]
            value = worthy(made(inner, self.children_of(_Frame(inner, at + 1), until)))
        else:
            self._tell(Problem(at, "not a whole element"))
            if not self.text[at:until].strip(_STRAY):
                return
        yield Child(name, value, start)


def _until(levels: list[Level], end: int) -> int:
    """Where the damaged children of a container end, of which this is the end, and what is open in it."""
    if not levels:
        return end
    outer, deeper = levels[0], levels[1:]
    until = outer.children[0].start if outer.children else outer.closed_at
    return min(until, deeper[0].closed_at + 1) if deeper else until


def worthy(value: Any) -> Any:
    """The value if something whole is left in it, else `LOST`: half a message is no message."""
    children = value.values() if isinstance(value, dict) else value
    return value if any(isinstance(child, dict | list) and child for child in children) else LOST


def _flattened(children: list[Child]) -> list[Child]:
    found = flattened([child.value for child in children])
    return [Child(None, value, children[origin].start) for origin, value in found]


def _gathered(children: list[Child]) -> list[Child]:
    """The elements of a list, without those that belong into a list within the one before: stray brackets
    had closed that."""
    kept: list[Child] = []
    for child in children:
        inner = list_for(child.value, kept[-1].value) if kept else None
        if inner is None:
            kept.append(child)
        else:
            inner.append(child.value)
    return kept


def _that_goes_on(frame: _Frame, rest: Any) -> int | None:
    """Which child that seemed to be closed this is the rest of: of a list only the last, not another one."""
    last = len(frame.children) - 1
    for number in range(last, -1 if frame.opening == "{" else last - 1, -1):
        value = frame.children[number].value if number >= 0 else None
        if isinstance(value, list) and isinstance(rest, list):
            return number
        if (
            number == last
            and isinstance(value, dict)
            and isinstance(rest, dict)
            and value.keys().isdisjoint(rest)
        ):
            return number
    return None


def _together(one: Any, rest: Any) -> Any:
    if isinstance(one, list):
        return [*one, *rest]
    return put_right({**rest, **one})
