"""The ingest run: store the evidence, then let a recipe work through it step by step.

Evidence first: every good message is stored before any model runs. Each step is then one
transaction of results and checkpoint, so killing the process loses at most the step in hand, and
running again continues after the last finished one. It knows no stage and no recipe.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from memcore.domain.models import (
    Entity,
    LogRead,
    MemoryEntry,
    Message,
    Run,
    RunKind,
    RunState,
    Session,
    SessionSummary,
    Skipped,
    Triple,
    now,
    stable_id,
)
from memcore.domain.protocols import Cancelled, Embedder, MakeIndex, Progress, Store, Vectors
from memcore.review.proposals import enqueue
from memcore.runs.retry import Failures
from memcore.systems.nearest import Nearest
from memcore.systems.steps import Known, Recipe, SessionPart, Step, StepResult, Tools, embedded

STEP_MESSAGES = 128
"""Messages a step aims at unless its recipe says otherwise: enough for batches by length, few enough to
lose little."""

READ, REMEMBER = "read", "remember"
"""The stages that progress is told in: read by the models, and stored."""

READERS = 2
"""Steps read side by side. Each reader computes with one thread, so two fill two cores."""


Group = TypeVar("Group")


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one run did. `messages` counts the uploaded logs, `new_messages` those stored for the
    first time; `proposals` wait for a person; `errors` are buffers an extractor failed on, whose
    messages stay pending."""

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
    recipe: Recipe[Any],
    tools: Tools,
    llm: dict[str, Any],
    make_index: MakeIndex,
    conversation_id: str | None = None,
    only: Collection[str] | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> IngestReport:
    """Store `log` (None: only continue earlier work) and process every pending message of the owner, or
    of one of the owner's conversations, or those among the ids `only`. Raises nothing a buffer caused;
    whatever else breaks is raised after the run is recorded as failed, and the steps finished before it
    are kept."""
    begun = time.perf_counter()
    with store.write(actor="ingest", run_id=run.id) as writer:
        writer.put_run(run)
    totals = {"new_messages": 0, "segments": 0, "memories": 0, "triples": 0, "proposals": 0}
    errors: list[str] = []
    failures = Failures()
    done = 0

    def record(state: RunState) -> dict[str, Any]:
        """Write down how the run ended; returns what it cost."""
        spent = llm_totals(store, run, llm)
        seconds = round(time.perf_counter() - begun, 3)
        work = {"messages": done, "errors": len(errors), "seconds": seconds, "llm": spent}
        ended = replace(
            run, state=state, finished_at=now(), totals={**totals, **work}, error="\n".join(errors)
        )
        with store.write(actor="ingest", run_id=run.id) as writer:
            writer.add_traces(failures.traces(run.id, finished=state == "finished"))
            writer.put_run(ended)
        return spent

    try:
        totals["new_messages"] = store_logs(store, log, run.id) if log else 0
        pending = store.pending_messages(run.recipe, run.owner, conversation_id=conversation_id)
        if only is not None:
            pending = [message for message in pending if message.id in only]
        known = _Known.of(store, run, tools.embedder, make_index)
        tell = progress or _in_silence
        tell(READ, 0, len(pending))
        for result, read in _results(store, run, pending, recipe, tools, known, cancelled, tell):
            memories, proposals = _commit(store, run, result)
            totals["memories"] += memories
            totals["proposals"] += proposals
            totals["triples"] += sum(triple.id not in known.triples for triple in result.triples)
            known.update(result)
            errors.extend(result.errors)
            failures.note(read, result)
            done += len(read)
            totals["segments"] += len(result.segments)
            tell(REMEMBER, done, len(pending))
    except BaseException as error:
        errors.append(str(error) or type(error).__name__)
        record("cancelled" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    state: RunState = "cancelled" if done < len(pending) else "finished"
    spent = record(state)
    return IngestReport(
        run_id=run.id,
        state=state,
        messages=sum(len(c.messages) for c in log.logs) if log else len(pending),
        skipped=log.skipped if log else (),
        errors=tuple(errors),
        llm=spent,
        seconds=time.perf_counter() - begun,
        **totals,
    )


def _in_silence(stage: str, done: int, total: int) -> None:
    """For callers that do not ask for progress."""


def _steps(
    store: Store, run: Run, pending: Sequence[Message], recipe: Recipe[Any]
) -> Iterator[list[SessionPart]]:
    """Whole sessions together up to the messages a step aims at; a longer session is cut into parts."""
    sessions = {s.id: s for s in store.sessions(owner=run.owner)}
    people = cache(store.speakers_of)  # a conversation has many sessions
    of_conversation: dict[str, list[Session]] = {}
    for one in sorted(sessions.values(), key=lambda session: session.position):
        of_conversation.setdefault(one.conversation_id, []).append(one)
    most = recipe.step_messages or STEP_MESSAGES
    step: list[SessionPart] = []
    size = 0
    for session_id, said in groupby(pending, key=lambda message: message.session_id):
        session = sessions[session_id]
        siblings = of_conversation[session.conversation_id]
        earlier = siblings[: siblings.index(session)] if recipe.before_in_conversation else []
        participants = people(session.conversation_id)
        for part in _parts(store, session, list(said), participants, recipe, most, earlier):
            if step and size + len(part.messages) > most:
                yield step
                step, size = [], 0
            step.append(part)
            size += len(part.messages)
    if step:
        yield step


def _marking_last(groups: Iterator[Group]) -> Iterator[tuple[Group, bool]]:
    """Each of the groups, and whether it is the last."""
    group = next(groups, None)
    while group is not None:
        following = next(groups, None)
        yield group, following is None
        group = following


def _parts(
    store: Store,
    session: Session,
    pending: Sequence[Message],
    people: Sequence[str],
    recipe: Recipe[Any],
    most: int,
    earlier: Sequence[Session],
) -> Iterable[SessionPart]:
    everything = store.messages(session.id)
    index = {message.id: place for place, message in enumerate(everything)}
    held: set[str] = set()
    if len(pending) < len(everything):
        segments = store.segments(session_id=session.id, recipe=recipe.name)
        held = {message_id for segment in segments for message_id in segment.message_ids}
    for run_of in _contiguous_runs(everything, {message.id for message in pending}, held):
        begin = 0
        while begin < len(run_of):
            first = index[run_of[begin].id]
            before = _before(store, everything[:first], earlier, recipe.before)
            counts = recipe.step_messages and not recipe.before_in_conversation
            size = most - len(before) if counts else most
            messages = tuple(run_of[begin : begin + size])
            begin += size
            yield SessionPart(
                session,
                messages,
                before,
                tuple(people),
                contiguous_from=index[run_of[0].id],
                goes_on=begin < len(run_of),
            )


def _before(
    store: Store, said: Sequence[Message], earlier: Sequence[Session], count: int
) -> tuple[Message, ...]:
    """The last `count` messages of what was `said` before in a session, and in the `earlier` ones."""
    found = list(said[max(0, len(said) - count) :])
    for session in reversed(earlier):
        if len(found) >= count:
            break
        messages = store.messages(session.id)
        found = messages[max(0, len(messages) + len(found) - count) :] + found
    return tuple(found)


def _contiguous_runs(
    everything: Sequence[Message], pending: set[str], held: set[str]
) -> Iterator[list[Message]]:
    """Runs of pending messages with none between them that a segment holds already. A message that was
    skipped unread is in no segment and parts nothing, in the first run or in a later one."""
    group: list[Message] = []
    for message in everything:
        if message.id in pending:
            group.append(message)
        elif message.id in held and group:
            yield group
            group = []
    if group:
        yield group


def _results(
    store: Store,
    run: Run,
    pending: Sequence[Message],
    recipe: Recipe[Any],
    tools: Tools,
    known: _Known,
    cancelled: Cancelled | None,
    tell: Progress,
) -> Iterator[tuple[StepResult, list[Message]]]:
    """Results in order, with the messages of their steps. READERS steps are read side by side, ahead of
    the one that is being remembered; cancelling takes effect between steps."""
    summaries = {session_id: summary.text for session_id, summary in known.summaries.items()}
    steps = (
        Step(
            run.owner,
            run.id,
            position,
            tuple(replace(p, summary=summaries.get(p.session.id, "")) for p in parts),
            last=last,
        )
        for position, (parts, last) in enumerate(_marking_last(_steps(store, run, pending, recipe)))
    )
    counting = Lock()
    read = 0

    def read_one(step: Step) -> Any:
        nonlocal read
        prepared = recipe.read(step, tools)
        with counting:
            read += sum(len(part.messages) for part in step.parts)
            tell(READ, read, len(pending))
        return prepared

    with ThreadPoolExecutor(READERS, thread_name_prefix="read") as readers:
        ahead: deque[tuple[Step, Future[Any]]] = deque()
        while True:
            if cancelled is not None and cancelled():
                readers.shutdown(wait=True, cancel_futures=True)
                return
            while len(ahead) < READERS and (step := next(steps, None)) is not None:
                ahead.append((step, readers.submit(read_one, step)))
            if not ahead:
                return
            step, prepared = ahead.popleft()
            result = recipe.remember(prepared.result(), known.view(), tools)
            yield result, [message for part in step.parts for message in part.messages]


@dataclass(slots=True)
class _Known:
    """What the owner has of the recipe, kept up to date during the run instead of being read again
    each step."""

    entities: dict[str, Entity]
    triples: dict[str, Triple]
    summaries: dict[str, SessionSummary]
    near_memories: Nearest[MemoryEntry]
    near_entities: Nearest[Entity]
    of_session: Callable[[str], Sequence[MemoryEntry]]
    carry: object = None

    @classmethod
    def of(cls, store: Store, run: Run, embedder: Embedder, make_index: MakeIndex) -> _Known:
        owner, recipe = run.owner, run.recipe
        entities = {entity.id: entity for entity in store.entities(owner, recipe=recipe)}

        def load_memories() -> tuple[Sequence[MemoryEntry], Vectors]:
            memories = store.memories(owner, recipe=recipe)
            return memories, _vectors(store, embedder, [memory.text for memory in memories])

        def load_entities() -> tuple[Sequence[Entity], Vectors]:
            standing = [e for e in store.entities(owner, recipe=recipe) if e.merged_into is None]
            return standing, _vectors(store, embedder, [entity.name for entity in standing])

        return cls(
            entities,
            {triple.id: triple for triple in store.triples(owner, recipe=recipe)},
            {summary.session_id: summary for summary in store.summaries(owner, recipe=recipe)},
            Nearest(make_index(embedder.dimension), load_memories),
            Nearest(make_index(embedder.dimension), load_entities),
            lambda session_id: store.memories(owner, recipe=recipe, session_id=session_id),
        )

    def update(self, result: StepResult) -> None:
        self.entities.update((entity.id, entity) for entity in result.entities)
        self.triples.update((triple.id, triple) for triple in result.triples)
        self.summaries.update((summary.session_id, summary) for summary in result.summaries)
        self.carry = result.carry

    def view(self) -> Known:
        """As recipes see it, always the present state."""
        return Known(
            self.entities,
            self.triples,
            self.summaries,
            self.near_memories,
            self.near_entities,
            self.carry,
            self.of_session,
        )


def _vectors(store: Store, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The unit vector of each text, embedded anew only where the store has none."""
    stored = store.embeddings(embedder.model_id, texts)
    found = {**stored, **embedded([text for text in texts if text not in stored], embedder)}
    empty = np.zeros((0, embedder.dimension), dtype=np.float32)
    return np.stack([found[text] for text in texts]) if texts else empty


def _commit(store: Store, run: Run, result: StepResult) -> tuple[int, int]:
    """Store a step with its checkpoint; returns how many memories and proposals were new."""
    known = store.memories_by_id([memory.id for memory in result.memories])
    new = [memory for memory in result.memories if memory.id not in known]
    with store.write(actor=f"recipe {run.recipe}", run_id=run.id) as writer:
        writer.add_segments(result.segments)
        if result.vectors:
            writer.add_embeddings(result.embedding_model, result.vectors, result.token_codes)
        # A memory that a person has since decided about must not be reset by reading it again.
        writer.put_memories(new)
        writer.put_entities(result.entities, kind="entity.linked")
        writer.put_triples(result.triples, kind="triple.linked")
        writer.put_summaries(result.summaries)
        proposed = enqueue(store, writer, run.owner, result.proposals)
        writer.add_traces(result.traces)
        writer.mark_processed(run.recipe, result.processed, run.id)
    return len(new), len(proposed)


def llm_totals(store: Store, run: Run, llm: dict[str, Any]) -> dict[str, Any]:
    """What a recorded run spent on a language model so far, beside which one it is (`llm`)."""
    costs = store.llm_costs(run.owner, run_id=run.id)
    return {
        **llm,
        "calls": sum(cost.calls for cost in costs),
        "prompt_tokens": sum(cost.prompt_tokens or 0 for cost in costs),
        "completion_tokens": sum(cost.completion_tokens or 0 for cost in costs),
    }
