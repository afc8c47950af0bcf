"""What an act makes of memories: from the objects as they are to the objects as they become. Pure.

A correction and an update are different. What a person corrects was never true: the memory keeps its id and
gets the new text, time, persons or words, so that no question, asked of whatever moment, is answered with
what stood there; that stays in the event (current state is what the events say), and a run that reads the
same message again makes the same id and finds it taken. An update (`since`) was true until then: it becomes a
new memory, and the old one is superseded and answers for the time before. Marking wrong and deleting take a
memory out of every search at every time; ending it leaves the time before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from memcore.domain.errors import UsageError
from memcore.domain.models import MemoryEntry, Proposal, Source, stable_id
from memcore.review.apply import Affected, Changes, kept_details, memory_changes, valid_since
from memcore.review.curate.acts import (
    AddMemory,
    CiteWords,
    Delete,
    EditMemories,
    End,
    MarkWrong,
    MergeMemories,
    Part,
    SplitMemory,
)
from memcore.review.curate.scene import Scene
from memcore.review.curate.stating import restated


@dataclass(frozen=True, slots=True)
class Making:
    """When an act is done, the store's embedding model, and which ids are taken."""

    at: datetime
    embedding_model: str
    taken: Callable[[str], bool]

    def free(self, make: Callable[[int], str]) -> str:
        """The first id that stands for nothing yet: what was made and undone keeps its own."""
        number = 0
        while self.taken(made := make(number)):
            number += 1
        return made


def memories_of(scene: Scene, *states: str) -> list[MemoryEntry]:
    """The targets, all of them memories. Raises UsageError where one is none, or in no state of these."""
    found = []
    for one in scene.targets:
        if not isinstance(one, MemoryEntry):
            raise UsageError(f"{one.id} is no memory.", "Name memories.")
        if one.state not in states:
            raise UsageError(
                f"The memory {one.id} “{one.text}” is {one.state} already.",
                "Undo that first (`history` lists it), or choose a memory that stands.",
            )
        found.append(one)
    return found


STANDING = ("active", "superseded", "invalidated")


def edited(act: EditMemories, scene: Scene, making: Making) -> Changes:
    """See `EditMemories`."""
    if (act.text is not None and len(act.ids) > 1) or act.kind == "":
        raise UsageError(
            "One text cannot be given to several memories, nor no kind.", "Edit them one by one."
        )
    before = memories_of(scene, "active") if act.since else memories_of(scene, *STANDING)
    after = [_edited(memory, act, making) for memory in before]
    if all(was == becomes for was, becomes in zip(before, after, strict=True)):
        raise UsageError("That is what is remembered already.", "Change the text, time, persons or kind.")
    if act.since is None:
        return Changes(tuple(after), restated(scene, before, after, at=making.at))
    memories: list[MemoryEntry] = []
    for was, becomes in zip(before, after, strict=True):
        if (since := valid_since(was)) and act.since <= since:
            raise UsageError(
                f"“{was.text}” holds from {since:%Y-%m-%d} on, so it cannot have changed before.",
                "Name a later date, or correct it without one.",
            )
        new_id = making.free(partial(_person_id, scene.owner, becomes.text, was.id))
        memories.append(replace(becomes, id=new_id, valid_from=act.since))
        memories.append(replace(was, state="superseded", valid_to=act.since, superseded_by=new_id))
    successors = [memory for memory in memories if memory.state == "active"]
    return Changes(tuple(memories), restated(scene, before, successors, at=making.at, ended=act.since))


def _edited(memory: MemoryEntry, act: EditMemories, making: Making) -> MemoryEntry:
    text = memory.text if act.text is None else _text(act.text)
    event = (memory.event_at, memory.event_end) if act.event is None else (act.event.at, act.event.end)
    _check_time(*event)
    persons = kept_details(text, [memory], "persons") if act.persons is None else act.persons
    return replace(
        memory,
        text=text,
        event_at=event[0],
        event_end=event[1],
        persons=persons,
        entities=kept_details(text, [memory], "entities"),
        keywords=kept_details(text, [memory], "keywords"),
        kind=memory.kind if act.kind is None else act.kind,
        embedding_model=memory.embedding_model if text == memory.text else making.embedding_model,
    )


def removed(act: MarkWrong | Delete, scene: Scene, making: Making) -> Changes:
    """Out of every search, at whatever time."""
    gone = memories_of(scene, *STANDING)
    deleted = tuple(replace(memory, state="deleted") for memory in gone)
    return Changes(deleted, restated(scene, gone, (), at=making.at))


def ended(act: End, scene: Scene, making: Making) -> Changes:
    """They held until `on`."""
    gone = memories_of(scene, "active")
    for memory in gone:
        if (since := valid_since(memory)) and act.on < since:
            raise UsageError(
                f"“{memory.text}” holds from {since:%Y-%m-%d} on, so it cannot have ended before.",
                "Name a later date, or mark it wrong.",
            )
    after = tuple(replace(memory, state="invalidated", valid_to=act.on) for memory in gone)
    return Changes(after, restated(scene, gone, (), at=making.at, ended=act.on))


def merged(act: MergeMemories, scene: Scene, making: Making) -> Changes:
    """As an approved merge, in a person's words."""
    parents = memories_of(scene, "active")
    if len(parents) < 2 or len({memory.recipe for memory in parents}) > 1:
        raise UsageError("A merge takes two or more memories of one system.", "Select them again.")
    text = _text(act.text)
    key = making.free(partial(_person_id, scene.owner, text, *(m.id for m in parents)))
    proposal = Proposal(
        id=key,
        owner=scene.owner,
        operation="merge",
        target_ids=tuple(memory.id for memory in parents),
        candidates=(),
        before="",
        after=text,
        reason="",
        made_by="",
        risk="low",
        state="applied",
        created_at=making.at,
        recipe=parents[0].recipe,
    )
    names = {i: entity.name for i, entity in scene.entities.items()}
    affected = Affected(tuple(parents), (), scene.triples, names, scene.active_ids)
    changes = memory_changes(proposal, affected, embedding_model=making.embedding_model, at=making.at)
    assert changes.made is not None, "a merge makes a memory"
    made = changes.made.id
    return Changes(
        tuple(_renamed(memory, made, key) for memory in changes.memories),
        tuple(
            replace(t, memory_ids=tuple(key if i == made else i for i in t.memory_ids))
            for t in changes.triples
        ),
    )


def _renamed(memory: MemoryEntry, made: str, key: str) -> MemoryEntry:
    return replace(memory, id=key) if memory.id == made else replace(memory, superseded_by=key)


def split(act: SplitMemory, scene: Scene, making: Making) -> Changes:
    """The whole never counts on its own again; each part holds as long as the whole did."""
    (whole,) = memories_of(scene, "active")
    if len(act.parts) < 2 or len({part.text.strip() for part in act.parts}) < len(act.parts):
        raise UsageError("A split takes two or more different texts.", "Write each part.")
    parts = [_part(part, number, whole, scene.owner, making) for number, part in enumerate(act.parts)]
    gone = replace(whole, state="superseded", valid_to=valid_since(whole), superseded_by=parts[0].id)
    return Changes((*parts, gone), restated(scene, [whole], parts, at=making.at))


def _part(part: Part, number: int, whole: MemoryEntry, owner: str, making: Making) -> MemoryEntry:
    text = _text(part.text)
    return replace(
        whole,
        id=making.free(partial(_person_id, owner, text, whole.id, number)),
        text=text,
        run_id="",
        sources=part.sources or whole.sources,
        keywords=kept_details(text, [whole], "keywords"),
        persons=kept_details(text, [whole], "persons"),
        entities=kept_details(text, [whole], "entities"),
        embedding_model=making.embedding_model,
    )


def added(act: AddMemory, scene: Scene, making: Making) -> Changes:
    """Valid from when its words were said."""
    text = _text(act.text)
    if not act.sources:
        raise UsageError("A memory rests on words.", "Name the message, and the words of it, that say so.")
    _check_time(act.event.at, act.event.end)
    first = scene.messages[act.sources[0].message_id]
    times = [m.said_at for m in scene.messages.values() if m.said_at is not None]
    made = MemoryEntry(
        id=making.free(partial(_person_id, scene.owner, text, act.recipe, *map(str, act.sources))),
        owner=scene.owner,
        text=text,
        kind=act.kind or "fact",
        recipe=act.recipe,
        run_id="",
        sources=tuple(dict.fromkeys(act.sources)),
        speaker=first.speaker,
        mentioned_at=max(times, default=None),
        event_at=act.event.at,
        event_end=act.event.end,
        persons=act.persons,
        valid_from=min(times, default=None),
        embedding_model=making.embedding_model,
    )
    return Changes((made,), made=made)


def cites(act: CiteWords, scene: Scene, making: Making) -> Changes:
    """The same statement on other words; it is said when those were."""
    (memory,) = memories_of(scene, *STANDING)
    sources: Sequence[Source] = tuple(dict.fromkeys(act.sources))
    if not sources or tuple(sources) == memory.sources:
        raise UsageError("These are the words it cites already.", "Name others.")
    first = scene.messages[sources[0].message_id]
    times = [m.said_at for m in scene.messages.values() if m.said_at is not None]
    since = min(times, default=None)
    keeps = memory.valid_from is None or memory.valid_from != memory.mentioned_at or memory.state != "active"
    after = replace(
        memory,
        sources=tuple(sources),
        speaker=first.speaker,
        mentioned_at=max(times, default=None),
        valid_from=memory.valid_from if keeps else since,
    )
    return Changes((after,))


def _person_id(owner: str, *parts: object) -> str:
    return stable_id("mem", "person", owner, *parts)


def _text(text: str) -> str:
    if not text.strip():
        raise UsageError("A memory needs a text.", "Write one.")
    return text.strip()


def _check_time(at: datetime | None, end: datetime | None) -> None:
    if end is not None and (at is None or end <= at):
        raise UsageError("The described time ends before it begins.", "Name a later end, or none.")
