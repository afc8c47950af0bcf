"""From when "10 days ago" in a question counts: what is given, what is asked about, now, or the log's end."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memcore.domain.models import LogRead, now
from memcore.memory import Memory
from memcore.retrieval.results import TimeOfAsking
from memcore.retrieval.time_of_asking import RECENT, in_words, usual_time_of_asking
from memcore.systems.registry import SYSTEMS
from tests.asking import QUESTION, on_both_days, purchases
from tests.pipeline import log

END = datetime(2024, 1, 15, 9)
"""When the pears were bought."""


@pytest.fixture
def shopping(memory: Memory) -> Memory:
    memory.ingest(LogRead((purchases(),)))
    return memory


@on_both_days
def test_the_same_question_on_another_day_finds_another_message(
    shopping: Memory, day: str, bought: str
) -> None:
    asked = datetime.fromisoformat(day)
    report = shopping.search(QUESTION, asked_at=asked)
    assert report.hits[0].text == f"Ann bought {bought} at the market"
    assert report.trace.asked == TimeOfAsking(asked, "given")
    answered = shopping.ask(QUESTION, asked_at=asked)
    assert bought in answered.context.splitlines()[0] and answered.trace.asked == report.trace.asked
    assert bought in shopping.retrieve(QUESTION, asked_at=asked).context.text.splitlines()[0]


@on_both_days
def test_why_one_was_not_found_is_said_of_the_same_day(shopping: Memory, day: str, bought: str) -> None:
    asked = datetime.fromisoformat(day)
    (other,) = [m for m in shopping.memories.find() if bought not in m.text]
    assert shopping.why_not(QUESTION, other.id, k=1, asked_at=asked).wanted.rank == 2


def test_the_time_of_asking_leaves_nothing_out(shopping: Memory) -> None:
    before_anything = shopping.search(QUESTION, asked_at=datetime(2020, 1, 1))
    assert {hit.text for hit in before_anything.hits} == {
        "Ann bought apples at the market",
        "Ann bought pears at the market",
    }


@pytest.mark.parametrize("recipe", ["memscope", "simplemem", "licomemory", "mem0_graph"])
def test_every_system_that_reads_times_counts_from_it(memory: Memory, recipe: str) -> None:
    assert recipe in SYSTEMS
    memory.ingest(LogRead((purchases(),)), recipe=recipe)
    plans = [
        memory.search(QUESTION, asked_at=datetime(2024, 1, day), recipe=recipe).trace.plan for day in (18, 25)
    ]
    assert [plan.time_from for plan in plans] == [datetime(2024, 1, 8), datetime(2024, 1, 15)]


def test_whoever_says_nothing_asks_a_log_that_ended_long_ago_at_its_end(shopping: Memory) -> None:
    report = shopping.search(QUESTION)
    assert report.trace.asked == TimeOfAsking(END, "newest message")
    assert report.trace.plan.time_from == datetime(2024, 1, 5)
    assert shopping.usual_time_of_asking() == report.trace.asked


def test_and_a_memory_that_is_written_to_now(memory: Memory) -> None:
    memory.ingest(LogRead((purchases(begin=now() - timedelta(days=10)),)))
    report = memory.search(QUESTION)
    assert report.trace.asked.origin == "now"
    assert report.hits[0].text == "Ann bought apples at the market", "10 days ago, not 10 before the pears"


def test_a_question_about_a_moment_counts_as_asked_then(shopping: Memory) -> None:
    at = datetime(2024, 1, 18)
    assert shopping.search(QUESTION, as_of=at).trace.asked == TimeOfAsking(at, "as of")
    both = shopping.search(QUESTION, as_of=at, asked_at=datetime(2024, 1, 25))
    assert both.trace.asked.origin == "given"
    assert both.trace.plan.time_from == datetime(2024, 1, 15)


def test_without_any_time_in_the_log_relative_times_are_not_read(memory: Memory) -> None:
    memory.ingest(LogRead((log(["bought apples at the market."], begin=None),)))
    report = memory.search(QUESTION)
    assert report.trace.asked == TimeOfAsking(None, "unknown")
    assert report.trace.plan.time_from is None


@pytest.mark.parametrize(
    ("age", "origin"),
    [
        (timedelta(0), "now"),
        (RECENT - timedelta(minutes=1), "now"),
        (RECENT + timedelta(minutes=1), "newest message"),
        (-timedelta(hours=13), "now"),
        (-timedelta(days=2), "newest message"),
    ],
)
def test_recent_is_30_days_and_a_log_of_the_future_ends_when_it_ends(age: timedelta, origin: str) -> None:
    assert usual_time_of_asking(now() - age).origin == origin


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (TimeOfAsking(END, "given"), "15 Jan 2024"),
        (TimeOfAsking(END, "as of"), "15 Jan 2024, the time it asks about"),
        (TimeOfAsking(END, "newest message"), "15 Jan 2024, when the newest message was said"),
        (TimeOfAsking(END, "now"), "now"),
        (TimeOfAsking(None, "unknown"), "unknown, since no message has a time"),
    ],
)
def test_it_is_said_in_words(asked: TimeOfAsking, words: str) -> None:
    assert in_words(asked) == words
