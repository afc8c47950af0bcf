"""One conversation message read sentence by sentence, and what it follows; not yet parsed (see `parsing`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memcore.domain.models import Message
from memcore.nlp.language.people import ASSISTANT_ROLES, Turn
from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.borrowed import begins_game
from memcore.nlp.language.prose.sentences import Sentence, read
from memcore.nlp.language.prose.spelling import spelled_out
from memcore.nlp.language.prose.text import Aligned, SharedImage, clean
from memcore.nlp.language.statements.requests import Request, request_before
from memcore.nlp.language.statements.shown import Shown, shown_before
from memcore.nlp.language.statements.speakers import Edit
from memcore.nlp.language.syntax.pronouns import Need
from memcore.nlp.language.words.english import is_english
from memcore.nlp.time_grammar.dates import TimeExpression

if TYPE_CHECKING:
    from spacy.tokens import Doc

FRAGMENT = "not a full sentence"
ECHOES = re.compile(
    r"(?:I|we|they|he|she|it) (?:did|do|does|have|has|had|am|are|is|was|were|will|would|can|could)"
    r"(?: not|n't)?(?: too)?(?:[,.!]|\s*$)",
    re.IGNORECASE,
)
"""It says of itself only yes or no: "We did, the museum was tiny"."""

_ON_A_NOTE = r"\bon (?:a|an|another)(?: \w+)? note\b"
_ANOTHER_MATTER = re.compile(
    rf"\b(?:by the way|btw|anyway|speaking of(?! which\b| that\b))\b|{_ON_A_NOTE}", re.IGNORECASE
)
_UNRELATED = re.compile(_ON_A_NOTE, re.IGNORECASE)


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
    """It speaks of something as known that neither it nor `names` name."""
    names: tuple[Edit, ...] = ()
    """The full names of what it speaks of as known, from what was said before."""
    answers: bool = False
    """It is told with the question that it answers."""
    goes_on: bool = False
    """It is better understood behind the sentence before it, and needs nothing of it."""
    narrates: bool = False
    """It tells a deed of no day or name, which belongs to the deed that is told before it, if one is."""
    plans: bool = False
    """It tells what its speaker is going to do, plans or is thinking of."""
    wishes: bool = False
    """It plans something, of no day, place or name, and nothing of the speaker's own."""
    explains: bool = False
    """It stands behind a dash, and holds no name, figure or day."""
    lacks: bool = False
    """It goes on, and says next to nothing without that sentence."""
    unnamed: bool = False
    """It holds no name, figure or day, and brings in nothing that was got or made."""

    @property
    def turns_away(self) -> bool:
        """Whether it leads to another matter: "By the way, ..."."""
        return bool(_ANOTHER_MATTER.search(self.sentence.opener))

    @property
    def unrelated(self) -> bool:
        """Whether it says so itself: "On a side note, ..."."""
        return bool(_UNRELATED.search(self.sentence.opener))

    @property
    def usable(self) -> bool:
        """Whether it may stand as context for another sentence."""
        return self.doc is not None and self.reason in {
            None,
            screening.NO_CONTENT,
            screening.GENERAL,
            screening.IDLE,
            screening.SENTIMENT,
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
    english: bool = True
    """Whether it is written in English, and its prose spelled out."""
    request: Request | None = None
    """What an assistant's message answers."""
    asking: tuple[Sentence, ...] = field(default=(), repr=False)
    """Its sentences that may say what an assistant is asked about, the last one first (see `asked_about`)."""
    opening: tuple[Sentence, ...] = field(default=(), repr=False)
    """How the conversation with an assistant began, in the speaker's own words ."""
    lately: tuple[Sentence, ...] = field(default=(), repr=False)
    """What its speaker asked an assistant in the last message before that asks something, last one first."""
    shown: tuple[Shown, ...] = ()
    """The images of the messages right before it, the last one first."""
    companions: str = ""
    """With whom the speaker was in the message that they wrote before."""
    earlier: tuple[tuple[Reading, ...], ...] = field(default=(), repr=False)
    """The sentences of the messages that the speaker wrote before it on that day, the last message first."""
    in_game: bool = False
    """An earlier message to an assistant began a game in which one speaks for somebody else."""

    is_first: bool = False
    """Nothing was said before it in its session."""

    @property
    def parsed(self) -> bool:
        """Whether its sentences are parsed: those of people, in English."""
        return self.english and self.message.role not in ASSISTANT_ROLES


def open_message(message: Message, turn: Turn, history: Sequence[MessageReading]) -> MessageReading:
    """Cleaned and divided into sentences, not yet parsed; `history` is what its session said before."""
    prose, images = clean(message.text)
    english = is_english(prose.text)
    if english:
        prose = spelled_out(prose)
    sentences = tuple(read(message.id, prose, turn))
    asked = Asked()
    if history and history[-1].message.speaker != message.speaker:
        asked = _last_question(history[-1])
    request = request_before(history) if message.role in ASSISTANT_ROLES else None
    shown = shown_before(history)
    last = history[-1] if history else None
    in_game = last is not None and (last.in_game or (last.turn.to_assistant and begins_game(last.prose.text)))
    return MessageReading(
        message,
        turn,
        prose,
        images,
        asked=asked,
        sentences=sentences,
        english=english,
        request=request,
        shown=shown,
        in_game=in_game,
        is_first=not history,
    )


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
