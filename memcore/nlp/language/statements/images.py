"""The images shared in a message, with what the message says of them.

A caption alone says little of who shared it and why. It joins the words that present the image ("here's one
I did last week") or, where there are none, the message's own fact that is nearest to it, or its last words
that say something, or the question that it answers. Beside nothing but small talk it is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from memcore.nlp.language.syntax.definites import pointed_at
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.time_grammar.dates import find_times

if TYPE_CHECKING:
    from spacy.tokens import Doc

BESIDE_SMALL_TALK = "an image beside small talk"
FEWEST_WORDS = 4
MOST_WORDS = 30
_PRESENTS = re.compile(
    r"(?:here(?:'s| is| are|'re)|this is|these are|(?:this|these) (?:\w+ )?(?:is|was|are|were)|check|look at"
    r"|take a look|have a look|that's (?:me|my|us|our|one|what)"
    r"|(?:\w+! )?i (?:also )?(?:took|snapped|drew|painted|made|got) (?:this|these)"
    r"|(?:\w+! )?i (?:also )?(?:snapped|drew|painted|made|baked|built) (?:it|that|them))\b"
    r"|.*\b(?:this|these|a|the|some|my) (?:\w+ )?(?:pic|pics|photo|photos|picture|pictures|snapshot|image)\b"
    r"|.*\bhere's\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"(?:by the way, )?(?:check (?:it|this|that|them|these) out"
    r"|(?:(?:take|have) a )?look(?: at (?:it|this|that|these))?|here you go)\W*$",
    re.IGNORECASE,
)
_SAYS_NOTHING = frozenset({screening.SMALL_TALK, screening.REACTION, screening.LISTENER, screening.QUESTION})
_ADVICE = frozenset({screening.REQUEST, screening.GENERAL, screening.NO_CONTENT, screening.IDLE})
_OF_IMAGES = frozenset({"photo", "photography", "image", "picture"})
_CONTENT = re.compile(r"[^\W\d_]{4,}")


def with_images(item: MessageReading, read: Read) -> Read:
    """What a message yielded, with its images."""
    if not item.images:
        return read
    words = next((one for one in item.sentences if _presents(one)), None)
    if words is None and read.statements:
        read.statements = _joined(item, read.statements)
        return read
    spoken = _last_words(item)
    shown = any(_POINTS.match(one.text) for one in item.sentences)
    if not (shown or words or spoken or item.asked.text) and item.sentences:
        read.passed += [SkippedText(item.message.id, i.start, i.end, BESIDE_SMALL_TALK) for i in item.images]
    else:
        told = spoken.sentence if spoken is not None and _tells(spoken, item) else None
        read.statements.append(_shared(item, words or told))
    return read


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


def _joined(item: MessageReading, statements: Sequence[Statement]) -> list[Statement]:
    """The images beside the nearest statement of their message."""
    wanted = _stems(_caption(item))
    alike = [len(wanted & _stems(statement.text)) for statement in statements]
    place = max(range(len(statements)), key=lambda one: (alike[one], one))
    told = statements[place]
    text = f"{told.text} {item.turn.speaker} {_verb(item)}: {_caption(item)}."
    joined = replace(told, text=text, sources=(*told.sources, *_sources(item)))
    return [*statements[:place], joined, *statements[place + 1 :]]


def _shared(item: MessageReading, words: Sentence | None) -> Statement:
    """The images as what was done, with the words beside them or the question before."""
    speaker, sources = item.turn.speaker, _sources(item)
    text = f"{speaker} {_verb(item)}: {_caption(item)}"
    asked, question = "", item.asked.text
    if is_answerable(question) and (words is None or not _presents(words)):
        asked = f'{item.asked.asker} asked {speaker}: "{quoted(question)}" '
    if words is None:
        return Statement(finished(asked + text), "event", sources)
    times = find_times(words.text, item.message.said_at)
    when = dated(item.message, times, words.text)
    text = f'{asked}{when}{text}, saying "{quoted(words.text).rstrip(".!")}"'
    own = Source(item.message.id, words.start, words.end)
    return Statement(finished(text), "event", (*sources, own))


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
    """Whether words beside an image say something of it, of the speaker, or to who asked: no "It's a real
    gift", no "Takes a lot of courage"."""
    if spoken.doc is None:
        return False
    if is_answerable(item.asked.text):
        return True
    content = screening.content_words(spoken.doc, item.turn)
    if _stems(_caption(item)) & _stems(spoken.sentence.text):
        return True
    own = any(screening.is_first_person(token) for token in spoken.doc) or len(content) > FEWEST_WORDS
    return own and spoken.reason not in _ADVICE and len(content) >= (3 if spoken.open else 1)


def _stems(text: str) -> set[str]:
    words = (word.lower() for word in _CONTENT.findall(text))
    return {stem(word) for word in words if word not in lexicon.EMPTY and word not in _OF_IMAGES}
