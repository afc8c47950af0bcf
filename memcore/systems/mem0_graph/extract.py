"""Mem0-graph's extraction (section 2.2): entities with their types, then the relations between them.

Two calls a message pair: the entity extractor reads it and names what it is about; the relation
generator reads it again with these entities and gives triplets (v_s, r, v_d), each with the line that
states it. One relation is one `Fact`, its words those of the triplet, with its `TripleDraft`.

The language pipeline stands in where no model is chosen: `stages.relations` makes the same of what it says.

Differences from the published code. A relation between names that are not among the entities is left
out with a note instead of making nodes of its own. The speaker's name stands for "I", whoever speaks,
not one user id. A pair with fewer than two entities is not asked for relations. It stores nothing and
knows no server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.domain.errors import LlmReplyError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Fact, TripleDraft
from memcore.domain.models import Message
from memcore.domain.names import entity_key
from memcore.domain.prompts import fenced
from memcore.domain.protocols import Llm
from memcore.stages.log_lines import numbered, place_of
from memcore.stages.relations import stated, text_of
from memcore.stages.reply_checks import (
    MAX_FACTS_A_MESSAGE,
    MAX_NAME,
    EntityType,
    StrictReply,
    cleaned,
    sources_of,
    untold,
    usable_facts,
)
from memcore.stages.side_by_side import read_side_by_side
from memcore.systems.mem0_graph.prompts import MEM0_GRAPH_ENTITIES, MEM0_GRAPH_RELATIONS

ENTITIES_STAGE, RELATIONS_STAGE = "entities", "relations"
"""What the ledger calls the two calls."""
MAX_ENTITIES_A_MESSAGE = 2 * MAX_FACTS_A_MESSAGE


class EntityReply(StrictReply):
    name: str
    type: EntityType


class EntitiesReply(StrictReply):
    """What the entity extractor is asked for."""

    entities: list[EntityReply]


class RelationReply(StrictReply):
    source_id: int
    subject: str
    relation: str
    object: str


class RelationsReply(StrictReply):
    """What the relation generator is asked for."""

    relations: list[RelationReply]


@dataclass(frozen=True, slots=True)
class _Told:
    """A relation between two of the entities, as its sentence."""

    source_id: int
    draft: TripleDraft

    @property
    def fact(self) -> str:
        return text_of(self.draft)


class GraphExtractor:
    """An `Extractor` that asks `llm` twice a buffer, `workers` buffers at a time."""

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({MEM0_GRAPH_ENTITIES.version}, {MEM0_GRAPH_RELATIONS.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no buffer could be asked."""
        return read_side_by_side(buffers, self._read, made_by=self.name, workers=self._workers)

    def _read(self, buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        by_number = dict(enumerate(buffer.messages))
        log = fenced("log", "\n".join(numbered(n, m, m.text) for n, m in by_number.items()))
        notes: list[str] = []
        found = self._llm.ask(
            stage=ENTITIES_STAGE,
            prompt_version=MEM0_GRAPH_ENTITIES.version,
            place=place_of(buffer.messages),
            system=MEM0_GRAPH_ENTITIES.text,
            user=log,
            schema=EntitiesReply,
        ).data
        entities = _entities(found.entities, len(by_number), notes)
        facts: tuple[Fact, ...] = ()
        if len(entities) > 1:
            listed = "\n".join(f"{entity.name} ({entity.type})" for entity in entities.values())
            told = self._llm.ask(
                stage=RELATIONS_STAGE,
                prompt_version=MEM0_GRAPH_RELATIONS.version,
                place=place_of(buffer.messages),
                system=MEM0_GRAPH_RELATIONS.text,
                user="\n\n".join((fenced("entities", listed), log)),
                schema=RelationsReply,
            ).data
            facts = self._facts(told.relations, entities, by_number, notes)
        skipped = untold(by_number, facts)
        return (
            Extraction(buffer.session_id, facts),
            ExtractionTrace(buffer.session_id, self.name, skipped, notes=tuple(notes)),
        )

    def _facts(
        self,
        replies: Sequence[RelationReply],
        entities: Mapping[str, EntityReply],
        by_number: Mapping[int, Message],
        notes: list[str],
    ) -> tuple[Fact, ...]:
        told = [one for reply in replies if (one := _between(reply, entities, notes)) is not None]
        if replies and not told:
            raise LlmReplyError(
                f"No relation of {self.name}'s answer could be used: {'; '.join(notes)[:600]}.",
                "Choose a model that follows the prompt (7B parameters or more), and resume the import.",
            )
        return tuple(
            stated(
                one.draft,
                Fact(text, "fact", sources_of(text, message), speaker=message.speaker),
            )
            for one, text, message in usable_facts(told, by_number, notes, made_by=self.name)
        )


def _entities(replies: Sequence[EntityReply], messages: int, notes: list[str]) -> dict[str, EntityReply]:
    """The usable entities by key; a name that is given twice counts once."""
    most = MAX_ENTITIES_A_MESSAGE * messages
    if len(replies) > most:
        notes.append(f"{len(replies) - most} entities beyond the first {most} were left out")
    found: dict[str, EntityReply] = {}
    for reply in replies[:most]:
        name = cleaned(reply.name)
        key = entity_key(name)
        if not key or len(name) > MAX_NAME:
            notes.append(f"an entity was left out, its name is no name: {name[:MAX_NAME]!r}")
        else:
            found.setdefault(key, EntityReply(name=name, type=reply.type))
    return found


def _between(reply: RelationReply, entities: Mapping[str, EntityReply], notes: list[str]) -> _Told | None:
    """The relation, if it holds between two of the entities; otherwise a note."""
    names = [cleaned(name) for name in (reply.subject, reply.object)]
    relation = "_".join(cleaned(reply.relation).casefold().split())
    shown = " / ".join((names[0], relation, names[1]))[: 2 * MAX_NAME]
    ends = [entities.get(entity_key(name)) for name in names]
    subject, object_ = ends
    if subject is None or object_ is None:
        unknown = ", ".join(repr(n[:MAX_NAME]) for n, end in zip(names, ends, strict=True) if end is None)
        notes.append(f"{unknown} is not among the entities; relation left out: {shown!r}")
    elif not relation or len(relation) > MAX_NAME:
        notes.append(f"a relation of {len(relation)} characters was left out: {shown!r}")
    elif subject is object_:
        notes.append(f"a relation of an entity to itself was left out: {shown!r}")
    else:
        draft = TripleDraft(subject.name, relation, object_.name, subject.type, object_.type)
        return _Told(reply.source_id, draft)
    return None
