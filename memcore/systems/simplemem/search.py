"""SimpleMem's search (stage 3): a plan, three views in parallel for each of its queries, rank fusion and
at most two rounds of reflection.

Semantic (cosine), lexical (BM25) and symbolic (people, things, places and times as metadata) views are
read to the depth the plan gives; a memory found several times is one result. Ranks are fused
reciprocally: in each ranking a memory gets w/(60 + rank), and these parts sum to its score. Where
metadata fits several memories alike they share a rank, so a name alone orders nothing.

What metadata fits is known only by looking at all of it: every question reads all memories of the recipe
(one to two seconds for 20,000), where the other two views ask an index.

The published code puts the views' results one after another; the fusion is ours. There only the question
itself is asked of all three views, here each of the plan's queries is. Only what is remembered is found,
and of that what was valid at `as_of`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from memcore.domain.models import Entity, MemoryEntry
from memcore.domain.names import entity_key
from memcore.domain.protocols import Store, Vectors
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.plan import plan_query
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace, ViewTrace
from memcore.systems.simplemem.intent import INDEXES, plan_by_model, plan_by_rule
from memcore.systems.simplemem.reflect import Reflection, reflect_by_model, reflect_by_rule

STRATEGY = "simplemem"
MAX_REFLECTION_ROUNDS = 2
"""Published default."""
WORKERS = 8
"""Views read at a time (published default)."""
RANK_OFFSET = 60
WEIGHTS = {"semantic": 1.0, "lexical": 1.0, "symbolic": 0.5}
"""Metadata confirms more than it finds."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the question can be answered from: the recipe's memories valid then, by id, how many are not
    (the indexes hold those too), who speaks, and every name remembered, by `entity_key`."""

    valid: Mapping[str, MemoryEntry]
    ended: int
    speakers: tuple[str, ...]
    names: Mapping[str, Entity]


@dataclass(slots=True)
class Found:
    """What the rounds have found so far: by memory id its parts of the score, and the views read."""

    components: dict[str, dict[str, float]] = field(default_factory=dict)
    views: list[ViewTrace] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ranked(self, k: int) -> list[str]:
        """The ids of the k best, best first."""
        return best({i: sum(parts.values()) for i, parts in self.components.items()}, k)


def simplemem(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k best memories. Raises LlmError when a model is given and does not plan or reflect."""
    begun = time.perf_counter()
    corpus = _corpus(store, question)
    plan, notes = _plan(store, tools, question, corpus)
    found = Found()
    _look_up(plan.queries, plan, store, tools, question, corpus, found)
    notes += [f"round 0: {len(found.components)} memories found by {len(plan.queries)} queries"]
    for number in range(1, MAX_REFLECTION_ROUNDS + 1):
        reflection = _reflect(tools, question, plan, corpus, found)
        notes += reflection.notes
        if not reflection.missing:
            notes.append(f"reflection {number}: what was found covers the question")
            break
        if not reflection.queries:
            notes.append(f"reflection {number}: missing {reflection.missing}; nothing new to ask")
            break
        before = len(found.components)
        _look_up(reflection.queries, plan, store, tools, question, corpus, found)
        asked = ", ".join(f"“{query}”" for query in reflection.queries)
        notes.append(
            f"reflection {number}: missing {reflection.missing}; asked {asked}; "
            f"{len(found.components) - before} more memories found"
        )
    chosen = found.ranked(question.k)
    messages = sources_of(store, [corpus.valid[i] for i in chosen])
    hits = tuple(memory_hit(corpus.valid[i], messages, found.components[i]) for i in chosen)
    trace = SearchTrace(
        plan=plan,
        views=tuple(found.views),
        weights=WEIGHTS,
        as_of=question.as_of,
        milliseconds=(time.perf_counter() - begun) * 1000,
        strategy=STRATEGY,
        notes=tuple(notes),
    )
    return SearchReport(question.text, hits, trace)


def _corpus(store: Store, question: Question) -> Corpus:
    everything = store.memories(question.owner, recipe=question.recipe, states=None)
    valid = {m.id: m for m in everything if m.state != "deleted" and m.valid_at(question.as_of)}
    things = dict.fromkeys(name for m in valid.values() for name in (*m.entities, m.location))
    people = dict.fromkeys(name for m in valid.values() for name in m.persons)
    names: dict[str, Entity] = {}
    for kind, mentioned in (("THING", things), ("PERSON", people)):
        for name in mentioned:
            key = entity_key(name)
            names[key] = Entity(key, question.owner, name, kind)
    names.pop("", None)
    return Corpus(valid, len(everything) - len(valid), tuple(store.speakers(question.owner)), names)


def _plan(
    store: Store, tools: SearchTools, question: Question, corpus: Corpus
) -> tuple[QueryPlan, list[str]]:
    reference = question.as_of or store.last_said(question.owner)
    speakers, names = corpus.speakers, corpus.names
    if tools.llm is None:
        return plan_by_rule(question.text, speakers, names, reference), []
    plan, notes = plan_by_model(tools.llm, question.text, speakers, names, reference)
    return plan, list(notes)


def _reflect(
    tools: SearchTools, question: Question, plan: QueryPlan, corpus: Corpus, found: Found
) -> Reflection:
    memories = [corpus.valid[i] for i in found.ranked(question.k)]
    if tools.llm is None:
        return reflect_by_rule(plan, found.asked, memories)
    return reflect_by_model(tools.llm, question.text, found.asked, memories)


def _look_up(
    queries: Sequence[str],
    plan: QueryPlan,
    store: Store,
    tools: SearchTools,
    question: Question,
    corpus: Corpus,
    found: Found,
) -> None:
    """Read every view the plan asks for each of the queries, in parallel, and add what they found."""
    assert plan.depth is not None, "every plan made here has a depth"
    vectors = tools.embedder.embed(queries)
    reads = [
        (view, query, partial(_read, store, question, plan, corpus, view, query, vector))
        for query, vector in zip(queries, vectors, strict=True)
        for view in INDEXES
        if view in plan.indexes
    ]
    timers = [ViewTimer() for _ in reads]
    with ThreadPoolExecutor(min(WORKERS, len(reads)), "view") as pool:
        rankings = pool.map(lambda timer, read: timer.run(f"{read[0]} “{read[1]}”", read[2]), timers, reads)
        for (view, _, _), scores in zip(reads, rankings, strict=True):
            for memory_id, rank in _ranks(scores, plan.depth, shared=view == "symbolic"):
                parts = found.components.setdefault(memory_id, {})
                parts[view] = parts.get(view, 0.0) + WEIGHTS[view] / (RANK_OFFSET + rank)
    found.views += [trace for timer in timers for trace in timer.views]
    found.asked += queries


def _read(
    store: Store,
    question: Question,
    plan: QueryPlan,
    corpus: Corpus,
    view: str,
    query: str,
    vector: Vectors,
) -> dict[str, float]:
    """One view's scores for one query, of what was valid then; as deep as the plan says even where the
    index is full of what was not."""
    if view == "symbolic":
        return _by_metadata(plan if query == plan.query else _read_names(query, plan, corpus), corpus)
    depth = (plan.depth or 0) + corpus.ended
    if view == "semantic":
        scores = views.semantic(store, question, vector, "memory", depth)
    else:
        scores = views.lexical(store, question, query, "memory", depth)
    return {i: score for i, score in scores.items() if i in corpus.valid}


def _read_names(query: str, plan: QueryPlan, corpus: Corpus) -> QueryPlan:
    """Whom and what a query that is a part of the question names; its time is the question's."""
    part, _ = plan_query(query, speakers=corpus.speakers, entities=corpus.names, reference=None)
    return replace(plan, persons=part.persons, entities=part.entities)


def _by_metadata(plan: QueryPlan, corpus: Corpus) -> dict[str, float]:
    """How much of what is named a memory is about, and whether it fits the time asked for; only what
    meets something of it."""
    about = views.symbolic(plan, corpus.valid.values(), ())
    fits = views.temporal(plan, corpus.valid.values()) if plan.time_from is not None else {}
    scores = {i: about.get(i, 0.0) + fits.get(i, 0.0) for i in corpus.valid}
    return {i: score for i, score in scores.items() if score > 0.0}


def _ranks(scores: Mapping[str, float], depth: int, *, shared: bool) -> Iterable[tuple[str, int]]:
    """The ids to `depth` with their ranks from 1; with `shared` ranks equal scores rank alike."""
    ordered = sorted(scores, key=lambda i: (-scores[i], i))
    rank = 0
    for place, memory_id in enumerate(ordered, start=1):
        if not (shared and place > 1 and scores[memory_id] == scores[ordered[place - 2]]):
            rank = place
        if rank > depth:
            return
        yield memory_id, rank
