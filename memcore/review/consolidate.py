"""Sleep-time consolidation (LightMem section 3.4): compare, decide, and propose. It never changes a
memory, entity or triple; only a person's approval does (`decide`).

Queues are decided in chunks, and each chunk's proposals are one transaction together with the note
which queues were decided. Interrupted and run again, it goes on with the queues not yet decided; a
queue is decided again only when its memories have changed, another decider is active, or the
decision failed or had to wait for another proposal.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from memcore.errors import MemcoreError
from memcore.models import Memory, Proposal, Run, RunState, StageTrace, now, stable_id
from memcore.protocols import Cancelled, Embedder, Progress, Store, StoreWriter, Vectors
from memcore.review.decisions import Decider, Decision, UpdateQueue
from memcore.review.entities import entity_merges
from memcore.review.proposals import Docket, renewed, to_proposal, was_rejected
from memcore.review.queues import SIMILARITY_THRESHOLD, TOP_K, TOP_N, update_queues

QUEUES_STAGE = "update_queues"
DECIDE_STAGE = "decide"
CHUNK = 64
"""Queues decided and stored together."""


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What one run did. `proposals` counts the new ones, `by_operation` the same by kind; `queues`
    were to be decided, `decided_before` of them unchanged since an earlier run. `retired` proposals
    were about memories no longer active, `reopened` ones about memories active again. `errors` are
    decisions that could not be had; running again tries those anew."""

    run_id: str
    state: RunState
    memories: int
    queues: int
    decided_before: int
    proposals: int
    by_operation: dict[str, int]
    retired: int
    reopened: int
    errors: tuple[str, ...]
    seconds: float


def consolidate(
    store: Store,
    *,
    run: Run,
    decider: Decider,
    embedder: Embedder,
    queue_top_k: int = TOP_K,
    queue_keep: int = TOP_N,
    queue_threshold: float = SIMILARITY_THRESHOLD,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> ConsolidationReport:
    """Propose updates for the active memories of `run.owner`, recording the run. The queues are the
    `queue_top_k` most similar memories, of these the best `queue_keep` from `queue_threshold` up.

    Progress stages are "compare" and "decide". Cancelling keeps finished chunks. A MemcoreError
    (the model's server is down) is raised after the run is recorded as failed.
    """
    begun = time.perf_counter()
    with store.write(actor=decider.name, run_id=run.id) as writer:
        writer.put_run(run)
    work = _Consolidation(store, run, decider)
    state: RunState = "finished"
    failure: MemcoreError | None = None
    try:
        limits = {"k": queue_top_k, "n": queue_keep, "threshold": queue_threshold}
        queues = work.compare(embedder, progress, limits)
        if not work.decide(queues, progress, cancelled):
            state = "cancelled"
        else:
            work.propose_entity_merges()
    except MemcoreError as error:
        failure, state = error, "failed"
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
        errors=tuple(work.errors),
        seconds=round(time.perf_counter() - begun, 3),
    )
    totals = {
        name: value for name, value in asdict(report).items() if name not in ("run_id", "state", "errors")
    }
    finished = replace(
        run,
        state=state,
        finished_at=now(),
        totals={**totals, "errors": len(report.errors)},
        error=str(failure) if failure else "\n".join(report.errors),
    )
    with store.write(actor=decider.name, run_id=run.id) as writer:
        writer.put_run(finished)
    if failure is not None:
        raise failure
    return report


class _Consolidation:
    """One run in progress: what it has counted, and the proposals that wait meanwhile."""

    def __init__(self, store: Store, run: Run, decider: Decider) -> None:
        self._store = store
        self._run = run
        self._decider = decider
        self.made: Counter[str] = Counter()
        self.memories = self.queues = self.decided_before = self.retired = self.reopened = 0
        self.errors: list[str] = []

    def compare(
        self, embedder: Embedder, progress: Progress | None, limits: dict[str, Any]
    ) -> list[UpdateQueue]:
        """Tidy up earlier proposals and build the queues that need a decision."""
        begun = time.perf_counter()
        memories = in_log_order(self._store, self._run.owner)
        self.memories = len(memories)
        if progress is not None:
            progress("compare", 0, len(memories))
        queues, trace = update_queues(memories, _vectors(self._store, embedder, memories), **limits)
        decided = self._decided_before()
        waiting = self._with_triples([queue for queue in queues if self._key(queue) not in decided])
        self.queues, self.decided_before = len(queues), len(queues) - len(waiting)
        milliseconds = (time.perf_counter() - begun) * 1000
        with self._writing() as writer:
            self._tidy(writer, memories)
            owner = self._run.owner
            writer.add_traces([StageTrace(self._run.id, QUEUES_STAGE, owner, 0, milliseconds, asdict(trace))])
        if progress is not None:
            progress("compare", len(memories), len(memories))
        return waiting

    def decide(
        self, queues: Sequence[UpdateQueue], progress: Progress | None, cancelled: Cancelled | None
    ) -> bool:
        """Decide chunk by chunk; False when cancelled before the end."""
        done = 0
        for position, start in enumerate(range(0, len(queues), CHUNK)):
            if cancelled is not None and cancelled():
                return False
            if progress is not None:
                progress("decide", done, len(queues))
            chunk = queues[start : start + CHUNK]
            begun = time.perf_counter()
            decisions = self._decider.decide(chunk)
            milliseconds = (time.perf_counter() - begun) * 1000
            self._store_chunk(position, chunk, decisions, milliseconds)
            done += len(chunk)
        if progress is not None:
            progress("decide", done, len(queues))
        return True

    def propose_entity_merges(self) -> None:
        """Propose to merge entities whose names are one name."""
        owner = self._run.owner
        mentions = Counter(
            end for triple in self._store.triples(owner) for end in (triple.subject_id, triple.object_id)
        )
        merges = entity_merges(self._store.entities(owner), mentions, run_id=self._run.id, at=now())
        with self._writing() as writer:
            docket = Docket(self._store.proposals(owner))
            for proposal in merges:
                self._propose(writer, docket, proposal)

    def _store_chunk(
        self, position: int, chunk: Sequence[UpdateQueue], decisions: Sequence[Decision], milliseconds: float
    ) -> None:
        rows: list[dict[str, Any]] = []
        with self._writing() as writer:  # from here on nobody else decides anything
            docket = Docket(self._store.proposals(self._run.owner))
            compared = {m.id: m for q in chunk for m in (q.target, *(m for m, _ in q.candidates))}
            present = self._store.memories_by_id(list(compared))
            for queue, decision in zip(chunk, decisions, strict=True):
                proposal = self._proposal(decision, compared, present)
                if decision.error:
                    self.errors.append(f"{decision.target.id}: {decision.error}")
                waits = proposal is not None and not self._propose(writer, docket, proposal)
                stale = decision.action != "ignore" and proposal is None
                rows.append(
                    {
                        "queue": self._key(queue),
                        "target": decision.target.id,
                        "candidates": [asdict(candidate) for candidate in decision.queue],
                        "action": decision.action,
                        "reason": decision.reason,
                        "made_by": decision.made_by,
                        "proposal": proposal.id if proposal else "",
                        "decided": not (decision.error or waits or stale),
                        "error": decision.error,
                    }
                )
            payload = {"decider": self._decider.name, "decisions": rows}
            trace = StageTrace(
                self._run.id, DECIDE_STAGE, f"chunk {position}", position, milliseconds, payload
            )
            writer.add_traces([trace])

    def _proposal(
        self, decision: Decision, compared: dict[str, Memory], present: dict[str, Memory]
    ) -> Proposal | None:
        """The decision's proposal; None when it has none, or its memories changed while it was made."""
        if decision.action == "ignore":
            return None
        proposal = to_proposal(decision, compared, run_id=self._run.id, at=now())
        about = {*proposal.target_ids, *(candidate.memory_id for candidate in proposal.candidates)}
        return proposal if all(present.get(i) == compared[i] for i in about) else None

    def _propose(self, writer: StoreWriter, docket: Docket, proposal: Proposal) -> bool:
        """Let it wait for a person, unless it was proposed before; False when it has to give way to
        another proposal that waits already."""
        owner = proposal.owner
        if self._store.proposal(proposal.id) or was_rejected(
            proposal, self._store.proposals(owner, states=("rejected",))
        ):
            return True
        admission = docket.admit(proposal)
        if admission.admitted:
            writer.put_proposals([proposal])
            self.made[proposal.operation] += 1
            return True
        writer.put_proposals([admission.waiting], kind="proposal.noted")
        return admission.waiting.id == proposal.id

    def _tidy(self, writer: StoreWriter, memories: Sequence[Memory]) -> None:
        """Retire proposals that can no longer be applied, reopen those that can again."""
        active = {memory.id for memory in memories}
        active |= {e.id for e in self._store.entities(self._run.owner) if not e.merged_into}
        proposals = self._store.proposals(self._run.owner, states=("pending", "superseded"))
        retire, reopen = renewed(proposals, active, now())
        writer.put_proposals(retire, kind="proposal.superseded")
        writer.put_proposals(reopen, kind="proposal.made")
        self.retired, self.reopened = len(retire), len(reopen)

    def _decided_before(self) -> set[str]:
        """Keys of the queues that this decider has decided in any run."""
        return {
            row["queue"]
            for trace in self._store.traces(stage=DECIDE_STAGE)
            if trace.payload["decider"] == self._decider.name
            for row in trace.payload["decisions"]
            if row["decided"]
        }

    def _with_triples(self, queues: Sequence[UpdateQueue]) -> list[UpdateQueue]:
        """The queues, with the candidates that state a triple their target states."""
        stating: dict[str, set[str]] = {}
        for triple in self._store.triples(self._run.owner, include_invalidated=False):
            for memory_id in triple.memory_ids:
                stating.setdefault(memory_id, set()).update(triple.memory_ids)
        return [
            replace(queue, same_triple=frozenset(m.id for m, _ in queue.candidates) & stated)
            for queue in queues
            for stated in [stating.get(queue.target.id, set())]
        ]

    def _key(self, queue: UpdateQueue) -> str:
        members = sorted(memory.id for memory, _ in queue.candidates)
        return stable_id("queue", self._decider.name, queue.target.id, *members)

    def _writing(self) -> AbstractContextManager[StoreWriter]:
        return self._store.write(actor=self._decider.name, run_id=self._run.id)


def in_log_order(store: Store, owner: str) -> list[Memory]:
    """The owner's active memories in the order in which their words stand in the logs."""
    conversations = {c.id: place for place, c in enumerate(store.conversations(owner))}
    sessions = {s.id: (conversations[s.conversation_id], s.position) for s in store.sessions(owner=owner)}
    memories = store.memories(owner)
    cited = store.messages_by_id(list({m.sources[0].message_id for m in memories if m.sources}))

    def place(memory: Memory) -> tuple[int, int, int, int, str]:
        message = cited.get(memory.sources[0].message_id) if memory.sources else None
        if message is None:
            return len(conversations), 0, 0, 0, memory.id
        return *sessions[message.session_id], message.position, memory.sources[0].start, memory.id

    return sorted(memories, key=place)


def _vectors(store: Store, embedder: Embedder, memories: Sequence[Memory]) -> Vectors:
    """The memories' unit vectors, from the store; what is missing there is embedded and kept."""
    texts = [memory.text for memory in memories]
    known = store.embeddings(embedder.model_id, texts)
    missing = sorted({text for text in texts if text not in known})
    if missing:
        made = dict(zip(missing, embedder.embed(missing), strict=True))
        with store.write(actor="consolidate") as writer:
            writer.add_embeddings(embedder.model_id, made)
        known = {**known, **made}
    if not texts:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    return np.stack([known[text] for text in texts])
