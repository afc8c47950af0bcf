"""ChatGPT data export: `conversations.json` (newer exports: `conversations-NNN.json`), alone or in its ZIP.

A conversation is a tree of messages, with a branch for each edit. Read is the branch that ends in
`current_node`, from there to the root. Messages of weight 0, hidden ones, the model's reasoning and the
standing user context were not said in the conversation and are left out. Images and other files have no
text: what stands beside them is kept. Times are Unix epochs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, ReadOptions, SessionDraft, Turn
from memcore.logs.roles import SPEAKERS, first_text, role_of
from memcore.logs.times import parse_time

NOT_SAID = frozenset(
    ("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "system_error")
)
"""Content types that are no part of what was said."""


def matches(content: Content) -> bool:
    """Whether one of the first records has a mapping of message nodes."""
    return any(_is_conversation(value) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per record."""
    for record in content.records():
        if _is_conversation(record.value):
            yield _conversation(content, record.value, record.where)
        else:
            content.skip(record.where, "not a ChatGPT conversation: it has no `mapping` of messages")


def _is_conversation(value: Any) -> bool:
    mapping = value.get("mapping") if isinstance(value, dict) else None
    return isinstance(mapping, dict) and any(
        isinstance(node, dict) and "message" in node for node in mapping.values()
    )


def _conversation(content: Content, value: dict[str, Any], where: str) -> ConversationDraft:
    native_id = first_text(value, "conversation_id", "id")
    title = first_text(value, "title")
    place = f"{title or native_id or where}, message".strip()
    turns: list[Turn] = []
    for node_id in _branch(content, value, title or native_id or where):
        if turn := _turn(content, value["mapping"][node_id].get("message"), f"{place} {node_id}"):
            turns.append(turn)
    session = SessionDraft(turns, parse_time(value.get("create_time")))
    return ConversationDraft([session], native_id, title, split_at_gaps=True)


def _branch(content: Content, value: dict[str, Any], where: str) -> list[str]:
    """The ids of the current branch's nodes, first message first."""
    mapping: dict[str, Any] = value["mapping"]
    node_id = value.get("current_node")
    if not isinstance(node_id, str) or node_id not in mapping:
        node_id = _newest_leaf(mapping)
        content.skip(where, "`current_node` is missing; read is the branch that ends in its newest message")
    branch: list[str] = []
    visited: set[str] = set()
    while isinstance(node_id, str):
        node = mapping.get(node_id)
        if node_id in visited or not isinstance(node, dict):
            fault = "runs in a circle" if node_id in visited else "is broken"
            content.skip(f"{where}, message {node_id}", f"the chain of parents {fault}; read from here on")
            break
        visited.add(node_id)
        branch.append(node_id)
        node_id = node.get("parent")
    return branch[::-1]


def _newest_leaf(mapping: dict[str, Any]) -> str | None:
    """The last message nobody answered; when there is none (all in a circle), the newest."""
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict) and node.get("message")}
    parents = {node["parent"] for node in nodes.values() if isinstance(node.get("parent"), str)}
    leaves = [key for key in nodes if key not in parents] or list(nodes)
    return max(leaves, key=lambda key: _created(nodes[key]), default=None)


def _created(node: dict[str, Any]) -> float:
    time = parse_time(node["message"].get("create_time")) if isinstance(node["message"], dict) else None
    return time.timestamp() if time else 0.0


def _turn(content: Content, message: Any, where: str) -> Turn | None:
    """The message as a turn; None when it was not said, or (reported) has no text or author."""
    if not isinstance(message, dict) or message.get("weight") == 0:
        return None
    metadata, body, author = message.get("metadata"), message.get("content"), message.get("author")
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True:
        return None
    if not isinstance(author, dict) or not (role := first_text(author, "role")):
        content.skip(where, "a message without an author")
        return None
    if isinstance(body, dict) and first_text(body, "content_type") in NOT_SAID:
        return None
    text = _text(body)
    known = role_of(role)
    if not text.strip():
        if known in ("user", "assistant") and _has_parts(body):
            content.skip(where, "a message without text (an image or another file)")
        return None
    recipient = first_text(message, "recipient")
    if known == "assistant" and recipient not in ("", "all"):
        known = "tool"
    speaker = first_text(author, "name") or SPEAKERS.get(known, role)
    return Turn(speaker, known, text, where, parse_time(message.get("create_time")))


def _has_parts(body: Any) -> bool:
    parts = body.get("parts") if isinstance(body, dict) else None
    return not isinstance(body, dict) or (isinstance(parts, list) and any(part != "" for part in parts))


def _text(body: Any) -> str:
    """The text parts, joined by line feeds; for code and tool output, the text itself."""
    if not isinstance(body, dict):
        return ""
    parts = body.get("parts")
    if not isinstance(parts, list):
        return first_text(body, "text", "result")
    texts = (part if isinstance(part, str) else _part_text(part) for part in parts)
    return "\n".join(text for text in texts if text)


def _part_text(part: Any) -> str:
    return first_text(part, "text") if isinstance(part, dict) else ""
