"""SimpleMem's search (stage 3): a plan, three views in parallel for each of its queries, rank fusion and
at most two rounds of reflection.

Semantic (cosine), lexical (BM25) and symbolic (people, things, places and times as metadata) views are
read to the depth k_dyn the plan gives, and no more than k_dyn memories are the result: the paper's k_dyn is
how many reach the answer, so that a simple question costs few tokens. A round of reflection, which looks up
what is missing, may add as many. Who asks for fewer (k) gets fewer. A memory found several times is one
result. Ranks are fused
reciprocally: in each ranking a memory gets w/(60 + rank), and these parts sum to its score. Where
metadata fits several memories alike they share a rank, so a name alone orders nothing.

Each view is the store's, the symbolic one in SQL as in the paper: no memory is read that is not found.

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
from memcore.domain.protocols import Metadata, Store, Vectors
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.plan import plan_query, possible_names
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace, ViewTrace
from memcore.retrieval.time_of_asking import time_of_asking
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
class Asking:
    """One question to one store, and who speaks there."""

    store: Store
    tools: SearchTools
    question: Question
    speakers: tuple[str, ...]

    def names(self, text: str) -> dict[str, Entity]:
        """What a text may name of what is remembered, by `entity_key`."""
        owner, recipe = self.question.owner, self.question.recipe
        keys = possible_names(text)
        found = self.store.named(owner, keys, recipe=recipe, as_of=self.question.as_of)
        return {
            key: Entity(key, owner, name, "PERSON" if person else "THING")
            for key, (name, person) in found.items()
        }

    def memories(self, ids: Sequence[str]) -> list[MemoryEntry]:
        """The memories in the order of their ids."""
        return list(self.store.memories_by_id(ids).values())


@dataclass(slots=True)
class Found:
    """What the rounds have found so far: by memory id its parts of the score, and the views read; `bound`
    is k_dyn times the rounds."""

    bound: int = 0
    components: dict[str, dict[str, float]] = field(default_factory=dict)
    views: list[ViewTrace] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ranked(self, k: int) -> list[str]:
        """The ids of the k best, best first, and of no more than k_dyn for each round."""
        scores = {i: sum(parts.values()) for i, parts in self.components.items()}
        return best(scores, min(k, self.bound))


def simplemem(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k best memories, k_dyn at most for each round. Raises LlmError when a model is given and does not
    plan or reflect."""
    begun = time.perf_counter()
    asking = Asking(store, tools, question, tuple(store.speakers(question.owner)))
    plan, notes = _plan(asking)
    found = Found()
    _look_up(plan.queries, plan, asking, found)
    notes += [f"round 0: {len(found.components)} memories found by {len(plan.queries)} queries"]
    for number in range(1, MAX_REFLECTION_ROUNDS + 1):
        reflection = _reflect(plan, asking, found)
        notes += reflection.notes
        if not reflection.missing:
            notes.append(f"reflection {number}: what was found covers the question")
            break
        if not reflection.queries:
            notes.append(f"reflection {number}: missing {reflection.missing}; nothing new to ask")
            break
        before = len(found.components)
        _look_up(reflection.queries, plan, asking, found)
        asked = ", ".join(f"“{query}”" for query in reflection.queries)
        notes.append(
            f"reflection {number}: missing {reflection.missing}; asked {asked}; "
            f"{len(found.components) - before} more memories found"
        )
    chosen = asking.memories(found.ranked(question.k))
    if len(chosen) < min(question.k, len(found.components)):
        notes.append(
            f"{len(chosen)} results of the {question.k} asked for: k_dyn = {plan.depth} for each round"
        )
    messages = sources_of(store, chosen)
    hits = tuple(memory_hit(memory, messages, found.components[memory.id]) for memory in chosen)
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


def _plan(asking: Asking) -> tuple[QueryPlan, list[str]]:
    question, llm = asking.question, asking.tools.llm
    reference = time_of_asking(asking.store, question).at
    names = asking.names(question.text)
    if llm is None:
        return plan_by_rule(question.text, asking.speakers, names, reference), []
    plan, notes = plan_by_model(llm, question.text, asking.speakers, names, reference)
    return plan, list(notes)


def _reflect(plan: QueryPlan, asking: Asking, found: Found) -> Reflection:
    memories = asking.memories(found.ranked(asking.question.k))
    if asking.tools.llm is None:
        return reflect_by_rule(plan, found.asked, memories)
    return reflect_by_model(asking.tools.llm, asking.question.text, found.asked, memories)


def _look_up(queries: Sequence[str], plan: QueryPlan, asking: Asking, found: Found) -> None:
    """Read every view the plan asks for each of the queries, in parallel, and add what they found."""
    assert plan.depth is not None, "every plan made here has a depth"
    found.bound += plan.depth
    vectors = asking.tools.embedder.embed(queries)
    reads = [
        (view, query, partial(_read, asking, plan, view, query, vector))
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


def _read(asking: Asking, plan: QueryPlan, view: str, query: str, vector: Vectors) -> dict[str, float]:
    """One view's scores for one query, of what was valid then; as deep as the plan says even where the
    index is full of what was not."""
    store, question = asking.store, asking.question
    if view == "symbolic":
        return _by_metadata(plan if query == plan.query else _read_names(query, plan, asking), asking)
    if view == "semantic":
        ranked = partial(views.semantic, store, question, vector, "memory")
    else:
        ranked = partial(views.lexical, store, question, query, "memory")
    return views.of_valid(store, question, ranked, plan.depth)


def _read_names(query: str, plan: QueryPlan, asking: Asking) -> QueryPlan:
    """Whom and what a query that is a part of the question names; its time is the question's."""
    names = asking.names(query)
    part, _ = plan_query(query, speakers=asking.speakers, entities=names, reference=None)
    return replace(plan, persons=part.persons, entities=part.entities)


def _by_metadata(plan: QueryPlan, asking: Asking) -> dict[str, float]:
    """How much of what is named a memory is about, and whether it fits the time asked for; only what
    meets something of it."""
    asked = Metadata(plan.persons, plan.entities, plan.time_from, plan.time_to)
    question = asking.question
    return asking.store.symbolic(question.owner, asked, recipe=question.recipe, as_of=question.as_of)


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
