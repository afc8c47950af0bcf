"""Hybrid search, memscope's own: plan the question, ask every view, fuse, and return hits with the
words they came from.

A memory is found by its own text or by the message it came from, whichever matches better. A
message that no memory came from is a hit of its own: what extraction missed is not lost.
`as_of` answers from what was valid then. It never writes and needs no language model.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial

from memcore.models import Entity, Memory, Message
from memcore.protocols import Store
from memcore.retrieval import views
from memcore.retrieval.fuse import Weights, standardised
from memcore.retrieval.hits import ViewTimer, best, memory_hit, message_hit, sources_of
from memcore.retrieval.plan import plan_query
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Hit, SearchReport, SearchTrace
from memcore.stages.link import by_name

_SEARCHED: tuple[views.Kind, ...] = ("memory", "message", "triple")


def hybrid(
    store: Store, tools: SearchTools, question: Question, weights: Weights | None = None
) -> SearchReport:
    """The k best hits among what the recipe remembers and the messages it remembers nothing of."""
    weights = weights or Weights()
    begun = time.perf_counter()
    timer = ViewTimer()
    query, as_of = question.text, question.as_of
    entities = store.entities(question.owner, recipe=question.recipe)
    plan, named = plan_query(
        query,
        speakers=store.speakers(question.owner),
        entities=by_name(entities),
        reference=as_of or store.last_said(question.owner),
    )
    entity_ids = with_merged(named, entities)
    vector = tools.embedder.embed([query])[0]

    by_meaning = {
        kind: timer.run(f"semantic {kind}", partial(views.semantic, store, question, vector, kind))
        for kind in _SEARCHED
    }
    by_words = {
        kind: timer.run(f"lexical {kind}", partial(views.lexical, store, question, query, kind))
        for kind in _SEARCHED[:2]
    }
    by_graph = timer.run("graph", lambda: _graph(store, question, entity_ids, by_meaning["triple"]))

    message_ids = {*by_meaning["message"], *by_words["message"]}
    found = {*by_meaning["memory"], *by_words["memory"], *by_graph}
    memories = _candidates(store, question, found, message_ids)
    valid = {m.id: m for m in memories if m.valid_at(as_of)}
    spoken_for = {source.message_id for memory in memories for source in memory.sources}
    loose = {
        i: message
        for i, message in store.messages_by_id(sorted(message_ids - spoken_for)).items()
        if as_of is None or message.said_at is None or message.said_at <= as_of
    }
    by_symbol = timer.run("symbolic", lambda: views.symbolic(plan, valid.values(), loose.values()))
    by_time = timer.run("time", lambda: views.temporal(plan, valid.values()))

    components = {
        "semantic": _scaled(weights.semantic, _by_text_or_source(by_meaning, valid, loose)),
        "lexical": _scaled(weights.lexical, _by_text_or_source(by_words, valid, loose)),
        "symbolic": _scaled(weights.symbolic, by_symbol),
        "graph": _scaled(weights.graph, by_graph),
        "time": _scaled(weights.time, by_time),
    }
    hits = _ranked(store, valid, loose, components, question.k)
    trace = SearchTrace(plan, timer.views, _as_dict(weights), as_of, (time.perf_counter() - begun) * 1000)
    return SearchReport(query, hits, trace)


def with_merged(ids: Sequence[str], entities: Sequence[Entity]) -> tuple[str, ...]:
    """The ids, and those of every entity merged into them: triples keep the ends they were made with."""
    found = list(ids)
    merged: dict[str, list[str]] = {}
    for entity in entities:
        if entity.merged_into is not None:
            merged.setdefault(entity.merged_into, []).append(entity.id)
    for entity_id in found:  # grows while it is read: chains of merges
        found += [i for i in merged.get(entity_id, []) if i not in found]
    return tuple(found)


def _graph(
    store: Store, question: Question, entity_ids: tuple[str, ...], similar: Mapping[str, float]
) -> dict[str, float]:
    triples = {t.id: t for t in store.triples(question.owner, entity_ids=entity_ids)} if entity_ids else {}
    missing = [i for i in similar if i not in triples]
    triples.update({t.id: t for t in store.triples(question.owner, ids=missing)} if missing else {})
    return views.graph(entity_ids, [t for t in triples.values() if t.mentions], similar)


def _candidates(
    store: Store, question: Question, memory_ids: set[str], message_ids: set[str]
) -> list[Memory]:
    """Memories a view returned, and those that came from a message a view returned."""
    found = store.memories_by_id(sorted(memory_ids))
    if message_ids:
        said = store.memories(
            question.owner, recipe=question.recipe, states=None, message_ids=sorted(message_ids)
        )
        found.update((memory.id, memory) for memory in said)
    return [memory for memory in found.values() if memory.state != "deleted"]


def _by_text_or_source(
    scores: Mapping[views.Kind, Mapping[str, float]],
    memories: Mapping[str, Memory],
    loose: Mapping[str, Message],
) -> dict[str, float]:
    """Memories and messages standardised together, so that neither kind wins by standing out among its
    own. A memory's score is the mean of its own and the better of its own and its source's: of two
    memories from one sentence the closer one leads."""
    sources = {s.message_id for memory in memories.values() for s in memory.sources}
    found = standardised({**scores["message"], **scores["memory"]}, {*memories, *loose, *sources})
    blended = {
        i: (found[i] + max(found[i], *(found[s.message_id] for s in memory.sources))) / 2
        if memory.sources
        else found[i]
        for i, memory in memories.items()
    }
    return {**blended, **{i: found[i] for i in loose}}


def _ranked(
    store: Store,
    memories: Mapping[str, Memory],
    loose: Mapping[str, Message],
    components: Mapping[str, Mapping[str, float]],
    k: int,
) -> tuple[Hit, ...]:
    total = {i: sum(part.get(i, 0.0) for part in components.values()) for i in (*memories, *loose)}
    chosen = best(total, k)
    messages = sources_of(store, [memories[i] for i in chosen if i in memories])
    parts = {i: {view: scores.get(i, 0.0) for view, scores in components.items()} for i in chosen}
    return tuple(
        memory_hit(memories[i], messages, parts[i]) if i in memories else message_hit(loose[i], parts[i])
        for i in chosen
    )


def _scaled(weight: float, scores: Mapping[str, float]) -> dict[str, float]:
    return {i: weight * score for i, score in scores.items()}


def _as_dict(weights: Weights) -> dict[str, float]:
    return {name: getattr(weights, name) for name in ("semantic", "lexical", "symbolic", "graph", "time")}
