"""What a process of a cluster does: it opens the store, keeps its models, and reads conversations."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from memcore.domain.errors import MemcoreError
from memcore.memory import Memory, open_settings
from memcore.nlp.language.own_process import in_this_process
from memcore.runs.bulk import Job, JobDone
from memcore.runs.conversation import read_conversation
from memcore.runtime.backends import MakeBackends
from memcore.runtime.config import Settings
from memcore.store import ExactIndex
from memcore.systems.registry import system_named


class Reader:
    """Reads one conversation after the other, with the backends that `backends` makes of the settings."""

    def __init__(self, settings: Settings, backends: MakeBackends) -> None:
        self._settings = settings
        self._backends = backends

    @cached_property
    def _memory(self) -> Memory:
        return open_settings(self._settings, self._backends)

    def read(self, job: Job) -> JobDone:
        """Read what of the conversation waits. A MemcoreError costs this conversation alone."""
        run = job.run
        try:
            store = self._memory.store
            tools = self._memory.backends.tools(run.recipe, store, run.id)
            errors = read_conversation(
                store,
                run,
                job.conversation_id,
                recipe=system_named(run.recipe),
                tools=replace(tools, extractor=in_this_process(tools.extractor)),
                make_index=ExactIndex,
            )
        except MemcoreError as error:
            errors = (f"conversation {job.conversation_id}: {error}",)
        return JobDone(job, errors)
