"""Open WebUI chat export: a JSON array of chats, or one chat.

A chat is a tree of messages in `history.messages`, with a branch for each edit, each new answer and each
model that was asked at once. Read is the branch that ends in `history.currentId`, or in the message a person
chose. The model's reasoning, which stands in its answers as folded details, was not said and is left out.
Times are epochs, of messages in seconds, elsewhere in milliseconds too.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memcore.logs.branches import MessageTree, newest_leaf, parents_of
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions
from memcore.logs.fields import text_of, time_of
from memcore.logs.roles import SPEAKERS, first_text, role_of
from memcore.logs.times import parse_time

_REASONING, _END = '<details type="reasoning"', "</details>"


def matches(content: Content) -> bool:
    """Whether one of the first records is a chat with a history of messages."""
    return any(_messages(_chat(value)) is not None for value in content.head)


def read(content: Content, options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per chat."""
    for tree in trees(content):
        if draft := tree.draft(content, options):
            yield draft


def trees(content: Content) -> Iterator[MessageTree]:
    """The chats with all their branches."""
    for record in content.records():
        chat = _chat(record.value)
        if (nodes := _messages(chat)) is not None:
            yield _tree(content, record.value, chat, nodes, record.where)
        else:
            content.skip(record.where, "not an Open WebUI chat: it has no `history` of messages")


def _chat(value: Any) -> dict[str, Any]:
    """A chat as it is stored, or within the record that an export wraps around it."""
    if not isinstance(value, dict):
        return {}
    inner = value.get("chat")
    return inner if isinstance(inner, dict) else value


def _messages(chat: dict[str, Any]) -> dict[str, Any] | None:
    history = chat.get("history")
    messages = history.get("messages") if isinstance(history, dict) else None
    return messages if isinstance(messages, dict) else None


def _tree(
    content: Content, value: dict[str, Any], chat: dict[str, Any], nodes: dict[str, Any], where: str
) -> MessageTree:
    native_id = first_text(value, "id") or first_text(chat, "id")
    title = first_text(chat, "title") or first_text(value, "title")
    place = title or native_id or where
    parents = parents_of(nodes, "parentId", "childrenIds")
    current = chat["history"].get("currentId")
    if not isinstance(current, str) or current not in parents:
        current = newest_leaf(parents, _times(nodes))
        content.skip(place, "`currentId` is missing; read is the branch that ends in its newest message")

    def turn(node: str) -> MessageDraft | None:
        return _turn(content, node, nodes.get(node), f"{place}, message {node}".removeprefix(", "))

    started_at = parse_time(value.get("created_at")) or parse_time(chat.get("timestamp"))
    return MessageTree(native_id, title, where, started_at, parents, current, turn)


def _times(nodes: dict[str, Any]) -> dict[str, datetime | None]:
    """When each message was written."""
    return {key: parse_time(node.get("timestamp")) for key, node in nodes.items() if isinstance(node, dict)}


def _turn(content: Content, node: str, message: Any, where: str) -> MessageDraft | None:
    """The message as a turn; None (reported) when its record is damaged or says nothing."""
    if not isinstance(message, dict) or not (role := first_text(message, "role")):
        content.skip_record(where, message, "its record is damaged or missing")
        return None
    text = _without_reasoning(text_of(message.get("content")))
    if not text.strip():
        content.skip(where, "a message without text")
        return None
    known = role_of(role)
    said_at = time_of(content, message, where)
    return MessageDraft(SPEAKERS.get(known, role), known, text, where, said_at, native_id=node)


def _without_reasoning(text: str) -> str:
    """The text without its folded reasoning; a fold that is never closed is text like any other."""
    kept: list[str] = []
    at = 0
    while (start := text.find(_REASONING, at)) >= 0 and (end := text.find(_END, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(_END)
    return "".join((*kept, text[at:])).lstrip("\n") if kept else text
