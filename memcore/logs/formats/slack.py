"""Slack export: the ZIP of a workspace, a folder for each channel and in it a file for each day.

All day files of a channel are one conversation, its messages in order of time, replies in threads among
them; names come from `users.json`, the channel's id from `channels.json` and its like. Mentions, links and
entities are written out as Slack shows them, mentions by name and without their sign. What Slack itself or
an integration posts (joins, renamed topics, `bot_message`s) was not said and is left out; an app that
answers as a user is an assistant. Files have no text: what stands beside them is kept. Times are Unix
epochs. A day file read alone knows only the names that its messages carry.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import first_text
from memcore.logs.times import parse_time

SAID = frozenset(("", "me_message", "thread_broadcast", "file_share", "file_comment"))
"""Subtypes of messages that a member wrote; all others are events or come from an integration."""

DAY_FILES = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].json"
USERS = ("users.json", "org_users.json")
CHANNELS = ("channels.json", "groups.json", "dms.json", "mpims.json")
NO_MESSAGES = ("integration_logs.json", "canvases.json", "lists.json", "file_conversations.json")
"""Files of an export that hold no messages and need no report."""

_STAMP = re.compile(r"\d{9,11}\.\d{1,6}", re.ASCII)
_MARKUP = re.compile(r"<(?P<target>[^<>|\s]+)(?:\|(?P<label>[^<>\n]*))?>")


@dataclass(slots=True)
class _Workspace:
    """Members' names and channels' ids, as far as the export tells them."""

    names: dict[str, str] = field(default_factory=dict)
    bots: set[str] = field(default_factory=set)
    channels: dict[str, str] = field(default_factory=dict)


def matches(content: Content) -> bool:
    """Whether one of the first records, or of the messages in one, is a Slack message."""
    return any(_is_message(value) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation: the channel whose day file this is."""
    folders = PurePosixPath(content.name).parts[:-1]  # the first of them is the archive
    days = [content]
    workspace = _Workspace()
    if folders:
        days += content.neighbours("/".join((*map(glob.escape, folders[1:]), DAY_FILES)))
        workspace = _workspace(content)
    channel = folders[-1] if len(folders) > 1 else ""
    turns: list[tuple[str, MessageDraft]] = []
    for day in sorted(days, key=lambda day: day.name):
        turns += _day(day, workspace)
        if day is not content:
            content.skipped.extend(day.skipped)
    turns.sort(key=lambda stamped: float(stamped[0]))
    said = [turn for _stamp, turn in turns]
    session = SessionDraft(said, native_id=said[0].native_id if said else "")
    yield ConversationDraft(
        [session],
        native_id=workspace.channels.get(channel, ""),
        title=f"#{channel}" if channel else "",
        split_at_gaps=True,
    )


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") == "message"
        and isinstance(stamp := value.get("ts"), str)
        and _STAMP.fullmatch(stamp) is not None
    )


def _workspace(content: Content) -> _Workspace:
    """What the files beside the channels say. Their damage is reported; a name may then stay an id."""
    found = _Workspace()
    for user in _objects(content, USERS):
        if user_id := first_text(user, "id"):
            found.names[user_id] = _name(user)
            if user.get("is_bot") is True:
                found.bots.add(user_id)
    for channel in _objects(content, CHANNELS):
        if channel_id := first_text(channel, "id"):
            found.channels[first_text(channel, "name") or channel_id] = channel_id
    for pattern in NO_MESSAGES:
        list(content.neighbours(pattern))
    return found


def _objects(content: Content, patterns: Iterable[str]) -> Iterator[dict[str, Any]]:
    for pattern in patterns:
        for file in content.neighbours(pattern):
            yield from (record.value for record in file.records() if isinstance(record.value, dict))
            content.skipped.extend(file.skipped)


def _name(user: dict[str, Any]) -> str:
    """How someone is called: their full name rather than their handle."""
    profile = user.get("profile")
    in_profile = first_text(profile, "real_name", "display_name") if isinstance(profile, dict) else ""
    return in_profile or first_text(user, "real_name", "name")


def _day(day: Content, workspace: _Workspace) -> Iterator[tuple[str, MessageDraft]]:
    """The messages of one day file, each with its time stamp."""
    without_text: list[str] = []
    for record in day.records():
        message, where = record.value, record.where
        if not _is_message(message):
            day.skip_record(where, message, "not a Slack message: it needs a `ts` and the type `message`")
            continue
        if first_text(message, "subtype") not in SAID:
            continue
        speaker_id = first_text(message, "user")
        speaker = workspace.names.get(speaker_id) or _own_name(message) or speaker_id
        text = plain(first_text(message, "text"), workspace.names)
        if not text.strip():
            without_text.append(where)
        elif not speaker:
            day.skip(where, "a message without an author")
        else:
            stamp: str = message["ts"]
            is_bot = speaker_id in workspace.bots or bool(first_text(message, "bot_id"))
            role = "assistant" if is_bot else "person"
            yield (
                stamp,
                MessageDraft(speaker, role, text, where, parse_time(stamp), native_id=stamp, file=day.name),
            )
    day.skip_together(without_text, "without text (a file)")


def _own_name(message: dict[str, Any]) -> str:
    """The name a message carries of whoever wrote it."""
    profile = message.get("user_profile")
    named = first_text(profile, "real_name", "display_name", "name") if isinstance(profile, dict) else ""
    return named or first_text(message, "username")


def plain(text: str, names: Mapping[str, str]) -> str:
    """Slack's markup as it is shown: mentions by name, links by their text, entities as characters.

    >>> plain("<@U1> &amp; <!here>: see <https://a.org|the plan> in <#C2|garden>", {"U1": "Nora"})
    'Nora & @here: see the plan (https://a.org) in #garden'
    """
    shown = _MARKUP.sub(lambda found: _shown(found["target"], found["label"] or "", names), text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _shown(target: str, label: str, names: Mapping[str, str]) -> str:
    kind, rest = target[0], target[1:]
    if kind == "@":
        return names.get(rest) or label.removeprefix("@") or target
    if kind == "#":
        return f"#{label or rest}"
    if kind == "!":
        return label or f"@{rest}"
    address = target.removeprefix("mailto:")
    return f"{label} ({address})" if label and label != address else address
