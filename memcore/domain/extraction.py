"""What extraction says, before anything is stored: typed values between the stages.

`Extractor` is the seam: the language pipeline (no LLM) and a language model both implement it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from memcore.domain.models import Message, Segment, Source


@dataclass(frozen=True, slots=True)
class TripleDraft:
    """(subject, relation, object) by name, with the entity types an extractor saw (PERSON, PLACE,
    ORG, DATE, THING, EVENT, ...).

    `telling`: whether both names stand for individuals that one would look up again, or for somebody's
    pursuit (`memcore.nlp.language.syntax.individuals`). A triple of which one does not ("Ann buys tickets")
    is no relation of the entity graph; it is remembered only where relations are all that is.
    """

    subject: str
    relation: str
    object: str
    subject_type: str = "THING"
    object_type: str = "THING"
    telling: bool = True


@dataclass(frozen=True, slots=True)
class Fact:
    """One standalone statement. `sources` are the exact words it rests on, first the main one; `told_in` are
    those that say in which conversation it was told, on which nothing else of it rests.

    `kind` is one of fact, event, plan, preference, opinion, state, statement (the last: a standalone
    restatement that could not be analysed, e.g. because the text is not English). `topic` is its own, where
    an extractor gives one (SimpleMem); otherwise its segment's counts.
    """

    text: str
    kind: str
    sources: tuple[Source, ...]
    speaker: str = ""
    category: str = ""
    subcategory: str = ""
    event_at: datetime | None = None
    event_end: datetime | None = None
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    location: str = ""
    topic: str = ""
    triples: tuple[TripleDraft, ...] = ()
    told_in: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """What a session was about, so far."""

    text: str
    keywords: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


Kept = Literal["all", "personal", "none"]
"""Which replies of an assistant the language pipeline remembers: all, those to messages that tell of who asks
(no general knowledge), or none."""
ReleasedBy = Literal["", "threshold", "session", "people", "end"]
"""Why a buffer went to extraction: it reached the tokens that fill one, it held enough and a session ended,
what follows is said between other people, or nothing more was to come; empty while it waits."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """Short-term memory handed to one extraction: topic segments of sessions with the same participants,
    in order; `session_id` is the first one's.

    `messages` are all messages of the segments in order, `compressed` their compressed text by
    message id, `before` up to a few earlier messages of the first session (context for coreference;
    not to be extracted from), `opening` the message that the first session began with, where it is none of
    these, `people` everyone who speaks in the conversation. `summary` is the
    summary so far where there is one for the whole buffer (LiCoMemory: of its session; Mem0: of the
    conversation), `summaries` by session id where each session has its own (memscope). `known` is
    remembered already and need not be said again (SimpleMem's density gate); in LiCoMemory the
    session's entities. `tokens` are its compressed tokens and `released_by` why it was released, where it
    waited in short-term memory (`stages.buffer`): there it begins with a single segment.
    """

    session_id: str
    segments: tuple[Segment, ...]
    messages: tuple[Message, ...]
    compressed: dict[str, str] = field(default_factory=dict)
    before: tuple[Message, ...] = ()
    people: tuple[str, ...] = ()
    summary: str = ""
    known: tuple[str, ...] = ()
    summaries: dict[str, str] = field(default_factory=dict)
    tokens: int = 0
    released_by: ReleasedBy = ""
    opening: Message | None = None

    @property
    def session_ids(self) -> tuple[str, ...]:
        """The sessions it holds something of, in order."""
        return tuple(dict.fromkeys(segment.session_id for segment in self.segments))


@dataclass(frozen=True, slots=True)
class SkippedText:
    """A sentence or message nothing was extracted from, and why: shown, never silent."""

    message_id: str
    start: int
    end: int
    reason: str


def already_known(what: str) -> str:
    """The reason of what is skipped because it repeats something (SimpleMem's density gate)."""
    return f"already known: “{what}”"


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one buffer yielded: facts in source order, a label per segment, and by session id a
    summary of each session it holds something of."""

    session_id: str
    facts: tuple[Fact, ...]
    topics: dict[str, str] = field(default_factory=dict)
    summaries: dict[str, SummaryDraft] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExtractionTrace:
    """How one buffer was read: by what (`made_by`), and everything that was skipped. `error`
    names the buffer's failure; its messages are then left unprocessed, to be tried again. `notes`
    are single things an extractor returned that were corrected or could not be used (a source that
    does not exist, an impossible date), in words."""

    session_id: str
    made_by: str
    skipped: tuple[SkippedText, ...] = ()
    error: str = ""
    milliseconds: float = 0.0
    notes: tuple[str, ...] = ()


class Extractor(Protocol):
    """Reads buffers into facts. One result and one trace per buffer, in order; a buffer that fails
    yields an empty Extraction and a trace with `error`, and never hides the others."""

    name: str

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """What each buffer tells, in the order given, with what happened on the way."""
        ...


@runtime_checkable
class ReadsAhead(Protocol):
    """An Extractor that can begin before it is known which buffers messages go into."""

    def begin(self, buffers: Sequence[Buffer]) -> None:
        """Read of the messages what can be read already, and return at once; the next `extract` gives what it
        would have given anyway. `buffers` need neither segments nor compressed texts."""
        ...


@runtime_checkable
class ReadsMuch(Protocol):
    """An Extractor that reads much another way than little."""

    def expect(self, messages: int) -> None:
        """Prepare for a run that will read so many messages, and return at once. What `extract` gives is the
        same."""
        ...
