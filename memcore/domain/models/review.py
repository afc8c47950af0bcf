"""Changes that wait for a person, and what happened: proposals, rule switches, events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memcore.domain.models.evidence import Source
from memcore.domain.models.identity import (
    DEFAULT_RECIPE,
    CurationAct,
    Fault,
    Operation,
    ProposalState,
    Risk,
    stable_id,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member of an update queue: a memory and its similarity to the target (cosine)."""

    memory_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one recipe's memory that waits for a person. Nothing in the store changes until
    approval.

    `target_ids` are what would change (memories, or entities for merge_entities, or triples for
    invalidate; nothing for add), `candidates` what the decision compared them with. `before` is the
    target's text and `after` the text that would replace it (None: nothing replaces it). `edited_from`
    keeps the proposed text when a person edited it. `sources` is what the target would cite instead (cite).
    """

    id: str
    owner: str
    operation: Operation
    target_ids: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    before: str
    after: str | None
    reason: str
    made_by: str
    risk: Risk
    state: ProposalState
    created_at: datetime
    run_id: str = ""
    edited_from: str | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    recipe: str = DEFAULT_RECIPE
    sources: tuple[Source, ...] = ()

    @property
    def words_id(self) -> str:
        """Of an addition: the id of the message that keeps the words in which it was proposed."""
        return stable_id("msg", self.id)


@dataclass(frozen=True, slots=True)
class RuleSwitch:
    """Whether a person lets an automatic rule (`review.automatic`) decide an owner's proposals. A rule that
    has none is off."""

    id: str
    owner: str
    rule: str
    on: bool

    @staticmethod
    def id_for(owner: str, rule: str) -> str:
        """The id of the one switch that an owner and rule can have."""
        return stable_id("rule", owner, rule)


@dataclass(frozen=True, slots=True)
class Curation:
    """A person has decided about an object by hand, so that no run overrules it (`review.curate.protect`).

    `act` is the last such decision; `stage` and `reason` say what was wrong, where a person said so.
    `refused` are hashes of what was stated before and must not come back by itself: hashes, so that
    erasing the words leaves none of them here. An undone act is one that is not `standing`."""

    id: str
    owner: str
    object_type: str
    object_id: str
    act: CurationAct
    actor: str
    at: datetime
    stage: Fault = ""
    reason: str = ""
    refused: tuple[str, ...] = ()
    standing: bool = True
    recipe: str = DEFAULT_RECIPE

    @staticmethod
    def id_for(object_id: str) -> str:
        """The id of the one curation that an object can have."""
        return stable_id("cur", object_id)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that a person asked, and the ids of what came back, best first."""

    id: str
    owner: str
    recipe: str
    text: str
    asked_at: datetime
    result_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to which object. `before` and `after` are whole snapshots (None: did not
    exist); events of one decision or step share a `batch`, which is undone as a whole."""

    seq: int
    id: str
    at: datetime
    actor: str
    kind: str
    object_type: str
    object_id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    batch: str
    run_id: str = ""
    undo_of: str | None = None

    @property
    def owner(self) -> str:
        """Whose memory it changed; empty where the object was erased, or what is told is an erasure."""
        return str((self.after or self.before or {}).get("owner", ""))
