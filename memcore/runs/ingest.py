"""The ingest run: store the evidence, then let a recipe work through it step by step.

Evidence first: every good message is stored before any model runs. Each step is then one
transaction of results and checkpoint, so killing the process loses at most the step in hand, and
running again continues after the last finished one. Runs of one owner and system take turns (`Store.claim`),
and each reads what those before it left, so that no message is read twice. It knows no stage and no recipe.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from memcore.domain.errors import CancelledError
from memcore.domain.models import (
    DEFAULT_OWNER,
    LogRead,
    Message,
    Run,
    RunKind,
    RunState,
    Skipped,
    Statement,
    now,
    stable_id,
)
from memcore.domain.protocols import Cancelled, MakeIndex, Progress, Store
from memcore.review.curate.protect import admitted
from memcore.review.proposals import enqueue
from memcore.runs.known import known_of
from memcore.runs.planning import planned
from memcore.runs.retry import Failures
from memcore.systems.steps import Known, Step, StepResult, System, Tools

LOAD, WAIT, READ, REMEMBER = "load models", "wait for another run", "read", "remember"
"""The stages that progress is told in: while another run reads for the same system, read by the models, and
stored."""

READERS = 2
"""Steps read side by side. Each reader computes with one thread, so two fill two cores."""

AHEAD = READERS + 2
"""Steps that are being read, or were and wait: readers go on while others are remembered."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one run did. `messages` counts the uploaded logs, `new_messages` those stored for the
    first time, `read` those that this run, and no other beside it, gave to the system, `cited` how many of
    these its memories rest on; `proposals` wait for a person; `errors` are buffers an extractor failed on,
    whose messages stay pending."""

    run_id: str
    state: str
    messages: int
    new_messages: int
    segments: int
    memories: int
    triples: int
    proposals: int
    skipped: tuple[Skipped, ...]
    errors: tuple[str, ...]
    llm: dict[str, Any]
    seconds: float
    owner: str = DEFAULT_OWNER
    read: int = 0
    cited: int = 0


def new_run(owner: str, recipe: str, settings: dict[str, Any], *, kind: RunKind = "ingest") -> Run:
    """A run that starts now."""
    begun = now()
    return Run(
        id=stable_id("run", owner, recipe, begun.isoformat(), time.perf_counter_ns()),
        kind=kind,
        owner=owner,
        recipe=recipe,
        state="running",
        started_at=begun,
        settings=settings,
    )


def store_logs(store: Store, log: LogRead, run_id: str) -> int:
    """Store all good messages in one transaction per conversation; returns how many were new."""
    new = 0
    for conversation_log in log.logs:
        with store.write(actor="ingest", run_id=run_id) as writer:
            new += writer.add_log(conversation_log)
    return new


def ingest(
    store: Store,
    log: LogRead | None,
    *,
    run: Run,
    recipe: System[Any, Any],
    tools: Tools,
    llm: dict[str, Any],
    make_index: MakeIndex,
    conversation_id: str | None = None,
    only: Collection[str] | None = None,
    to_the_end: bool = True,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> IngestReport:
    """Store `log` (None: only continue earlier work) and process every pending message of the owner, or
    of one of the owner's conversations, or those among the ids `only`. Unless `to_the_end`, more is to come:
    what then is in a system's buffers stays pending. Raises nothing a buffer caused;
    whatever else breaks is raised after the run is recorded as failed, and the steps finished before it
    are kept."""
    with store.write(actor="ingest", run_id=run.id) as writer:
        writer.put_run(run)
    totals = {"new_messages": 0, "segments": 0, "memories": 0, "triples": 0, "proposals": 0}
    errors: list[str] = []
    failures = Failures()
    done = 0

    def record(state: RunState) -> Run:
        """Write down how the run ended, and what it cost."""
        ended = replace(run, state=state, finished_at=now(), error="\n".join(errors))
        spent = llm_totals(store, run, llm)
        work = {"messages": done, "errors": len(errors), "seconds": ended.seconds, "llm": spent}
        ended = replace(ended, totals={**totals, **work})
        with store.write(actor="ingest", run_id=run.id) as writer:
            writer.add_traces(failures.traces(run.id, finished=state == "finished"))
            writer.put_run(ended)
        return ended

    tell = progress or in_silence
    waited: list[bool] = []

    def waiting() -> bool:
        if not waited:
            tell(WAIT, 0, 1)
        waited.append(True)
        return cancelled is None or not cancelled()

    pending: list[Message] = []
    cited: set[str] = set()
    ours = False
    try:
        totals["new_messages"] = store_logs(store, log, run.id) if log else 0
        with store.claim(run.owner, run.recipe, waiting=waiting) as ours:
            if waited:
                tell(WAIT, 1, 1)
            pending = store.pending_messages(run.recipe, run.owner, conversation_id=conversation_id)
            if only is not None:
                pending = [message for message in pending if message.id in only]
            known = known_of(store, run, tools.embedder, make_index)
            tell(READ, 0, len(pending))
            stop = cancelled if ours else lambda: True
            for result, read in _results(store, run, pending, recipe, tools, known, stop, tell, to_the_end):
                memories, proposals = commit(store, run, result)
                totals["memories"] += memories
                totals["proposals"] += proposals
                cited |= {source.message_id for memory in result.memories for source in memory.sources}
                totals["triples"] += sum(triple.id not in known.triples for triple in result.triples)
                known.take(result)
                errors.extend(result.errors)
                failures.note(read, result)
                done += len(read)
                totals["segments"] += len(result.segments)
                tell(REMEMBER, done, len(pending))
    except BaseException as error:
        errors.append(str(error) or type(error).__name__)
        record("cancelled" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    state: RunState = "finished" if ours and done == len(pending) else "cancelled"
    ended = record(state)
    return IngestReport(
        run_id=run.id,
        state=state,
        messages=sum(len(c.messages) for c in log.logs) if log else len(pending),
        skipped=log.skipped if log else (),
        errors=tuple(errors),
        llm=ended.totals["llm"],
        seconds=ended.seconds or 0.0,
        owner=run.owner,
        read=done,
        cited=len(cited & {message.id for message in pending}),
        **totals,
    )


def in_silence(stage: str, done: int, total: int) -> None:
    """For callers that do not ask for progress."""


def _results(
    store: Store,
    run: Run,
    pending: Sequence[Message],
    recipe: System[Any, Any],
    tools: Tools,
    known: Known[Any],
    cancelled: Cancelled | None,
    tell: Progress,
    to_the_end: bool,
) -> Iterator[tuple[StepResult[Any], list[Message]]]:
    """Results in order, with the messages of their steps. READERS steps are read side by side, and up to
    AHEAD before the one that is being remembered; cancelling takes effect between steps, and where a model is
    waited for."""
    summaries = {session_id: summary.text for session_id, summary in known.summaries.items()}
    steps = planned(store, run, pending, recipe, summaries, to_the_end=to_the_end)
    counting = Lock()
    read = 0

    def read_one(step: Step) -> Any:
        nonlocal read
        prepared = recipe.read(step, tools)
        with counting:
            read += len(step.messages)
            tell(READ, read, len(pending))
        return prepared

    readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
    ahead: deque[tuple[Step, Future[Any]]] = deque()
    try:
        while True:
            if cancelled is not None and cancelled():
                return
            while len(ahead) < AHEAD and (step := next(steps, None)) is not None:
                ahead.append((step, readers.submit(read_one, step)))
            if not ahead:
                return
            step, prepared = ahead.popleft()
            try:
                result = recipe.remember(prepared.result(), known, tools)
            except CancelledError:  # a model was not waited for
                return
            yield result, step.messages
    finally:  # what is being read is waited for, however this ends; what only waits is not begun
        readers.shutdown(wait=True, cancel_futures=True)


def commit(store: Store, run: Run, result: StepResult[Any]) -> tuple[int, int]:
    """Store a step with its checkpoint; returns how many memories and proposals were new."""
    known = store.memories_by_id([memory.id for memory in result.memories])
    new = [memory for memory in result.memories if memory.id not in known]
    verdicts = store.judged([Statement.of_memory(memory) for memory in new])  # before others have to wait
    with store.write(actor=f"recipe {run.recipe}", run_id=run.id) as writer:
        leave = admitted(store, run.owner, run.recipe, new, result.entities, result.triples)
        writer.add_segments(result.segments)
        if result.vectors:
            writer.add_embeddings(result.embedding_model, result.vectors, result.token_codes)
        # A memory that a person has since decided about must not be reset by reading it again.
        leave.put(writer)
        left = {memory.id for memory in leave.memories}
        writer.put_groundings([(one, verdict) for one, verdict in verdicts if one.object_id in left])
        writer.put_summaries(result.summaries)
        proposed = enqueue(store, writer, run.owner, result.proposals)
        writer.add_traces(result.traces)
        writer.mark_processed(run.recipe, result.processed, run.id)
    return len(leave.memories), len(proposed)


def llm_totals(store: Store, run: Run, llm: dict[str, Any]) -> dict[str, Any]:
    """What a recorded run spent on a language model so far, beside which one it is (`llm`)."""
    costs = store.llm_costs(run.owner, run_id=run.id)
    return {
        **llm,
        "calls": sum(cost.calls for cost in costs),
        "prompt_tokens": sum(cost.prompt_tokens or 0 for cost in costs),
        "completion_tokens": sum(cost.completion_tokens or 0 for cost in costs),
    }
