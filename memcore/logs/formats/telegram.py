"""Telegram export (`result.json`): one chat, or all of them in `chats.list` and `left_chats.list`.

A message's `text` is a string or a list of strings and entities (links, mentions, bold): their texts are
joined. Service messages (joins, calls, pinned messages) were not said and are left out. Photos, voice and
stickers have no text: captions are kept. Times are the wall clock of whoever exported (`date`); where that
is missing, `date_unixtime` in UTC. A chat's and its messages' own ids make their ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import as_id, first_text
from memcore.logs.times import parse_time

KINDS = frozenset(("message", "service"))
CHAT_LISTS = ("chats", "left_chats")
DELETED = "Deleted account"
"""How Telegram shows someone whose account is no more."""


def matches(content: Content) -> bool:
    """Whether the document is a chat or a full export."""
    return any(_is_chat(value) or any(_is_chat(chat) for _, chat in _listed(value)) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per chat."""
    for record in content.records():
        if _is_chat(record.value):
            yield _conversation(content, record.value, record.where)
            continue
        chats = list(_listed(record.value))
        for where, chat in chats:
            if _is_chat(chat):
                yield _conversation(content, chat, where)
            elif not (isinstance(chat, dict) and chat.get("messages") == []):
                content.skip_record(where, chat, "not a Telegram chat: it has no `messages`")
        if not chats:
            content.skip(record.where, "neither a Telegram chat (`messages`) nor an export (`chats.list`)")


def _listed(value: Any) -> Iterator[tuple[str, Any]]:
    """The chats of a full export, with their places."""
    for name in CHAT_LISTS:
        part = value.get(name) if isinstance(value, dict) else None
        listed = part.get("list") if isinstance(part, dict) else None
        for number, chat in enumerate(listed if isinstance(listed, list) else (), 1):
            yield f"{name} {number}", chat


def _is_chat(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else None
    return isinstance(messages, list) and any(_is_telegram(message) for message in messages)


def _is_telegram(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and first_text(message, "type") in KINDS
        and ("date" in message or "date_unixtime" in message)
    )


def _conversation(content: Content, chat: dict[str, Any], where: str) -> ConversationDraft:
    title = first_text(chat, "name")
    place = f"{title or where}, message".removeprefix(", ")
    without_text: list[str] = []
    turns: list[MessageDraft] = []
    for number, message in enumerate(chat["messages"], 1):
        message_id = as_id(message.get("id")) if isinstance(message, dict) else ""
        at = f"{place} {message_id or f'number {number}'}"
        if not _is_telegram(message):
            content.skip_record(at, message, "not a Telegram message: it needs a `type` and a `date`")
        elif message["type"] == "message" and (turn := _turn(content, message, at, without_text)):
            turns.append(turn)
    content.skip_together(without_text, "without text (a photo, a voice message or another file)")
    session = SessionDraft(turns, native_id=turns[0].native_id if turns else "")
    return ConversationDraft([session], as_id(chat.get("id")), title, split_at_gaps=True)


def _turn(
    content: Content, message: dict[str, Any], where: str, without_text: list[str]
) -> MessageDraft | None:
    text = "".join(_pieces(message.get("text")))
    if not text.strip():
        without_text.append(where)
        return None
    said_at = parse_time(message.get("date")) or parse_time(message.get("date_unixtime"))
    if said_at is None:
        content.skip(where, "its `date` cannot be read; the message is kept without it")
    speaker = first_text(message, "from") or DELETED
    return MessageDraft(speaker, "person", text, where, said_at, native_id=as_id(message.get("id")))


def _pieces(text: Any) -> Iterator[str]:
    """The texts of which a message is made, formatted or not."""
    for piece in text if isinstance(text, list) else [text]:
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece, dict):
            yield first_text(piece, "text")
