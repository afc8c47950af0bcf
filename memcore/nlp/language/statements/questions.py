"""Questions to an assistant that tell in passing what their speaker did or has: "How do I use the soup I made
on Sunday?", "Which pedals fit my Trek FX 3?".

By their words, before any parsing. Such a question is quoted as it was asked; nothing is taken out of it.
"""

from __future__ import annotations

import re

from memcore.nlp.language.prose.screening import QUESTION
from memcore.nlp.language.statements.context import MOST_WORDS, day_of, points, quotation
from memcore.nlp.language.statements.reading import MessageReading
from memcore.nlp.language.statements.requests import stands
from memcore.nlp.language.statements.statement import Statement
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import is_irregular_past

_DONE = re.compile(
    r"\b(?:(?:the|an?|my|our|that|those|some|any|\d+) (?:[\w'-]+ ){0,4}?(?P<thing>[\w'-]{3,})"
    r" (?:(?:that|which) )?|(?<=\w, )which )"
    r"(?:(?:I|we)(?: have|'ve)?|my [a-z]+(?= [a-z]+ (?:me|us)\b)) "
    r"(?:(?:just|recently|already|actually|originally|once|finally) )?(?P<verb>[a-z]+)\b"
)
"""A thing, and what the speaker did with it, or that somebody of theirs gave it: "the soup I made"."""
_OWN_BY_NAME = re.compile(
    r"\bmy (?:[a-z][\w-]* ){0,3}?(?P<name>[A-Z][\w'-]*[a-z0-9][\w'-]*(?: [A-Z0-9][\w'-]*)*)"
    r"(?=[,.?!)]|$| (?:and|or|for|with|to|in|at|on|from|that|which|who|when|is|was|are|so|while|without|by|as"
    r"|if)\b)"
)
"""A thing of the speaker's that has a name: "pedals for my Trek FX 3"."""
_MODEL = re.compile(r"\d|[a-z][A-Z]|\w \w")
"""What tells a thing's name from a word that somebody wrote large: "Trek FX 3", "MacBook", "Mustang GT"."""
_SUPPOSED = re.compile(
    r"\b(?:if I|if we|would I|probability|imagine|pretend|earlier|mean in"
    r"|my (?:story|character|novel|poem|game|essay))\b|['\"](?:the|an?|my) ",
    re.IGNORECASE,
)
"""It asks about words, a story or what might be, or goes on with the conversation."""
_NO_THING = frozenset(
    "what when where how why who if as than because since and but or so after before while until whether"
    " though think know sure way like time moment things question questions conversation chat issue issues"
    " problem problems idea ideas doubt doubts plan outline point points paragraph story poem function code"
    " list table numbers item items draft version email letter script message text sentence topic"
    " prompt".split()
)
_OF_THE_CHAT = frozenset(
    "mentioned asked told said listed described shared provided wanted needed liked loved discussed talked"
    " thought missed supposed used heard knew felt meant decided wrote written pasted"
    " covered forgot sent began begun started edited added created".split()
)
"""What was said or wished in the conversation, rather than done."""
_NO_PAST = frozenset(
    "need feed proceed succeed exceed speed breed bleed seed read put cut set let hit".split()
)


def told_in_question(item: MessageReading, place: int) -> Statement | None:
    """A question to an assistant, quoted, where it tells of its speaker and leaves nothing open."""
    reading = item.readings[place]
    text = reading.sentence.text
    if not item.turn.to_assistant or reading.reason != QUESTION or len(text.split()) > MOST_WORDS:
        return None
    tells = any(map(_is_deed, _DONE.finditer(text))) or _names_own(text)
    if not tells or _SUPPOSED.search(text) or points(_DONE.sub("", text)) or not stands(text):
        return None
    return quotation(item, [reading], text, asked="", when=day_of(item, text))


def _names_own(text: str) -> bool:
    found = _OWN_BY_NAME.search(text)
    if found is None:
        return False
    kind = found.group().split()[:-1][-1].lower()
    return _MODEL.search(found["name"]) is not None or kind in lexicon.PERSON | lexicon.ANIMAL


def _is_deed(found: re.Match[str]) -> bool:
    verb = found["verb"]
    past = verb not in _NO_PAST and (verb.endswith("ed") or is_irregular_past(verb))
    return past and verb not in _OF_THE_CHAT and (found["thing"] or "").lower() not in _NO_THING
