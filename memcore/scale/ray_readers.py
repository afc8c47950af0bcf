"""Readers as Ray actors: on the cores of this machine, or of a cluster.

Plain actors, not Ray Data: a conversation is given to whichever actor is free and told of when it is done,
and to stop is to end the actors. Ray starts an actor that died again, on whichever machine has room, and
gives it the conversation that it had.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from memcore.domain.errors import UsageError
from memcore.domain.protocols import Cancelled
from memcore.runs.bulk import Job, JobDone
from memcore.runtime.backends import MakeBackends
from memcore.runtime.config import Settings
from memcore.scale import LOCAL
from memcore.scale.reader import Reader

OBJECT_STORE_BYTES = 100_000_000
"""Of a local cluster: what actors are told and tell is a few hundred bytes."""
READER_BYTES = 1_400_000_000
"""Of memory that a reader takes with its models."""
TRIES = 4
"""How often a conversation is given to readers that die while they read it."""
ASK_SECONDS = 0.5
"""How often it is asked whether to go on."""


class RayReaders:
    """Implements Readers, with an actor for each core of the cluster that this process is connected to, as
    far as its memory goes. They open the store of the settings, with the backends that `backends` makes of
    them."""

    def __init__(self, settings: Settings, backends: MakeBackends) -> None:
        self._settings = settings
        self._backends = backends

    def read(self, jobs: Sequence[Job], *, cancelled: Cancelled) -> Generator[JobDone, None, None]:
        """As `Readers.read`."""
        import ray
        from ray.exceptions import RayActorError

        kind = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=TRIES - 1)(Reader)
        there = ray.cluster_resources()  # type: ignore[no-untyped-call]
        room = max(1, min(int(there.get("CPU", 1)), int(there.get("memory", 0) // READER_BYTES)))
        actors: list[Any] = [kind.remote(self._settings, self._backends) for _ in range(min(room, len(jobs)))]
        waiting = iter(jobs)
        busy = {actor.read.remote(job): (actor, job) for actor, job in zip(actors, waiting, strict=False)}
        try:
            while busy and not cancelled():
                done, _ = ray.wait([*busy], timeout=ASK_SECONDS)
                for reference in done:
                    actor, job = busy.pop(reference)
                    try:
                        yield ray.get(reference)
                    except RayActorError:
                        yield JobDone(job, (_given_up(job),))
                    if (following := next(waiting, None)) is not None:
                        busy[actor.read.remote(following)] = actor, following
        finally:
            for actor in actors:
                ray.kill(actor)


def _given_up(job: Job) -> str:
    return (
        f"conversation {job.conversation_id}: readers died {TRIES} times while they read it. "
        "Ray's logs say of what (out of memory, most often); run it again to try once more."
    )


@contextmanager
def connected(address: str) -> Iterator[None]:
    """A connection to the cluster at an address (`auto`: the one that this machine is a node of), or to one
    of this machine alone (`LOCAL`), which ends with the block and leaves no logs. What is printed in the
    block goes to stderr. Raises UsageError where there is none, or no Ray."""
    if find_spec("ray") is None:
        raise UsageError(
            "Reading on many cores needs the package ray, which is not installed.",
            "pip install -r requirements-scale.txt (or: pip install 'ray==2.60.*')",
        )
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing about this use is sent anywhere
    with ExitStack() as stack:
        local: dict[str, Any] = {}
        if address == LOCAL:
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # Ray's word for: listen on loopback alone
            place = stack.enter_context(TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True))
            local = {
                "include_dashboard": False,
                "object_store_memory": OBJECT_STORE_BYTES,
                "_temp_dir": place,  # else its logs stay where everybody may read them
            }
        stack.enter_context(redirect_stdout(sys.stderr))  # Ray tells which readers died, to its very end
        stack.enter_context(_connection(address, local))
        yield


@contextmanager
def _connection(address: str, options: dict[str, Any]) -> Iterator[None]:
    import ray

    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except Exception as error:  # where a node is not up in time, Ray raises just that
        what = "could not be started on this machine" if address == LOCAL else f"was not found at {address}"
        raise UsageError(
            f"Ray {what}: {' '.join(str(error).split())[:300]}",
            "Try again when the machine has less to do."
            if address == LOCAL
            else "Start it (ray start --head) and name its address; where it asks for a token, export "
            "RAY_AUTH_MODE=token. Or write --ray alone for this machine's cores (docs/scale.md).",
        ) from error
    try:
        yield
    finally:
        ray.shutdown()
