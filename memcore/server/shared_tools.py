"""The tools of a Model Context Protocol server that may not have the store: another process may hold it.

Where one does and serves it, a call goes through it, and its answer is what it would be here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter

from memcore.domain.errors import StoreBusyError
from memcore.server.holder import Holder, find_holder
from memcore.server.listening import Listening
from memcore.server.mcp_results import (
    AddAnswer,
    AskAnswer,
    LogAnswer,
    MemoryAnswer,
    ProposalAnswer,
    ProposalsAnswer,
    SearchAnswer,
)
from memcore.server.mcp_store import LentStore
from memcore.server.mcp_tools import MemoryTools, States, ToldTurn, Tools

T = TypeVar("T")


@dataclass(frozen=True)
class HolderTools:
    """Implements Tools through the process that holds the store."""

    holder: Holder
    owner: str
    recipe: str | None = None

    def search(
        self, query: str, k: int = 10, as_of: str | None = None, asked_at: str | None = None
    ) -> SearchAnswer:
        """As `MemoryTools.search`."""
        return self._post(SearchAnswer, "search", query=query, k=k, as_of=as_of, asked_at=asked_at)

    def ask(self, query: str, budget: int = 2_000, asked_at: str | None = None) -> AskAnswer:
        """As `MemoryTools.ask`."""
        return self._post(AskAnswer, "ask", query=query, budget=budget, asked_at=asked_at)

    def add(
        self, text: str, speaker: str | None = None, said_at: str | None = None, *, client: str
    ) -> AddAnswer:
        """As `MemoryTools.add`."""
        return self._post(AddAnswer, "proposals", text=text, speaker=speaker, said_at=said_at, client=client)

    def log(
        self, conversation: str, turns: Sequence[ToldTurn], session: str = "", *, client: str
    ) -> LogAnswer:
        """As `MemoryTools.log`."""
        told = [asdict(turn) for turn in turns]
        return self._post(
            LogAnswer, "messages", conversation=conversation, messages=told, session=session, client=client
        )

    def list_proposals(self, state: States = "pending", limit: int = 20) -> ProposalsAnswer:
        """As `MemoryTools.list_proposals`."""
        return self._get(ProposalsAnswer, "proposals", state=state, limit=limit, recipe=self.recipe)

    def memory(self, memory_id: str) -> MemoryAnswer:
        """As `MemoryTools.memory`."""
        return self._get(MemoryAnswer, f"memories/{quote(memory_id, safe='')}")

    def proposal(self, proposal_id: str) -> ProposalAnswer:
        """As `MemoryTools.proposal`."""
        return self._get(ProposalAnswer, f"proposals/{quote(proposal_id, safe='')}")

    def _post(self, kind: type[T], what: str, **body: Any) -> T:
        said = self.holder.ask("POST", f"/v1/{what}", {**body, "owner": self.owner, "recipe": self.recipe})
        return TypeAdapter(kind).validate_python(said)

    def _get(self, kind: type[T], what: str, **query: Any) -> T:
        return TypeAdapter(kind).validate_python(
            self.holder.ask("GET", f"/v1/{what}", owner=self.owner, **query)
        )


@dataclass(frozen=True)
class SharedTools:
    """Implements Tools with the store of a directory, whoever has it at the time of a call."""

    store: LentStore
    listening: Listening
    directory: Path
    owner: str
    recipe: str | None = None

    def search(
        self, query: str, k: int = 10, as_of: str | None = None, asked_at: str | None = None
    ) -> SearchAnswer:
        """As `MemoryTools.search`."""
        return self._wherever(lambda tools: tools.search(query, k, as_of, asked_at))

    def ask(self, query: str, budget: int = 2_000, asked_at: str | None = None) -> AskAnswer:
        """As `MemoryTools.ask`."""
        return self._wherever(lambda tools: tools.ask(query, budget, asked_at))

    def add(
        self, text: str, speaker: str | None = None, said_at: str | None = None, *, client: str
    ) -> AddAnswer:
        """As `MemoryTools.add`."""
        return self._wherever(lambda tools: tools.add(text, speaker, said_at, client=client))

    def log(
        self, conversation: str, turns: Sequence[ToldTurn], session: str = "", *, client: str
    ) -> LogAnswer:
        """As `MemoryTools.log`."""
        return self._wherever(lambda tools: tools.log(conversation, turns, session, client=client))

    def list_proposals(self, state: States = "pending", limit: int = 20) -> ProposalsAnswer:
        """As `MemoryTools.list_proposals`."""
        return self._wherever(lambda tools: tools.list_proposals(state, limit))

    def memory(self, memory_id: str) -> MemoryAnswer:
        """As `MemoryTools.memory`."""
        return self._wherever(lambda tools: tools.memory(memory_id))

    def proposal(self, proposal_id: str) -> ProposalAnswer:
        """As `MemoryTools.proposal`."""
        return self._wherever(lambda tools: tools.proposal(proposal_id))

    def _wherever(self, call: Callable[[Tools], T]) -> T:
        holder = None if self.store.held else find_holder(self.directory)
        if holder is None:
            try:
                return call(MemoryTools(self.store, self.owner, self.recipe, self.listening))
            except StoreBusyError:
                if (holder := find_holder(self.directory)) is None:
                    raise
        return call(HolderTools(holder, self.owner, self.recipe))
