"""Systems on one log: what each remembers from which message, what it keeps, and what reading it cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import LogRead, SessionSummary, Source, StageTrace
from memcore.domain.protocols import Store
from memcore.inspection.comparison import Comparison, SystemOnLog, compare, only_in, reading
from memcore.retrieval.context import Context
from memcore.retrieval.results import Citation, Hit, Quote
from tests import pipeline
from tests.fakes import ScriptedLlm
from tests.pipeline import FakeBackends
from tests.store.samples import MAY_8, call, entity, log, memory, proposal, run, triple

DOG, CAT, FISH = "a-s0-m0", "a-s0-m1", "a-s1-m0"
OURS, THEIRS = "memscope", "lightmem"


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture
def store(store: Store) -> Store:
    """A log of three messages in two sessions, and another log of the same owner."""
    with store.write(actor="test") as writer:
        writer.add_log(log("I have a dog", "I have a cat"))
        writer.add_log(log("I have fish", session=1))
        writer.add_log(log("I have hens", name="b"))
    return store


def remember(store: Store, recipe: str, *message_ids: str, **changes: object) -> None:
    """One memory of these messages together."""
    sources = tuple(Source(message_id, 0, 6) for message_id in message_ids)
    with store.write(actor="test") as writer:
        key = f"{recipe}-{'-'.join(message_ids)}"
        writer.put_memories([memory(key, recipe=recipe, sources=sources, **changes)])


def work(store: Store, recipe: str, *message_ids: str, run_id: str = "", **changes: object) -> None:
    """An ingest run of ten seconds that finished these messages."""
    made = run(
        run_id or f"run-{recipe}", recipe=recipe, **{"finished_at": MAY_8 + timedelta(seconds=10)} | changes
    )
    with store.write(actor="test") as writer:
        writer.put_run(made)
        writer.mark_processed(recipe, message_ids, made.id)


def compared(store: Store, *recipes: str) -> Comparison:
    return compare(store, "a", recipes or (OURS, THEIRS), words, owner="me")


def system(store: Store, recipe: str = OURS) -> SystemOnLog:
    return compared(store, recipe).systems[0]


# --------------------------------------------------------------------------- who remembers what


def test_a_message_is_missed_by_who_worked_on_it_and_remembers_nothing_from_it(store: Store) -> None:
    work(store, OURS, DOG, CAT, FISH)
    work(store, THEIRS, DOG, CAT)
    remember(store, OURS, DOG, CAT)
    remember(store, OURS, FISH)
    remember(store, THEIRS, DOG)

    found = compared(store)

    ours, theirs = found.systems
    assert [m.id for m in found.messages] == [DOG, CAT, FISH]
    assert set(ours.remembered) == {DOG, CAT, FISH}
    assert ours.remembered[DOG] == ours.remembered[CAT]
    assert [theirs.missed(m) for m in (DOG, CAT, FISH)] == [False, True, False]
    assert theirs.pending == {FISH}
    assert found.missed(missed_by=THEIRS, remembered_by=OURS) == (CAT,)
    assert found.missed(missed_by=OURS, remembered_by=THEIRS) == ()


def test_messages_are_selected_by_who_caught_or_missed_them_by_session_and_by_text(store: Store) -> None:
    work(store, OURS, DOG, CAT, FISH)
    work(store, THEIRS, DOG, CAT, FISH)
    remember(store, OURS, DOG)
    remember(store, OURS, FISH, text="Ann owns a trout")
    remember(store, THEIRS, CAT)
    found = compared(store)

    def ids(**filters: str) -> list[str]:
        return [message.id for message in found.select(**filters)]

    assert ids() == [DOG, CAT, FISH]
    assert ids(remembered_by=OURS) == [DOG, FISH]
    assert ids(missed_by=THEIRS) == [DOG, FISH]
    assert ids(remembered_by=THEIRS, missed_by=OURS) == list(found.missed(OURS, THEIRS)) == [CAT]
    assert ids(session_id="a-s1") == [FISH]
    assert ids(contains="A CAT") == [CAT]
    assert ids(contains="TROUT") == [FISH]
    assert ids(contains="ben, or nobody") == []


def test_what_was_replaced_was_caught_and_what_was_deleted_was_not(store: Store) -> None:
    work(store, OURS, DOG, CAT, FISH)
    remember(store, OURS, DOG, state="superseded")
    remember(store, OURS, CAT, state="deleted")
    remember(store, OURS, FISH)
    found = system(store)
    assert set(found.remembered) == {DOG, FISH}
    assert (found.kept.memories, found.kept.past) == (1, 1)


def test_memories_of_another_log_and_of_another_system_are_left_out(store: Store) -> None:
    remember(store, OURS, "b-s0-m0")
    remember(store, THEIRS, DOG)
    assert system(store).remembered == {}
    assert (system(store).kept.memories, system(store).kept.tokens) == (0, 0)


def test_how_far_each_system_got_is_counted_by_log(store: Store) -> None:
    work(store, OURS, DOG, FISH, "b-s0-m0")
    read = reading(store, "a", owner="me")
    assert (read.messages, read.left(OURS), read.left(THEIRS)) == (3, 1, 3)


# --------------------------------------------------------------------------- what is kept


def test_stored_tokens_count_each_thing_said_once(store: Store) -> None:
    remember(store, OURS, DOG, text="Ann has a dog")
    remember(store, OURS, CAT, text="Bob had a cat", state="superseded")
    stated = triple("t1", "e1", "has", "e2", sources=(Source(DOG, 0, 6),), memory_ids=(f"{OURS}-{DOG}",))
    alone = triple("t2", "e1", "walks", "e2", sources=(Source(DOG, 0, 6),), memory_ids=())
    ended = replace(alone, id="t3", relation="fed", invalidated_at=MAY_8)
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Ann"), entity("e2", "Rex")])
        writer.put_triples([stated, alone, ended])
        writer.put_summaries(
            [
                SessionSummary("s1", "a-s0", "me", "They talk about pets"),
                SessionSummary("s2", "b-s0", "me", "Of another log"),
            ]
        )
    found = compared(store, OURS)
    kept = found.systems[0].kept
    assert (kept.memories, kept.past, kept.triples, kept.summaries) == (1, 1, 2, 1)
    assert kept.tokens == words("Ann has a dog") + words("They talk about pets") + words("Ann walks Rex")
    assert found.source_tokens == 11
    assert found.stored_per_1000(found.systems[0]) == pytest.approx(1000 * 11 / 11)


def test_a_running_summary_is_kept_once_however_many_sessions_it_stood_in(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_summaries(
            [
                SessionSummary(
                    f"s{n}", f"a-s{n}", "me", text, started_at=MAY_8 + timedelta(days=n), recipe="mem0"
                )
                for n, text in enumerate(("A dog.", "A dog and fish."))
            ]
        )
    kept = system(store, "mem0").kept
    assert (kept.summaries, kept.tokens) == (1, words("A dog and fish."))


def test_proposals_are_counted_that_wait_for_a_change_to_what_came_from_the_log(store: Store) -> None:
    remember(store, OURS, DOG)
    remember(store, OURS, "b-s0-m0")
    with store.write(actor="test") as writer:
        writer.put_proposals(
            [
                proposal("waits", f"{OURS}-{DOG}"),
                proposal("decided", f"{OURS}-{DOG}", state="rejected"),
                proposal("elsewhere", f"{OURS}-b-s0-m0"),
            ]
        )
    assert system(store).kept.proposals == 1
    assert system(store, THEIRS).kept.proposals == 0


# --------------------------------------------------------------------------- what it cost


def test_costs_are_those_of_the_runs_that_worked_on_the_log(store: Store) -> None:
    work(store, OURS, DOG, run_id="r1", settings={"active": {"llm": "ollama tiny"}})
    work(store, OURS, CAT, FISH, run_id="r2", settings={"active": {"llm": "ollama tiny"}})
    work(store, OURS, "b-s0-m0", run_id="other log")
    for key, of in (("c1", "r1"), ("c2", "r2"), ("c3", "other log")):
        store.record(call(key, run_id=of, prompt_tokens=100, completion_tokens=7))
    cost = system(store).cost
    assert {one.id for one in cost.runs} == {"r1", "r2"}
    assert (cost.calls, cost.prompt_tokens, cost.completion_tokens) == (2, 200, 14)
    assert (cost.seconds, cost.untimed_runs, cost.models) == (20.0, 0, ("ollama tiny",))
    assert not cost.of_several_logs


def test_a_run_over_several_logs_is_given_whole_with_what_it_covered(store: Store) -> None:
    work(store, OURS, DOG, CAT, FISH, "b-s0-m0", run_id="both")
    store.record(call("c1", run_id="both", prompt_tokens=100, completion_tokens=7))
    cost = system(store).cost
    assert cost.of_several_logs
    assert (cost.conversations, cost.messages, cost.calls, cost.prompt_tokens) == (("a", "b"), 4, 1, 100)


def test_what_a_run_spent_on_a_log_in_vain_counts_too(store: Store) -> None:
    work(store, OURS, "b-s0-m0", run_id="failed on a")
    with store.write(actor="test") as writer:
        writer.add_traces([StageTrace("failed on a", "extract", "a-s0", 0, 1.0, {"error": "no"})])
    cost = system(store).cost
    assert [one.id for one in cost.runs] == ["failed on a"]
    assert (cost.of_several_logs, cost.messages) == (True, 1)


def test_what_no_server_reported_is_unknown_and_not_zero(store: Store) -> None:
    work(store, OURS, DOG)
    store.record(call("c1", run_id=f"run-{OURS}", prompt_tokens=None, completion_tokens=None))
    cost = system(store).cost
    assert (cost.calls, cost.prompt_tokens, cost.completion_tokens) == (1, None, None)
    store.record(call("c2", run_id=f"run-{OURS}", prompt_tokens=50, completion_tokens=None))
    cost = system(store).cost
    assert (cost.prompt_tokens, cost.completion_tokens, cost.unreported_calls) == (50, None, 2)


def test_the_time_of_a_run_that_was_cut_off_is_unknown(store: Store) -> None:
    work(store, OURS, DOG, finished_at=None, state="running")
    assert (system(store).cost.seconds, system(store).cost.untimed_runs) == (None, 1)
    work(store, OURS, CAT, run_id="resumed", finished_at=MAY_8 + timedelta(seconds=4.5))
    assert (system(store).cost.seconds, system(store).cost.untimed_runs) == (4.5, 1)


def test_without_a_run_there_is_no_cost(store: Store) -> None:
    cost = system(store).cost
    assert (cost.runs, cost.calls, cost.seconds, cost.models) == ((), 0, None, ())


def test_only_the_owner_can_compare_a_log(store: Store) -> None:
    for conversation, owner in (("a", "you"), ("nowhere", "me")):
        with pytest.raises(NotFoundError):
            compare(store, conversation, [OURS], words, owner=owner)


# --------------------------------------------------------------------------- contexts


def test_what_only_one_context_quotes_is_told_by_message(store: Store) -> None:
    said = store.messages_by_id([DOG, CAT, FISH])

    def context(*message_ids: str) -> Context:
        hits = [Hit(i, "memory", "", 0.0, {}, (Quote(said[i], 0, 6),)) for i in message_ids]
        return Context("", 0, tuple(Citation(n, hit) for n, hit in enumerate(hits, start=1)))

    assert only_in({"x": context(DOG, CAT), "y": context(CAT, FISH), "z": context()}) == {
        "x": {DOG},
        "y": {FISH},
        "z": frozenset(),
    }


def test_the_facade_compares_and_retrieves_without_asking_for_an_answer(tmp_path: Path) -> None:
    model = ScriptedLlm()
    lives = pipeline.log(["lives in New York.", "likes tea."])
    with open_memory(tmp_path / "store", backends=FakeBackends, llm="none") as memory:
        memory.ingest(LogRead((lives,)))
        memory.resume(recipe=THEIRS, conversation_id=lives.conversation.id)
        found = memory.compare(lives.conversation.id, [OURS, THEIRS, OURS])
        assert [one.recipe for one in found.systems] == [OURS, THEIRS]
        assert [len(one.remembered) for one in found.systems] == [2, 2]
        assert memory.runs.progress(lives.conversation.id).left(THEIRS) == 0
        with pytest.raises(UsageError):
            memory.compare(lives.conversation.id, ["nonsense"])
        whole = memory.ask("Where does Ann live?", budget=60)
    with open_memory(tmp_path / "store", backends=partial(FakeBackends, llm=model)) as memory:
        got = memory.retrieve("Where does Ann live?", budget=60)
    assert (got.context.text, got.context.citations) == (whole.context, whole.citations)
    assert model.history == []
