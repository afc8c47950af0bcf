"""By which name a log calls the person whom its format only calls the user.

Said by the format itself (an account, custom instructions), or by the person: "my name is Lena", "please call
me Lena". Not taken from what plays a role or was written for somebody else, and not where several names are
said: a wrong name is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memcore.domain.models import Message
from memcore.logs.roles import SPEAKERS

LONGEST = 600
"""Characters of a message in which a person says who they are; what is longer is pasted as a rule."""

_NAME = r"(?P<name>[A-Z][^\W\d_]+(?:[-'’][A-Z]?[^\W\d_]+)?)"
_SAID = re.compile(
    rf"(?:^|[.!?\n]\s*|[,;:]\s+|\band\s+|\b(?:hi|hey|hello)\b[,!.]?\s+)"
    rf"(?i:my (?:first )?name is|my name's|(?:please |you can |just )?call me)\s+{_NAME}(?=[\s,.;!?)]|$)"
)
_STATED = re.compile(rf"(?im:^\W*(?:preferred name|first name|name)\s*[:=]\s*){_NAME}")
_PLAYED = re.compile(
    r"(?i)\b(?:role-?play\w*|pretend\w*|act as|play(?:ing)? the|character|imagine|story|novel|fiction|"
    r"script|dialogue|write|rewrite|draft|letter|e-?mail|essay|poem|translate|proofread|example|game|"
    r"you are|you're|your name)\b"
)


def stated_name(text: str) -> str:
    """The name in a description of oneself, such as custom instructions; empty where there is none.

    >>> stated_name("Preferred name: Lena\\nRole: nurse")
    'Lena'
    """
    found = {match["name"] for match in (*_STATED.finditer(text), *_SAID.finditer(text))}
    return found.pop() if len(found) == 1 else ""


def introduced(messages: Iterable[Message]) -> str:
    """The name that the user of an assistant's log says is theirs; empty where none or several are said."""
    found: set[str] = set()
    for message in messages:
        if message.role == "user" and len(message.text) <= LONGEST:
            said = {match["name"] for match in _SAID.finditer(message.text)}
            if said and not _PLAYED.search(message.text):
                found |= said
    return found.pop() if len(found) == 1 else ""


def called(messages: Sequence[Message], stated: str) -> list[Message]:
    """The messages, those of a nameless user under the name that is `stated` or that they say. Ids stay: they
    depend on what the log itself calls its speakers, so that a log in which the name comes later adds only
    what is new."""
    nameless = SPEAKERS["user"]
    if not any(message.role == "user" and message.speaker == nameless for message in messages):
        return list(messages)
    name = stated or introduced(messages)
    taken = {message.speaker.casefold() for message in messages}
    if not name or name.casefold() in taken:
        return list(messages)
    return [
        replace(message, speaker=name) if message.role == "user" and message.speaker == nameless else message
        for message in messages
    ]
