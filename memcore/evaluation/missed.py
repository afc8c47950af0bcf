"""Questions of an evaluation whose evidence was not all found, and what stands for this evidence.

Where it ranked in each view, and why it lost, is `memcore.retrieval.missed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memcore.domain.models import LogRead, Message
from memcore.domain.protocols import Store
from memcore.evaluation.ranking import session_ranking, turn_ranking
from memcore.evaluation.retrieval_result import QuestionResult, RetrievalResult
from memcore.retrieval.missed import Evidence, StandIn, made_from

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
            found |= made_from(store, owner, result.recipe, evidence)
    return found
