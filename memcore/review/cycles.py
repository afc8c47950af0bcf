"""Decisions that depend on each other in a cycle: a is replaced by b, and b by a.

Queues are decided independently of each other, so two memories of one moment can each be told to
replaced by the other (mutual deletion), or three in a cycle. Applied as decided, nothing of them
would be left. `proposals.ProposalQueue` lets one of the cycle wait for a person and mentions the others;
here the circles are found, to be shown. Memories that are to be merged with each other, by one
proposal, are no circle: what they say stays. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memcore.domain.models import Operation


@dataclass(frozen=True, slots=True)
class Replacement:
    """The memory `target` is replaced by those in `to`, by `operation` (update, merge, delete,
    invalidate). `proposal` is the id under which this is proposed; empty when it was deferred for
    another proposal itself."""

    target: str
    operation: Operation
    to: tuple[str, ...]
    proposal: str = ""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Memories each of which would be replaced, over some steps, by every other one: a strongly connected
    component. `steps` are the decisions inside it, `to` cut down to its members."""

    memory_ids: tuple[str, ...]
    steps: tuple[Replacement, ...]

    @property
    def is_mutual(self) -> bool:
        """Whether it is a pair."""
        return len(self.memory_ids) == 2


def find_cycles(steps: Iterable[Replacement]) -> tuple[Cycle, ...]:
    """The circles among decisions, each once, in the order of their first steps.

    >>> a, b, c = (Replacement(x, "delete", (y,)) for x, y in ("ab", "ba", "ca"))
    >>> [cycle.memory_ids for cycle in find_cycles([a, b, c])]
    [('a', 'b')]
    """
    import networkx as nx  # type: ignore[import-untyped]  # 0.2 s, which no other command needs

    steps = tuple(steps)
    graph = nx.DiGraph((step.target, other) for step in steps for other in step.to if other != step.target)
    circles = [part for part in nx.strongly_connected_components(graph) if len(part) > 1]
    place = {memory_id: i for i, step in reversed(list(enumerate(steps))) for memory_id in (step.target,)}
    cycles = []
    for circle in sorted(circles, key=lambda part: min(place[i] for i in part)):
        inside = tuple(
            Replacement(step.target, step.operation, tuple(i for i in step.to if i in circle), step.proposal)
            for step in steps
            if step.target in circle and circle.intersection(step.to)
        )
        proposals = {step.proposal for step in inside}
        if len(proposals) > 1 or "" in proposals:  # else one decision, said from both sides
            cycles.append(Cycle(tuple(sorted(circle, key=place.__getitem__)), inside))
    return tuple(cycles)
