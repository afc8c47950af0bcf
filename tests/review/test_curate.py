"""What a person does to memories by hand: what it changes, what is refused, and what one undo takes back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from memcore.domain.errors import ConflictError, NotFoundError, UsageError
from memcore.domain.models import Entity, LogRead, MemoryEntry, Source, Triple
from memcore.memory import Memory
from memcore.review.curate import acts
from tests.pipeline import JANUARY, log

MARCH = datetime(2024, 3, 1)


@pytest.fixture
def filled(memory: Memory) -> Iterator[Memory]:
    """Ann likes tea; Ann has Rex; Ben likes tea."""
    memory.ingest(LogRead((log(["likes tea. has Rex.", "likes tea."]),)))
    return memory


def one(memory: Memory, text: str) -> MemoryEntry:
    (found,) = [m for m in memory.memories.find(states=None) if (m.text, m.state) == (text, "active")]
    return found


def texts(memory: Memory) -> set[str]:
    return {m.text for m in memory.memories.find()}


def found(memory: Memory, question: str, **where: Any) -> list[str]:
    return [hit.text for hit in memory.search(question, **where).hits if hit.kind == "memory"]


def relations(memory: Memory) -> set[tuple[str, str, str]]:
    names = {e.id: e.name for e in memory.graph.entities()}
    return {
        (names[t.subject_id], t.relation, names[t.object_id])
        for t in memory.graph.triples()
        if t.mentions and t.invalidated_at is None
    }


def triple(memory: Memory, relation: str, object_: str) -> Triple:
    """Ann's."""
    names = {e.id: e.name for e in memory.graph.entities()}
    said = (entity(memory, "Ann").id, relation, object_)
    (match,) = [t for t in memory.graph.triples() if (t.subject_id, t.relation, names[t.object_id]) == said]
    return match


def entity(memory: Memory, name: str) -> Entity:
    (match,) = [e for e in memory.graph.entities() if e.name == name and not e.merged_into]
    return match


def state(memory: Memory) -> dict[str, Any]:
    """All that counts; what an undone act had made is deleted, and a name that nothing points to."""
    store = memory.store
    memories = {m.id: m for m in store.memories("me", states=None) if m.state != "deleted"}
    triples = {t.id: t for t in store.triples("me") if t.mentions}
    entities = {e.id: e for e in store.entities("me") if not e.merged_into}
    return {**memories, **triples, **entities, "by hand": store.curations("me")}


# --------------------------------------------------------------------------- memories


def test_a_correction_answers_for_no_moment_with_what_was_never_true(filled: Memory) -> None:
    tea = one(filled, "Ann likes tea")
    done = filled.curation.do(acts.EditMemories((tea.id,), "Ann likes coffee"))
    assert texts(filled) == {"Ann likes coffee", "Ann has Rex", "Ben likes tea"}
    assert one(filled, "Ann likes coffee").id == tea.id
    later = JANUARY + timedelta(days=40)
    for moment in (None, later):
        assert "Ann likes coffee" in found(filled, "What does Ann like?", as_of=moment)
        assert "Ann likes tea" not in found(filled, "What does Ann like?", as_of=moment)
    assert ("Ann", "likes", "tea") not in relations(filled)
    filled.undo(done.event_id)
    assert texts(filled) == {"Ann likes tea", "Ann has Rex", "Ben likes tea"}
    assert ("Ann", "likes", "tea") in relations(filled)


def test_an_update_answers_for_the_time_before_with_what_was_true_then(filled: Memory) -> None:
    tea = one(filled, "Ann likes tea")
    filled.curation.do(acts.EditMemories((tea.id,), "Ann likes coffee", since=MARCH))
    before, after = MARCH - timedelta(days=1), MARCH + timedelta(days=1)
    assert "Ann likes tea" in found(filled, "What does Ann like?", as_of=before)
    assert "Ann likes coffee" not in found(filled, "What does Ann like?", as_of=before)
    assert "Ann likes coffee" in found(filled, "What does Ann like?", as_of=after)
    assert "Ann likes tea" not in found(filled, "What does Ann like?", as_of=after)
    assert triple(filled, "likes", "tea").invalidated_at == MARCH
    with pytest.raises(UsageError, match="holds from"):
        filled.curation.do(
            acts.EditMemories((one(filled, "Ann has Rex").id,), "x", since=JANUARY - timedelta(days=9))
        )


def test_an_edited_text_is_embedded_anew(filled: Memory) -> None:
    rex = one(filled, "Ann has Rex")
    filled.curation.do(acts.EditMemories((rex.id,), "Ann keeps parrots called Kiwi and Mango"))
    vector = filled.backends.embedder().embed(["Ann keeps parrots called Kiwi and Mango"])[0]
    (nearest, score), *_ = filled.store.semantic("me", vector, 3, kind="memory")
    assert (nearest, round(score, 3)) == (rex.id, 1.0)
    assert all(finding.sound for finding in filled.store.check())


def test_time_persons_and_kind_of_many_at_once(filled: Memory) -> None:
    ids = tuple(m.id for m in filled.memories.find())
    done = filled.curation.do(
        acts.EditMemories(ids, event=acts.EventTime(MARCH), persons=("Cleo",), kind="event")
    )
    assert {(m.event_at, m.persons, m.kind) for m in filled.memories.find()} == {(MARCH, ("Cleo",), "event")}
    assert len({event.batch for event in filled.review.history(limit=3)}) == 1
    filled.undo(done.event_id)
    assert {m.event_at for m in filled.memories.find()} == {None}


def test_wrong_is_out_of_every_answer_and_listed_by_stage_with_what_it_said(filled: Memory) -> None:
    tea, rex = one(filled, "Ann likes tea"), one(filled, "Ann has Rex")
    filled.curation.do(acts.MarkWrong((tea.id,), "person", "It was Ben"))
    done = filled.curation.do(acts.EditMemories((rex.id,), "Ann had Rex", stage="time", reason="He died"))
    assert texts(filled) == {"Ann had Rex", "Ben likes tea"}
    assert "Ann likes tea" not in found(filled, "What does Ann like?", as_of=MARCH)
    wrong = filled.curation.wrong()
    assert [(row.stage, row.recipe, row.text, row.reason) for row in wrong.rows] == [
        ("person", "memscope", "Ann likes tea", "It was Ben"),
        ("time", "memscope", "Ann has Rex", "He died"),
    ]
    assert wrong.rows[0].sources == tea.sources
    assert filled.curation.wrong("you").rows == ()
    filled.undo(done.event_id)
    assert [row.stage for row in filled.curation.wrong().rows] == ["person"]


def test_a_reason_without_a_stage_is_listed_too(filled: Memory) -> None:
    tea, rex = one(filled, "Ann likes tea"), one(filled, "Ann has Rex")
    filled.curation.do(acts.EditMemories((tea.id,), "Ann likes coffee", reason="She said coffee"))
    filled.curation.do(acts.EditMemories((rex.id,), "Ann has a dog, Rex"))
    assert [(row.stage, row.reason) for row in filled.curation.wrong().rows] == [("other", "She said coffee")]


def test_what_ended_answers_for_the_time_before(filled: Memory) -> None:
    rex = one(filled, "Ann has Rex")
    filled.curation.do(acts.End((rex.id,), MARCH))
    assert "Ann has Rex" not in found(filled, "What does Ann have?")
    assert "Ann has Rex" in found(filled, "What does Ann have?", as_of=MARCH - timedelta(days=1))
    assert triple(filled, "has", "Rex").invalidated_at == MARCH


def test_merged_and_split_memories_never_count_on_their_own_again(filled: Memory) -> None:
    before = state(filled)
    tea, rex = one(filled, "Ann likes tea"), one(filled, "Ann has Rex")
    merged = filled.curation.do(acts.MergeMemories((tea.id, rex.id), "Ann likes tea and has Rex"))
    (made,) = merged.made
    assert texts(filled) == {"Ann likes tea and has Rex", "Ben likes tea"}
    assert set(filled.memories.by_id([made])[made].sources) == {*tea.sources, *rex.sources}
    whole = (acts.Part("Ann likes tea", tea.sources), acts.Part("Ann has Rex"))
    split = filled.curation.do(acts.SplitMemory(made, whole))
    assert texts(filled) == {"Ann likes tea", "Ann has Rex", "Ben likes tea"}
    assert one(filled, "Ann likes tea") != tea
    assert found(filled, "Ann", as_of=MARCH).count("Ann likes tea and has Rex") == 0
    filled.undo(split.event_id)
    filled.undo(merged.event_id)
    assert state(filled) == before


def test_a_memory_by_hand_rests_on_the_words_named_and_is_found(filled: Memory) -> None:
    (message,) = [
        m for s in filled.evidence.sessions() for m in filled.store.messages(s.id) if "Rex" in m.text
    ]
    words = Source(message.id, 11, 18)
    add = acts.AddMemory("Rex is a brown dog", (words,), "memscope", persons=("Ann",))
    (made,) = filled.curation.do(add).made
    memory = filled.memories.by_id([made])[made]
    assert (memory.sources, memory.speaker, memory.mentioned_at) == ((words,), "Ann", message.said_at)
    assert found(filled, "What is Rex?")[0] == "Rex is a brown dog"
    assert filled.memories.view(made).memory == memory
    with pytest.raises(UsageError, match="characters"):
        filled.curation.do(acts.CiteWords(made, (Source(message.id, 0, 999),)))
    filled.curation.do(acts.CiteWords(made, (Source(message.id, 0, 5),)))
    assert filled.memories.by_id([made])[made].sources == (Source(message.id, 0, 5),)


# --------------------------------------------------------------------------- the graph


def test_a_relation_is_corrected_ended_and_marked_wrong(filled: Memory) -> None:
    tea = triple(filled, "has", "Rex")
    filled.curation.do(acts.ChangeRelation(tea.id, "walks"))
    assert ("Ann", "walks", "Rex") in relations(filled)
    filled.curation.do(acts.End((tea.id,), MARCH))
    assert triple(filled, "walks", "Rex").invalidated_at == MARCH
    filled.curation.do(acts.MarkWrong((tea.id,), "graph", "It is a cat"))
    assert not filled.graph.triples(ids=[tea.id])[0].mentions
    assert [(row.object_type, row.text) for row in filled.curation.wrong().rows] == [
        ("triple", "Ann walks Rex")
    ]


def test_entities_are_renamed_retyped_merged_and_split(filled: Memory) -> None:
    before = state(filled)
    ann, bob = entity(filled, "Ann"), entity(filled, "Ben")
    done = [filled.curation.do(acts.RenameEntity(ann.id, "Ann Lee"))]
    assert entity(filled, "Ann Lee").aliases == ("Ann",)
    assert filled.store.embeddings(filled.store.embedding_model, ["Ann Lee has Rex"])
    done.append(filled.curation.do(acts.RetypeEntities((ann.id,), "robot")))
    assert entity(filled, "Ann Lee").type == "ROBOT"
    done.append(filled.curation.do(acts.MergeEntities((ann.id, bob.id))))
    assert filled.store.entities_by_id([bob.id])[bob.id].merged_into == ann.id
    likes = next(t for t in filled.graph.triples() if t.subject_id == bob.id)
    done.append(filled.curation.do(acts.SplitEntity(ann.id, "Ben", (likes.id,), ("Ben",))))
    assert entity(filled, "Ben").id == bob.id
    has = next(t for t in filled.graph.triples() if t.relation == "has")
    done.append(filled.curation.do(acts.SplitEntity(ann.id, "Ann Roy", (has.id,), type="alter ego")))
    assert ("Ann Roy", "has", "Rex") in relations(filled)
    assert entity(filled, "Ann Roy").type == "ALTER_EGO"
    for step in reversed(done):
        filled.undo(step.event_id)
    assert state(filled) == before
    assert "Ann Roy" not in {e.name for e in filled.graph.entities() if not e.merged_into}


# --------------------------------------------------------------------------- before it is done


def test_a_preview_shows_words_and_questions_and_changes_nothing(filled: Memory) -> None:
    tea = one(filled, "Ann likes tea")
    filled.curation.note_question("What does Ann like?", [])
    filled.curation.note_question("Who has Rex?", [], recipe="lightmem")
    events = len(filled.review.history())
    preview = filled.curation.preview(acts.MarkWrong((tea.id,), "person"))
    assert len(filled.review.history()) == events
    assert [(o.part, o.object_type, o.before, o.after) for o in preview.objects][:1] == [
        ("chosen", "memory", "Ann likes tea", "")
    ]
    (question,) = preview.affected
    assert question.question == "What does Ann like?"
    assert tea.id in {hit.id for hit in question.dropped}
    edit = filled.curation.preview(acts.EditMemories((tea.id,), "Ann likes coffee"))
    (reworded,) = edit.affected[0].reworded
    assert (reworded[0].text, reworded[1].text) == ("Ann likes tea", "Ann likes coffee")
    assert [(p.op, p.text) for p in edit.objects[0].diff] == [
        ("equal", "Ann likes "), ("delete", "tea"), ("insert", "coffee")
    ]  # fmt: skip


def test_what_has_changed_since_the_preview_is_refused_with_who_did_it(filled: Memory) -> None:
    tea = one(filled, "Ann likes tea")
    preview = filled.curation.preview(acts.EditMemories((tea.id,), "Ann likes coffee"))
    filled.curation.do(acts.EditMemories((tea.id,), "Ann likes milk"), actor="bob")
    with pytest.raises(ConflictError, match="by bob"):
        filled.curation.do(preview.act, expected=preview.expected)
    assert "Ann likes milk" in texts(filled)


def test_what_belongs_to_somebody_else_is_unknown(filled: Memory) -> None:
    tea = one(filled, "Ann likes tea")
    for act in (acts.Delete((tea.id,)), acts.AddMemory("x", tea.sources, "memscope")):
        with pytest.raises(NotFoundError):
            filled.curation.do(act, owner="you")


@pytest.mark.parametrize(
    "act",
    [
        lambda ids: acts.EditMemories((ids["tea"],), "  "),
        lambda ids: acts.EditMemories((ids["tea"],), "Ann likes tea"),
        lambda ids: acts.EditMemories((ids["tea"], ids["rex"]), "one text"),
        lambda ids: acts.EditMemories((ids["tea"],), event=acts.EventTime(None, MARCH)),
        lambda ids: acts.MergeMemories((ids["tea"],), "alone"),
        lambda ids: acts.SplitMemory(ids["tea"], (acts.Part("one"),)),
        lambda ids: acts.End((ids["tea"],), datetime(2000, 1, 1)),
        lambda ids: acts.Delete(()),
        lambda ids: acts.RenameEntity(ids["tea"], "Ann"),
        lambda ids: acts.MergeMemories((ids["ann"], ids["tea"]), "both"),
        lambda ids: acts.SplitEntity(ids["ann"], "Ben", ("tri_unknown",)),
        lambda ids: acts.AddMemory("on nothing", (), "memscope"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(filled: Memory, act: Any) -> None:
    ids = {
        "tea": one(filled, "Ann likes tea").id,
        "rex": one(filled, "Ann has Rex").id,
        "ann": entity(filled, "Ann").id,
    }
    before = state(filled)
    with pytest.raises(UsageError):
        filled.curation.do(act(ids))
    assert state(filled) == before


# --------------------------------------------------------------------------- later runs


def test_what_a_person_removed_does_not_come_back_when_it_is_said_again(filled: Memory) -> None:
    tea, rex = one(filled, "Ann likes tea"), one(filled, "Ann has Rex")
    filled.curation.do(acts.MarkWrong((tea.id,), "person"))
    filled.curation.do(acts.EditMemories((rex.id,), "Ann has a parrot"))
    said_again = LogRead((log(["likes tea. has Rex. likes jazz."], name="later"),))
    filled.ingest(said_again)
    assert texts(filled) == {"Ann has a parrot", "Ann likes jazz", "Ben likes tea"}
    assert relations(filled) >= {("Ann", "likes", "jazz"), ("Ben", "likes", "tea")}
    assert not relations(filled) & {("Ann", "likes", "tea"), ("Ann", "has", "Rex")}
    withheld = [e for e in filled.review.history() if e.kind == "memory.withheld"]
    assert len(withheld) == 2
    assert all(finding.sound for finding in filled.store.check())


def test_after_an_undo_it_may_be_said_again(filled: Memory) -> None:
    tea = one(filled, "Ann likes tea")
    done = filled.curation.do(acts.Delete((tea.id,)))
    filled.undo(done.event_id)
    filled.ingest(LogRead((log(["likes tea."], name="later"),)))
    assert len([m for m in filled.memories.find() if m.text == "Ann likes tea"]) == 2


def test_a_session_read_again_leaves_what_a_person_decided(filled: Memory) -> None:
    tea, rex = one(filled, "Ann likes tea"), one(filled, "Ann has Rex")
    filled.curation.do(acts.Delete((tea.id,)))
    filled.curation.do(acts.EditMemories((rex.id,), "Ann had Rex"))
    (session,) = filled.evidence.sessions()
    starts = [message.id for message in filled.store.messages(session.id)]
    filled.resegment(session.id, starts)
    assert texts(filled) == {"Ann had Rex", "Ben likes tea"}
    assert ("Ann", "likes", "tea") not in relations(filled)


def test_an_entity_keeps_name_and_type_and_a_relation_what_it_says(filled: Memory) -> None:
    ann, has = entity(filled, "Ann"), triple(filled, "has", "Rex")
    filled.curation.do(acts.RenameEntity(ann.id, "Ann Lee"))
    filled.curation.do(acts.RetypeEntities((ann.id,), "THING"))
    filled.curation.do(acts.ChangeRelation(has.id, "walks"))
    filled.ingest(LogRead((log(["has Rex. likes jazz."], name="later"),)))
    assert (entity(filled, "Ann Lee").id, entity(filled, "Ann Lee").type) == (ann.id, "THING")
    assert ("Ann Lee", "walks", "Rex") in relations(filled)
    assert ("Ann Lee", "has", "Rex") not in relations(filled)


def test_no_automatic_rule_decides_about_what_a_person_made(filled: Memory) -> None:
    filled.ingest(LogRead((log(["likes tea."], name="twice"),)))
    filled.consolidate()
    filled.review.switch_rule("exact duplicates", True)
    (rule,) = [r for r in filled.review.rules() if r.rule.name == "exact duplicates"]
    assert len(rule.fitting) == 1
    tea = next(m for m in filled.memories.find() if m.text == "Ann likes tea")
    filled.curation.do(acts.EditMemories((tea.id,), kind="preference"))
    (rule,) = [r for r in filled.review.rules() if r.rule.name == "exact duplicates"]
    assert rule.fitting == ()


# --------------------------------------------------------------------------- questions


def test_the_newest_questions_are_kept_once_each_and_by_owner(filled: Memory) -> None:
    for number in range(55):
        filled.curation.note_question(f"Question {number}?", [])
    filled.curation.note_question("Question 30?", ["mem_1"])
    filled.curation.note_question("Another's?", [], owner="you")
    asked = filled.curation.questions()
    assert len(asked) == 50
    assert (asked[0].text, asked[0].result_ids) == ("Question 30?", ("mem_1",))
    assert len({question.text for question in asked}) == 50
    assert [question.text for question in filled.curation.questions("you")] == ["Another's?"]
