"""What an approved proposal changes: from the objects as they are to the objects as they become.

Pure: nothing is read or stored here, so the same function serves one approval and a hundred.
Nothing is ever removed. A replaced memory keeps its text, its sources and the time it held, so a
question asked "as of" an earlier moment still finds it:

* update: a new memory from the moment of the newest statement on; the target held until then.
* merge: a new memory from the earliest statement on; the merged ones never count on their own again.
* delete, invalidate: the target held until the newer statement, which stays as it is (Mem0's open
  source drops both on a contradiction).
* add: a new memory that cites the words it was proposed in, which are the proposing program's.
* merge_entities: the first target survives with everybody's names. Triples keep their ends;
  whoever reads them follows `merged_into` (`inspection.graph.entity_graph`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from memcore.domain.errors import UsageError
from memcore.domain.models import Entity, MemoryEntry, Message, Proposal, Source, Triple, stable_id

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Changes:
    """Objects to store. `made` is the memory that an add, update or merge creates, also in `memories`."""

    memories: tuple[MemoryEntry, ...] = ()
    triples: tuple[Triple, ...] = ()
    entities: tuple[Entity, ...] = ()
    made: MemoryEntry | None = None


@dataclass(frozen=True, slots=True)
class Affected:
    """The objects a memory proposal touches, as they are now: its targets, the candidates it rests
    on, the targets' triples, the names of those triples' ends, and the ids of every memory that
    states one of those triples and is still active."""

    targets: tuple[MemoryEntry, ...]
    candidates: tuple[MemoryEntry, ...]
    triples: tuple[Triple, ...] = ()
    names: dict[str, str] | None = None
    active_ids: frozenset[str] = frozenset()


def memory_changes(proposal: Proposal, affected: Affected, *, embedding_model: str, at: datetime) -> Changes:
    """The effect of an update, merge, delete or invalidate proposal approved at `at`."""
    if proposal.operation in ("update", "merge"):
        return _replaced(proposal, affected, embedding_model, at)
    if proposal.operation in ("delete", "invalidate"):
        return _ended(affected, at)
    raise UsageError(
        f"Proposal {proposal.id} asks for {proposal.operation!r}, which changes no stored memory.",
        "Reject this proposal.",
    )


def addition_changes(proposal: Proposal, words: Message, *, embedding_model: str) -> Changes:
    """The memory that an add proposal makes, in its own words or those a person edited it to; its evidence
    stays what the program wrote (`words`)."""
    made = MemoryEntry(
        id=stable_id("mem", "proposal", proposal.id),
        owner=proposal.owner,
        text=proposal.after or words.text,
        kind="fact",
        recipe=proposal.recipe,
        run_id=proposal.run_id,
        sources=(Source(words.id, 0, len(words.text)),),
        speaker=words.speaker,
        mentioned_at=words.said_at,
        valid_from=words.said_at,
        embedding_model=embedding_model,
    )
    return Changes((made,), made=made)


def entity_changes(targets: Sequence[Entity]) -> Changes:
    """Merge all targets into the first."""
    survivor, *others = targets
    names = [n for entity in targets for n in (entity.name, *entity.aliases) if n != survivor.name]
    seen = [t for e in targets for t in (e.first_seen, e.last_seen) if t is not None]
    types = [entity.type for entity in targets if entity.type != "THING"]
    merged = replace(
        survivor,
        aliases=tuple(dict.fromkeys(names)),
        type=types[0] if types else survivor.type,
        first_seen=min(seen, default=None),
        last_seen=max(seen, default=None),
    )
    return Changes(entities=(merged, *(replace(other, merged_into=survivor.id) for other in others)))


def valid_since(memory: MemoryEntry) -> datetime | None:
    """Since when it holds: as stored, else when it was said."""
    return memory.valid_from or memory.mentioned_at


def _replaced(proposal: Proposal, affected: Affected, embedding_model: str, at: datetime) -> Changes:
    parents = tuple({m.id: m for m in (*affected.targets, *affected.candidates)}.values())
    made = _combined(proposal, parents, embedding_model)
    memories = []
    for target in affected.targets:
        until = valid_since(target) if proposal.operation == "merge" else made.valid_from
        memories.append(replace(target, state="superseded", valid_to=until, superseded_by=made.id))
    replaced_ids = {target.id for target in affected.targets}
    texts = {target.id: target.text for target in affected.targets}
    triples = []
    for triple in affected.triples:
        stated_in = " ".join(texts[i] for i in triple.memory_ids if i in texts)
        ends = [(affected.names or {}).get(i, "") for i in (triple.subject_id, triple.object_id)]
        if all(still_said(name, stated_in, made.text) for name in ends):
            memory_ids = tuple(dict.fromkeys((*triple.memory_ids, made.id)))
            triples.append(replace(triple, memory_ids=memory_ids))
        elif triple.invalidated_at is None and not stated_elsewhere(
            triple, replaced_ids, affected.active_ids
        ):
            triples.append(replace(triple, invalidated_at=made.valid_from or at))
    return Changes((made, *memories), tuple(triples), made=made)


def _ended(affected: Affected, at: datetime) -> Changes:
    newer = max(affected.candidates, key=lambda m: (valid_since(m) or datetime.min, m.id), default=None)
    until = valid_since(newer) if newer else at
    ended_ids = {target.id for target in affected.targets}
    memories = [
        replace(target, state="invalidated", valid_to=until, superseded_by=newer.id if newer else None)
        for target in affected.targets
    ]
    triples = [
        replace(triple, invalidated_at=until or at)
        for triple in affected.triples
        if triple.invalidated_at is None and not stated_elsewhere(triple, ended_ids, affected.active_ids)
    ]
    return Changes(tuple(memories), tuple(triples))


def _combined(proposal: Proposal, parents: Sequence[MemoryEntry], embedding_model: str) -> MemoryEntry:
    """The new memory: everything from the parent whose words it keeps, or else from the newest one,
    completed by the others, the newest first. A detail whose words a person edited away is not carried
    over."""
    text = proposal.after or proposal.before
    by_age = sorted(parents, key=lambda m: (valid_since(m) or datetime.min, m.id))
    same_words = [m for m in by_age if m.text == text]
    lead = (same_words or by_age)[-1]
    others = [m for m in reversed(by_age) if m.id != lead.id]
    since = [t for t in map(valid_since, parents) if t is not None]
    merging = proposal.operation == "merge"
    dated = next((m for m in (lead, *others) if m.event_at is not None), lead)
    if not merging and same_words:
        dated = lead  # the time an older wording spoke of may be the plan's, not the deed's
    return replace(
        lead,
        id=stable_id("mem", "proposal", proposal.id),
        text=text,
        run_id=proposal.run_id,
        sources=_union(m.sources for m in (lead, *others)),
        mentioned_at=max((m.mentioned_at for m in parents if m.mentioned_at), default=None),
        event_at=dated.event_at,
        event_end=dated.event_end,
        keywords=kept_details(text, [lead, *others], "keywords"),
        persons=kept_details(text, [lead, *others], "persons"),
        entities=kept_details(text, [lead, *others], "entities"),
        valid_from=(min if merging else max)(since, default=None),
        valid_to=None,
        superseded_by=None,
        state="active",
        embedding_model=embedding_model,
    )


def kept_details(text: str, parents: Sequence[MemoryEntry], name: str) -> tuple[str, ...]:
    """The parents' keywords, persons or entities (`name`) that a new text has not dropped."""
    return _union(
        [detail for detail in getattr(parent, name) if still_said(detail, parent.text, text)]
        for parent in parents
    )


def still_said(name: str, before: str, after: str) -> bool:
    """False only when the old words had the name and the new ones do not."""
    return name.casefold() in after.casefold() or name.casefold() not in before.casefold()


def stated_elsewhere(triple: Triple, gone: set[str], active_ids: frozenset[str]) -> bool:
    """Whether a memory that stays still states the triple."""
    return any(i in active_ids and i not in gone for i in triple.memory_ids)


def _union(groups: Iterable[Iterable[Item]]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
