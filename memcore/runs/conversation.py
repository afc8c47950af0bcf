"""Reading one conversation while others of the same owner are read elsewhere.

`runs.ingest` has the owner's claim from beginning to end. Here models read without it, and it is taken only
to remember: what the system knows is read anew then, and so is what of the conversation still waits. Where
another run has read some of it meanwhile, this reading is thrown away, so nothing is stored twice, whoever
reads the same conversation at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


class _Reading:
    """One reader at one conversation."""

    def __init__(
        self,
        store: Store,
        run: Run,
        conversation_id: str,
        recipe: System[Any, Any],
        tools: Tools,
        make_index: MakeIndex,
    ) -> None:
        self._store = store
        self._run = run
        self._conversation_id = conversation_id
        self._recipe = recipe
        self._tools = tools
        self._make_index = make_index
        self._carry: Any = None
        self._held: set[str] = set()
        self.failures = Failures()
        self.errors: list[str] = []

    def to_the_end(self) -> bool:
        """Read and remember what waits; False where somebody else has read some of it meanwhile, so that what
        is left must be planned anew."""
        self._carry, self._held = None, set()
        steps = self._steps()
        while some := list(islice(steps, STEPS_AT_ONCE)):
            read = [(step, self._recipe.read(step, self._tools)) for step in some]
            if not self._remembered(read):
                return False
        return True

    def _waits(self) -> list[Message]:
        run = self._run
        return self._store.pending_messages(run.recipe, run.owner, conversation_id=self._conversation_id)

    def _steps(self) -> Iterator[Step]:
        run, store = self._run, self._store
        so_far = {one.session_id: one.text for one in store.summaries(run.owner, recipe=run.recipe)}
        return planned(store, run, self._waits(), self._recipe, so_far)

    def _remembered(self, read: Sequence[tuple[Step, Any]]) -> bool:
        """Store what was read, knowing what others have stored of the owner by now; nothing, and False, where
        some of it, or of what is in the system's buffers, was read by somebody else."""
        run, store = self._run, self._store
        with store.claim(run.owner, run.recipe, waiting=lambda: True):
            messages = {m.id for step, _ in read for m in step.messages}
            if not messages | self._held <= {message.id for message in self._waits()}:
                return False
            known = known_of(store, run, self._tools.embedder, self._make_index)
            known.carry = self._carry
            processed: set[str] = set()
            for step, prepared in read:
                result = self._recipe.remember(prepared, known, self._tools)
                commit(store, run, result)
                known.take(result)
                self.errors.extend(result.errors)
                self.failures.note(step.messages, result)
                processed |= {*result.processed}
            self._carry = known.carry
            self._held = (self._held | messages) - processed
        return True
