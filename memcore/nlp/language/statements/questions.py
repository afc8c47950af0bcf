"""Questions to an assistant that tell in passing what their speaker did: "How do I use the soup I made on
Sunday?", "Can you list my jewellery, with the chain my parents gave me?".

By their words, before any parsing. Such a question is quoted as it was asked; nothing is taken out of it.
"""

from __future__ import annotations

import re

from memcore.nlp.language.prose.screening import QUESTION
from memcore.nlp.language.statements.context import MOST_WORDS, day_of, points, quotation
from memcore.nlp.language.statements.reading import MessageReading
from memcore.nlp.language.statements.requests import stands
from memcore.nlp.language.statements.statement import Statement
from memcore.nlp.language.words.inflection import is_irregular_past

_DONE = re.compile(
    r"\b(?:the|an?|my|our|that|those|some|any|\d+) (?:[\w'-]+ ){0,4}?(?P<thing>[\w'-]{3,}) (?:(?:that|which) )?"
    r"(?:(?:I|we)(?: have|'ve)?|my [a-z]+(?= [a-z]+ (?:me|us)\b)) "
    r"(?:(?:just|recently|already|actually|originally|once|finally) )?(?P<verb>[a-z]+)\b"
)
"""A thing, and what the speaker did with it or somebody of theirs gave: "the soup I made"."""
_NO_THING = frozenset(
    "what when where how why who if as than because since and but or so after before while until whether though"
    " think know sure way like time moment things questions".split()
)
_OF_THE_CHAT = frozenset(
    "mentioned asked told said listed described shared provided wanted needed liked loved discussed talked thought"
    " missed had supposed used heard knew felt meant decided wrote written pasted".split()
)
"""What was said or wished in the conversation, rather than done."""
_BASES = re.compile(r"(?:need|feed|proceed|succeed|exceed|indeed|speed|breed|bleed|seed|read|put|cut|set|let|hit)$")


def told_in_question(item: MessageReading, place: int) -> Statement | None:
    """A question to an assistant, quoted, where it says what its speaker did and leaves nothing open."""
    reading = item.readings[place]
    text = reading.sentence.text
    if not item.turn.to_assistant or reading.reason != QUESTION or len(text.split()) > MOST_WORDS:
        return None
    if points(_DONE.sub("", text)) or not stands(text) or not any(map(_is_deed, _DONE.finditer(text))):
        return None
    return quotation(item, [reading], text, asked="", when=day_of(item, text))


def _is_deed(found: re.Match[str]) -> bool:
    verb = found["verb"]
    past = is_irregular_past(verb) or (verb.endswith("ed") and not _BASES.match(verb))
    return past and verb not in _OF_THE_CHAT and found["thing"].lower() not in _NO_THING
