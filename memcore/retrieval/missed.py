"""What should have been found and was not: where it ranked, in each view and in the whole, and why it lost.

Works on the report of a search, which has its results, its views' rankings and what it ranked; and on what
was made of the messages that should have been found. Asks no search again and knows no screen. Evaluations
use it for questions whose evidence is known, and a person for a question of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from memcore.domain.models import Message
from memcore.domain.protocols import Store
from memcore.retrieval.results import Hit, SearchReport

Of = Literal["turns", "sessions", "results"]
"""What ranks are counted in."""


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
    messages of this; or one memory, made of these messages. `rank` (from 1) is its place among the turns,
    the sessions or the results that the search returned; None if it is not among these."""

    messages: tuple[Message, ...]
    of: Of
    rank: int | None
    memory_id: str = ""

    @property
    def ids(self) -> frozenset[str]:
        """The messages' ids, or the memory's."""
        return frozenset([self.memory_id] if self.memory_id else (message.id for message in self.messages))


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
    of: Of = "turns"

    @property
    def outscored(self) -> bool:
        """Whether its score is the lower one. If not, hits that quote several messages were before it."""
        return sum(part.difference for part in self.parts) < 0


def made_from(
    store: Store, owner: str, recipe: str, evidence: Mapping[str, Message]
) -> dict[str, tuple[StandIn, ...]]:
    """What the recipe made from these messages, which are by id."""
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


def loss_of(evidence: Evidence, report: SearchReport, k: int, made: StandIns) -> Loss | None:
    """Why the evidence is not among the first k; None if it is."""
    if evidence.rank is not None and evidence.rank <= k:
        return None
    ahead = _at_place(report.hits, k, evidence.of)
    mine = next(_scores_of(evidence.ids, report), None)
    candidates = report.trace.candidates
    return Loss(
        k,
        ahead,
        _compared(mine, ahead.components) if mine is not None and ahead is not None else (),
        tuple(place.view for place in view_places(evidence, report, made) if place.rank is not None),
        mine is not None if candidates else None,
        evidence.of,
    )


def _at_place(hits: Sequence[Hit], k: int, of: Of) -> Hit | None:
    """The hit that brought the k-th turn, or session, into the ranking; of results, the k-th."""
    if of == "results":
        return hits[k - 1] if len(hits) >= k else None
    ranked: dict[str, Hit] = {}
    for hit in hits:
        for quote in hit.quotes:
            ranked.setdefault(quote.message.id if of == "turns" else quote.message.session_id, hit)
    return list(ranked.values())[k - 1] if len(ranked) >= k else None


def _scores_of(ids: AbstractSet[str], report: SearchReport) -> Iterator[Mapping[str, float]]:
    """The parts of the score of what stands for these messages, best first."""
    for candidate in report.trace.candidates:
        if candidate.id in ids or not ids.isdisjoint(candidate.message_ids):
            yield candidate.components
    for hit in report.hits:
        if stands_for(hit, ids):
            yield hit.components


def stands_for(hit: Hit, ids: AbstractSet[str]) -> bool:
    """Whether it is one of these memories or quotes one of these messages."""
    return hit.id in ids or any(quote.message.id in ids for quote in hit.quotes)


def _compared(mine: Mapping[str, float], ahead: Mapping[str, float]) -> tuple[ScorePart, ...]:
    names = dict.fromkeys([*ahead, *mine])
    parts = [ScorePart(name, mine.get(name, 0.0), ahead.get(name, 0.0)) for name in names]
    return tuple(sorted(parts, key=lambda part: part.difference))
