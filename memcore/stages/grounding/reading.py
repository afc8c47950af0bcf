"""A text as grounding reads it: words with stem, weight and polarity; numbers; times; names.

No parser: the lexicon, the stems and the time grammar that extraction uses. Never raises on any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Final

from memcore.nlp.encoder.words import is_ordinary
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import COMPOUND_NUMBER, FIGURES, compound_figure, stem, thousands
from memcore.nlp.time_grammar.dates import TimeExpression, find_times
from memcore.nlp.time_grammar.periods import MONTHS
from memcore.stages.align import sentence_spans
from memcore.stages.grounding.polarity import Polarity, is_negation, polarity

FRAMING_WEIGHT: Final = 0.35
"""What a word counts that frames what is told ("values", "great", "big"), where a plain one counts 1."""

NAME_WEIGHT: Final = 1.5

_TOKEN = re.compile(
    rf"(?i:{COMPOUND_NUMBER})(?![^\W_])|"
    r"[$€£]?\d[\d,]*(?:\.\d+)?(?::\d\d)?(?:st|nd|rd|th|k|K|%)?(?![^\W\d_])|[^\W_]+(?:['’][^\W_]+)*"
)
_QUOTES = re.compile(r'\b(?:asked|answered|said)\b(?=[^".?!]{0,80}: ")')
"""What a memory says before it quotes: nobody said that."""
_THOUSANDS = re.compile(r"(\d+(?:\.\d+)?)k")
_RELATED = re.compile(
    r"\b(?:the )?(previous|preceding|following|upcoming)\b(?= (?:day|week|weekend|month|year))",
    re.IGNORECASE,
)
"""How a report names the time before or after it; the time grammar reads what people say."""
_WEEKDAY_OF_DATE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,? (?=\d{4}-\d\d-\d\d\b)", re.IGNORECASE
)
"""A model names the weekday of a date; what it says is the date."""

_FRAMING: Final = frozenset(
    stem(word)
    for word in lexicon.LIGHT_VERBS
    | lexicon.LIKING
    | lexicon.THINKING
    | lexicon.PLANNING
    | lexicon.REPORTING
    | lexicon.EVALUATIVE
    | lexicon.FEELING
    | lexicon.WEAK_ADJECTIVES
    | lexicon.ASPECTUAL
    | lexicon.VAGUE
    | frozenset(
        "value express describe emphasize view regard acknowledge recognize admire involve include such "
        "experience various role importance significance recent certain related potential desire interest "
        "ask confirm agree reply answer promise admit joke tease predict wonder remark comment accept "
        "whether conversation message chat mentioned someone something people person thing life".split()
    )
)
_EMPTY: Final = (
    lexicon.EMPTY
    | lexicon.NEGATIONS
    | lexicon.LINKING
    | lexicon.FIRST
    | lexicon.WE
    | lexicon.SECOND
    | frozenset(
        "other others another because due despite along together towards toward upon between within among "
        "via 's their there they're i'm i've i'd i'll it's that's both having after during while since can "
        "could may might must should shall yeah yes hey hi oh wow thanks gonna wanna gotta kinda 'em cause "
        "user assistant shortly".split()
    )
)
_DATES: Final = frozenset(month.lower() for month in MONTHS) | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
_ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
    )
}
_OTHER_FIGURES: Final = {
    "dozen": "12",
    "couple": "2",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "twins": "2",
    "trio": "3",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "thrice": "3",
}
_NO_FIGURES: Final = frozenset({"second", "once"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word at characters `start:end`. `weight` is what its absence counts (0: it carries no content);
    `figure` the number it is; `in_time`: it is part of a time. `negated`: it stands in the reach of an odd
    number of negations; `loosely`: of any, also one of an idiom ("can't wait")."""

    start: int
    end: int
    text: str
    stem: str
    weight: float
    figure: str
    is_name: bool
    in_time: bool
    negated: bool
    loosely: bool


@dataclass(frozen=True)
class Reading:
    """A text and, taken apart once somebody asks for it, what is in it; most of what was said is only ever
    asked for its stems. `said_at` is when it was said; `people` (in small letters) are those who speak: their
    names carry no content."""

    text: str
    said_at: datetime | None
    people: frozenset[str]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words, and what each is joined of by apostrophes."""
        stems = {_form(word).stem for word in self._spelled}
        return frozenset(part for stem in stems for part in (stem, *stem.split("'")))

    @cached_property
    def times(self) -> tuple[TimeExpression, ...]:
        """The times told, as meant on the day it was said."""
        return tuple(find_times(self._told, self.said_at))

    @cached_property
    def ahead(self) -> tuple[TimeExpression, ...]:
        """Those of the times that may as well lie after that day ("on 18 May")."""
        as_ahead = find_times(self._told, self.said_at, prefer="future") if self.times else ()
        return tuple(time for time in as_ahead if time not in self.times)

    @property
    def _told(self) -> str:
        """The text with its times in the words of who told them, each word where it was."""
        return _WEEKDAY_OF_DATE.sub(lambda match: " " * len(match[0]), _RELATED.sub(_as_told, self.text))

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Its sentences, as characters."""
        return tuple(sentence_spans(self.text))

    @cached_property
    def stemmed(self) -> tuple[tuple[int, str, str], ...]:
        """Of each word where it begins, itself and its stem."""
        spelled = ((start, self.text[start:end]) for start, end in self._tokens)
        return tuple((start, word, _form(word).stem) for start, word in spelled)

    @cached_property
    def _spelled(self) -> frozenset[str]:
        return frozenset(self.text[start:end] for start, end in self._tokens)

    @cached_property
    def _tokens(self) -> tuple[tuple[int, int], ...]:
        return tuple(token.span() for token in _TOKEN.finditer(self.text))

    @cached_property
    def figures(self) -> frozenset[str]:
        """The numbers that its words are."""
        return frozenset(_form(word).figure for word in self._spelled) - {""}

    @cached_property
    def polarity(self) -> Polarity:
        """Which of its words stand negated."""
        return polarity(self.text, self._tokens)

    @property
    def negations(self) -> tuple[tuple[int, ...], ...]:
        """The places of the words that each negation reaches."""
        return self.polarity.reached

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Its words, in their order."""
        polar, text = self.polarity, self.text
        starts = {start for start, _ in self.sentences}
        in_times = {at for time in self.times for at in range(time.start, time.end)}
        framing = {match.start() for match in _QUOTES.finditer(text)}
        found = []
        for (start, end), negated, loosely in zip(self._tokens, polar.negated, polar.loosely, strict=True):
            form = _form(text[start:end])
            in_time, is_person = start in in_times, form.bare in self.people
            named = (
                form.is_name
                and not (is_person or in_time)
                and (form.is_name_first or not _opens(text, start, starts))
            )
            weight = 0.0 if is_person or in_time or start in framing else form.weight
            if named and weight:
                weight = NAME_WEIGHT
            word = Word(
                start, end, text[start:end], form.stem, weight, form.figure, named, in_time, negated, loosely
            )
            found.append(word)
        return tuple(found)


@lru_cache(maxsize=2_000)  # each holds hundreds of words, which the garbage collector goes through
def read(text: str, said_at: datetime | None, people: frozenset[str] = frozenset()) -> Reading:
    """The reading of a text, one for all who ask.

    >>> words = read("Ann values hiking in Wales", None, frozenset({"ann"})).words
    >>> [(word.stem, word.weight) for word in words if word.weight]
    [('valu', 0.35), ('hike', 1.0), ('wale', 1.5)]
    """
    return Reading(text, said_at, people)


@dataclass(frozen=True, slots=True)
class _Form:
    """What a word is wherever it stands: in small letters without its possessive, its stem, the number that
    it is, what it weighs when it is no name, and whether it is one, within a sentence and as its first."""

    bare: str
    stem: str
    figure: str
    weight: float
    is_name: bool
    is_name_first: bool


@lru_cache(maxsize=50_000)
def _form(written: str) -> _Form:
    low, bare = written.replace("’", "'").lower(), _bare(written)
    figure, form = figure_of(bare), stem(bare)
    if figure or {low, bare} & _EMPTY or is_negation(low):
        weight = 0.0
    else:
        weight = FRAMING_WEIGHT if form in _FRAMING else 1.0
    is_name, is_name_first = (not figure and _is_name(written, bare, first) for first in (False, True))
    return _Form(bare, compound_figure(bare) or form, figure, weight, is_name, is_name_first)


def figure_of(word: str) -> str:
    """The number that a word (in small letters) is, in figures; empty: it is none.

    >>> [figure_of(word) for word in ("two", "fifty-four", "1,500", "1.5k", "third", "one")]
    ['2', '54', '1500', '1500', '3', '']
    """
    if word[:1].isdigit() or (word[:1] in "$€£" and word[1:2].isdigit()):
        plain = re.sub(r"[$€£,%]|(?:st|nd|rd|th)$", "", word)
        match = _THOUSANDS.fullmatch(plain)
        return thousands(match[1]) if match else plain
    if word in _NO_FIGURES:
        return ""
    return _ORDINALS.get(word) or _OTHER_FIGURES.get(word) or FIGURES.get(word, "") or compound_figure(word)


def figures_of(reading: Reading) -> Iterator[tuple[int, str, str, str]]:
    """Each number outside times: the place of its word, its figures, the word, and the stem of what it
    counts."""
    for place, word in enumerate(reading.words):
        if word.figure and not word.in_time:
            following = reading.words[place + 1].stem if place + 1 < len(reading.words) else ""
            yield place, word.figure, word.text, following


def _as_told(match: re.Match[str]) -> str:
    """The same in the words of the one who told it, as long as before."""
    told = "last" if match[1].lower() in ("previous", "preceding") else "next"
    return told.ljust(len(match[0]))


def _opens(text: str, start: int, starts: set[int]) -> bool:
    """Whether a word begins a sentence, or what stands in for one."""
    before = text[max(0, start - 12) : start].rstrip("\"'“‘(*- ")
    return start in starts or not before or before[-1] in ".!?:\n…"


def _bare(written: str) -> str:
    return written.replace("’", "'").lower().removesuffix("'s").removesuffix("'")


def _is_name(written: str, bare: str, is_first: bool) -> bool:
    if not written[:1].isupper() or bare in _EMPTY or bare in _DATES or "'" in bare:
        return False
    return not is_first or not (is_ordinary(bare) or bare.endswith("ing") or len(bare) < 2)
