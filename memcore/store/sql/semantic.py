"""Reading the semantic index and summaries: memories, entities, triples, session summaries, vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import ClassVar, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import Entity, Link, MemoryEntry, SessionSummary, Triple, text_hash
from memcore.domain.protocols import MemoryFilter
from memcore.store.codec import Table, storable_text
from memcore.store.sql.database import Database
from memcore.store.sql.query import Objects, Select, one
from memcore.store.sql.references import ReferenceMaps
from memcore.store.sql.tables import ENTITIES, MEMORIES, SUMMARIES, TRIPLES

T = TypeVar("T")

_LOG_ORDER = """mentioned_at nulls last,
    (select "position" from messages where messages.id = (cited(sources))[1]) nulls last,
    (starts(sources))[1] nulls last, id"""

_VERDICT = """(
    select g.verdict from groundings g
    where g.object_id = memories.id and g.text_hash = memories.text_hash
      and g.cited = cited(memories.sources))"""
_WORST_FIRST = "array['contradicted', 'unsupported', 'partly', 'supported']::text[]"
_BY_VERDICT = f"array_position({_WORST_FIRST}, {_VERDICT}) nulls last"


class SemanticReader:
    """The semantic-index part of the Store protocol."""

    _vectors_of: ClassVar = """
        select text_hash, vector from embeddings
        where model_id = $model and text_hash in (select unnest($hashes::text[]))
        """

    _database: Database
    _references: ReferenceMaps
    _memories: Objects[MemoryEntry]
    _entities: Objects[Entity]
    _triples: Objects[Triple]

    def memory(self, memory_id: str) -> MemoryEntry | None:
        """The memory, or None when there is none of this id."""
        return one(self._database, MEMORIES, memory_id)

    def memories_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]:
        """Those of the ids that are stored, in any state."""
        return self._memories.by_id(ids)

    def cited_by(self, memory_ids: Sequence[str], *, recipe: str) -> dict[str, tuple[str, ...]]:
        """Memory id -> the ids of the messages it came from, each once, for those of the recipe that are not
        deleted."""
        return {
            memory.id: _cited(memory)
            for memory in self._memories.by_id(memory_ids).values()
            if memory.state != "deleted" and memory.recipe == recipe
        }

    def memories_of_messages(
        self, owner: str, message_ids: Sequence[str], *, recipe: str
    ) -> dict[str, MemoryEntry]:
        """By id, what the recipe made of any of these messages, in whatever state."""
        return self._memories.by_id(self._references.memories_of(owner, recipe, message_ids))

    def memories(
        self,
        owner: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        unsupported_first: bool = False,
        **wanted: Unpack[MemoryFilter],
    ) -> list[MemoryEntry]:
        """By the time of mention (unknown last), then place in the log, then id; `unsupported_first`: by
        verdict before that, and those not checked yet last."""
        order = f"{_BY_VERDICT}, {_LOG_ORDER}" if unsupported_first else _LOG_ORDER
        return _wanted(owner, wanted).order(order, limit=limit, offset=offset).all(self._database)

    def count_memories(self, owner: str, **wanted: Unpack[MemoryFilter]) -> int:
        """How many memories `memories` would give without a limit."""
        return _wanted(owner, wanted).count(self._database)

    def persons(self, owner: str, *, recipe: str | None = None) -> list[str]:
        """Everyone whom memories are about, in whatever state, in alphabetical order."""
        rows = self._database.query(
            "select distinct unnest(persons) as person from memories "
            "where owner = ? and (?::text is null or recipe = ?) order by person",
            [owner, recipe, recipe],
        )
        return [str(person) for (person,) in rows]

    def remembering(self, owner: str) -> list[str]:
        """The recipes that remember something of this owner's, those that last learned something first."""
        rows = self._database.query(
            "select m.recipe from memories m left join runs r on r.id = m.run_id "
            "where m.owner = ? and m.state <> 'deleted' "
            "group by m.recipe order by max(r.started_at) desc nulls last, m.recipe",
            [owner],
        )
        return [str(recipe) for (recipe,) in rows]

    def entities(self, owner: str, *, recipe: str | None = None) -> list[Entity]:
        """Entities by name; of one system when it is named."""
        return _of(ENTITIES, owner, recipe).order("name, id").all(self._database)

    def entities_by_id(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Those of the ids that are stored."""
        return self._entities.by_id(ids)

    def entities_named(self, owner: str, keys: Iterable[str], *, recipe: str) -> list[Entity]:
        """By name, id: the standing entities with a name or alias that is, as `names.entity_key`, among
        `keys`, and those merged into them."""
        found = self._entities.by_id(self._references.entities_named(owner, recipe, keys))
        return sorted(found.values(), key=lambda entity: (entity.name, entity.id))

    def triples_by_id(self, ids: Sequence[str]) -> dict[str, Triple]:
        """Those of the ids that are stored, invalidated ones among them."""
        return self._triples.by_id(ids)

    def triples_of_entities(self, owner: str, entity_ids: Sequence[str], *, recipe: str) -> dict[str, Triple]:
        """By id, every triple with one of these entities at either end, also what no longer holds."""
        return self._triples.by_id(self._references.triples_of(owner, recipe, entity_ids))

    def triples(
        self,
        owner: str,
        *,
        entity_ids: Sequence[str] | None = None,
        memory_ids: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        recipe: str | None = None,
        include_invalidated: bool = True,
        limit: int | None = None,
    ) -> list[Triple]:
        """By the time they began to hold (unknown last), then id. `entity_ids` matches either end."""
        select = _of(TRIPLES, owner, recipe).where_in("id", ids)
        if entity_ids is not None:
            ends = list(entity_ids)
            select.where("array[subject_id, object_id] && ?::text[]", ends)
        if memory_ids is not None:
            select.where("memory_ids && ?::text[]", list(memory_ids))
        if not include_invalidated:
            select.where("invalidated_at is null")
        return select.order("valid_from nulls last, id", limit=limit).all(self._database)

    def links(self, owner: str, *, recipe: str, conversation_id: str | None = None) -> list[Link]:
        """Every triple of one graph that somebody still says, without its evidence; of a conversation, those
        that one of its messages says."""
        rows = self._database.query(
            """
            select id, subject_id, relation, object_id, valid_from, invalidated_at from triples
            where owner = $owner and recipe = $recipe and mentions > 0
              and ($log::text is null or id in (
                  select said.id
                  from (select id, unnest(cited(sources)) as message_id from triples
                        where owner = $owner and recipe = $recipe) said
                  join messages m on m.id = said.message_id join sessions s on s.id = m.session_id
                  where s.conversation_id = $log))
            order by valid_from nulls last, id
            """,
            {"owner": owner, "recipe": recipe, "log": conversation_id},
        )
        return [Link(*row) for row in rows]

    def graphs(self, owner: str) -> list[str]:
        """The recipes that have found entities for this owner, in alphabetical order."""
        rows = self._database.query(
            "select distinct recipe from entities where owner = ? order by recipe", [owner]
        )
        return [str(recipe) for (recipe,) in rows]

    def summaries(self, owner: str, *, recipe: str | None = None) -> list[SessionSummary]:
        """Session summaries, oldest session first, undated ones last."""
        return (
            _of(SUMMARIES, owner, recipe).order("started_at nulls last, session_id, id").all(self._database)
        )

    def embeddings(self, model_id: str, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """text -> vector for the texts whose embedding is cached."""
        texts_of: dict[str, list[str]] = {}
        for text in texts:
            texts_of.setdefault(text_hash(storable_text(text)), []).append(text)
        asked = {"model": model_id, "hashes": list(texts_of)}
        batches = self._database.vectors(self._vectors_of, asked)
        return {
            text: vector
            for keys, vectors in batches
            for key, vector in zip(keys, vectors, strict=True)
            for text in texts_of[key]
        }


def _cited(memory: MemoryEntry) -> tuple[str, ...]:
    if len(memory.sources) == 1:
        return (memory.sources[0].message_id,)
    return tuple(dict.fromkeys(source.message_id for source in memory.sources))


def _of(table: Table[T], owner: str, recipe: str | None) -> Select[T]:
    """The owner's rows, of one recipe or (None) of all."""
    select = Select(table).where("owner = ?", owner)
    return select if recipe is None else select.where("recipe = ?", recipe)


def _wanted(owner: str, wanted: MemoryFilter) -> Select[MemoryEntry]:
    select = _of(MEMORIES, owner, wanted.get("recipe")).where_in("state", wanted.get("states", ("active",)))
    if (run_id := wanted.get("run_id")) is not None:
        select.where("run_id = ?", run_id)
    of_messages = "cited(sources) && {}"
    if (session_id := wanted.get("session_id")) is not None:
        ids = "array(select id from messages where session_id = ?)"
        select.where(of_messages.format(ids), session_id)
    if (message_ids := wanted.get("message_ids")) is not None:
        select.where(of_messages.format("?::text[]"), list(message_ids))
    if (segment_id := wanted.get("segment_id")) is not None:
        select.where("segment_id = ?", segment_id)
    if (superseded_by := wanted.get("superseded_by")) is not None:
        select.where("superseded_by = ?", superseded_by)
    if (person := wanted.get("person")) is not None:
        said_by_or_about = (
            "exists (select 1 from unnest(persons) as p(name) where lowered(p.name) = lowered(?)) "
            "or lowered(speaker) = lowered(?)"
        )
        select.where(said_by_or_about, person, person)
    if (kind := wanted.get("kind")) is not None:
        select.where("kind = ?", kind)
    _within(select, wanted.get("event_from"), wanted.get("event_to"))
    if (contains := wanted.get("contains")) is not None:
        select.where("position(lowered(?) in lowered(text)) > 0", contains)
    if (verdicts := wanted.get("verdicts")) is not None:
        select.where(f"coalesce({_VERDICT}, 'unchecked') in (select unnest(?::text[]))", list(verdicts))
    return select


def _within(select: Select[MemoryEntry], begin: datetime | None, end: datetime | None) -> None:
    """Only what happened at some time between these."""
    if begin is not None:
        select.where("event_end > ? or (event_end is null and event_at >= ?)", begin, begin)
    if end is not None:
        select.where("event_at < ?", end)
