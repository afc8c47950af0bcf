"""Mem0-graph's retrieval (section 2.2): two ways into the graph, merged.

Entity-centric: the entities of the question, by name and by meaning, the nodes they stand for, and
these nodes' in- and out-edges as a subgraph. Semantic triplet: the question's embedding against the
text of every triple, those above a relevance threshold in order of similarity. A memory is as good as
the relation that it states, the sum of the two; relations and memories that did not hold at `as_of` are
left out.

A chosen model is asked for the question's entities, as published; without one they are names that the graph
knows and runs of content words.

Deliberate difference. How the two ways are merged is not published. Here an edge counts the similarity
of its node, less the more edges the node has (everything is an edge of who speaks), and is added to the
triplet's cosine with so small a weight that the edges of the entities follow the relations relevant to the
question.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import MemoryEntry, Triple
from memcore.domain.protocols import Store
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.plan import LONGEST_NAME, STOP_WORDS, plan_naming, plan_question, with_merged
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace
from memcore.systems.mem0_graph.match_nodes import NEAREST_NODES, NODE_SIMILARITY
from memcore.systems.mem0_graph.question import ENTITIES

STRATEGY = "mem0_graph"
RELEVANCE = 0.3
"""Cosine from which a triple is relevant to a question."""
EDGE_WEIGHT = 0.05
"""What an edge of a node adds. On 250 questions of LoCoMo's development split turn recall at 10 is 37 for
the triplets alone, 36.5 with this weight and 28 with a weight of 1: most edges of an entity are about
something else."""
TRIPLES = 200
"""Triples taken from the ranking by similarity (as many as are asked for, if that is more), and whose
memories are read at a time."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def mem0_graph(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k best memories that state a relation of the question's entities or similar to the question.
    Raises LlmError when a model is given and does not name them."""
    begun = time.perf_counter()
    timer = ViewTimer()
    owner, recipe = question.owner, question.recipe
    plan, named, phrases, notes = _entities(store, tools, question)
    vector, *of_phrases = tools.embedder.embed([question.text, *phrases])

    def nodes() -> dict[str, float]:
        found = _near_nodes(store, question, of_phrases) | dict.fromkeys(named, 1.0)
        entities = store.entities(owner, recipe=recipe)
        merged = [entity for entity in entities if entity.merged_into is not None]
        return {i: score for node, score in found.items() for i in with_merged([node], merged)}

    asked_for = timer.run("nodes", nodes)
    similar = timer.run("semantic triplet", lambda: _relevant(store, question, vector))
    triples = views.triples(store, question, list(asked_for), similar)
    holding = [t for t in triples if _holds(t, question)]
    weighted = {node: EDGE_WEIGHT * score for node, score in asked_for.items()}
    by_edge = timer.run("entity-centric", lambda: views.edges(weighted, holding))

    memories, components = _best_stated(store, question, holding, by_edge, similar)
    chosen = best({i: sum(parts.values()) for i, parts in components.items()}, question.k)
    messages = sources_of(store, [memories[i] for i in chosen])
    return SearchReport(
        query=question.text,
        hits=tuple(memory_hit(memories[i], messages, components[i]) for i in chosen),
        trace=SearchTrace(
            plan=replace(plan, queries=phrases, indexes=("entity", "triple")),
            views=timer.views,
            weights={"t": NODE_SIMILARITY, "relevance": RELEVANCE, "entity": EDGE_WEIGHT, "triplet": 1.0},
            as_of=question.as_of,
            milliseconds=(time.perf_counter() - begun) * 1000,
            strategy=STRATEGY,
            notes=(
                *notes,
                f"{len(asked_for)} nodes, {len(holding)} relations of theirs or similar that hold",
            ),
        ),
    )


def _entities(
    store: Store, tools: SearchTools, question: Question
) -> tuple[QueryPlan, Sequence[str], tuple[str, ...], tuple[str, ...]]:
    """The plan, the nodes that the question names, what else may be the name of one, and what of a model's
    answer could not be used."""
    if tools.llm is None:
        plan, named = plan_question(store, question)
        return plan, named, _phrases(question.text), ()
    names, notes = ENTITIES.of(tools.llm, question.text, store.speakers(question.owner))
    plan, named = plan_naming(store, question, names, ENTITIES.asked_by(tools.llm))
    return plan, named, names, notes


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


def _near_nodes(
    store: Store, question: Question, of_phrases: Sequence[NDArray[np.float32]]
) -> dict[str, float]:
    """The nodes that a phrase may name, at similarity t or above, with their cosines."""
    scores: dict[str, float] = {}
    for vector in of_phrases:
        for node, cosine in views.semantic(store, question, vector, "entity", NEAREST_NODES).items():
            if cosine >= NODE_SIMILARITY:
                scores[node] = max(scores.get(node, 0.0), cosine)
    return scores


def _relevant(store: Store, question: Question, vector: NDArray[np.float32]) -> dict[str, float]:
    """The triples whose text is relevant to the question, with their cosines."""
    found = views.semantic(store, question, vector, "triple", max(TRIPLES, question.k))
    return {triple: cosine for triple, cosine in found.items() if cosine >= RELEVANCE}


def _holds(triple: Triple, question: Question) -> bool:
    if question.as_of is None:
        return triple.invalidated_at is None
    begun = triple.valid_from is None or triple.valid_from <= question.as_of
    return begun and (triple.invalidated_at is None or question.as_of < triple.invalidated_at)


def _best_stated(
    store: Store,
    question: Question,
    triples: Sequence[Triple],
    by_edge: Mapping[str, float],
    similar: Mapping[str, float],
) -> tuple[dict[str, MemoryEntry], dict[str, dict[str, float]]]:
    """The memories that state the best triples and held at the time asked about, at least k where there are
    so many, each with the score parts of the best of its triples. Whoever speaks has thousands of edges, so
    they are read from the best on."""
    parts = {t.id: {"entity": by_edge.get(t.id, 0.0), "triplet": similar.get(t.id, 0.0)} for t in triples}
    stated = {triple.id: triple.memory_ids for triple in triples}
    ranked = best({i: sum(scores.values()) for i, scores in parts.items()}, len(parts))
    components: dict[str, dict[str, float]] = {}
    memories: dict[str, MemoryEntry] = {}
    while ranked and len(memories) < question.k:
        batch, ranked = ranked[:TRIPLES], ranked[TRIPLES:]
        of_batch = {memory_id: parts[i] for i in reversed(batch) for memory_id in stated[i]}
        components = of_batch | components
        found = store.memories_by_id(sorted(of_batch))
        memories |= {i: memory for i, memory in found.items() if memory.valid_at(question.as_of)}
    return memories, {i: components[i] for i in memories}
