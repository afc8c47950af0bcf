"""`memory.review`: what waits for a person, what it would change, and what was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER, Event, Proposal, RuleSwitch, Run
from memcore.domain.protocols import Cancelled, Progress
from memcore.inspection import objects, update_queue
from memcore.inspection.objects import ProposalView
from memcore.inspection.update_queue import QueuesView
from memcore.memory.rights import Rights, needs
from memcore.retrieval.question import SearchTools
from memcore.review import automatic, standing
from memcore.review.additions import Addition, propose_addition
from memcore.review.automatic import RuleState
from memcore.review.consolidate import ConsolidationReport
from memcore.review.decide import Decided
from memcore.review.standing import StandingDecision
from memcore.runs import dry_run
from memcore.runs.dry_run import ConsolidationPreview
from memcore.runs.record import RunRecord
from memcore.runtime.backends import Backends
from memcore.store import SqlStore
from memcore.systems.registry import SYSTEMS, system_named

ConsolidateCopy = Callable[
    [SqlStore, str, str | None, Progress | None, Cancelled | None], ConsolidationReport
]
"""Consolidation of a store that is not the facade's own: store, owner, system, progress, cancelled."""


class Review:
    """Proposals, update queues, dry runs, automatic rules and history. Deciding (approve, reject, edit,
    undo) is on the facade."""

    def __init__(
        self,
        store: SqlStore,
        rights: Rights,
        backends: Backends,
        record: RunRecord,
        consolidate: ConsolidateCopy,
        default_system: Callable[[str], str],
    ) -> None:
        self._store = store
        self._rights = rights
        self._backends = backends
        self._record = record
        self._consolidate = consolidate
        self._default_system = default_system

    # ------------------------------------------------------------------ proposals

    @needs("read")
    def proposals(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        states: Sequence[str] | None = ("pending",),
        recipe: str | None = None,
    ) -> list[Proposal]:
        """Proposals in these states (None: all), of one system's memories, if one is named."""
        return self._store.proposals(owner, states=states, recipe=recipe)

    @needs("read")
    def proposal(self, proposal_id: str, *, owner: str = DEFAULT_OWNER) -> ProposalView:
        """One of the owner's proposals with diff, candidates and evidence. Raises NotFoundError."""
        return objects.proposal_view(self._store, proposal_id, owner=owner)

    @needs("read")
    def to_undo(self, proposal_id: str = "", *, owner: str = DEFAULT_OWNER) -> StandingDecision | None:
        """The decision that one takes back first: that on this proposal, whoever made it; where it waits, or
        none is named, the last that stands; of who has logged in, the last of their own or of an automatic
        rule. None: there is none (what something else superseded, nobody decided)."""
        named = self._store.proposal(proposal_id) if proposal_id else None
        if named is not None and named.owner == owner and named.state != "pending":
            return standing.decision_on(self._store, named)
        own = (self._rights.person, *(rule.actor for rule in automatic.RULES))
        return standing.last_decision(self._store, owner, None if self._rights.unlimited else own)

    @needs("review")
    def propose(
        self, addition: Addition, *, owner: str = DEFAULT_OWNER, recipe: str | None = None
    ) -> Proposal:
        """Let another program's memory wait for a person, in a system's memory (None: the one that answers
        by default). Remembers nothing. What was proposed before is returned as it has become. Raises
        UsageError for a system whose search would never find it."""
        chosen = system_named(recipe or self._default_system(owner)).name
        if not SYSTEMS[chosen].finds_unlinked_memories:
            takes = ", ".join(name for name, one in SYSTEMS.items() if one.finds_unlinked_memories)
            raise UsageError(
                f"{chosen} finds memories only through its graph, so never one that stands alone.",
                f"Add it to the memory of another recipe: {takes}.",
            )
        if known := self._store.proposal(addition.proposal_id(owner, chosen)):
            return known
        run = self._record.begin(owner, chosen, "propose")
        proposal = propose_addition(self._store, run, addition)
        self._record.finish(run, proposals=1)
        return proposal

    # ------------------------------------------------------------------ update queues and dry runs

    @needs("read")
    def consolidations(self, owner: str = DEFAULT_OWNER) -> list[Run]:
        """The owner's consolidations, newest first."""
        return update_queue.consolidations(self._store, owner)

    @needs("read")
    def queues(
        self,
        run_id: str | None = None,
        *,
        owner: str = DEFAULT_OWNER,
        actions: Sequence[str] | None = None,
        contains: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> QueuesView | None:
        """The update queues of a consolidation, as `update_queue.queues_view`."""
        return update_queue.queues_view(
            self._store, owner, run_id, actions=actions, contains=contains, limit=limit, offset=offset
        )

    @needs("review")
    def preview_consolidation(
        self,
        questions: Sequence[str] = (),
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        k: int = 10,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> ConsolidationPreview:
        """What `consolidate` would propose, and which questions would retrieve differently if all that
        then waits were approved. Tried on a copy; the store is left alone. Raises as `consolidate`,
        UsageError for an empty question, and CancelledError."""
        return dry_run.preview_consolidation(
            self._store,
            lambda copy: self._consolidate(copy, owner, recipe, progress, cancelled),
            self._asking(questions, owner, recipe, k),
            progress=progress,
            cancelled=cancelled,
        )

    @needs("review")
    def preview_approval(
        self,
        proposal_ids: Sequence[str],
        questions: Sequence[str] = (),
        *,
        owner: str = DEFAULT_OWNER,
        k: int = 10,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> ConsolidationPreview:
        """Which questions would retrieve differently if these proposals were approved. Tried on a copy;
        the store is left alone. Raises NotFoundError, UsageError for an empty question, CancelledError."""
        first = self.proposal(proposal_ids[0], owner=owner).proposal if proposal_ids else None
        return dry_run.preview_approval(
            self._store,
            proposal_ids,
            self._asking(questions, owner, first.recipe if first else None, k),
            progress=progress,
            cancelled=cancelled,
        )

    def _asking(self, questions: Sequence[str], owner: str, recipe: str | None, k: int) -> dry_run.Asking:
        chosen = system_named(recipe or self._default_system(owner))
        own = self._backends.settings.of(chosen.name)
        tools = SearchTools(self._backends.embedder(), own=own)
        return dry_run.Asking(tuple(questions), chosen.search, tools, owner, chosen.name, k)

    # ------------------------------------------------------------------ automatic rules

    @needs("read")
    def rules(self, owner: str = DEFAULT_OWNER) -> tuple[RuleState, ...]:
        """The rules that may decide for a person, which of them are on, and what each would approve now."""
        return automatic.rule_states(self._store, owner)

    @needs("administer")
    def switch_rule(
        self, name: str, on: bool, *, owner: str = DEFAULT_OWNER, actor: str = "person"
    ) -> RuleSwitch:
        """Switch an automatic rule on or off. Raises UsageError for an unknown one."""
        return automatic.switch(self._store, owner, name, on, actor)

    @needs("review")
    def decide_automatically(self, owner: str = DEFAULT_OWNER) -> tuple[Decided, ...]:
        """Let the rules that are on approve what waits; `consolidate` and `ingest` end with this."""
        return automatic.decide_automatically(self._store, self._backends.embedder_when_needed(), owner)

    # ------------------------------------------------------------------ history

    @needs("read")
    def history(
        self, object_id: str | None = None, *, owner: str = DEFAULT_OWNER, limit: int | None = None
    ) -> list[Event]:
        """What happened to the owner's memory (to one object of it), oldest first; with a limit, the newest
        that many."""
        events = self._store.events(object_id=object_id, owner=owner, limit=limit, newest_first=True)
        return events[::-1]

    @needs("read")
    def step(self, batch: str, *, owner: str = DEFAULT_OWNER) -> list[Event]:
        """Everything that happened in one step, which one undo takes back, oldest first."""
        return self._store.events(batch=batch, owner=owner)

    @needs("read")
    def decisions(self, *, owner: str = DEFAULT_OWNER, limit: int | None = None) -> list[Event]:
        """What people decided, edited, undid and moved (topic boundaries), newest first; no run did it."""
        decided = self._store.events(run_id="", owner=owner, limit=limit, newest_first=True)
        moved = self._store.events(object_type="topic_cut", owner=owner, limit=limit, newest_first=True)
        both = {event.seq: event for event in (*decided, *moved)}
        return [both[seq] for seq in sorted(both, reverse=True)][:limit]
