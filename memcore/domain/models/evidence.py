"""Evidence: conversations, sessions, messages and topic segments, exactly as logged."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memcore.domain.errors import LogError
from memcore.domain.models.identity import DEFAULT_RECIPE, TimeSource, stable_id


@dataclass(frozen=True, slots=True)
class RawRef:
    """Where in which file a message stands, in words a person can follow (`line 12`)."""

    file: str
    where: str


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance, exactly as logged. `position` counts from 0 within its session."""

    id: str
    session_id: str
    position: int
    speaker: str
    role: str
    text: str
    said_at: datetime | None
    time_source: TimeSource
    raw_ref: RawRef


@dataclass(frozen=True, slots=True)
class Session:
    """An uninterrupted conversation. `position` counts from 0 within its conversation."""

    id: str
    conversation_id: str
    position: int
    started_at: datetime | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions of one log. `owner` is whose memory this is (Mem0's user_id)."""

    id: str
    owner: str
    source_file: str
    format: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ConversationLog:
    """A conversation with everything said in it, in order."""

    conversation: Conversation
    sessions: tuple[Session, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that could not be used: which file, where in it, why, and what would fix it. One stands for
    several `records` where they are of one harmless kind (photos in a chat), and for none where a whole file
    could not be read."""

    file: str
    where: str
    why: str
    records: int = 1

    @classmethod
    def whole(cls, error: LogError) -> Skipped:
        """A file that could not be read at all."""
        return cls(error.file, error.where, f"{error.cause} {error.fix}", records=0)


@dataclass(frozen=True, slots=True)
class LogRead:
    """What a reader made of one upload: the good records and the places of the bad ones.
    `unclear_dates` are dates as written that could be day or month first; their messages are undated."""

    logs: tuple[ConversationLog, ...]
    skipped: tuple[Skipped, ...] = ()
    unclear_dates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """The words something came from: characters `start:end` of one message's raw text."""

    message_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """Contiguous messages of one session about one topic, as one recipe divided it. `boundary` says
    why it starts there: the method that fired and its scores at the first message."""

    id: str
    session_id: str
    message_ids: tuple[str, ...]
    topic: str = ""
    boundary: dict[str, Any] = field(default_factory=dict)
    recipe: str = DEFAULT_RECIPE


@dataclass(frozen=True, slots=True)
class TopicCut:
    """A person's division of one session into topic segments, standing in place of the recipe's own; with
    no `segment_ids` the recipe's own stands (again). Segments are evidence and never change: moving
    a boundary makes new ones (their `boundary` has the method `person`) and changes this."""

    id: str
    owner: str
    session_id: str
    recipe: str
    segment_ids: tuple[str, ...] = ()

    @staticmethod
    def id_for(session_id: str, recipe: str) -> str:
        """The id of the one division that a session and recipe can have."""
        return stable_id("cut", session_id, recipe)
