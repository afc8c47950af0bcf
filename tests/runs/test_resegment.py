"""A person moves topic boundaries: what is read again, what becomes of its memories, and undo.

The extractor here remembers only what the first turn of each topic says, so that a boundary matters.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore import open_memory
from memcore.domain.errors import CancelledError, ConflictError, MemcoreError, NotFoundError, UsageError
from memcore.domain.extraction import Buffer
from memcore.domain.models import LogRead, Segment
from memcore.memory import Memory
from tests.pipeline import FakeBackends, FirstTurnExtractor, content, log

TALK = log(["likes tea.", "likes jazz.", "owns boats.", "sings songs.", "reads maps.", "bakes bread."])
SESSION = TALK.sessions[0].id
TURNS = [message.id for message in TALK.messages]


@pytest.fixture
def extractor() -> FirstTurnExtractor:
    return FirstTurnExtractor()


@pytest.fixture
def memory(memory: Memory, extractor: FirstTurnExtractor) -> Memory:
    """A store in which the session is cut into turns 0-2 and 3-5, whatever the recipe itself made of it."""
    memory.ingest(LogRead((TALK,)))
    cut(memory, 0, 3)
    extractor.read.clear()
    return memory


def cut(memory: Memory, *starts: int, **options: Any) -> Any:
    return memory.resegment(SESSION, [TURNS[start] for start in starts], **options)


def topics(memory: Memory) -> list[list[int]]:
    return [
        [TURNS.index(i) for i in segment.message_ids] for segment in memory.evidence.session(SESSION).segments
    ]


def said(memory: Memory) -> list[str]:
    return [m.text for m in memory.memories.find()]


def waiting(memory: Memory) -> list[str]:
    return [p.before for p in memory.review.proposals()]


# ---------------------------------------------------------------- what a new cut does


def test_only_the_topics_that_changed_are_read_again(memory, extractor):
    done = cut(memory, 0, 3, 5)

    assert topics(memory) == [[0, 1, 2], [3, 4], [5]]
    assert [[m.id for m in buffer.messages] for buffer in extractor.read] == [TURNS[3:]]
    assert [m.id for m in extractor.read[0].before] == TURNS[:3]
    assert len(done.changed) == 2
    assert [s.topic for s in memory.evidence.session(SESSION).segments][1:] == [
        f"topic of {TURNS[3]}",
        f"topic of {TURNS[5]}",
    ]


def test_what_a_topic_says_for_the_first_time_is_added_as_a_memory_of_it(memory):
    done = cut(memory, 0, 3, 5)

    assert [m.text for m in done.added] == ["Ben bakes bread"]
    view = memory.memories.view(done.added[0].id)
    assert view.segment == memory.evidence.session(SESSION).segments[2]
    assert [t.relation for t in view.triples] == ["bakes"]
    assert memory.search("who bakes bread?").hits[0].text == "Ben bakes bread"


def test_a_recipe_that_keeps_no_graph_gets_none_from_a_reading(memory):
    memory.resume(recipe="lightmem")
    topics = memory.evidence.session(SESSION, recipe="lightmem").segments
    starts = {*TURNS} ^ {segment.message_ids[0] for segment in topics} | {TURNS[0]}
    triples = memory.graph.part().triples
    done = memory.resegment(SESSION, sorted(starts, key=TURNS.index), recipe="lightmem")
    assert {m.recipe for m in done.added} == {"lightmem"}
    assert memory.graph.part().triples == triples
    assert {m.recipe for m in memory.evidence.session(SESSION).memories} == {"memscope"}


def test_what_is_said_again_stays_exactly_as_it_is_and_is_shown_in_its_new_topic(memory):
    before = {m.text: m for m in memory.memories.find()}
    done = cut(memory, 0, 3, 5)

    kept = memory.memories.view(before["Ben sings songs"].id)
    assert (kept.memory, done.kept) == (before["Ben sings songs"], 1)
    assert [TURNS.index(i) for i in kept.segment.message_ids] == [3, 4]


def test_what_is_no_longer_said_waits_for_a_person_and_is_not_removed(memory):
    done = cut(memory, 0, 4)

    assert "Ben sings songs" in said(memory)
    (proposal,) = done.proposals
    assert (proposal.before, proposal.operation, proposal.risk) == ("Ben sings songs", "delete", "medium")
    assert (proposal.made_by, proposal.state) == ("re-extraction", "pending")
    assert "with the boundary moved no longer says this" in proposal.reason
    assert memory.review.proposals() == [proposal]

    memory.approve([proposal.id])
    assert said(memory) == ["Ann likes tea", "Ann reads maps"]


def test_a_removal_that_was_rejected_is_not_proposed_again(memory):
    (proposal,) = cut(memory, 0, 4).proposals
    memory.reject([proposal.id])
    assert cut(memory, 0, 5).proposals[0].before == "Ann reads maps"
    assert waiting(memory) == ["Ann reads maps"]


def test_a_memory_that_waits_for_a_decision_already_gets_no_second_proposal(memory):
    (proposal,) = cut(memory, 0, 4).proposals
    cut(memory, 0, 5)
    assert waiting(memory) == [proposal.before, "Ann reads maps"]


def test_the_recipes_own_cut_stands_again_when_a_person_returns_to_it(tmp_path, extractor):
    with open_memory(tmp_path / "own", backends=partial(FakeBackends, extractor=extractor)) as memory:
        memory.ingest(LogRead((TALK,)))
        own = memory.evidence.session(SESSION).segments
        cut(memory, 0, 1)
        assert memory.evidence.session(SESSION).cut is not None
        memory.resegment(SESSION, [segment.message_ids[0] for segment in own])
        assert memory.evidence.session(SESSION).segments == own
        assert memory.evidence.session(SESSION).cut is None


def test_a_boundary_says_that_a_person_moved_it_and_what_it_scores(memory):
    first, second = memory.evidence.session(SESSION).segments
    assert first.boundary["method"] == second.boundary["method"] == "person"
    assert first.boundary["reason"] == "session start"
    assert second.boundary["reason"] == "moved here by a person"
    (trace,) = memory.traces.of(SESSION, "segment")
    assert second.boundary["similarity"] == trace.payload["similarity"][3]
    assert second.boundary["depth_threshold"] == trace.payload["depth_threshold"]


def test_what_is_stored_later_is_cut_by_the_recipe_after_the_persons_topics(memory):
    later = log([*(m.text for m in TALK.messages), "paints walls."])
    memory.ingest(LogRead((later,)))
    assert [len(segment.message_ids) for segment in memory.evidence.session(SESSION).segments] == [3, 3, 1]


def test_a_session_is_shown_as_one_recipe_worked_on_it(memory):
    view = memory.evidence.session(SESSION, recipe="memscope")
    assert (view.recipe, view.recipes) == ("memscope", ("memscope",))
    assert memory.traces.of(SESSION, "segment", recipe="memscope") == memory.traces.of(SESSION, "segment")
    assert memory.traces.of(SESSION, "extract", recipe="another") == []
    with pytest.raises(NotFoundError, match="has not worked on this session"):
        memory.evidence.session(SESSION, recipe="another")


# ---------------------------------------------------------------- undo, history, record


def test_one_undo_takes_all_of_it_back_and_undoing_that_redoes_it(memory):
    before = state(memory)
    done = cut(memory, 0, 1, 4)
    after = state(memory)
    assert after != before

    undone = memory.undo(done.event_id)
    assert state(memory) == before
    memory.undo(undone.event_id)
    assert state(memory) == after


def test_undoing_the_first_cut_shows_the_recipes_own_topics(memory):
    first = memory.review.history(memory.evidence.session(SESSION).cut.id)[0]
    memory.undo(first.id)
    view = memory.evidence.session(SESSION)
    assert view.cut is None
    assert all(segment.boundary["method"] != "person" for segment in view.segments)


def test_the_same_cut_after_an_undo_brings_the_same_memories_and_proposals_back(memory):
    done = cut(memory, 0, 4)
    after = state(memory)
    memory.undo(done.event_id)
    again = cut(memory, 0, 4)
    assert [m.id for m in again.added] == [m.id for m in done.added]
    assert state(memory) == after


def test_consolidation_does_not_reopen_what_an_undone_cut_proposed(memory):
    memory.undo(cut(memory, 0, 4).event_id)
    memory.consolidate()
    assert "re-extraction" not in {p.made_by for p in memory.review.proposals()}


def test_a_cut_is_among_the_decisions_a_person_can_undo(memory):
    done = cut(memory, 0, 4)
    newest = memory.review.decisions()[0]
    assert (newest.id, newest.kind, newest.actor) == (done.event_id, "topics.moved", "person")


def test_a_reading_is_a_run_with_traces_and_counts(memory):
    done = cut(memory, 0, 4)
    view = memory.runs.view(done.run_id)
    assert (view.run.kind, view.run.recipe, view.run.state) == ("resegment", "memscope", "finished")
    assert {trace.stage for trace in view.traces} == {"compress", "buffer", "extract", "link", "embed"}
    assert (view.run.totals["segments"], view.run.totals["proposals"]) == (2, 1)
    assert all(finding.sound for finding in memory.store.check())


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.sets(st.integers(1, 5)), min_size=1, max_size=4))
def test_any_cuts_are_partitions_and_undo_leads_back_step_by_step(memory, cuts):
    trail = []
    for starts in cuts:
        before = state(memory)
        try:
            done = cut(memory, *starts)
        except UsageError:
            assert topics(memory) == topics_of(starts)
            continue
        assert topics(memory) == topics_of(starts)
        trail.append((before, done.event_id))
    for before, event_id in reversed(trail):
        memory.undo(event_id)
        assert state(memory) == before
    assert all(finding.sound for finding in memory.store.check())


def topics_of(starts: set[int]) -> list[list[int]]:
    edges = [0, *sorted(starts), len(TURNS)]
    return [list(range(a, b)) for a, b in itertools.pairwise(edges)]


def state(memory: Memory) -> dict[str, Any]:
    """What is remembered and proposed and how the session is cut, without tombstones and ids of runs."""
    everything = content(memory.store)
    return {
        "topics": topics(memory),
        "memories": [m for m in everything["memories"] if m.state != "deleted"],
        "triples": [replace(t, invalidated_at=None) for t in everything["triples"] if t.mentions],
        "proposals": [p for p in everything["proposals"] if p.state != "superseded"],
    }


# ---------------------------------------------------------------- what is refused


def test_a_reading_that_fails_changes_nothing_and_says_why(memory, extractor):
    before = state(memory)
    events = len(memory.review.history())
    extractor.fails.add("bakes bread.")
    with pytest.raises(MemcoreError, match="cannot read") as raised:
        cut(memory, 0, 4)
    assert "as before" in raised.value.fix
    assert state(memory) == before
    assert len(memory.review.history()) == events
    newest = memory.runs.all()[0]
    assert (newest.kind, newest.state) == ("resegment", "failed")
    assert "bakes bread" in newest.error


def test_cancelling_changes_nothing(memory):
    before = state(memory)
    with pytest.raises(CancelledError):
        cut(memory, 0, 4, cancelled=lambda: True)
    assert state(memory) == before
    assert memory.runs.all()[0].state == "cancelled"


def test_a_cut_made_meanwhile_is_not_overwritten(memory, extractor):
    def meanwhile(_: Buffer) -> None:
        extractor.watch = lambda buffer: None
        cut(memory, 0, 2)

    extractor.watch = meanwhile
    with pytest.raises(ConflictError, match="were moved while"):
        cut(memory, 0, 4)
    assert topics(memory) == [[0, 1], [2, 3, 4, 5]]


@pytest.mark.parametrize(
    ("starts", "says"),
    [([TURNS[0], TURNS[3]], "stand already"), (["nowhere"], "'nowhere' is in no topic")],
)
def test_what_cannot_be_a_new_cut_is_refused_with_a_reason(memory, starts, says):
    runs = memory.runs.all()
    with pytest.raises(UsageError, match=says):
        memory.resegment(SESSION, starts)
    assert memory.runs.all() == runs


def test_an_unknown_session_or_recipe_is_named(memory):
    with pytest.raises(NotFoundError, match="me has no session"):
        memory.resegment("nowhere", [])
    with pytest.raises(UsageError, match="no recipe"):
        memory.resegment(SESSION, [], recipe="another")


def test_a_recipe_that_cuts_no_topics_has_none_to_move(memory):
    memory.resume(recipe="mem0")
    with pytest.raises(UsageError, match="mem0 does not divide sessions into topics") as raised:
        cut(memory, 0, recipe="mem0")
    assert raised.value.fix == "Choose one of: memscope, lightmem."
    assert len(memory.evidence.session(SESSION, recipe="mem0").segments) == 3, "its message pairs stay"


def test_topics_are_not_joined_across_turns_that_were_not_read_yet(tmp_path, extractor):
    with open_memory(tmp_path / "gap", backends=partial(FakeBackends, extractor=extractor)) as memory:
        with memory.store.write(actor="test") as writer:
            writer.add_log(TALK)
            writer.add_segments([Segment(f"seg_{i}", SESSION, tuple(TURNS[i : i + 2])) for i in (0, 4)])
            writer.mark_processed("memscope", [*TURNS[:2], *TURNS[4:]], "run")
        with pytest.raises(UsageError, match="Turn 5 must start a topic"):
            cut(memory, 0)
        with pytest.raises(UsageError, match="Turn 3 is in no topic"):
            cut(memory, 0, 2, 4)
        cut(memory, 0, 4, 5)
        assert topics(memory) == [[0, 1], [4], [5]]
