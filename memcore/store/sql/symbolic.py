"""Memories by their metadata, in SQL: who and what they are about, where, and when (SimpleMem's symbolic
index).

Two spellings of one name (`names.entity_key`) are one name, which SQL cannot tell: which spellings a name
has is kept in memory (`references.Spellings`), and a statement is given them. Values only ever travel as
parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memcore.domain.models import DEFAULT_RECIPE
from memcore.domain.names import entity_key
from memcore.domain.protocols import Metadata
from memcore.store.sql.database import Database
from memcore.store.sql.references import ReferenceMaps

Spelled = Mapping[str, Sequence[str]]
"""From a name, as `entity_key`, to its spellings."""

_VALID = "owner = $owner and recipe = $recipe and state <> 'deleted' and"
_NOW = "state = 'active'"
_THEN = """(valid_from is null or valid_from <= $as_of)
and (case when valid_to is null then state = 'active' else $as_of < valid_to end)"""

_IS_PERSON = "(persons && {0} or speaker = any({0}))"
_IS_NAMED = """(persons && {0} or entities && {0} or keywords && {0}
or speaker = any({0}) or location = any({0}))"""

_TIME_FITS = """case
when (event_at < $until and $since < coalesce(event_end, event_at)) or event_at = $since then 1.0::float8
when event_at is null and ((mentioned_at < $until and $since < mentioned_at) or mentioned_at = $since)
then 0.5
else 0 end"""
_HAS_TIME = "case when event_at is not null then 0.5::float8 else 0 end"

_NAMING = """
and (persons && $spellings::text[] or entities && $spellings::text[]
or location = any($spellings::text[]))"""
_NAMES = """
select distinct name, person from (
    select unnest(persons) as name, true as person from held
    union all select unnest(entities), false from held
    union all select location, false from held
) named where name in (select unnest($spellings::text[])) order by person, name desc
"""


class SymbolicReader:
    """The part of the Store protocol that asks the metadata of memories."""

    _database: Database
    _references: ReferenceMaps

    def symbolic(
        self, owner: str, asked: Metadata, *, recipe: str = DEFAULT_RECIPE, as_of: datetime | None = None
    ) -> dict[str, float]:
        """By id, the memories valid then that meet something asked, and how much of it."""
        keys = map(entity_key, (*asked.people, *asked.things))
        spelled = self._references.spellings(owner, recipe, keys)
        held, parameters = _held(owner, recipe, as_of)
        score = " + ".join((*_about(asked, spelled, parameters), *_when(asked, parameters)))
        if not score:
            return {}
        scored = " ".join(("select id,", score, "as score", held))
        rows = self._database.query(
            " ".join(("select id, score from (", scored, ") scored where score > 0")), parameters
        )
        return {memory_id: float(found) for memory_id, found in rows}

    def named(
        self,
        owner: str,
        keys: Iterable[str],
        *,
        recipe: str = DEFAULT_RECIPE,
        as_of: datetime | None = None,
    ) -> dict[str, tuple[str, bool]]:
        """Which of the names memories valid then have, how they are spelled, and whether of a person."""
        spelled = self._references.spellings(owner, recipe, keys)
        if not spelled:
            return {}
        held, parameters = _held(owner, recipe, as_of)
        parameters["spellings"] = [spelling for of_name in spelled.values() for spelling in of_name]
        rows = self._database.query(
            " ".join(("with held as (select *", held, _NAMING, ")", _NAMES)), parameters
        )
        return {entity_key(name): (name, person) for name, person in rows}


def _held(owner: str, recipe: str, as_of: datetime | None) -> tuple[str, dict[str, Any]]:
    """What was valid then (None: now), and the statement's parameters so far."""
    parameters: dict[str, Any] = {"owner": owner, "recipe": recipe}
    if as_of is None:
        return f"from memories where {_VALID} {_NOW}", parameters
    return f"from memories where {_VALID} {_THEN}", parameters | {"as_of": as_of}


def _about(asked: Metadata, spelled: Spelled, parameters: dict[str, Any]) -> Iterable[str]:
    """The share of the names asked for that a memory is about."""
    people = {entity_key(name) for name in asked.people}
    things = {entity_key(name) for name in asked.things} - people
    parts: list[str] = []
    for names, condition in ((people, _IS_PERSON), (things, _IS_NAMED)):
        for name in sorted(names & spelled.keys()):
            place = f"name{len(parts)}"
            parameters[place] = list(spelled[name])
            parts.append(condition.format(f"${place}::text[]") + "::int")
    if parts:
        parameters["asked"] = len(people) + len(things)
        yield f"({' + '.join(parts)}) / $asked::float8"


def _when(asked: Metadata, parameters: dict[str, Any]) -> Iterable[str]:
    """Whether a memory fits the time asked for."""
    if asked.time_from is None:
        return
    if asked.time_to is None:
        yield _HAS_TIME
        return
    parameters |= {"since": asked.time_from, "until": asked.time_to}
    yield _TIME_FITS
