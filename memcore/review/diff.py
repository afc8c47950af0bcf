"""Word-level differences for a person to read, with nothing in them that the eye would miss.

Parts always join back to the exact texts: the equal and deleted ones to the text before, the equal
and inserted ones to the text after. This module knows no colours and no HTML; whoever draws a part
passes its text through `show_hidden` and escapes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|\s+|[^\w\s]")
# difflib is quadratic without its "popular tokens are junk" shortcut: fine for memories, not for books.
_LONG = 2_000
_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A run of text that both versions share, or only one has. `folded` > 0 says that a reader can
    do without these unchanged words, and how many they are; the text is still complete."""

    op: Literal["equal", "insert", "delete"]
    text: str
    folded: int = 0


def word_diff(before: str, after: str) -> tuple[DiffPart, ...]:
    """What changed, word by word; a replaced run is its deletion followed by its insertion.

    >>> [(p.op, p.text) for p in word_diff("Melanie has a dog", "Melanie has two dogs")]
    [('equal', 'Melanie has '), ('delete', 'a dog'), ('insert', 'two dogs')]
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > _LONG)
    opcodes = matcher.get_opcodes()
    parts: list[DiffPart] = []
    deleted = inserted = ""
    for place, (op, i1, i2, j1, j2) in enumerate(opcodes):
        left, right = "".join(old[i1:i2]), "".join(new[j1:j2])
        between_changes = 0 < place < len(opcodes) - 1
        if op == "equal" and not (between_changes and left.isspace()):
            parts += _changed(deleted, inserted)
            deleted = inserted = ""
            parts.append(DiffPart("equal", left))
        else:  # a space between two changed words reads better as part of one change
            deleted, inserted = deleted + left, inserted + right
    return (*parts, *_changed(deleted, inserted))


def fold(parts: Iterable[DiffPart], *, context: int = 8, least: int = 12) -> tuple[DiffPart, ...]:
    """Mark the middle of long unchanged runs as foldable, leaving `context` words beside a change.

    Runs are folded only where at least `least` words would be spared.
    """
    parts = tuple(parts)
    folded: list[DiffPart] = []
    for place, part in enumerate(parts):
        tokens = _TOKEN.findall(part.text)
        words = [i for i, token in enumerate(tokens) if not token.isspace()]
        head = context if place > 0 else 0
        tail = context if place < len(parts) - 1 else 0
        spared = len(words) - head - tail
        if part.op != "equal" or spared < least:
            folded.append(part)
            continue
        start = words[head] if head else 0
        end = words[len(words) - tail] if tail else len(tokens)
        pieces = (
            ("".join(tokens[:start]), 0),
            ("".join(tokens[start:end]), spared),
            ("".join(tokens[end:]), 0),
        )
        folded += [DiffPart("equal", text, count) for text, count in pieces if text]
    return tuple(folded)


def show_hidden(text: str) -> str:
    """Replace what a reader cannot see (control, bidirectional, zero-width, tag and filler
    characters) by its code point. Line breaks, tabs and the joiners inside emoji stay.

    >>> show_hidden("pay\\u202epal\\u200b")
    'pay⟨U+202E⟩pal⟨U+200B⟩'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨U+{ord(c):04X}⟩" if _is_hidden(text, i) else c for i, c in enumerate(text))


def _changed(deleted: str, inserted: str) -> Sequence[DiffPart]:
    parts = (DiffPart("delete", deleted), DiffPart("insert", inserted))
    return [part for part in parts if part.text]


def _is_hidden(text: str, place: int) -> bool:
    char = text[place]
    if char.isascii():
        return not char.isprintable() and char not in "\n\t"
    if char in (_JOINER, _EMOJI_STYLE):
        return not _is_symbol(text, place - 1)
    category = unicodedata.category(char)
    variation_selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return (
        category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or variation_selector or char in _BLANK_LETTERS
    )


def _is_symbol(text: str, place: int) -> bool:
    """Whether a picture character stands there, or its colour, style or keycap base."""
    if place < 0:
        return False
    char = text[place]
    if char == _EMOJI_STYLE:
        return _is_symbol(text, place - 1)
    return unicodedata.category(char) in ("So", "Sk") or char in "0123456789#*‼⁉↔"
