"""The word lists of `graph_words.toml` under their names: what may be a node, and of what kind."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Final

from memcore.nlp.language.words import lexicon

_TABLES: Final = tomllib.loads(files(__package__).joinpath("graph_words.toml").read_text(encoding="utf-8"))


def _words(table: str, name: str) -> frozenset[str]:
    return frozenset(_TABLES[table][name].split())


MEASURE: Final = _words("heads", "measure")
COUNTING: Final = MEASURE | _words("heads", "container")
NO_CARRIER: Final = frozenset("thing stuff something anything everything nothing one other".split())
IN_IDIOMS: Final = _words("heads", "carried")
CARRIED: Final = (IN_IDIOMS | lexicon.VAGUE | lexicon.TEMPORAL) - NO_CARRIER - lexicon.PERSON
NEVER: Final = _words("heads", "never")
BARE: Final = _words("heads", "bare")
ABSTRACT: Final = _words("heads", "abstract")
IDLE: Final = _words("heads", "idle")
AFTER_NOUN: Final = _words("heads", "after_noun")
PASSING: Final = _words("heads", "passing")
GRADABLE: Final = _words("heads", "gradable")
VAGUE: Final = _words("heads", "vague")
NEVER_OWN: Final = _words("heads", "never_own")
OWN_UNTOLD: Final = _words("heads", "own_untold")
JOURNEYS: Final = _words("heads", "journeys")
OF_SOMETHING: Final = _words("heads", "of_something")
FIELDED: Final = _words("heads", "fielded")
PURSUED: Final = _words("heads", "pursued")
UNPURSUED: Final = _words("heads", "unpursued")
NOT_DONE: Final = _words("heads", "not_done")
DRIVES: Final = _words("kinds", "drives")
GAMES: Final = _words("kinds", "games")
MEALS: Final = _words("heads", "meals")
FAVORITE: Final = frozenset({"favorite", "favourite"})
LIFE_STAGE: Final = _words("heads", "life_stage")
MATES: Final = _words("heads", "mates")
LANGUAGES: Final = _words("heads", "languages")
STUDIED: Final = _words("heads", "studied")
DEGREES: Final = _words("heads", "degrees")
FIELD_ENDINGS: Final = tuple(_TABLES["heads"]["field_endings"].split())
FULL_FORMS: Final = dict(
    row.strip().split("=") for row in _TABLES["heads"]["short_forms"].split(";") if row.strip()
)

CLOSE: Final = _words("individuals", "close")
ACQUAINTED: Final = _words("individuals", "acquainted")
LASTING: Final = _words("individuals", "lasting")
LASTING_GOODS: Final = _words("individuals", "lasting_goods")
ROOMS: Final = _words("individuals", "rooms")
TAKEN: Final = _words("individuals", "taken")
GENERAL_EVENTS: Final = _words("individuals", "general_events")
PUBLIC_GROUPS: Final = _words("individuals", "public_groups")
CHORES: Final = _words("individuals", "chores")

PARTICLES: Final = _words("verbs", "particles")
GOING: Final = _words("verbs", "going")
BEING: Final = _words("verbs", "being")
STAYING: Final = _words("verbs", "staying")
VISITING: Final = _words("verbs", "visiting")
OWNING: Final = _words("verbs", "owning")
GETTING: Final = OWNING | _words("verbs", "getting")
BY_HAND: Final = _words("verbs", "by_hand")
FOUNDING: Final = _words("verbs", "founding")
ACQUIRING: Final = _words("verbs", "acquiring")
WATCHING: Final = _words("verbs", "watching")
READING: Final = _words("verbs", "reading")
USING: Final = _words("verbs", "using")
STUDYING: Final = _words("verbs", "studying")
BUYING: Final = _words("verbs", "buying")
PURSUING: Final = _words("verbs", "pursuing")
ADDRESSING: Final = _words("verbs", "addressing")
TAKING: Final = _words("verbs", "taking")

SPECIES: Final = {word: species for species in ("dog", "cat", "pet") for word in _words("animals", species)}
"""Words for pets, to the word under which one's pets are one entity."""
FURRY: Final = _words("animals", "furry")

PLACES: Final = _words("kinds", "place")
ORGANISATIONS: Final = _words("kinds", "organisation")
GROUPS: Final = _words("kinds", "groups")
EVENTS: Final = _words("kinds", "event")
MISREAD_EVENTS: Final = _words("kinds", "misread_event")
WORKS: Final = _words("kinds", "works")
FOODS: Final = _words("kinds", "food")
MISLEADING: Final = _words("kinds", "misleading")
FIRST_NAMES: Final = _words("kinds", "first_names")
SOFTWARE: Final = _words("kinds", "software")
ISLANDS: Final = _words("kinds", "islands")
