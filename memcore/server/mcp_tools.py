"""The tools of the Model Context Protocol server, without the protocol: arguments in, answers out.

Arguments come from another assistant and are checked here, so that whatever is off is an error of the
MemcoreError family with its fix. Reading shows one owner's memory only. `add` proposes; nothing here decides,
edits or removes anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import ProposalState
from memcore.nlp.time_grammar.dates import parse_when
from memcore.review.additions import LONGEST_NAME, Addition
from memcore.runs.turns import Role, Turn
from memcore.server.lending import Lender
from memcore.server.listening import Listening
from memcore.server.mcp_results import (
    AddAnswer,
    AskAnswer,
    LogAnswer,
    MemoryAnswer,
    ProposalAnswer,
    ProposalsAnswer,
    SearchAnswer,
    ask_answer,
    memory_answer,
    proposal_answer,
    proposed,
    search_answer,
)

LONGEST_QUERY = 2_000
MOST_RESULTS = 50
LARGEST_BUDGET = 8_000
MOST_PROPOSALS = 100
LONGEST_TIME = 60
LONGEST_ID = 100

States = Literal["pending", "applied", "rejected", "superseded", "all"]
_STATES: dict[str, Sequence[ProposalState] | None] = {
    "pending": ("pending",),
    "applied": ("approved", "applied"),
    "rejected": ("rejected",),
    "superseded": ("superseded",),
    "all": None,
}
_MEANING = {
    "pending": "It waits for a person's decision in Memscope's Review; until then it is not remembered.",
    "applied": "A person approved it; it is remembered.",
    "rejected": "A person turned it down; it is not remembered and not proposed again.",
    "superseded": "A person took it back; it is not remembered and not proposed again.",
}


_READ_SOON = (
    "They are kept as evidence. What is remembered of them follows as the conversation goes on: a system "
    "reads what fills its buffers."
)


@dataclass(frozen=True)
class ToldTurn:
    """What somebody said. `id`: your own, the same turn is kept once. `role`: person (by name), user,
    assistant, system or tool. `said_at`: 2023-05-07T14:00:05; null: now."""

    id: str
    speaker: str
    text: str
    role: Role = "person"
    said_at: str | None = None


class Tools(Protocol):
    """What a Model Context Protocol server offers, whoever has the store."""

    def search(
        self, query: str, k: int = 10, as_of: str | None = None, asked_at: str | None = None
    ) -> SearchAnswer:
        """As `MemoryTools.search`."""

    def ask(self, query: str, budget: int = 2_000, asked_at: str | None = None) -> AskAnswer:
        """As `MemoryTools.ask`."""

    def add(
        self, text: str, speaker: str | None = None, said_at: str | None = None, *, client: str
    ) -> AddAnswer:
        """As `MemoryTools.add`."""

    def log(
        self, conversation: str, turns: Sequence[ToldTurn], session: str = "", *, client: str
    ) -> LogAnswer:
        """As `MemoryTools.log`."""

    def list_proposals(self, state: States = "pending", limit: int = 20) -> ProposalsAnswer:
        """As `MemoryTools.list_proposals`."""

    def memory(self, memory_id: str) -> MemoryAnswer:
        """As `MemoryTools.memory`."""

    def proposal(self, proposal_id: str) -> ProposalAnswer:
        """As `MemoryTools.proposal`."""


@dataclass(frozen=True)
class MemoryTools:
    """Implements Tools in the process that has the store: one owner's memory, as one recipe keeps it (None:
    the one `Memory.default_recipe` names)."""

    store: Lender
    owner: str
    recipe: str | None = None
    listening: Listening | None = None
    """Reads what was logged; None: it waits until somebody reads on (`ingest`, Resume)."""

    def search(
        self, query: str, k: int = 10, as_of: str | None = None, asked_at: str | None = None
    ) -> SearchAnswer:
        """The k best results for a question asked at `asked_at`, from what was valid at `as_of`."""
        _within("k", k, MOST_RESULTS)
        question = _question(query)
        valid, asked = _last_moment("as_of", as_of), _last_moment("asked_at", asked_at)
        with self.store.memory() as memory:
            return search_answer(
                memory.search(
                    question, k=k, owner=self.owner, as_of=valid, asked_at=asked, recipe=self.recipe
                )
            )

    def ask(self, query: str, budget: int = 2_000, asked_at: str | None = None) -> AskAnswer:
        """The context for a question within `budget` tokens and, if a model is configured, its answer. When
        that model cannot answer, a warning says why and the context is there all the same."""
        _within("budget", budget, LARGEST_BUDGET)
        question, asked = _question(query), _last_moment("asked_at", asked_at)
        with self.store.memory() as memory:
            return ask_answer(
                memory.ask(question, budget=budget, owner=self.owner, asked_at=asked, recipe=self.recipe)
            )

    def add(
        self, text: str, speaker: str | None = None, said_at: str | None = None, *, client: str
    ) -> AddAnswer:
        """Propose a memory in the words of `client`."""
        if len(speaker or "") > LONGEST_NAME:
            raise UsageError(
                f"A speaker of {len(speaker or ''):,} characters is too long.",
                f"Name who said it in at most {LONGEST_NAME} characters.",
            )
        moment = _moment("said_at", said_at)[0] if said_at else None
        addition = Addition(text, client, speaker or "", moment)
        with self.store.memory() as memory:
            proposal = memory.review.propose(addition, owner=self.owner, recipe=self.recipe)
        state = "applied" if proposal.state == "approved" else proposal.state
        return AddAnswer(proposal.id, state, _MEANING[state])

    def log(
        self, conversation: str, turns: Sequence[ToldTurn], session: str = "", *, client: str
    ) -> LogAnswer:
        """Store turns of a conversation as they happen, and let the owner's system read them."""
        told = [Turn(one.id, one.speaker, one.text, one.role, _spoken_at(one.said_at)) for one in turns]
        with self.store.memory() as memory:
            done = memory.take(
                told, conversation=conversation, session=session, owner=self.owner, client=client
            )
        problem = self.listening.due(self.owner, self.recipe) if self.listening else None
        meaning = f"Not read yet: {problem.cause} {problem.fix}" if problem else _READ_SOON
        return LogAnswer(done.new, done.known, meaning)

    def list_proposals(self, state: States = "pending", limit: int = 20) -> ProposalsAnswer:
        """Proposals in a state, newest first."""
        _within("limit", limit, MOST_PROPOSALS)
        if state not in _STATES:
            raise UsageError(f"There is no state {state[:40]!r}.", f"Choose one of: {', '.join(_STATES)}.")
        with self.store.memory() as memory:
            there = memory.review.proposals(self.owner, states=_STATES[state], recipe=self.recipe)
        newest = sorted(there, key=lambda proposal: (proposal.created_at, proposal.id), reverse=True)
        return ProposalsAnswer([proposed(proposal) for proposal in newest[:limit]], len(there))

    def memory(self, memory_id: str) -> MemoryAnswer:
        """One of the owner's memories with its evidence and history."""
        _id(memory_id)
        with self.store.memory() as memory:
            return memory_answer(memory.memories.view(memory_id, owner=self.owner))

    def proposal(self, proposal_id: str) -> ProposalAnswer:
        """One of the owner's proposals with its evidence and history."""
        _id(proposal_id)
        with self.store.memory() as memory:
            return proposal_answer(memory.review.proposal(proposal_id, owner=self.owner))


def _spoken_at(written: str | None) -> datetime | None:
    """Down to the second, as programs write it, or as a person would."""
    if not written:
        return None
    try:
        moment = datetime.fromisoformat(written[:LONGEST_TIME])
    except ValueError:
        return _moment("said_at", written)[0]
    return moment.astimezone().replace(tzinfo=None) if moment.tzinfo else moment


def _question(query: str) -> str:
    if len(query) > LONGEST_QUERY:
        raise UsageError(
            f"A question of {len(query):,} characters is too long.",
            f"Ask in at most {LONGEST_QUERY:,} characters.",
        )
    return query


def _within(name: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        shown = number if abs(number) < 10**12 else "a number of many digits"
        raise UsageError(f"{name} = {shown} is not possible.", f"Choose {name} from 1 to {most:,}.")


def _id(written: str) -> None:
    if len(written) > LONGEST_ID:
        raise NotFoundError("No id is that long.", "Take ids from `search` and `list_proposals`.")


def _last_moment(name: str, written: str | None) -> datetime | None:
    """The last moment of the period named: `as_of` 2023-05 asks for what was valid as May ended."""
    return _moment(name, written)[1] - timedelta(microseconds=1) if written else None


def _moment(name: str, written: str) -> tuple[datetime, datetime]:
    if len(written) > LONGEST_TIME:
        raise UsageError(
            f"{name} is no date.", 'Write for example 2023-05-07, "2023-05-07 14:00" or 2023-05.'
        )
    return parse_when(written)
