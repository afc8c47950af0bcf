"""How a doubtful statement stands with the whole conversation: what of it was said anywhere, and whether the
messages it cites speak against it.

Stricter than the judge, who has to find what is wrong: here a right statement must not be taken for a wrong
one, since what follows is a proposal to cut or delete it. By words alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memcore.domain.models import Message, ReasonKind, Standing
from memcore.nlp.language.words.english import is_english
from memcore.stages.grounding.alignment import SAME_LETTERS
from memcore.stages.grounding.checks import check_dates, check_numbers
from memcore.stages.grounding.people import names_of, subject_of
from memcore.stages.grounding.reading import Reading, Word, read
from memcore.stages.grounding.said import Said, person_of

_BEFORE = 2
"""Turns before a message that are read with it when what it says of a statement is counted."""
_ENOUGH = 3
"""Words with content, times aside, that a statement must have before it can be told that nobody said them."""
_AFTER_I = 3
"""Words after an "I" among which what the speaker does is looked for."""
_REST = 0.5
"""The share of what follows the verb of a statement that a message must say as well."""
_PASSIVE = frozenset("is are was were be been being am get gets got".split())


class Conversation:
    """What was said in a conversation, by words. `messages` in their order."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._names = names_of(sorted({message.speaker for message in messages if message.speaker}))
        self._people = frozenset(self._names)
        self._said = [Said(one, read(one.text, one.said_at, self._people)) for one in messages]
        self._row = {message.id: row for row, message in enumerate(messages)}
        self._keys = [frozenset(_keys(said)) for said in self._said]
        self._count = Counter(key for keys in self._keys for key in keys)

    def standing(self, text: str, cited: Sequence[str]) -> Standing:
        """How a statement stands that cites messages by id, all of this conversation and at least one."""
        rows = sorted(self._row[one] for one in cited)
        told = [self._said[row] for row in rows]
        statement = read(text, told[0].message.said_at, self._people)
        words = [word for word in statement.words if _counts(word)]
        there = {key for row in rows for key in self._keys[row]}
        return Standing(
            readable=all(is_english(said.message.text) for said in told),
            heard=tuple(word.text for word in words if self._is_heard(word, self._count)),
            unheard=tuple(word.text for word in words if not self._is_heard(word, self._count)),
            most=self._most([word for word in words if not word.in_time]),
            there=self._share(words, there),
            denied=frozenset(_denied(statement, told, self._names)),
        )

    def _most(self, words: Sequence[Word]) -> float:
        """The largest share of these words that one message says with the turns before it; 1 of a few."""
        if len(words) < _ENOUGH:
            return 1.0
        near = (set().union(*self._keys[max(0, row - _BEFORE) : row + 1]) for row in range(len(self._keys)))
        return max((self._share(words, keys) for keys in near), default=0.0)

    def _share(self, words: Sequence[Word], keys: set[str]) -> float:
        """The share of these words that is heard; a time may be told in other words, and counts if it is."""
        heard = [word for word in words if self._is_heard(word, keys)]
        of = [word for word in words if not word.in_time or word in heard]
        return len(heard) / len(of) if of else 0.0

    @staticmethod
    def _is_heard(word: Word, keys: Mapping[str, int] | set[str]) -> bool:
        family = len(word.stem) >= SAME_LETTERS and not word.is_name
        return (
            word.stem in keys
            or bool(word.figure and word.figure in keys)
            or (family and f"{word.stem[:SAME_LETTERS]}…" in keys)
        )


def _counts(word: Word) -> bool:
    """Whether a word can be looked for: with content of its own, a name, a number, part of a time."""
    return word.weight >= 1.0 or bool(word.figure) or (word.in_time and len(word.text) > 3)


def _keys(said: Said) -> Iterator[str]:
    """By what a word is found in a message: its stem, its family, its figures."""
    yield from said.numbers
    for stem in said.reading.stems:
        yield stem
        if len(stem) >= SAME_LETTERS:
            yield f"{stem[:SAME_LETTERS]}…"


def _denied(statement: Reading, cited: Sequence[Said], names: Mapping[str, str]) -> Iterator[ReasonKind]:
    """What of a statement the cited messages say otherwise in so many words."""
    if any(reason.contradicts for reason in check_numbers(statement, cited, (), lambda _: False).reasons):
        yield "number"
    told = [time for said in cited for time in said.reading.times]
    one_each = len(told) == 1 == len(statement.times)
    if one_each and any(r.contradicts for r in check_dates(statement, cited, (), lambda _: False).reasons):
        (stated,), (other,) = statement.times, told
        if stated.until <= other.begin or other.until <= stated.begin:
            yield "date"
    if _done_by_speaker(statement, cited, names):
        yield "name"
    if _is_turned(statement, cited, names):
        yield "negation"


def _verb(statement: Reading, names: Mapping[str, str]) -> int | None:
    """The place of the word that says what its subject does; None: the subject is somebody's ("Ann's dog"),
    or has it done to them."""
    words = statement.words
    subject = subject_of(statement, names)
    first = next((at for at, word in enumerate(words) if names.get(word.text.lower()) == subject), None)
    if not subject or first is None or any(word.weight for word in words[:first]):
        return None
    verb = next((at for at in range(first + 1, len(words)) if words[at].weight), None)
    if verb is None:
        return None
    between = {word.text.lower() for word in words[first + 1 : verb]}
    return None if between & _PASSIVE and not words[verb].text.lower().endswith("ing") else verb


def _done_by_speaker(statement: Reading, cited: Sequence[Said], names: Mapping[str, str]) -> bool:
    """Whether who speaks says "I" of what the statement says of another."""
    verb, subject = _verb(statement, names), subject_of(statement, names)
    if verb is None or any(said.message.speaker == subject for said in cited):
        return False
    rest = {word.stem for word in statement.words[verb + 1 :] if word.weight >= 1.0}
    return any(
        bool(rest)
        and not said.of_whom["you"][statement.words[verb].stem]
        and len(rest & said.reading.stems) >= _REST * len(rest)
        and _after_i(said.reading, statement.words[verb].stem)
        for said in cited
    )


def _after_i(told: Reading, stem: str) -> bool:
    """Whether one says of oneself ("I", not "my") what the word with this stem tells."""
    return any(
        word.stem == stem
        and any(
            before.text.lower().startswith("i") and person_of(before.text) == "me"
            for before in told.words[max(0, at - _AFTER_I) : at]
        )
        for at, word in enumerate(told.words)
    )


def _is_turned(statement: Reading, cited: Sequence[Said], names: Mapping[str, str]) -> bool:
    """Whether the verb of a statement is negated and there it is not, where nothing is; or the other way."""
    plain = frozenset().union(*(said.plain for said in cited))
    denied = frozenset().union(*(said.denied for said in cited))
    if not any(said.negated for said in cited):
        for reached in statement.negations:
            here = [word for at in reached if (word := statement.words[at]).weight and word.negated]
            if here and here[0].stem in plain:
                return True
    verb = _verb(statement, names)
    if verb is None or any(word.loosely for word in statement.words):
        return False
    return statement.words[verb].stem in denied - plain
