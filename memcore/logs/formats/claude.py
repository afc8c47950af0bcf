"""Claude.ai data export: `conversations.json` alone or in its ZIP, and JSON Lines of such conversations.

A conversation lists its messages in `chat_messages`. Newer exports give each one its parent, so that edits
show as branches: read is the one that ends in `current_leaf_message_uuid`, else in the newest message, or
the one a person chose. Text is read; the model's thinking, its use of tools, images and documents were not
said. Long text that was pasted is kept by Claude.ai as an attachment without a name of its own, and was.
Whose account it is stands in `users.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memcore.logs.branches import MessageTree, newest_leaf
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions
from memcore.logs.fields import text_of, time_of
from memcore.logs.roles import SPEAKERS, first_text, role_of
from memcore.logs.times import parse_time

ROOT = "00000000-0000-"
"""How the id begins that Claude.ai names as the parent of a first message."""

USERS = "users.json"

PASTED = ("", "paste.txt")
"""What Claude.ai calls a file it made of pasted text."""


def matches(content: Content) -> bool:
    """Whether one of the first records has `chat_messages`."""
    return any(_is_conversation(value) for value in content.head)


def read(content: Content, options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per record."""
    for tree in trees(content):
        if draft := tree.draft(content, options):
            yield draft


def trees(content: Content) -> Iterator[MessageTree]:
    """The conversations with all their branches."""
    names: dict[str, str] | None = None
    for record in content.records():
        if _is_conversation(record.value):
            names = _account_names(content) if names is None else names
            account = record.value.get("account")
            name = names.get(first_text(account, "uuid"), "") if isinstance(account, dict) else ""
            yield replace(_tree(content, record.value, record.where), user_name=name)
        else:
            content.skip(record.where, "not a Claude.ai conversation: it has no list of `chat_messages`")


def _is_conversation(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def _tree(content: Content, value: dict[str, Any], where: str) -> MessageTree:
    native_id, title = first_text(value, "uuid"), first_text(value, "name")
    place = f"{title or native_id or where}, message".removeprefix(", ")
    records: dict[str, tuple[str, dict[str, Any]]] = {}
    for number, record in enumerate(value["chat_messages"], 1):
        spot = f"{place} {number}"
        if not isinstance(record, dict) or not first_text(record, "sender"):
            content.skip_record(spot, record, "not a message: it needs a `sender` and a `text`")
        elif (uuid := first_text(record, "uuid") or f"#{number}") not in records:
            records[uuid] = (spot, record)
    parents = _parents(content, records)
    current = first_text(value, "current_leaf_message_uuid")
    if current not in records:
        times = {uuid: parse_time(record.get("created_at")) for uuid, (_spot, record) in records.items()}
        current = newest_leaf(parents, times) or ""

    def turn(uuid: str) -> MessageDraft | None:
        spot, record = records[uuid]
        return _turn(content, record, spot)

    started_at = parse_time(value.get("created_at"))
    return MessageTree(native_id, title, where, started_at, parents, current or None, turn)


def _account_names(content: Content) -> dict[str, str]:
    """The first name of each account of the export, by its id."""
    users = (record.value for file in content.neighbours(USERS) for record in file.records())
    return {
        first_text(user, "uuid"): names[0]
        for user in users
        if isinstance(user, dict) and (names := first_text(user, "full_name").split())
    }


def _parents(content: Content, records: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, str | None]:
    """Each message's parent. Where none is stated, or it is lost, the message before it in the list."""
    parents: dict[str, str | None] = {}
    before: str | None = None
    for uuid, (spot, record) in records.items():
        stated = first_text(record, "parent_message_uuid")
        if stated.startswith(ROOT):
            parents[uuid] = None
        elif stated in records:
            parents[uuid] = stated
        else:
            if stated:
                content.skip(spot, "the message it answers is missing; it is read after the one before it")
            parents[uuid] = before
        before = uuid
    return parents


def _turn(content: Content, record: dict[str, Any], where: str) -> MessageDraft | None:
    """The message as a turn; None when it says nothing (reported, unless only tools were at work)."""
    sender = first_text(record, "sender")
    role = role_of(sender)
    text = _text(record)
    if not text.strip():
        if role == "user" or not record.get("content"):
            content.skip(where, "a message without text (an image or another file)")
        return None
    said_at = time_of(content, record, where)
    return MessageDraft(
        SPEAKERS.get(role, sender), role, text, where, said_at, native_id=first_text(record, "uuid")
    )


def _text(record: dict[str, Any]) -> str:
    """The text blocks, else the whole text (which also has placeholders for what cannot be shown), and
    what was pasted."""
    said = text_of(record.get("content"))
    attached = record.get("attachments")
    pasted = (
        first_text(file, "extracted_content")
        for file in (attached if isinstance(attached, list) else ())
        if isinstance(file, dict) and file.get("file_name", "") in PASTED
    )
    own = said if said.strip() else ("" if record.get("content") else first_text(record, "text"))
    return "\n".join(text for text in (own, *pasted) if text.strip())
