"""Raw message text to clean prose, remembering for every character where it came from.

Removes code blocks, Markdown, the tags of a message that is marked up as a whole and emoji around
sentences; sets shared images aside. What is literal within a sentence (a tag, a URL, `code`, an emoji) is
kept as written. It does not judge content and changes no word (see `spelling`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aligned:
    """`text`, and for each of its characters (and its end) the offset in the raw message."""

    text: str
    origin: tuple[int, ...]

    @classmethod
    def of(cls, raw: str) -> Aligned:
        """A text that is still as it was written."""
        return cls(raw, tuple(range(len(raw) + 1)))

    def sub(self, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Aligned:
        """`re.sub`, keeping the alignment: inserted characters point at where the match began."""
        parts: list[str] = []
        origin: list[int] = []
        last = 0
        for match in pattern.finditer(self.text):
            new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
            parts += (self.text[last : match.start()], new)
            origin += self.origin[last : match.start()]
            origin += [self.origin[match.start()]] * len(new)
            last = match.end()
        if not parts:
            return self
        parts.append(self.text[last:])
        origin += self.origin[last:]
        return Aligned("".join(parts), tuple(origin))

    def cut(self, start: int, end: int) -> Aligned:
        """The characters start:end, without surrounding whitespace."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        if start == end:
            return Aligned("", (self.origin[start],))
        return Aligned(self.text[start:end], self.origin[start : end + 1])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The raw characters that text[start:end] stands for."""
        piece = self.cut(start, end)
        return piece.origin[0], piece.origin[-1]

    @property
    def start(self) -> int:
        """Where its first character stood."""
        return self.origin[0]

    @property
    def end(self) -> int:
        """Where it ended."""
        return self.origin[-1]


@dataclass(frozen=True, slots=True)
class SharedImage:
    """A picture's caption, as the log reader appended it, and where it stands in the message."""

    caption: str
    start: int
    end: int


_IMAGE = re.compile(
    r"\[\s*(?:shared image|shared? (?:an? )?(?:image|photo|picture)|shares? (?:an? )?(?:image|photo|picture))"
    r"\s*:\s*([^\]\n]*)\]",
    re.IGNORECASE,
)
_PHOTOGRAPHY = re.compile(r"(?<=\ba )photography(?= of\b)")
"""As captioning models call a photograph."""
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_MARKUP = re.compile(
    r"\s*<(?:!doctype|html|head|body|div|p|span|table|ul|ol|h[1-6]|br|b|i|a|font|title)\b", re.I
)
"""How a message begins that is marked up as a whole."""
_MARKS = re.compile(
    r"\*\*|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])|^[ \t]{0,3}#{1,6}[ \t]+",
    re.MULTILINE,
)
LITERAL = re.compile(r"<[^<>\n]+>(?:[^<>\n]{0,80}</[^<>\n]+>)?|`[^`\n]+`|\bhttps?://\S+|\bwww\.\S+")
"""What stands within a sentence as written: tags with what they enclose, inline code, addresses."""
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200d\u20e3]+"
    r"|(?<!\S)(?:[:;]-?[)(DPp]|<3|xD|XD|\^\^)(?!\S)"
)
_FACE = re.compile("[\U0001f600-\U0001f64f\U0001f910-\U0001f917\U0001f920-\U0001f92f\U0001f970-\U0001f97a]")
"""A mood between two remarks; it stands for no word."""
_LETTERS = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u2026": "..."}
_TYPOGRAPHY = re.compile("|".join(_LETTERS))


def clean(raw: str) -> tuple[Aligned, tuple[SharedImage, ...]]:
    """The prose of a message, and the images shared in it.

    >>> prose, images = clean("I'm **in**!  [shared image: a lake]")
    >>> prose.text, images[0].caption
    ("I'm in!", 'a lake')
    """
    images = tuple(
        SharedImage(_PHOTOGRAPHY.sub("photograph", match.group(1).strip()), *match.span())
        for match in _IMAGE.finditer(raw)
        if match.group(1).strip()
    )
    aligned = Aligned.of(raw).sub(_IMAGE, "").sub(_CODE, "\n").sub(_TYPOGRAPHY, lambda m: _LETTERS[m.group()])
    if _MARKUP.match(aligned.text):
        aligned = aligned.sub(_TAG, " ")
    aligned = aligned.sub(_MARKS, "").sub(_EMOJI, _beside_words)
    return aligned.cut(0, len(aligned.text)), images


def literals(text: str) -> list[tuple[int, int]]:
    """Where a text is to be kept as written."""
    return [match.span() for match in LITERAL.finditer(text)]


def _beside_words(emoji: re.Match[str]) -> str:
    """An emoji between the words of a sentence stays; elsewhere it ends one, or says nothing."""
    start, end = emoji.span()
    before = emoji.string[max(0, start - 2) : start].rstrip(" ")[-1:]
    after = emoji.string[end : end + 2].lstrip(" ")[:1]
    if after in {",", ".", "!", "?"}:
        return " "
    if not after.islower() or _FACE.match(emoji.group()):
        return "\n"
    return emoji.group() if before.isalnum() and not emoji.group().isascii() else " "
