"""What was told to an assistant, with what it had been asked about, where the words told do not name it.

"User's starting point is 123 Oak St." is understood by who knows that the conversation with the assistant
began with "I'm thinking of buying a bike to commute to work". That is said behind it: "(In a conversation
about buying a bike to commute to work.)" The words told stay as they were, and the request is cited beside
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memcore.domain.models import Source
from memcore.nlp.language import pipeline
from memcore.nlp.language.prose.borrowed import borrowed
from memcore.nlp.language.statements.before import turns
from memcore.nlp.language.statements.statement import Read, Statement
from memcore.nlp.language.syntax.requested import requested
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.told_in import in_conversation, note_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcore.nlp.language.prose.sentences import Sentence
    from memcore.nlp.language.statements.reading import MessageReading

MOST_OPENING = 3
"""Sentences in which a conversation with an assistant says what it is about."""
MOST_ON_IT = 24
"""Messages after which a conversation may long have gone over to something else."""
MOST_MATTERS = 2
MOST_BETWEEN = 4
"""Messages after which something else may have been asked."""
_ASKS = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|so|well|and|also|now|please|yes|yeah|sure|thanks)[,.! ]+)*"
    r"(?:I(?: am| have been| was|'m|'ve been)(?: (?:also|currently|just|actually|now|still|really|always))*"
    r" (?:thinking|looking|planning|trying|considering|wondering|hoping|interested|having|working|preparing"
    r"|experiencing|getting ready|struggling|curious|new to|in the market|writing|creating|making|building"
    r"|designing|developing|learning|organizing|organising|hosting|researching|shopping)\b"
    r"|I (?:need|want|plan|have an? (?:upcoming )?\w+ (?:coming up|for|about))|I(?:'d| would) (?:like|love)"
    r"|(?:can|could|would|will|do|does|did|have|should|any|is|are|what|how|which|where|why|when|who|help"
    r"|give|tell|suggest|recommend|create|write|make|list|explain|describe|summarize|provide|show|find)\b)",
    re.IGNORECASE,
)
_ASKS_LATER = re.compile(
    r"\b(?:and|but|so) I(?:'m| am| was|'ve been| have been)(?: (?:also|currently|just|now|still|really))*"
    r" (?:thinking|looking|planning|trying|considering|wondering|working|struggling)\b",
    re.IGNORECASE,
)
"""It goes on to ask: "I got a new TV, and I'm trying to connect my laptop"."""
_TWO_WORDS = 2
_CONTENT = re.compile(r"[^\W\d_][\w'-]{2,}")
_EMPTY = frozenset(map(stem, lexicon.EMPTY | lexicon.LINKING | lexicon.ASKING))


class _Request(NamedTuple):
    """A sentence that asks for something, and what it is about."""

    sentence: Sentence
    matter: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an assistant was asked about: in the message, the last question first; before it, as the
    conversation began and last; and where the message turns to another matter."""

    own: tuple[_Request, ...]
    before: tuple[_Request, ...]
    turns: tuple[int, ...]


def opening_of(item: MessageReading, began: MessageReading | None) -> tuple[Sentence, ...]:
    """How the conversation of a message with an assistant began, in words of the one who writes it; empty
    where that is not known, or long ago, or this message begins it. `began`: its first message."""
    if began is None or not item.turn.to_assistant:
        return ()
    first, own = began.message, item.message
    if first.id == own.id or first.speaker != own.speaker or own.position - first.position > MOST_ON_IT:
        return ()
    return tuple(one for one in began.sentences[:MOST_OPENING] if one in began.asking)


def asked_lately(item: MessageReading, history: Sequence[MessageReading]) -> tuple[Sentence, ...]:
    """The questions of the last message before that asks an assistant something, the last one first: of the
    same writer, and at most `MOST_BETWEEN` messages before."""
    own = item.message
    for one in reversed(history) if item.turn.to_assistant else ():
        if own.position - one.message.position > MOST_BETWEEN:
            break
        if one.message.speaker == own.speaker and one.asking:
            return one.asking
    return ()


def with_what_was_asked(read: Sequence[tuple[MessageReading, Read]]) -> list[tuple[MessageReading, Read]]:
    """What messages yielded; behind what was told to an assistant stands what it had been asked about, where
    a statement does not name it."""
    asking = {
        one.text
        for item, result in read
        if result.statements and item.turn.to_assistant
        for one in (*item.asking, *item.lately, *item.opening)
    }
    docs = {one.doc.text: one.doc for item, _ in read for one in item.readings if one.doc is not None}
    docs |= {doc.text: doc for doc in pipeline.parse(sorted(asking - docs.keys()))}
    about = {text: requested(docs[text]) for text in asking}
    return [(item, _with_asked(item, result, about)) for item, result in read]


def asked_in(item: MessageReading) -> tuple[Sentence, ...]:
    """The sentences of a message that may say what an assistant was asked about, the last one first."""
    if not item.parsed:
        return ()
    theirs = borrowed(item.sentences, item.prose.text, in_game=item.in_game)
    return tuple(one for one in reversed(item.sentences) if one.start not in theirs and _may_say_it(one))


def _may_say_it(one: Sentence) -> bool:
    asks = _ASKS.match(one.text) or _ASKS_LATER.search(one.text)
    return asks is not None and not (one.problem or one.quoted)


def _with_asked(item: MessageReading, result: Read, about: Mapping[str, tuple[str, ...]]) -> Read:
    if not (item.turn.to_assistant and item.parsed and result.statements):
        return result

    def saying(sentences: Sequence[Sentence]) -> list[_Request]:
        return [_Request(one, matter) for one in sentences for matter in about[one.text]]

    opening, lately = saying(item.opening), saying(item.lately)
    asked = _Asked(
        tuple(saying(item.asking)),
        (*opening[: MOST_MATTERS - len(lately[:1])], *lately[:1]),
        tuple(one.sentence.start for one in item.readings if turns(one)),
    )
    return Read([_with_matter(one, item, asked) for one in result.statements], list(result.passed))


def _with_matter(statement: Statement, item: MessageReading, asked: _Asked) -> Statement:
    """A statement with what the assistant had been asked about, unless it holds half of the words of that
    (both of two: "my event" is no "community event"), or a day and a name. Where it names what was asked
    first, only what the same sentence asks beside that is told."""
    statement = _without_imitation(statement)
    if statement.time is not None and _holds_name(statement, item):
        return statement
    said = _words(statement.text)
    told: list[_Request] = []
    known = set(said)
    requests = _requests_for(statement, item, asked, said)
    for request in requests:
        if not _is_held(request.matter, known):
            told.append(request)
            known |= _words(request.matter)
    if told and told[0] != requests[0]:
        told = [one for one in told if one.sentence == requests[0].sentence]
    if not told:
        return statement
    said_by = {one: [other.matter for other in told if other.sentence == one] for one, _ in told}
    return replace(
        statement,
        text=in_conversation(statement.text, *map(", and ".join, said_by.values())),
        told_in=tuple(Source(one.message_id, one.start, one.end) for one in said_by),
    )


def _without_imitation(statement: Statement) -> Statement:
    """A message may end with the very words of our note: they are its own, and are compared with the rest."""
    if not note_of(statement.text):
        return statement
    return replace(statement, text=statement.text.replace("(In a conversation", "(in a conversation"))


def _is_held(matter: str, said: set[str]) -> bool:
    words = _words(matter)
    return 2 * len(words & said) >= len(words) + (len(words) == _TWO_WORDS)


def _requests_for(
    statement: Statement, item: MessageReading, asked: _Asked, said: set[str]
) -> tuple[_Request, ...]:
    """The requests that say in which conversation something was told: those before it, unless only the one
    right behind it takes up a word of it."""
    before = _requests_before(statement, item, asked)
    if any(_words(one.matter) & said for one in before):
        return before
    if not before and _holds_name(statement, item):
        return ()
    after = _request_after(statement, item, asked, said)
    return (after,) if after is not None else before


def _request_after(
    statement: Statement, item: MessageReading, asked: _Asked, said: set[str]
) -> _Request | None:
    """The question right behind a statement that takes up a word of it and says more: "I plan to send
    invitations. Any ideas for invitations to a garden party?"."""
    ends = max((one.end for one in statement.sources if one.message_id == item.message.id), default=0)
    following = next((one for one in item.sentences if one.start >= ends), None)
    if following is None or following.start in asked.turns:
        return None
    behind = (one for one in asked.own if one.sentence == following and _words(one.matter) & said)
    request = next(behind, None)
    return request if request is not None and not _is_held(request.matter, said) else None


def _requests_before(statement: Statement, item: MessageReading, asked: _Asked) -> tuple[_Request, ...]:
    """The last question before a statement in its message, else what the conversation began with and what
    was asked last; none from before the message turned to another matter."""
    begins = min((one.start for one in statement.sources if one.message_id == item.message.id), default=0)
    turned = [start for start in asked.turns if start <= begins]
    for request in asked.own:
        if max(turned, default=0) <= request.sentence.start < begins:
            return tuple(one for one in asked.own if one.sentence == request.sentence)
    return () if turned else asked.before


def _holds_name(statement: Statement, item: MessageReading) -> bool:
    """Whether it names somebody or something beside those who speak and the day."""
    words = (
        token
        for part in statement.parts
        for token in part.doc[part.low : part.high or len(part.doc)]
        if token.i not in part.timed
    )
    return any(word.pos_ == "PROPN" and not item.turn.called(word.text) for word in words)


def _words(text: str) -> set[str]:
    return {stem(word) for word in _CONTENT.findall(text.lower())} - _EMPTY
