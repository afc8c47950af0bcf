"""`memory.graph`: entities and triples, a system's graph whole or in part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from memcore.domain.models import DEFAULT_OWNER, Entity, Proposal, Triple
from memcore.domain.protocols import Store
from memcore.exporting import graphml
from memcore.inspection import graph, graph_layers
from memcore.inspection.graph import EntityGraph, EntityMerge, GraphView
from memcore.inspection.graph_layers import GraphLayers
from memcore.memory.rights import Rights, needs
from memcore.review import merging
from memcore.runs.record import RunRecord


class Graph:
    """The graphs of an owner's conversations: one for each system that keeps one. Where no system is
    named, the one that answers by default."""

    def __init__(
        self, store: Store, rights: Rights, record: RunRecord, default_system: Callable[[str], str]
    ) -> None:
        self._store = store
        self._rights = rights
        self._record = record
        self._default_system = default_system

    @needs("read")
    def systems(self, owner: str = DEFAULT_OWNER) -> list[str]:
        """The systems that have a graph of this owner's conversations."""
        return self._store.graphs(owner)

    @needs("read")
    def entities(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> list[Entity]:
        """The owner's entities, of one system or (None) of all, merged ones included."""
        return self._store.entities(owner, recipe=recipe)

    @needs("read")
    def triples(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        entity_ids: Sequence[str] | None = None,
        memory_ids: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        recipe: str | None = None,
        include_invalidated: bool = True,
        limit: int | None = None,
    ) -> list[Triple]:
        """The owner's triples: all, or those with one of these entities, of these memories, of these ids."""
        return self._store.triples(
            owner,
            entity_ids=entity_ids,
            memory_ids=memory_ids,
            ids=ids,
            recipe=recipe,
            include_invalidated=include_invalidated,
            limit=limit,
        )

    @needs("read")
    def whole(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        recipe: str | None = None,
        conversation_id: str | None = None,
    ) -> EntityGraph:
        """The whole graph that a system has found, by its links, or what one conversation says of it."""
        chosen = recipe or self._default_system(owner)
        return graph.entity_graph(self._store, owner, chosen, conversation_id=conversation_id)

    @needs("read")
    def part(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        recipe: str | None = None,
        whole: EntityGraph | None = None,
        centre: str | None = None,
        depth: int = 1,
        relation: str | None = None,
        contains: str = "",
        as_of: datetime | None = None,
        include_invalidated: bool = True,
        max_entities: int = 150,
        max_triples: int = 400,
    ) -> GraphView:
        """A part of a system's graph with its evidence, as `inspection.graph.graph_view`; `whole` saves
        reading it again."""
        return graph.graph_view(
            self._store,
            whole or self.whole(owner, recipe=recipe),
            centre=centre,
            depth=depth,
            relation=relation,
            contains=contains,
            as_of=as_of,
            include_invalidated=include_invalidated,
            max_entities=max_entities,
            max_triples=max_triples,
        )

    @needs("read")
    def layers(
        self,
        view: GraphView,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        sessions: bool = True,
        chunks: bool = True,
    ) -> GraphLayers:
        """The sessions and chunks that the triples of a part of the graph come from."""
        chosen = recipe or self._default_system(owner)
        return graph_layers.graph_layers(
            self._store, view, owner=owner, recipe=chosen, sessions=sessions, chunks=chunks
        )

    @needs("read")
    def graphml(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> bytes:
        """A system's whole graph as GraphML."""
        return graphml.graphml(*graph.whole_graph(self._store, self.whole(owner, recipe=recipe)))

    @needs("read")
    def merges(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> tuple[EntityMerge, ...]:
        """The proposals that wait to merge entities of a system's graph."""
        return graph.entity_merges(self._store, owner, recipe or self._default_system(owner))

    @needs("review")
    def propose_merges(
        self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None
    ) -> tuple[Proposal, ...]:
        """Propose to merge entities of a system's graph that bear one name, as `consolidate` does besides
        much else; returns the new proposals. Merges nothing."""
        run = self._record.begin(owner, recipe or self._default_system(owner), "names")
        with self._record.running(run) as totals:
            made = merging.propose_entity_merges(self._store, run, actor="memscope")
            totals["proposals"] = len(made)
        return made
