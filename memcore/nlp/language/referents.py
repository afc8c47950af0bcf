"""Pronouns whose antecedent another message names: "How old is Rex now?" "He turned ten in May."

Two cases only, both by pattern over bare sentences. A question that names exactly one person, animal
or thing says who the answer's "he" is; and one who "got a dog" before may say that "her name is Luna".
Where there is a second candidate nothing is resolved. It knows no genders of names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcore.domain.models import Source
from memcore.nlp.language import lexicon
from memcore.nlp.language.people import Turn, called
from memcore.nlp.language.pronouns import Need
from memcore.nlp.language.sentences import Sentence
from memcore.nlp.language.text import Aligned

if TYPE_CHECKING:
    from spacy.tokens import Doc

_ANIMATE = sorted(lexicon.PERSON | lexicon.ANIMAL, key=lambda word: (-len(word), word))
_NOUN = "(?:" + "|".join(map(re.escape, _ANIMATE)) + ")"
_NAME = re.compile(r"(?<=[a-z,] )(?<!\bin )[A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?")
_OWNED = re.compile(
    rf"\b(your|my)\s((?:[a-z-]+\s)?(?:{_NOUN}))\b(?:\s((?-i:[A-Z])[^\W\d_]+))?", re.IGNORECASE
)
_OTHERS = re.compile(rf"\b(?:{_NOUN}s?|he|him|his|she|her|they|them|their)\b", re.IGNORECASE)
_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|christmas|easter",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"(?:(?:what|how) about |how(?:'s| is| was) |what happened (?:to|with) )?"
    r"((?:the|your)(?: [a-z-]+){1,6})\?",
    re.IGNORECASE,
)
_VERBAL = re.compile(
    r"\b(?:is|are|was|were|be|been|do|does|did|have|has|had|can|could|will|would|go|going|doing|work|you|it"
    r"|to|that|which|who|thing|one|matter|plan|news|rest|weather)\b",
    re.IGNORECASE,
)
_GAINED = re.compile(
    rf"\b(?:I|we)\b[^.!?]{{0,25}}\b(?:adopted|got|bought|rescued|have|found|took in|fostered)\b"
    rf"[^.!?]{{0,15}}?\b(?:a|an|another)\s(?:[\w-]+\s){{0,3}}?({_NOUN})\b",
    re.IGNORECASE,
)
_INDEFINITE = re.compile(rf"\b(?:a|an|another)\s(?:[\w-]+\s){{0,3}}?({_NOUN})\b", re.IGNORECASE)
_NAMING = re.compile(
    r"\b(?:(?i:her|his|its) name(?: is|'s| was)|(?i:she|he|it)(?: is|'s| was) (?:called|named))"
    r"(?: [a-z]+)? [A-Z]"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions that a message answers, who asked them, and where."""

    text: str = ""
    asker: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Referent:
    """What a pronoun stands for, as the speaker would say it, the needs it closes, and its evidence."""

    text: str
    closes: frozenset[str]
    source: Source


def names_someone(text: str) -> bool:
    """Whether a sentence gives its pronoun a name ("her name is Luna"): not that of one named before."""
    return _NAMING.search(text) is not None


def introduces(text: str) -> bool:
    """Whether a sentence brings in a person or animal without a name ("I met a woman")."""
    return _INDEFINITE.search(text) is not None


def asked_about(asked: Asked, turn: Turn) -> Referent | None:
    """The only person, animal or thing a question names."""
    if not asked.text or asked.source is None:
        return None
    topic = _TOPIC.fullmatch(asked.text)
    if topic and not _VERBAL.search(topic[1]) and not _OTHERS.search(topic[1]):
        own = re.sub(r"^your\b", "my", topic[1], flags=re.IGNORECASE)
        return Referent(own[0].lower() + own[1:], frozenset({"thing"}), asked.source)
    found: list[tuple[str, frozenset[str]]] = []
    rest = asked.text
    for match in _OWNED.finditer(asked.text):
        noun, name = match[2], match[3] or ""
        owner = "my" if match[1].lower() == "your" else f"{asked.asker}'s"
        found.append((f"{owner} {noun} {name}".strip(), _genders(noun.split()[-1].lower())))
        rest = rest.replace(match[0], " ")
    for match in _NAME.finditer(rest):
        if not called(match[0], turn.participants) and not _CALENDAR.fullmatch(match[0]):
            found.append((match[0], frozenset({"male", "female"})))
            rest = rest.replace(match[0], " ")
    if len(set(found)) != 1 or _OTHERS.search(rest):
        return None
    return Referent(*found[0], asked.source)


def gained(earlier: Sequence[Sentence]) -> Referent | None:
    """The one animal or person that the speaker told of having got ("I adopted a dog yesterday")."""
    for sentence in reversed(earlier):
        nouns = _INDEFINITE.findall(sentence.text)
        if not nouns:
            continue
        match = _GAINED.search(sentence.text)
        if match is None or len(nouns) != 1:
            return None
        source = Source(sentence.message_id, sentence.start, sentence.end)
        return Referent(f"my {match[1].lower()}", _genders(match[1].lower()) | {"thing"}, source)
    return None


def _genders(noun: str) -> frozenset[str]:
    if noun in lexicon.FEMALE:
        return frozenset({"female"})
    return frozenset({"male"}) if noun in lexicon.MALE else frozenset({"male", "female"})


def named(sentence: Sentence, doc: Doc, open_needs: Sequence[Need], referent: Referent) -> Sentence | None:
    """The sentence with the referent in place of its first open pronoun; the later ones then refer to
    it. None where they cannot all mean the same."""
    wants = {need.wants for need in open_needs}
    if len(wants) != 1 or not wants <= referent.closes:
        return None
    tokens = [doc[need.index] for need in open_needs]
    if any(token.tag_ not in {"PRP", "PRP$"} for token in tokens):
        return None
    first = tokens[0]
    new, end = referent.text, first.idx + len(first.text)
    following = doc[first.i + 1] if first.i + 1 < len(doc) else None
    if first.tag_ == "PRP$":
        new += "'s"
    elif following is not None and following.text == "'s" and following.tag_ == "VBZ":
        new += " has" if any(t.tag_ == "VBN" and t.dep_ == "ROOT" for t in (following.head,)) else " is"
        end = following.idx + len(following.text)
    if first.i == 0:
        new = new[0].upper() + new[1:]
    words = sentence.words
    origin = (words.origin[first.idx],) * len(new)
    replaced = Aligned(
        words.text[: first.idx] + new + words.text[end:],
        words.origin[: first.idx] + origin + words.origin[end:],
    )
    return replace(sentence, words=replaced, support=(*sentence.support, referent.source))
