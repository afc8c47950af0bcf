"""`memory.evidence`: what was said, exactly as logged, and by whom."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import DEFAULT_OWNER, Conversation, LogRead, Message, Session, Source
from memcore.domain.protocols import Store
from memcore.inspection import objects
from memcore.inspection.objects import SessionView
from memcore.inspection.why_not import messages_with
from memcore.memory.rights import Rights, messages_seen, needs
from memcore.retrieval.results import Quote


class Evidence:
    """Conversations, sessions and messages. Read-only: evidence never changes."""

    def __init__(self, store: Store, rights: Rights) -> None:
        self._store = store
        self._rights = rights

    def owners(self) -> list[str]:
        """Everyone who has a memory in this store, which whoever it was opened for may see."""
        return self._rights.among(self._store.owners(), "read")

    @needs("read")
    def speakers(self, owner: str = DEFAULT_OWNER) -> list[str]:
        """Everyone who speaks in the owner's conversations."""
        return self._store.speakers(owner)

    @needs("read")
    def stats(self, owner: str = DEFAULT_OWNER) -> dict[str, int]:
        """How many there are of each kind of object, for one owner."""
        return self._store.stats(owner)

    @needs("read", of=lambda given: {log.conversation.owner for log in given["logs"].logs})
    def count_stored(self, logs: LogRead) -> int:
        """How many of these messages are stored: ingesting them again would add none of them."""
        return len(self._store.messages_by_id([m.id for log in logs.logs for m in log.messages]))

    @needs("read")
    def conversations(self, owner: str = DEFAULT_OWNER) -> list[Conversation]:
        """The owner's conversations."""
        return self._store.conversations(owner)

    @needs("read")
    def sessions(self, owner: str = DEFAULT_OWNER) -> list[Session]:
        """The owner's sessions, by conversation and time."""
        return self._store.sessions(owner=owner)

    @needs("read")
    def log_of(self, session_id: str, *, owner: str = DEFAULT_OWNER) -> str | None:
        """The id of the conversation that a session belongs to; None where the owner has no such session."""
        session = self._store.session(session_id)
        theirs = session is not None and objects.owner_of(self._store, session) == owner
        return session.conversation_id if session is not None and theirs else None

    @needs("read")
    def session(
        self, session_id: str, *, owner: str = DEFAULT_OWNER, recipe: str | None = None
    ) -> SessionView:
        """One of the owner's sessions with messages, segments and memories, as one system worked on it
        (None: the default one, or the first that did). Raises NotFoundError."""
        return objects.session_view(self._store, session_id, recipe, owner=owner)

    def said_in(self, conversation_id: str) -> list[Message]:
        """All that was said in a conversation, in order."""
        return messages_seen(self._store, self._rights, self._store.messages_of(conversation_id))

    @needs("read")
    def message(self, message_id: str, *, owner: str = DEFAULT_OWNER) -> Message | None:
        """One message; None where the owner has none of this id."""
        message = self._store.messages_by_id([message_id]).get(message_id)
        whose = {session.id for session in self._store.sessions(owner=owner)}
        return message if message is not None and message.session_id in whose else None

    @needs("read")
    def containing(self, words: str, *, owner: str = DEFAULT_OWNER, limit: int = 20) -> list[Message]:
        """The owner's first messages that have all of these words, regardless of case."""
        return messages_with(self._store, owner, words, limit=limit)

    def quotes(self, sources: Sequence[Source]) -> tuple[Quote, ...]:
        """The words that sources name."""
        quotes = objects.quotes_of(self._store, sources)
        seen = messages_seen(self._store, self._rights, [quote.message for quote in quotes])
        ids = {message.id for message in seen}
        return tuple(quote for quote in quotes if quote.message.id in ids)
