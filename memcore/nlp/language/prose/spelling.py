"""Hasty English as it is meant: "dont" is "don't", "u" is "you", "im" is "I am", "tues" is "Tuesday".

The parser was trained on edited text and misreads the rest: "User cant get over it", "i" as a name. Words
that stand for one thing wherever they stand are data (`words/informal.toml`); those that depend on their
neighbours are patterns here. It keeps the alignment to the raw message, and what is literal in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Final

from memcore.nlp.language.prose.text import Aligned, literals
from memcore.nlp.time_grammar.periods import MONTHS
from memcore.nlp.time_grammar.sought import small_letters

_PAIRS: Final[dict[str, str]] = dict(
    line.split(" = ", 1)
    for table in tomllib.loads(
        files("memcore.nlp.language.words").joinpath("informal.toml").read_text(encoding="utf-8")
    ).values()
    for line in table.strip().splitlines()
)
_WORDS = re.compile(
    rf"(?<![\w'.@/#&-])(?:{'|'.join(map(re.escape, _PAIRS))})(?![\w'@/-])",
    re.IGNORECASE,
)
_DAYS = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday",
    "sat": "Saturday",
}  # fmt: skip
_AFTER_ILL = (
    "be|have|go|get|try|do|take|probably|just|let|see|check|need|never|definitely|also|make|keep|send"
    "|give|look|bring|use|pick|call|ask|come|stay|start|move|tell|pay|buy|cook|meet|finish|still|prob"
)
_AFTER_ID = (
    "love|like|rather|be|prefer|say|have|never|also|really|appreciate|go|want|need|just|still|definitely"
    "|been|already|hate|probably|better|gone|done|had|started|forgotten|get|take"
)
_AFTER_ITS = (
    "an?|the|my|our|your|been|not|just|so|too|going|gonna|still|because|called|almost|already|probably"
    "|time (?:to|for)|about time|at|on|in|for|like|more of|kind of|actually|pretty much|all (?:good|fine)"
)


_OF_TIME = (
    r"(?:\d|an? (?:week|month|year|few|couple|hour|day)|two|three|four|five|six|ten|last|next|mon|tue|wed"
    r"|thu|fri|sat|sun|jan|feb|mar(?:ch)?\b|apr|may\b|june?\b|july?\b|aug|sept?|oct|nov|dec)"
)


def _after(words: str) -> str:
    """What stands right behind one of the words."""
    return "(?:" + "|".join(rf"(?<=\b{word} )" for word in words.split()) + ")"


_DONE_AGAIN = (
    "watch|read|join|listen|visit|discover|learn|organi[sz]|decorat|open|connect|install|download|order"
)
"""Of which the hyphen changes nothing: "re-watched"; not "re-covered", "re-signed"."""
_PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("gonna", r"(?<!\w)i'?m\s+gonna\b", "I am going to"),
    ("gonna", r"(?:^|(?<=[.!?] ))gonna\b", "I am going to"),
    ("im", r"(?<!\w)im(?=\s)", "I am"),
    ("ill", rf"(?<![\w'])ill(?= (?:{_AFTER_ILL})\b)(?<!(?:am|is) ill)(?<!(?:re|as) ill)", "I will"),
    ("id", rf"(?<![\w'])id(?= (?:{_AFTER_ID})\b)(?<!(?:my|no|he|ur|er|is|an) id)", "I'd"),
    ("its", rf"(?<![\w'])its(?= (?:{_AFTER_ITS})\b)", "it's"),
    ("wont", r"(?<![\w'])wont\b(?<!(?:is|er|my) wont)", "won't"),
    ("i", r"(?<![\w.'(])(?-i:i)(?=\s|[,!?;:]|$)", "I"),
    (
        "were",
        r"(?:^|(?<=\bso )|(?<=\bbecause ))were(?= (?:(?:now|all|still|just|both) )?\w{2,}ing\b)",
        "we're",
    ),
    ("r", r"\br u\b", "are you"),
    ("r", r"\bu r\b", "you are"),
    ("ur", r"\bur(?= (?:a|the|not|so|going|gonna|welcome|right)\b)", "you are"),
    ("", r"(?:^|(?<=[.!?\n] ))(?:ya|yea|yah|yass*|yess+)(?=[\s,])", "yeah"),
    ("bf", r"\b((?:my|her|his|their|your|new|ex|ex-|a) )bf\b", r"\1boyfriend"),
    ("gf", r"\b((?:my|her|his|their|your|new|ex|ex-|a) )gf\b", r"\1girlfriend"),
    (
        "cause",
        r"(?<!\w)(?:'cause\b|(?<!\bthe )(?<!\ba )(?<!\bto )(?<!\bcan )cause\b)"
        r"(?= (?:i|we|they|he|she|it|my|the|of|you)\b)",
        "because",
    ),
    (
        "cuz bc b cos",
        r"(?<!\w)'cuz\b|\b(?:bc|b/c|cos)\b(?= (?:i|im|id|ill|ive|we|they|he|she|it|its|my|the|of)\b)",
        "because",
    ),
    ("til", r"(?<!\w)'til\b", "until"),
    ("", r"\b(\w{3,}in)'(?=\s|[.,!?]|$)", r"\1g"),
    ("", r"\s&\s(?=(?-i:[a-z]))", " and "),
    ("w", r"(?<=\w)\s*/\s*w\b|(?<!\w)w/(?=\s)", " with"),
    ("w", r"\bw/o(?:ut)?\b", "without"),
    ("n", r"(?<=[a-z] )n(?= [a-z])", "and"),
    ("o", r"(?:^|(?<=[.!?\n] ))o(?= (?:and|yeah|no|wow)\b)", "oh"),
    ("like", rf"\b{_after('since for until by in at about after before')}like (?={_OF_TIME})", ""),
    ("btw", r"(?:^|(?<=[.!?\n] ))btw\b", "by the way"),
    (
        "gone been got gotten become started turned",
        r"\b((?:my|our|the) (?:\w+ )?\w+)'s(?= (?:gone|been|got|gotten|become|started|turned)\b)",
        r"\1 has",
    ),
    ("name", r"\b((?:my|his|her|their|our|its) name)'s\b", r"\1 is"),
    ("re", rf"\bre-(?=(?:{_DONE_AGAIN})(?:ed|ing)\b)", "re"),
    ("prob", r"(?<!\w)prob(?= (?:for|not|just|will|going|gonna|need|be|the best)\b)", "probably"),
)
"""Of each the words, in small letters, one of which every match holds (none: unknown), and what it stands
for."""
_DAY = "(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat)"
_SHORT_DAY = re.compile(
    rf"\b{_after('on by last next this till until')}{_DAY}\b|\b{_DAY}(?= \d{{1,2}}(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
_SHORT_MONTH = "march|may|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_DAY_IN_WORDS = re.compile(rf"\b(?:the )?({'|'.join(_ORDINALS)}) of (?=(?:{'|'.join(MONTHS)})\b(?! \d{{4}}))")
"""A day in words: "the first of May", not the painting "The Third of May"."""
_NO_MAY = r"(?! (?:be|i|we|they|have|not)\b)"
_NAMED_TIME = re.compile(
    r"\b(?:(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|april|june|july|august|september|october|november|december)\b"
    rf"|{_after('in by of since until early after last next late')}(?:march|may)\b{_NO_MAY}"
    rf"|(?:{_SHORT_MONTH})(?= \d{{1,2}}(?:st|nd|rd|th)?\b)"
    rf"|(?:(?<=\d )|(?<=\d(?:st|nd|rd|th) ))(?:{_SHORT_MONTH})\b)"
)
_WORD = re.compile(r"[^\W_]+")
_DAYS_AND_MONTHS: Final = frozenset(
    "monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday"
    " saturdays sunday sundays january february march april may june july august september october november"
    " december jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def spelled_out(prose: Aligned) -> Aligned:
    """The prose with hasty spellings as they are meant.

    >>> spelled_out(Aligned.of("im off to leeds on tues, cant wait")).text
    "I am off to leeds on Tuesday, can't wait"
    """
    words = words_of(prose.text)
    for needed, pattern, meant in STEPS:
        if needed and words.isdisjoint(needed):
            continue
        if pattern.search(prose.text):
            prose = _sub(prose, pattern, meant)
            words = words_of(prose.text)
    return prose


def words_of(text: str) -> frozenset[str]:
    """The words of a text in small letters, what stands between apostrophes and hyphens for itself."""
    return frozenset(_WORD.findall(small_letters(text)))


def _sub(prose: Aligned, pattern: re.Pattern[str], meant: Callable[[re.Match[str]], str]) -> Aligned:
    """The replacement, for matches that stand in nothing literal."""
    spans = literals(prose.text)
    if not spans:
        return prose.sub(pattern, meant)
    return prose.sub(pattern, lambda m: m.group() if any(a <= m.start() < b for a, b in spans) else meant(m))


def _meant(match: re.Match[str]) -> str:
    written = match.group()
    if written.isupper():  # "RN", "BC": initials
        return written
    meant = _PAIRS[written.lower()]
    return meant[0].upper() + meant[1:] if written[0].isupper() else meant


def _whole_day(match: re.Match[str]) -> str:
    return _DAYS[match.group()[:3].lower()]


def _capitalised(match: re.Match[str]) -> str:
    return match.group().capitalize()


def _expanding(new: str) -> Callable[[re.Match[str]], str]:
    return lambda match: match.expand(new)


def _numbered(match: re.Match[str]) -> str:
    return f"{_ORDINALS.index(match[1].lower()) + 1} "


STEPS: Final[tuple[tuple[frozenset[str], re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (frozenset(_ORDINALS), _DAY_IN_WORDS, _numbered),
    *(
        (frozenset(needed.split()), re.compile(pattern, re.IGNORECASE), _expanding(new))
        for needed, pattern, new in _PATTERNS
    ),
    (frozenset(_WORD.findall(written)[-1] for written in _PAIRS), _WORDS, _meant),
    (frozenset("mon tue tues wed weds thu thur thurs fri sat".split()), _SHORT_DAY, _whole_day),
    (_DAYS_AND_MONTHS, _NAMED_TIME, _capitalised),
)
"""With the words of which every match holds one; to look for words takes a tenth of trying all patterns."""
