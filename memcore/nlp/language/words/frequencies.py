"""How often something is done, and how long one go of it took: "twice a week", "every other week", "25:50".

The phrases of a clause with what they come to, so that "weekly" and "once a week" are one frequency.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memcore.nlp.language.words.inflection import FIGURES

FREQUENCY = "frequency"
LENGTH = "length"
_UNIT = r"(?P<unit>day|weekday|weekend|week|month|year|morning|evening|night)"
_NUMBER = rf"\d+|{'|'.join(FIGURES)}"
_TIMES = re.compile(
    rf"\b(?:(?P<once>once|twice|thrice)|(?P<n>{_NUMBER}) (?:times|days|nights|mornings|evenings))"
    rf" (?:a|per|each|every) {_UNIT}\b",
    re.IGNORECASE,
)
_SO_OFTEN = re.compile(
    r"\b(?P<n>once|twice|thrice)\b(?=$|[.,;!]| (?:so far|now|already|this|in|since|with|before)\b)",
    re.IGNORECASE,
)
"""How many times in all, and no more often than that: "has seen it twice"."""
_EVERY = re.compile(rf"\b(?:every|each) (?:single )?(?:(?P<n>other|{_NUMBER}) )?{_UNIT}s?\b", re.IGNORECASE)
_WEEKDAY = "|".join(calendar.day_name)
_EVERY_WEEKDAY = re.compile(
    rf"\bevery (?:single )?(?P<other>other |second )?(?:{_WEEKDAY})\b"
    rf"(?!,? (?:and |or )?(?:{_WEEKDAY}))"
)
_OF_THE_MONTH = re.compile(
    rf"\b(?:first|second|third|fourth|last) (?:{_WEEKDAY}) (?:of|in) (?:each|every|the) month\b"
)
_ADVERB = re.compile(
    r"\b(?P<word>daily|weekly|bi-?weekly|fortnightly|monthly|yearly|annually)\b(?=$|[.,;!]| [a-z])"
)
"""In small letters: "The Daily News" says nothing of how often."""
_ADVERBS = {
    "daily": "1 a day",
    "weekly": "1 a week",
    "biweekly": "1 in 2 weeks",
    "fortnightly": "1 in 2 weeks",
    "monthly": "1 a month",
    "yearly": "1 a year",
    "annually": "1 a year",
}
_CLOCK = re.compile(r"\b(?P<length>\d{1,3}:\d\d(?::\d\d)?)\b(?!\s*[ap]\.?m)", re.IGNORECASE)
_SPELT = re.compile(
    r"\b(?P<minutes>\d{1,3}) minutes?,?(?: and)? (?P<seconds>\d{1,2}) seconds?\b", re.IGNORECASE
)
_OF_A_GO = re.compile(
    r"\b(?:best|record|fastest|quickest|pr|pb|finish\w*|complet\w*|ran|swam|time of|\d+ ?k)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a clause, from `start` to `end`, that comes to `value` of `counted`."""

    value: str
    counted: str
    start: int
    end: int


def phrases(clause: str) -> Iterator[Phrase]:
    """The frequencies of a clause, and where it tells of a go at something, how long that took.

    >>> [p.value for p in phrases("Ann sees the coach every other week")]
    ['1 in 2 weeks']
    """
    for match in _TIMES.finditer(clause):
        times = match["n"] or match["once"]
        yield _phrase(match, f"{_figure(times)} a {match['unit'].lower()}")
    for match in _SO_OFTEN.finditer(clause):
        yield Phrase(_figure(match["n"]), "time", match.start(), match.end())
    for match in _EVERY.finditer(clause):
        unit, every = match["unit"].lower(), (match["n"] or "").lower()
        figure = "2" if every == "other" else _figure(every)
        yield _phrase(match, f"1 in {figure} {unit}s" if every else f"1 a {unit}")
    for match in _EVERY_WEEKDAY.finditer(clause):
        yield _phrase(match, "1 in 2 weeks" if match["other"] else "1 a week")
    for match in _OF_THE_MONTH.finditer(clause):
        yield _phrase(match, "1 a month")
    for match in _ADVERB.finditer(clause):
        yield _phrase(match, _ADVERBS[match["word"].lower().replace("-", "")])
    if _OF_A_GO.search(clause):
        for match in _CLOCK.finditer(clause):
            yield Phrase(match["length"], LENGTH, match.start(), match.end())
        for match in _SPELT.finditer(clause):
            length = f"{match['minutes']}:{int(match['seconds']):02d}"
            yield Phrase(length, LENGTH, match.start(), match.end())


def _phrase(match: re.Match[str], value: str) -> Phrase:
    return Phrase(value, FREQUENCY, match.start(), match.end())


def _figure(word: str) -> str:
    return {"thrice": "3", "second": "2", "third": "3"}.get(word.lower(), FIGURES.get(word.lower(), word))
