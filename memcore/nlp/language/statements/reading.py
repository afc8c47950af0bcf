"""One conversation message read sentence by sentence: parsed, screened, its open references known.

Sentences without a subject that only the speaker can fill ("Went hiking", "Been painting") are
completed and parsed again. Reading decides nothing about neighbours; `discourse` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from memcore.domain.models import Message
from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.people import ASSISTANT_ROLES, Turn
from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.sentences import Sentence, read
from memcore.nlp.language.prose.text import Aligned, SharedImage, clean
from memcore.nlp.language.statements.parts import closed_parts
from memcore.nlp.language.statements.requests import Request, request_before
from memcore.nlp.language.statements.shown import Shown, shown_before
from memcore.nlp.language.syntax.clauses import is_declarative
from memcore.nlp.language.syntax.coreference import needs, offers
from memcore.nlp.language.syntax.definites import leans
from memcore.nlp.language.syntax.grammar import auxiliaries, root_of, subject_of
from memcore.nlp.language.syntax.pronouns import Need
from memcore.nlp.language.syntax.tense import times_of
from memcore.nlp.language.words import lexicon
from memcore.nlp.time_grammar.dates import TimeExpression

if TYPE_CHECKING:
    from spacy.tokens import Doc

FRAGMENT = "not a full sentence"
_T = TypeVar("_T")
_ELIDED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"^(?=(?:just |recently |also |still |actually )?been \w+ing\b)", "I have "),
        (r"^(?=looking forward to )", "I am "),
        (r"^(?=(?:can't|cannot|can not) wait (?:to|for|until|till) )", "I "),
        (r"^(?=been (?:only )?to )", "I have "),
        (
            r"^(?=(?:just |recently |finally |also )?(?:lost|got|had|took|made|went|did|saw|met|found|bought"
            r"|finished|started|joined|tried|left|spent|came|gave|ran|won|visited|moved)"
            r" (?:my|our|a|an|the|to|some)\b)",
            "I ",
        ),
        (
            r"^(?=(?:just |recently |finally |also )?got (?:married|engaged|divorced|promoted|hired"
            r"|fired|laid off|accepted"
            r"|approved|pre-approved|back from|home from|into|rid of|sick|lost|stuck)\b)",
            "I ",
        ),
        (r"^(?=(?:hope|need|want|plan|have|used|decided|managed|tried|got|started) to )", "I "),
        (r"^(?=(?:planning|trying|hoping) to (?!.*\b(?:is|was|has|can)\b))", "I am "),
    )
)
_HABIT = re.compile(
    r"\b(?:usually|always|often|typically|normally|generally|sometimes|every|each year)\b", re.I
)
_PINNED = re.compile(r"\d|\b(?:last|next|this|yesterday|today|tomorrow|tonight|ago)\b", re.IGNORECASE)
_BEFORE_COMMENT = re.compile(r"\s*[-\u2013\u2014]+\s*(?:you|that|it|what|how|so)\b", re.IGNORECASE)
"""What follows a thing that is named to be judged: "Taking in a cat - you're so kind!"."""
ECHOES = re.compile(
    r"(?:I|we|they|he|she|it) (?:did|do|does|have|has|had|am|are|is|was|were|will|would|can|could)"
    r"(?: not|n't)?(?: too)?(?:[,.!]|\s*$)",
    re.IGNORECASE,
)
"""It says of itself only yes or no: "We did, the museum was tiny"."""
_THIRD = re.compile(r"\b(?:he|she|they|it|his|her|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, what it says when, what it leaves open, and why it is skipped (None: kept)."""

    sentence: Sentence
    reason: str | None
    doc: Doc | None = None
    times: tuple[TimeExpression, ...] = ()
    timed: frozenset[int] = frozenset()
    open: tuple[Need, ...] = ()
    offered: frozenset[str] = frozenset()
    part: Reading | None = None
    """What can be kept of it without what it refers to."""
    leans: bool = False
    """It speaks of something as known that stands in the sentence before it, or in the question."""
    answers: bool = False
    """It is told with the question that it answers."""

    @property
    def usable(self) -> bool:
        """Whether it may stand as context for another sentence."""
        return self.doc is not None and self.reason in {
            None,
            screening.NO_CONTENT,
            screening.GENERAL,
            screening.IDLE,
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions that a message answers, and who asked them."""

    text: str = ""
    asker: str = ""


@dataclass(frozen=True, slots=True)
class MessageReading:
    """A message's sentences in order, its images, who speaks to whom; `asked` is the question of
    another speaker that it follows."""

    message: Message
    turn: Turn
    prose: Aligned
    images: tuple[SharedImage, ...]
    readings: tuple[Reading, ...] = ()
    asked: Asked = field(default_factory=Asked)
    sentences: tuple[Sentence, ...] = field(default=(), repr=False)
    problem: str = ""
    """Why nothing of the message can be read."""
    request: Request | None = None
    """What an assistant's message answers."""
    shown: tuple[Shown, ...] = ()
    """The images of the messages right before it, the last one first."""


def open_message(message: Message, turn: Turn, history: Sequence[MessageReading]) -> MessageReading:
    """Cleaned and divided into sentences, not yet parsed; `history` is what its session said before."""
    prose, images = clean(message.text)
    sentences = tuple(read(message.id, prose, turn))
    asked = Asked()
    if history and history[-1].message.speaker != message.speaker:
        asked = _last_question(history[-1])
    request = request_before(history) if message.role in ASSISTANT_ROLES else None
    shown = shown_before(history)
    return MessageReading(message, turn, prose, images, (), asked, sentences, request=request, shown=shown)


def _last_question(item: MessageReading) -> Asked:
    """The questions a message ends with (at most one other sentence after them)."""
    sentences = item.sentences
    last = next((place for place in range(len(sentences) - 1, -1, -1) if sentences[place].asks), None)
    after = 1 if item.message.role in ASSISTANT_ROLES else 2
    if last is None or last < len(sentences) - after:
        return Asked(asker=item.message.speaker)
    asked = [sentence for sentence in sentences[max(0, last - 2) : last + 1] if sentence.asks]
    text = " ".join(sentence.text[0].upper() + sentence.text[1:] for sentence in asked)
    return Asked(text, item.message.speaker)


def parse_all(
    opened: Sequence[MessageReading], parse: Callable[[Sequence[str]], Sequence[Doc]]
) -> list[MessageReading]:
    """Every sentence that passes the first screen, parsed in one batch; a small second batch
    parses those that were completed."""
    jobs: list[tuple[int, int, Sentence]] = []
    results: list[list[Reading]] = [[] for _ in opened]
    for place, item in enumerate(opened):
        pasted = _pasted(item)
        for sentence in item.sentences:
            reason = pasted.get(sentence.start) or sentence.problem or _screened(sentence, item.turn)
            results[place].append(Reading(sentence, reason))
            if reason is None:
                jobs.append((place, len(results[place]) - 1, _completed(sentence)))
    docs = _each_parsed([sentence.text for _, _, sentence in jobs], parse)
    again: list[tuple[int, Sentence]] = []
    for number, ((place, _, sentence), doc) in enumerate(zip(jobs, docs, strict=True)):
        done = doc if isinstance(doc, Failed) else _in_peace(_filled, sentence, doc, opened[place])
        if isinstance(done, Failed):
            docs[number] = done
        elif done is not None:
            again.append((number, done))
    completed = _each_parsed([sentence.text for _, sentence in again], parse)
    for (number, done), doc in zip(again, completed, strict=True):
        place, index, _ = jobs[number]
        jobs[number], docs[number] = (place, index, done), doc
    for (place, index, sentence), doc in zip(jobs, docs, strict=True):
        read = doc if isinstance(doc, Failed) else _in_peace(_assess, sentence, doc, opened[place])
        results[place][index] = Reading(sentence, read.reason) if isinstance(read, Failed) else read
    _add_parts(opened, results, parse)
    return [replace(item, readings=tuple(result)) for item, result in zip(opened, results, strict=True)]


def _add_parts(
    opened: Sequence[MessageReading],
    results: Sequence[list[Reading]],
    parse: Callable[[Sequence[str]], Sequence[Doc]],
) -> None:
    """What can be kept of sentences that refer to something else, parsed in one batch."""
    jobs: list[tuple[int, int, Sentence]] = []
    for place, readings in enumerate(results):
        for index, reading in enumerate(readings):
            if reading.doc is not None and reading.open and reading.reason is None:
                parts = isolated(partial(closed_parts, reading.sentence, reading.doc, reading.open))
                jobs += [(place, index, part) for part in parts] if not isinstance(parts, Failed) else []
    docs = _each_parsed([sentence.text for _, _, sentence in jobs], parse)
    for (place, index, sentence), doc in zip(jobs, docs, strict=True):
        whole = results[place][index]
        read = doc if isinstance(doc, Failed) else _in_peace(_assess, sentence, doc, opened[place])
        if whole.part is None and isinstance(read, Reading) and read.reason is None and not read.open:
            results[place][index] = replace(whole, part=read)


def _in_peace(
    rule: Callable[[Sentence, Doc, MessageReading], _T], sentence: Sentence, doc: Doc, item: MessageReading
) -> _T | Failed:
    return isolated(lambda: rule(sentence, doc, item))


def _pasted(item: MessageReading) -> dict[int, str]:
    """By where a sentence begins, why it is not the speaker's own; all sentences, where that fails."""
    found = isolated(lambda: screening.pasted(item.sentences, item.prose.text))
    if isinstance(found, Failed):
        return dict.fromkeys((sentence.start for sentence in item.sentences), found.reason)
    return found


def _screened(sentence: Sentence, turn: Turn) -> str | None:
    reason = isolated(lambda: screening.before_parsing(sentence, turn))
    return reason.reason if isinstance(reason, Failed) else reason


def _each_parsed(texts: Sequence[str], parse: Callable[[Sequence[str]], Sequence[Doc]]) -> list[Doc | Failed]:
    """All in one batch; where that fails, one by one, so that only the unreadable ones are lost."""
    together = isolated(lambda: parse(texts))
    if not isinstance(together, Failed):
        return list(together)
    return [isolated(partial(_parsed, text, parse)) for text in texts]


def _parsed(text: str, parse: Callable[[Sequence[str]], Sequence[Doc]]) -> Doc:
    return parse([text])[0]


def _completed(sentence: Sentence) -> Sentence:
    for pattern, new in _ELIDED:
        if pattern.match(sentence.text):
            return _prefixed(sentence, new)
    return sentence


def _prefixed(sentence: Sentence, subject: str) -> Sentence:
    words = sentence.words
    lowered = words.text[0].lower() + words.text[1:]
    return replace(
        sentence, words=Aligned(subject + lowered, (words.origin[0],) * len(subject) + words.origin)
    )


def _filled(sentence: Sentence, doc: Doc, item: MessageReading) -> Sentence | None:
    """The sentence with the speaker as subject, where it has none and needs one."""
    root = root_of(doc)
    if (
        root is None
        or root.pos_ != "VERB"
        or subject_of(root) is not None
        or root.i > 2
        or root.lower_ in lexicon.FEELING
        or _THIRD.search(item.asked.text)
    ):
        return None
    if any(token.pos_ not in {"ADV", "PART"} for token in doc[: root.i]) or auxiliaries(root):
        return None
    if root.tag_ == "VBD" or (
        root.tag_ == "VBN" and root.i + 1 < len(doc) and not root.lower_.startswith(("been", "gone"))
    ):
        return _prefixed(sentence, "I ")
    alone = not _BEFORE_COMMENT.match(item.message.text[sentence.end :])
    if root.tag_ == "VBG" and alone and not item.asked.text and root.lemma_.lower() in lexicon.ONGOING:
        later = doc[root.i + 1 :]
        if not any(
            t.tag_ in {"VBZ", "VBP", "MD", "POS"} or t.lower_ in {"me", "us", "was", "were"} for t in later
        ):
            return _prefixed(sentence, "I am ")
    return None


def _assess(sentence: Sentence, doc: Doc, item: MessageReading) -> Reading:
    times = times_of(doc, item.message.said_at)
    if _HABIT.search(doc.text):
        times = tuple(time for time in times if time.recurring or _PINNED.search(time.text))
    timed = frozenset(
        token.i
        for token in doc
        for time in times
        if not time.recurring and time.start <= token.idx < time.end
    )
    reason = None if is_declarative(doc) and not ECHOES.match(doc.text) else FRAGMENT
    if reason is None:
        reason = screening.after_parsing(doc, item.turn, dated=bool(timed))
    open_needs, offered = tuple(needs(doc, timed)), frozenset(offers(doc))
    return Reading(sentence, reason, doc, times, timed, open_needs, offered, leans=leans(doc, timed))
