"""The facade: the whole way from a log to a decided proposal, with small fakes for the models."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import datetime
from operator import attrgetter
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.domain.errors import (
    ConflictError,
    EmbeddingMismatchError,
    LlmReplyError,
    LlmUnavailableError,
    NotFoundError,
    StoreBusyError,
    UsageError,
)
from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.retrieval.results import ModelFailure
from memcore.review.additions import Addition
from memcore.store import open_store, reembed
from tests import pipeline
from tests.fakes import HashingEmbedder, ScriptedLlm
from tests.pipeline import FakeBackends, content, log

ROOT = Path(__file__).parent.parent
MOVES = log(["lives in New York.", "likes tea."], begin=datetime(2024, 1, 10))
MOVED = log(["moved to San Francisco.", "likes jazz."], name="b", begin=datetime(2024, 3, 10))
OPEN = (
    "import sys, pathlib; from memcore.store import open_store;"
    f"store = open_store(pathlib.Path(sys.argv[1]), embedding_model={pipeline.EMBEDDER.model_id!r},"
    f" dimension={pipeline.EMBEDDER.dimension})"
)
"""Python that opens the store in the directory it is given, as another process does."""
WHERE = "Where does Ann live?"
FEBRUARY, APRIL = datetime(2024, 2, 1), datetime(2024, 4, 1)


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)


def take_in(memory: Memory, *logs, **options):
    return memory.ingest(LogRead(logs), **options)


def texts(report) -> list[str]:
    return [hit.text for hit in report.hits]


# ---------------------------------------------------------------- from log to answer


def test_a_run_took_as_long_as_every_report_of_it_says(memory, monkeypatch):
    """Loading models is part of it: the run begins before."""
    tools = memory.backends.tools

    def slowly(*given, **more):
        time.sleep(0.2)
        return tools(*given, **more)

    monkeypatch.setattr(memory.backends, "tools", slowly)
    report = take_in(memory, MOVES)
    proposed = memory.consolidate()
    consolidation, reading = memory.runs.all()
    assert reading.seconds >= 0.2
    assert report.seconds == reading.totals["seconds"] == reading.seconds
    (ours,) = memory.compare(MOVES.conversation.id, ["memscope"]).systems
    assert ours.cost.seconds == reading.seconds
    assert proposed.seconds == consolidation.totals["seconds"] == consolidation.seconds


def test_progress_is_told_before_models_are_loaded(tmp_path):
    told = []

    class Slow(FakeBackends):
        def tools(self, *given, **more):
            told.append("tools are made")
            return super().tools(*given, **more)

    with open_memory(tmp_path / "slow", backends=Slow) as memory:
        take_in(memory, MOVES, progress=lambda *one: told.append(one))
    assert told[:4] == [("load models", 0, 1), "tools are made", ("load models", 1, 1), ("read", 0, 2)]


def test_what_is_taken_in_is_counted_and_found(memory):
    report = take_in(memory, MOVES)

    assert (report.state, report.messages, report.memories) == ("finished", 2, 2)
    assert memory.evidence.owners() == ["me"]
    assert memory.runs.pending() == 0
    assert memory.memories.count() == len(memory.memories.find()) == 2
    assert texts(memory.search("New York"))[0] == "Ann lives in New York"
    view = memory.runs.view(report.run_id)
    assert view.run.kind == "ingest"
    assert set(view.stage_milliseconds) == {"compress", "segment", "buffer", "extract", "link", "embed"}


def test_every_memory_shows_the_words_segment_triples_and_history_behind_it(memory):
    take_in(memory, MOVES)
    (found,) = memory.memories.find(contains="New York")

    view = memory.memories.view(found.id)

    assert [quote.text for quote in view.quotes] == ["lives in New York."]
    assert MOVES.messages[0].id in view.segment.message_ids
    (triple,) = view.triples
    names = {i: e.name for i, e in view.entities.items()}
    assert (names[triple.subject_id], triple.relation, names[triple.object_id]) == (
        "Ann",
        "lives",
        "in New York",
    )
    assert [event.kind for event in view.events] == ["memory.added"]
    session = memory.evidence.session(MOVES.sessions[0].id)
    assert session.messages == MOVES.messages
    assert found in session.memories


def test_the_traces_of_a_session_are_there_for_its_pages(memory):
    take_in(memory, MOVES)
    session_id = MOVES.sessions[0].id
    (compression,) = memory.traces.of(session_id, "compress")
    assert [row["message_id"] for row in compression.payload["messages"]] == [m.id for m in MOVES.messages]
    (segmentation,) = memory.traces.of(session_id, "segment")
    assert segmentation.payload["message_ids"] == [m.id for m in MOVES.messages]
    assert memory.traces.of(session_id, "extract")[0].payload["made_by"] == "takes every sentence"


def test_asking_without_a_model_gives_the_context_and_no_answer(memory):
    take_in(memory, MOVES, MOVED)

    answer = memory.ask("New York", budget=60)

    assert (answer.answer, answer.answered_by, answer.warnings) == (None, "", ())
    assert answer.context.startswith("[1] (10 Jan 2024) Ann lives in New York — Ann: ")
    assert answer.context_tokens <= 60
    assert [c.number for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    assert answer.citations[0].hit.text == "Ann lives in New York"


def test_asking_with_a_model_gives_its_answer_and_keeps_the_run(memory):
    take_in(memory, MOVES)
    with_model(memory, ScriptedLlm(["Ann lives in New York [1]."]))

    answer = memory.ask("New York")

    assert answer.answer == "Ann lives in New York [1]."
    assert answer.answered_by == "qwen3:8b"
    assert next((run.kind, run.state) for run in memory.runs.all()) == ("ask", "finished")


def test_a_model_that_fails_to_answer_leaves_the_context_and_a_failed_run(memory):
    take_in(memory, MOVES)
    with_model(memory, ScriptedLlm([LlmReplyError("It was empty.", "Ask again.")]))

    answer = memory.ask("New York")

    assert (answer.answer, answer.failure) == (None, ModelFailure("It was empty.", "Ask again."))
    assert answer.citations
    assert next((run.kind, run.state) for run in memory.runs.all()) == ("ask", "failed")


def with_model(memory, llm):
    memory.backends.ask_from_now_on(llm)


@pytest.mark.parametrize("budget", [0, 49, -1])
def test_a_budget_that_holds_nothing_is_a_usage_error(memory, budget):
    with pytest.raises(UsageError, match="50"):
        memory.ask("New York", budget=budget)


# ---------------------------------------------------------------- the worked contradiction


@pytest.fixture
def moved(memory):
    """ "I live in New York" in January, "I moved to San Francisco" in March; consolidated."""
    take_in(memory, MOVES, MOVED)
    report = memory.consolidate()
    assert (report.proposals, report.by_operation) == (1, {"invalidate": 1})
    return memory


def test_consolidation_proposes_and_changes_nothing(moved):
    (proposal,) = moved.review.proposals()
    view = moved.review.proposal(proposal.id)

    assert (proposal.operation, proposal.state) == ("invalidate", "pending")
    assert [m.text for m in view.targets] == ["Ann lives in New York"]
    assert "Ann moved to San Francisco" in [m.text for m, _ in view.candidates]
    assert [q.text for q in view.quotes[view.targets[0].id]] == ["lives in New York."]
    assert {m.state for m in moved.memories.find(states=None)} == {"active"}
    for as_of in (None, FEBRUARY, APRIL):
        assert "Ann lives in New York" in texts(moved.search(WHERE, as_of=as_of))


def test_after_approval_each_time_has_its_own_answer(moved):
    (proposal,) = moved.review.proposals()
    moved.approve([proposal.id])

    january, now, april = (moved.search(WHERE, as_of=at) for at in (FEBRUARY, None, APRIL))

    assert "Ann lives in New York" in texts(january)
    assert "Ann moved to San Francisco" not in texts(january)
    for later in (now, april):
        assert "Ann lives in New York" not in texts(later)
        assert "Ann moved to San Francisco" in texts(later)
    (old,) = moved.memories.find(states=("invalidated",))
    (new,) = moved.memories.find(contains="San Francisco")
    assert (old.valid_to, old.superseded_by) == (datetime(2024, 3, 10), new.id)
    assert moved.memories.view(new.id).replaces == (old,)
    held = {t.relation: t.invalidated_at for t in moved.memories.view(old.id).triples}
    assert held == {"lives": datetime(2024, 3, 10)}


def test_what_is_ended_is_in_the_graph_of_then_and_marked_in_the_graph_of_now(moved):
    (proposal,) = moved.review.proposals()
    moved.approve([proposal.id])

    def relations(**options):
        return sorted(triple.relation for triple in moved.graph.part(**options).triples)

    assert relations(as_of=FEBRUARY) == ["likes", "lives"]
    assert "lives" not in relations(as_of=APRIL)
    assert "lives" in relations()
    assert "lives" not in relations(include_invalidated=False)


def test_undo_takes_the_approval_back_and_undoing_that_redoes_it(moved):
    before = content(moved.store)["memories"]
    (proposal,) = moved.review.proposals()
    decided = moved.approve([proposal.id], actor="lee")
    after = content(moved.store)["memories"]

    undone = moved.undo(decided.event_id, actor="lee")
    assert content(moved.store)["memories"] == before
    assert [p.id for p in moved.review.proposals()] == [proposal.id]

    moved.undo(undone.event_id)
    assert content(moved.store)["memories"] == after
    assert moved.review.proposals() == []
    (old,) = moved.memories.find(states=("invalidated",))
    kinds = [event.kind for event in moved.review.history(old.id)]
    assert kinds == ["memory.added", "memory.invalidated", "memory.restored", "memory.restored"]


def test_an_approval_cannot_be_undone_twice(moved):
    decided = moved.approve([moved.review.proposals()[0].id])
    moved.undo(decided.event_id)
    with pytest.raises(ConflictError, match="undone already"):
        moved.undo(decided.event_id)


def test_what_was_rejected_is_not_proposed_again(moved):
    (proposal,) = moved.review.proposals()
    moved.reject([proposal.id])

    assert moved.consolidate().proposals == 0
    assert [p.state for p in moved.review.proposals(states=None)] == ["rejected"]
    assert "Ann lives in New York" in texts(moved.search(WHERE))


def test_consolidating_again_proposes_nothing_twice(moved):
    assert moved.consolidate().proposals == 0
    assert len(moved.review.proposals(states=None)) == 1


def test_taking_the_same_logs_in_again_does_not_undo_a_decision(moved):
    moved.approve([moved.review.proposals()[0].id])
    before = content(moved.store)

    take_in(moved, MOVES, MOVED)

    assert content(moved.store) == before


def test_history_is_oldest_first_and_a_limit_keeps_the_newest(moved):
    events = moved.review.history()
    assert [e.seq for e in events] == sorted(e.seq for e in events)
    assert moved.review.history(limit=2) == events[-2:]
    assert moved.review.history("no such object") == []


# ---------------------------------------------------------------- which system answers


def test_a_system_that_remembers_nothing_does_not_answer_in_place_of_one_that_does(memory, extractor):
    assert memory.default_recipe() == "memscope"
    take_in(memory, MOVES, recipe="lightmem")
    extractor.fails = {"lives in New York.", "likes tea."}
    for recipe in ("simplemem", "memscope"):
        assert memory.resume(recipe=recipe).errors
    assert memory.default_recipe() == "lightmem"
    assert "Ann lives in New York" in texts(memory.search(WHERE))

    extractor.fails = set()
    memory.resume(recipe="simplemem")
    assert memory.default_recipe() == "simplemem", "the last that learned something"
    memory.resume()
    assert memory.default_recipe() == "memscope"


def test_an_imported_store_answers_as_the_one_it_was_exported_from(memory, tmp_path):
    take_in(memory, MOVES, recipe="lightmem")
    memory.exports.write(tmp_path / "store.jsonl")
    with open_memory(tmp_path / "another", backends=FakeBackends) as other:
        other.exports.read(tmp_path / "store.jsonl")
        assert other.default_recipe() == "lightmem"
        assert texts(other.search(WHERE)) == texts(memory.search(WHERE))


# ---------------------------------------------------------------- what cannot be


def test_an_unknown_recipe_names_those_there_are(memory):
    with pytest.raises(UsageError, match="memscope") as caught:
        take_in(memory, MOVES, recipe="carrot cake")
    assert "carrot cake" in caught.value.cause
    assert memory.evidence.conversations() == []


def test_a_log_read_for_another_owner_is_refused_before_anything_is_stored(memory):
    with pytest.raises(UsageError, match="owner='you'"):
        take_in(memory, MOVES, owner="you")
    assert memory.evidence.owners() == []


@pytest.mark.parametrize(
    "call", ["memories.view", "evidence.session", "review.proposal", "runs.view", "undo"]
)
def test_an_unknown_id_is_not_found_with_a_way_to_find_one(memory, call):
    with pytest.raises(NotFoundError, match="nobody") as caught:
        attrgetter(call)(memory)("nobody")
    assert caught.value.fix


def test_a_chosen_model_that_is_not_there_stops_ingest_before_any_work(tmp_path):
    with open_memory(
        tmp_path, backends=FakeBackends, llm="ollama", ollama_host="http://127.0.0.1:9"
    ) as memory:
        with pytest.raises(LlmUnavailableError, match=r"127\.0\.0\.1:9"):
            take_in(memory, MOVES)
        with pytest.raises(LlmUnavailableError):
            memory.consolidate()
        assert (memory.runs.all(), memory.evidence.conversations()) == ([], [])


def test_an_unknown_export_format_is_a_usage_error(memory, tmp_path):
    with pytest.raises(UsageError, match="xlsx"):
        memory.exports.write(tmp_path / "out", format="xlsx")


# ---------------------------------------------------------------- one store, one model, one process


def test_a_store_of_another_embedding_model_is_refused_and_can_be_reembedded(tmp_path, memory):
    take_in(memory, MOVES)
    found = texts(memory.search("New York"))
    memory.close()
    other = HashingEmbedder(32)

    with pytest.raises(EmbeddingMismatchError, match=r"hashing-64.*hashing-32.*memcore reembed --store"):
        open_store(tmp_path / "store", embedding_model=other.model_id, dimension=32)

    reembed(tmp_path / "store", other)
    with pytest.raises(EmbeddingMismatchError):
        open_memory(tmp_path / "store", backends=FakeBackends)
    reembed(tmp_path / "store", pipeline.EMBEDDER)
    with open_memory(tmp_path / "store", backends=FakeBackends) as again:
        assert texts(again.search("New York")) == found


def test_a_store_open_in_another_process_says_which_and_can_be_used_after_it(tmp_path):
    holds = f"{OPEN}; print('open', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", holds, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreBusyError, match=str(holder.pid)) as caught:
            open_memory(tmp_path, backends=FakeBackends)
        assert "Close" in caught.value.fix
    finally:
        holder.communicate("")
    with open_memory(tmp_path, backends=FakeBackends) as memory:
        assert memory.evidence.stats()


def test_closing_gives_the_store_to_other_processes(tmp_path):
    with open_memory(tmp_path, backends=FakeBackends) as memory:
        take_in(memory, MOVES)
    counts = f"{OPEN}; print(len(store.memories('me')))"
    counted = subprocess.run(
        [sys.executable, "-c", counts, str(tmp_path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert counted.stdout == "2\n"


# ---------------------------------------------------------------- out and in


def test_export_and_import_lose_nothing(moved, tmp_path):
    moved.approve([moved.review.proposals()[0].id])
    texts_of = [m.text for m in moved.memories.find(states=None)] + [m.text for m in MOVES.messages]

    rows = moved.exports.write(tmp_path / "all.jsonl")

    with open_memory(tmp_path / "copy", backends=FakeBackends) as copy:
        assert copy.exports.read(tmp_path / "all.jsonl") == rows
        assert copy.review.history() == moved.review.history()
        assert copy.memories.find(states=None) == moved.memories.find(states=None)
        assert copy.runs.all() == moved.runs.all()
        assert content(copy.store) == content(moved.store)
        model = pipeline.EMBEDDER.model_id
        vectors = [m.store.embeddings(model, texts_of) for m in (copy, moved)]
        assert vectors[0].keys() == vectors[1].keys() == set(texts_of)
        assert all((vectors[0][text] == vectors[1][text]).all() for text in texts_of)
        assert copy.search(WHERE).hits == moved.search(WHERE).hits
        assert take_in(copy, MOVES, MOVED).new_messages == 0
        assert copy.exports.read(tmp_path / "all.jsonl") == 0, "importing twice adds nothing"


def test_an_undo_still_works_after_export_and_import(moved, tmp_path):
    decided = moved.approve([moved.review.proposals()[0].id])
    moved.exports.write(tmp_path / "all.jsonl")
    with open_memory(tmp_path / "copy", backends=FakeBackends) as copy:
        copy.exports.read(tmp_path / "all.jsonl")
        copy.undo(decided.event_id)
        assert {m.state for m in copy.memories.find(states=None)} == {"active"}


def test_consolidation_goes_on_while_another_programs_addition_waits(memory):
    memory.ingest(LogRead((log(["likes tea.", "likes rain."]),)))
    memory.review.propose(Addition("Ben plays the cello", "a test"))

    memory.consolidate()

    assert [one.after for one in memory.review.proposals()] == ["Ben plays the cello"]
