"""What every Store must do, whatever keeps the data. The fixture `store` gives an empty one that
expects the vectors of `samples.EMBEDDER`."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log as ln
from typing import Any

import numpy as np
import pytest

from memcore.domain.errors import MemcoreError, NotFoundError, StoreError
from memcore.domain.models import (
    AskedQuestion,
    Coverage,
    Curation,
    Grant,
    Link,
    LlmCost,
    MemoryEntry,
    Proposal,
    RuleSwitch,
    Segment,
    SessionSummary,
    Source,
    StageTrace,
    triple_text,
)
from memcore.domain.protocols import Metadata, Store
from memcore.retrieval import views
from memcore.retrieval.results import QueryPlan
from tests.store.samples import (
    EMBEDDER,
    MAY_8,
    add_vectors,
    call,
    entity,
    log,
    memory,
    proposal,
    put,
    run,
    topic_cut,
    triple,
    vector,
)

# --------------------------------------------------------------------------- evidence


def test_evidence_comes_back_as_it_was_logged(store: Store) -> None:
    told = log("Hi Bob", "Hi Ann")
    with store.write(actor="test") as writer:
        assert writer.add_log(told) == 2
    assert store.conversations() == store.conversations("me") == [told.conversation]
    assert store.sessions(conversation_id="a") == store.sessions(owner="me") == list(told.sessions)
    assert store.session("a-s0") == told.sessions[0]
    assert store.messages("a-s0") == list(told.messages)
    assert store.messages_by_id(["a-s0-m1", "unknown"]) == {"a-s0-m1": told.messages[1]}
    assert (store.speakers("me"), store.speakers_of("a")) == (["Ann", "Bob"], ["Ann", "Bob"])
    assert store.last_said("me") == MAY_8 + timedelta(minutes=1)


def test_unknown_ids_give_nothing(store: Store) -> None:
    assert store.session("x") is None
    assert store.memory("x") is None
    assert store.proposal("x") is None
    assert store.run("x") is None
    assert store.find_object("x") is None
    assert store.last_event_of("x") is None
    assert store.last_said("nobody") is None
    assert store.messages("x") == store.memories("nobody") == store.triples("nobody") == []
    assert store.memories_by_id(["x"]) == store.entities_by_id([]) == {}


def test_storing_a_log_again_adds_only_what_is_new_and_changes_nothing(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi Bob"))
    with store.write(actor="test") as writer:
        assert writer.add_log(log("something else entirely", "Hi Ann")) == 1
    assert [message.text for message in store.messages("a-s0")] == ["Hi Bob", "Hi Ann"]


def test_pending_messages_are_those_the_recipe_has_not_marked(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("second session", session=1))
        writer.add_log(log("first", "again"))
        writer.add_log(log("of another owner", name="b", owner="you"))
        writer.mark_processed("memscope", ["a-s0-m0"], "run1")
    with store.write(actor="test") as writer:
        writer.mark_processed("memscope", ["a-s0-m0"], "run2")
    pending = [message.id for message in store.pending_messages("memscope", "me")]
    assert pending == ["a-s0-m1", "a-s1-m0"]
    assert len(store.pending_messages("mem0", "me")) == store.count_pending("mem0", "me") == 3
    assert store.count_pending("memscope", "me") == len(pending)
    assert store.pending_messages("mem0", "me", conversation_id="elsewhere") == []
    assert store.pending_conversations("memscope", "me") == {"a": 2}
    assert store.pending_conversations("mem0", "you") == {"b": 1}
    assert store.pending_conversations("mem0", "nobody") == {}


def test_a_conversation_is_read_whole_in_its_order(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("later", session=1))
        writer.add_log(log("first", "again"))
        writer.add_log(log("of another conversation", name="b"))
    assert [message.id for message in store.messages_of("a")] == ["a-s0-m0", "a-s0-m1", "a-s1-m0"]
    assert store.messages_of("nowhere") == []
    by_session = store.messages_by_session(["a-s1", "nowhere", "a-s0"])
    assert by_session == {session: store.messages(session) for session in ("a-s0", "a-s1")}
    assert store.messages_by_session([]) == {}


def test_a_run_covers_the_conversations_it_finished_messages_of_or_left_a_trace_in(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_run(run("run1"))
        writer.put_run(run("run2", recipe="mem0"))
        writer.add_log(log("first", "again"))
        writer.add_log(log("later", session=1))
        writer.add_log(log("another", name="b"))
        writer.add_log(log("of another owner", name="c", owner="you"))
        writer.mark_processed("memscope", ["a-s0-m0", "a-s1-m0", "c-s0-m0"], "run1")
        writer.mark_processed("mem0", ["a-s0-m1"], "run2")
        writer.add_traces([StageTrace("run2", "extract", unit, 0, 1.0, {}) for unit in ("b-s0", "run2")])
    assert store.coverage("me") == [
        Coverage("mem0", "run2", "a", 1),
        Coverage("mem0", "run2", "b", 0),
        Coverage("memscope", "run1", "a", 2),
    ]
    assert store.coverage("you") == [Coverage("memscope", "run1", "c", 1)]


def test_segments_are_listed_in_the_order_of_what_was_said(store: Store) -> None:
    late = Segment("seg_a", "a-s0", ("a-s0-m1",), "pets", {"method": "drift", "score": 0.25})
    early = Segment("seg_b", "a-s0", ("a-s0-m0",), "greeting")
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi", "I have a dog"))
        writer.add_segments([late, early])
    with store.write(actor="test") as writer:
        writer.add_segments([replace(late, topic="ignored: evidence never changes")])
    assert store.segments(session_id="a-s0") == [early, late]
    assert store.segments(ids=["seg_a"]) == [late]
    assert store.segments(message_ids=["a-s0-m0", "elsewhere"]) == [early]
    assert store.segments(message_ids=[]) == []


def test_a_persons_cut_of_a_session_is_found_by_session_and_recipe_and_has_a_history(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi", "I have a dog"))
        writer.add_segments([Segment("seg_a", "a-s0", ("a-s0-m0", "a-s0-m1"))])
    assert store.topic_cut("a-s0", "memscope") is None
    cut = topic_cut("a-s0", "seg_a")
    with store.write(actor="person") as writer:
        writer.put_topic_cuts([cut])
    assert store.topic_cut("a-s0", "memscope") == cut
    assert store.topic_cut("a-s0", "lightmem") is None
    assert store.find_object(cut.id)[0] == "topic_cut"
    (made,) = store.events(object_type="topic_cut")
    assert (made.kind, made.actor, made.object_id) == ("topics.moved", "person", cut.id)


# --------------------------------------------------------------------------- writing


def test_an_exception_leaves_nothing_of_the_block(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write(actor="test") as writer:
        writer.add_log(log("Hi"))
        writer.put_memories([memory("m1")])
        raise RuntimeError
    assert store.conversations() == store.memories("me") == store.events() == []


def test_every_change_is_an_event_with_the_state_before_and_after(store: Store) -> None:
    old, new = memory("m1"), memory("m1", "Ann has two dogs")
    with store.write(actor="recipe", run_id="run1") as writer:
        writer.put_memories([old])
        first_batch = writer.batch
    with store.write(actor="person") as writer:
        writer.put_memories([new], kind="memory.edited")
    first, second = store.events(object_id="m1")
    assert (first.seq, first.kind, first.actor, first.run_id) == (1, "memory.added", "recipe", "run1")
    assert (first.before, first.batch) == (None, first_batch)
    assert (second.seq, second.kind, second.before) == (2, "memory.edited", first.after)
    assert second.after is not None and second.after["text"] == "Ann has two dogs"
    assert store.events(batch=first_batch) == store.events(run_id="run1") == [first]
    assert store.events(event_id=second.id) == store.events(newest_first=True, limit=1) == [second]
    assert store.last_event_of("m1") == second
    assert store.memory("m1") == new


def test_the_proposal_that_was_decided_last_is_found_by_who_decided_it(store: Store) -> None:
    def decided(key: str, state: str, by: str, minute: int) -> Proposal:
        return proposal(key, "m1", state=state, decided_by=by, decided_at=datetime(2024, 5, 1, 12, minute))

    assert store.last_decided("me") is None
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p0", "m1"), decided("p1", "superseded", "ann", 9)])
        writer.put_proposals([decided("p2", "applied", "ann", 5), decided("p3", "rejected", "ben", 7)])
        writer.put_proposals([replace(decided("p4", "applied", "ann", 8), owner="you")])
    found = [store.last_decided("me", by) for by in (None, ["ann"], ["cem", "ben"], ["cem"], [])]
    assert [one.id if one else None for one in found] == ["p3", "p2", "p3", None, None]


def test_events_and_runs_are_told_for_one_owner(store: Store) -> None:
    mine = [memory(f"m{number}", f"Ann has {number} dogs") for number in range(3)]
    with store.write(actor="recipe") as writer:
        writer.put_memories([mine[0], memory("y1", owner="you"), *mine[1:]])
    assert [event.object_id for event in store.events(owner="me")] == ["m0", "m1", "m2"]
    assert [event.object_id for event in store.events(owner="you", limit=2, newest_first=True)] == ["y1"]
    assert [e.object_id for e in store.events(owner="me", limit=2, newest_first=True)] == ["m2", "m1"]
    assert store.events(owner="you", object_id="m0") == store.events(owner="nobody") == []
    assert {event.owner for event in store.events()} == {"me", "you"}
    with store.write(actor="test") as writer:
        writer.put_run(run("r1"))
        writer.put_run(run("r2", owner="you"))
    assert [one.id for one in store.runs(owner="you")] == ["r2"]
    assert {one.id for one in store.runs()} == {"r1", "r2"}


def test_putting_an_equal_object_is_no_change_and_no_event(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Ann")])
        writer.put_entities([entity("e1", "Ann")])
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Ann", aliases=())])
    assert len(store.events()) == 1


def test_two_changes_of_one_object_in_one_block_are_two_events(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_memories([memory("m1", "one")])
        writer.put_memories([memory("m1", "two")])
    first, second = store.events()
    assert (first.before, second.before) == (None, first.after)
    assert store.memory("m1") == memory("m1", "two")


def test_event_numbers_have_no_gap_even_after_a_failed_block(store: Store) -> None:
    put(store, memory("m1"))
    with pytest.raises(RuntimeError), store.write(actor="test") as writer:
        writer.put_memories([memory("m2")])
        raise RuntimeError
    put(store, memory("m3"), memory("m4"))
    assert [event.seq for event in store.events()] == [1, 2, 3]
    assert len({event.id for event in store.events()}) == 3


def test_a_block_that_puts_nothing_changes_nothing(store: Store) -> None:
    with store.write(actor="test"):
        pass
    with store.write(actor="test") as writer:
        writer.put_memories([])
        writer.mark_processed("memscope", [], "run1")
        writer.add_embeddings(EMBEDDER.model_id, {})
    assert store.events() == []


def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_itself(store: Store) -> None:
    with store.write(actor="test") as outer:
        with pytest.raises(StoreError, match="inside another write"), store.write(actor="test"):
            pass
        outer.put_memories([memory("m1")])
    assert store.memory("m1") is not None


def test_one_at_a_time_reads_an_owners_messages_with_a_system(store: Store) -> None:
    order: list[str] = []
    asked = threading.Event()

    def second() -> None:
        def waits() -> bool:
            asked.set()
            return True

        with store.claim("me", "memscope", waiting=waits) as ours:
            order.append(f"second {ours}")

    thread = threading.Thread(target=second)
    with store.claim("me", "memscope", waiting=lambda: False) as ours:
        thread.start()
        assert asked.wait(10)
        for owner, recipe in (("you", "memscope"), ("me", "lightmem")):
            with store.claim(owner, recipe, waiting=lambda: False) as other:
                assert other, "of another owner or system nobody waits"
        order.append(f"first {ours}")
    thread.join(10)
    assert order == ["first True", "second True"]


def test_who_does_not_go_on_waiting_is_told_that_it_is_not_theirs(store: Store) -> None:
    def gives_up() -> None:
        with store.claim("me", "memscope", waiting=lambda: False) as ours:
            got.append(ours)

    got: list[bool] = []
    with pytest.raises(RuntimeError), store.claim("me", "memscope", waiting=lambda: False):
        thread = threading.Thread(target=gives_up)
        thread.start()
        thread.join(10)
        raise RuntimeError("the run broke")
    gives_up()
    assert got == [False, True], "whatever ended the block, the claim is free again"


def test_writers_of_several_threads_take_turns(store: Store) -> None:
    def add(thread: int) -> None:
        for number in range(5):
            put(store, memory(f"m{thread}{number}", f"fact {thread} {number}"))

    threads = [threading.Thread(target=add, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count_memories("me") == 20
    assert [event.seq for event in store.events()] == list(range(1, 21))


def test_a_time_with_a_zone_is_refused_because_storing_it_naive_would_move_it(store: Store) -> None:
    with pytest.raises(StoreError, match="time zone"), store.write(actor="test") as writer:
        writer.put_memories([memory("m1", event_at=datetime(2023, 5, 8, tzinfo=UTC))])


# --------------------------------------------------------------------------- undo


def test_restoring_a_snapshot_undoes_a_change_as_a_new_event(store: Store) -> None:
    put(store, memory("m1"))
    with store.write(actor="person") as writer:
        writer.put_memories([memory("m1", "changed")])
    change = store.events()[-1]
    with store.write(actor="person") as writer:
        writer.restore("memory", "m1", change.before, undo_of=change.id)
    undo = store.events()[-1]
    assert store.memory("m1") == memory("m1")
    assert (undo.seq, undo.undo_of, undo.before, undo.after) == (3, change.id, change.after, change.before)


def test_undoing_a_creation_keeps_the_object_as_a_tombstone(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi"))
        writer.put_memories([memory("m1")])
        writer.put_entities([entity("e1", "Ann"), entity("e2", "dog")])
        writer.put_triples([triple("t1", "e1", "has", "e2", valid_from=MAY_8)])
        writer.put_summaries([SessionSummary("sum1", "a-s0", "me", "They greet.", ("hi",))])
        writer.put_topic_cuts([topic_cut("a-s0", "seg_a")])
        writer.put_proposals([proposal("p1", "m1")])
        add_vectors(writer, memory("m1").text, triple_text("Ann", "has", "dog"))
    made = store.events()
    with store.write(actor="person") as writer:
        for event in made:
            writer.restore(event.object_type, event.object_id, None, undo_of=event.id)
    assert store.memory("m1") == memory("m1", state="deleted")
    (gone,) = store.triples("me")
    assert (gone.mentions, gone.invalidated_at) == (0, MAY_8)
    assert store.proposal("p1") == proposal("p1", "m1", state="superseded")
    assert store.summaries("me") == [SessionSummary("sum1", "a-s0", "me", "")]
    assert store.topic_cut("a-s0", "memscope") == topic_cut("a-s0")
    assert store.entities_by_id(["e1"]) == {"e1": entity("e1", "Ann")}
    assert store.semantic("me", vector("Ann has a dog"), 5, kind="memory") == []
    assert store.lexical("me", "dog", 5, kind="triple") == []
    assert [event.undo_of for event in store.events()[len(made) :]] == [event.id for event in made]


def test_what_was_deleted_and_restored_is_found_again(store: Store) -> None:
    put(store, memory("m1"))
    made = store.events()[0]
    with store.write(actor="person") as writer:
        writer.restore("memory", "m1", None, undo_of=made.id)
    assert store.lexical("me", "dog", 5, kind="memory") == []
    undo = store.events()[-1]
    with store.write(actor="person") as writer:
        writer.restore("memory", "m1", undo.before, undo_of=undo.id)
    assert [key for key, _ in store.lexical("me", "dog", 5, kind="memory")] == ["m1"]
    assert [key for key, _ in store.semantic("me", vector("Ann has a dog"), 5, kind="memory")] == ["m1"]


def test_restoring_what_is_not_there_or_not_its_snapshot_is_an_error(store: Store) -> None:
    put(store, memory("m1"), memory("m2"))
    snapshot = store.events(object_id="m2")[0].after
    for arguments, error in (
        (("memory", "unknown", None), NotFoundError),
        (("message", "m1", None), StoreError),
        (("memory", "m1", snapshot), StoreError),
        (("memory", "m1", {"id": "m1"}), StoreError),
    ):
        with pytest.raises(error), store.write(actor="person") as writer:
            writer.restore(*arguments, undo_of="e")
    assert len(store.events()) == 2


# --------------------------------------------------------------------------- reading memories


def ids(found: list) -> list[str]:
    return [item.id for item in found]


def test_every_field_of_every_object_survives(store: Store) -> None:
    full = memory(
        "m1",
        sources=(Source("a-s0-m0", 0, 2), Source("a-s0-m1", 1, 3)),
        category="pets",
        subcategory="dogs",
        speaker="Ann",
        event_at=datetime(2023, 5, 7),
        event_end=datetime(2023, 5, 8, 0, 0, 0, 123456),
        segment_id="seg",
        topic="pets",
        keywords=("dog", "adopt"),
        persons=("Ann",),
        entities=("dog",),
        location="Rome",
        compressed_source="has dog",
        valid_from=MAY_8,
        valid_to=MAY_8,
        superseded_by="m2",
        state="superseded",
    )
    people = [
        entity("e1", "Ann", aliases=("Annie",), first_seen=MAY_8, last_seen=MAY_8, merged_into="e2"),
        entity("e2", "Bob"),
    ]
    edge = triple(
        "t1",
        "e1",
        "knows",
        "e2",
        sources=(Source("a-s0-m0", 0, 2),),
        memory_ids=("m1",),
        valid_from=MAY_8,
        invalidated_at=MAY_8,
        mentions=3,
    )
    summary = SessionSummary(
        "sum1", "a-s0", "me", "They talk.", ("talk",), ("pets",), MAY_8, MAY_8, ("t1",), ("seg",)
    )
    work = run("run1", finished_at=MAY_8, settings={"rate": 0.6, "x": [1, None]}, totals={"n": 2}, error="no")
    trace = StageTrace("run1", "compress", "a-s0", 3, 1.25, {"words": [{"keep": 0.5, "kept": True}]})
    with store.write(actor="test") as writer:
        writer.put_memories([full])
        writer.put_entities(people)
        writer.put_triples([edge])
        writer.put_summaries([summary])
        writer.put_run(work)
        writer.add_traces([trace])
    store.record(call("c1"))
    assert store.memories("me", states=None) == [full]
    assert store.entities("me") == people
    assert store.triples("me") == [edge]
    assert store.summaries("me") == [summary]
    assert (store.runs(), store.run("run1")) == ([work], work)
    assert store.traces(run_id="run1", stage="compress", unit="a-s0") == [trace]
    assert store.traces(recipe="memscope") == [trace]
    assert store.traces(recipe="lightmem") == []
    assert store.llm_calls(run_id="run1") == [call("c1")]


def test_memories_are_filtered_by_what_they_rest_on(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi", "Ho"))
        writer.add_log(log("Later", session=1))
        writer.put_memories(
            [
                memory("m1", sources=(Source("a-s0-m0", 0, 1), Source("a-s0-m1", 0, 1)), segment_id="seg1"),
                memory("m2", sources=(Source("a-s1-m0", 0, 1),), kind="plan"),
                memory("m3", state="superseded", superseded_by="m2"),
                memory("m4", owner="you"),
            ]
        )
    assert ids(store.memories("me")) == ["m1", "m2"]
    assert ids(store.memories("me", states=None)) == ["m1", "m2", "m3"]
    assert ids(store.memories("me", states=("superseded",))) == ["m3"]
    assert store.memories("me", states=()) == []
    assert ids(store.memories("me", session_id="a-s0")) == ["m1"]
    assert store.memories("me", session_id="unknown") == []
    assert ids(store.memories("me", message_ids=["a-s0-m1", "x"])) == ["m1"]
    assert store.memories("me", message_ids=[]) == []
    assert ids(store.memories("me", segment_id="seg1")) == ["m1"]
    assert ids(store.memories("me", kind="plan")) == ["m2"]
    assert ids(store.memories("me", states=None, superseded_by="m2")) == ["m3"]
    assert (store.count_memories("me"), store.count_memories("me", states=None)) == (2, 3)
    assert store.count_memories("me", states=("deleted",)) == 0
    assert store.count_memories("me", states=None, run_id="run1") == 3
    assert store.count_memories("me", states=None, run_id="another") == 0
    assert ids(store.memories("me", states=None, limit=1, offset=1)) == ["m2"]
    assert store.owners() == ["me", "you"]


def test_memories_are_filtered_by_person_text_and_time(store: Store) -> None:
    put(
        store,
        memory("day", "Ann paid 100%", persons=("Ann",), event_at=MAY_8, event_end=MAY_8 + timedelta(days=1)),
        memory("moment", "BOB_1 said so", speaker="Bob", event_at=MAY_8 + timedelta(days=2)),
        memory("timeless", "100 dogs", mentioned_at=None),
    )
    assert ids(store.memories("me", person="ann")) == ["day"]
    assert ids(store.memories("me", person="BOB")) == ["moment"]
    assert ids(store.memories("me", contains="bob_1")) == ["moment"]
    assert ids(store.memories("me", contains="100%")) == ["day"]
    assert store.memories("me", contains="b%b") == store.memories("me", contains="_ob") == []
    assert ids(store.memories("me", event_from=MAY_8 + timedelta(hours=1))) == ["day", "moment"]
    assert ids(store.memories("me", event_from=MAY_8 + timedelta(days=1))) == ["moment"]
    assert ids(store.memories("me", event_to=MAY_8 + timedelta(days=2))) == ["day"]
    assert ids(store.memories("me")) == ["day", "moment", "timeless"]


def test_memories_are_counted_by_the_filters_they_are_listed_by(store: Store) -> None:
    put(store, memory("m1", "Tea", persons=("Ann",)), memory("m2", "Teapot"), memory("m3", kind="plan"))
    put(store, memory("m4", "Teatime", state="deleted"), memory("m5", "Tea", owner="you"))
    assert store.count_memories("me", contains="tea") == 2
    assert store.count_memories("me", contains="tea", states=None) == 3
    assert store.count_memories("me", contains="tea", person="ann") == 1
    assert store.count_memories("me", kind="plan", recipe="mem0") == 0


def test_persons_are_those_of_any_of_the_owners_memories_once(store: Store) -> None:
    put(store, memory("m1", persons=("Bob", "Ann")), memory("m2", persons=("Ann",), state="deleted"))
    put(store, memory("m3", persons=("Eve",), owner="you"))
    assert store.persons("me") == ["Ann", "Bob"]
    assert store.persons("me", recipe="mem0") == []


def test_a_filter_is_a_value_and_never_a_statement(store: Store) -> None:
    put(store, memory("m1"))
    evil = "'; drop table memories; --"
    assert store.memories("me", contains=evil, person=evil, kind=evil) == []
    assert store.memories(evil) == store.lexical(evil, evil, 5, kind="memory") == []
    assert store.memory("m1") is not None


def test_triples_are_found_by_their_ends_and_their_memories(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities([entity(key, key) for key in ("ann", "bob", "rome")])
        writer.put_triples(
            [
                triple("t1", "ann", "knows", "bob", memory_ids=("m1",)),
                triple("t2", "ann", "loves", "bob", invalidated_at=MAY_8),
                triple("t3", "bob", "lives_in", "rome"),
            ]
        )
    assert ids(store.triples("me")) == ["t1", "t2", "t3"]
    assert ids(store.triples("me", include_invalidated=False)) == ["t1", "t3"]
    assert ids(store.triples("me", entity_ids=["rome", "x"])) == ["t3"]
    assert ids(store.triples("me", memory_ids=["m1"])) == ["t1"]
    assert ids(store.triples("me", ids=["t2", "t3"], limit=1)) == ["t2"]
    assert store.triples("me", entity_ids=[]) == store.triples("you") == []


def test_links_are_the_triples_of_one_graph_that_somebody_still_says(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities([entity("ann", "Ann"), entity("bob", "Bob", recipe="mem0_graph")])
        writer.put_triples(
            [
                triple("t1", "ann", "knows", "bob", valid_from=MAY_8, invalidated_at=MAY_8),
                triple("t2", "ann", "likes", "bob", mentions=0),
                triple("t3", "bob", "knows", "ann", recipe="mem0_graph"),
            ]
        )
    assert store.links("me", recipe="memscope") == [Link("t1", "ann", "knows", "bob", MAY_8, MAY_8)]
    assert ids(store.links("me", recipe="mem0_graph")) == ["t3"]
    assert store.links("you", recipe="memscope") == []
    assert store.graphs("me") == ["mem0_graph", "memscope"]
    assert store.graphs("you") == []


def test_links_of_a_conversation_are_those_that_one_of_its_messages_says(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("I know Bob"))
        writer.add_log(log("I like Bob", name="b"))
        writer.put_entities([entity("ann", "Ann"), entity("bob", "Bob")])
        said = {"t1": ["a-s0-m0"], "t2": ["b-s0-m0"], "t3": ["b-s0-m0", "a-s0-m0"], "t4": []}
        writer.put_triples(
            triple(name, "ann", name, "bob", sources=tuple(Source(i, 0, 1) for i in ids_))
            for name, ids_ in said.items()
        )
    assert ids(store.links("me", recipe="memscope", conversation_id="a")) == ["t1", "t3"]
    assert ids(store.links("me", recipe="memscope", conversation_id="b")) == ["t2", "t3"]
    assert store.links("me", recipe="memscope", conversation_id="unknown") == []


def test_the_recipes_that_remember_something_come_the_last_that_learned_first(store: Store) -> None:
    with store.write(actor="test") as writer:
        for day, recipe in enumerate(("mem0", "lightmem", "simplemem")):
            writer.put_run(run(f"r{day}", recipe=recipe, started_at=MAY_8 + timedelta(days=day)))
        writer.put_memories(
            [
                memory("m1", recipe="mem0", run_id="r0"),
                memory("m2", recipe="lightmem", run_id="r1", state="superseded"),
                memory("m3", recipe="simplemem", run_id="r2", state="deleted"),
                memory("m4", recipe="approved only", run_id="no run"),
            ]
        )
    assert store.remembering("me") == ["lightmem", "mem0", "approved only"]
    assert store.remembering("you") == []


# --------------------------------------------------------------------------- text of any kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nul\x00inside",
        "right\u202eto left",
        "👩‍👩‍👧‍👦 🎉",
        "e\u0301\u200d\ufeff",
        "x" * 100_000,
        "a\r\n\tb",
        '"\\"{}[]',
    ],
    ids=["empty", "nul", "bidi", "emoji", "marks", "long", "control", "json"],
)
def test_any_text_is_kept_exactly(store: Store, text: str) -> None:
    with store.write(actor=text) as writer:
        writer.add_log(log(text))
        writer.put_memories([memory("m1", text, keywords=(text,))])
        writer.add_traces([StageTrace("r", "s", "u", 0, 0.0, {text: [text]})])
        add_vectors(writer, text)
    assert store.messages("a-s0")[0].text == text
    assert store.memory("m1") == memory("m1", text, keywords=(text,))
    assert store.traces()[0].payload == {text: [text]}
    assert (store.events()[0].actor, store.events()[0].after["text"]) == (text, text)
    assert text in store.embeddings(EMBEDDER.model_id, [text])
    assert [key for key, _ in store.semantic("me", vector(text), 1, kind="memory")] == ["m1"]


def test_a_lone_surrogate_which_utf_8_cannot_hold_becomes_the_replacement_character(store: Store) -> None:
    broken = "a\ud800b"
    with store.write(actor=broken) as writer:
        writer.add_log(log(broken))
        writer.put_memories([memory("m1", broken, persons=(broken,))])
        writer.put_run(run("r1", settings={broken: broken}))
        writer.add_traces([StageTrace("r1", "s", "u", 0, 0.0, {"text": broken})])
        writer.add_embeddings(EMBEDDER.model_id, {broken: vector("a")})
    store.record(call("c1", completion=broken))
    assert store.messages("a-s0")[0].text == "a\ufffdb"
    assert store.memory("m1") == memory("m1", "a\ufffdb", persons=("a\ufffdb",))
    assert store.run("r1").settings == {"a\ufffdb": "a\ufffdb"}
    assert store.llm_calls()[0].completion == "a\ufffdb"
    assert list(store.embeddings(EMBEDDER.model_id, [broken])) == [broken]
    assert ids(store.memories("me", contains=broken)) == ["m1"]
    with store.write(actor="again") as writer:
        writer.put_memories([memory("m1", broken, persons=(broken,))])
    assert len(store.events()) == 1


# --------------------------------------------------------------------------- search


def test_token_codes_are_those_given_and_follow_their_text(store: Store) -> None:
    put(store, memory("m1", "Ann has a dog"), embedded=False)
    assert store.token_codes("me", ["m1"], kind="memory") == {}
    add_codes(store, "Ann has a dog", "Ann has two dogs")
    (codes,) = EMBEDDER.token_codes(["Ann has a dog"])
    assert np.array_equal(store.token_codes("me", ["m1", "nobody"], kind="memory")["m1"], codes)
    put(store, memory("m1", "Ann has two dogs"), embedded=False)
    (codes,) = EMBEDDER.token_codes(["Ann has two dogs"])
    assert np.array_equal(store.token_codes("me", ["m1"], kind="memory")["m1"], codes)
    put(store, memory("m1", "Ann has no dog"), embedded=False)
    assert store.token_codes("me", ["m1"], kind="memory") == {}, "of a text nobody read"
    assert store.token_codes("you", ["m1"], kind="memory") == {}
    assert store.token_codes("me", ["m1"], kind="memory", recipe="lightmem") == {}


def test_messages_have_token_codes_whatever_the_recipe(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi Bob"))
    message = store.messages("a-s0")[0]
    add_codes(store, message.text)
    for recipe in ("memscope", "lightmem"):
        assert message.id in store.token_codes("me", [message.id], kind="message", recipe=recipe)


@pytest.mark.parametrize(
    "codes", [np.zeros((2, 3), np.uint8), np.zeros(8, np.uint8), np.zeros((2, 8), np.int64)]
)
def test_token_codes_of_another_shape_are_refused(store: Store, codes: Any) -> None:
    with pytest.raises(StoreError, match="token codes"), store.write(actor="test") as writer:
        writer.add_embeddings(EMBEDDER.model_id, {"a": vector("a")}, {"a": codes})


def test_a_message_knows_its_neighbours_in_its_session_also_after_the_session_grew(store: Store) -> None:
    told = log("Hi Bob", "Hi Ann", "A dog!")
    with store.write(actor="test") as writer:
        writer.add_log(told)
    first, *_, last = store.messages("a-s0")
    before = store.neighbours("me", [first.id, last.id, "nobody"])
    assert before[first.id][0] == "" and before[last.id][1] == ""
    assert before[first.id][1] == store.messages("a-s0")[1].id
    more = replace(last, id="later", position=last.position + 1)
    with store.write(actor="test") as writer:
        writer.add_log(replace(told, messages=(*told.messages, more)))
    assert store.neighbours("me", [last.id])[last.id][1] == "later"
    assert store.neighbours("me", ["later"])["later"] == (last.id, "")
    assert store.neighbours("you", [last.id]) == {}


def test_a_word_tells_more_the_fewer_objects_hold_it(store: Store) -> None:
    put(store, memory("m1", "Ann has a dog"), memory("m2", "Ann has a cat"), memory("m3", "Ann sings"))
    everywhere, some, unheard = store.rarity("me", ["Ann", "dogs", "zebra"], kind="memory")
    assert everywhere == pytest.approx(ln(4 / 3.5))
    assert some == pytest.approx(ln(4 / 1.5)), "as stemmed"
    assert unheard == pytest.approx(ln(4 / 0.5))
    assert store.rarity("nobody", ["Ann"], kind="memory") == [pytest.approx(ln(1 / 0.5))]


def told_of_many_things() -> tuple[MemoryEntry, ...]:
    """Memories that differ in who and what they are about, and in when."""
    may = {"event_at": datetime(2023, 5, 1), "event_end": datetime(2023, 6, 1)}
    return (
        memory("m1", "one", speaker="Ann", persons=("Bob",), entities=("the red boat",), **may),
        memory("m2", "two", speaker="Bob", entities=("Red Boat",), location="Oslo", mentioned_at=None),
        memory("m3", "three", speaker="Ann", keywords=("red  boat", "paint"), event_at=datetime(2022, 5, 1)),
        memory("m4", "four", persons=("ann", "Bob"), mentioned_at=datetime(2023, 5, 1)),
        memory("m5", "five", location="the oslo", mentioned_at=datetime(2023, 4, 30)),
        memory("m6", "six", mentioned_at=None),
    )


@pytest.mark.parametrize(
    "asked",
    [
        Metadata(),
        Metadata(("Ann",)),
        Metadata(("Ann", "BOB"), ("red boat", "Ann")),
        Metadata(("Ann", "Zoe"), ("Oslo", "nowhere", "paint")),
        Metadata(("x'; drop table memories",)),
        Metadata((), (), datetime(2023, 5, 1), datetime(2023, 6, 1)),
        Metadata(("Ann",), ("Oslo",), datetime(2023, 5, 8), datetime(2023, 5, 9)),
        Metadata((), (), datetime(2023, 5, 1), datetime(2023, 5, 1)),
        Metadata((), (), datetime.min, datetime(2023, 5, 8)),
        Metadata((), (), datetime(2023, 5, 8), datetime.max),
        Metadata((), ("red boat",), datetime(2023, 5, 1), None),
    ],
)
def test_metadata_is_scored_as_reading_every_memory_scores_it(store: Store, asked: Metadata) -> None:
    memories = told_of_many_things()
    put(store, *memories)
    plan = QueryPlan(
        "q", persons=asked.people, entities=asked.things, time_from=asked.time_from, time_to=asked.time_to
    )
    about, fits = views.symbolic(plan, memories, ()), views.temporal(plan, memories)
    scores = {m.id: about.get(m.id, 0.0) + fits.get(m.id, 0.0) for m in memories}
    assert store.symbolic("me", asked) == {key: score for key, score in scores.items() if score}


def test_metadata_is_asked_of_what_was_valid_then_of_one_owner_and_recipe(store: Store) -> None:
    june = datetime(2023, 6, 1)
    put(
        store,
        memory("m1", "one", speaker="Ann", valid_from=MAY_8),
        memory("m2", "two", speaker="Ann", state="invalidated", valid_from=MAY_8, valid_to=june),
        memory("m3", "three", speaker="Ann", state="deleted"),
        memory("m4", "four", speaker="Ann", owner="you"),
        memory("m5", "five", speaker="Ann", recipe="simplemem"),
        memory("m6", "six", speaker="Ann", state="invalidated", valid_from=june, valid_to=MAY_8),
    )
    ann = Metadata(("Ann",))
    assert store.symbolic("me", ann).keys() == {"m1"}
    assert store.symbolic("me", ann, as_of=MAY_8).keys() == {"m1", "m2"}
    assert store.symbolic("me", ann, as_of=june).keys() == {"m1"}
    assert store.symbolic("me", ann, as_of=MAY_8 - timedelta(days=1)) == {}
    assert store.symbolic("me", ann, recipe="simplemem").keys() == {"m5"}
    put(store, memory("m1", "one", speaker="Annie", valid_from=MAY_8))
    assert store.symbolic("me", ann) == {}, "a change is seen at once"
    assert store.symbolic("me", Metadata(("annie",))).keys() == {"m1"}


def test_names_are_found_as_they_are_spelled(store: Store) -> None:
    put(store, *told_of_many_things(), memory("m7", "seven", persons=("Zoe",), state="invalidated"))
    keys = ["ann", "bob", "red boat", "oslo", "paint", "zoe", "nobody"]
    assert store.named("me", keys) == {
        "ann": ("ann", True),
        "bob": ("Bob", True),
        "red boat": ("Red Boat", False),
        "oslo": ("Oslo", False),
    }, "neither a keyword nor what no longer holds"
    assert store.named("you", keys) == store.named("me", []) == {}


def test_search_sees_what_was_committed_at_once_and_at_any_time(store: Store) -> None:
    put(store, memory("m1", "Ann has a dog"))
    assert [key for key, _ in store.lexical("me", "dog", 5, kind="memory")] == ["m1"]
    assert [key for key, _ in store.semantic("me", vector("Ann has a dog"), 5, kind="memory")] == ["m1"]
    put(store, memory("m2", "Bob plays the violin"))
    assert store.lexical("me", "violin", 5, kind="memory")[0][0] == "m2"
    key, score = store.semantic("me", vector("Bob plays the violin"), 1, kind="memory")[0]
    assert (key, score) == ("m2", pytest.approx(1.0, abs=1e-5))


def test_search_keeps_to_one_owner_and_one_kind(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("a dog says Ann"))
        writer.add_log(log("a dog says someone", name="b", owner="you"))
        writer.put_memories([memory("m1", "a dog"), memory("m2", "a dog", owner="you")])
        writer.put_entities([entity("e1", "Ann"), entity("e2", "dog"), entity("e3", "dog", owner="you")])
        writer.put_triples(
            [triple("t1", "e1", "walks_with", "e2"), triple("t2", "e3", "walks_with", "e3", owner="you")]
        )
        texts = ["a dog says Ann", "a dog says someone", "a dog", "Ann walks with dog", "dog walks with dog"]
        add_vectors(writer, *texts)
    for kind, mine in (("memory", ["m1"]), ("message", ["a-s0-m0"]), ("triple", ["t1"])):
        assert [key for key, _ in store.lexical("me", "dog", 9, kind=kind)] == mine
        assert [key for key, _ in store.semantic("me", vector("dog"), 9, kind=kind)] == mine
    assert store.semantic("nobody", vector("dog"), 9, kind="memory") == []


def test_what_two_recipes_make_of_one_log_stays_apart(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("a dog"))
        for recipe in ("memscope", "mem0_graph"):
            writer.put_memories([memory(f"m-{recipe}", "a dog", recipe=recipe)])
            ends = [entity(f"{end}-{recipe}", end, recipe=recipe) for end in ("Ann", "dog")]
            writer.put_entities(ends)
            writer.put_triples([triple(f"t-{recipe}", ends[0].id, "has", ends[1].id, recipe=recipe)])
            summary_id = SessionSummary.id_for("a-s0", recipe)
            writer.put_summaries([SessionSummary(summary_id, "a-s0", "me", f"By {recipe}.", recipe=recipe)])
        add_vectors(writer, "a dog", "dog", "Ann has dog")
    for recipe in ("memscope", "mem0_graph"):
        assert [m.id for m in store.memories("me", recipe=recipe)] == [f"m-{recipe}"]
        assert store.count_memories("me", recipe=recipe) == 1
        assert {e.id for e in store.entities("me", recipe=recipe)} == {f"Ann-{recipe}", f"dog-{recipe}"}
        assert [t.id for t in store.triples("me", recipe=recipe)] == [f"t-{recipe}"]
        assert [s.text for s in store.summaries("me", recipe=recipe)] == [f"By {recipe}."]
        for kind, found in (("memory", "m"), ("triple", "t"), ("entity", "dog")):
            asked = {"kind": kind, "recipe": recipe}
            assert [key for key, _ in store.lexical("me", "dog", 9, **asked)] == [f"{found}-{recipe}"]
            assert store.semantic("me", vector("dog"), 9, **asked)[0][0] == f"{found}-{recipe}"
        assert [key for key, _ in store.lexical("me", "dog", 9, kind="message", recipe=recipe)] == ["a-s0-m0"]
    assert len(store.entities("me")) == 4
    assert len(store.summaries("me")) == 2


def test_superseded_memories_stay_findable_and_deleted_ones_do_not(store: Store) -> None:
    put(store, memory("m1", "dog one", state="superseded"), memory("m2", "dog two", state="deleted"))
    assert [key for key, _ in store.lexical("me", "dog", 9, kind="memory")] == ["m1"]
    assert [key for key, _ in store.semantic("me", vector("dog"), 9, kind="memory")] == ["m1"]


def test_an_edited_memory_is_found_by_its_new_words_and_not_its_old(store: Store) -> None:
    put(store, memory("m1", "Ann lives in Rome"), memory("m2", "Bob likes tea"))
    store.semantic("me", vector("Rome"), 5, kind="memory")
    store.lexical("me", "Rome", 5, kind="memory")
    put(store, memory("m1", "Ann lives in Oslo"))
    assert store.lexical("me", "Rome", 5, kind="memory") == []
    assert store.lexical("me", "Oslo", 5, kind="memory")[0][0] == "m1"
    assert dict(store.semantic("me", vector("Ann lives in Oslo"), 5, kind="memory"))["m1"] > 0.99
    put(store, memory("m1", "Ann lives in Lima"), embedded=False)
    assert [key for key, _ in store.semantic("me", vector("Ann"), 5, kind="memory")] == ["m2"]


def test_a_vector_that_arrives_after_its_memory_is_found(store: Store) -> None:
    put(store, memory("m1"), embedded=False)
    assert store.semantic("me", vector("Ann has a dog"), 5, kind="memory") == []
    with store.write(actor="test") as writer:
        add_vectors(writer, "Ann has a dog")
    assert [key for key, _ in store.semantic("me", vector("Ann has a dog"), 5, kind="memory")] == ["m1"]


def test_a_triple_is_found_by_the_present_name_of_its_entities(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Ann"), entity("e2", "Rome")])
        writer.put_triples([triple("t1", "e1", "lives_in", "e2")])
    assert [key for key, _ in store.lexical("me", "Ann lives", 5, kind="triple")] == ["t1"]
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Anna Maria")], kind="entity.renamed")
        add_vectors(writer, triple_text("Anna Maria", "lives_in", "Rome"))
    assert [key for key, _ in store.lexical("me", "Maria", 5, kind="triple")] == ["t1"]
    query = vector(triple_text("Anna Maria", "lives_in", "Rome"))
    assert store.semantic("me", query, 5, kind="triple")[0][1] == pytest.approx(1.0, abs=1e-5)


def test_searches_and_writes_of_several_threads_do_not_disturb_each_other(store: Store) -> None:
    failures: list[BaseException] = []

    def look() -> None:
        try:
            for _ in range(30):
                found = store.semantic("me", vector("fact"), 50, kind="memory")
                assert len({key for key, _ in found}) == len(found)
                store.lexical("me", "fact", 50, kind="memory")
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(20):
        put(store, memory(f"m{number:02d}", f"fact number {number}"))
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(store.semantic("me", vector("fact"), 50, kind="memory")) == 20
    assert len(store.lexical("me", "fact", 50, kind="memory")) == 20


# --------------------------------------------------------------------------- vectors, calls, overview


def test_vectors_are_kept_once_a_text_and_come_back_exactly(store: Store) -> None:
    with store.write(actor="test") as writer:
        add_vectors(writer, "a", "b")
    with store.write(actor="test") as writer:
        add_vectors(writer, "a")
    found = store.embeddings(EMBEDDER.model_id, ["b", "unknown", "a"])
    assert set(found) == {"a", "b"}
    assert found["a"].dtype == np.float32
    np.testing.assert_array_equal(found["a"], vector("a"))
    assert store.embeddings("another model", ["a"]) == {}
    assert store.embeddings(EMBEDDER.model_id, []) == {}


@pytest.mark.parametrize(
    ("model", "value"),
    [
        ("another", np.ones(32)),
        (EMBEDDER.model_id, np.ones(31)),
        (EMBEDDER.model_id, np.full(32, np.nan)),
    ],
)
def test_a_vector_that_does_not_belong_is_refused(store: Store, model: str, value: np.ndarray) -> None:
    with pytest.raises(MemcoreError), store.write(actor="test") as writer:
        writer.add_embeddings(model, {"a": value.astype(np.float32)})


def test_model_calls_are_kept_although_the_step_fails(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write(actor="test") as writer:
        writer.put_memories([memory("m1")])
        store.record(call("c1"))
        store.record(call("c1", completion="the same call again"))
        raise RuntimeError
    assert (store.llm_calls(), store.memories("me")) == ([call("c1")], [])


def test_model_calls_are_summed_by_stage_and_what_no_server_counted_is_unknown(store: Store) -> None:
    with store.write(actor="test") as writer:
        for key, owner in [("run1", "me"), ("run2", "me"), ("run3", "ben")]:
            writer.put_run(run(key, owner=owner))
    store.record(call("c1", prompt_tokens=3, completion_tokens=2, outcome="invalid_json"))
    store.record(call("c2", prompt_tokens=4, completion_tokens=None, outcome="error"))
    store.record(call("c3", stage="update", run_id="run2", prompt_tokens=None, completion_tokens=None))
    store.record(call("c4", run_id="run2", prompt_tokens=10, completion_tokens=20))
    store.record(call("c5", run_id="run3"))
    store.record(call("c6", prompt_tokens=None, outcome="unanswered", request="{}"))  # nobody was asked
    assert store.llm_costs("me") == [
        LlmCost("add_memory", 3, 17, 22, 1),
        LlmCost("update", 1, None, None, 1),
    ]
    assert store.llm_costs("me", run_id="run1") == [LlmCost("add_memory", 2, 7, 2, 1)]
    assert store.llm_costs("me", run_id="run3") == store.llm_costs("nobody") == []


def test_model_calls_of_several_threads_are_all_kept(store: Store) -> None:
    threads = [
        threading.Thread(target=lambda t=t: [store.record(call(f"c{t}{n}")) for n in range(10)])
        for t in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.llm_calls()) == 40
    assert len(store.llm_calls(limit=3)) == 3


def test_a_run_put_again_is_the_same_run_further_on(store: Store) -> None:
    for state in ("running", "finished"):
        with store.write(actor="test") as writer:
            writer.put_run(run("r1", state=state))
    assert store.runs() == [run("r1")]


def test_a_run_is_at_work_from_its_beginning_to_its_end(store: Store) -> None:
    assert not store.at_work("r1")
    for state in ("running", "running", "finished", "running", "cancelled"):
        with store.write(actor="test") as writer:
            writer.put_run(run("r1", state=state))
        assert store.at_work("r1") is (state == "running")
        assert not store.at_work("r2")


def test_anything_can_be_found_by_its_id_and_counted(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi", "Ho"))
        writer.put_memories([memory("m1"), memory("m2", state="superseded")])
        writer.put_entities([entity("e1", "Ann")])
        writer.put_proposals([proposal("p1", "m1")])
        writer.put_run(run("r1"))
    found = {key: store.find_object(key) for key in ("a-s0-m0", "a", "m1", "e1", "p1", "r1")}
    types = {key: None if hit is None else hit[0] for key, hit in found.items()}
    assert types == {
        "a-s0-m0": "message",
        "a": "conversation",
        "m1": "memory",
        "e1": "entity",
        "p1": "proposal",
        "r1": "run",
    }
    assert found["m1"][1] == store.last_event_of("m1").after
    counts = store.stats("me")
    assert (counts["messages"], counts["memories"], counts["memories_past"]) == (2, 1, 1)
    assert (counts["entities"], counts["proposals_pending"], counts["runs"]) == (1, 1, 1)
    assert set(store.stats("nobody").values()) == {0}


def test_proposals_are_listed_by_state(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p1", "m1"), proposal("p2", "m2", state="rejected")])
    assert ids(store.proposals("me")) == ["p1"]
    assert ids(store.proposals("me", states=None)) == ["p1", "p2"]
    assert store.proposals("you") == []


def test_what_waits_and_how_much_there_is_follow_every_change(store: Store) -> None:
    """Both are asked for at every step through the proposals, so a store may keep them."""
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p1", "m1"), proposal("p2", "m2")])
    store.proposals("me").clear()
    assert (ids(store.proposals("me")), store.stats("me")["proposals_pending"]) == (["p1", "p2"], 2)
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p1", "m1", state="rejected")])
    assert (ids(store.proposals("me")), store.stats("me")["proposals_pending"]) == (["p2"], 1)
    assert store.proposals("me", recipe="mem0") == []


def test_a_rule_is_on_or_off_as_it_was_last_switched(store: Store) -> None:
    on = RuleSwitch("s1", "me", "exact duplicates", True)
    with store.write(actor="person") as writer:
        writer.put_rule_switches([on, RuleSwitch("s2", "me", "another", False)])
    assert [s.rule for s in store.rule_switches("me")] == ["another", "exact duplicates"]
    assert store.rule_switches("you") == []
    with store.write(actor="person") as writer:
        writer.put_rule_switches([replace(on, on=False)])
    assert store.rule_switches("me")[1] == replace(on, on=False)
    made, _, switched = store.events(object_type="rule_switch")
    with store.write(actor="person") as writer:
        writer.restore("rule_switch", "s1", switched.before, undo_of=switched.id)
    assert store.rule_switches("me")[1] == on
    with store.write(actor="person") as writer:
        writer.restore("rule_switch", "s1", None, undo_of=made.id)
    assert store.rule_switches("me")[1].on is False


def test_what_was_granted_to_a_person_holds_until_it_is_taken_back(store: Store) -> None:
    ann, ben = Grant.of("ann", "me", "review"), Grant.of("ben", "", "read")
    with store.write(actor="ada") as writer:
        writer.put_grants([ben, ann])
    assert store.grants() == [ann, ben]
    with store.write(actor="ada") as writer:
        writer.put_grants([replace(ann, role=None)], kind="grant.ended")
    assert store.grants(person="ann") == [replace(ann, role=None)]
    given, told, ended = store.events(object_type="grant")
    assert [(event.owner, event.actor) for event in (given, told, ended)] == [
        ("", "ada"),
        *[("me", "ada")] * 2,
    ]
    assert ended.before == told.after
    with store.write(actor="ada") as writer:
        writer.restore("grant", ann.id, ended.before, undo_of=ended.id)
        writer.restore("grant", ben.id, None, undo_of=given.id)
    assert store.grants() == [ann, replace(ben, role=None)]


def test_what_a_person_decided_by_hand_stands_until_it_is_undone(store: Store) -> None:
    noted = Curation("c1", "me", "memory", "m1", "wrong", "ann", MAY_8, "time", "It was June", ("hash",))
    with store.write(actor="ann") as writer:
        writer.put_curations([noted, replace(noted, id=Curation.id_for("m2"), object_id="m2", recipe="mem0")])
    assert [one.object_id for one in store.curations("me")] == ["m1", "m2"]
    assert store.curations("me", recipe="memscope") == [noted]
    assert store.curations("you") == []
    assert (store.curation("m2") or noted).object_id == "m2"
    made, _ = store.events(object_type="curation")
    with store.write(actor="ann") as writer:
        writer.restore("curation", "c1", None, undo_of=made.id)
    assert [one.object_id for one in store.curations("me")] == ["m2"]


def test_the_newest_questions_of_each_owner_are_kept(store: Store) -> None:
    asked = [
        AskedQuestion(f"q{n}", "me", "memscope", f"Question {n}?", MAY_8 + timedelta(n), ("m1", "m2"))
        for n in range(4)
    ]
    for question in asked:
        with store.write(actor="ann") as writer:
            writer.add_question(question, keep=2)
    assert store.questions("me") == [asked[3], asked[2]]
    with store.write(actor="ann") as writer:
        writer.add_question(replace(asked[2], id="q9", asked_at=MAY_8 + timedelta(9)), keep=2)
    assert [question.id for question in store.questions("me")] == ["q9", "q3"]
    assert store.questions("you") == []
    assert store.events() == []


def add_codes(store: Store, *texts: str) -> None:
    vectors = dict(zip(texts, EMBEDDER.embed(texts), strict=True))
    codes = dict(zip(texts, EMBEDDER.token_codes(texts), strict=True))
    with store.write(actor="test") as writer:
        writer.add_embeddings(EMBEDDER.model_id, vectors, codes)
