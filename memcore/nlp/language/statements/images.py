"""The images shared in a message, with what the message says of them.

A caption alone says little of who shared it and why. It joins the words that present the image ("here's one
I did last week") or the message's own fact that tells of what it shows; in a message without facts its last
words that say something of it, or the question that it answers. Else it is passed over.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.domain.extraction import SkippedText
from memcore.domain.models import Source
from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.sentences import Sentence
from memcore.nlp.language.statements.answers import is_answerable
from memcore.nlp.language.statements.reading import MessageReading, Reading
from memcore.nlp.language.statements.rewrite import finished
from memcore.nlp.language.statements.statement import Read, Statement, dated, quoted
from memcore.nlp.language.syntax.definites import pointed_at, taken_as_known
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.time_grammar.dates import find_times

if TYPE_CHECKING:
    from spacy.tokens import Doc

UNTOLD = "an image that no words of the message tell of"
FEWEST_WORDS = 4
MOST_WORDS = 30
_PRESENTS = re.compile(
    r"(?:here(?:'s| is| are|'re)(?! to\b)|this is|these are|(?:this|these) (?:\w+ )?(?:is|was|are|were)|check"
    r"|look at|take a look|have a look|that's (?:me|my|us|our|one|what(?! I(?:'m| am) talking))"
    r"|(?:\w+! )?i (?:also )?(?:took|snapped|drew|painted|made|got) (?:this|these)"
    r"|(?:\w+! )?i (?:also )?(?:snapped|drew|painted|made|baked|built) (?:it|that|them))\b"
    r"|.*\b(?:this|these|a|the|some|my) (?:\w+ )?(?:pic|pics|photo|photos|picture|pictures|snapshot|image)\b"
    r"|.*\bhere's\b(?! to\b)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"(?:by the way, )?(?:check (?:it|this|that|them|these) out"
    r"|(?:(?:take|have) a )?look(?: at (?:it|this|that|these))?|here you go)\W*$",
    re.IGNORECASE,
)
_SAYS_NOTHING = frozenset(
    {screening.SMALL_TALK, screening.REACTION, screening.LISTENER, screening.QUESTION, screening.SENTIMENT}
)
_OTHERS = re.compile(
    r"\b(?:they|them|their|he|she|him|her|his|we met|there)\b|\b(?:latest|last|newest|favorite) ones?\b"
    r"|(?<=\w )(?:about|for|of|with|in|at|on|by|to) (?:this|that|it)\b(?! \w)",
    re.IGNORECASE,
)
_LISTENER = re.compile(r"\byou\b", re.IGNORECASE)
_AS_SILLY_AS = re.compile(
    r"^(?:almost |nearly |just |not )*as \w+ as (?:when |the time )?(?=(?:I|we|my|our)\b)", re.IGNORECASE
)
"""It compares with what was told before."""
_POINTING_CLAUSE = re.compile(
    r",? (?:who|which|that)\b[^,.!]*\b(?:about|for|of|with|in|at|on|by|to) (?:this|that|it)(?=[.!]*$)", re.I
)
_THERE_DOING = re.compile(r"(?<=\w) there(?= \w+ing\b)", re.IGNORECASE)
_OF_POINTING = frozenset(
    {"check", "look", "here", "take", "took", "snap", "snapped", "this", "these", "that", "some"}
)
_OF_IMAGES = frozenset(
    stem(word)
    for word in "photo photography image picture person people group woman women lady couple background front"
    " sitting standing holding looking hand hands someone something".split()
)
_TELLING_LITTLE = frozenset(
    stem(word)
    for word in lexicon.EVALUATIVE
    | lexicon.TEMPORAL
    | {"going", "last", "week", "pics", "shot", "event", "game"}
)
_CONTENT = re.compile(r"[^\W\d_]{4,}")


def with_images(item: MessageReading, read: Read) -> Read:
    """What a message yielded, with its images."""
    if not item.images:
        return read
    presented = next((one for one in item.sentences if _presents(one) and _tells_more(one)), None)
    said = [place for place, one in enumerate(read.statements) if presented and _rests_on(one, presented)]
    if said or presented is None:
        place = said[0] if said else _nearest(item, read)
        if place is not None:
            read.statements[place] = _beside(item, read.statements[place])
            return read
    spoken = _last_words(item)
    told = spoken.sentence if spoken is not None and not read.statements and _tells(spoken, item) else None
    answers = is_answerable(item.asked.text) and bool(_stems(_caption(item)) & _stems(item.asked.text))
    if presented is not None or told is not None or answers:
        read.statements.append(_shared(item, presented or told))
    else:
        read.passed += [SkippedText(item.message.id, i.start, i.end, UNTOLD) for i in item.images]
    return read


def _tells_more(presented: Sentence) -> bool:
    """It says more of the image than that there is one, and leaves nobody open: no "Check out this picture",
    no "Here they are at lunch"."""
    text = _without_pointing(presented.text)
    if _OTHERS.search(text) or _LISTENER.search(text):
        return False
    own = re.search(r"\b(?:my|our|I)\b", text, re.IGNORECASE)
    return len(_stems(text) - _OF_POINTING - _TELLING_LITTLE) > (0 if own else 1)


def is_shown(item: MessageReading, reading: Reading) -> bool:
    """Whether an image of this message or of those before shows what a sentence points at ("this bowl")."""
    if reading.doc is None or not pointed_at(reading.doc):
        return False
    captions = [*(image.caption for image in item.images), *(one.caption for one in item.shown)]
    shown = {word for caption in captions for word in _stems(caption)}
    return all(stem(noun.lemma_.lower()) in shown for noun in taken_as_known(reading.doc, reading.timed))


def with_shown(item: MessageReading, doc: Doc, told: Statement) -> Statement:
    """A statement behind the image shared before that it points at ("this painting"), where its caption
    names that; else as it is."""
    wanted = {stem(noun) for noun in pointed_at(doc)}
    found = next((one for one in item.shown if wanted & _stems(one.caption)), None)
    if found is None:
        return told
    caption = found.caption.strip().rstrip(".")
    text = f"{found.speaker} shared an image: {caption}. {told.text}"
    return replace(told, text=text, sources=(*told.sources, found.source))


def _rests_on(told: Statement, sentence: Sentence) -> bool:
    return any(sentence.start <= source.start < sentence.end for source in told.sources)


def _nearest(item: MessageReading, read: Read) -> int | None:
    """The place of the statement that tells of the images of its message; None where none does."""
    wanted = _stems(_caption(item))
    alike = [len(wanted & _stems(statement.text)) for statement in read.statements]
    return max(range(len(alike)), key=lambda one: (alike[one], one)) if any(alike) else None


def _beside(item: MessageReading, told: Statement) -> Statement:
    """A statement with the images that it tells of."""
    text = f"{told.text} {item.turn.speaker} {_verb(item)}: {_caption(item)}."
    return replace(told, text=text, sources=(*told.sources, *_sources(item)))


def _shared(item: MessageReading, words: Sentence | None) -> Statement:
    """The images as what was done, with the words beside them or the question before."""
    speaker, sources = item.turn.speaker, _sources(item)
    text = f"{speaker} {_verb(item)}: {_caption(item)}"
    asked, question = "", item.asked.text
    if is_answerable(question) and (words is None or not _presents(words)):
        asked = f'{item.asked.asker} asked {speaker}: "{quoted(question)}" '
    if words is None:
        return Statement(finished(asked + text), "event", sources)
    said = _without_pointing(words.text)
    when = dated(item.message, find_times(said, item.message.said_at), said)
    text = f'{asked}{when}{text}, saying "{quoted(said).rstrip(".!")}"'
    own = Source(item.message.id, words.start, words.end)
    return Statement(finished(text), "event", (*sources, own))


def _without_pointing(text: str) -> str:
    """ "Here's a photo of rowers who are excited about this": without the clause that points elsewhere."""
    for elsewhere in (_THERE_DOING, _POINTING_CLAUSE, _AS_SILLY_AS):
        text = elsewhere.sub("", text)
    return text


def _caption(item: MessageReading) -> str:
    return "; ".join(image.caption.strip().rstrip(".") for image in item.images)


def _verb(item: MessageReading) -> str:
    return "shared an image" if len(item.images) == 1 else "shared images"


def _sources(item: MessageReading) -> tuple[Source, ...]:
    return tuple(Source(item.message.id, image.start, image.end) for image in item.images)


def _presents(sentence: Sentence) -> bool:
    return _says(sentence) and bool(_PRESENTS.match(sentence.text)) and not _POINTS.match(sentence.text)


def _says(sentence: Sentence) -> bool:
    """Neither a question nor a word or two."""
    if sentence.asks or sentence.problem:
        return False
    return FEWEST_WORDS <= len(sentence.text.split()) <= MOST_WORDS


def _last_words(item: MessageReading) -> Reading | None:
    """The last sentence that is no small talk."""
    told = (one for one in reversed(item.readings) if one.reason not in _SAYS_NOTHING)
    return next((one for one in told if _says(one.sentence)), None)


def _tells(spoken: Reading, item: MessageReading) -> bool:
    """Whether words beside an image say something of it or to who asked: no "It's a real
    gift", no "Takes a lot of courage"."""
    if spoken.doc is None or spoken.leans or _points_elsewhere(spoken):
        return False
    if _LISTENER.search(spoken.sentence.text):
        return False
    if is_answerable(item.asked.text):
        return True
    return bool(_stems(_caption(item)) & _stems(spoken.sentence.text))


def _points_elsewhere(spoken: Reading) -> bool:
    """Whether its words leave open more than what "it" or "these" at their beginning are: the image."""
    left = [need for need in spoken.open if need.index > 1 and need.wants != "noun"]
    there = bool(_THERE_DOING.search(spoken.sentence.text))
    return any(need.wants != "place" or not there for need in left)


def _stems(text: str) -> set[str]:
    words = (word.lower() for word in _CONTENT.findall(text))
    return {stem(word) for word in words if word not in lexicon.EMPTY} - _OF_IMAGES
