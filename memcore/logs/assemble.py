"""From a reader's draft to a conversation log: ids, sessions, times, clean text.

The same for every format. Ids depend on what was said, never on the file's name or on options other
than the owner, so that importing a file twice adds nothing and a grown log adds only what is new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, time, timedelta
from itertools import islice

from memcore.domain.models import (
    Conversation,
    ConversationLog,
    Message,
    RawRef,
    Session,
    TimeSource,
    stable_id,
)
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.introductions import called

SESSION_GAP = timedelta(hours=6)
"""In a format that is one endless thread, a longer silence than this starts a new session."""

OPENING_MESSAGES = 3
"""How many messages name a conversation whose format gives it no id (system prompts, which many
conversations share, are not counted)."""

_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


def clean(text: str) -> str:
    """The exact text, except that lone surrogates and NUL, which cannot be stored, become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


class Assembler:
    """Builds the logs of one upload; it remembers their ids, so that none of them collide."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._seen: Counter[str] = Counter()

    def assemble(
        self, draft: ConversationDraft, content: Content, format_name: str
    ) -> ConversationLog | None:
        """The conversation, or None (reported) when nothing was said in it."""
        drafts = [session for session in draft.sessions if session.turns]
        if not drafts:
            content.skip(draft.title or draft.native_id, "a conversation without messages")
            return None
        conversation = Conversation(
            id=self._conversation_id(draft, format_name),
            owner=self._options.owner,
            source_file=content.name,
            format=format_name,
            title=clean(draft.title).strip(),
        )
        if draft.split_at_gaps:
            drafts = [part for session in drafts for part in _split_at_gaps(session)]
        sessions: list[Session] = []
        messages: list[Message] = []
        named: Counter[str] = Counter()
        for position, session_draft in enumerate(drafts):
            session = self._session(session_draft, conversation.id, position, named)
            sessions.append(session)
            messages.extend(self._messages(session_draft, session, content.name))
        said = called(messages, clean(draft.user_name).strip())
        return ConversationLog(conversation, tuple(sessions), tuple(said))

    def _conversation_id(self, draft: ConversationDraft, format_name: str) -> str:
        owner = self._options.owner
        if draft.native_id:
            key = stable_id("conv", owner, format_name, clean(draft.native_id))
        else:
            turns = (turn for session in draft.sessions for turn in session.turns)
            opening = islice((turn for turn in turns if turn.role != "system"), OPENING_MESSAGES)
            said = [(clean(turn.speaker), clean(turn.text), turn.said_at) for turn in opening]
            key = stable_id("conv", owner, *(part for turn in said for part in turn))
        self._seen[key] += 1
        return key if self._seen[key] == 1 else stable_id("conv", key, self._seen[key])

    def _session(
        self, draft: SessionDraft, conversation_id: str, position: int, named: Counter[str]
    ) -> Session:
        native = clean(draft.native_id) or f"#{position}"
        named[native] += 1
        return Session(
            id=stable_id("ses", conversation_id, native, *([named[native]] if named[native] > 1 else [])),
            conversation_id=conversation_id,
            position=position,
            started_at=_start(draft) or self._options.base_date,
            title=clean(draft.title).strip(),
        )

    def _messages(self, draft: SessionDraft, session: Session, file: str) -> Iterator[Message]:
        """A message's id counts how often the speaker has said the same in the session, rather than
        all messages before it: a record repaired in the middle then moves no other id."""
        said: Counter[tuple[str, str]] = Counter()
        inherited = _start(draft)
        for position, turn in enumerate(draft.turns):
            text, speaker = clean(turn.text), clean(turn.speaker).strip()
            said[speaker, text] += 1
            said_at, source = self._time(turn, inherited)
            yield Message(
                id=stable_id("msg", session.id, clean(turn.native_id), said[speaker, text], speaker, text),
                session_id=session.id,
                position=position,
                speaker=speaker,
                role=turn.role,
                text=text,
                said_at=said_at,
                time_source=source,
                raw_ref=RawRef(turn.file or file, clean(turn.where)),
            )

    def _time(self, turn: MessageDraft, inherited: datetime | None) -> tuple[datetime | None, TimeSource]:
        if turn.said_at is not None:
            return turn.said_at, "message"
        if inherited is not None:
            return inherited, "session"
        if self._options.base_date is not None:
            base = self._options.base_date
            if turn.clock is None:
                return base, "asked"
            return datetime.combine(base, time()) + turn.clock, "asked"
        return None, "none"


def _start(draft: SessionDraft) -> datetime | None:
    """When the session began: as its format says, else its first stated time."""
    return draft.started_at or next((turn.said_at for turn in draft.turns if turn.said_at), None)


def _split_at_gaps(session: SessionDraft) -> Iterable[SessionDraft]:
    """The session in parts, cut where more than SESSION_GAP passed between two stated times. A
    message without a time stays with what was said before it. Where messages have ids of their own, a part
    is named by its first: an export of other days then has the same sessions."""
    parts: list[list[MessageDraft]] = [[]]
    last: datetime | None = None
    for turn in session.turns:
        if turn.said_at is not None:
            if last is not None and abs(turn.said_at - last) > SESSION_GAP:
                parts.append([])
            last = turn.said_at
        parts[-1].append(turn)
    yield SessionDraft(parts[0], session.started_at, session.title, session.native_id)
    for part in parts[1:]:
        yield SessionDraft(part, native_id=part[0].native_id)
