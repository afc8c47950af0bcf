"""One recipe's entity graph as a reader meets it: merged entities as one, a part of it at a time.

`entity_graph` knows the whole by its links alone (10,000 of them are read in some hundredths of a second,
so nothing is cached and nothing can be stale); `graph_view` chooses a part of it and adds the evidence of
what it shows. Read-only; nothing here decides, draws or changes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from memcore.domain.errors import NotFoundError
from memcore.domain.models import Entity, Grounding, Link, Proposal, Triple
from memcore.domain.protocols import Store
from memcore.inspection.objects import quotes_by_id
from memcore.retrieval.results import Quote
from memcore.stages.link import survivor_of


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """A whole graph. `entities` are those that stand for themselves, by id, the most connected first;
    `survivors` leads from the id of any entity, merged ones included, to the one it is now. `links` have
    survivors at their ends. `said` is when the owner's first and last dated messages were said."""

    owner: str
    recipe: str
    entities: dict[str, Entity]
    survivors: dict[str, str]
    links: tuple[Link, ...]
    said: tuple[datetime, datetime] | None

    def relations(self) -> dict[str, int]:
        """How many links each relation has, the commonest first."""
        return dict(Counter(link.relation for link in self.links).most_common())


@dataclass(frozen=True, slots=True)
class GraphView:
    """A part of one graph: entities nearest first, triples by time with the source text of each. `hidden_*`
    count what the caps left out, `matching` the entities whose own name has the words looked for;
    `groundings` are by triple whether its source text carries it, as far as they were checked."""

    entities: tuple[Entity, ...]
    triples: tuple[Triple, ...]
    hidden_entities: int
    hidden_triples: int
    quotes: Mapping[str, tuple[Quote, ...]] = field(default_factory=dict)
    matching: tuple[Entity, ...] = ()
    groundings: Mapping[str, Grounding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityMerge:
    """A proposal to make one entity of several; the first would survive."""

    proposal: Proposal
    entities: tuple[Entity, ...]


def entity_graph(store: Store, owner: str, recipe: str, *, conversation_id: str | None = None) -> EntityGraph:
    """The whole graph that a recipe found in an owner's conversations, or as much of it as one of them says:
    its links, and the entities that these connect."""
    by_id = {entity.id: entity for entity in store.entities(owner, recipe=recipe)}
    survivors = {entity_id: survivor_of(entity, by_id).id for entity_id, entity in by_id.items()}
    links = tuple(
        _between_survivors(link, survivors)
        for link in store.links(owner, recipe=recipe, conversation_id=conversation_id)
        if link.subject_id in survivors and link.object_id in survivors
    )
    degree = Counter(end for link in links for end in (link.subject_id, link.object_id))
    known = set(degree) if conversation_id else set(survivors.values())
    standing = sorted(known, key=lambda i: (-degree[i], by_id[i].name, i))
    begun = [session.started_at for session in store.sessions(owner=owner) if session.started_at]
    last = store.last_said(owner)
    said = (min(begun), last) if begun and last else None
    return EntityGraph(owner, recipe, {i: by_id[i] for i in standing}, survivors, links, said)


def graph_view(
    store: Store,
    graph: EntityGraph,
    *,
    centre: str | None = None,
    depth: int = 1,
    relation: str | None = None,
    contains: str = "",
    as_of: datetime | None = None,
    include_invalidated: bool = True,
    max_entities: int = 150,
    max_triples: int = 400,
) -> GraphView:
    """The neighbourhood of `centre` up to `depth` links away, nearest first; without a centre, what has
    the words `contains` in a name, an alias or the relation; without either, the most connected entities.
    Only links of `relation`, and only those that held at `as_of`, count as ways. Raises NotFoundError for
    an unknown centre. At a moment `as_of`, `include_invalidated` plays no part: what held then is shown."""
    if centre is not None and centre not in graph.survivors:
        raise NotFoundError(f"No entity has the id {centre!r}.", "Choose one from the list of entities.")
    named = _named(graph, contains)
    ways = [
        link
        for link in graph.links
        if (not relation or link.relation == relation)
        and link.held_at(as_of)
        and (include_invalidated or as_of is not None or link.invalidated_at is None)
        and (not contains or _says(link, named, contains))
    ]
    if centre is not None:
        order, first = _outward(graph.survivors[centre], graph, ways, depth)
    else:
        order, first = _by_connections(graph, ways, named), ()
    shown = set(order[:max_entities])
    place = {entity_id: number for number, entity_id in enumerate(order)}
    reached = [link for link in ways if link.subject_id in place and link.object_id in place]
    # The way to each shown entity before anything else, so that none stands alone.
    kept = {link_id: None for entity_id, link_id in first if entity_id in shown}
    inside = [link for link in reached if link.subject_id in shown and link.object_id in shown]
    for link in sorted(inside, key=lambda w: min(place[w.subject_id], place[w.object_id])):
        kept[link.id] = None
    triples = _triples(store, graph, list(kept)[:max_triples])
    return GraphView(
        tuple(graph.entities[i] for i in order[:max_entities]),
        triples,
        max(0, len(order) - max_entities),
        len(reached) - len(triples),
        quotes_by_id(store, triples),
        tuple(entity for entity_id, entity in graph.entities.items() if entity_id in named),
        store.groundings([triple.id for triple in triples]),
    )


def whole_graph(store: Store, graph: EntityGraph) -> tuple[tuple[Entity, ...], tuple[Triple, ...]]:
    """Every entity and triple with its evidence, for export."""
    return tuple(graph.entities.values()), _triples(store, graph, [link.id for link in graph.links])


def entity_merges(store: Store, owner: str, recipe: str) -> tuple[EntityMerge, ...]:
    """The proposals that wait to merge entities of this graph, oldest first."""
    waiting = [p for p in store.proposals(owner) if p.operation == "merge_entities"]
    known = store.entities_by_id(list({i for p in waiting for i in p.target_ids}))
    merges = [EntityMerge(p, tuple(known[i] for i in p.target_ids if i in known)) for p in waiting]
    return tuple(merge for merge in merges if {entity.recipe for entity in merge.entities} == {recipe})


def _between_survivors(link: Link, survivors: Mapping[str, str]) -> Link:
    subject, object_ = survivors[link.subject_id], survivors[link.object_id]
    if (subject, object_) == (link.subject_id, link.object_id):
        return link  # nearly all: copying ten thousand would take as long as reading them
    return replace(link, subject_id=subject, object_id=object_)


def _named(graph: EntityGraph, words: str) -> set[str]:
    """The entities that have the words in their name or an alias; none for no words."""
    wanted = words.casefold()
    return {
        entity.id
        for entity in graph.entities.values()
        if wanted and any(wanted in name.casefold() for name in (entity.name, *entity.aliases))
    }


def _says(link: Link, named: set[str], words: str) -> bool:
    relation = link.relation.casefold()
    spelled = words.casefold() in relation or words.casefold() in relation.replace("_", " ")
    return spelled or link.subject_id in named or link.object_id in named


def _outward(
    centre: str, graph: EntityGraph, ways: Iterable[Link], depth: int
) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Entities by their distance from the centre, at one distance the most connected first; and for each
    but the centre the link by which it was reached."""
    around: dict[str, list[tuple[str, str]]] = {}
    for link in ways:
        around.setdefault(link.subject_id, []).append((link.object_id, link.id))
        around.setdefault(link.object_id, []).append((link.subject_id, link.id))
    rank = {entity_id: number for number, entity_id in enumerate(graph.entities)}
    reached: dict[str, str] = {centre: ""}
    order = ring = [centre]
    for _ in range(depth):
        further: dict[str, str] = {}
        for entity_id in ring:
            for neighbour, link_id in around.get(entity_id, ()):
                if neighbour not in reached:
                    further.setdefault(neighbour, link_id)
        reached |= further
        ring = sorted(further, key=rank.__getitem__)
        order = order + ring
    return order, tuple((i, reached[i]) for i in order[1:])


def _by_connections(graph: EntityGraph, ways: Iterable[Link], named: set[str]) -> list[str]:
    """Whatever is named or has a link of these, the named first, then the most connected."""
    linked = {end for link in ways for end in (link.subject_id, link.object_id)}
    found = [entity_id for entity_id in graph.entities if entity_id in linked or entity_id in named]
    return sorted(found, key=lambda entity_id: entity_id not in named)


def _triples(store: Store, graph: EntityGraph, ids: list[str]) -> tuple[Triple, ...]:
    """Triples by time, between survivors."""
    return tuple(
        replace(
            triple,
            subject_id=graph.survivors[triple.subject_id],
            object_id=graph.survivors[triple.object_id],
        )
        for triple in store.triples(graph.owner, ids=ids)
    )
