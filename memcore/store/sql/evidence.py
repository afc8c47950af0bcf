"""Reading evidence: conversations, sessions, messages, topic segments and whose boundaries stand.

Conversations are listed in the order they were stored, which their row ids keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memcore.domain.models import PROPOSED, Conversation, Coverage, Message, Segment, Session, TopicCut
from memcore.store.sql.database import Database
from memcore.store.sql.query import Objects, Select, one
from memcore.store.sql.references import ReferenceMaps
from memcore.store.sql.tables import CONVERSATIONS, MESSAGES, SEGMENTS, SESSIONS, TOPIC_CUTS


class EvidenceReader:
    """The evidence part of the Store protocol."""

    _database: Database
    _references: ReferenceMaps
    _messages: Objects[Message]

    def owners(self) -> list[str]:
        """Everybody who owns a log, a memory or an entity, by name."""
        rows = self._database.query(
            "select owner from conversations union select owner from memories "
            "union select owner from entities order by owner"
        )
        return [str(owner) for (owner,) in rows]

    def conversations(self, owner: str | None = None) -> list[Conversation]:
        """Conversations in the order they were stored; None: everyone's."""
        select = Select(CONVERSATIONS)
        if owner is not None:
            select.where("owner = ?", owner)
        return select.order("rowid").all(self._database)

    def sessions(self, *, conversation_id: str | None = None, owner: str | None = None) -> list[Session]:
        """Sessions in the order of their conversations, then as they follow each other."""
        select = Select(SESSIONS, "join conversations c on c.id = sessions.conversation_id")
        if conversation_id is not None:
            select.where("c.id = ?", conversation_id)
        if owner is not None:
            select.where("c.owner = ?", owner)
        return select.order('c.rowid, sessions."position", sessions.id').all(self._database)

    def session(self, session_id: str) -> Session | None:
        """The session, or None when there is none of this id."""
        return one(self._database, SESSIONS, session_id)

    def messages(self, session_id: str) -> list[Message]:
        """A session's messages in their order."""
        return (
            Select(MESSAGES).where("session_id = ?", session_id).order('"position", id').all(self._database)
        )

    def messages_by_session(self, session_ids: Sequence[str]) -> dict[str, list[Message]]:
        """Of each of these sessions the messages in their order; nothing of one that has none."""
        select = Select(MESSAGES).where_listed("session_id", session_ids)
        found: dict[str, list[Message]] = {}
        for message in select.order('"position", id').all(self._database) if session_ids else ():
            found.setdefault(message.session_id, []).append(message)
        return found

    def messages_of(self, conversation_id: str) -> list[Message]:
        """Everything said in one conversation, by session, position."""
        return (
            Select(MESSAGES, "join sessions s on s.id = messages.session_id")
            .where("s.conversation_id = ?", conversation_id)
            .order('s."position", s.id, messages."position", messages.id')
            .all(self._database)
        )

    def messages_by_id(self, ids: Sequence[str]) -> dict[str, Message]:
        """Those of the ids that are stored."""
        return self._messages.by_id(ids)

    def pending_messages(
        self, recipe: str, owner: str, *, conversation_id: str | None = None
    ) -> list[Message]:
        """Messages this recipe has not processed (of one conversation, if one is named), by
        conversation, session, position."""
        select = _pending(recipe, owner)
        if conversation_id is not None:
            select.where("c.id = ?", conversation_id)
        return select.all(self._database)

    def count_pending(self, recipe: str, owner: str) -> int:
        """How many messages this recipe has not processed."""
        return _pending(recipe, owner).count(self._database)

    def pending_conversations(self, recipe: str, owner: str) -> dict[str, int]:
        """How many messages of each conversation this recipe has not processed, conversations in the order
        of `pending_messages`."""
        return _pending(recipe, owner).count_by(self._database, "c.id", order="c.rowid")

    def recipes_of(self, session_id: str) -> list[str]:
        """The recipes that have worked on a session's messages, in alphabetical order."""
        rows = self._database.query(
            "select distinct p.recipe from processed p join messages m on m.id = p.message_id "
            "where m.session_id = ? order by p.recipe",
            [session_id],
        )
        return [str(recipe) for (recipe,) in rows]

    def coverage(self, owner: str) -> list[Coverage]:
        """Which of the owner's conversations each run worked on: by recipe, run, conversation. What a
        run failed on is known from its traces, whose unit is then the session."""
        rows = self._database.query(
            """
            with mine as (select s.id, s.conversation_id
                          from sessions s join conversations c on c.id = s.conversation_id
                          where c.owner = $1)
            select recipe, run_id, conversation_id, sum(messages)::bigint from (
                select p.recipe, p.run_id, mine.conversation_id, 1 as messages
                from processed p join messages m on m.id = p.message_id join mine on mine.id = m.session_id
                union all
                select r.recipe, t.run_id, mine.conversation_id, 0
                from traces t join runs r on r.id = t.run_id join mine on mine.id = t.unit
            ) worked
            group by recipe, run_id, conversation_id order by recipe, run_id, conversation_id
            """,
            [owner],
        )
        return [Coverage(*row) for row in rows]

    def topic_cut(self, session_id: str, recipe: str) -> TopicCut | None:
        """What a person made of the recipe's topics of this session (None: never touched)."""
        return one(self._database, TOPIC_CUTS, TopicCut.id_for(session_id, recipe))

    def speakers(self, owner: str) -> list[str]:
        """Everyone who speaks in the owner's conversations, in alphabetical order."""
        return sorted(self._references.speakers(owner))

    def speakers_of(self, conversation_id: str) -> list[str]:
        """Everyone who speaks in one conversation, in order of first speaking."""
        rows = self._database.query(
            """
            select speaker from (
                select m.speaker, rank() over (order by s."position", m."position") as place
                from messages m join sessions s on s.id = m.session_id where s.conversation_id = ?
            ) said
            group by speaker order by min(place), speaker
            """,
            [conversation_id],
        )
        return [str(speaker) for (speaker,) in rows]

    def last_said(self, owner: str) -> datetime | None:
        """When the owner's newest dated message was said."""
        said = self._references.speakers(owner).values()
        return max((moment for moment in said if moment is not None), default=None)

    def segments(
        self,
        *,
        session_id: str | None = None,
        ids: Sequence[str] | None = None,
        recipe: str | None = None,
        message_ids: Sequence[str] | None = None,
    ) -> list[Segment]:
        """By session, then by the position of the segment's first message. `message_ids` keeps the
        segments that hold one of these messages."""
        select = Select(SEGMENTS, "left join messages m on m.id = segments.message_ids[1]")
        if session_id is not None:
            select.where("segments.session_id = ?", session_id)
        if recipe is not None:
            select.where("segments.recipe = ?", recipe)
        if message_ids is not None:
            select.where("segments.message_ids && ?::text[]", list(message_ids))
        return (
            select.where_in("segments.id", ids)
            .order('segments.session_id, m."position", segments.id')
            .all(self._database)
        )


_UNPROCESSED = "not exists (select 1 from processed p where p.recipe = ? and p.message_id = messages.id)"
"""Asked message by message, so that a conversation costs the same however much was processed before."""


def _pending(recipe: str, owner: str) -> Select[Message]:
    return (
        Select(
            MESSAGES,
            "join sessions s on s.id = messages.session_id join conversations c on c.id = s.conversation_id",
        )
        .where("c.owner = ?", owner)
        .where("c.format != ?", PROPOSED)
        .where(_UNPROCESSED, recipe)
        .order('c.rowid, s."position", s.id, messages."position", messages.id')
    )
