"""The four views of memory that a question is looked up in: semantic, lexical, symbolic, graph.

Each returns raw scores by object id; `fuse` makes them comparable. Semantic and lexical see both
memories and the raw messages, so what extraction missed can still be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from math import log

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import MemoryEntry, Message, Triple
from memcore.domain.names import entity_key
from memcore.domain.protocols import SearchedKind, Store
from memcore.retrieval.question import Question
from memcore.retrieval.results import QueryPlan

DEPTH = 200
"""Candidates taken from each semantic and lexical ranking."""

Kind = SearchedKind


def semantic(
    store: Store, question: Question, vector: NDArray[np.float32], kind: Kind, depth: int = DEPTH
) -> dict[str, float]:
    """Cosine similarity of a vector to each text of the question's owner and recipe."""
    return dict(store.semantic(question.owner, vector, depth, kind=kind, recipe=_recipe(question, kind)))


def lexical(store: Store, question: Question, query: str, kind: Kind, depth: int = DEPTH) -> dict[str, float]:
    """BM25 of the query's words in each text of the question's owner and recipe."""
    return dict(store.lexical(question.owner, query, depth, kind=kind, recipe=_recipe(question, kind)))


def of_valid(
    store: Store, question: Question, ranked: Callable[[int], dict[str, float]], least: int | None = None
) -> dict[str, float]:
    """The scores of memories that were valid at `question.as_of`: at least the `least` best of them (None:
    k), if there are so many. `ranked` gives scores to a depth; what has ended is indexed too and may fill
    any depth, so it is asked deeper until there are enough or it has no more."""
    depth = max(DEPTH, question.k) if least is None else least
    least = least or question.k
    while True:
        scores = ranked(depth)
        valid = {
            i: scores[i]
            for i, memory in store.memories_by_id(sorted(scores)).items()
            if memory.state != "deleted" and memory.valid_at(question.as_of)
        }
        if len(valid) >= least or len(scores) < depth:
            return valid
        depth *= 4


def _recipe(question: Question, kind: Kind) -> str:
    return "" if kind == "message" else question.recipe


def symbolic(
    plan: QueryPlan, memories: Iterable[MemoryEntry], messages: Iterable[Message]
) -> dict[str, float]:
    """Share of the named people and entities that a memory is about (0 to 1); a message is about who
    said it."""
    people = {entity_key(person) for person in plan.persons}
    things = {entity_key(name) for name in plan.entities} - people
    asked = len(people) + len(things)
    if not asked:
        return {}
    scores = {message.id: len(people & {entity_key(message.speaker)}) / asked for message in messages}
    for memory in memories:
        about = {entity_key(name) for name in (memory.speaker, *memory.persons)}
        named = about | {entity_key(name) for name in (*memory.entities, *memory.keywords, memory.location)}
        scores[memory.id] = (len(people & about) + len(things & named)) / asked
    return scores


def temporal(plan: QueryPlan, memories: Iterable[MemoryEntry]) -> dict[str, float]:
    """Whether a memory fits the time the question speaks of: 1 if what it describes falls into the
    asked time, 0.5 if only it was said then; for a "when" question, 0.5 if it states a time. A
    missing time is missing: it neither fits nor counts as now."""
    if plan.time_from is None and not plan.asks_when:
        return {}
    scores = {}
    for memory in memories:
        if plan.time_from is None or plan.time_to is None:
            scores[memory.id] = 0.5 if memory.event_at else 0.0
        elif overlaps(memory.event_at, memory.event_end, plan.time_from, plan.time_to):
            scores[memory.id] = 1.0
        elif memory.event_at is None and overlaps(memory.mentioned_at, None, plan.time_from, plan.time_to):
            scores[memory.id] = 0.5
        else:
            scores[memory.id] = 0.0
    return scores


def triples(
    store: Store, question: Question, entity_ids: Sequence[str], similar: Iterable[str]
) -> list[Triple]:
    """The triples of the entities, and those `similar` to the question by their ids, that somebody says."""
    found = store.triples_of_entities(question.owner, entity_ids, recipe=question.recipe)
    found = {**found, **store.triples_by_id([i for i in similar if i not in found])}
    return [triple for triple in found.values() if triple.mentions]


def graph(
    entity_ids: Sequence[str], triples: Sequence[Triple], similar_triples: Mapping[str, float]
) -> dict[str, float]:
    """Memories reached through triples (Mem0-graph's two ways, merged): entity-centric, the edges of
    the entities named, and semantic triplet, the triples whose text is similar to the question."""
    by_edge = edges(dict.fromkeys(entity_ids, 1.0), triples)
    scores: dict[str, float] = {}
    for triple in triples:
        score = by_edge.get(triple.id, 0.0) + similar_triples.get(triple.id, 0.0)
        if score > 0.0:
            for memory_id in triple.memory_ids:
                scores[memory_id] = max(scores.get(memory_id, 0.0), score)
    return scores


def edges(nodes: Mapping[str, float], triples: Sequence[Triple]) -> dict[str, float]:
    """Entity-centric: the in- and out-edges of nodes (entity id → how much it is asked for), each
    counting less the more edges its node has; by triple id."""
    degree: dict[str, int] = {}
    for triple in triples:
        for end in (triple.subject_id, triple.object_id):
            degree[end] = degree.get(end, 0) + 1
    scores: dict[str, float] = {}
    for triple in triples:
        for end in nodes.keys() & {triple.subject_id, triple.object_id}:
            scores[triple.id] = scores.get(triple.id, 0.0) + nodes[end] / (1.0 + log(degree[end]))
    return scores


def overlaps(begin: datetime | None, end: datetime | None, time_from: datetime, time_to: datetime) -> bool:
    """Whether something from `begin` to `end` (None: a moment) falls into the asked time (end exclusive)."""
    if begin is None:
        return False
    return (begin < time_to and time_from < (end or begin)) or begin == time_from
