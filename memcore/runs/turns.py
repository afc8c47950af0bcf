"""Turns that a program tells as they are spoken: evidence like that of a log, each stored once.

A conversation has the name that the program gives it, a turn the program's own id. Telling a turn again
changes nothing; telling other words by the same id is a conflict, for evidence is never overwritten. What is
remembered of it is a system's work (`ingest` with `to_the_end=False`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import Conversation, ConversationLog, Message, RawRef, Session, now, stable_id
from memcore.domain.protocols import Store
from memcore.review.additions import LONGEST_NAME, one_line

FORMAT = "told"
"""The format of such a conversation."""
LONGEST_TEXT = 100_000
MOST_TURNS = 1_000
LONGEST_ID = 200

Role = Literal["person", "user", "assistant", "system", "tool"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said. `id` is the telling program's own; `said_at` is naive (None: now). Raises
    UsageError for what cannot be stored."""

    id: str
    speaker: str
    text: str
    role: Role = "person"
    said_at: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "speaker", one_line(self.speaker))
        if self.role not in get_args(Role):
            raise UsageError(f"There is no role {self.role[:40]!r}.", f"Choose: {', '.join(get_args(Role))}.")
        if not self.speaker:
            raise UsageError("A turn needs a speaker.", "Say by name who speaks, or User and Assistant.")
        if not self.id.strip() or len(self.id) > LONGEST_ID:
            raise UsageError("A turn needs an id of its own.", f"Give it 1 to {LONGEST_ID} characters.")
        if not self.text.strip() or len(self.text) > LONGEST_TEXT:
            raise UsageError(
                f"A turn of {len(self.text):,} characters cannot be stored.",
                f"Tell turns of 1 to {LONGEST_TEXT:,} characters, and import what is longer as a log.",
            )


@dataclass(frozen=True, slots=True)
class Told:
    """What became of turns: in which conversation they are, how many were new, how many known."""

    conversation_id: str
    new: int
    known: int


def take(
    store: Store,
    turns: Sequence[Turn],
    *,
    owner: str,
    conversation: str,
    session: str = "",
    client: str = "",
) -> Told:
    """Store turns in the order in which they were spoken, those of one day as a session unless `session`
    names one. Raises UsageError, and ConflictError where an id is known with other words; nothing is stored
    then."""
    name, teller = one_line(conversation), one_line(client) or "unnamed program"
    if not name or len(conversation) > LONGEST_NAME:
        raise UsageError(
            "A conversation needs a name.",
            f"Give it one of up to {LONGEST_NAME} characters, always the same.",
        )
    if not 1 <= len(turns) <= MOST_TURNS:
        raise UsageError(f"{len(turns)} turns cannot be told at once.", f"Tell 1 to {MOST_TURNS:,}.")
    conversation_id = stable_id("conv", FORMAT, owner, conversation)
    its = Conversation(conversation_id, owner, name, FORMAT, title=name)
    with store.write(actor=teller) as writer:  # nobody else writes meanwhile, so places are free
        log = _log(store, its, turns, session, teller)
        writer.add_log(log)
    return Told(conversation_id, len(log.messages), len(turns) - len(log.messages))


def _log(
    store: Store, conversation: Conversation, turns: Sequence[Turn], session: str, teller: str
) -> ConversationLog:
    ids = {turn.id: stable_id("msg", conversation.id, turn.id) for turn in turns}
    known = {message.id: message for message in store.messages_by_id(list(ids.values())).values()}
    sessions = {one.id: one for one in store.sessions(conversation_id=conversation.id)}
    places: dict[str, int] = {}
    made: dict[str, Message] = {}
    for turn in turns:
        message_id = ids[turn.id]
        if (before := known.get(message_id) or made.get(message_id)) is not None:
            if (before.text, before.speaker) != (turn.text, turn.speaker):
                raise ConflictError(
                    f"{conversation.title} has other words by the id {one_line(turn.id)}.",
                    "Give each turn an id of its own; what was said is never overwritten.",
                    object_id=message_id,
                )
            continue
        said_at = turn.said_at or now().astimezone().replace(tzinfo=None)
        session_id = stable_id("ses", conversation.id, session or f"{said_at:%Y-%m-%d}")
        if session_id not in sessions:
            sessions[session_id] = Session(session_id, conversation.id, len(sessions), said_at, session)
        if session_id not in places:
            places[session_id] = len(store.messages(session_id))
        made[message_id] = Message(
            id=message_id,
            session_id=session_id,
            position=places[session_id],
            speaker=turn.speaker,
            role=turn.role,
            text=turn.text,
            said_at=said_at,
            time_source="message",
            raw_ref=RawRef(conversation.source_file, f"{one_line(turn.id)}, told by {teller}"),
        )
        places[session_id] += 1
    return ConversationLog(conversation, tuple(sessions.values()), tuple(made.values()))
