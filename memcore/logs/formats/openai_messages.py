"""OpenAI chat messages: an array of messages, `{"messages": [...]}`, or JSON Lines of either.

Content is a string or a list of parts; of the parts, text is read. Messages of tools and of the system
are kept as evidence with their role. Times, which the format does not have, are read from the usual
extra fields when someone added them. The roles' plain names are the speakers unless `name` is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.fields import text_of, time_of
from memcore.logs.roles import SPEAKERS, first_text, role_of


def matches(content: Content) -> bool:
    """Whether one of the first records is a message or holds messages."""
    return any(_is_message(value) or _has_messages(value) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per record that holds messages; records that are messages make one together."""
    loose: list[MessageDraft] = []
    for record in content.records():
        if _has_messages(record.value):
            yield _conversation(content, record.value, record.where)
        elif turn := turn_of(content, record.value, record.where):
            loose.append(turn)
    if loose:
        yield ConversationDraft([SessionDraft(loose)], split_at_gaps=True)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and ("content" in value or "tool_calls" in value)


def _has_messages(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and any(_is_message(message) for message in messages)


def _conversation(content: Content, value: Any, where: str) -> ConversationDraft:
    about: dict[str, Any] = value if isinstance(value, dict) else {}
    messages = about["messages"] if about else value
    place = f"{where}, message" if where else "message"
    turns = (turn_of(content, message, f"{place} {number}") for number, message in enumerate(messages, 1))
    session = SessionDraft([turn for turn in turns if turn], started_at=time_of(content, about, where))
    return ConversationDraft(
        [session],
        native_id=first_text(about, "conversation_id", "id"),
        title=first_text(about, "title"),
        split_at_gaps=True,
    )


def turn_of(content: Content, message: Any, where: str) -> MessageDraft | None:
    """The message as a turn, or None (reported) when it is none or says nothing."""
    if not isinstance(message, dict) or not isinstance(role := message.get("role"), str) or not role.strip():
        content.skip_record(where, message, "not a message: it needs a `role` and a `content`")
        return None
    text = _text(message)
    if not text.strip():
        content.skip(where, "a message without text")
        return None
    known = role_of(role)
    speaker = first_text(message, "name", "tool_name") or SPEAKERS.get(known, role)
    return MessageDraft(speaker, known, text, where, time_of(content, message, where))


def _text(message: dict[str, Any]) -> str:
    """What the message says, or the calls of tools it makes, in brackets."""
    if (text := text_of(message.get("content"))).strip():
        return text
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return ""
    functions = [call["function"] for call in calls if isinstance(call, dict) and "function" in call]
    return "\n".join(
        f"[calls {first_text(function, 'name') or 'a tool'}: {_arguments(function)}]"
        for function in functions
        if isinstance(function, dict)
    )


def _arguments(function: dict[str, Any]) -> str:
    arguments = function.get("arguments", "")
    try:
        return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply to show"
