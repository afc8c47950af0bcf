"""FullText: every message as it was said, and a context that is the log."""

from __future__ import annotations

from datetime import datetime

from memcore.retrieval.context import assemble
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import SearchReport
from memcore.store import DuckStore
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import Step, StepResult
from tests import pipeline
from tests.pipeline import EMBEDDER, JANUARY, FakeBackends, SayingExtractor, log, run_ingest

FULLTEXT = SYSTEMS["fulltext"]


def words(text: str) -> int:
    return len(text.split())


def asked(store: DuckStore, *, k: int = 1000, as_of: datetime | None = None) -> SearchReport:
    question = Question("What is it about?", recipe="fulltext", k=k, as_of=as_of)
    return FULLTEXT.search(store, SearchTools(EMBEDDER), question)


def told(report: SearchReport) -> list[str]:
    return [hit.text for hit in report.hits]


def test_every_message_is_a_memory_as_it_was_said(store):
    talk = log(["Hi!", "likes tea.\nA lot."], ["Bye."])
    extractor = SayingExtractor()
    report = run_ingest(store, talk, recipe=FULLTEXT, extractor=extractor)

    assert (report.memories, report.segments, report.triples, extractor.read) == (3, 0, 0, [])
    memories = store.memories("me", recipe="fulltext")
    assert [m.text for m in memories] == ["Ann: Hi!", "Ben: likes tea.\nA lot.", "Ann: Bye."]
    for memory, message in zip(memories, talk.messages, strict=True):
        (source,) = memory.sources
        assert (source.message_id, source.start, source.end) == (message.id, 0, len(message.text))
        assert (memory.kind, memory.speaker) == ("statement", message.speaker)
        assert memory.mentioned_at == memory.valid_from == message.said_at


def test_no_model_takes_part(store):
    class Untouchable:
        def __getattr__(self, name):
            raise AssertionError(f"a model was used: {name}")

    untouched = Untouchable()
    run_ingest(
        store, log(["Hi!"]), recipe=FULLTEXT, compressor=untouched, attention=untouched, extractor=untouched
    )
    assert store.count_memories("me", recipe="fulltext") == 1


def test_what_systems_and_tools_say_is_evidence_only(store):
    run_ingest(store, log([("system", "Be kind."), ("user", "Hi!"), ("tool", "42")]), recipe=FULLTEXT)
    assert told(asked(store)) == ["user: Hi!"]
    assert store.pending_messages("fulltext", "me") == []


def test_a_question_is_given_the_whole_log_newest_ranked_first(store):
    run_ingest(store, log(["one", "two"], ["three"]), recipe=FULLTEXT)
    report = asked(store)
    assert told(report) == ["Ann: three", "Ben: two", "Ann: one"]
    assert [hit.score for hit in report.hits] == [sum(hit.components.values()) for hit in report.hits]
    assert [round(hit.score, 2) for hit in report.hits] == [1.0, 0.67, 0.33]
    assert (report.newest_first, report.trace.notes) == (True, ())


def test_k_caps_it_and_says_how_much_is_beyond(store):
    run_ingest(store, log(["one", "two", "three"]), recipe=FULLTEXT)
    report = asked(store, k=2)
    assert told(report) == ["Ann: three", "Ben: two"]
    assert report.trace.notes == ("1 older messages are beyond the 2 asked for",)
    assert told(asked(store, k=1)) == told(report)[:1]


def test_sessions_without_a_time_keep_the_logs_order_and_come_before_all_others(store):
    undated = log(["one", "two"], ["three", "four"], begin=None)
    run_ingest(store, log(["five"], name="b"), undated, recipe=FULLTEXT)
    assert [text.split()[-1] for text in reversed(told(asked(store)))] == [
        "one",
        "two",
        "three",
        "four",
        "five",
    ]


def test_as_of_ends_the_log_then(store):
    run_ingest(store, log(["one", "two"], ["three"]), recipe=FULLTEXT)
    assert told(asked(store, as_of=JANUARY)) == ["Ann: one"]
    assert told(asked(store, as_of=datetime(2024, 1, 9))) == ["Ben: two", "Ann: one"]


def test_the_context_is_the_log_in_its_own_order_without_saying_anything_twice(store):
    run_ingest(store, log(["likes tea.", "likes rain."]), recipe=FULLTEXT)
    report = asked(store)
    context = assemble(report.hits, 100, words, newest_first=report.newest_first)
    assert context.text.splitlines() == [
        "[1] (08 Jan 2024) Ann: likes tea.",
        "[2] (08 Jan 2024) Ben: likes rain.",
    ]
    assert [(c.number, c.hit.text) for c in context.citations] == [
        (1, "Ann: likes tea."),
        (2, "Ben: likes rain."),
    ]


def test_too_small_a_budget_keeps_the_newest(store):
    run_ingest(store, log([f"number {n}" for n in range(40)]), recipe=FULLTEXT)
    report = asked(store)
    context = assemble(report.hits, 56, words, newest_first=report.newest_first)
    lines = context.text.splitlines()
    assert [line.split()[-1] for line in lines] == [str(n) for n in range(32, 40)]
    assert [line.split()[0] for line in lines] == [f"[{n}]" for n in range(1, 9)]
    assert context.tokens <= 56


def test_ask_delivers_the_whole_log_where_it_fits(tmp_path):
    from memcore import open_memory
    from memcore.domain.models import LogRead

    with open_memory(tmp_path / "store", backends=FakeBackends) as memory:
        memory.ingest(LogRead((log([f"number {n}." for n in range(30)]),)), recipe="fulltext")
        answer = memory.ask("How many?", budget=2000, recipe="fulltext")
    assert [line.split()[-1] for line in answer.context.splitlines()] == [f"{n}." for n in range(30)]


def test_the_halves_do_nothing_but_hand_on(store):
    step = Step("me", "run", 0, ())
    assert FULLTEXT.read(step, pipeline.tools()) is step
    assert isinstance(FULLTEXT.remember(step, None, pipeline.tools()), StepResult)
