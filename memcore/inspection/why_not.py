"""Why a search did not find a certain message or memory among its first results: where it ranked in every
view and in the whole, what came instead and why, and what was made of the message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import MemoryEntry, Message
from memcore.domain.protocols import Store
from memcore.retrieval.missed import (
    Evidence,
    Loss,
    StandIn,
    ViewPlace,
    loss_of,
    made_from,
    stands_for,
    view_places,
)
from memcore.retrieval.reasons import why
from memcore.retrieval.results import Hit, SearchReport

DEPTH = 50
"""Results that are asked for, so that a place behind the first k is known."""

_STATES = {
    "superseded": "It was replaced by a newer memory",
    "invalidated": "It no longer holds",
    "deleted": "It was deleted",
}


@dataclass(frozen=True, slots=True)
class WhyNot:
    """A message or a memory, as a search for `query` among what `recipe` remembers sees it. `made` are the
    memories of the message (of a memory, itself), in whatever state. `loss` is None where it is among the
    first `k` results. `instead` is the first result that rests on the same words, with its place, where that
    is another than the memory asked about."""

    query: str
    recipe: str
    k: int
    wanted: Evidence
    memory: MemoryEntry | None
    made: tuple[MemoryEntry, ...]
    loss: Loss | None
    views: tuple[ViewPlace, ...]
    instead: tuple[int, Hit] | None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not among the first k, in sentences; empty where it is."""
        if self.loss is None:
            return ()
        said = []
        if self.memory is not None and self.memory.state in _STATES:
            said.append(f"{_STATES[self.memory.state]}, so it is not searched.")
        if self.memory is None and not self.made:
            said.append("No memory was made from it.")
        if self.instead is not None:
            said.append(f"Result {self.instead[0]} rests on the same words.")
        return (*said, *why(self.loss))


def why_not(
    store: Store, object_id: str, *, owner: str, recipe: str, k: int, search: Callable[[], SearchReport]
) -> WhyNot:
    """Look for a message or a memory of the owner in what `search` finds. Raises NotFoundError for an id of
    neither, and UsageError for a memory of another system."""
    memory = store.memories_by_id([object_id]).get(object_id)
    if memory is not None and memory.owner == owner:
        return _of_memory(store, memory, recipe, k, search)
    message = store.messages_by_id([object_id]).get(object_id)
    if message is None or not _is_of(store, message, owner):
        raise NotFoundError(
            f"{owner} has no message and no memory with the id {object_id[:80]!r}.",
            "Search for its words; results name the ids of memories and of the messages they came from.",
        )
    made = made_from(store, owner, recipe, {message.id: message})
    report = search()
    rank = _rank(report, Evidence((message,), "results", None))
    wanted = Evidence((message,), "results", rank)
    memories = store.memories(owner, recipe=recipe, states=None, message_ids=[message.id])
    lost = loss_of(wanted, report, k, made)
    views = view_places(wanted, report, made)
    return WhyNot(report.query, recipe, k, wanted, None, tuple(memories), lost, views, None)


def _of_memory(
    store: Store, memory: MemoryEntry, recipe: str, k: int, search: Callable[[], SearchReport]
) -> WhyNot:
    if memory.recipe != recipe:
        raise UsageError(
            f"{memory.recipe} remembers this, and {recipe} was asked.", f"Ask {memory.recipe} instead."
        )
    ids = list(dict.fromkeys(source.message_id for source in memory.sources))
    found = store.messages_by_id(ids)
    messages = tuple(found[i] for i in ids if i in found)
    triples = store.triples(memory.owner, recipe=recipe, memory_ids=[memory.id])
    made = {memory.id: tuple(StandIn(triple.id, "triple", triple.relation) for triple in triples)}
    report = search()
    rank = _rank(report, Evidence(messages, "results", None, memory.id))
    wanted = Evidence(messages, "results", rank, memory.id)
    lost = loss_of(wanted, report, k, made)
    instead = _instead(report, messages) if lost is not None else None
    views = view_places(wanted, report, made)
    return WhyNot(report.query, recipe, k, wanted, memory, (memory,), lost, views, instead)


def _rank(report: SearchReport, wanted: Evidence) -> int | None:
    return next((n for n, hit in enumerate(report.hits, 1) if stands_for(hit, wanted.ids)), None)


def _instead(report: SearchReport, messages: tuple[Message, ...]) -> tuple[int, Hit] | None:
    ids = {message.id for message in messages}
    return next(((n, hit) for n, hit in enumerate(report.hits, 1) if stands_for(hit, ids)), None)


def _is_of(store: Store, message: Message, owner: str) -> bool:
    """Whether a message is in a conversation of the owner's."""
    session = store.session(message.session_id)
    own = {conversation.id for conversation in store.conversations(owner)}
    return session is not None and session.conversation_id in own


def messages_with(store: Store, owner: str, words: str, *, limit: int) -> list[Message]:
    """The owner's first messages that have all of these words, regardless of case."""
    wanted = words.casefold().split()
    found: list[Message] = []
    for conversation in store.conversations(owner) if wanted else ():
        for message in store.messages_of(conversation.id):
            text = message.text.casefold()
            if all(word in text for word in wanted):
                found.append(message)
                if len(found) == limit:
                    return found
    return found
