"""What people tell each other in short messages: fragments that are no sentences, quoted together.

"2 bedrooms, 950 a month" and "moving 1 March" stand right behind each other in a chat and are passed over one
by one, although together they tell something. Of one who writes to a person, the fragments that follow each
other within minutes are told as one quotation where one of them gives a figure. Nothing is resolved; what
points to something else ("they offered") is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memcore.domain.extraction import SkippedText
from memcore.nlp.language.people import ASSISTANT_ROLES
from memcore.nlp.language.prose import screening
from memcore.nlp.language.statements.answers import THIRD, is_answerable
from memcore.nlp.language.statements.context import day_of, is_figure, quotation
from memcore.nlp.language.statements.discourse import NOT_NAMED
from memcore.nlp.language.statements.reading import FRAGMENT, MessageReading, Reading
from memcore.nlp.language.statements.statement import Read, Statement

PAUSE = timedelta(minutes=15)
"""A longer silence ends what is written in one go."""
MOST_WORDS = 40
FEWEST_WORDS = 4
_TOLD = frozenset({FRAGMENT, NOT_NAMED, screening.GENERAL, screening.NO_CONTENT})
"""Why a sentence is passed over that may stand in a quotation with others."""
_NO_PART = re.compile(
    r"\b(?:you|your|yours|u|we|us|our|another|same|that's|what|how|why)\b|\*|^(?:and|but|so|then|or)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A passed sentence of one of the messages, and where it was reported."""

    place: int
    reading: Reading
    passed: SkippedText


def with_short_messages(read: Sequence[tuple[MessageReading, Read]]) -> list[tuple[MessageReading, Read]]:
    """The messages' statements, and those that their fragments make together, each at the first message of
    its run."""
    told = [(item, Read(list(one.statements), list(one.passed))) for item, one in read]
    for group in _in_one_go([item for item, _ in read]):
        for run in _runs(_pieces(group, told)):
            item, out = told[run[0].place]
            out.statements.append(_quotation(item, run))
            for piece in run:
                told[piece.place][1].passed.remove(piece.passed)
    return told


def _in_one_go(items: Sequence[MessageReading]) -> Iterator[list[int]]:
    """Places of messages that one speaker writes to a person, one right behind the other."""
    group: list[int] = []
    for place, item in enumerate(items):
        if group and not _goes_on(items[group[-1]], item):
            yield group
            group = []
        if not item.turn.to_assistant and item.message.role not in ASSISTANT_ROLES:
            group.append(place)
    if group:
        yield group


def _goes_on(before: MessageReading, item: MessageReading) -> bool:
    one, other = before.message, item.message
    if (one.speaker, one.session_id) != (other.speaker, other.session_id):
        return False
    return one.said_at is None or other.said_at is None or abs(other.said_at - one.said_at) <= PAUSE


def _pieces(group: Sequence[int], told: Sequence[tuple[MessageReading, Read]]) -> Iterator[_Piece | None]:
    """The sentences of a group that may stand in a quotation; None for one that may not."""
    for place in group:
        item, out = told[place]
        passed = {(one.start, one.end): one for one in out.passed}
        for reading in item.readings:
            one = passed.get((reading.sentence.start, reading.sentence.end))
            yield _Piece(place, reading, one) if one is not None and _may_stand(reading, one) else None


def _may_stand(reading: Reading, passed: SkippedText) -> bool:
    text = reading.sentence.text
    return (
        passed.reason in _TOLD
        and reading.doc is not None
        and not reading.sentence.asks
        and not THIRD.search(text)
        and not _NO_PART.search(text)
    )


def _runs(pieces: Iterator[_Piece | None]) -> Iterator[list[_Piece]]:
    """Of the pieces that stand right behind each other, those runs that tell something."""
    run: list[_Piece] = []
    for piece in (*pieces, None):
        words = sum(len(one.reading.sentence.text.split()) for one in (*run, *([piece] if piece else [])))
        if piece is not None and words <= MOST_WORDS:
            run.append(piece)
            continue
        if _tells(run):
            yield run
        run = [piece] if piece is not None else []


def _tells(run: Sequence[_Piece]) -> bool:
    words = sum(len(re.findall(r"[^\W\d_]{2,}", piece.reading.sentence.text)) for piece in run)
    return words >= FEWEST_WORDS and any(is_figure(piece.reading) for piece in run)


def _quotation(item: MessageReading, run: Sequence[_Piece]) -> Statement:
    said = "; ".join(piece.reading.sentence.text.rstrip(" .;,!") for piece in run)
    asked = item.asked.text if is_answerable(item.asked.text) else ""
    readings = [piece.reading for piece in run]
    return quotation(item, readings, said, asked=asked, when=day_of(item, said))
