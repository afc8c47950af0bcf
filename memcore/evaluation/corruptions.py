"""Sentences made wrong by fixed rules: another person, number or date, and the negation flipped.

Each rule changes one thing and gives None for a sentence that has nothing of its kind. Drawn with the
generator that is handed in, so that one seed makes the same sentences everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from memcore.nlp.language.words.inflection import BASES

NUMBERS = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty".split()
ORDINALS = "first third fourth fifth sixth seventh".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
UNITS = "week weekend month year".split()
AGO = "days weeks months years".split()
SEASONS = "spring summer fall autumn winter".split()
DAYS = ("yesterday", "today", "tomorrow", "last week", "last month", "two days ago", "next week")

_NUMBER = re.compile(rf"\d+|\b(?:{'|'.join(NUMBERS + ORDINALS)})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_RELATIVE = re.compile(
    rf"\b(last|next|previous|this|past) ({'|'.join(UNITS + SEASONS + WEEKDAYS)})\b", re.IGNORECASE
)
_AGO = re.compile(r"\b(day|week|month|year)s? ago\b")
_NAMED_DAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b")
_NAMED_MONTH = re.compile(rf"\b(?:{'|'.join(month for month in MONTHS if month != 'May')})\b|(?<=in )May\b")
_DAY = re.compile(r"\b(?:yesterday|today|tomorrow)\b")

_AUXILIARIES = "is are was were has have had can could will would should does did do may might".split()
_NEGATED = re.compile(
    rf"\b(?P<verb>{'|'.join(_AUXILIARIES)})(?: not|n['’]t) |\b(?:never|not) ", re.IGNORECASE
)
_VERB = re.compile(r"\b(is|are|was|were|can|could|will|would|should|has been|have been)\b")
_ADVERBS = "recently currently also often really usually always previously just once successfully already"
_SILENT = re.compile(r"[vczu]$|(?:at|ar|or|ir|ng|as|is|os|us|it|id)$|(?:^|[^aeiou])[aio]k$")
_OWNS = re.compile(r"\s+(?:an?|the|two|three|four|no|some|many|his|her|their|pets?|kids)\b")


def swap_person(text: str, one: str, other: str) -> str | None:
    """Each of two people in the place of the other.

    >>> swap_person("Ann's dog likes Bob", "Ann", "Bob")
    "Bob's dog likes Ann"
    """
    pattern = re.compile(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b")
    swapped = pattern.sub(lambda match: other if match[0] == one else one, text)
    return swapped if swapped != text else None


def change_number(text: str, random: Random) -> str | None:
    """One number (a year is none) becomes another.

    >>> change_number("Ann has two dogs", Random(1))
    'Ann has twelve dogs'
    """
    found = [match for match in _NUMBER.finditer(text) if not _YEAR.fullmatch(match[0])]
    if not found:
        return None
    match = random.choice(found)
    word = match[0].lower()
    if word.isdigit():
        new = str(int(word) + random.choice((1, 2, 3, 5, 10)))
    else:
        new = random.choice([other for other in (ORDINALS if word in ORDINALS else NUMBERS) if other != word])
    return _replaced(text, match.span(), new)


def change_date(text: str, random: Random) -> str | None:
    """One day, month, year or span before or after becomes another.

    >>> change_date("Ann moved in March", Random(1))
    'Ann moved in November'
    """
    found = list(_dates(text))
    if not found:
        return None
    span, others = random.choice(found)
    written = text[slice(*span)]
    return _replaced(text, span, random.choice([other for other in others if other != written]))


def _dates(text: str) -> Iterator[tuple[tuple[int, int], Sequence[str]]]:
    for pattern, others in ((_NAMED_DAY, WEEKDAYS), (_NAMED_MONTH, MONTHS), (_DAY, DAYS)):
        yield from ((match.span(), others) for match in pattern.finditer(text))
    for match in _RELATIVE.finditer(text):
        if match[2] in UNITS or match[2] in SEASONS:
            yield match.span(2), UNITS if match[2] in UNITS else [s for s in SEASONS if s != "autumn"]
        if match[1].lower() in ("last", "next"):
            yield match.span(1), ("last", "next")
    for match in _AGO.finditer(text):
        singular = text[match.end(1)] != "s"
        others = [unit.rstrip("s") for unit in AGO] if singular else AGO
        yield (match.start(1), match.end(1) + (not singular)), others
    for match in _YEAR.finditer(text):
        yield match.span(), [str(int(match[0]) + by) for by in (-2, -1, 1, 2)]


def flip_negation(text: str, names: Sequence[str]) -> str | None:
    """A negation taken out, or else one put to the verb after the subject, one of `names`.

    >>> flip_negation("Ann likes tea", ["Ann"]), flip_negation("Ann does not eat meat", ["Ann"])
    ('Ann does not like tea', 'Ann does eat meat')
    """
    if negated := _NEGATED.search(text):
        verb = negated["verb"]
        return text[: negated.start()] + (f"{verb} " if verb else "") + text[negated.end() :]
    people = "|".join(map(re.escape, names))
    adverbs = "|".join(_ADVERBS.split())
    if subject := re.match(rf"(?:{people})(?: and \w+)?(?: (?:{adverbs}))* ([a-z]+)\b", text):
        verb, (start, end) = subject[1], subject.span(1)
        if verb in ("has", "have", "had") and _OWNS.match(text, end):
            return f"{text[:start]}{'did' if verb == 'had' else 'does'} not have{text[end:]}"
        if verb in _AUXILIARIES:
            return f"{text[:end]} not{text[end:]}"
        present = verb.endswith("s") and not verb.endswith("ss")
        return f"{text[:start]}{'does' if present else 'did'} not {_base(verb)}{text[end:]}"
    if verb_found := _VERB.search(text):
        at = verb_found.start() + len(verb_found[0].split()[0])
        return f"{text[:at]} not{text[at:]}"
    return None


def _base(verb: str) -> str:
    """The form after "did not", as well as it can be told from the letters."""
    if verb in BASES:
        return BASES[verb]
    if verb.endswith(("ies", "ied")):
        return verb[:-3] + "y"
    if re.search(r"(?:ss|x|z|ch|sh|o)es$", verb):
        return verb[:-2]
    if verb.endswith("s") and not verb.endswith("ss"):
        return verb[:-1]
    if not verb.endswith("ed"):
        return verb
    stem = verb[:-2]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    silent = _SILENT.search(stem) and stem not in ("visit", "start", "appear", "wait")
    return stem + "e" if silent else stem


def _replaced(text: str, span: tuple[int, int], new: str) -> str:
    """The text with another word at a place, capital as before."""
    start, end = span
    return text[:start] + (new[0].upper() + new[1:] if text[start].isupper() else new) + text[end:]
