"""ShareGPT: conversations as lists of {from, value}, in a JSON array, one object, or JSON Lines.

The form of the ShareGPT collection, and of many sets of training data since. It has no times. A `system`
text beside the conversation came first in it. Calls of functions and what they returned are kept with
their roles; who is neither person nor model by role has a name of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import SPEAKERS, as_id, first_text, role_of

ROLES = {"bing": "assistant", "bard": "assistant", "function_call": "assistant", "observation": "tool"}
"""What only this format calls a role, to what it is."""


def matches(content: Content) -> bool:
    """Whether one of the first records is a conversation of this form."""
    return any(_is_conversation(value) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per record."""
    for record in content.records():
        if _is_conversation(record.value):
            yield _conversation(content, record.value, record.where)
        else:
            content.skip(record.where, "not a ShareGPT conversation: it has no `conversations` of turns")


def _is_conversation(value: Any) -> bool:
    turns = value.get("conversations") if isinstance(value, dict) else None
    return isinstance(turns, list) and any(
        isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns
    )


def _conversation(content: Content, value: dict[str, Any], where: str) -> ConversationDraft:
    place = where or as_id(value.get("id"))
    turns: list[MessageDraft] = []
    if system := first_text(value, "system"):
        turns.append(
            MessageDraft(SPEAKERS["system"], "system", system, f"{place}, system".removeprefix(", "))
        )
    for number, said in enumerate(value["conversations"], 1):
        if turn := _turn(content, said, f"{place}, turn {number}".removeprefix(", ")):
            turns.append(turn)
    return ConversationDraft([SessionDraft(turns)], as_id(value.get("id")), first_text(value, "title"))


def _turn(content: Content, said: Any, where: str) -> MessageDraft | None:
    """The turn, or None (reported) when it is none or says nothing."""
    if not isinstance(said, dict) or not (speaker := first_text(said, "from")):
        content.skip_record(where, said, "not a turn: it needs `from` and `value`")
        return None
    if not (text := first_text(said, "value")):
        content.skip(where, "a turn without text")
        return None
    role = ROLES.get(speaker.strip().lower()) or role_of(speaker)
    return MessageDraft(SPEAKERS.get(role, speaker), role, text, where)
