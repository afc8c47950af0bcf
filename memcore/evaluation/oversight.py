"""What oversight is worth: a memory left alone, with all that was proposed applied, and as a person decided.

Published systems apply what their model decides (LightMem's sleep-time update, Mem0's UPDATE and DELETE)
with nobody looking. Here the same decisions wait as proposals, so that the three can be set side by side: on
copies of one store, by what is remembered, by how much of it its words carry, by what questions find of
their evidence, and by what is answered for a time before and after something changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import MemoryEntry, Proposal
from memcore.evaluation.building import with_its_model
from memcore.evaluation.consolidation import ConsolidatingMemory
from memcore.evaluation.ranking import recall, turn_ranking
from memcore.evaluation.retrieval_datasets import AnnotatedQuestion, RetrievalDataset
from memcore.retrieval.context import assemble, results_for
from memcore.retrieval.results import SearchReport

ALONE, AUTOMATIC, REVIEWED = "no consolidation", "applied automatically", "reviewed"
K = 10
BUDGET = 1000
"""Tokens of the context whose recall is counted."""
_ACTOR = "evaluation"
_DOUBTED = ("unsupported", "contradicted")


@dataclass(frozen=True, slots=True)
class DatedQuestion:
    """A question whose `answer` holds as of one time, and `otherwise` at another."""

    text: str
    as_of: datetime
    answer: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class PersonsDecision:
    """What a person decided about a proposal, which is known by its words: whoever proposes the same gets
    the same decision."""

    operation: str
    before: str
    after: str | None
    approve: bool

    def is_about(self, proposal: Proposal) -> bool:
        """Whether it is this proposal that was decided."""
        asked = (proposal.operation, proposal.before, proposal.after)
        return asked == (self.operation, self.before, self.after)


@dataclass(frozen=True, slots=True)
class Arm:
    """What became of the memory in one way. `approved` of `proposals` were applied; `undecided` ones no
    decision was about. Shares are 0 to 1; `dated_right` counts of the dated questions those that were
    answered with what held then, before any other value."""

    name: str
    proposals: int
    approved: int
    undecided: int
    active: int
    past: int
    unsupported: float
    recall_at_k: float
    recall_at_budget: float
    dated_right: int


@dataclass(frozen=True, slots=True)
class Oversight:
    """The arms, in order, and how many questions each was asked."""

    recipe: str
    questions: int
    dated: int
    arms: tuple[Arm, ...]


class OverseenMemory(ConsolidatingMemory, Protocol):
    """What is measured: a memory that can leave proposals unapplied, too, and answers for a date."""

    def reject(self, proposal_ids: Sequence[str], *, owner: str, actor: str) -> object:
        """Leave proposals unapplied, for good."""
        ...

    def search(
        self,
        query: str,
        *,
        k: int,
        owner: str,
        as_of: datetime | None = None,
        asked_at: datetime | None = None,
        recipe: str | None,
    ) -> SearchReport:
        """The k best results."""
        ...


def measure_oversight(
    dataset: RetrievalDataset,
    dated: Sequence[DatedQuestion],
    decisions: Sequence[PersonsDecision] | None,
    trial: Callable[[], AbstractContextManager[OverseenMemory]],
    *,
    recipe: str,
    sleeps: bool,
) -> Oversight:
    """The memory of `recipe` in each of the three ways, each in a copy of its own, which `trial` gives; the
    last only where `decisions` are given. `sleeps`: the system proposes when it is consolidated, else it
    has proposed as it read. Only questions whose evidence is known to the turn are asked. Raises UsageError
    where there is none, and whatever search, consolidate and approve raise."""
    if not dataset.has_turns:
        raise UsageError(
            "No question says in which messages its evidence is.", "Give LoCoMo's questions, or marked turns."
        )
    questions = [one for one in dataset.scored if one.messages]
    arms = []
    for name in (ALONE, AUTOMATIC, REVIEWED):
        if name == REVIEWED and decisions is None:
            continue
        with trial() as memory:
            arms.append(
                _arm(name, tuple(dataset.logs), questions, dated, decisions or (), memory, recipe, sleeps)
            )
    return Oversight(recipe, len(questions), len(dated), tuple(arms))


def _arm(
    name: str,
    owners: Sequence[str],
    questions: Sequence[AnnotatedQuestion],
    dated: Sequence[DatedQuestion],
    decisions: Sequence[PersonsDecision],
    memory: OverseenMemory,
    recipe: str,
    sleeps: bool,
) -> Arm:
    waiting: list[Proposal] = []
    undecided = 0
    for owner in owners:
        if sleeps and name != ALONE:
            memory.consolidate(owner=owner, recipe=recipe, cancelled=None)
        found = memory.store.proposals(owner, recipe=recipe)
        waiting += found
        for proposal in found:
            decided = next((one for one in decisions if one.is_about(proposal)), None)
            if name == AUTOMATIC or (name == REVIEWED and decided is not None and decided.approve):
                with suppress(ConflictError):  # what an earlier one changed cannot be changed so again
                    memory.approve([proposal.id], owner=owner, actor=_ACTOR)
            elif name == REVIEWED and decided is not None:
                memory.reject([proposal.id], owner=owner, actor=_ACTOR)
            undecided += name == REVIEWED and decided is None
    approved = sum(len(memory.store.proposals(owner, states=("applied",), recipe=recipe)) for owner in owners)
    entries = [one for owner in owners for one in memory.store.memories(owner, recipe=recipe, states=None)]
    active = [one for one in entries if one.state == "active" and one.valid_to is None]
    recalls = [_recalls(memory, one, recipe) for one in questions]
    return Arm(
        name=name,
        proposals=len(waiting),
        approved=approved,
        undecided=undecided,
        active=len(active),
        past=len(entries) - len(active),
        unsupported=_unsupported(memory, active),
        recall_at_k=_mean([ranked for ranked, _ in recalls]),
        recall_at_budget=_mean([told for _, told in recalls]),
        dated_right=sum(_right(memory, one, owners, recipe) for one in dated),
    )


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0


def _unsupported(memory: OverseenMemory, entries: Sequence[MemoryEntry]) -> float:
    verdicts = memory.store.groundings([one.id for one in entries])
    doubted = sum(one.id in verdicts and verdicts[one.id].verdict in _DOUBTED for one in entries)
    return doubted / len(entries) if entries else 0.0


def _recalls(memory: OverseenMemory, question: AnnotatedQuestion, recipe: str) -> tuple[float, float]:
    """The share of its evidence among the first `K` messages, and in a context of `BUDGET` tokens."""
    report = with_its_model(
        memory.search(
            question.text,
            k=results_for(BUDGET),
            owner=question.owner,
            asked_at=question.asked_at,
            recipe=recipe,
        )
    )
    count = memory.backends.token_counter()
    context = assemble(report.hits, BUDGET, count, newest_first=report.newest_first)
    told = turn_ranking([citation.hit for citation in context.citations])
    ranked = [message.id for message in turn_ranking(report.hits)]
    return (
        recall(ranked, question.messages, K),
        recall([message.id for message in told], question.messages, len(told)),
    )


def _right(memory: OverseenMemory, question: DatedQuestion, owners: Sequence[str], recipe: str) -> bool:
    """Whether the first result that names one of the two values, of all owners', names the right one."""
    reports = [
        with_its_model(memory.search(question.text, k=K, owner=owner, as_of=question.as_of, recipe=recipe))
        for owner in owners
    ]
    hits = sorted((hit for report in reports for hit in report.hits), key=lambda hit: -hit.score)
    for hit in hits:
        text = hit.text.casefold()
        if question.answer.casefold() in text:
            return True
        if question.otherwise.casefold() in text:
            return False
    return False
