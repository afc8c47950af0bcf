"""A buffer as the lines a model reads, LightMem's (section 3.2): `--- Topic N ---`, then one line a
message, `[timestamp, weekday] source_id.Speaker: text`. Where sessions matter to the reader (memscope
asks for a summary of each), `=== Session N ===` stands before the first topic of each.

Every line carries its own message's time, weekday and speaker: nothing is inferred from who usually
follows whom. Small integers stand for message ids. What is remembered already is a line, too, `[day] text`.
It knows no prompt and no model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcore.domain.extraction import Buffer
from memcore.domain.models import MemoryEntry, Message
from memcore.domain.prompts import one_line


def log_lines(buffer: Buffer, *, mark_sessions: bool = False) -> tuple[str, dict[int, Message]]:
    """The buffer's messages, compressed where there is compressed text, and which message each source
    id stands for. Messages of a segment that the buffer does not hold are not there to be read. A
    session's number is its place in `buffer.session_ids`, from 1."""
    messages = {message.id: message for message in buffer.messages}
    lines: list[str] = []
    by_number: dict[int, Message] = {}
    session = ""
    for topic, segment in enumerate(buffer.segments, start=1):
        if mark_sessions and segment.session_id != session:
            session = segment.session_id
            lines.append(f"=== Session {buffer.session_ids.index(session) + 1} ===")
        lines.append(f"--- Topic {topic} ---")
        for message in (messages[i] for i in segment.message_ids if i in messages):
            number = len(by_number)
            by_number[number] = message
            lines.append(numbered(number, message, buffer.compressed.get(message.id) or message.text))
    return "\n".join(lines), by_number


def numbered(number: int, message: Message, text: str) -> str:
    """A message's line, under the number that stands for it."""
    return f"{stamp(message)} {number}.{one_line(message.speaker)}: {one_line(text)}"


def dated(memory: MemoryEntry) -> str:
    """A memory as a model reads it, `[day] text` on one line."""
    return f"[{said_on(memory)}] {one_line(memory.text)}"


def said_on(memory: MemoryEntry) -> str:
    """The day on which a memory was mentioned."""
    return f"{memory.mentioned_at:%Y-%m-%d}" if memory.mentioned_at else "time unknown"


def stamp(message: Message) -> str:
    """When it was said, no finer than the log tells: zero seconds cost tokens and say nothing."""
    at = message.said_at
    if at is None:
        return "[time unknown]"
    fineness = "milliseconds" if at.microsecond else "seconds" if at.second else "minutes"
    return f"[{at.isoformat(timespec=fineness)}, {at:%a}]"


def place_of(messages: Sequence[Message]) -> str:
    """Where a run of messages stands in its log, for a person."""
    if not messages:
        return ""
    first, last = messages[0].raw_ref, messages[-1].raw_ref
    there = f"{first.file}, {first.where}"
    return one_line(there if first == last else f"{there} to {last.where}")


def cited_by(memories: Iterable[MemoryEntry]) -> str:
    """Which messages memories rest on, for a person: the first of them and the last."""
    ids = [source.message_id for memory in memories for source in memory.sources]
    return "" if not ids else f"message {ids[0]}" + (f" to {ids[-1]}" if ids[-1] != ids[0] else "")
