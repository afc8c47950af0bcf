"""Search: plan the question, ask every view, fuse, and return hits with the words they came from.

A memory is found by its own text or by the message it came from, whichever matches better. A
message that no memory came from is a hit of its own: what extraction missed is not lost.
`as_of` answers from what was valid then. Search never writes and needs no language model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TypeVar

from memcore.errors import UsageError
from memcore.models import Entity, Memory, Message
from memcore.protocols import Embedder, Store
from memcore.retrieval import views
from memcore.retrieval.fuse import Weights, standardised
from memcore.retrieval.plan import plan_query
from memcore.retrieval.results import Hit, Quote, SearchReport, SearchTrace, ViewTrace
from memcore.stages.link import entity_key

T = TypeVar("T")
SHOWN_IN_TRACE = 50
LONGEST_QUERY = 4000
_SEARCHED: tuple[views.Kind, ...] = ("memory", "message", "triple")


def search(
    store: Store,
    embedder: Embedder,
    query: str,
    *,
    owner: str,
    k: int = 10,
    as_of: datetime | None = None,
    recipe: str | None = None,
    weights: Weights | None = None,
) -> SearchReport:
    """The k best hits for `query` in the owner's memory, best first; with `recipe`, only among what
    that recipe remembers and the messages it remembers nothing of.

    Raises UsageError for an empty question or a k below 1.
    """
    query = query.strip()[:LONGEST_QUERY]
    if not query:
        raise UsageError("The question is empty.", "Ask something, for example: Where does Nora live?")
    if k < 1:
        raise UsageError(f"k = {k} asks for no results.", "Ask for at least 1 result.")
    weights = weights or Weights()
    begun = time.perf_counter()
    timer = _ViewTimer()
    entities = store.entities(owner)
    plan, named = plan_query(
        query,
        speakers=store.speakers(owner),
        entities=_by_name(entities),
        reference=as_of or store.last_said(owner),
    )
    entity_ids = _with_merged(named, entities)
    vector = embedder.embed([query])[0]

    by_meaning = {
        kind: timer.run(f"semantic {kind}", partial(views.semantic, store, owner, vector, kind))
        for kind in _SEARCHED
    }
    by_words = {
        kind: timer.run(f"lexical {kind}", partial(views.lexical, store, owner, query, kind))
        for kind in _SEARCHED[:2]
    }
    by_graph = timer.run("graph", lambda: _graph(store, owner, entity_ids, by_meaning["triple"]))

    message_ids = {*by_meaning["message"], *by_words["message"]}
    memories = _candidates(store, owner, {*by_meaning["memory"], *by_words["memory"], *by_graph}, message_ids)
    memories = [m for m in memories if recipe in (None, m.recipe)]
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
    hits = _ranked(store, valid, loose, components, k)
    trace = SearchTrace(plan, timer.views, _as_dict(weights), as_of, (time.perf_counter() - begun) * 1000)
    return SearchReport(query, hits, trace)


def _by_name(entities: Sequence[Entity]) -> dict[str, Entity]:
    """Every name and alias → the entity it stands for today; an entity's own name before an alias."""
    standing = [e for e in entities if e.merged_into is None]
    aliases = {entity_key(alias): e for e in standing for alias in e.aliases}
    return aliases | {entity_key(e.name): e for e in standing}


def _with_merged(ids: Sequence[str], entities: Sequence[Entity]) -> tuple[str, ...]:
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
    store: Store, owner: str, entity_ids: tuple[str, ...], similar: Mapping[str, float]
) -> dict[str, float]:
    triples = {t.id: t for t in store.triples(owner, entity_ids=entity_ids)} if entity_ids else {}
    missing = [i for i in similar if i not in triples]
    triples.update({t.id: t for t in store.triples(owner, ids=missing)} if missing else {})
    return views.graph(entity_ids, [t for t in triples.values() if t.mentions], similar)


def _candidates(store: Store, owner: str, memory_ids: set[str], message_ids: set[str]) -> list[Memory]:
    """Memories a view returned, and those that came from a message a view returned."""
    found = store.memories_by_id(sorted(memory_ids))
    if message_ids:
        for memory in store.memories(owner, states=None, message_ids=sorted(message_ids)):
            found[memory.id] = memory
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
    best = sorted(total, key=lambda i: (-total[i], i))[:k]
    wanted = {s.message_id for i in best if i in memories for s in memories[i].sources}
    messages = {**loose, **store.messages_by_id(sorted(wanted))}
    hits = []
    for i in best:
        parts = {view: scores.get(i, 0.0) for view, scores in components.items()}
        if i in memories:
            m = memories[i]
            quotes = tuple(Quote(messages[s.message_id], s.start, s.end) for s in m.sources)
            hit = Hit(
                i, "memory", m.text, total[i], parts, quotes, m.mentioned_at, m.event_at, m.event_end, m.state
            )
        else:
            said = loose[i]
            quotes = (Quote(said, 0, len(said.text)),)
            hit = Hit(i, "message", f"{said.speaker}: {said.text}", total[i], parts, quotes, said.said_at)
        hits.append(hit)
    return tuple(hits)


def _scaled(weight: float, scores: Mapping[str, float]) -> dict[str, float]:
    return {i: weight * score for i, score in scores.items()}


def _as_dict(weights: Weights) -> dict[str, float]:
    return {name: getattr(weights, name) for name in ("semantic", "lexical", "symbolic", "graph", "time")}


class _ViewTimer:
    """Runs views and keeps their rankings and times for the trace."""

    def __init__(self) -> None:
        self._views: list[ViewTrace] = []

    def run(self, name: str, view: Callable[[], dict[str, float]]) -> dict[str, float]:
        begun = time.perf_counter()
        scores = view()
        ranking = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_IN_TRACE]
        self._views.append(ViewTrace(name, tuple(ranking), (time.perf_counter() - begun) * 1000))
        return scores

    @property
    def views(self) -> tuple[ViewTrace, ...]:
        return tuple(self._views)
