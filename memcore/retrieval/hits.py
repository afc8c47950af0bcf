"""What the search strategies share: timing a view, and making a hit of a memory or a message."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from types import MappingProxyType

from memcore.domain.models import MemoryEntry, Message
from memcore.domain.protocols import Store
from memcore.retrieval.results import Hit, Quote, ViewTrace

SHOWN_IN_TRACE = 200
NONE_KNOWN: Mapping[str, Message] = MappingProxyType({})


class ViewTimer:
    """Runs views and keeps their rankings and times for the trace."""

    def __init__(self) -> None:
        self._views: list[ViewTrace] = []

    def run(self, name: str, view: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Scores by object id, as the view gives them."""
        scores, milliseconds = _timed(view)
        self.note(name, scores, milliseconds)
        return scores

    def run_at_once(
        self,
        store: Store,
        views: Mapping[str, Callable[[], dict[str, float]]],
        beside: Sequence[Callable[[], object]] = (),
        then: Callable[[str, Iterable[str]], object] = lambda name, ids: None,
    ) -> dict[str, dict[str, float]]:
        """Several views by name, which do not need each other, and whatever else can be done meanwhile. When
        a view has found something, `then` is told its name and the ids, while others are still looking."""
        timed: dict[str, tuple[dict[str, float], float]] = {}

        def look(name: str, view: Callable[[], dict[str, float]]) -> None:
            timed[name] = _timed(view)
            then(name, timed[name][0])

        store.at_once([*beside, *(partial(look, name, view) for name, view in views.items())])
        for name in views:
            self.note(name, *timed[name])
        return {name: timed[name][0] for name in views}

    def note(self, name: str, scores: Mapping[str, float], milliseconds: float) -> None:
        """Keep a ranking that was made elsewhere. A view asked again, deeper, stands for itself alone."""
        ranking = tuple((i, scores[i]) for i in best(scores, SHOWN_IN_TRACE))
        self._views = [view for view in self._views if view.view != name]
        self._views.append(ViewTrace(name, ranking, milliseconds))

    @property
    def views(self) -> tuple[ViewTrace, ...]:
        """What was timed so far, in the order it ran."""
        return tuple(self._views)


def _timed(view: Callable[[], dict[str, float]]) -> tuple[dict[str, float], float]:
    """What a view gives, and how many milliseconds it took."""
    begun = time.perf_counter()
    scores = view()
    return scores, (time.perf_counter() - begun) * 1000


def best(scores: Mapping[str, float], k: int) -> list[str]:
    """The ids of the k highest scores, best first, equals by id."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:k]  # a reversed sort is stable, too


def sources_of(
    store: Store, memories: Iterable[MemoryEntry], known: Mapping[str, Message] = NONE_KNOWN
) -> dict[str, Message]:
    """The messages that memories came from, by id; those `known` are not read again."""
    wanted = {source.message_id for memory in memories for source in memory.sources}
    unknown = sorted(wanted - known.keys())
    return {i: known[i] for i in wanted & known.keys()} | (store.messages_by_id(unknown) if unknown else {})


def memory_hit(
    memory: MemoryEntry,
    messages: Mapping[str, Message],
    components: dict[str, float],
    detail: dict[str, float | None] | None = None,
) -> Hit:
    """A memory with its words; `messages` holds its sources. The score is the components' sum."""
    return Hit(
        id=memory.id,
        kind="memory",
        text=memory.text,
        score=sum(components.values()),
        components=components,
        quotes=tuple(Quote(messages[s.message_id], s.start, s.end) for s in memory.sources),
        mentioned_at=memory.mentioned_at,
        event_at=memory.event_at,
        event_end=memory.event_end,
        state=memory.state,
        detail=detail or {},
    )


def newest_quoted_first(hit: Hit) -> Hit:
    """The hit with its quotes in the order of their days, the newest first, those of no day last; those of
    one day as they are."""
    days = {quote.message.said_at.date() for quote in hit.quotes if quote.message.said_at}
    if len(days) < 2:
        return hit
    return replace(hit, quotes=tuple(sorted(hit.quotes, key=_day_said, reverse=True)))


def _day_said(quote: Quote) -> date:
    said_at = quote.message.said_at
    return said_at.date() if said_at else date.min


def message_hit(message: Message, components: dict[str, float]) -> Hit:
    """A message that nothing was extracted from, as it was said."""
    return Hit(
        id=message.id,
        kind="message",
        text=f"{message.speaker}: {message.text}",
        score=sum(components.values()),
        components=components,
        quotes=(Quote(message, 0, len(message.text)),),
        mentioned_at=message.said_at,
    )
