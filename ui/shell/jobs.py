"""Long work on a thread of its own, so that pages stay quick and a reload loses nothing.

A job calls no `st.*` function: it reports to a `Job`, which any page of any browser session of the same
person may look at. Jobs live as long as the server; what they finished is in the store.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, TypeGuard, TypeVar

import streamlit as st

from memcore.domain.errors import CancelledError, ConflictError
from memcore.domain.models import Role, now
from memcore.domain.protocols import Cancelled, Progress
from ui.shell import access, address, background, who
from ui.shell.text import label

T = TypeVar("T")
Work = Callable[[Progress, Cancelled], T]
JobState = Literal["running", "finished", "cancelled", "failed"]


@dataclass
class Job(Generic[T]):
    """One piece of work under way or done, which makes a T, begun `by` whoever was logged in. `stages` is
    (done, total) by stage, in order of start; `since` is when each was first told, and how much was done
    then."""

    id: str
    page: str
    title: str
    makes: type[T]
    by: str = ""
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    stages: dict[str, tuple[int, int]] = field(default_factory=dict)
    since: dict[str, tuple[float, int]] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    future: Future[T] = field(default_factory=Future)

    @property
    def state(self) -> JobState:
        """Running, or how it ended."""
        if not self.future.done():
            return "running"
        error = self.future.exception()
        if isinstance(error, CancelledError):
            return "cancelled"
        if error is not None:
            return "failed"
        return "cancelled" if self.stop.is_set() else "finished"

    @property
    def seconds(self) -> float:
        """How long it took, or takes so far."""
        return (self.ended or time.monotonic()) - self.started

    def progress(self, stage: str, done: int, total: int) -> None:
        """Note how far a stage is."""
        self.since.setdefault(stage, (time.monotonic(), done))
        self.stages[stage] = (done, total)

    def seconds_left(self, stage: str) -> float | None:
        """How long the rest of a stage takes if it goes on as so far; None while that cannot be told."""
        (begun, first), (done, total) = self.since[stage], self.stages[stage]
        if not first < done < total:
            return None
        return (time.monotonic() - begun) / (done - first) * (total - done)

    def run(self, work: Work[T]) -> None:
        """Do the work on this thread; the result or the error stays in the future."""
        try:
            result = work(self.progress, self.stop.is_set)
        except BaseException as error:  # noqa: BLE001 - kept in the future and shown on the page
            self.ended = time.monotonic()
            self.future.set_exception(error)
        else:
            self.ended = time.monotonic()
            self.future.set_result(result)


ONLY_READ = "This store can only be read: Memscope may not write to its directory."


class Board:
    """Every job since the server started. One runs at a time: they would wait for one lock anyway. A run
    that began before `begun` and has no end belonged to a process that was interrupted. `barred`:
    nothing can be started at all, since the store can only be read. Where people log in, of somebody else's
    job nobody is told more than that there is one."""

    def __init__(self) -> None:
        self.begun = now()
        self.barred = False
        self._jobs: dict[str, Job[Any]] = {}
        self._lock = threading.Lock()

    def start(self, page: str, title: str, makes: type[T], work: Work[T], *, id: str = "") -> Job[T]:
        """Begin at once. `makes` is what the work returns, `id` its id if what it makes has one. Raises
        ConflictError while another job runs."""
        with self._lock:
            self._refuse_while_busy()
            job = Job(id or uuid.uuid4().hex[:12], page, title, makes, who.name())
            self._jobs[job.id] = job
        background.threads().begin(partial(job.run, work), f"job-{job.id}", job.stop.set)
        return job

    @contextmanager
    def idle(self) -> Iterator[None]:
        """No job begins meanwhile, and those that have ended are forgotten. Raises ConflictError while one
        runs."""
        with self._lock:
            self._refuse_while_busy()
            yield
            self._jobs.clear()

    def _refuse_while_busy(self) -> None:
        if busy := _told(self._running()):
            raise ConflictError(
                f"{busy.title} is still running.", "Wait until it has ended, or cancel it first."
            )

    def keep_last(self, page: str, number: int) -> None:
        """Forget all but the last jobs of a page that have ended: for results that are large."""
        with self._lock:
            ended = [job.id for job in self._jobs.values() if job.page == page and job.state != "running"]
            for job_id in ended[: max(0, len(ended) - number)]:
                del self._jobs[job_id]

    def forget(self, job_id: str) -> None:
        """Forget a job that has ended."""
        with self._lock:
            if (job := self._jobs.get(job_id)) is not None and job.state != "running":
                del self._jobs[job_id]

    def forget_ended(self) -> None:
        """Forget every job that has ended, with what it made."""
        with self._lock:
            self._jobs = {job.id: job for job in self._jobs.values() if job.state == "running"}

    def get(self, job_id: str) -> Job[Any] | None:
        """Whatever it makes; None for somebody else's."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.by == who.name() else None

    def find(self, job_id: str, page: str, makes: type[T]) -> Job[T] | None:
        """The job of that id, if it is this page's and makes a T."""
        job = self.get(job_id)
        return job if job is not None and job.page == page and _makes(job, makes) else None

    @property
    def at_work(self) -> bool:
        """Whether any job is, whoever began it; also where nobody looks at a page."""
        with self._lock:
            return self._running() is not None

    def running(self) -> Job[Any] | None:
        """The job that is at work, if one is; for somebody else's, one without id that tells nothing."""
        with self._lock:
            return _told(self._running())

    def _running(self) -> Job[Any] | None:
        return next((job for job in self._jobs.values() if job.state == "running"), None)


def _told(job: Job[Any] | None) -> Job[Any] | None:
    if job is None or job.by == who.name():
        return job
    return Job("", "", "Work of somebody else", object, future=job.future)


def _makes(job: Job[Any], kind: type[T]) -> TypeGuard[Job[T]]:
    return issubclass(job.makes, kind)


def busy(need: Role = "review", *, whole: bool = False) -> str:
    """Why nothing else that needs this role (`access.refused`) can be started now, as a Markdown label; empty
    when it can."""
    if why := access.refused(need, whole=whole):
        return why
    if board().barred:
        return ONLY_READ
    job = board().running()
    return f"Wait until this has ended: {label(job.title)}." if job else ""


def in_address(page: str, makes: type[T]) -> Job[T] | None:
    """The job that the URL names, if it is this page's and makes a T."""
    return board().find(st.query_params.get("job", ""), page, makes)


def found_again(page: str, makes: type[T]) -> Job[T] | None:
    """As `in_address`; where the URL names none, the one at work, which it names from now on: whoever left
    the page, or opens it in another tab, sees how far it is."""
    if "job" in st.query_params or (running := board().running()) is None:
        return in_address(page, makes)
    if (job := board().find(running.id, page, makes)) is not None:
        address.change(job=job.id)
    return job


@st.cache_resource(show_spinner=False)
def board() -> Board:
    """The one board of this server."""
    return Board()
