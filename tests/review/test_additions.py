"""What another program proposes to remember: its words are evidence, and count when a person says so."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import PROPOSED, Proposal
from memcore.inspection.objects import memory_view, proposal_view
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import Hit
from memcore.review.additions import LONGEST_NAME, LONGEST_TEXT, Addition, one_line, propose_addition
from memcore.review.decide import approve, edit, reject, undo
from memcore.review.proposals import renewed
from memcore.runs.ingest import new_run
from memcore.store import DuckStore
from memcore.systems.memscope.search import hybrid
from memcore.systems.registry import SYSTEMS
from tests.pipeline import RECIPE, log, run_ingest
from tests.store.samples import EMBEDDER

NOVEMBER = datetime(2026, 11, 20)
BIKE = Addition("Nora rides a red bicycle to work", "Desk 1.2", speaker="Nora", said_at=NOVEMBER)


def propose(store: DuckStore, addition: Addition = BIKE) -> Proposal:
    return propose_addition(store, new_run("me", RECIPE, {}, kind="propose"), addition)


def hits(store: DuckStore, text: str = "Which bicycle does Nora ride?") -> tuple[Hit, ...]:
    return hybrid(store, SearchTools(EMBEDDER), Question(text)).hits


def test_what_is_proposed_waits_and_is_found_by_nothing(store: DuckStore) -> None:
    proposal = propose(store)

    assert (proposal.operation, proposal.state, proposal.after) == ("add", "pending", BIKE.text)
    assert store.proposals("me") == [proposal]
    assert store.memories("me", states=None) == []
    assert hits(store) == ()
    assert store.pending_messages(RECIPE, "me") == []
    assert store.speakers("me") == []
    assert all(finding.sound for finding in store.check())


def test_the_words_are_the_programs_and_its_claim_stands_beside_them(store: DuckStore) -> None:
    proposal = propose(store)

    words = proposal_view(store, proposal.id).words
    assert words is not None
    assert (words.text, words.message.speaker, words.message.role) == (BIKE.text, "Desk 1.2", "assistant")
    assert words.message.said_at == NOVEMBER
    assert words.message.raw_ref.where.endswith("UTC, as said by Nora on 2026-11-20")
    assert "as said by Nora" in proposal.reason
    (conversation,) = store.conversations("me")
    assert (conversation.format, conversation.title) == (PROPOSED, "Proposed by Desk 1.2")


def test_approved_it_is_a_memory_that_cites_the_programs_words_and_undone_it_is_gone(
    store: DuckStore,
) -> None:
    proposal = propose(store)

    decided = approve(store, EMBEDDER, [proposal.id], "me")

    (hit,) = hits(store)
    assert (hit.kind, hit.id, hit.text) == ("memory", decided.outcomes[0].memory_id, BIKE.text)
    assert [(q.text, q.message.speaker) for q in hit.quotes] == [(BIKE.text, "Desk 1.2")]
    view = memory_view(store, hit.id)
    assert (view.memory.speaker, view.memory.mentioned_at) == ("Desk 1.2", NOVEMBER)
    assert [event.kind for event in view.events] == ["memory.added"]

    undone = undo(store, decided.event_id, "me")

    assert hits(store) == ()
    assert [p.state for p in store.proposals("me", states=None)] == ["pending"]
    undo(store, undone.event_id, "me")
    assert [hit.text for hit in hits(store)] == [BIKE.text]
    assert all(finding.sound for finding in store.check())


def test_edited_before_approval_the_memory_has_the_persons_words_and_the_evidence_the_programs(
    store: DuckStore,
) -> None:
    proposal = propose(store)
    edited = edit(store, proposal.id, "Nora cycles to work", "me")

    approve(store, EMBEDDER, [proposal.id], "me")

    assert (edited.after, edited.edited_from) == ("Nora cycles to work", BIKE.text)
    (hit,) = hits(store, "How does Nora go to work?")
    assert (hit.text, [q.text for q in hit.quotes]) == ("Nora cycles to work", [BIKE.text])


def test_the_same_again_is_the_same_proposal_in_whatever_state_it_is(store: DuckStore) -> None:
    first = propose(store)
    assert propose(store, Addition(BIKE.text, "Another 3", "Nora", NOVEMBER)) == first

    reject(store, [first.id], "me")

    assert propose(store).state == "rejected"
    with pytest.raises(ConflictError):
        approve(store, EMBEDDER, [first.id], "me")
    assert len(store.sessions(owner="me")) == 1


def test_several_additions_stand_apart_and_are_approved_and_undone_together(store: DuckStore) -> None:
    others = [Addition(f"Nora owns {n} cats", "Desk 1.2") for n in ("two", "three")]
    proposals = [propose(store, addition) for addition in (BIKE, *others)]

    decided = approve(store, EMBEDDER, [p.id for p in proposals[:2]], "me")

    assert {memory.text for memory in store.memories("me")} == {BIKE.text, others[0].text}
    assert others[1].text not in {hit.text for hit in hits(store, "How many cats does Nora own?")}
    undo(store, decided.event_id, "me")
    assert store.memories("me") == []


def test_it_stands_beside_what_logs_taught_and_no_recipe_reads_its_words(store: DuckStore) -> None:
    run_ingest(store, log(["rides a red bicycle.", "likes tea."]), embedder=EMBEDDER)
    approve(store, EMBEDDER, [propose(store).id], "me")

    texts = {hit.text for hit in hits(store)}

    assert {BIKE.text, "Ann rides a red bicycle"} <= texts
    assert run_ingest(store, embedder=EMBEDDER).messages == 0


@pytest.mark.parametrize(
    "recipe", sorted(name for name, one in SYSTEMS.items() if one.finds_unlinked_memories)
)
def test_whatever_recipe_it_is_added_to_finds_it_when_approved_and_never_before(
    store: DuckStore, recipe: str
) -> None:
    run_ingest(store, log(["likes tea."]), embedder=EMBEDDER, recipe=SYSTEMS[recipe])
    proposal = propose_addition(store, new_run("me", recipe, {}, kind="propose"), BIKE)

    def texts() -> set[str]:
        question = Question("Which bicycle does Nora ride?", recipe=recipe)
        return {hit.text for hit in SYSTEMS[recipe].search(store, SearchTools(EMBEDDER), question).hits}

    assert BIKE.text not in texts()
    decided = approve(store, EMBEDDER, [proposal.id], "me")
    assert BIKE.text in texts()
    undo(store, decided.event_id, "me")
    assert BIKE.text not in texts()


@pytest.mark.parametrize("state", ["pending", "superseded"])
def test_consolidation_neither_retires_nor_reopens_an_addition(store: DuckStore, state: str) -> None:
    waiting = replace(propose(store), state=state)
    assert renewed([waiting], set(), NOVEMBER) == ([], [])


@pytest.mark.parametrize("text", ["", " \n ", "x" * (LONGEST_TEXT + 1), "x" * 1_000_000])
def test_what_cannot_be_a_memory_is_refused_with_a_way_on(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        Addition(text, "Desk")
    assert refused.value.fix
    assert len(str(refused.value)) < 300


@given(st.text())
def test_a_programs_name_is_one_short_printable_line(name: str) -> None:
    kept = one_line(name)
    assert len(kept) <= LONGEST_NAME
    assert kept.isprintable()
    assert kept == one_line(kept)
