"""What a sleep-time decision is: LightMem's update queue in, one decision per queue out.

`Decider` is the seam: rules (no LLM) and a language model both implement it. A decision changes
nothing; `review` turns it into a proposal, and only a person's approval changes a memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memcore.domain.models import Candidate, MemoryEntry, Risk

Action = Literal["update", "merge", "delete", "invalidate", "ignore"]


@dataclass(frozen=True, slots=True)
class UpdateQueue:
    """One target and the similar memories of the same time or later (LightMem section 3.3).

    `candidates` are (memory, cosine to the target), best first; `of_assistant` are the ids, the target's
    included, of those that are an assistant's words. Queues are independent of each other, so they may be
    decided in any order or in parallel.
    """

    target: MemoryEntry
    candidates: tuple[tuple[MemoryEntry, float], ...]
    of_assistant: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Decision:
    """What should become of `target`, and why.

    `update` and `merge` carry `new_text` (update: a refinement is integrated into the target;
    merge: target and `against` say the same and become one); `delete`, `invalidate` and `ignore`
    carry None. `queue` is everything the decision was compared with, `against` the ids of those
    candidates it rests on. `together` are further memories that say what the target says and end with it
    (delete, invalidate, update). `made_by` is the rule's name, or the model and prompt version.

    `error` is set when no decision could be had (a model's answer was unusable): the action is then
    `ignore` and nothing is proposed, but it is shown, and it does not count as decided.
    """

    target: MemoryEntry
    queue: tuple[Candidate, ...]
    action: Action
    new_text: str | None
    reason: str
    made_by: str
    risk: Risk
    against: tuple[str, ...] = ()
    error: str = ""
    together: tuple[str, ...] = ()


Outcome = Literal["ignored", "proposed", "known", "deferred", "changed", "failed"]


@dataclass(frozen=True, slots=True)
class QueueDecision:
    """A decided queue as the trace keeps it: the decision, and what became of it.

    `queue` names decider, target and members. `outcome`: ignored; proposed; known (proposed or turned
    down before); deferred (a proposal about it is waiting already); changed (a memory of it was changed
    meanwhile); failed (see `error`). `proposal` is the id to look at, of the one it was
    deferred for included; empty when there is none. `decided`: need not be decided again.
    """

    queue: str
    target: str
    candidates: tuple[Candidate, ...]
    action: Action
    against: tuple[str, ...]
    reason: str
    made_by: str
    outcome: Outcome
    proposal: str
    decided: bool
    error: str


class Decider(Protocol):
    """Decides update queues. `name` says what is active, for screens."""

    name: str

    def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
        """One decision per queue, in the same order."""
        ...
