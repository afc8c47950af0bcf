"""CogniGraph as a step's turns grow it: everything known of it, and what these turns changed.

LiCoMemory's three layers, linked both ways: a summary names its triples and chunks, a triple the memories
that state it, a memory its chunk. Held in memory for one step; nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcore.domain.models import Entity, MemoryEntry, Segment, SessionSummary, Triple, triple_text
from memcore.stages.link import Linked, survivor_of
from memcore.systems.licomemory.dedupe_entities import KnownEntities
from memcore.systems.steps import Known


class CogniGraph:
    """One owner's graph in one recipe. Each turn sees what the turns before it gave to `take` and
    `put_summary`."""

    def __init__(self, owner: str, recipe: str, known: Known[Any], *, typed: bool) -> None:
        self._owner = owner
        self._recipe = recipe
        self._known = known
        self.entities = dict(known.entities)
        self.triples = dict(known.triples)
        self.names = KnownEntities(known.entities.values(), typed=typed)
        self._summaries = dict(known.summaries)
        self._by_session: dict[str, dict[str, MemoryEntry]] = {}
        self._chunks: list[Segment] = []
        self._memories: dict[str, MemoryEntry] = {}
        self._changed: dict[str, None] = {}

    def take(self, chunk: Segment, linked: Linked) -> None:
        """Add a chunk with what was read in it."""
        self._chunks.append(chunk)
        self.entities |= {entity.id: entity for entity in linked.entities}
        self.triples |= {triple.id: triple for triple in linked.triples}
        self._changed |= dict.fromkeys(entity.id for entity in linked.entities)
        self._changed |= dict.fromkeys(triple.id for triple in linked.triples)
        self.names.learn(linked.entities)
        made = {memory.id: memory for memory in linked.memories}
        self._memories |= made
        self._session(chunk.session_id).update(made)

    def put_summary(self, summary: SessionSummary) -> None:
        """The session's summary from now on."""
        self._summaries[summary.session_id] = summary
        self._changed[summary.id] = None

    def summary(self, session_id: str) -> SessionSummary:
        """The session's summary as it stands; without text before its first turn."""
        return self._summaries.get(session_id) or SessionSummary(
            SessionSummary.id_for(session_id, self._recipe), session_id, self._owner, "", recipe=self._recipe
        )

    def entities_of(self, session_id: str, most: int) -> list[Entity]:
        """The entities that the session's triples connect, each as it stands today: the `most` it last met,
        the last of them last."""
        found: dict[str, Entity] = {}
        for triple_id in reversed(self.summary(session_id).triple_ids):
            for end in (self.triples[triple_id].object_id, self.triples[triple_id].subject_id):
                entity = survivor_of(self.entities[end], self.entities)
                found.setdefault(entity.id, entity)
            if len(found) >= most:
                break
        return list(found.values())[:most][::-1]

    def memories_of(self, session_id: str) -> Sequence[MemoryEntry]:
        """What the session left in memory so far."""
        return list(self._session(session_id).values())

    def text(self, triple: Triple) -> str:
        """The triple as the sentence that is embedded."""
        subject, object_ = self.entities[triple.subject_id], self.entities[triple.object_id]
        return triple_text(subject.name, triple.relation, object_.name)

    @property
    def chunks(self) -> tuple[Segment, ...]:
        """The chunks taken, in order."""
        return tuple(self._chunks)

    @property
    def memories(self) -> tuple[MemoryEntry, ...]:
        """The memories taken."""
        return tuple(self._memories.values())

    @property
    def changed_entities(self) -> tuple[Entity, ...]:
        """The entities that are new or other than they were before the step."""
        return tuple(self.entities[i] for i in self._changed if i in self.entities)

    @property
    def changed_triples(self) -> tuple[Triple, ...]:
        """The triples that are new or other than they were before the step."""
        return tuple(self.triples[i] for i in self._changed if i in self.triples)

    @property
    def changed_summaries(self) -> tuple[SessionSummary, ...]:
        """The summaries that turns of the step wrote, as the last of them left each."""
        return tuple(summary for summary in self._summaries.values() if summary.id in self._changed)

    def _session(self, session_id: str) -> dict[str, MemoryEntry]:
        if session_id not in self._by_session:
            stored = self._known.of_session(session_id)
            self._by_session[session_id] = {memory.id: memory for memory in stored}
        return self._by_session[session_id]
