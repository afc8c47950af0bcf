"""A sentence that refers back, in the speaker's own words behind those that it refers to.

Where a sentence tells much but cannot be rewritten alone, it is quoted with the sentence or two right before
it, a question among them. Nothing is resolved by guessing: the words before must offer what is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcore.domain.models import Source
from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.borrowed import DRAFT, FICTION, PASTED, TASK
from memcore.nlp.language.prose.sentences import Sentence
from memcore.nlp.language.statements.answers import THIRD, offered_by
from memcore.nlp.language.statements.meant import is_clear, is_of_another, is_of_speaker, is_pinned
from memcore.nlp.language.statements.reading import FRAGMENT, MessageReading, Reading
from memcore.nlp.language.statements.statement import Part, Statement, dated, day, quoted
from memcore.nlp.language.syntax.definites import taken_as_known
from memcore.nlp.language.syntax.grammar import (
    NOMINAL_SUBJECTS,
    inherited_subject,
    root_of,
    subject_of,
    tells_past,
)
from memcore.nlp.language.syntax.pronouns import Need
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.noun_kinds import kind_of
from memcore.nlp.time_grammar.dates import find_times

if TYPE_CHECKING:
    from spacy.tokens import Token

MOST_WORDS = 60
FEWEST_FIGURES = 2
MOST_BEFORE = 2
"""Sentences before one that it is quoted with."""
_OWN_SEVERAL = re.compile(
    r"\b(?:my|our) (?:[\w-]+ ){0,2}?[a-z]{3,}(?<!s)(?<!way)s(?=[.?!,]| (?:and|or|for|with|that)\b)"
)
_SEVERAL = re.compile(r"\b[a-z]{3,}(?<![sui])s\b")
_NO_NOUNS = frozenset(
    "does was has always besides perhaps sometimes works makes helps looks goes means".split()
)
_PATH = re.compile(r"(?<!\S)(?:[A-Za-z]:)?[/\\][\w.-]+[/\\][\w.-]+")
"""A file's place: the line is a program's."""
_CHOICE = re.compile(r"\(?(?:[A-H][.)]\s|choose (?:one|two|three|all)\b)", re.IGNORECASE)
"""One of the answers that an exam offers."""
_BACK_TO = re.compile(r"\bback to\b", re.IGNORECASE)
"""It leaves what was told right before it: "Now, back to the reunion, ..."."""
_RELATIVE = re.compile(
    r"(?<=\w{2}) (?<!\bthink )(?<!\bknow )(?<!\bsay )(?<!\bsure )(?<!\bhope )(?<!\bbelieve )(?<!\bif )"
    r"that (?=(?:can|could|will|would|are|is|has|have|was|were|I|we|might|may|don't|doesn't|\w+s)\b)"
    r"|(?<=[a-z]s) (?<!\bis )(?<!\bwas )(?<!\bdoes )(?<!\bhas )that (?=[a-z])"
)
"""It points to the noun right before it: "a bottle that holds a quart"."""
_MEANT_FOR = frozenset({"for", "in", "on", "at"})
_OF_ANYTHING = frozenset(
    "project essay goal need life work opinion case mind paper code quiz exam test homework class assignment"
    " report thesis".split()
)
_SAYS_NOTHING = frozenset({screening.SMALL_TALK, screening.REACTION})
_NOBODYS = frozenset({screening.CODE, screening.QUOTED, PASTED, TASK, DRAFT, FICTION})
_WONDERS = re.compile(r"(?:and |so )?I (?:was|am) (?:just |also )?(?:wondering|curious)\b", re.IGNORECASE)
"""It asks; what for is told before it."""


def in_context(item: MessageReading, place: int) -> Statement | None:
    """A sentence that tells much, quoted with those right before it that it refers to; None if none does. To
    an assistant "by the way" leads on from what is asked, not away from it."""
    reading = item.readings[place]
    if (
        reading.doc is None
        or (reading.turns_away and not item.turn.to_assistant)
        or _BACK_TO.search(reading.sentence.opener)
    ):
        return None
    told = _tells_much(reading, item)
    if not told and not (item.turn.to_assistant and _is_planned_for_own(item, place)):
        return None
    divided = item.turn.to_assistant and reading.part is None  # a question and its cause are two sentences
    reach = MOST_BEFORE + divided
    for low in range(place - 1, max(place - 1 - reach, -1), -1):
        run = [one.sentence for one in item.readings[low : place + 1]]
        before = " ".join(one.text for one in run[:-1])
        if any(one.reason in _NOBODYS for one in item.readings[low:place]):
            return None
        thanks = item.readings[low].reason in _SAYS_NOTHING and not item.images
        if thanks or _WONDERS.match(run[0].text) or item.turn.called(run[0].text.strip(" !.,")):
            continue  # "Thanks!", "Melanie!"
        if sum(len(one.text.split()) for one in run) > MOST_WORDS or any(one.problem for one in run):
            return None
        if _leans(item.readings[low]) or (reading.leans and not _makes_known(before, reading, item)):
            continue
        unclear = not is_clear(before, reading) or (low and is_of_another(before))  # "Mine keeps going flat"
        if item.turn.to_assistant and unclear:
            continue
        begins = told and low == 0 and item.turn.to_assistant and item.is_first
        if (begins or not points(run[0].text)) and all(
            _closes(before, need, asked=item.turn.to_assistant) for need in reading.open
        ):
            return _quoted(item, reading, run)
    return None


def points(text: str) -> bool:
    """Whether words point to somebody or something that they do not name themselves."""
    return THIRD.search(_RELATIVE.sub(" ", text)) is not None


def figures(item: MessageReading) -> dict[int, list[Statement]]:
    """By place, the runs of fragments that each give a figure ("March 18th, Earth Day Market, $25;"): one
    statement at the first of a run, none at the others. What is pasted to an assistant, with no word of who
    pastes it, is nobody's."""
    found: dict[int, list[Statement]] = {}
    if item.turn.to_assistant and not item.asked.text and not any(map(_speaks_of_self, item.sentences)):
        return found
    run: list[int] = []
    for place, reading in enumerate((*item.readings, None)):
        if reading is not None and is_figure(reading):
            run.append(place)
            continue
        if len(run) >= FEWEST_FIGURES:
            if (run[0] and item.readings[run[0] - 1].reason is not None) or _leads(item, run[0] - 1):
                run.insert(0, run[0] - 1)
            found |= {one: [] for one in run}
            found[run[0]] = [_figures(item, run)]
        run = []
    return found


def _speaks_of_self(sentence: Sentence) -> bool:
    return bool(lexicon.SPEAKERS & set(re.findall(r"[a-z]+", sentence.text.lower())))


def _leads(item: MessageReading, place: int) -> bool:
    """ "Here is what I earned: $20 on Monday;": it leads to a run, and begins it."""
    return place >= 0 and ":" in item.readings[place].sentence.text


def is_figure(reading: Reading) -> bool:
    """Whether it is a fragment that gives a figure."""
    text = reading.sentence.text
    if reading.doc is None or reading.reason != FRAGMENT or _PATH.search(text) or _CHOICE.match(text):
        return False
    root = root_of(reading.doc)
    if root is not None and root.tag_ == "VB" and subject_of(root) is None:
        return False  # "Create 15 dishes"
    named = re.search(r"\d", text) and re.search(r"[^\W\d_]{3}", text)
    return bool(named) and len(text.split()) <= 25


def _figures(item: MessageReading, run: Sequence[int]) -> Statement:
    """The fragments of a run, behind the question they answer or the sentence that leads to them."""
    readings = [item.readings[place] for place in run]
    said = "; ".join(one.sentence.text.rstrip(" .;,") for one in readings)
    asked = item.asked.text
    return quotation(item, readings, said, asked=asked, when="" if asked else day_of(item, said))


def quotation(
    item: MessageReading, readings: Sequence[Reading], said: str, *, asked: str, when: str
) -> Statement:
    """What was `said` in several sentences, quoted as one, behind the question `asked` if there is one.
    `when`: how it begins."""
    speaker, to = item.turn.speaker, f" to {item.turn.addressee}" if item.turn.addressee else ""
    told = f"{speaker} said{to}"
    if asked:
        told = f'{item.asked.asker} asked {speaker}: "{quoted(asked)}" {speaker} answered'
    sentences = [one.sentence for one in readings]
    return Statement(
        f'{when}{told}: "{quoted(said)}"',
        "statement",
        tuple(Source(one.message_id, one.start, one.end) for one in sentences),
        tuple(Part(one.doc, 0, 0) for one in readings if one.doc is not None),
    )


def day_of(item: MessageReading, said: str) -> str:
    """`On 8 May 2023 `, the day of a message, to stand before words of it that name a time; else nothing."""
    said_at = item.message.said_at
    return f"On {day(said_at)} " if said_at is not None and find_times(said, said_at) else ""


def _tells_much(reading: Reading, item: MessageReading) -> bool:
    """What the speaker did, or a number or date, with something to it, or how somebody is called."""
    doc = reading.doc
    assert doc is not None
    if any(t.lower_ == "name" and t.dep_ in NOMINAL_SUBJECTS for t in doc):
        return any(t.pos_ == "PROPN" for t in doc)
    counted = any(t.like_num for t in doc)
    if len(screening.content_words(doc, item.turn)) < (2 if counted else 3):
        return False
    root = root_of(doc)
    subject = inherited_subject(root) if root is not None else None
    own = subject is not None and subject.lower_ in {"i", "we", "he", "she", "they"}
    did = root is not None and (tells_past(root) or any(c.tag_ == "VBD" for c in root.children))
    mine = did and is_of_speaker(reading)  # "it belonged to my aunt Ann"
    mine = mine or any(t.lower_ in {"i", "we"} and t.head.tag_ == "VBD" for t in doc)  # "a boat that I found"
    named = any(t.pos_ == "PROPN" for t in doc)
    return (
        bool(reading.timed)
        or (own and (did or named))
        or (mine and named)
        or any(t.like_num or t.tag_ == "$" for t in doc)
    )


def _is_planned_for_own(item: MessageReading, place: int) -> bool:
    """ "Which bulbs are best? I'm thinking of getting some for my hallway": of what was asked about, for
    something of the speaker's."""
    reading = item.readings[place]
    asked = place > 0 and item.readings[place - 1].reason == screening.QUESTION
    if not (asked and reading.plans and {need.wants for need in reading.open} <= {"noun", "thing"}):
        return False
    owned = (t.head for t in reading.doc or () if t.lower_ in {"my", "our"} and t.head.dep_ == "pobj")
    return any(noun.head.lower_ in _MEANT_FOR and noun.lemma_.lower() not in _OF_ANYTHING for noun in owned)


def _closes(before: str, need: Need, *, asked: bool) -> bool:
    """Whether earlier words offer what is left open; `asked`: they may be a question to an assistant."""
    if need.wants in {"nothing", "event"}:
        return False
    offered = offered_by(before)
    named = bool(re.search(r"(?<=[a-z,] )[A-Z][a-z]\w+", before))
    if need.wants in {"thing", "noun"}:
        return "noun" in offered or named
    if need.wants in {"plural", "people"}:
        several = {word for word in _SEVERAL.findall(before.lower()) if word not in _NO_NOUNS}
        only = asked and need.wants == "plural" and len(several) == 1
        return "plural" in offered or named or only or _OWN_SEVERAL.search(before) is not None
    if need.wants == "place":
        return named or any(word in lexicon.PLACE or kind_of(word) == "PLACE" for word in before.split())
    return need.wants in offered


def _leans(reading: Reading) -> bool:
    """Whether nothing of it stands without what it speaks of as known."""
    return reading.leans and reading.part is None


def _makes_known(before: str, reading: Reading, item: MessageReading) -> bool:
    """Whether the words before a sentence to an assistant name all that it speaks of as known, or it holds a
    day or a figure, which is worth it without."""
    assert reading.doc is not None
    if not item.turn.to_assistant or is_pinned(reading):
        return item.turn.to_assistant
    said = {stem(word) for word in re.findall(r"[a-z-]{3,}", before.lower())}
    known = [noun for noun in taken_as_known(reading.doc, reading.timed) if not _is_compared(noun)]
    return all(said & {stem(w.lemma_.lower()) for w in _called(n)} for n in known)


def _called(noun: Token) -> list[Token]:
    """A noun and what sorts it: "the festival booth" is named where the festival is."""
    return [noun, *(child for child in noun.lefts if child.dep_ == "compound")]


def _is_compared(noun: Token) -> bool:
    """ "So I hope for a similar deal": to what is told in the same sentence; "I run the one in Leeds"."""
    return noun.lower_ == "one" or any(child.lower_ == "similar" for child in noun.lefts)


def _quoted(item: MessageReading, reading: Reading, run: Sequence[Sentence]) -> Statement:
    to = f" to {item.turn.addressee}" if item.turn.addressee else ""
    said = " ".join(quoted(one.text) if not one.asks else one.text[:1].upper() + one.text[1:] for one in run)
    own = run[-1]
    assert reading.doc is not None
    when = dated(item.message, reading.times, own.text)
    return Statement(
        f'{when}{item.turn.speaker} said{to}: "{quoted(said)}"',
        "statement",
        tuple(Source(one.message_id, one.start, one.end) for one in (own, *run[:-1])),
        (Part(reading.doc, 0, 0),),
        next((t for t in reading.times if not t.recurring and t.relation == "during"), None),
    )
