"""The word lists of `lexicon.toml` under their names, and the lists that others make up.

Plain data, for extraction (beside a parse) and for the rules of review (without one) alike.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Final

_TABLES: Final = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))


def _words(table: str, name: str) -> frozenset[str]:
    return frozenset(_TABLES[table][name].split())


def _rows(table: str, name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in _TABLES[table][name].split(";"))


FEMALE: Final = _words("people", "female")
MALE: Final = _words("people", "male")
KIN: Final = (FEMALE | MALE | _words("people", "kin_of_either")) - _words("people", "no_kin")
PERSON: Final = FEMALE | MALE | KIN | _words("people", "other_people")
ADDRESS: Final = _words("people", "address")
PRAISE: Final = _words("people", "praise")
HUMAN: Final = _words("people", "human")
BODY: Final = _words("people", "body")
DIETS: Final = _words("people", "diets")
MARITAL: Final = _words("people", "marital")
TRAITS: Final = DIETS | MARITAL | _words("people", "other_traits")
ROLES: Final = DIETS | _words("people", "offices")

ANIMAL: Final = _words("things", "animal")
GROUP: Final = _words("things", "group")
PLACE: Final = _words("things", "place")
ONE_OF_MANY: Final = _words("things", "one_of_many")
PUBLIC: Final = _words("things", "public")
MUTUAL: Final = _words("things", "mutual")
TEMPORAL: Final = _words("things", "temporal")
MEAT: Final = _words("things", "meat")
FISH: Final = _words("things", "fish")
DAIRY: Final = _words("things", "dairy")
VAGUE: Final = _words("things", "vague")
OCCASIONS: Final = _words("things", "occasion")
KINDS: Final = _words("things", "kinds")
GENERIC: Final = _words("things", "generic")
KNOWN: Final = _words("things", "known")
IDIOMATIC: Final = _words("things", "idiomatic")
PLEASURES: Final = _words("things", "pleasure")

EVALUATIVE: Final = _words("adjectives", "evaluative")
FEELING: Final = _words("adjectives", "feeling")
MOODS: Final = _words("adjectives", "moods")
WEAK_ADJECTIVES: Final = _words("adjectives", "weak")

LIGHT_VERBS: Final = _words("verbs", "light")
STATIVE: Final = _words("verbs", "stative")
LIKING: Final = _words("verbs", "liking")
THINKING: Final = _words("verbs", "thinking")
PLANNING: Final = _words("verbs", "planning")
ONGOING: Final = _words("verbs", "ongoing")
REPORTING: Final = _words("verbs", "reporting")
ASPECTUAL: Final = _words("verbs", "aspectual")
RAISING: Final = _words("verbs", "raising")
SAME_IN_PAST: Final = _words("verbs", "same_in_past")
IRREGULAR: Final = _rows("verbs", "irregular")
ODD_PRESENT: Final = _rows("verbs", "odd_present")

FIRST: Final = _words("small", "first")
WE: Final = _words("small", "we")
SPEAKERS: Final = FIRST | WE
"""By which speakers speak of themselves."""
SECOND: Final = _words("small", "second")
POINTING: Final = _words("small", "pointing")
ARTICLES: Final = _words("small", "articles")
NEGATIONS: Final = _words("small", "negations")
EMPTY: Final = _words("small", "empty")
LINKING: Final = _words("small", "linking")
ASKING: Final = _words("small", "asking")
ELLIPTIC: Final = _words("small", "elliptic")
RELATING: Final = _words("small", "relating")

COMMONEST_ENGLISH: Final = _words("commonest", "english")
COMMONEST_ELSEWHERE: Final = _words("commonest", "elsewhere")
