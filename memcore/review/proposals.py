"""From decisions to proposals, and which of them may wait for a person at the same time.

A proposal's id follows from what it would do, so proposing the same again makes nothing new, and
what a person rejected stays rejected until a memory it rests on changes (a changed memory is a new
one). Of proposals that would change the same memory, or that depend on each other's targets in a
cycle (a is replaced by b, b by a), one waits and the others are mentioned in its reason, each once while
that one waits, however often they are decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memcore.domain.models import Candidate, MemoryEntry, Proposal, ProposalState, stable_id
from memcore.domain.protocols import Store, StoreWriter
from memcore.nlp.language.words.wording import contains_content
from memcore.review.decisions import Decision


def to_proposal(
    decision: Decision, memories: dict[str, MemoryEntry], *, run_id: str, at: datetime
) -> Proposal:
    """The proposal a decision other than `ignore` stands for.

    Its targets are what approval would change: the decision's target and what ends together with it,
    for a merge everything merged, and for an update also those candidates that the new text contains
    completely. Its candidates are those the decision rests on. `memories` holds target and candidates
    by id.
    """
    target = decision.target
    against = decision.against or tuple(candidate.memory_id for candidate in decision.queue)
    resting = tuple(candidate for candidate in decision.queue if candidate.memory_id in against)
    targets = [target.id, *decision.together]
    if decision.action == "merge":
        targets += against
    elif decision.action == "update":
        text = decision.new_text or ""
        said = {i: memories[i].text for i in against}
        targets += [i for i in against if said[i] in text or contains_content(text, said[i])]
    assert decision.action != "ignore", "ignoring proposes nothing"
    what = [*sorted(targets)] if decision.action == "merge" else [*targets, "|", *sorted(against)]
    return Proposal(
        id=stable_id("prop", decision.action, *what, "|", decision.new_text),
        owner=target.owner,
        operation=decision.action,
        target_ids=tuple(dict.fromkeys(targets)),
        candidates=resting,
        before=target.text,
        after=decision.new_text,
        reason=decision.reason,
        made_by=decision.made_by,
        risk=decision.risk,
        state="pending",
        created_at=at,
        run_id=run_id,
        recipe=target.recipe,
    )


GROUNDING = "grounding"
"""How `made_by` of a proposal begins that corrects what its words do not carry (`review.unsupported`)."""

RE_EXTRACTION = "re-extraction"
"""`made_by` of a proposal that stands and falls with the boundaries that a person set in the session."""


def no_longer_said(
    memory: MemoryEntry, elsewhere: MemoryEntry | None, *, reader: str, run_id: str, at: datetime
) -> Proposal:
    """The proposal to remove a memory that its topic, read again by `reader` after a person moved its
    boundary, no longer yields. `elsewhere` is another memory of that reading in the same words."""
    if elsewhere is None:
        reason = "Reading its topic again with the boundary moved no longer says this"
    else:
        reason = "Reading its topic again with the boundary moved says this only in another place"
    return Proposal(
        id=stable_id("prop", "delete", memory.id, "|", RE_EXTRACTION),
        owner=memory.owner,
        operation="delete",
        target_ids=(memory.id,),
        candidates=(Candidate(elsewhere.id, 1.0),) if elsewhere else (),
        before=memory.text,
        after=None,
        reason=f"{reason} (read by {reader}).",
        made_by=RE_EXTRACTION,
        risk="medium",
        state="pending",
        created_at=at,
        run_id=run_id,
        recipe=memory.recipe,
    )


def corrects(proposal: Proposal) -> bool:
    """Whether approval is a correction: what stood there was never true."""
    return proposal.operation in ("cite", "update", "delete") and proposal.made_by.startswith(GROUNDING)


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a proposal may wait for a person: itself (`waiting`), or the one it is deferred for,
    with a note in its reason."""

    waiting: Proposal
    admitted: bool


class ProposalQueue:
    """The pending proposals of one owner."""

    def __init__(self, pending: Iterable[Proposal]) -> None:
        self._by_target: dict[str, Proposal] = {}
        for proposal in pending:
            self._enter(proposal)

    def admit(self, proposal: Proposal) -> Admission:
        """Enter a proposal, unless one that waits already changes the same object or leans on it."""
        rival = self._rival(proposal)
        if rival is None:
            self._enter(proposal)
            return Admission(proposal, admitted=True)
        if rival.id != proposal.id:
            repeats = proposal.operation == rival.operation and set(proposal.target_ids) <= set(
                rival.target_ids
            )
            note = f" Not proposed beside this: {proposal.operation} “{proposal.before}”."
            if not repeats and not any(note in waiting.reason for waiting in self._by_target.values()):
                rival = replace(rival, reason=rival.reason + note)
                self._enter(rival)
        return Admission(rival, admitted=False)

    def _enter(self, proposal: Proposal) -> None:
        for target in proposal.target_ids:
            self._by_target[target] = proposal

    def _rival(self, proposal: Proposal) -> Proposal | None:
        for target in proposal.target_ids:
            if target in self._by_target:
                return self._by_target[target]
        # Would something this proposal rests on be replaced, step by step, by one of its targets?
        first: dict[str, Proposal] = {}
        frontier = [c.memory_id for c in proposal.candidates]
        while frontier:
            leaning_on = frontier.pop()
            step = self._by_target.get(leaning_on)
            if leaning_on in first or step is None:
                continue
            first[leaning_on] = step
            onward = [c.memory_id for c in step.candidates]
            if set(onward) & set(proposal.target_ids):
                return step
            frontier += onward
        return None


def enqueue(
    store: Store,
    writer: StoreWriter,
    owner: str,
    proposals: Sequence[Proposal],
    *,
    again: frozenset[ProposalState] = frozenset(),
) -> tuple[Proposal, ...]:
    """Put proposals into the open transaction, and return the new ones. One that was made before, whatever
    became of it (unless that is among `again`), is not made again; one that would change what another that
    waits already changes is noted in that one's reason."""
    if not proposals:
        return ()
    proposal_queue = ProposalQueue(store.proposals(owner))
    made = []
    for proposal in proposals:
        known = store.proposal(proposal.id)
        if known is not None and known.state not in again:
            continue
        admission = proposal_queue.admit(proposal)
        if admission.admitted:
            made.append(proposal)
            writer.put_proposals([proposal])
        else:
            writer.put_proposals([admission.waiting], kind="proposal.noted")
    return tuple(made)


def was_rejected(proposal: Proposal, rejected: Iterable[Proposal]) -> Proposal | None:
    """The merge of these and further memories that a person has turned down: that says enough about
    merging fewer of them."""
    if proposal.operation != "merge":
        return None
    targets = set(proposal.target_ids)
    return next((r for r in rejected if r.operation == "merge" and targets <= set(r.target_ids)), None)


def renewed(
    proposals: Sequence[Proposal], active: set[str], at: datetime
) -> tuple[list[Proposal], list[Proposal]]:
    """(to retire, to reopen): pending proposals about something no longer active, and superseded
    ones about nothing but active things (what had changed was undone). What moving a boundary
    gave rise to is not reopened: whoever undid it undid the move; nor what corrects a memory, which may say
    something else by now. An addition is about nothing stored."""
    retire, reopen = [], []
    for proposal in proposals:
        if proposal.operation == "add":
            continue
        about = {*proposal.target_ids, *(c.memory_id for c in proposal.candidates)}
        if proposal.state == "pending" and not about <= active:
            retire.append(replace(proposal, state="superseded", decided_at=at, decided_by="consolidate"))
        elif proposal.state == "superseded" and about <= active and _is_reopened(proposal):
            fresh = replace(proposal, state="pending", created_at=at, decided_at=None, decided_by="")
            reopen.append(fresh)
    return retire, reopen


def _is_reopened(proposal: Proposal) -> bool:
    return proposal.made_by != RE_EXTRACTION and not corrects(proposal)
