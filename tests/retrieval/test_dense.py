"""Dense retrieval: the k nearest valid memories of one owner and recipe, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from memcore.domain.models import MemoryEntry
from memcore.retrieval import views
from memcore.retrieval.dense import dense
from memcore.retrieval.question import Question, SearchTools
from tests.pipeline import EMBEDDER, JANUARY, log, run_ingest


def ask(store, text, **options):
    return dense(store, SearchTools(EMBEDDER), Question(text, **options))


def test_the_nearest_come_first_with_their_cosine_and_the_words_they_rest_on(store):
    talk = log(["likes green tea.", "plays chess.", "likes tea."])
    run_ingest(store, talk)
    report = ask(store, "Ann likes tea", k=2)
    assert [hit.text for hit in report.hits] == ["Ann likes tea", "Ann likes green tea"]
    assert report.hits[0].score == pytest.approx(1.0, abs=1e-4)
    assert all(hit.components == {"semantic": hit.score} for hit in report.hits)
    assert report.hits[1].quotes[0].text == "likes green tea."
    assert (report.trace.strategy, [view.view for view in report.trace.views]) == (
        "dense",
        ["semantic memory"],
    )


def test_messages_nothing_was_remembered_of_are_not_found(store):
    run_ingest(store, log(["Where is my umbrella?", "likes tea."]))
    assert [hit.text for hit in ask(store, "Where is my umbrella?").hits] == ["Ben likes tea"]


def test_other_owners_and_recipes_are_not_found(store):
    run_ingest(store, log(["likes tea."]))
    assert ask(store, "tea", owner="you").hits == ()
    assert ask(store, "tea", recipe="mem0").hits == ()


def test_as_of_a_moment_only_what_held_then_answers(store):
    run_ingest(store, log(["lives in Rome."], ["lives in Oslo."]))
    rome, oslo = store.memories("me")
    ended = replace(rome, state="invalidated", valid_to=oslo.valid_from, superseded_by=oslo.id)
    with store.write(actor="test") as writer:
        writer.put_memories([ended], kind="memory.changed")
    found = {
        when: [hit.text for hit in ask(store, "Where does Ann live?", as_of=when).hits]
        for when in (
            JANUARY - timedelta(days=1),
            JANUARY + timedelta(days=1),
            JANUARY + timedelta(days=9),
            None,
        )
    }
    assert list(found.values()) == [[], [rome.text], [oslo.text], [oslo.text]]


def test_however_many_have_ended_the_valid_ones_behind_them_are_found(store, monkeypatch):
    monkeypatch.setattr(views, "DEPTH", 4)
    run_ingest(store, log([f"likes tea {n}." for n in range(30)], ["plays chess."]))
    over: list[MemoryEntry] = [
        replace(m, state="deleted" if n % 2 else "invalidated", valid_to=datetime(2024, 2, 1))
        for n, m in enumerate(store.memories("me"))
        if "tea" in m.text
    ]
    with store.write(actor="test") as writer:
        writer.put_memories(over, kind="memory.changed")
    assert [hit.text for hit in ask(store, "Ann likes tea", k=3).hits] == ["Ann plays chess"]
