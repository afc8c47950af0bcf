"""What the records of several formats have in common: a message's text, in parts or whole, and its time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memcore.logs.drafts import Content
from memcore.logs.roles import first_text, shown
from memcore.logs.times import parse_time

TIME_FIELDS = ("timestamp", "created_at", "create_time", "created", "time", "date")
"""The usual names of a time, the likeliest first."""


def text_of(body: object) -> str:
    """A message's text: the text itself, or of a list of parts those that are text, joined by line feeds.
    Images, calls of tools and other parts have none.

    >>> text_of(["See:", {"type": "image_url"}, {"type": "text", "text": "a cat"}])
    'See:\\na cat'
    """
    if isinstance(body, str):
        return body
    if not isinstance(body, list):
        return ""
    texts = (part if isinstance(part, str) else _part_text(part) for part in body)
    return "\n".join(text for text in texts if text)


def _part_text(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    if isinstance(text, dict):
        text = text.get("value")
    return text if isinstance(text, str) else first_text(part, "refusal")


def time_of(content: Content, record: dict[str, Any], where: str) -> datetime | None:
    """The first stated time that can be read; one that cannot is reported."""
    stated = [record[field] for field in TIME_FIELDS if record.get(field) is not None]
    read = next((time for value in stated if (time := parse_time(value))), None)
    if stated and read is None:
        content.skip(where, f"the time {shown(stated[0])} cannot be read; the message is kept without it")
    return read
