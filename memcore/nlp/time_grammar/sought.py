"""Patterns that are tried only on texts in which they can match.

Most rules match nothing in most texts, and to find that out takes a regular expression up to half a
millisecond a long message. Whether a text holds words that every match holds is told in a hundredth of that,
and leaves out no match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

Needs = tuple[tuple[str, ...], ...]
"""Groups of words and parts of words, in small letters: of each, a match holds at least one."""

_ALSO: Final = str.maketrans({"İ": "i", "ı": "i", "ſ": "s"})
"""What a pattern that ignores case takes for letters of ASCII, beside what small letters make them."""


def small_letters(text: str) -> str:
    """A text as `Sought` and `Alternatives` look for words in it.

    >>> small_letters("On SUNDAY")
    'on sunday'
    """
    return (text if text.isascii() else text.translate(_ALSO)).lower()


def needs_of(*groups: str) -> Needs:
    """Needs, each group divided by blanks."""
    return tuple(tuple(group.split()) for group in groups)


@dataclass(frozen=True, slots=True)
class Sought:
    """A pattern, and what a text has to hold for it to match anywhere."""

    pattern: re.Pattern[str]
    needs: Needs

    def finditer(self, text: str, letters: str) -> Iterator[re.Match[str]]:
        """The matches in a text, also given as `small_letters`."""
        return self.pattern.finditer(text) if _meets(letters, self.needs) else iter(())


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A pattern that is the first of several to match, as sources with what each needs. Those that cannot
    match in a text are left out of it."""

    sources: tuple[tuple[str, Needs], ...]

    def finditer(self, text: str, letters: str) -> Iterator[re.Match[str]]:
        """As `Sought.finditer`."""
        possible = tuple(source for source, needs in self.sources if _meets(letters, needs))
        return _any_of(possible).finditer(text) if possible else iter(())


def sought(source: str, *needs: str) -> Sought:
    """A regular expression that ignores case, with `needs_of` its matches."""
    return Sought(re.compile(source, re.IGNORECASE), needs_of(*needs))


def first_of(*alternatives: tuple[str, ...]) -> Alternatives:
    """The first of several to match, each as `sought` takes it."""
    return Alternatives(tuple((source, needs_of(*needs)) for source, *needs in alternatives))


def _meets(letters: str, needs: Needs) -> bool:
    return all(any(word in letters for word in group) for group in needs)


@lru_cache(maxsize=256)
def _any_of(sources: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(sources), re.IGNORECASE)
