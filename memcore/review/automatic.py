"""Rules that decide proposals for a person who has switched them on. All are off until then.

A rule approves what leaves nothing to judge, and nothing else: it rejects nothing, and what would delete
a memory or end it cannot be named in one. Its decisions are ordinary approvals whose actor is the rule
(`rule: exact duplicates`), so they stand in the history and one undo takes them back. What a person took
back, or edited, is theirs: no rule decides it again, nor about what a person made or corrected by hand.
Switching is itself an event, so that it can be seen and undone.

Whether to make a proposal at all is decided elsewhere (`rules`, `entities`): a rule here only reads what
waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import Entity, MemoryEntry, Proposal, RuleSwitch
from memcore.domain.names import entity_key
from memcore.domain.protocols import Embedder, Store
from memcore.review.curate.protect import letters
from memcore.review.decide import Decided, approve

Decidable = Literal["update", "merge", "merge_entities"]
"""What a rule may decide. Neither "delete" nor "invalidate" ever is."""


@dataclass(frozen=True, slots=True)
class AutomaticRule:
    """Approves waiting proposals of one operation. `says` tells a person what they would agree to; `fits`
    is asked with what the proposal would change, and what it was compared with, as they are now."""

    name: str
    operation: Decidable
    says: str
    fits: Callable[[Proposal, Sequence[MemoryEntry | Entity]], bool]

    @property
    def actor(self) -> str:
        """By whom its decisions are, as events and `Proposal.decided_by` name it."""
        return f"rule: {self.name}"


@dataclass(frozen=True, slots=True)
class RuleState:
    """A rule as an owner has it: on or off, and the ids of the waiting proposals that fit it."""

    rule: AutomaticRule
    on: bool
    fitting: tuple[str, ...]


def _same_words(proposal: Proposal, about: Sequence[MemoryEntry | Entity]) -> bool:
    """One speaker, one wording (but for capitals and marks), one described time."""
    memories = [one for one in about if isinstance(one, MemoryEntry)]
    said = {(letters(m.text), m.speaker, m.event_at, m.event_end, m.kind) for m in memories}
    return (
        len(memories) > 1
        and len(said) == 1
        and bool(memories[0].speaker)
        and letters(proposal.after or "") == letters(memories[0].text)
    )


def _same_name(proposal: Proposal, about: Sequence[MemoryEntry | Entity]) -> bool:
    """One type, and names that are one name but for capitals, articles and marks around them."""
    entities = [one for one in about if isinstance(one, Entity)]
    return len(entities) > 1 and len({(entity_key(e.name), e.type) for e in entities}) == 1


RULES: tuple[AutomaticRule, ...] = (
    AutomaticRule(
        "exact duplicates",
        "merge",
        "Merges memories of one speaker that say the same in the same words, of the same time.",
        _same_words,
    ),
    AutomaticRule(
        "same name",
        "merge_entities",
        "Merges entities of one type whose names differ only in capitals, articles and marks around them.",
        _same_name,
    ),
)


def rule_states(store: Store, owner: str) -> tuple[RuleState, ...]:
    """Every rule, whether the owner has switched it on, and what it would decide now."""
    on = _switched_on(store, owner)
    waiting = store.proposals(owner)
    return tuple(RuleState(rule, rule.name in on, _fitting(store, rule, waiting)) for rule in RULES)


def switch(store: Store, owner: str, name: str, on: bool, actor: str) -> RuleSwitch:
    """Let a rule decide the owner's proposals from now on, or no longer. Decides nothing. Raises UsageError
    for an unknown rule."""
    if name not in {rule.name for rule in RULES}:
        known = ", ".join(rule.name for rule in RULES)
        raise UsageError(f"There is no automatic rule {name!r}.", f"Choose one of: {known}.")
    switched = RuleSwitch(RuleSwitch.id_for(owner, name), owner, name, on)
    with store.write(actor=actor) as writer:
        writer.put_rule_switches([switched])
    return switched


def decide_automatically(store: Store, embedder: Embedder, owner: str) -> tuple[Decided, ...]:
    """Let the rules that are on approve what waits: a batch, and so an undo, a rule that had something to
    decide. What a person decides at the same moment is theirs."""
    on = _switched_on(store, owner)
    decided = []
    for rule in RULES:
        fitting = _fitting(store, rule, store.proposals(owner)) if rule.name in on else ()
        if fitting:
            try:
                decided.append(approve(store, embedder, fitting, rule.actor, owner=owner))
            except ConflictError:  # all of it was decided meanwhile, and whoever did so knows
                continue
    return tuple(decided)


def _switched_on(store: Store, owner: str) -> set[str]:
    return {switch.rule for switch in store.rule_switches(owner) if switch.on}


def _fitting(store: Store, rule: AutomaticRule, waiting: Sequence[Proposal]) -> tuple[str, ...]:
    asked = [p for p in waiting if p.operation == rule.operation and p.edited_from is None]
    by_hand = {c.object_id for p in asked[:1] for c in store.curations(p.owner)}
    named = {p.id: dict.fromkeys([*p.target_ids, *(c.memory_id for c in p.candidates)]) for p in asked}
    named = {key: ids for key, ids in named.items() if not by_hand & ids.keys()}
    every = list(dict.fromkeys(i for ids in named.values() for i in ids))
    standing: dict[str, MemoryEntry | Entity] = {
        **{key: one for key, one in store.memories_by_id(every).items() if one.state == "active"},
        **{key: one for key, one in store.entities_by_id(every).items() if not one.merged_into},
    }
    fitting = [
        proposal.id
        for proposal in asked
        if proposal.id in named
        and named[proposal.id].keys() <= standing.keys()
        and rule.fits(proposal, [standing[i] for i in named[proposal.id]])
    ]
    taken_back = _taken_back(store) if fitting else set()
    return tuple(i for i in fitting if i not in taken_back)


def _taken_back(store: Store) -> set[str]:
    """The proposals a decision on which was ever undone: those are a person's to decide."""
    return {event.object_id for event in store.events(object_type="proposal") if event.undo_of}
