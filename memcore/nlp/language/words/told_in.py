"""In which conversation something was told: a note behind the words told, and no part of what they say.

Extraction writes it where the words alone do not say of what they tell; rules that compare statements read
them without it, since the same is told in conversations about many things.
"""

from __future__ import annotations

import re

_NOTE = re.compile(r"\(In a conversation about [^()]*\.\)$")
_ALSO = ", and about "


def in_conversation(text: str, *matters: str) -> str:
    """What was told, with what its conversation is about (no brackets in it), by each sentence that says it.

    >>> in_conversation("Ada's budget is $90.", "a trip to Oslo", "hotels")
    "Ada's budget is $90. (In a conversation about a trip to Oslo, and about hotels.)"
    """
    return f"{text} (In a conversation about {_ALSO.join(matters)}.)"


def sentences_of_note(text: str) -> int:
    """How many sentences say what the note tells: the last ones of those that a memory cites.

    >>> sentences_of_note("Ada's budget is $90. (In a conversation about a trip to Oslo, and about hotels.)")
    2
    """
    note = note_of(text)
    return 1 + note.count(_ALSO) if note else 0


def note_of(text: str) -> str:
    """The note behind what was told; empty where there is none.

    >>> note_of("Ada's budget is $90. (In a conversation about a trip to Oslo.)")
    '(In a conversation about a trip to Oslo.)'
    """
    found = _NOTE.search(text)
    return found.group() if found is not None else ""


def without_note(text: str) -> str:
    """What was told, without the note behind it.

    >>> without_note("Ada's budget is $90. (In a conversation about a trip to Oslo.)")
    "Ada's budget is $90."
    """
    found = _NOTE.search(text)
    return text[: found.start()].rstrip() if found is not None else text
