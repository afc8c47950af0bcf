"""Who speaks to whom: full names for nicknames, and the person that "you" means.

It knows only the conversation's participants; it does not guess who else is present.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from memcore.domain.models import Message

ASSISTANT_ROLES = frozenset({"assistant", "system", "tool", "model", "bot"})


@dataclass(frozen=True, slots=True)
class Turn:
    """The speaker of a message, the one person addressed (None: not known), all participants, and
    whether a program is addressed (its "you" is nearly always anyone)."""

    speaker: str
    addressee: str | None
    participants: tuple[str, ...]
    to_assistant: bool = False

    def called(self, word: str) -> str | None:
        """The participant that `word` names: the name itself, its first part, or a short form."""
        return called(word, self.participants)


def called(word: str, participants: Iterable[str]) -> str | None:
    """The only participant `word` can name, or None.

    >>> called("Mel", ("Melanie", "Caroline")), called("Jo", ("Joanna", "John"))
    ('Melanie', None)
    """
    if len(word) < 2 or not word[0].isupper():
        return None
    low = word.lower()
    exact = [name for name in participants if low in {name.lower(), name.split()[0].lower() if name else ""}]
    if exact:
        return exact[0] if len(set(exact)) == 1 else None
    stems = {low}
    if re.search(r"(ie|y|ey)$", low) and len(low) > 4:
        stems.add(re.sub(r"(ie|ey|y)$", "", low))
    short = {
        name
        for name in participants
        for stem in stems
        if len(stem) >= 2
        and name.lower().startswith(stem)
        and len(name) > len(stem)
        and not name.lower().startswith(stem + " ")
    }
    return short.pop() if len(short) == 1 else None


def turn(
    message: Message, before: Sequence[Message], people: Sequence[str], assistants: Collection[str]
) -> Turn:
    """Who says `message` to whom. With two people, the other one; with more, the one named in
    address or, failing that, nobody: a wrong name is worse than none. `assistants` are those of the
    `people` that are programs."""
    participants = tuple(dict.fromkeys((*people, message.speaker)))
    others = [name for name in participants if name != message.speaker]
    if len(others) == 1:
        return Turn(message.speaker, others[0], participants, others[0] in assistants)
    if message.speaker in assistants:
        named = [m.speaker for m in reversed(before) if m.speaker not in assistants]
        return Turn(message.speaker, named[0] if named else None, participants)
    vocatives = {
        name
        for match in re.finditer(
            r"(?:^|[,!.?]\s|\b(?:[Hh]ey|[Hh]i|[Tt]hanks)\s)([A-Z]\w+)(?=[,!.?]|$)", message.text
        )
        if (name := called(match.group(1), others))
    }
    addressee = vocatives.pop() if len(vocatives) == 1 else None
    return Turn(message.speaker, addressee, participants, addressee in assistants)
