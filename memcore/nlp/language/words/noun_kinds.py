"""What kind of thing a noun names, and which names are places: WordNet, as a table.

`noun_kinds.txt` holds a line for each kind; `tools/noun_kinds.py` makes it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_MADE, _PROFESSIONS, _PURSUED = "made", "professions", "pursued"
_NAMED_PLACES = "named places"


def kind_of(noun: str) -> str:
    """The kind that most uses of a noun (its lemma) agree on; empty where they do not or it is not known.

    >>> kind_of("restaurant"), kind_of("goldfinch"), kind_of("idea")
    ('PLACE', 'ANIMAL', '')
    """
    return _kinds().get(noun, "")


def is_pursued(noun: str) -> bool:
    """Whether a noun (its lemma) alone tells what one does, plays, studies, grows or suffers from.

    >>> is_pursued("clarinet"), is_pursued("asthma"), is_pursued("notebook")
    (True, True, False)
    """
    return noun in _rows()[_PURSUED]


def is_made(noun: str) -> bool:
    """Whether a noun (its lemma) is of things that are made: tools, vehicles, clothes, rooms.

    >>> is_made("necklace"), is_made("routine")
    (True, False)
    """
    return noun in _rows()[_MADE]


def is_profession(noun: str) -> bool:
    """Whether a noun (its lemma) is what somebody is by profession or training.

    >>> is_profession("nurse"), is_profession("observer")
    (True, False)
    """
    return noun in _rows()[_PROFESSIONS]


def is_place_name(name: str) -> bool:
    """Whether a place of the world has the name.

    >>> is_place_name("New Zealand"), is_place_name("Bloomberg")
    (True, False)
    """
    return name.replace(" ", "_") in _rows()[_NAMED_PLACES]


@cache
def _rows() -> dict[str, frozenset[str]]:
    text = files(__package__).joinpath("noun_kinds.txt").read_text(encoding="utf-8")
    rows = (line.partition(": ") for line in text.splitlines() if not line.startswith("#"))
    return {name: frozenset(words.split()) for name, _, words in rows}


@cache
def _kinds() -> dict[str, str]:
    return {
        word: name
        for name, words in _rows().items()
        if name not in {_MADE, _PROFESSIONS, _PURSUED, _NAMED_PLACES}
        for word in words
    }
