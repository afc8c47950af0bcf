"""A person's decisions on proposals: approve, reject, edit, undo.

One call is one transaction and one batch of events, so one undo takes all of it back. A decision is
made against what the person saw: if a target or a candidate has changed since the proposal was
made, nothing is applied and the person is told what changed. What an approval changes is in
`apply`; nothing here judges whether a proposal is right. An id of another owner's is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memcore.domain.errors import ConflictError, NotFoundError, UsageError
from memcore.domain.models import (
    DEFAULT_OWNER,
    Entity,
    Event,
    MemoryEntry,
    Proposal,
    ProposalState,
    Triple,
    now,
)
from memcore.domain.models.erasure import ERASURE
from memcore.domain.protocols import Embedder, Store, StoreWriter, Vectors
from memcore.review.apply import Affected, Changes, addition_changes, entity_changes, memory_changes
from memcore.review.curate import perform
from memcore.review.proposals import corrects
from memcore.review.unsupported import correction_of

WRITING = ("add", "update", "merge")
"""Operations that write a text, which a person may edit."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one proposal. `conflict` says why it was not decided (empty: it was), and
    `memory_id` names the memory that an add, update or merge made."""

    proposal: Proposal
    memory_id: str | None = None
    conflict: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """Outcomes in the order asked. `undo` with `event_id` takes back the whole call."""

    outcomes: tuple[Outcome, ...]
    batch: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: the batch it took back, how many objects went back to their earlier state,
    and the event to undo if that was wrong (redo)."""

    undone_batch: str
    objects: int
    batch: str
    event_id: str


def approve(
    store: Store, embedder: Embedder, ids: Sequence[str], actor: str, *, owner: str = DEFAULT_OWNER
) -> Decided:
    """Apply proposals, in order, each on top of those before it.

    New texts are embedded and stored with them (LightMem's published update keeps the old vector); a
    text that is known word for word has its vector already, so nothing is asked of `embedder`.
    A proposal that conflicts becomes "superseded" and leaves the others alone. Raises NotFoundError
    for an unknown id, and ConflictError when not one proposal could be applied.
    """
    proposals = _found(store, ids, owner)
    waiting = [p for p in proposals if p.state == "pending"]
    texts = list(dict.fromkeys(p.after for p in waiting if p.operation in WRITING and p.after))
    known = store.embeddings(embedder.model_id, texts) if texts else {}
    new = [text for text in texts if text not in known]
    vectors = dict(zip(new, embedder.embed(new), strict=True)) if new else {}
    with store.write(actor=actor) as writer:
        desk = _Desk(store, writer, embedder, vectors, set(known), actor)
        outcomes = tuple(desk.approve(proposal) for proposal in _found(store, ids, owner))
    return _decided(store, writer.batch, outcomes)


def reject(store: Store, ids: Sequence[str], actor: str, *, owner: str = DEFAULT_OWNER) -> Decided:
    """Turn proposals down; they are not proposed again while their memories stay as they are.

    Raises NotFoundError for an unknown id, and ConflictError when all were decided before.
    """
    with store.write(actor=actor) as writer:
        outcomes = []
        for proposal in _found(store, ids, owner):
            conflict = _already_decided(store, proposal)
            if not conflict:
                proposal = _marked(proposal, "rejected", actor)
                writer.put_proposals([proposal], kind="proposal.rejected")
            outcomes.append(Outcome(proposal, conflict=conflict))
    return _decided(store, writer.batch, tuple(outcomes))


def edit(store: Store, proposal_id: str, text: str, actor: str, *, owner: str = DEFAULT_OWNER) -> Proposal:
    """Change the text an add, update or merge would write. It stays pending; `edited_from` keeps what
    was proposed first. Raises NotFoundError, ConflictError (already decided) and UsageError (an
    empty text, or an operation that writes none)."""
    text = text.strip()
    with store.write(actor=actor) as writer:
        (proposal,) = _found(store, [proposal_id], owner)
        if conflict := _already_decided(store, proposal):
            raise ConflictError(conflict, "Undo that decision first, then edit.")
        if proposal.operation not in WRITING:
            raise UsageError(
                f"Proposal {proposal.id} ({proposal.operation}) writes no text that could be edited.",
                "Approve or reject it as it is.",
            )
        if not text:
            raise UsageError("A memory needs a text.", "Write one, or reject the proposal.")
        if corrects(proposal) and text == proposal.before:
            raise UsageError("That is what is remembered already.", "Change it, or reject the proposal.")
        proposed = proposal.edited_from if proposal.edited_from is not None else proposal.after
        edited = replace(proposal, after=text, edited_from=None if text == proposed else proposed)
        writer.put_proposals([edited], kind="proposal.edited")
    return edited


def undo(store: Store, event_id: str, actor: str, *, owner: str = DEFAULT_OWNER) -> Undone:
    """Take back everything that happened together with an event, as new events.

    An undo is undone like anything else (redo). What did not exist before is kept, marked deleted.
    Raises NotFoundError for an unknown event, and ConflictError naming the later event when an
    object has been changed since by something else, or everything was erased. What of it was erased
    stays so.
    """
    found = store.events(event_id=event_id)
    if not found or any(e.owner not in (owner, "") for e in store.events(batch=found[0].batch)):
        raise NotFoundError(f"{owner} has no event with the id {event_id!r}.", "List them with `history`.")
    if found[0].object_type == "grant":
        raise UsageError(
            "What was granted to a person is not undone with what is remembered.",
            "Grant it again, or take it back: under Settings, or with `python -m memcore people`.",
        )
    undone_batch = found[0].batch
    with store.write(actor=actor) as writer:
        events = [e for e in store.events(batch=undone_batch) if e.object_type != ERASURE]
        if not events:
            raise ConflictError(
                "What was erased is gone for good.", "Import the log again, if it should be remembered."
            )
        left_as = {event.object_id: event for event in events}
        for object_id, last in left_as.items():
            (newest,) = store.events(object_id=object_id, newest_first=True, limit=1)
            if newest.after != last.after:
                raise _changed_later(last, newest, {event.id for event in events})
        for event in reversed(events):
            writer.restore(event.object_type, event.object_id, event.before, undo_of=event.id)
    return Undone(undone_batch, len(left_as), writer.batch, store.events(batch=writer.batch, limit=1)[0].id)


class _Desk:
    """Proposals being applied in one open transaction. Reads of the store still show the state
    before it, so what earlier proposals changed is remembered here for the later ones."""

    def __init__(
        self,
        store: Store,
        writer: StoreWriter,
        embedder: Embedder,
        vectors: dict[str, Vectors],
        known: set[str],
        actor: str,
    ) -> None:
        self._store = store
        self._writer = writer
        self._embedder = embedder
        self._vectors = vectors
        self._known = known
        self._actor = actor
        self._memories: dict[str, MemoryEntry] = {}
        self._triples: dict[str, Triple] = {}
        self._entities: dict[str, Entity] = {}

    def approve(self, proposal: Proposal) -> Outcome:
        if conflict := _already_decided(self._store, proposal):
            return Outcome(proposal, conflict=conflict)
        changed = set(self._memories) | set(self._entities)
        if conflict := conflict_with(self._store, proposal, changed_here=changed):
            proposal = _marked(proposal, "superseded", self._actor)
            self._writer.put_proposals([proposal], kind="proposal.superseded")
            return Outcome(proposal, conflict=conflict)
        proposal = _marked(proposal, "applied", self._actor)
        if corrects(proposal):
            self._correct(proposal)
            return Outcome(proposal)
        changes = self._changes(proposal)
        self._put(proposal, changes)
        return Outcome(proposal, memory_id=changes.made.id if changes.made else None)

    def _correct(self, proposal: Proposal) -> None:
        """Do by the person's hand what the proposal stands for."""
        [target] = self._store.memories_by_id(proposal.target_ids).values()
        at = proposal.decided_at or now()
        planned = perform.plan(
            self._store,
            correction_of(proposal, target),
            proposal.owner,
            embedding_model=self._embedder.model_id,
            at=at,
            changed_here={**self._memories, **self._triples, **self._entities},
        )
        perform.put(
            self._store,
            self._writer,
            self._embedder,
            planned,
            actor=self._actor,
            at=at,
            vectors=self._vectors,
        )
        self._writer.put_proposals([proposal], kind="proposal.applied")
        self._remember(planned.changes)

    def _changes(self, proposal: Proposal) -> Changes:
        targets = proposal.target_ids
        if proposal.operation == "merge_entities":
            entities = self._store.entities_by_id(targets) | self._entities
            return entity_changes([entities[i] for i in targets])
        if proposal.operation == "add":
            words = self._store.messages_by_id([proposal.words_id])[proposal.words_id]
            return addition_changes(proposal, words, embedding_model=self._embedder.model_id)
        memories = self._store.memories_by_id([*targets, *(c.memory_id for c in proposal.candidates)])
        stored = self._store.triples(proposal.owner, memory_ids=targets)
        triples = [self._triples.get(triple.id, triple) for triple in stored]
        stating = sorted({i for triple in triples for i in triple.memory_ids})
        others = self._store.memories_by_id(stating) | self._memories
        ends = sorted({i for triple in triples for i in (triple.subject_id, triple.object_id)})
        affected = Affected(
            targets=tuple(memories[i] for i in targets),
            candidates=tuple(memories[c.memory_id] for c in proposal.candidates),
            triples=tuple(triples),
            names={i: entity.name for i, entity in self._store.entities_by_id(ends).items()},
            active_ids=frozenset(i for i in stating if i in others and others[i].state == "active"),
        )
        at = proposal.decided_at or now()
        return memory_changes(proposal, affected, embedding_model=self._embedder.model_id, at=at)

    def _put(self, proposal: Proposal, changes: Changes) -> None:
        if changes.made is not None and changes.made.text not in self._known:
            text = changes.made.text
            if text not in self._vectors:  # edited by someone else a moment ago
                self._vectors[text] = self._embedder.embed([text])[0]
            codes = dict(zip([text], self._embedder.token_codes([text]), strict=True))
            self._writer.add_embeddings(self._embedder.model_id, {text: self._vectors[text]}, codes)
        for memory in changes.memories:
            kind = "memory.added" if memory is changes.made else f"memory.{memory.state}"
            self._writer.put_memories([memory], kind=kind)
        self._writer.put_triples(changes.triples, kind="triple.changed")
        self._writer.put_entities(changes.entities, kind="entity.merged")
        self._writer.put_proposals([proposal], kind="proposal.applied")
        self._remember(changes)

    def _remember(self, changes: Changes) -> None:
        self._memories |= {memory.id: memory for memory in changes.memories}
        self._triples |= {triple.id: triple for triple in changes.triples}
        self._entities |= {entity.id: entity for entity in changes.entities}


def conflict_with(store: Store, proposal: Proposal, *, changed_here: set[str] | None = None) -> str:
    """Why a pending proposal can no longer be applied: what it rests on has changed since it was
    made. Empty when it can. `changed_here` are objects the current transaction has changed."""
    if proposal.operation == "add" and not store.messages_by_id([proposal.words_id]):
        return f"The words in which {proposal.id} was proposed are not in this store."
    ids = list(dict.fromkeys([*proposal.target_ids, *(c.memory_id for c in proposal.candidates)]))
    about_entities = proposal.operation == "merge_entities"
    made = next(
        (e.seq for e in store.events(object_id=proposal.id, newest_first=True) if e.kind == "proposal.made"),
        0,
    )
    problem = _entity_problem if about_entities else _memory_problem
    current: dict[str, Any] = dict(store.entities_by_id(ids) if about_entities else store.memories_by_id(ids))
    for object_id in ids:
        if object_id in (changed_here or ()):
            return f"{object_id} was changed by another proposal approved in the same step."
        if object_id not in current:
            return f"{object_id} does not exist."
        events = store.events(object_id=object_id)
        if why := problem(current[object_id], events, made):
            return why + (f" ({_who(events[-1])})." if events else ".")
    return ""


def _memory_problem(memory: MemoryEntry, events: Sequence[Event], made: int) -> str:
    if memory.state != "active":
        by = f" by {memory.superseded_by}" if memory.superseded_by else ""
        return f"The memory {memory.id} “{memory.text}” is no longer active: {memory.state}{by}"
    seen = [event.after for event in events if event.seq <= made]
    if events and seen and seen[-1] != events[-1].after:
        return f"The memory {memory.id} “{memory.text}” was changed since this was proposed"
    return ""


def _entity_problem(entity: Entity, events: Sequence[Event], made: int) -> str:
    """An entity may be seen again and get new spellings; only another merge or name matters."""
    if entity.merged_into:
        return f"The entity “{entity.name}” was merged into {entity.merged_into}"
    seen = [event.after for event in events if event.seq <= made and event.after]
    if seen and seen[-1] is not None and seen[-1]["name"] != entity.name:
        return f"The entity “{entity.name}” was renamed since this was proposed"
    return ""


def _found(store: Store, ids: Sequence[str], owner: str) -> list[Proposal]:
    if not ids:
        raise UsageError("No proposal was named.", "Name one or more ids; `review list` shows them.")
    proposals = []
    for proposal_id in dict.fromkeys(ids):
        proposal = store.proposal(proposal_id)
        if proposal is None or proposal.owner != owner:
            raise NotFoundError(
                f"{owner} has no proposal with the id {proposal_id!r}.",
                "List the pending ones with `review list`.",
            )
        proposals.append(proposal)
    return proposals


def _already_decided(store: Store, proposal: Proposal) -> str:
    if proposal.state == "pending":
        return ""
    (last,) = store.events(object_id=proposal.id, newest_first=True, limit=1)
    return f"Proposal {proposal.id} is {proposal.state} already ({_who(last)})."


def _marked(proposal: Proposal, state: ProposalState, actor: str) -> Proposal:
    return replace(proposal, state=state, decided_at=now(), decided_by=actor)


def _decided(store: Store, batch: str, outcomes: tuple[Outcome, ...]) -> Decided:
    if all(outcome.conflict for outcome in outcomes):
        raise ConflictError(
            " ".join(outcome.conflict for outcome in outcomes),
            "Nothing was applied. Look at the history; run `consolidate` for proposals on the present state.",
        )
    return Decided(outcomes, batch, store.events(batch=batch, limit=1)[0].id)


def _changed_later(last: Event, newest: Event, undone: set[str]) -> ConflictError:
    what = f"{last.object_type} {last.object_id}"
    if newest.undo_of in undone:
        return ConflictError(
            f"This was undone already ({_who(newest)}).",
            f"To redo it, undo {newest.id}.",
            object_id=last.object_id,
        )
    return ConflictError(
        f"The {what} was changed later ({_who(newest)}); undoing now would overwrite that.",
        f"Undo {newest.id} first.",
        object_id=last.object_id,
    )


def _who(event: Event) -> str:
    return f"{event.kind} by {event.actor}, {_minute(event.at)}, event {event.id}"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
