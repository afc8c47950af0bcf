"""Fusion makes views comparable; the context never exceeds its budget and cites what it holds."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import UsageError
from memcore.domain.models import MemoryEntry, Message, RawRef, Triple
from memcore.retrieval.context import assemble
from memcore.retrieval.results import Hit, QueryPlan, Quote
from memcore.retrieval.views import graph, symbolic, temporal
from memcore.systems.memscope.fuse import above_lowest

SAID = Message(
    "m1",
    "s",
    0,
    "Ana",
    "person",
    "I moved to Rome\nin May.",
    datetime(2024, 5, 2),
    "message",
    RawRef("f", "1"),
)


def hit(text: str, quote: bool = True) -> Hit:
    quotes = (Quote(SAID, 0, len(SAID.text)),) if quote else ()
    return Hit("h", "memory", text, 1.0, {}, quotes, SAID.said_at)


def words(text: str) -> int:
    return len(text.split())


def memory(name: str, **given: object) -> MemoryEntry:
    return MemoryEntry(
        id=name, owner="me", text=name, kind="fact", recipe="r", run_id="r", sources=(), **given
    )  # type: ignore[arg-type]


def test_what_a_view_did_not_return_was_no_better_than_its_worst() -> None:
    best, worst, unknown = above_lowest({"a": 5.0, "b": 1.0, "c": 3.0}, ["a", "b", "unknown"])
    assert unknown == worst == 0.0 < best


def test_a_view_that_returned_nothing_says_nothing() -> None:
    assert above_lowest({}, ["a", "b"]).tolist() == [0.0, 0.0]


@given(st.dictionaries(st.text(max_size=3), st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_standardising_keeps_the_order(scores: dict[str, float]) -> None:
    result = dict(zip(scores, above_lowest(scores, list(scores)), strict=True))
    ranked = sorted(scores, key=lambda i: scores[i])
    assert all(result[a] <= result[b] for a, b in pairwise(ranked))


def test_symbolic_counts_the_share_of_named_people_and_things() -> None:
    plan = QueryPlan("q", persons=("Ana",), entities=("Rome",))
    both = memory("both", speaker="Ana", location="Rome")
    scores = symbolic(plan, [both, memory("one", persons=("Ana",)), memory("no")], [SAID])
    assert scores == {"both": 1.0, "one": 0.5, "no": 0.0, SAID.id: 0.5}


def test_an_event_in_the_asked_time_counts_more_than_being_told_then() -> None:
    plan = QueryPlan("q", time_from=datetime(2024, 5, 1), time_to=datetime(2024, 6, 1))
    happened = memory("happened", event_at=datetime(2024, 5, 3), event_end=datetime(2024, 5, 4))
    told = memory("told", mentioned_at=datetime(2024, 5, 3))
    told_of_june = memory("june", mentioned_at=datetime(2024, 5, 3), event_at=datetime(2024, 6, 3))
    unknown = memory("unknown")
    assert temporal(plan, [happened, told, told_of_june, unknown]) == {
        "happened": 1.0,
        "told": 0.5,
        "june": 0.0,
        "unknown": 0.0,
    }


def test_a_question_that_speaks_of_no_time_has_no_temporal_view() -> None:
    assert temporal(QueryPlan("q"), [memory("a", event_at=datetime(2024, 1, 1))]) == {}


def test_an_edge_of_a_rare_entity_says_more_than_one_of_a_hub() -> None:
    edges = [Triple(f"t{i}", "me", "ana", "like", f"x{i}", (), (f"hub{i}",)) for i in range(9)]
    rare = Triple("t", "me", "rome", "be_in", "italy", (), ("rare",))
    scores = graph(("ana", "rome"), [*edges, rare], {})
    assert scores["rare"] > scores["hub0"] > 0


def test_a_similar_triple_reaches_its_memory_without_any_entity_named() -> None:
    edge = Triple("t1", "me", "a", "like", "b", (), ("m",))
    assert graph((), [edge], {"t1": 0.7}) == {"m": 0.7}


def test_context_is_numbered_dated_and_quotes_the_source_on_one_line() -> None:
    context = assemble([hit("Ana moved to Rome in May 2024.")], 60, words)
    assert context.text == '[1] (02 May 2024) Ana moved to Rome in May 2024. — Ana: "I moved to Rome in May."'
    assert context.citations[0].number == 1


def test_the_same_words_are_quoted_once() -> None:
    context = assemble([hit("One."), hit("Two.")], 60, words)
    assert context.text.count("I moved to Rome") == 1


@given(st.lists(st.integers(1, 40), max_size=15), st.integers(50, 120))
def test_the_context_never_exceeds_its_budget(lengths: list[int], budget: int) -> None:
    context = assemble([hit("w " * n, quote=False) for n in lengths], budget, words)
    assert words(context.text) == context.tokens <= budget
    assert [c.number for c in context.citations] == list(range(1, len(context.citations) + 1))


def test_a_budget_that_holds_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="tokens"):
        assemble([], 10, words)
