"""Mem0-graph's retrieval (section 2.2): two ways into the graph, merged.

Entity-centric: the entities of the question, by name and by meaning, the nodes they stand for, and
these nodes' in- and out-edges as a subgraph. Semantic triplet: the question's embedding against the
text of every triple, those above a relevance threshold in order of similarity. A memory is as good as
the relation that it states, the sum of the two; relations and memories that did not hold at `as_of` are
left out.

Deliberate differences. Published code asks a model for the question's entities; here they are names
that the graph knows and runs of content words, so searching costs no call. How the two ways are merged
is not published: an edge counts the similarity of its node, less the more edges the node has (everything
is an edge of who speaks), and is added to the triplet's cosine.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memcore.models import Memory, Triple
from memcore.protocols import Store
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.plan import LONGEST_NAME, STOP_WORDS, plan_query
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import SearchReport, SearchTrace
from memcore.retrieval.search import with_merged
from memcore.stages.link import by_name
from memcore.stages.match_nodes import NEAREST_NODES, NODE_SIMILARITY

STRATEGY = "mem0_graph"
RELEVANCE = 0.3
"""Cosine from which a triple is relevant to a question."""
TRIPLES = 200
"""Triples taken from the ranking by similarity."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def mem0_graph(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k best memories that state a relation of the question's entities or similar to the question."""
    begun = time.perf_counter()
    timer = ViewTimer()
    owner, recipe = question.owner, question.recipe
    entities = store.entities(owner, recipe=recipe)
    plan, named = plan_query(
        question.text,
        speakers=store.speakers(owner),
        entities=by_name(entities),
        reference=question.as_of or store.last_said(owner),
    )
    phrases = _phrases(question.text)
    vector, *of_phrases = tools.embedder.embed([question.text, *phrases])

    def similar_nodes() -> dict[str, float]:
        scores: dict[str, float] = {}
        for of_phrase in of_phrases:
            for node, cosine in views.semantic(store, question, of_phrase, "entity", NEAREST_NODES).items():
                if cosine >= NODE_SIMILARITY:
                    scores[node] = max(scores.get(node, 0.0), cosine)
        return scores

    def nodes() -> dict[str, float]:
        found = similar_nodes() | dict.fromkeys(named, 1.0)
        return {i: score for node, score in found.items() for i in with_merged([node], entities)}

    asked_for = timer.run("nodes", nodes)
    subgraph = store.triples(owner, recipe=recipe, entity_ids=sorted(asked_for)) if asked_for else []
    similar = timer.run(
        "semantic triplet",
        lambda: {
            i: cosine
            for i, cosine in views.semantic(store, question, vector, "triple", TRIPLES).items()
            if cosine >= RELEVANCE
        },
    )
    triples = {triple.id: triple for triple in subgraph}
    further = [i for i in similar if i not in triples]
    triples |= {t.id: t for t in store.triples(owner, recipe=recipe, ids=further)} if further else {}
    holding = [t for t in triples.values() if t.mentions and _holds(t, question)]
    by_edge = timer.run("entity-centric", lambda: views.edges(asked_for, holding))

    memories = _stating(store, question, holding)
    components = _best_relation(holding, memories, by_edge, similar)
    chosen = best({i: sum(parts.values()) for i, parts in components.items()}, question.k)
    messages = sources_of(store, [memories[i] for i in chosen])
    return SearchReport(
        query=question.text,
        hits=tuple(memory_hit(memories[i], messages, components[i]) for i in chosen),
        trace=SearchTrace(
            plan=replace(plan, queries=phrases, indexes=("entity", "triple")),
            views=timer.views,
            weights={"t": NODE_SIMILARITY, "relevance": RELEVANCE},
            as_of=question.as_of,
            milliseconds=(time.perf_counter() - begun) * 1000,
            strategy=STRATEGY,
            notes=(f"{len(asked_for)} nodes, {len(holding)} relations of theirs or similar that hold",),
        ),
    )


def _phrases(query: str) -> tuple[str, ...]:
    """The question's runs of content words and their words: what may name a node.

    >>> _phrases("When did Melanie join a support group?")
    ('Melanie join', 'Melanie', 'join', 'support group', 'support', 'group')
    """
    runs: list[list[str]] = [[]]
    for word in _WORD.findall(query):
        if word.casefold() in STOP_WORDS or len(runs[-1]) == LONGEST_NAME:
            runs.append([])
        if word.casefold() not in STOP_WORDS:
            runs[-1].append(word)
    return tuple(dict.fromkeys(text for run in runs if run for text in (" ".join(run), *run)))


def _holds(triple: Triple, question: Question) -> bool:
    if question.as_of is None:
        return triple.invalidated_at is None
    begun = triple.valid_from is None or triple.valid_from <= question.as_of
    return begun and (triple.invalidated_at is None or question.as_of < triple.invalidated_at)


def _stating(store: Store, question: Question, triples: Sequence[Triple]) -> dict[str, Memory]:
    """The memories that state triples and held at the time asked about."""
    ids = sorted({i for triple in triples for i in triple.memory_ids})
    return {i: m for i, m in store.memories_by_id(ids).items() if m.valid_at(question.as_of)}


def _best_relation(
    triples: Sequence[Triple],
    memories: Mapping[str, Memory],
    by_edge: Mapping[str, float],
    similar: Mapping[str, float],
) -> dict[str, dict[str, float]]:
    """For each memory the score parts of the best relation it states."""
    components: dict[str, dict[str, float]] = {}
    for triple in triples:
        parts = {"entity": by_edge.get(triple.id, 0.0), "triplet": similar.get(triple.id, 0.0)}
        for memory_id in triple.memory_ids:
            before = components.get(memory_id)
            if memory_id in memories and (before is None or sum(before.values()) < sum(parts.values())):
                components[memory_id] = parts
    return components
