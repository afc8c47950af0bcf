"""What a request tells in passing: "tips for my new hobby, a choir in Leeds", the hobby is a choir in Leeds.

By pattern, before any parsing, and only where the apposition ends the sentence: "for my sister, a present"
within one is no sister who is a present.
"""

from __future__ import annotations

import re

from memcore.nlp.language.prose import phrases
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.words.noun_kinds import kind_of

_APPOSITION = re.compile(
    r"(?<![,;:] for )(?<![,;:] with )\b(?P<thing>(?:my|our) (?:[\w'’-]+ ){0,3}?[\w'’-]*[a-rt-zA-RT-Z])"
    r"(?P<comma>, )(?P<what>(?:an?|the) (?!few|lot|bit|little|couple|one)[^,.;:?!]+)(?=[.?!]*$)",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?<=[a-z] )(?P<thing>[A-Z][a-z]+)(?P<comma>, )(?P<what>(?:my|our) [^,.;:?!]+)(?=[.?!]*$)"
)
"""Somebody by name, and who they are: "through Juan, my tutor at the evening school"."""
_COMMA = re.compile(r",(?= )")


def asks_for(text: str) -> bool:
    """Whether a sentence that is no question asks for something all the same."""
    return bool(phrases.ASSISTANT_TASK.match(text))


def told_by_apposition(words: Aligned) -> Aligned | None:
    """The statement that an apposition at the end of a request stands for; None: there is none."""
    found = _APPOSITION.search(words.text) or _person(words.text)
    if found is None:
        return None
    return words.cut(found.start("thing"), found.end("what")).sub(_COMMA, " is")


def _person(text: str) -> re.Match[str] | None:
    found = _PERSON.search(text)
    roles = re.findall(r"[a-z]+", found["what"].lower()) if found is not None else []
    return found if any(kind_of(word) == "PERSON" for word in roles[1:]) else None
