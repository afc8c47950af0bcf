"""LiCoMemory's search, down CogniGraph's layers (section 3.2): entities, sessions, triples, time, chunks.

    1  the entities of the question
    2  sessions ranked by Ss, the cosine of the question and the session summary: the best ones, and the
       best of those that know an entity of the question
    3  triples inside them ranked by St, the cosine of the question and what the triple states
    4  R = (0.2·Ss + 0.8·St) · exp(−(Δτ/τ̂)^k), k = 0.1; Δτ is the gap in days from when it was said to the
       moment of the question, τ̂ the median gap of the triples ranked
    5  the best session's summary, then the best triples, each with the chunk it was read in

The moment of a question is when it is asked (`retrieval.time_of_asking`). A triple whose time is missing
has no gap: its weight is e⁻¹, that of the median gap, so that it is taken for neither now nor long ago; the
hit shows None and a note counts them. As in the published code τ̂ is at least one day, and a chosen model
is asked for the entities of the question; without one they are the names that the graph knows. Unlike there,
they are found in the graph by name and widen what is ranked instead of narrowing it; Ss compares with the
summary's text, not with its keywords one by one; gaps are not whole days; and what was not yet said at
`as_of`, in a summary too, is not seen. Never writes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import exp
from statistics import median

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import MemoryEntry, SessionSummary
from memcore.domain.names import entity_key
from memcore.domain.protocols import Store
from memcore.retrieval.hits import ViewTimer, best, memory_hit
from memcore.retrieval.plan import plan_naming, plan_question, with_merged
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Hit, QueryPlan, Quote, SearchReport, SearchTrace
from memcore.retrieval.time_of_asking import time_of_asking
from memcore.systems.licomemory.links import messages_of, read_in, summary_at
from memcore.systems.licomemory.question import ENTITIES
from memcore.systems.steps import vectors_of

STRATEGY = "licomemory"
SUMMARY_WEIGHT, TRIPLE_WEIGHT = 0.2, 0.8
K = 0.1
TOP_SESSIONS = 20
"""Sessions whose triples are ranked: so many by their summary, and as many that know an entity."""
SHORTEST_MEDIAN_DAYS = 1.0
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Ranked:
    """What R is made of for one triple; `ss` is None for a session without a summary, `gap_days` where a
    time is missing."""

    ss: float | None
    st: float
    gap_days: float | None
    weight: float

    @property
    def components(self) -> dict[str, float]:
        """The parts of R."""
        return {
            "summary": SUMMARY_WEIGHT * (self.ss or 0.0) * self.weight,
            "triple": TRIPLE_WEIGHT * self.st * self.weight,
        }

    @property
    def detail(self) -> dict[str, float | None]:
        """The figures in the paper's terms."""
        return {"Ss": self.ss, "St": self.st, "gap_days": self.gap_days, "weight": self.weight}


def top_down(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The best session's summary and the best triples with their chunks, `question.k` in all; of one result
    only, the best triple. Raises LlmError when a model is given and does not name the question's entities."""
    begun = time.perf_counter()
    timer = ViewTimer()
    moment = time_of_asking(store, question).at
    plan, named, notes = _entities(store, tools, question)
    vector = tools.embedder.embed([question.text])[0]

    summaries = _standing(store, question)
    ss = timer.run(
        "sessions by summary (Ss)",
        lambda: _similar(store, tools, vector, {i: s.text for i, s in summaries.items() if s.text}),
    )
    knowing = _sessions_knowing(store, question, named, summaries)
    chosen = _chosen(summaries, ss, knowing)
    valid = _valid(store, question, [summaries[i] for i in chosen])
    memories = {memory.id: memory for said in valid.values() for memory in said}
    st = timer.run(
        "triples in them (St)",
        lambda: _similar(store, tools, vector, {i: memory.text for i, memory in memories.items()}),
    )
    gaps = {i: gap_days(memory.mentioned_at, moment) for i, memory in memories.items()}
    tau = median_gap(gaps.values())
    session_of = {memory.id: session_id for session_id, said in valid.items() for memory in said}
    ranked = {
        i: Ranked(ss.get(session_of[i]), st[i], gaps[i], temporal_weight(gaps[i], tau)) for i in memories
    }

    leading = next((i for i in chosen if i in ss and valid[i]), None) if question.k > 1 else None
    lead = [_summary_hit(summaries[leading], ss[leading])] if leading else []
    hits = lead + _triple_hits(store, memories, ranked, question.k - len(lead))
    trace = SearchTrace(
        plan,
        timer.views,
        {"Ss": SUMMARY_WEIGHT, "St": TRIPLE_WEIGHT, "k": K} | ({"median gap, days": tau} if tau else {}),
        question.as_of,
        (time.perf_counter() - begun) * 1000,
        strategy=STRATEGY,
        notes=(*notes, *_notes(hits, moment, len(chosen), len(summaries))),
    )
    return SearchReport(question.text, tuple(hits), trace)


def _entities(
    store: Store, tools: SearchTools, question: Question
) -> tuple[QueryPlan, tuple[str, ...], tuple[str, ...]]:
    """The plan, the ids of the entities of the question, and what of a model's answer could not be used."""
    if tools.llm is None:
        plan, ids = plan_question(store, question)
        return plan, _of_any_type(store, question, ids), ()
    names, notes = ENTITIES.of(tools.llm, question.text, store.speakers(question.owner))
    plan, ids = plan_naming(store, question, names, ENTITIES.asked_by(tools.llm))
    return plan, _of_any_type(store, question, ids), notes


def _of_any_type(store: Store, question: Question, ids: Sequence[str]) -> tuple[str, ...]:
    """The entities, and those of another type with the same name: a question does not say which it means."""
    keys = {entity_key(entity.name) for entity in store.entities_by_id(ids).values()}
    named = store.entities_named(question.owner, keys, recipe=question.recipe)
    same = [one.id for one in named if one.merged_into is None and entity_key(one.name) in keys]
    return with_merged(tuple(dict.fromkeys((*ids, *same))), named)


def gap_days(said_at: datetime | None, moment: datetime | None) -> float | None:
    """Δτ: days from when it was said to the moment of the question, none of them negative."""
    if said_at is None or moment is None:
        return None
    return max(0.0, (moment - said_at).total_seconds() / _DAY_SECONDS)


def median_gap(gaps: Iterable[float | None]) -> float | None:
    """τ̂ of the known gaps, at least one day; None when none is known."""
    known = [gap for gap in gaps if gap is not None]
    return max(SHORTEST_MEDIAN_DAYS, median(known)) if known else None


def temporal_weight(gap: float | None, tau: float | None) -> float:
    """exp(−(Δτ/τ̂)^k); a missing gap is weighed as the median one.

    >>> [round(temporal_weight(gap, 30.0), 4) for gap in (0.0, 30.0, 300.0, None)]
    [1.0, 0.3679, 0.284, 0.3679]
    """
    return exp(-1.0) if gap is None or tau is None else exp(-((gap / tau) ** K))


def _standing(store: Store, question: Question) -> dict[str, SessionSummary]:
    """The summaries by session id, as they stood at `as_of`. A session whose text of that time is not known
    keeps its place, without text; one that began later has none."""
    found: dict[str, SessionSummary] = {}
    for summary in store.summaries(question.owner, recipe=question.recipe):
        began, as_of = summary.started_at, question.as_of
        if as_of is None or began is None or began <= as_of:
            found[summary.session_id] = summary_at(store, summary, as_of) or replace(summary, text="")
    return found


def _similar(
    store: Store, tools: SearchTools, vector: NDArray[np.float32], texts: Mapping[str, str]
) -> dict[str, float]:
    """The cosine of each text, by its id; one that has no vector in the store is embedded now."""
    vectors = vectors_of(list(dict.fromkeys(texts.values())), store, tools.embedder)
    return {i: float(vectors[text] @ vector) for i, text in texts.items()}


def _sessions_knowing(
    store: Store, question: Question, entity_ids: Sequence[str], summaries: Mapping[str, SessionSummary]
) -> set[str]:
    """The sessions that hold a triple about one of the entities."""
    if not entity_ids:
        return set()
    about = store.triples(question.owner, recipe=question.recipe, entity_ids=entity_ids)
    triple_ids = {triple.id for triple in about if triple.mentions}
    return {i for i, summary in summaries.items() if not triple_ids.isdisjoint(summary.triple_ids)}


def _chosen(summaries: Mapping[str, SessionSummary], ss: Mapping[str, float], knowing: set[str]) -> list[str]:
    """The sessions whose triples are ranked, best summary first; those without text come last."""
    order = best({i: ss.get(i, -1.0) for i in summaries}, len(summaries))
    first = order[:TOP_SESSIONS]
    widened = {*first, *[i for i in order if i in knowing][:TOP_SESSIONS]}
    return [i for i in order if i in widened]


def _valid(
    store: Store, question: Question, summaries: Sequence[SessionSummary]
) -> dict[str, list[MemoryEntry]]:
    """What the sessions left in memory and held at `as_of`, by session id."""
    stated = read_in(store, summaries, owner=question.owner, recipe=question.recipe)
    return {
        session_id: [m for m in said if m.state != "deleted" and m.valid_at(question.as_of)]
        for session_id, said in stated.items()
    }


def _summary_hit(summary: SessionSummary, ss: float) -> Hit:
    return Hit(
        id=summary.id,
        kind="summary",
        text=summary.text,
        score=ss,
        components={"summary": ss},
        quotes=(),
        mentioned_at=summary.started_at,
        detail={"Ss": ss},
    )


def _triple_hits(
    store: Store, memories: Mapping[str, MemoryEntry], ranked: Mapping[str, Ranked], k: int
) -> list[Hit]:
    """The k best by R, each with the whole turn it was read in."""
    chosen = best({i: sum(one.components.values()) for i, one in ranked.items()}, k)
    cited = {source.message_id for i in chosen for source in memories[i].sources}
    messages = store.messages_by_id(sorted(cited))
    chunk_ids = {memories[i].segment_id for i in chosen} - {None}
    chunks = messages_of(store, store.segments(ids=sorted(i for i in chunk_ids if i)))
    hits = []
    for i in chosen:
        hit = memory_hit(memories[i], messages, ranked[i].components, ranked[i].detail)
        turn = chunks.get(memories[i].segment_id or "", [])
        whole = tuple(Quote(message, 0, len(message.text)) for message in turn)
        hits.append(replace(hit, quotes=whole or hit.quotes))
    return hits


def _notes(hits: Sequence[Hit], moment: datetime | None, ranked: int, sessions: int) -> Iterable[str]:
    if ranked < sessions:
        yield f"the triples of {ranked} of {sessions} sessions were ranked"
    if moment is None:
        yield "no message has a time, so nothing is weighted by time"
        return
    missing = sum(hit.kind == "memory" and hit.detail["gap_days"] is None for hit in hits)
    if missing:
        yield (
            f"{missing} of the results have no time; each is weighted like the median gap "
            f"({temporal_weight(None, None):.2f}), neither as new nor as old"
        )
