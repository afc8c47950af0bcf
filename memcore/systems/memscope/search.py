"""Hybrid search, memscope's own: plan the question, ask every view, rerank the turns they lead to.

    plan        people, entities, times, whose words: by rule                               SimpleMem
    views       memories and messages by meaning and by words; triples by meaning and from the
                entities named                                                              Mem0-graph
    candidates  the turns these lead to and the turns around those, by fusion of meaning, words and
                relations; the best few hundred are reranked
    reranking   late interaction of the question's words with the turn in its context and with its
                session; meaning, exact words, speaker, time (`fuse.Weights`)
    hits        the memories of the best turns, and the words of those nothing is remembered of;
                memories of the same words are told once, by the nearest

`as_of` answers from what was valid then. It never writes and needs no language model. It does not know
words the encoder has not learned to be alike: who asks for "siblings" finds "brother" only as far as their
vectors are near.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial

import numpy as np

from memcore.domain.models import MemoryEntry, Message
from memcore.domain.protocols import Embedder, EncodedQuestion, Store
from memcore.retrieval import views
from memcore.retrieval.hits import (
    ViewTimer,
    best,
    memory_hit,
    message_hit,
    newest_quoted_first,
    sources_of,
)
from memcore.retrieval.plan import plan_question
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Candidate, Hit, QueryPlan, SearchReport, SearchTrace
from memcore.systems.memscope.fuse import Weights, above_lowest
from memcore.systems.memscope.rerank import Interaction, RerankedTurn, rerank
from memcore.systems.memscope.turns import (
    AroundTurns,
    CandidateScores,
    CandidateTurn,
    best_of,
    load_turns,
    shares,
    turn_ids,
)

RERANKED = 250
"""Turns that late interaction looks at. On LoCoMo turn recall@10 is .4 points higher than with 200, and with
400 no higher still; 50 more take 1.5 ms."""

DEPTHS = {
    "lexical memory": 200,
    "lexical message": 200,
    "semantic memory": 100,
    "semantic message": 100,
    "semantic triple": 50,
    "graph": 200,
}
"""Places of each view's ranking that lead to candidates (a triple's by what it says of whom: `graph`). On
LoCoMo turn recall@10 was .5 points lower with 150 by words, and no higher with 200 by meaning, which takes
twice the time."""

NEAR_BEFORE, NEAR_AFTER = 0.5, 0.2
"""What the turns before and after add to a turn when candidates are chosen."""

_FUSED = (1.0, 1.0, 0.3)
"""What meaning, words and relations count when candidates are chosen."""

_BY_WORDS: tuple[views.Kind, ...] = ("memory", "message")
_BY_MEANING: tuple[views.Kind, ...] = ("memory", "message", "triple")
_OF_MEMORIES = ("semantic memory", "lexical memory", "graph")
_Found = Mapping[str, Mapping[str, float]]
"""By view: raw scores by object id."""


def hybrid(
    store: Store, tools: SearchTools, question: Question, weights: Weights | None = None
) -> SearchReport:
    """The k best hits among what the recipe remembers and the messages it remembers nothing of."""
    weights = weights or Weights()
    begun = time.perf_counter()
    timer = ViewTimer()
    store.prepare(question.owner, recipe=question.recipe, semantic=_BY_MEANING, lexical=_BY_WORDS)
    plan, entity_ids = plan_question(store, question)
    asked = _Asked.of(store, tools.embedder, question, plan, entity_ids)
    turns, scores = _candidates(asked, timer)
    started = time.perf_counter()
    reranked = rerank(asked.interaction(), plan, turns, scores, weights)
    nearness = {one.turn.id: one.components["evidence"] for one in reranked}
    timer.note("late interaction", nearness, (time.perf_counter() - started) * 1000)
    trace = SearchTrace(
        plan=plan,
        views=timer.views,
        weights=asdict(weights),
        as_of=question.as_of,
        milliseconds=(time.perf_counter() - begun) * 1000,
        candidates=tuple(_candidate(one) for one in reranked),
    )
    hits = _hits(store, reranked, question.k)
    return SearchReport(
        question.text, tuple(map(newest_quoted_first, hits)) if plan.asks_now else hits, trace
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question being looked up: its plan and the entities it names; `read` and `interaction` are made when
    first asked for."""

    store: Store
    question: Question
    plan: QueryPlan
    entity_ids: Sequence[str]
    around: AroundTurns
    read: Callable[[], EncodedQuestion]
    interaction: Callable[[], Interaction]

    @classmethod
    def of(
        cls, store: Store, embedder: Embedder, question: Question, plan: QueryPlan, entity_ids: Sequence[str]
    ) -> _Asked:
        """Nothing is looked up yet."""
        around = AroundTurns.of(store, question)
        read = cache(partial(embedder.read_question, question.text))

        @cache
        def interaction() -> Interaction:
            return Interaction.of(store, embedder, question, read(), plan, around)

        return cls(store, question, plan, entity_ids, around, read, interaction)


def _candidates(asked: _Asked, timer: ViewTimer) -> tuple[list[CandidateTurn], CandidateScores]:
    """The turns to rerank, most promising first, and what the views said of them. Asks the views deeper while
    too little of what they find is valid at the time asked."""
    question = asked.question
    wanted = max(RERANKED, question.k)
    depths = {view: max(depth, question.k) for view, depth in DEPTHS.items()}
    while True:
        found = _views(asked, timer, depths)
        scores = _candidate_scores(asked, found)
        turns: list[CandidateTurn] = []
        for begin in range(0, len(scores.turn_ids), wanted):
            turns += _loaded(asked, scores.turn_ids[begin : begin + wanted])
            if len(turns) >= wanted:
                return turns[:wanted], scores
        if len(turns) >= question.k or all(len(found[view]) < depths[view] for view in found):
            return turns, scores
        depths = {view: 4 * depth for view, depth in depths.items()}


def _loaded(asked: _Asked, ids: Sequence[str]) -> list[CandidateTurn]:
    """Turns, while what reranking needs of them is read."""
    turns: list[CandidateTurn] = []

    def load() -> None:
        turns.extend(load_turns(asked.store, asked.question, ids))

    asked.store.at_once([load, partial(asked.around.codes.of, ids), partial(asked.around.neighbours.of, ids)])
    return turns


def _views(asked: _Asked, timer: ViewTimer, depths: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Words are looked up while the question is read, meaning while its words are weighed; at once with them
    what leads from what they find to turns and to the turns around those."""
    store, question, around = asked.store, asked.question, asked.around

    def by_words(kind: views.Kind) -> dict[str, float]:
        return views.lexical(store, question, asked.plan.words, kind, depths[f"lexical {kind}"])

    def by_meaning(kind: views.Kind) -> dict[str, float]:
        return views.semantic(store, question, asked.read().vector, kind, depths[f"semantic {kind}"])

    worded = {f"lexical {kind}": partial(by_words, kind) for kind in _BY_WORDS}
    meant = {f"semantic {kind}": partial(by_meaning, kind) for kind in _BY_MEANING}
    found = timer.run_at_once(store, worded, beside=[asked.read], then=around.read_of)
    found |= timer.run_at_once(store, meant, beside=[asked.interaction], then=around.read_of)
    similar = found.pop("semantic triple")
    related = partial(_graph, store, question, asked.entity_ids, similar, depths["graph"])
    return {**found, "graph": timer.run("graph", related)}


def _graph(
    store: Store, question: Question, entity_ids: Sequence[str], similar: Mapping[str, float], depth: int
) -> dict[str, float]:
    """The `depth` best memories by triples."""
    scores = views.graph(entity_ids, views.triples(store, question, entity_ids, similar), similar)
    return {i: scores[i] for i in best(scores, depth)}


def _candidate_scores(asked: _Asked, found: _Found) -> CandidateScores:
    """Meaning, words and relations are fused, each measured in its own spread from its lowest score, and a
    turn has a share in what the best turns around it score: an answer is found by its question."""
    around = asked.around
    came_from = turn_ids(around, dict.fromkeys(i for view in _OF_MEMORIES for i in found[view]))
    meaning = best_of(came_from, found["semantic memory"], found["semantic message"])
    wording = best_of(came_from, found["lexical memory"], found["lexical message"])
    linked = best_of(came_from, found["graph"], {})
    directly = list(dict.fromkeys([*meaning, *wording, *linked]))
    heights = sum(
        weight * above_lowest(view, directly)
        for weight, view in zip(_FUSED, (meaning, wording, linked), strict=True)
    )
    own = dict(zip(directly, np.asarray(heights).tolist(), strict=True))
    shared = dict(own)
    for i, (before, after) in around.neighbours.of(best(own, max(RERANKED, asked.question.k))).items():
        shared[after] = shared.get(after, 0.0) + NEAR_BEFORE * own[i]
        shared[before] = shared.get(before, 0.0) + NEAR_AFTER * own[i]
    shared.pop("", None)  # before the first and after the last
    return CandidateScores(
        turn_ids=tuple(best(shared, len(shared))),
        meaning=meaning,
        wording=shares(found["lexical memory"]) | shares(found["lexical message"]),
    )


def _candidate(reranked: RerankedTurn) -> Candidate:
    turn = reranked.turn
    shown = reranked.memories[0][0].id if reranked.memories else turn.id
    message_ids = (turn.message.id,) if turn.message else ()
    return Candidate(shown, message_ids, reranked.components, reranked.score)


def _hits(store: Store, reranked: Sequence[RerankedTurn], k: int) -> tuple[Hit, ...]:
    """The k best memories and unremembered messages; a memory whose words a better one told is passed
    over."""
    places = sorted(
        (
            (one.score + loss, memory.id if memory else one.turn.id, one, memory, loss)
            for one in reranked
            for memory, loss in (one.memories or ((None, 0.0),))
        ),
        key=lambda place: (-place[0], place[1]),
    )
    chosen: list[tuple[RerankedTurn, MemoryEntry | None, float]] = []
    told: set[object] = set()
    for _, shown, one, memory, loss in places:
        provenance = {shown, *(memory.sources if memory else ())}
        if shown in told or (memory and memory.sources and told.issuperset(memory.sources)):
            continue
        told |= provenance
        chosen.append((one, memory, loss))
        if len(chosen) == k:
            break
    known = {one.turn.message.id: one.turn.message for one in reranked if one.turn.message}
    messages = sources_of(store, [memory for _, memory, _ in chosen if memory], known)
    return tuple(_hit(one, memory, loss, messages) for one, memory, loss in chosen)


def _hit(one: RerankedTurn, memory: MemoryEntry | None, loss: float, messages: Mapping[str, Message]) -> Hit:
    components = {**one.components, "memory": loss}
    if memory:
        return memory_hit(memory, messages, components)
    assert one.turn.message  # a turn without memories is a message
    return message_hit(one.turn.message, components)
