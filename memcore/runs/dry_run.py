"""A dry run of the sleep-time update: what would be proposed, and which questions would retrieve
differently if it were approved.

Everything is really done, on a copy of the store that is thrown away: consolidated, approved and
searched with the code that does it for good, so a preview cannot drift from what it previews. It
says nothing about which proposals are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memcore.domain.errors import CancelledError, ConflictError
from memcore.domain.models import Proposal
from memcore.domain.protocols import Cancelled, Progress
from memcore.retrieval.question import Question, Search, SearchTools
from memcore.retrieval.results import Hit
from memcore.review import decide
from memcore.review.consolidate import ConsolidationReport
from memcore.review.cycles import Cycle
from memcore.store import SqlStore

ACTOR = "preview"


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One result of a question: its place from 1 on, and what it is."""

    rank: int
    id: str
    kind: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class QuestionPreview:
    """What a question retrieves now and what it would retrieve afterwards, best first."""

    question: str
    before: tuple[Retrieved, ...]
    after: tuple[Retrieved, ...]

    @property
    def changed(self) -> bool:
        """Whether other results come, or the same in another order or in other words."""
        return [(hit.id, hit.text) for hit in self.before] != [(hit.id, hit.text) for hit in self.after]

    @property
    def dropped(self) -> tuple[Retrieved, ...]:
        """Results that would no longer come."""
        kept = {hit.id for hit in self.after}
        return tuple(hit for hit in self.before if hit.id not in kept)

    @property
    def entered(self) -> tuple[Retrieved, ...]:
        """Results that would newly come."""
        known = {hit.id for hit in self.before}
        return tuple(hit for hit in self.after if hit.id not in known)

    @property
    def reworded(self) -> tuple[tuple[Retrieved, Retrieved], ...]:
        """Results that would come with another text: (before, after)."""
        was = {hit.id: hit for hit in self.before}
        return tuple((was[h.id], h) for h in self.after if h.id in was and was[h.id].text != h.text)

    @property
    def moved(self) -> dict[str, tuple[int, int]]:
        """Results that would come at another place: id → (rank before, rank after)."""
        was = {hit.id: hit.rank for hit in self.before}
        return {h.id: (was[h.id], h.rank) for h in self.after if was.get(h.id, h.rank) != h.rank}


@dataclass(frozen=True, slots=True)
class ConsolidationPreview:
    """What a consolidation would propose (`proposals`), what waits already (`waiting`), and what every
    question would retrieve if all of both were approved. `not_applied` says which of them could not
    be, and why. `errors` are decisions that could not be had; the language model's calls and tokens
    are counted, since they were really made."""

    proposals: tuple[Proposal, ...]
    waiting: tuple[Proposal, ...]
    cycles: tuple[Cycle, ...]
    questions: tuple[QuestionPreview, ...]
    not_applied: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    llm_calls: int = 0
    llm_tokens: int = 0

    @property
    def by_operation(self) -> dict[str, int]:
        """The proposals that would be made, by kind."""
        return dict(sorted(Counter(proposal.operation for proposal in self.proposals).items()))


@dataclass(frozen=True, slots=True)
class Asking:
    """The questions of a preview and how they are searched: as `recipe` searches, by rule alone."""

    questions: tuple[str, ...]
    search: Search
    tools: SearchTools
    owner: str
    recipe: str
    k: int


def preview_consolidation(
    store: SqlStore,
    consolidate: Callable[[SqlStore], ConsolidationReport],
    asking: Asking,
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> ConsolidationPreview:
    """Consolidate a copy of `store` with `consolidate`, approve all that then waits, and compare.

    Raises CancelledError, and what consolidation and search raise."""
    with store.trial() as copy:
        before = _retrieved(copy, asking, "search before", progress, cancelled)
        waited = {proposal.id for proposal in copy.proposals(asking.owner)}
        report = consolidate(copy)
        if report.state == "cancelled":
            raise _cancelled()
        pending = copy.proposals(asking.owner)
        costs = copy.llm_costs(asking.owner, run_id=report.run_id)
        ids = [proposal.id for proposal in pending]
        not_applied = _approve(copy, asking, ids, progress, cancelled)
        after = _retrieved(copy, asking, "search after", progress, cancelled)
    return ConsolidationPreview(
        proposals=tuple(p for p in pending if p.id not in waited),
        waiting=tuple(p for p in pending if p.id in waited),
        cycles=report.cycles,
        questions=_compared(asking, before, after),
        not_applied=not_applied,
        errors=report.errors,
        llm_calls=sum(cost.calls for cost in costs),
        llm_tokens=sum((cost.prompt_tokens or 0) + (cost.completion_tokens or 0) for cost in costs),
    )


def preview_approval(
    store: SqlStore,
    proposal_ids: Sequence[str],
    asking: Asking,
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> ConsolidationPreview:
    """Approve these proposals on a copy of `store` and compare. Raises NotFoundError for an unknown
    id, CancelledError, and what search raises."""
    with store.trial() as copy:
        before = _retrieved(copy, asking, "search before", progress, cancelled)
        chosen = tuple(p for p in copy.proposals(asking.owner, states=None) if p.id in set(proposal_ids))
        not_applied = _approve(copy, asking, proposal_ids, progress, cancelled)
        after = _retrieved(copy, asking, "search after", progress, cancelled)
    return ConsolidationPreview((), chosen, (), _compared(asking, before, after), not_applied)


def preview_change(
    store: SqlStore, change: Callable[[SqlStore], object], asking: Asking
) -> tuple[QuestionPreview, ...]:
    """What questions would retrieve after `change`, which is done on a copy of `store`. Raises what it and
    search raise."""
    if not asking.questions:
        return ()
    with store.trial() as copy:
        before = _retrieved(copy, asking, "search before", None, None)
        change(copy)
        after = _retrieved(copy, asking, "search after", None, None)
    return _compared(asking, before, after)


def _approve(
    copy: SqlStore,
    asking: Asking,
    ids: Sequence[str],
    progress: Progress | None,
    cancelled: Cancelled | None,
) -> tuple[str, ...]:
    """Approve one after the other, as a person would; says what could not be applied and why."""
    refused = []
    for done, proposal_id in enumerate(ids, start=1):
        if cancelled is not None and cancelled():
            raise _cancelled()
        if progress is not None:
            progress("approve", done, len(ids))
        try:
            decide.approve(copy, asking.tools.embedder, [proposal_id], ACTOR, owner=asking.owner)
        except ConflictError as error:
            refused.append(error.cause)
    return tuple(refused)


def _retrieved(
    copy: SqlStore, asking: Asking, stage: str, progress: Progress | None, cancelled: Cancelled | None
) -> list[tuple[Retrieved, ...]]:
    found = []
    for done, question in enumerate(asking.questions):
        if cancelled is not None and cancelled():
            raise _cancelled()
        if progress is not None:
            progress(stage, done, len(asking.questions))
        asked = Question(question, asking.owner, asking.recipe, asking.k)
        hits = asking.search(copy, asking.tools, asked).hits
        found.append(tuple(_as_retrieved(rank, hit) for rank, hit in enumerate(hits, start=1)))
    if progress is not None and asking.questions:
        progress(stage, len(asking.questions), len(asking.questions))
    return found


def _as_retrieved(rank: int, hit: Hit) -> Retrieved:
    return Retrieved(rank, hit.id, hit.kind, hit.text, hit.score)


def _compared(
    asking: Asking, before: Sequence[tuple[Retrieved, ...]], after: Sequence[tuple[Retrieved, ...]]
) -> tuple[QuestionPreview, ...]:
    return tuple(
        QuestionPreview(question, was, would_be)
        for question, was, would_be in zip(asking.questions, before, after, strict=True)
    )


def _cancelled() -> CancelledError:
    return CancelledError("The dry run was cancelled.", "Nothing was changed; run it again to see its end.")
