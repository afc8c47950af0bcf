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
from memcore.nlp.time_grammar.dates import find_times

if TYPE_CHECKING:
    from spacy.tokens import Token

MOST_WORDS = 60
FEWEST_FIGURES = 2
_OWN_PERSON = re.compile(
    rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{'|'.join(sorted(lexicon.PERSON | lexicon.ANIMAL))})\b",
    re.IGNORECASE,
)
_OWN_THING = re.compile(
    r"\b(?:my|our) [^,.?!]*?(?=[,.?!]|$| (?:and|or|for|with|to|in|at|on|from|that|which|who|is|was|are)\b)",
    re.IGNORECASE,
)
_NAMED = r"(?:[a-z]?[A-Z][\w'&-]*)(?: (?:&|of) [A-Z][\w'&-]*| [A-Z][\w'&-]*)*"
_NAME = re.compile(rf"(?<=[a-z,] )(?!I\b){_NAMED}")
_NAME_OF_NO_PLACE = re.compile(rf"(?<=[a-z,] )(?<!\bto )(?<!\bin )(?<!\bfrom )(?!I\b){_NAMED}")
_OWN_SEVERAL = re.compile(
    r"\b(?:my|our) (?:[\w-]+ ){0,2}?[a-z]{3,}(?<!s)(?<!way)s(?=[.?!,]| (?:and|or|for|with|that)\b)"
)
_PATH = re.compile(r"(?<!\S)(?:[A-Za-z]:)?[/\\][\w.-]+[/\\][\w.-]+")
"""A file's place: the line is a program's."""
_CHOICE = re.compile(r"\(?(?:[A-H][.)]\s|choose (?:one|two|three|all)\b)", re.IGNORECASE)
"""One of the answers that an exam offers."""
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
        or not _tells_much(reading, item)
    ):
        return None
    for low in range(place - 1, max(place - 3, -1), -1):
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
        if item.turn.to_assistant and not _is_clear(before, reading):
            continue
        if not _is_of_speaker(reading) and not (_OWN_PERSON.search(before) or _OWN_THING.search(before)):
            continue  # "What do I check first? It's a Bosch"
        begins = low == 0 and item.turn.to_assistant and item.is_first
        if (begins or not THIRD.search(run[0].text)) and all(_closes(before, need) for need in reading.open):
            return _quoted(item, reading, run)
    return None


def tells_of_own(item: MessageReading, place: int) -> bool:
    """Whether a sentence to an assistant tells of somebody of the speaker's who is named right before it ("I
    want to get my dad into audiobooks. He finished two") or, with a day or a figure, of a thing of theirs
    ("Our washer won't drain. It's a Bosch")."""
    doc = item.readings[place].doc
    root = root_of(doc) if doc is not None else None
    subject = subject_of(root) if root is not None else None
    words = {subject.lower_, *(child.lower_ for child in subject.lefts)} if subject is not None else set()
    thing = bool(words & {"it", "its"}) and _is_pinned(item.readings[place])
    if not item.turn.to_assistant or not (thing or words & {"he", "she", "they", "his", "her", "their"}):
        return False
    earlier = [
        one for one in item.readings[max(0, place - 2) : place] if not (thing and one.reason == FRAGMENT)
    ]
    before = " ".join(one.sentence.text for one in earlier)
    return (_OWN_THING if thing else _OWN_PERSON).search(before) is not None


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
    named = any(t.pos_ == "PROPN" for t in doc)
    return bool(reading.timed) or (own and (did or named)) or any(t.like_num or t.tag_ == "$" for t in doc)


def _closes(before: str, need: Need) -> bool:
    """Whether earlier words offer what is left open."""
    if need.wants in {"nothing", "event"}:
        return False
    offered = offered_by(before)
    named = bool(re.search(r"(?<=[a-z,] )[A-Z][a-z]\w+", before))
    if need.wants in {"thing", "noun"}:
        return "noun" in offered or named
    if need.wants in {"plural", "people"}:
        return "plural" in offered or named or _OWN_SEVERAL.search(before) is not None
    return named if need.wants == "place" else need.wants in offered


def _leans(reading: Reading) -> bool:
    """Whether nothing of it stands without what it speaks of as known."""
    return reading.leans and reading.part is None


def _makes_known(before: str, reading: Reading, item: MessageReading) -> bool:
    """Whether the words before a sentence to an assistant name all that it speaks of as known, or it holds a
    day or a figure, which is worth it without."""
    assert reading.doc is not None
    if item.turn.to_assistant and _is_pinned(reading):
        return True
    said = {stem(word) for word in re.findall(r"[a-z-]{3,}", before.lower())}
    known = [noun for noun in taken_as_known(reading.doc, reading.timed) if not _is_compared(noun)]
    return item.turn.to_assistant and all(said & {stem(w.lemma_.lower()) for w in _called(n)} for n in known)


def _is_of_speaker(reading: Reading) -> bool:
    return any(token.lower_ in lexicon.SPEAKERS for token in reading.doc or ())


def _is_pinned(reading: Reading) -> bool:
    """Whether it holds a day or a figure."""
    figures = (token for token in reading.doc or () if token.pos_ == "NUM" and token.lower_ != "one")
    return bool(reading.timed) or next(figures, None) is not None


def _called(noun: Token) -> list[Token]:
    """A noun and what sorts it: "the festival booth" is named where the festival is."""
    return [noun, *(child for child in noun.lefts if child.dep_ == "compound")]


def _is_clear(before: str, reading: Reading) -> bool:
    """Whether what an assistant was told before leaves no choice: somebody of the speaker's, where it says
    "her"; before one that leads to another matter, a single name or thing of theirs, and no "they"."""
    if any(need.wants in {"male", "female", "people"} for need in reading.open) and not _OWN_PERSON.search(
        before
    ):
        return False
    if not (reading.turns_away and reading.open):
        return True
    assert reading.doc is not None
    if any(reading.doc[need.index].lower_ in {"they", "them"} for need in reading.open):
        return False
    if any(reading.doc[need.index].head.lemma_ in lexicon.PLACE for need in reading.open):
        return False  # "their house"
    own = [match.group().lower() for match in _OWN_THING.finditer(before)]
    places = any(need.wants == "place" for need in reading.open)
    names = (_NAME if places else _NAME_OF_NO_PLACE).findall(_OWN_THING.sub("", before))
    return len({*own, *names}) == 1


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
