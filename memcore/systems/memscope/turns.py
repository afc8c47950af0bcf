"""Turns: what was said and what is remembered of it, found and ranked together.

Evidence and memories are two descriptions of the same thing, so a search looks for either and ranks turns.
A turn whose own memories have all ended or been superseded is no candidate, unless for what took their place
and quotes it: its words would tell again what was corrected. Where some of them have, it is found for the
others. A memory without evidence (written by a person) stands for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Generic, TypeVar

from memcore.domain.models import MemoryEntry, Message
from memcore.domain.protocols import Store, TokenCodes
from memcore.nlp.language.words.told_in import sentences_of_note
from memcore.retrieval.question import Question

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CandidateTurn:
    """A message and the memories of it that are valid at the time asked; or a memory without evidence.
    `ended` are those that have ended by then: they are not told, but its words may be found for them."""

    message: Message | None
    memories: tuple[MemoryEntry, ...]
    ended: tuple[MemoryEntry, ...] = ()

    @property
    def id(self) -> str:
        """The message's id, or the memory's where there is no message."""
        return self.message.id if self.message else self.memories[0].id


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """Turn ids, the most promising first, and what the views say of some of them: `meaning` is a turn's
    cosine, its message's or that of the best memory of it; `wording` its BM25 as a share of the best."""

    turn_ids: tuple[str, ...]
    meaning: Mapping[str, float]
    wording: Mapping[str, float]


class ReadOnce(Generic[T]):
    """What one search reads by id: each id is asked for once, perhaps before it is needed (on two threads at
    the same time perhaps twice)."""

    def __init__(self, read: Callable[[list[str]], Mapping[str, T]]) -> None:
        self._read = read
        self._asked: set[str] = set()
        self._found: dict[str, T] = {}

    def of(self, ids: Iterable[str]) -> dict[str, T]:
        """What there is of these, by id, in the order asked."""
        ids = list(ids)
        if unknown := [i for i in ids if i not in self._asked]:
            self._found.update(self._read(unknown))
            self._asked.update(unknown)
        return {i: self._found[i] for i in ids if i in self._found}


@dataclass(frozen=True, slots=True)
class AroundTurns:
    """What one search reads of messages besides their words: those before and after, and token codes; and of
    memories the messages they came from."""

    neighbours: ReadOnce[tuple[str, str]]
    codes: ReadOnce[TokenCodes]
    cited: ReadOnce[tuple[str, ...]]

    @classmethod
    def of(cls, store: Store, question: Question) -> AroundTurns:
        """Nothing is read yet."""
        owner, recipe = question.owner, question.recipe
        return cls(
            ReadOnce(partial(store.neighbours, owner)),
            ReadOnce(lambda ids: store.token_codes(owner, ids, kind="message", recipe=recipe)),
            ReadOnce(lambda ids: store.cited_by(ids, recipe=recipe)),
        )

    def read_of(self, view: str, ids: Iterable[str]) -> None:
        """What leads from what a view found to turns and to the turns around them: it will be needed."""
        if view.endswith("memory"):
            self.cited.of(ids)
        elif view.endswith("message"):
            self.neighbours.of(ids)


def turn_ids(around: AroundTurns, memory_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Memory id -> the ids of the turns it came from (its own, where it has no evidence)."""
    return {i: messages or (i,) for i, messages in around.cited.of(memory_ids).items()}


def load_turns(store: Store, question: Question, ids: Sequence[str]) -> list[CandidateTurn]:
    """The turns with these ids that may be told at `question.as_of`, in order."""
    messages: dict[str, Message] = {}
    of_message: dict[str, list[MemoryEntry]] = {}

    def read_messages() -> None:
        messages.update(store.messages_by_id(ids))

    def read_memories() -> None:
        for memory in store.memories_of_messages(question.owner, ids, recipe=question.recipe).values():
            for message_id in dict.fromkeys(source.message_id for source in memory.sources):
                of_message.setdefault(message_id, []).append(memory)

    store.at_once([read_memories, read_messages])
    alone = store.memories_by_id([i for i in ids if i not in messages])
    found = []
    for turn_id in ids:
        if message := messages.get(turn_id):
            turn = _turn_of(message, of_message.get(turn_id, ()), question)
        else:
            turn = _turn_of(None, [alone[turn_id]] if turn_id in alone else (), question)
        if turn is not None:
            found.append(turn)
    return found


def _turn_of(
    message: Message | None, memories: Sequence[MemoryEntry], question: Question
) -> CandidateTurn | None:
    remembered = [m for m in memories if m.state != "deleted" and not _is_only_told_in(m, message)]
    told = _of_it_above_all(message, remembered)
    valid = tuple(memory for memory in told if memory.valid_at(question.as_of))
    if valid:
        ended = tuple(memory for memory in told if _has_ended(memory, message, question.as_of))
        return CandidateTurn(message, valid, ended)
    if remembered or message is None:
        return None
    later = question.as_of is not None and message.said_at is not None and message.said_at > question.as_of
    return None if later else CandidateTurn(message, ())


def _of_it_above_all(message: Message | None, memories: Sequence[MemoryEntry]) -> Sequence[MemoryEntry]:
    """The memories that rest on a message first of all, and what took their place; where there is none, those
    that cite it, too."""
    found = [memory for memory in memories if _rests_on(memory, message)]
    for memory in found:  # which grows by what took their place, and what took the place of that
        found += [m for m in memories if m.id == memory.superseded_by and m not in found]
    return [memory for memory in memories if memory in found] if found else memories


def _rests_on(memory: MemoryEntry, message: Message | None) -> bool:
    return message is not None and bool(memory.sources) and memory.sources[0].message_id == message.id


def _is_only_told_in(memory: MemoryEntry, message: Message | None) -> bool:
    """Whether a memory cites a message only for what its conversation was about."""
    said_by = sentences_of_note(memory.text)
    if message is None or not said_by or _rests_on(memory, message):
        return False
    return any(source.message_id == message.id for source in memory.sources[-said_by:])


def _has_ended(memory: MemoryEntry, message: Message | None, as_of: datetime | None) -> bool:
    """Whether a memory that rests on a message first of all was valid before, and is no more."""
    begun = as_of is None or memory.valid_from is None or memory.valid_from <= as_of
    return begun and _rests_on(memory, message) and not memory.valid_at(as_of)


def best_of(
    came_from: Mapping[str, Sequence[str]], memories: Mapping[str, float], messages: Mapping[str, float]
) -> dict[str, float]:
    """Turn id -> the best of the scores of its message and of the memories that came from it."""
    found = dict(messages)
    for memory_id, score in memories.items():
        for turn_id in came_from.get(memory_id, ()):
            found[turn_id] = max(score, found.get(turn_id, score))
    return found


def shares(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores above 0 as shares of the highest.

    >>> shares({"a": 5.0, "b": 2.0})
    {'a': 1.0, 'b': 0.4}
    """
    most = max(scores.values(), default=0.0)
    return {i: score / most for i, score in scores.items()}
