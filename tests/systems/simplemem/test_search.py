"""SimpleMem's search: the plan and its depth, views in parallel, one result a memory, reflection."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from memcore.domain.errors import LlmReplyError
from memcore.domain.models import Entity, MemoryEntry
from memcore.domain.names import entity_key
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport
from memcore.store import DuckStore
from memcore.systems.registry import SYSTEMS
from memcore.systems.simplemem.intent import (
    DELTA,
    INDEXES,
    K_BASE,
    MOST_QUERIES,
    decomposed,
    depth_for,
    plan_by_model,
    plan_by_rule,
)
from memcore.systems.simplemem.reflect import reflect_by_rule
from memcore.systems.simplemem.search import RANK_OFFSET, WEIGHTS, simplemem
from tests.fakes import ScriptedLlm
from tests.pipeline import EMBEDDER, log, run_ingest

MAY_8 = datetime(2023, 5, 8, 13, 56)


def remember(store: DuckStore, *sessions: list[str], **options: Any) -> None:
    run_ingest(store, log(*sessions, **options), recipe=SYSTEMS["simplemem"])


def ask(store: DuckStore, query: str, llm: ScriptedLlm | None = None, **options: Any) -> SearchReport:
    return simplemem(store, SearchTools(EMBEDDER, llm), Question(query, recipe="simplemem", **options))


def texts(report: SearchReport) -> list[str]:
    return [hit.text for hit in report.hits]


def plan(query: str, *things: str) -> QueryPlan:
    names = {entity_key(thing): Entity(thing, "me", thing, "THING") for thing in things}
    return plan_by_rule(query, ["Ana", "Ben"], names, MAY_8)


# ---------------------------------------------------------------- the plan


@pytest.mark.parametrize(("complexity", "depth"), [(0.0, 25), (0.3, 32), (1.0, 50)])
def test_the_depth_is_k_base_times_one_plus_delta_times_the_complexity(complexity: float, depth: int) -> None:
    assert depth_for(complexity) == int(K_BASE * (1 + DELTA * complexity)) == depth


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("When did Ana move?", "a time"),
        ("What year did Ana move?", "a time"),
        ("Where does Ana live?", "a place"),
        ("Who helped Ana?", "a person"),
        ("How many dogs has Ana?", "a number or amount"),
        ("Why did Ana move?", "a reason"),
        ("Did Ana move?", "whether something is so"),
        ("What do Ana and Ben have in common?", "a comparison"),
        ("What does Ana play?", "a fact"),
    ],
)
def test_the_intent_is_read_from_the_question_word(query: str, intent: str) -> None:
    assert plan(query).intent == intent


def test_more_parts_names_and_times_make_a_question_more_complex_and_the_search_deeper() -> None:
    simple = plan("Where does Ana live?")
    timed = plan("Where did Ana live in 2022?")
    many = plan("Where did Ana live in 2022 and which clubs do Ana and Ben both like?")
    assert (simple.complexity, simple.depth) == (0.0, K_BASE)
    complexities = [p.complexity for p in (simple, timed, many)]
    assert complexities == sorted(complexities)
    assert simple.depth < timed.depth < many.depth <= depth_for(1.0)


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Where does Ana live?", []),
        ("When did Ana move, and why did she?", ["When did Ana move", "why did Ana"]),
        ("Where is Ana? What does Ben do?", ["Where is Ana", "What does Ben do"]),
        ("Which sports do Ana and Ben play?", ["Which sports do Ana play", "Which sports do Ben play"]),
        ("What did Ana give Ben?", []),
        ("What does Ana like, tea or coffee?", []),
    ],
)
def test_what_is_asked_together_is_also_asked_apart(query: str, parts: list[str]) -> None:
    persons = [name for name in ("Ana", "Ben") if name in query]
    assert list(decomposed(query, persons)) == [query, *parts]


def test_the_symbolic_index_is_asked_when_something_is_named() -> None:
    assert plan("What is good for a cold?").indexes == ("semantic", "lexical")
    for query in ("What does Ana like?", "What happened in May 2022?", "What of the red boat?"):
        assert plan(query, "red boat").indexes == ("semantic", "lexical", "symbolic")


def planned(**changes: Any) -> str:
    fields = {
        "intent": "where someone lives",
        "complexity": 0.2,
        "queries": [],
        "indexes": ["semantic", "lexical", "symbolic"],
        "persons": [],
        "entities": [],
        "time_from": None,
        "time_to": None,
    }
    return json.dumps(fields | changes)


def test_a_models_plan_is_taken_field_by_field_and_always_asks_the_question_itself() -> None:
    llm = ScriptedLlm(
        [
            planned(
                complexity=0.6,
                queries=["Ana's home", "ana's home", "where is  ana?"],
                indexes=["symbolic", "semantic"],
                persons=["Ana"],
                entities=["harbour"],
                time_from="2022-03",
                time_to="2022-04",
            )
        ]
    )
    found, notes = plan_by_model(llm, "Where is Ana?", ["Ana", "Ben"], {}, MAY_8)
    assert (found.intent, found.complexity, found.depth) == ("where someone lives", 0.6, 40)
    assert found.queries == ("Where is Ana?", "Ana's home")
    assert (found.indexes, found.persons, found.entities) == (
        ("semantic", "symbolic"),
        ("Ana",),
        ("harbour",),
    )
    assert (found.time_from, found.time_to) == (datetime(2022, 3, 1), datetime(2022, 5, 1))
    assert (found.made_by, notes) == ("scripted (simplemem_plan_v1)", ())
    (asked,) = llm.history
    assert (asked.stage, asked.prompt_version) == ("plan", "simplemem_plan_v1")
    assert "<today>\n2023-05-08\n</today>" in asked.user
    assert "<people>\nAna, Ben\n</people>" in asked.user


def test_what_a_models_plan_has_too_much_of_is_noted() -> None:
    many = [f"query {n}" for n in range(9)]
    llm = ScriptedLlm([planned(queries=["x" * 500, *many], time_from="soon")])
    found, notes = plan_by_model(llm, "Where is Ana?", ["Ana"], {}, MAY_8)
    assert found.queries == ("Where is Ana?", *many[: MOST_QUERIES - 1])
    assert (found.time_from, len(notes)) == (None, 3)
    assert "'soon' is not an ISO 8601 date" in notes[0]
    assert "a query of 500 characters was left out" in notes[1]
    assert "5 queries beyond the first 5 were left out" in notes[2]


@pytest.mark.parametrize(
    ("changes", "indexes", "noted"),
    [
        ({"indexes": []}, INDEXES, "chooses no index"),
        ({"indexes": ["symbolic"]}, INDEXES, "names nothing that the symbolic index could find"),
        ({"indexes": ["symbolic"], "persons": ["Ana"]}, ("symbolic",), ""),
        ({"indexes": ["symbolic"], "time_from": "2022"}, ("symbolic",), ""),
    ],
)
def test_a_plan_that_could_find_nothing_asks_all_indexes_and_says_so(
    changes: dict[str, Any], indexes: tuple[str, ...], noted: str
) -> None:
    found, notes = plan_by_model(ScriptedLlm([planned(**changes)]), "Where is Ana?", ["Ana"], {}, MAY_8)
    assert found.indexes == indexes
    assert [noted in note for note in notes] == ([True] if noted else [])


# ---------------------------------------------------------------- views and fusion


def test_every_view_is_read_for_every_query_and_a_memory_found_often_is_one_hit(store: DuckStore) -> None:
    remember(store, ["owns a red boat.", "owns a green boat."])
    report = ask(store, "Which boats do Ann and Ben own?")
    assert report.trace.plan.queries == (
        "Which boats do Ann and Ben own?",
        "Which boats do Ann own",
        "Which boats do Ben own",
    )
    asked = [view.view.split(" ", 1)[0] for view in report.trace.views]
    assert asked == ["semantic", "lexical", "symbolic"] * 3
    assert sorted(texts(report)) == ["Ann owns a red boat", "Ben owns a green boat"]
    assert (report.trace.strategy, report.trace.weights) == ("simplemem", WEIGHTS)


def test_the_parts_of_a_score_are_reciprocal_ranks_and_sum_to_it(store: DuckStore) -> None:
    remember(store, ["owns a red boat.", "paints small birds."])
    report = ask(store, "Who owns a red boat?")
    best = report.hits[0]
    assert best.text == "Ann owns a red boat"
    first = 1.0 / (RANK_OFFSET + 1)
    assert best.components == pytest.approx({"semantic": first, "lexical": first})
    for hit in report.hits:
        assert hit.score == pytest.approx(sum(hit.components.values()))
    assert [hit.score for hit in report.hits] == sorted((hit.score for hit in report.hits), reverse=True)


def test_a_name_that_fits_many_memories_orders_none_of_them(store: DuckStore) -> None:
    remember(store, ["likes tea. likes rain. likes snow.", "likes fog."])
    symbolic = {hit.text: hit.components.get("symbolic", 0.0) for hit in ask(store, "What of Ann?").hits}
    shared = WEIGHTS["symbolic"] / (RANK_OFFSET + 1)
    assert symbolic.pop("Ben likes fog", 0.0) == 0.0
    assert list(symbolic.values()) == [pytest.approx(shared)] * 3


def test_no_view_is_read_deeper_than_the_plan_says_and_k_caps_the_hits(store: DuckStore) -> None:
    remember(store, [f"likes fruit number{n}." for n in range(70)])
    report = ask(store, "likes fruit", k=5)
    assert report.trace.plan.depth == K_BASE
    assert len(report.hits) == 5
    found = ask(store, "likes fruit", k=1000)
    assert [len(view.ranking) for view in found.trace.views] == [K_BASE, K_BASE]
    assert len(found.hits) == K_BASE


@pytest.mark.parametrize(("complexity", "most"), [(0.0, 25), (0.6, 40), (1.0, 50)])
def test_a_question_is_answered_by_k_dyn_memories_at_most_however_many_are_asked_for(
    store: DuckStore, complexity: float, most: int
) -> None:
    remember(store, [f"likes fruit number{n}." for n in range(140)])
    answers = [planned(complexity=complexity, persons=["Ann"]), reflected(sufficient=True)]
    report = ask(store, "likes fruit", ScriptedLlm(answers), k=1000)
    assert len(report.hits) == most
    assert report.trace.notes[-1] == f"{most} results of the 1000 asked for: k_dyn = {most} for each round"
    few = ask(store, "likes fruit", ScriptedLlm(answers), k=24)
    assert texts(few) == texts(report)[:24]
    assert "k_dyn" not in few.trace.notes[-1]


def test_reflection_is_shown_what_k_dyn_lets_through(store: DuckStore) -> None:
    remember(store, [f"likes fruit number{n}." for n in range(70)])
    llm = ScriptedLlm([planned(complexity=0.0, persons=["Ann"]), reflected(sufficient=True)])
    ask(store, "likes fruit", llm, k=60)
    assert f"\n{K_BASE}. " in llm.history[1].user
    assert f"\n{K_BASE + 1}. " not in llm.history[1].user


def test_only_the_recipes_own_memories_of_the_owner_are_found(store: DuckStore) -> None:
    remember(store, ["owns a red boat."])
    remember(store, ["owns a red car."], owner="eve")
    run_ingest(store, log(["owns a red bike."], name="b"), recipe=SYSTEMS["memscope"])
    assert texts(ask(store, "Who owns something red?")) == ["Ann owns a red boat"]


def test_as_of_finds_what_was_valid_then_even_behind_much_that_was_not(store: DuckStore) -> None:
    remember(store, ["owns a red boat."], begin=datetime(2024, 1, 5))
    later = [f"owns a red boat number{n}." for n in range(60)]
    remember(store, later, name="b", begin=datetime(2024, 6, 5))
    found = ask(store, "Who owns a red boat?", as_of=datetime(2024, 2, 1))
    assert texts(found) == ["Ann owns a red boat"]
    assert found.hits[0].components.keys() == {"semantic", "lexical"}


def test_the_keyword_index_sees_what_was_remembered_after_the_first_insert(store: DuckStore) -> None:
    """SimpleMem's published keyword index never does."""
    remember(store, ["owns a red boat."])
    ask(store, "red boat")
    remember(store, ["owns a quokka."], name="b")
    (best, *_) = ask(store, "quokka").hits
    assert (best.text, "lexical" in best.components) == ("Ann owns a quokka", True)


def test_a_question_of_an_empty_memory_finds_nothing(store: DuckStore) -> None:
    report = ask(store, "Where is everybody?")
    assert report.hits == ()
    assert report.trace.notes[0] == "round 0: 0 memories found by 1 queries"


# ---------------------------------------------------------------- reflection


def reflected(*queries: str, missing: str = "the colour", sufficient: bool = False) -> str:
    return json.dumps({"sufficient": sufficient, "missing": missing, "queries": list(queries)})


def test_a_model_that_finds_it_sufficient_is_asked_twice_in_all(store: DuckStore) -> None:
    remember(store, ["owns a red boat."])
    llm = ScriptedLlm([planned(), reflected(sufficient=True, missing="")])
    report = ask(store, "Who owns a boat?", llm)
    assert [(asked.stage, asked.prompt_version) for asked in llm.history] == [
        ("plan", "simplemem_plan_v1"),
        ("reflect", "simplemem_reflect_v1"),
    ]
    assert "<asked>\nWho owns a boat?\n</asked>" in llm.history[1].user
    assert "<found>\n1. [2024-01-08] Ann owns a red boat\n</found>" in llm.history[1].user
    assert report.trace.notes == (
        "round 0: 1 memories found by 1 queries",
        "reflection 1: what was found covers the question",
    )


def test_reflection_asks_for_what_is_missing_in_at_most_two_rounds(store: DuckStore) -> None:
    remember(store, [f"likes fruit number{n}." for n in range(40)], ["sings at night."], ["has a drum."])
    llm = ScriptedLlm([planned(), reflected("sings"), reflected("drum", "likes fruit"), reflected("more")])
    report = ask(store, "likes fruit", llm, k=60)
    assert [asked.stage for asked in llm.history] == ["plan", "reflect", "reflect"]
    assert llm.answers, "a third reflection is not asked for"
    assert {"Ann sings at night", "Ann has a drum"} <= set(texts(report))
    assert "<asked>\nlikes fruit\nsings\n</asked>" in llm.history[2].user
    first, second = report.trace.notes[1:]
    assert first.startswith("reflection 1: missing the colour; asked “sings”; ")
    assert second.startswith("reflection 2: missing the colour; asked “drum”; "), "not what was asked"


def test_reflection_ends_when_there_is_nothing_new_to_ask(store: DuckStore) -> None:
    remember(store, ["owns a red boat."])
    llm = ScriptedLlm([planned(), reflected("who owns a boat?")])
    report = ask(store, "Who owns a boat?", llm)
    assert report.trace.notes[-1] == "reflection 1: missing the colour; nothing new to ask"


def test_an_unusable_plan_is_an_error_and_no_other_plan_takes_its_place(store: DuckStore) -> None:
    remember(store, ["owns a red boat."])
    with pytest.raises(LlmReplyError):
        ask(store, "boat?", ScriptedLlm([LlmReplyError("Nonsense.", "Choose another model.")]))


def memory(text: str, **fields: Any) -> MemoryEntry:
    return MemoryEntry(text, "me", text, "fact", "simplemem", "run", (), **fields)


@pytest.mark.parametrize(
    ("plan", "found", "missing", "queries"),
    [
        (QueryPlan("q", persons=("Ana",)), [memory("x", speaker="Ana")], "", ()),
        (QueryPlan("q", persons=("Ana", "Ben")), [memory("x", persons=("Ana",))], "Ben", ("Ben",)),
        (QueryPlan("q", entities=("red boat",)), [memory("The Red Boat sank")], "", ()),
        (QueryPlan("q", entities=("red boat",)), [memory("x")], "red boat", ("red boat",)),
        (
            QueryPlan("q", keywords=("ran",), time_from=datetime(2022, 3, 1), time_to=datetime(2022, 4, 1)),
            [memory("x", event_at=datetime(2021, 3, 1))],
            "the time asked for",
            ("ran March 2022",),
        ),
        (QueryPlan("q", keywords=("ran",), asks_when=True), [memory("x")], "a time", ("ran",)),
        (QueryPlan("q", asks_when=True), [memory("x", event_at=MAY_8)], "", ()),
    ],
)
def test_by_rule_everyone_everything_and_the_time_that_is_named_must_be_found(
    plan: QueryPlan, found: list[MemoryEntry], missing: str, queries: tuple[str, ...]
) -> None:
    reflection = reflect_by_rule(plan, ["q"], found)
    assert (reflection.missing, reflection.queries) == (missing, queries)


def test_by_rule_a_second_look_finds_who_was_not_found_at_first(store: DuckStore) -> None:
    told = [text for n in range(30) for text in (f"likes red boat number{n}.", "hm")]
    remember(store, told, [".", "collects old stamps."])
    report = ask(store, "red boat of Ann or Ben", k=5)
    assert any("missing Ben; asked “Ben”" in note for note in report.trace.notes)
