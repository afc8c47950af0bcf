"""Sleep-time consolidation (LightMem section 3.3): compare, decide, and propose. It never changes a
memory, entity or triple; only a person's approval does (`decide`).

Queues are decided in chunks, and each chunk's proposals are one transaction together with the note
which queues were decided. Interrupted and run again, it goes on with the queues not yet decided; a
queue is decided again only when its memories have changed, another decider is active, or the
decision failed or had to wait for another proposal.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from types import MappingProxyType

from memcore.domain.models import MemoryEntry, Proposal, Run, RunState, StageTrace, now, stable_id
from memcore.domain.protocols import Cancelled, Embedder, MakeIndex, Progress, Store, StoreWriter
from memcore.review.compare import Comparison, compare
from memcore.review.cycles import Cycle, Replacement, find_cycles
from memcore.review.decisions import Decider, Decision, Outcome, QueueDecision, UpdateQueue
from memcore.review.merging import propose_entity_merges
from memcore.review.proposals import ProposalQueue, renewed, to_proposal, was_rejected
from memcore.review.queues import SIMILARITY_THRESHOLD, TOP_K, TOP_N

DECIDE_STAGE = "decide"
CYCLES_STAGE = "cycles"
CHUNK = 64
"""Queues decided and stored together."""


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What one run did. `proposals` counts the new ones, `by_operation` the same by kind; `queues`
    were to be decided, `decided_before` of them unchanged since an earlier run. `retired` proposals
    were about memories no longer active, `reopened` ones about memories active again. `cycles` are the
    circles among this run's decisions and the proposals that waited before it. `errors` are decisions
    that could not be had; running again tries those anew."""

    run_id: str
    state: RunState
    memories: int
    queues: int
    decided_before: int
    proposals: int
    by_operation: dict[str, int]
    retired: int
    reopened: int
    cycles: tuple[Cycle, ...]
    errors: tuple[str, ...]
    seconds: float


def consolidate(
    store: Store,
    *,
    run: Run,
    decider: Decider,
    embedder: Embedder,
    make_index: MakeIndex,
    own_deciders: Mapping[str, Decider] = MappingProxyType({}),
    recipes: Sequence[str] | None = None,
    queue_top_k: int = TOP_K,
    queue_keep: int = TOP_N,
    queue_threshold: float = SIMILARITY_THRESHOLD,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> ConsolidationReport:
    """Propose updates for the active memories of `run.owner` and `recipes` (None: of `run.recipe` or, where
    it names none, every one), each within itself, recording the run. The queues are the `queue_top_k` most
    similar memories, of these the best `queue_keep` from `queue_threshold` up. Those of a system that is
    among `own_deciders` are decided by its own, all others by `decider`.

    Progress stages are "compare" and "decide". Cancelling keeps finished chunks. Whatever breaks (the
    model's server is down) is raised after the run is recorded as failed.
    """
    with store.write(actor=decider.name, run_id=run.id) as writer:
        writer.put_run(run)
    work = _Consolidation(store, run, decider, own_deciders)
    state: RunState = "finished"
    failure: BaseException | None = None
    try:
        limits = {"k": queue_top_k, "n": queue_keep, "threshold": queue_threshold}
        compared = compare(store, run, recipes, embedder, make_index, limits, progress)
        if not work.decide(work.waiting(compared), progress, cancelled):
            state = "cancelled"
        else:
            work.propose_entity_merges(recipes)
        work.note_cycles()
    except BaseException as error:  # noqa: BLE001 - raised once the run is recorded
        failure, state = error, "cancelled" if isinstance(error, KeyboardInterrupt) else "failed"
    ended = replace(run, state=state, finished_at=now())
    report = ConsolidationReport(
        run_id=run.id,
        state=state,
        memories=work.memories,
        queues=work.queues,
        decided_before=work.decided_before,
        proposals=work.made.total(),
        by_operation=dict(sorted(work.made.items())),
        retired=work.retired,
        reopened=work.reopened,
        cycles=work.cycles,
        errors=tuple(work.errors),
        seconds=ended.seconds or 0.0,
    )
    told = ("run_id", "state", "errors", "cycles")
    totals = {name: value for name, value in asdict(report).items() if name not in told}
    finished = replace(
        ended,
        totals={**totals, "cycles": len(report.cycles), "errors": len(report.errors)},
        error=(str(failure) or type(failure).__name__) if failure else "\n".join(report.errors),
    )
    with store.write(actor=decider.name, run_id=run.id) as writer:
        writer.put_run(finished)
    if failure is not None:
        raise failure
    return report


class _Consolidation:
    """One run in progress: what it has counted, and the proposals that wait meanwhile."""

    def __init__(self, store: Store, run: Run, decider: Decider, own_deciders: Mapping[str, Decider]) -> None:
        self._store = store
        self._run = run
        self._decider = decider
        self._own_deciders = own_deciders
        self.made: Counter[str] = Counter()
        self.memories = self.queues = self.decided_before = self.retired = self.reopened = 0
        self.errors: list[str] = []
        self.cycles: tuple[Cycle, ...] = ()
        self._steps: list[Replacement] = []

    def waiting(self, compared: Comparison) -> list[UpdateQueue]:
        """Tidy up earlier proposals and find the queues that need a decision."""
        decided = self._decided_before()
        waiting = [queue for queue in compared.queues if self._key(queue) not in decided]
        self.memories, self.queues = compared.memories, len(compared.queues)
        self.decided_before = len(compared.queues) - len(waiting)
        with self._writing() as writer:
            self._tidy(writer)
            writer.add_traces(compared.traces)
        return waiting

    def decide(
        self, queues: Sequence[UpdateQueue], progress: Progress | None, cancelled: Cancelled | None
    ) -> bool:
        """Decide chunk by chunk; False when cancelled before the end."""
        done = 0
        for position, chunk in enumerate(self._chunks(queues)):
            if cancelled is not None and cancelled():
                return False
            if progress is not None:
                progress("decide", done, len(queues))
            begun = time.perf_counter()
            decisions = self._decider_of(chunk[0]).decide(chunk)
            milliseconds = (time.perf_counter() - begun) * 1000
            self._store_chunk(position, chunk, decisions, milliseconds)
            done += len(chunk)
        if progress is not None:
            progress("decide", done, len(queues))
        return True

    def _chunks(self, queues: Sequence[UpdateQueue]) -> Iterator[list[UpdateQueue]]:
        """Contiguous queues of one decider, at most CHUNK of them."""
        for _, run in groupby(queues, key=lambda queue: self._decider_of(queue).name):
            of_one = list(run)
            for start in range(0, len(of_one), CHUNK):
                yield of_one[start : start + CHUNK]

    def _decider_of(self, queue: UpdateQueue) -> Decider:
        return self._own_deciders.get(queue.target.recipe, self._decider)

    def propose_entity_merges(self, recipes: Sequence[str] | None) -> None:
        """Propose to merge entities of one recipe's graph whose names are one name."""
        merges = propose_entity_merges(self._store, self._run, actor=self._decider.name, recipes=recipes)
        self.made.update(proposal.operation for proposal in merges)

    def note_cycles(self) -> None:
        """Find the circles among what this run decided and the proposals that waited before it."""
        waited = [
            Replacement(p.target_ids[0], p.operation, tuple(c.memory_id for c in p.candidates), p.id)
            for p in self._store.proposals(self._run.owner)
            if p.run_id != self._run.id and p.operation not in ("merge_entities", "add")  # replace no memory
        ]
        self.cycles = find_cycles([*self._steps, *waited])
        payload = {"cycles": [asdict(cycle) for cycle in self.cycles]}
        with self._writing() as writer:
            writer.add_traces([StageTrace(self._run.id, CYCLES_STAGE, self._run.owner, 0, 0.0, payload)])

    def _store_chunk(
        self, position: int, chunk: Sequence[UpdateQueue], decisions: Sequence[Decision], milliseconds: float
    ) -> None:
        rows: list[QueueDecision] = []
        name = self._decider_of(chunk[0]).name
        with self._writing(name) as writer:  # from here on nobody else decides anything
            proposal_queue = ProposalQueue(self._store.proposals(self._run.owner))
            rejected = self._store.proposals(self._run.owner, states=("rejected",))
            compared = {m.id: m for q in chunk for m in (q.target, *(m for m, _ in q.candidates))}
            present = self._store.memories_by_id(list(compared))
            for queue, decision in zip(chunk, decisions, strict=True):
                proposal = self._proposal(decision, compared, present)
                outcome: Outcome = "ignored" if decision.action == "ignore" else "changed"
                proposal_id = ""
                if decision.error:
                    self.errors.append(f"{decision.target.id}: {decision.error}")
                    outcome = "failed"
                elif proposal is not None:
                    outcome, proposal_id = self._propose(writer, proposal_queue, proposal, rejected)
                rows.append(self._row(queue, decision, outcome, proposal_id))
            payload = {"decider": name, "decisions": [asdict(row) for row in rows]}
            trace = StageTrace(
                self._run.id, DECIDE_STAGE, f"chunk {position}", position, milliseconds, payload
            )
            writer.add_traces([trace])
        self._steps += [
            Replacement(row.target, row.action, row.against, row.proposal if row.decided else "")
            for row in rows
            if row.action != "ignore"
        ]

    def _row(
        self, queue: UpdateQueue, decision: Decision, outcome: Outcome, proposal_id: str
    ) -> QueueDecision:
        return QueueDecision(
            queue=self._key(queue),
            target=decision.target.id,
            candidates=decision.queue,
            action=decision.action,
            against=decision.against,
            reason=decision.reason,
            made_by=decision.made_by,
            outcome=outcome,
            proposal=proposal_id,
            decided=outcome in ("ignored", "proposed", "known"),
            error=decision.error,
        )

    def _proposal(
        self, decision: Decision, compared: dict[str, MemoryEntry], present: dict[str, MemoryEntry]
    ) -> Proposal | None:
        """The decision's proposal; None when it has none, or its memories changed while it was made."""
        if decision.action == "ignore":
            return None
        proposal = to_proposal(decision, compared, run_id=self._run.id, at=now())
        about = {*proposal.target_ids, *(candidate.memory_id for candidate in proposal.candidates)}
        return proposal if all(present.get(i) == compared[i] for i in about) else None

    def _propose(
        self,
        writer: StoreWriter,
        proposal_queue: ProposalQueue,
        proposal: Proposal,
        rejected: Sequence[Proposal] = (),
    ) -> tuple[Outcome, str]:
        """Let it wait for a person, unless it was proposed before or is deferred for another that
        waits already: what became of it, and the proposal to look at."""
        if self._store.proposal(proposal.id) is not None:
            return "known", proposal.id
        if earlier := was_rejected(proposal, rejected):
            return "known", earlier.id
        admission = proposal_queue.admit(proposal)
        if admission.admitted:
            writer.put_proposals([proposal])
            self.made[proposal.operation] += 1
            return "proposed", proposal.id
        writer.put_proposals([admission.waiting], kind="proposal.noted")
        return ("known" if admission.waiting.id == proposal.id else "deferred"), admission.waiting.id

    def _tidy(self, writer: StoreWriter) -> None:
        """Retire proposals that can no longer be applied, reopen those that can again. What is active is
        read anew: since the comparison others may have added memories and proposals about them."""
        active = {memory.id for memory in self._store.memories(self._run.owner)}
        active |= {e.id for e in self._store.entities(self._run.owner) if not e.merged_into}
        proposals = self._store.proposals(self._run.owner, states=("pending", "superseded"))
        retire, reopen = renewed(proposals, active, now())
        writer.put_proposals(retire, kind="proposal.superseded")
        writer.put_proposals(reopen, kind="proposal.made")
        self.retired, self.reopened = len(retire), len(reopen)

    def _decided_before(self) -> set[str]:
        """Keys of the queues that these deciders have decided in any run."""
        names = {one.name for one in (self._decider, *self._own_deciders.values())}
        return {
            row["queue"]
            for trace in self._store.traces(stage=DECIDE_STAGE)
            if trace.payload["decider"] in names
            for row in trace.payload["decisions"]
            if row["decided"]
        }

    def _key(self, queue: UpdateQueue) -> str:
        members = sorted(memory.id for memory, _ in queue.candidates)
        return stable_id("queue", self._decider_of(queue).name, queue.target.id, *members)

    def _writing(self, actor: str = "") -> AbstractContextManager[StoreWriter]:
        return self._store.write(actor=actor or self._decider.name, run_id=self._run.id)
