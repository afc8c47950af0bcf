"""Who speaks: the roles of assistant logs; and how untrusted fields are read and shown.

A role is one of user, assistant, system, tool, or person (someone with a name of their own).
"""

from __future__ import annotations

from typing import Any

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "claude": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
"""What logs call a role, in lower case, to what it is."""

SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}
"""How someone is named who has only a role."""


def role_of(name: str) -> str:
    """The role a speaker's name or a log's role stands for; `person` for a name of one's own."""
    return ROLES.get(name.strip().lower(), "person")


def first_text(record: dict[str, Any], *keys: str) -> str:
    """The first of these members that is a non-empty string, else an empty string."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def as_id(value: object) -> str:
    """A log's own id as text; empty when it is neither text nor a whole number."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def shown(value: object) -> str:
    """A value for a message to a person: short, whatever it is."""
    return repr(value)[:60] if isinstance(value, str | int | float) else f"a {type(value).__name__}"
