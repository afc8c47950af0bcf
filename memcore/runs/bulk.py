"""Reading many conversations at once, by readers that may die: evidence first, then one conversation to one
reader.

What is shared is the store, and nothing else: a reader is told which conversation, and reads what of it waits
there (`memcore.runs.conversation`). So a reader that dies is replaced by one that is told the same, and a run
that was stopped is continued by running it again. It knows no way of starting readers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Protocol

from memcore.domain.models import LogRead, Run, RunState, now
from memcore.domain.protocols import Cancelled, Progress, Store
from memcore.runs.ingest import REMEMBER, in_silence, llm_totals, store_logs


@dataclass(frozen=True, slots=True)
class Job:
    """A conversation to read in a run, and how many of its messages wait."""

    run: Run
    conversation_id: str
    messages: int


@dataclass(frozen=True, slots=True)
class JobDone:
    """A conversation was read; `errors` are the parts that could not be, whose messages still wait."""

    job: Job
    errors: tuple[str, ...] = ()


class Readers(Protocol):
    """Processes that read conversations with `runs.conversation.read_conversation`, from the store and into
    it."""

    def read(self, jobs: Sequence[Job], *, cancelled: Cancelled) -> Generator[JobDone, None, None]:
        """Have each conversation read, and tell of each when it is done, in whatever order. A reader that
        dies costs no conversation: another one reads it. Once `cancelled`, or when the generator is closed,
        readers stop, in the middle of what they read."""
        ...


@dataclass(frozen=True, slots=True)
class BulkReport:
    """What reading in bulk did: a run for each owner. `state` is `cancelled` where conversations were left;
    the other figures as `IngestReport` has them, counted in the store, whichever reader died meanwhile."""

    run_ids: tuple[str, ...]
    state: RunState
    owners: tuple[str, ...]
    conversations: int
    messages: int
    new_messages: int
    read: int
    memories: int
    errors: tuple[str, ...]
    llm: dict[str, Any]
    seconds: float


class _Bulk:
    """The runs of one bulk: begun, and ended with what the store says of them."""

    def __init__(self, store: Store, begin: Callable[[str], Run], llm: dict[str, Any]) -> None:
        self._store = store
        self._begin = begin
        self._llm = llm
        self.runs: dict[str, Run] = {}
        self.errors: dict[str, list[str]] = {}
        self.messages = self.new_messages = 0

    def take(self, logs: LogRead) -> None:
        """Store what was logged, each conversation in one transaction."""
        for log in logs.logs:
            owner = log.conversation.owner
            if owner not in self.runs:
                self._keep(self._begin(owner))
            self.new_messages += store_logs(self._store, LogRead((log,)), self.runs[owner].id)
            self.messages += len(log.messages)

    def _keep(self, run: Run) -> None:
        self.runs[run.owner] = run
        with self._store.write(actor="ingest", run_id=run.id) as writer:
            writer.put_run(run)

    def jobs(self) -> list[Job]:
        """What waits, of every owner that was heard of."""
        return [
            Job(run, conversation_id, messages)
            for run in self.runs.values()
            for conversation_id, messages in self._store.pending_conversations(run.recipe, run.owner).items()
        ]

    def end(self, state: Callable[[Run], RunState]) -> None:
        """Write down how each run ended."""
        for owner, run in self.runs.items():
            errors = self.errors.get(owner, [])
            ended = replace(run, state=state(run), finished_at=now(), error="\n".join(errors))
            covered = self._store.coverage(owner)
            totals = {
                "messages": sum(one.messages for one in covered if one.run_id == run.id),
                "memories": self._store.count_memories(owner, states=None, run_id=run.id),
                "errors": len(errors),
                "seconds": ended.seconds,
                "llm": llm_totals(self._store, run, self._llm),
            }
            self._keep(replace(ended, totals=totals))

    def report(self, state: RunState, conversations: int, seconds: float) -> BulkReport:
        """What came of it all."""
        runs = [*self.runs.values()]
        spent = [run.totals["llm"] for run in runs]
        counted = {key: sum(one[key] for one in spent) for key in _COUNTED}
        return BulkReport(
            run_ids=tuple(run.id for run in runs),
            state=state,
            owners=tuple(run.owner for run in runs),
            conversations=conversations,
            messages=self.messages,
            new_messages=self.new_messages,
            read=sum(run.totals["messages"] for run in runs),
            memories=sum(run.totals["memories"] for run in runs),
            errors=tuple(error for errors in self.errors.values() for error in errors),
            llm={**self._llm, **counted},
            seconds=seconds,
        )


_COUNTED = ("calls", "prompt_tokens", "completion_tokens")


def ingest_in_bulk(
    store: Store,
    logs: Iterable[LogRead],
    *,
    begin: Callable[[str], Run],
    readers: Readers,
    llm: dict[str, Any],
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> BulkReport:
    """Store all `logs`, one after the other, then have `readers` read every pending message of their owners;
    `begin` makes an owner's run. Raises nothing a conversation caused; whatever else breaks is raised
    after the runs are recorded as failed, and what was stored before it is kept."""
    began = now()
    tell, stop = progress or in_silence, cancelled or (lambda: False)
    bulk = _Bulk(store, begin, llm)
    waiting: Counter[str] = Counter()  # conversations, by the run that they are read in
    done = conversations = 0
    try:
        for log in logs:
            if stop():
                break
            bulk.take(log)
        jobs = [] if stop() else bulk.jobs()
        waiting.update(job.run.id for job in jobs)
        total = sum(job.messages for job in jobs)
        tell(REMEMBER, 0, total)
        with closing(readers.read(jobs, cancelled=stop)) as reading:
            for one in reading:
                waiting[one.job.run.id] -= 1
                bulk.errors.setdefault(one.job.run.owner, []).extend(one.errors)
                done += one.job.messages
                conversations += 1
                tell(REMEMBER, done, total)
    except BaseException as error:
        ended: RunState = "cancelled" if isinstance(error, KeyboardInterrupt) else "failed"
        for owner in bulk.runs:
            bulk.errors.setdefault(owner, []).append(str(error) or type(error).__name__)
        bulk.end(lambda run: ended)
        raise
    stopped = stop()
    bulk.end(lambda run: "cancelled" if waiting.get(run.id, stopped) else "finished")
    left = stopped or any(waiting.values())
    return bulk.report("cancelled" if left else "finished", conversations, (now() - began).total_seconds())
