"""What a person made or corrected stands, whichever system reads on: a later run only ever proposes."""

from __future__ import annotations

import pytest

from memcore.domain.models import LogRead, MemoryEntry, Source
from memcore.memory import Memory
from memcore.review.curate import acts
from memcore.systems.registry import SYSTEMS
from tests.pipeline import log

SAID = (["likes tea."], ["has Rex."], ["likes jazz."], ["plays chess."])
"""A session each, so that every system makes a memory of each."""


def about(memory: Memory, recipe: str, words: str) -> MemoryEntry:
    (found,) = memory.memories.find(recipe=recipe, contains=words)
    return found


def decided(memory: Memory, recipe: str) -> dict[str, MemoryEntry]:
    """Mark one wrong, correct one, delete one, change one, add one: the memories as a person left them."""
    wrong, corrected, deleted, retimed = (
        about(memory, recipe, words) for words in ("tea", "Rex", "jazz", "chess")
    )
    do = memory.curation.do
    do(acts.MarkWrong((wrong.id,), "person", "It was Ben"))
    do(acts.EditMemories((corrected.id,), corrected.text.replace("Rex", "a parrot")))
    do(acts.Delete((deleted.id,)))
    do(acts.EditMemories((retimed.id,), kind="preference"))
    ids = [wrong.id, corrected.id, deleted.id, retimed.id]
    if SYSTEMS[recipe].finds_unlinked_memories:
        source = Source(retimed.sources[0].message_id, 0, 5)
        ids += do(acts.AddMemory("Ann won a cup", (source,), recipe)).made
    return memory.memories.by_id(ids)


@pytest.mark.parametrize("recipe", SYSTEMS)
def test_what_a_person_decided_stands_whatever_a_later_run_reads(memory: Memory, recipe: str) -> None:
    memory.ingest(LogRead((log(*SAID),)), recipe=recipe)
    gone = {about(memory, recipe, words).text for words in ("tea", "Rex", "jazz")}
    left = decided(memory, recipe)
    events = {object_id: memory.review.history(object_id) for object_id in left}

    memory.ingest(LogRead((log(*SAID, ["has a parrot."], name="later"),)), recipe=recipe)
    memory.consolidate(recipe=recipe)

    assert memory.memories.by_id(list(left)) == left
    assert {object_id: memory.review.history(object_id) for object_id in left} == events
    said = {one.text for one in memory.memories.find(recipe=recipe)}
    assert not said & gone, "what is wrong or unwanted does not come back in the same words"
    assert {one.state for one in memory.review.proposals()} <= {"pending"}
    assert all(finding.sound for finding in memory.store.check())


GRAPHS = [name for name, one in SYSTEMS.items() if one.graph]


@pytest.mark.parametrize("recipe", GRAPHS)
def test_a_persons_name_and_type_of_an_entity_stand(memory: Memory, recipe: str) -> None:
    memory.ingest(LogRead((log(*SAID),)), recipe=recipe)
    ann = next(e for e in memory.graph.entities(recipe=recipe) if e.name == "Ann")
    memory.curation.do(acts.RenameEntity(ann.id, "Ann Lee"))
    memory.curation.do(acts.RetypeEntities((ann.id,), "robot"))
    memory.ingest(LogRead((log(*SAID, name="later"),)), recipe=recipe)
    (entity,) = [e for e in memory.graph.entities(recipe=recipe) if e.id == ann.id]
    assert (entity.name, entity.type) == ("Ann Lee", "ROBOT")


@pytest.mark.parametrize("recipe", GRAPHS)
def test_what_a_person_did_to_relations_stands(memory: Memory, recipe: str) -> None:
    memory.ingest(LogRead((log(*SAID),)), recipe=recipe)
    ends = {e.name: e.id for e in memory.graph.entities(recipe=recipe)}
    tea, rex = (
        next(t for t in memory.graph.triples(recipe=recipe) if t.object_id == ends[name])
        for name in ("tea", "Rex")
    )
    memory.curation.do(acts.Delete((tea.id,)))
    memory.curation.do(acts.ChangeRelation(rex.id, "walks"))
    memory.ingest(LogRead((log(*SAID, name="later"),)), recipe=recipe)
    found = {t.id: t for t in memory.graph.triples(recipe=recipe)}
    assert found[tea.id].mentions == 0
    assert found[rex.id].relation == "walks"
    standing = {(t.relation, t.object_id) for t in found.values() if t.mentions}
    assert not standing & {("likes", tea.object_id), ("has", rex.object_id)}


@pytest.mark.parametrize("recipe", GRAPHS)
@pytest.mark.parametrize("whom", ["Ann", "tea"])
def test_a_deleted_relation_stays_so_when_one_of_its_ends_has_a_new_name(
    memory: Memory, recipe: str, whom: str
) -> None:
    memory.ingest(LogRead((log(*SAID),)), recipe=recipe)
    ends = {e.name: e.id for e in memory.graph.entities(recipe=recipe)}
    tea = next(t for t in memory.graph.triples(recipe=recipe) if t.object_id == ends["tea"])
    memory.curation.do(acts.Delete((tea.id,)))
    memory.curation.do(acts.RenameEntity(ends[whom], f"{whom} of the east"))
    memory.ingest(LogRead((log(*SAID, name="later"),)), recipe=recipe)
    names = {e.id: e.name for e in memory.graph.entities(recipe=recipe)}
    assert sorted(names) == sorted(ends.values()), "the old name stands for the entity that had it"
    said = {
        (names[t.subject_id], names[t.object_id]) for t in memory.graph.triples(recipe=recipe) if t.mentions
    }
    assert not [pair for pair in said if pair[1].startswith("tea")]
    assert said, "what nobody deleted is said on"
