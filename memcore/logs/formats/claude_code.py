"""Claude Code's session transcripts: JSON Lines, one line per event of a coding session.

Read is what the person and the assistant said to each other: the text of `user` and `assistant` lines, a
conversation for each `sessionId`. Skipped are calls of tools and their results, thinking, the work of
subagents (`isSidechain`), what Claude Code itself put in (meta lines, summaries of what was compacted,
commands and their output), and all other kinds of lines. A line that was copied when a session was resumed
counts once. What was said before a session was rewound is kept, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.fields import text_of, time_of
from memcore.logs.roles import SPEAKERS, first_text, shown

NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
"""Marks of lines that nobody said."""

PUT_IN = (
    "<command-name>", "<command-message>", "<local-command-", "<bash-", "<system-reminder>",
    "<task-notification>", "[Request interrupted by user", "Caveat: The messages below were generated",
)  # fmt: skip
"""How text begins that Claude Code writes in the person's name."""

SILENT = frozenset(("tool_use", "tool_result", "thinking", "redacted_thinking"))
"""Kinds of content that are work, not words."""


def matches(content: Content) -> bool:
    """Whether one of the first records is an event of a session."""
    return any(
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and not {"sessionId", "parentUuid", "leafUuid"}.isdisjoint(value)
        for value in content.head
    )


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per session."""
    sessions: dict[str, list[MessageDraft]] = {}
    titles: dict[str, str] = {}
    session_of: dict[str, str] = {}
    said: dict[str, Any] = {}
    for record in content.records():
        line = record.value
        if not isinstance(line, dict):
            content.skip(record.where, "not an event of a Claude Code session")
            continue
        if first_text(line, "type") == "summary":
            titles[first_text(line, "leafUuid")] = first_text(line, "summary")
        if not _is_message(content, line, record.where):
            continue
        uuid, session = first_text(line, "uuid"), first_text(line, "sessionId")
        if uuid and said.setdefault(uuid, line.get("message")) != line.get("message"):
            content.skip(record.where, f"its id {shown(uuid)} is another message's; both are kept")
        elif uuid and uuid in session_of:
            continue
        session_of.setdefault(uuid, session)
        turns = sessions.setdefault(session, [])
        if turn := _turn(content, line, record.where):
            turns.append(turn)
    named = {session_of[leaf]: title for leaf, title in titles.items() if leaf in session_of}
    for session, turns in sessions.items():
        if turns:
            title = named.get(session, "")
            yield ConversationDraft([SessionDraft(turns)], session, title, split_at_gaps=True)


def _is_message(content: Content, line: dict[str, Any], where: str) -> bool:
    """Whether the line is of a person or the assistant; one that only its damaged type denies is reported."""
    if first_text(line, "type") in ("user", "assistant"):
        return True
    message = line.get("message")
    if isinstance(message, dict) and first_text(message, "role"):
        content.skip(where, f"a message of type {shown(line.get('type'))}: it needs user or assistant")
    return False


def _turn(content: Content, line: dict[str, Any], where: str) -> MessageDraft | None:
    """The line as a turn; None when nobody said it, or (reported) it cannot be read."""
    if any(line.get(mark) for mark in NOT_SAID):
        return None
    message = line.get("message")
    body = message.get("content") if isinstance(message, dict) else None
    if not isinstance(body, str | list):
        content.skip(where, "not a message: its `message` needs a `content`")
        return None
    parts = [body] if isinstance(body, str) else [part for part in body if not _is_silent(part)]
    said = [part for part in parts if not text_of([part]).lstrip().startswith(PUT_IN)]
    text = text_of(said)
    if not text.strip():
        if said:
            content.skip(where, "a message without text (an image or another file)")
        return None
    role = first_text(line, "type")
    said_at = time_of(content, line, where)
    return MessageDraft(SPEAKERS[role], role, text, where, said_at, native_id=first_text(line, "uuid"))


def _is_silent(part: Any) -> bool:
    return isinstance(part, dict) and first_text(part, "type") in SILENT
