"""ChatGPT data export: `conversations.json` (newer exports: `conversations-NNN.json`), alone or in its ZIP.

A conversation is a tree of messages, with a branch for each edit. Read is the branch that ends in
`current_node`, or in the message a person chose, from there to the root. Messages of weight 0, hidden ones,
the model's reasoning and the standing user context were not said in the conversation and are left out; from
that context comes what the user is called.
Images and other files have no text: what stands beside them is kept. Times are Unix epochs.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, TypeGuard

from memcore.logs.branches import MessageTree, newest_leaf, parents_of
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions
from memcore.logs.fields import text_of
from memcore.logs.introductions import stated_name
from memcore.logs.roles import SPEAKERS, first_text, role_of
from memcore.logs.times import parse_time

NOT_SAID = frozenset(
    ("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "system_error")
)
"""Content types that are no part of what was said."""


def matches(content: Content) -> bool:
    """Whether one of the first records has a mapping of message nodes."""
    return any(_is_conversation(value) for value in content.head)


def read(content: Content, options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per record."""
    for tree in trees(content):
        if draft := tree.draft(content, options):
            yield draft


def trees(content: Content) -> Iterator[MessageTree]:
    """The conversations with all their branches."""
    standing: list[str] = []
    for record in content.records():
        if _is_conversation(record.value):
            yield _tree(content, record.value, record.where, standing)
        else:
            content.skip(record.where, "not a ChatGPT conversation: it has no `mapping` of messages")
    content.skip_together(standing, "standing custom instructions, which were not said in the conversation")


def _is_conversation(value: Any) -> bool:
    mapping = value.get("mapping") if isinstance(value, dict) else None
    return isinstance(mapping, dict) and any(
        isinstance(node, dict) and "message" in node for node in mapping.values()
    )


def _tree(content: Content, value: dict[str, Any], where: str, standing: list[str]) -> MessageTree:
    nodes: dict[str, Any] = value["mapping"]
    native_id, title = first_text(value, "conversation_id", "id"), first_text(value, "title")
    place = title or native_id or where
    parents = parents_of(nodes, "parent", "children")
    current = value.get("current_node")
    if not isinstance(current, str) or current not in parents:
        current = newest_leaf(parents, _times(nodes))
        content.skip(place, "`current_node` is missing; read is the branch that ends in its newest message")

    def turn(node: str) -> MessageDraft | None:
        record, spot = nodes.get(node), f"{place}, message {node}".strip(", ")
        if isinstance(record, dict) and ("message" in record or parents.get(node) is None):
            message = record.get("message")
            if _is_standing(message) and spot not in standing:
                standing.append(spot)
            return _turn(content, node, message, spot)
        content.skip_record(spot, record, "its record is damaged or missing")
        return None

    begun = parse_time(value.get("create_time"))
    return MessageTree(native_id, title, where, begun, parents, current, turn, _user_name(nodes))


def _times(nodes: dict[str, Any]) -> dict[str, datetime | None]:
    """When each message was written."""
    messages = {key: node.get("message") for key, node in nodes.items() if isinstance(node, dict)}
    return {
        key: parse_time(message.get("create_time")) if isinstance(message, dict) else None
        for key, message in messages.items()
        if message
    }


def _turn(content: Content, node: str, message: Any, where: str) -> MessageDraft | None:
    """The message as a turn; None when it was not said, or (reported) has no text or author."""
    if not isinstance(message, dict):
        if message is not None:
            content.skip_record(where, message, "not a message: it needs an `author` and a `content`")
        return None
    if message.get("weight") == 0:
        return None
    metadata, body, author = message.get("metadata"), message.get("content"), message.get("author")
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True:
        return None
    if not isinstance(author, dict) or not (role := first_text(author, "role")):
        content.skip_record(where, author, "a message without an author")
        return None
    if isinstance(body, dict) and first_text(body, "content_type") in NOT_SAID:
        return None
    text = _text(body)
    known = role_of(role)
    if not text.strip():
        if known in ("user", "assistant") and _has_parts(body):
            content.skip_record(where, body, "a message without text (an image or another file)")
        return None
    recipient = first_text(message, "recipient")
    if known == "assistant" and recipient not in ("", "all"):
        known = "tool"
    speaker = first_text(author, "name") or SPEAKERS.get(known, role)
    return MessageDraft(speaker, known, text, where, parse_time(message.get("create_time")), native_id=node)


def _is_standing(message: Any) -> TypeGuard[dict[str, Any]]:
    body = message.get("content") if isinstance(message, dict) else None
    return isinstance(body, dict) and first_text(body, "content_type") == "user_editable_context"


def _user_name(nodes: dict[str, Any]) -> str:
    """What the person is called in the custom instructions, which stand in every conversation."""
    for node in nodes.values():
        message = node.get("message") if isinstance(node, dict) else None
        profile = first_text(message["content"], "user_profile") if _is_standing(message) else ""
        if name := stated_name(profile):
            return name
    return ""


def _has_parts(body: Any) -> bool:
    """Whether it says something that is not text, or (damaged) what it says is not where it belongs."""
    if not isinstance(body, dict) or (first_text(body, "content_type") == "text" and "parts" not in body):
        return True
    parts = body.get("parts")
    return isinstance(parts, list) and any(part != "" for part in parts)


def _text(body: Any) -> str:
    """The text parts, joined by line feeds; for code and tool output, the text itself."""
    if not isinstance(body, dict):
        return ""
    parts = body.get("parts")
    return text_of(parts) if isinstance(parts, list) else first_text(body, "text", "result")
