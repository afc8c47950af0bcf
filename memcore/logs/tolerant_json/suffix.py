"""The end of a JSON text, read backwards as far as it is sound.

From the end, every closing bracket says how deep what stands before it lies. So what follows a damage is
read at its own depth, whatever the damage did to quotes and brackets: its list is neither taken for closed
nor for another one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_QUOTE = r'"(?=(?:\\\\)*(?!\\))'  # in reversed text an escaped quote is one that a backslash follows
_INSIDE = r'[^"\x00-\x1f]'
# No possessive quantifiers: with those of Python 3.11.2 (Debian 12) good records were lost.
_TOKEN = re.compile(
    rf"[ \t\r\n]*(?:(?P<string>{_QUOTE}{_INSIDE}*(?:(?!{_QUOTE})\"{_INSIDE}*)*{_QUOTE})"
    r"|(?P<mark>[\[\]{},:])|(?P<scalar>[-+.\w]+))"
)
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|NaN|-?Infinity")
_OPENING = {"]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Span:
    """A child of a container: where it (in an object: its name) begins, where its value does, and where
    that ends."""

    start: int
    value: int
    end: int


@dataclass(slots=True)
class Level:
    """A container of which only the end is known: `opening` is how it would begin, `closed_at` where its
    closing bracket stands, `children` what stands before that, in order, as far back as it is sound."""

    opening: str
    closed_at: int
    children: list[Span] = field(default_factory=list)
    expects: str = "first"
    value: tuple[int, int] = (0, 0)
    name: int = -1

    def take_value(self, start: int, end: int) -> bool:
        """A value ends here; whether one may."""
        if self.expects == "name":
            return False
        if self.expects not in ("first", "value"):
            return False
        self.value = (start, end)
        self.expects = "colon" if self.opening == "{" else "comma"
        return True

    def accept(self) -> None:
        """The value that was read is a child."""
        start = self.name if self.opening == "{" else self.value[0]
        self.children.append(Span(start, *self.value))


def sound_end(text: str, floor: int, end: int, openings: Sequence[str]) -> list[Level]:
    """The containers that are open at the first unsound place before `end`, outermost first; none where
    the text does not end with a closing bracket. Nothing before `floor` is looked at. `openings`: the
    containers that are open there seen from the beginning. Linear in time."""
    backwards = text[floor:end][::-1]
    levels: list[Level] = []
    closed: list[Level] = []  # just before, innermost first
    at = 0
    while found := _TOKEN.match(backwards, at):
        at, kind = found.end(), found.lastgroup or ""
        innermost, depth = (levels[-1] if levels else None), len(levels)
        fits = kind != "scalar" or _SCALAR.fullmatch(found["scalar"][::-1]) is not None
        if not fits or not _read(levels, kind, text[end - at], end - at, end - found.start(kind)):
            break
        if innermost and len(levels) < depth:
            closed.append(innermost)
        else:
            closed = []
        if not levels:
            break
    if closed and len(levels) < len(openings) and openings[len(levels)] == closed[-1].opening:
        while closed and len(levels) < len(openings) and openings[len(levels)] == closed[-1].opening:
            _reopen(levels, closed.pop())
    elif at == len(backwards):
        _at_the_floor(levels)
    for level in levels:
        level.children.reverse()
    return levels


def _reopen(levels: list[Level], closed: Level) -> None:
    """What seemed to begin the innermost container was a stray bracket: it begins further ahead."""
    if levels and levels[-1].children and levels[-1].children[-1].value == levels[-1].value[0]:
        levels[-1].children.pop()
    levels.append(closed)


def _read(levels: list[Level], kind: str, mark: str, start: int, end: int) -> bool:
    """One token more, from the right; whether it may stand there."""
    level = levels[-1] if levels else None
    if kind == "mark" and mark in _OPENING:
        if level and level.expects not in ("first", "value"):
            return _unseparated(level)
        levels.append(Level(_OPENING[mark], start))
        return True
    if level is None:
        return False
    if kind == "string" and level.expects == "name":
        level.name, level.expects = start, "comma"
        return True
    if kind != "mark":
        return level.take_value(start, end) or _unseparated(level)
    if mark == ":":
        fits, level.expects = level.expects == "colon", "name"
        return fits
    if level.expects == "comma":
        level.accept()
    elif mark == "," or level.expects != "first":
        return False
    if mark == ",":
        level.expects = "value"
        return True
    return _opened(levels, mark, start)


def _opened(levels: list[Level], mark: str, start: int) -> bool:
    """A container begins here: it is a whole value of the one around it."""
    level = levels.pop()
    if level.opening != mark or (levels and not levels[-1].take_value(start, level.closed_at + 1)):
        levels.append(level)
        return False
    return True


def _unseparated(level: Level) -> bool:
    """What precedes a child is no comma: it is a child all the same."""
    if level.expects == "comma":
        level.accept()
    return False


def _at_the_floor(levels: list[Level]) -> None:
    if levels and levels[-1].expects == "comma":
        levels[-1].accept()
