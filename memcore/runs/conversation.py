"""Reading one conversation while others of the same owner are read elsewhere.

`runs.ingest` has the owner's claim from beginning to end. Here models read without it, and it is taken only
to remember: what the system knows is read anew then, and so is what of the conversation still waits. Where
another run has read some of it meanwhile, this reading is thrown away, so nothing is stored twice, whoever
reads the same conversation at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from memcore.domain.models import Message, Run
from memcore.domain.protocols import MakeIndex, Store
from memcore.runs.ingest import commit
from memcore.runs.known import known_of
from memcore.runs.planning import planned
from memcore.runs.retry import Failures
from memcore.systems.steps import Step, System, Tools

STEPS_AT_ONCE = 4
"""Steps read before the claim is taken to remember them: what is lost and read again when a process dies, and
how often what the system knows of the owner is read from the store."""


def read_conversation(
    store: Store,
    run: Run,
    conversation_id: str,
    *,
    recipe: System[Any, Any],
    tools: Tools,
    make_index: MakeIndex,
) -> tuple[str, ...]:
    """Read what of a conversation waits; returns what an extractor failed on, whose messages stay pending
    and are noted with the run, to be retried. Raises whatever else breaks; steps remembered before it are
    kept."""
    reading = _Reading(store, run, conversation_id, recipe, tools, make_index)
    while not reading.to_the_end():
        pass
    with store.write(actor="ingest", run_id=run.id) as writer:
        writer.add_traces(reading.failures.traces(run.id, finished=True))
    return tuple(reading.errors)


@dataclass(slots=True)
class _Reading:
    """One reader at one conversation. `carry` and `held` (ids of messages) are what the last step remembered
    left in the system's buffers."""

    store: Store
    run: Run
    conversation_id: str
    recipe: System[Any, Any]
    tools: Tools
    make_index: MakeIndex
    carry: Any = None
    held: set[str] = field(default_factory=set)
    failures: Failures = field(default_factory=Failures)
    errors: list[str] = field(default_factory=list)

    def to_the_end(self) -> bool:
        """Read and remember what waits; False where somebody else has read some of it meanwhile, so that what
        is left must be planned anew."""
        self.carry, self.held = None, set()
        steps = self._steps()
        while some := list(islice(steps, STEPS_AT_ONCE)):
            read = [(step, self.recipe.read(step, self.tools)) for step in some]
            if not self._remembered(read):
                return False
        return True

    def _waits(self) -> list[Message]:
        run = self.run
        return self.store.pending_messages(run.recipe, run.owner, conversation_id=self.conversation_id)

    def _steps(self) -> Iterator[Step]:
        run, store = self.run, self.store
        so_far = {one.session_id: one.text for one in store.summaries(run.owner, recipe=run.recipe)}
        return planned(store, run, self._waits(), self.recipe, so_far)

    def _remembered(self, read: Sequence[tuple[Step, Any]]) -> bool:
        """Store what was read, knowing what others have stored of the owner by now; nothing, and False, where
        some of it, or of what is in the system's buffers, was read by somebody else."""
        run, store = self.run, self.store
        with store.claim(run.owner, run.recipe, waiting=lambda: True):
            messages = {m.id for step, _ in read for m in step.messages}
            if not messages | self.held <= {message.id for message in self._waits()}:
                return False
            known = known_of(store, run, self.tools.embedder, self.make_index)
            known.carry = self.carry
            processed: set[str] = set()
            for step, prepared in read:
                result = self.recipe.remember(prepared, known, self.tools)
                commit(store, run, result)
                known.take(result)
                self.errors.extend(result.errors)
                self.failures.note(step.messages, result)
                processed |= {*result.processed}
            self.carry = known.carry
            self.held = (self.held | messages) - processed
        return True
