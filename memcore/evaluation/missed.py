"""Questions whose evidence was not all found: where it ranked, in each view and in the whole, and why it
lost.

Works on what an evaluation kept of each search, which is its first results, the first places of its views
and, of what it ranked, these and whatever stands for evidence. Asks no search again and knows no screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from memcore.domain.models import LogRead, Message
from memcore.domain.protocols import Store
from memcore.evaluation.ranking import session_ranking, turn_ranking
from memcore.evaluation.retrieval_result import QuestionResult, RetrievalResult
from memcore.retrieval.results import Hit, SearchReport


@dataclass(frozen=True, slots=True)
class StandIn:
    """What a view may return in a message's stead: a memory or a triple made from it, or its session, which
    has no text."""

    id: str
    kind: Literal["memory", "triple", "session"]
    text: str = ""


StandIns = Mapping[str, tuple[StandIn, ...]]
"""By message id."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What answers a question: one message or, where a dataset says only in which session it is, all
    messages of this. `rank` (from 1) is its place among the turns, or the sessions, that the search
    returned; None if it is not among these."""

    messages: tuple[Message, ...]
    of: Literal["turns", "sessions"]
    rank: int | None

    @property
    def ids(self) -> frozenset[str]:
        """The messages' ids."""
        return frozenset(message.id for message in self.messages)


@dataclass(frozen=True, slots=True)
class ViewPlace:
    """The evidence in one view's ranking, of which `listed` places were kept: its first place with its raw
    score, by itself or `through` what stands for it; or that it is not there."""

    view: str
    listed: int
    rank: int | None = None
    score: float | None = None
    through: StandIn | None = None


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a score, weighted: the evidence's, and that of the hit at the k-th place."""

    name: str
    evidence: float
    ahead: float

    @property
    def difference(self) -> float:
        """How far the evidence leads in this part; negative where it trails."""
        return self.evidence - self.ahead


@dataclass(frozen=True, slots=True)
class Loss:
    """Why evidence is not among the first `k`. `ahead` is the hit at the k-th place (None: fewer were
    returned), `parts` compare the scores, what cost most first (empty where the evidence's is not known).
    `views` are those that list it; `was_candidate` says whether the search ranked it at all, None where the
    strategy does not tell."""

    k: int
    ahead: Hit | None
    parts: tuple[ScorePart, ...]
    views: tuple[str, ...]
    was_candidate: bool | None

    @property
    def outscored(self) -> bool:
        """Whether its score is the lower one. If not, hits that quote several messages were before it."""
        return sum(part.difference for part in self.parts) < 0


# --------------------------------------------------------------------------- which questions


def by_id(result: RetrievalResult) -> dict[str, QuestionResult]:
    """Questions by an id that is theirs alone: of the same id in several files, the second gets a number."""
    seen: Counter[str] = Counter()
    found: dict[str, QuestionResult] = {}
    for one in result.questions:
        name = one.question.id
        seen[name] += 1
        found[name if seen[name] == 1 else f"{name} ({seen[name]})"] = one
    return found


def ranks_of(one: QuestionResult) -> tuple[int | None, ...]:
    """The rank of each evidence message, in the question's order, or of each evidence session."""
    if one.question.messages:
        return tuple(map(one.recipe.evidence_ranks.get, one.question.messages))
    ranked = session_ranking(turn_ranking(one.report.hits))
    place = {session_id: rank for rank, session_id in enumerate(ranked, 1)}
    return tuple(map(place.get, one.question.sessions))


def is_missed(one: QuestionResult, k: int) -> bool:
    """Whether some evidence is not among the first k turns (or sessions)."""
    return any(rank is None or rank > k for rank in ranks_of(one))


def select(
    questions: Mapping[str, QuestionResult],
    *,
    missed_at: int | None = None,
    category: str | None = None,
    contains: str = "",
) -> dict[str, QuestionResult]:
    """Those missed among the first so many, of a category, and with these words in question or answer."""
    wanted = contains.casefold()
    return {
        name: one
        for name, one in questions.items()
        if (missed_at is None or is_missed(one, missed_at))
        and (category is None or one.question.category == category)
        and wanted in f"{one.question.text}\n{one.question.answer}".casefold()
    }


# --------------------------------------------------------------------------- one question


def evidence_of(one: QuestionResult, log: LogRead) -> tuple[Evidence, ...]:
    """A question's evidence, with its words from the conversation it is asked of."""
    said = [message for part in log.logs for message in part.messages]
    ranks = ranks_of(one)
    if one.question.messages:
        message = {m.id: m for m in said}
        return tuple(
            Evidence((message[i],), "turns", rank)
            for i, rank in zip(one.question.messages, ranks, strict=True)
        )
    return tuple(
        Evidence(tuple(m for m in said if m.session_id == session_id), "sessions", rank)
        for session_id, rank in zip(one.question.sessions, ranks, strict=True)
    )


def stand_ins(store: Store, result: RetrievalResult) -> dict[str, tuple[StandIn, ...]]:
    """What the recipe made from each message that is evidence of a question."""
    found: dict[str, tuple[StandIn, ...]] = {}
    for owner, log in result.dataset.logs.items():
        evidence: dict[str, Message] = {}
        for one in result.questions:
            if one.question.owner == owner:
                evidence |= {m.id: m for each in evidence_of(one, log) for m in each.messages}
        if evidence:
            found |= _made_from(store, owner, result.recipe, evidence)
    return found


def _made_from(
    store: Store, owner: str, recipe: str, evidence: Mapping[str, Message]
) -> dict[str, tuple[StandIn, ...]]:
    made: dict[str, list[StandIn]] = {i: [StandIn(m.session_id, "session")] for i, m in evidence.items()}
    memories = store.memories(owner, recipe=recipe, states=None, message_ids=sorted(evidence))
    from_messages = {one.id: {source.message_id for source in one.sources} & {*made} for one in memories}
    for one in memories:
        for message_id in from_messages[one.id]:
            made[message_id].append(StandIn(one.id, "memory", one.text))
    if memories:
        names = {entity.id: entity.name for entity in store.entities(owner, recipe=recipe)}
        for triple in store.triples(owner, recipe=recipe, memory_ids=sorted(from_messages)):
            ends = (names.get(triple.subject_id, "?"), triple.relation, names.get(triple.object_id, "?"))
            stated = {i for memory_id in triple.memory_ids for i in from_messages.get(memory_id, ())}
            for message_id in stated:
                made[message_id].append(StandIn(triple.id, "triple", " · ".join(ends)))
    return {message_id: tuple(each) for message_id, each in made.items()}


def view_places(evidence: Evidence, report: SearchReport, made: StandIns) -> tuple[ViewPlace, ...]:
    """Where the evidence, or what stands for it, comes first in the ranking of each view."""
    through = {one.id: one for i in evidence.ids for one in made.get(i, ())}
    wanted = evidence.ids | {*through}
    places = []
    for view in report.trace.views:
        listed = len(view.ranking)
        at = next((n for n, (i, _) in enumerate(view.ranking, 1) if i in wanted), None)
        if at is None:
            places.append(ViewPlace(view.view, listed))
        else:
            object_id, score = view.ranking[at - 1]
            places.append(ViewPlace(view.view, listed, at, score, through.get(object_id)))
    return tuple(places)


def loss_of(evidence: Evidence, one: QuestionResult, k: int, made: StandIns) -> Loss | None:
    """Why the evidence is not among the first k; None if it is."""
    if evidence.rank is not None and evidence.rank <= k:
        return None
    ahead = _at_place(one.report.hits, k, evidence.of)
    mine = next(_scores_of(evidence.ids, one.report), None)
    candidates = one.report.trace.candidates
    return Loss(
        k,
        ahead,
        _compared(mine, ahead.components) if mine is not None and ahead is not None else (),
        tuple(place.view for place in view_places(evidence, one.report, made) if place.rank is not None),
        mine is not None if candidates else None,
    )


def _at_place(hits: Sequence[Hit], k: int, of: Literal["turns", "sessions"]) -> Hit | None:
    """The hit that brought the k-th turn, or session, into the ranking."""
    ranked: dict[str, Hit] = {}
    for hit in hits:
        for quote in hit.quotes:
            ranked.setdefault(quote.message.id if of == "turns" else quote.message.session_id, hit)
    return list(ranked.values())[k - 1] if len(ranked) >= k else None


def _scores_of(ids: AbstractSet[str], report: SearchReport) -> Iterator[Mapping[str, float]]:
    """The parts of the score of what stands for these messages, best first."""
    for candidate in report.trace.candidates:
        if not ids.isdisjoint(candidate.message_ids):
            yield candidate.components
    for hit in report.hits:
        if any(quote.message.id in ids for quote in hit.quotes):
            yield hit.components


def _compared(mine: Mapping[str, float], ahead: Mapping[str, float]) -> tuple[ScorePart, ...]:
    names = dict.fromkeys([*ahead, *mine])
    parts = [ScorePart(name, mine.get(name, 0.0), ahead.get(name, 0.0)) for name in names]
    return tuple(sorted(parts, key=lambda part: part.difference))
