"""Which questions were missed, where their evidence ranked in each view, and why it lost."""

from __future__ import annotations

import json
from dataclasses import replace

from memcore.domain.models import LogRead
from memcore.evaluation.evaluating import evaluate_retrieval
from memcore.evaluation.missed import (
    by_id,
    evidence_of,
    is_missed,
    ranks_of,
    select,
    stand_ins,
)
from memcore.evaluation.question_records import flat, question_records
from memcore.evaluation.retrieval_datasets import read_retrieval_dataset
from memcore.evaluation.retrieval_result import QuestionResult, RankedQuestion
from memcore.retrieval.missed import StandIn, loss_of, view_places
from memcore.retrieval.results import Candidate, QueryPlan, SearchReport, SearchTrace, ViewTrace
from tests.evaluation.annotated import HARBOUR, QUESTION, hit, inline, message, question, said
from tests.pipeline import log


def searched(asked, hits, *, views=(), candidates=(), ranks=None):
    """A question whose search found these hits."""
    order = list(dict.fromkeys(quote.message.id for one in hits for quote in one.quotes))
    places = {i: order.index(i) + 1 for i in asked.messages if i in order} if ranks is None else ranks
    trace = SearchTrace(QueryPlan("What?"), tuple(views), {}, None, 0.0, candidates=tuple(candidates))
    return QuestionResult(
        asked,
        RankedQuestion({}, tuple(order), places, {}),
        {},
        SearchReport("What?", tuple(hits), trace),
        1.0,
    )


def only(one, *messages):
    """The question's one piece of evidence, in a log of these messages."""
    (evidence,) = evidence_of(one, LogRead((replace(log(), messages=messages),)))
    return evidence


def candidate(*ids, **components):
    return Candidate("c " + " ".join(ids), ids, components, sum(components.values()))


# --------------------------------------------------------------------------- which questions


def test_a_question_is_missed_while_some_of_its_evidence_is_behind_the_first_k():
    one = searched(question("a", "c"), [said("a"), said("b"), said("c")])
    assert ranks_of(one) == (1, 3)
    assert [is_missed(one, k) for k in (1, 2, 3)] == [True, True, False]


def test_evidence_that_was_not_returned_is_missed_at_any_k():
    one = searched(question("a", "z"), [said("a")])
    assert ranks_of(one) == (1, None)
    assert is_missed(one, 1000)


def test_where_only_sessions_are_known_sessions_are_ranked():
    one = searched(question(sessions=("s2", "s9")), [said("a", "s1"), said("b", "s1"), said("c", "s2")])
    assert ranks_of(one) == (2, None)
    assert is_missed(one, 2)


def test_questions_are_chosen_by_what_was_missed_by_category_and_by_words():
    found = searched(replace(question("a"), text="Where is the kayak?", category="4"), [said("a")])
    lost = searched(
        replace(question("z"), text="Who sold it?", answer="KAYAK Bob", category="1"), [said("a")]
    )
    all_of = {"found": found, "lost": lost}
    assert [*select(all_of)] == ["found", "lost"]
    assert [*select(all_of, missed_at=5)] == ["lost"]
    assert [*select(all_of, category="4")] == ["found"]
    assert [*select(all_of, contains="kayak")] == ["found", "lost"], "in the question or in the answer"
    assert [*select(all_of, contains="bob", category="4")] == []


# --------------------------------------------------------------------------- views


def test_evidence_is_found_in_a_view_by_itself_or_through_what_was_made_from_it():
    through = StandIn("m1", "memory", "Ann moored the sloop")
    views = [
        ViewTrace("lexical message", (("b", 9.0), ("a", 7.0)), 1.0),
        ViewTrace("semantic memory", (("m1", 0.8), ("m2", 0.7)), 1.0),
        ViewTrace("graph", (("m3", 0.5),), 1.0),
        ViewTrace("time", (), 1.0),
    ]
    one = searched(question("a"), [said("b")], views=views)
    places = view_places(
        only(one, message("a")), one.report, {"a": (through,), "b": (StandIn("m3", "memory"),)}
    )
    assert [(p.view, p.rank, p.score, p.through, p.listed) for p in places] == [
        ("lexical message", 2, 7.0, None, 2),
        ("semantic memory", 1, 0.8, through, 2),
        ("graph", None, None, None, 1),
        ("time", None, None, None, 0),
    ]


# --------------------------------------------------------------------------- why it lost


def test_nothing_is_lost_that_is_among_the_first_k():
    one = searched(question("a"), [said("b"), said("a")])
    assert loss_of(only(one, message("a")), one.report, 2, {}) is None


def test_the_parts_of_its_score_stand_beside_those_of_the_hit_at_the_kth_place_what_cost_most_first():
    first, second = (replace(said(i), components={"lexical": 1.2, "semantic": 0.5}) for i in ("b", "c"))
    candidates = [
        candidate("b", lexical=1.2, semantic=0.5),
        candidate("c", lexical=1.2, semantic=0.5),
        candidate("x", "a", lexical=-0.8, semantic=0.75),
        candidate("a", lexical=-3.0),
    ]
    one = searched(question("a"), [first, second], candidates=candidates)
    lost = loss_of(only(one, message("a")), one.report, 2, {})
    assert lost.ahead is second
    assert [(part.name, part.evidence, part.ahead) for part in lost.parts] == [
        ("lexical", -0.8, 1.2), ("semantic", 0.75, 0.5),
    ]  # fmt: skip
    assert (lost.parts[0].difference, lost.was_candidate, lost.outscored) == (-2.0, True, True)


def test_the_kth_turn_is_counted_in_turns_and_the_hit_that_brought_it_is_compared():
    long = replace(hit(message("b"), message("c")), components={"semantic": 1.0})
    one = searched(question("a"), [long, replace(said("a"), components={"semantic": 1.0})])
    lost = loss_of(only(one, message("a")), one.report, 2, {})
    assert lost.ahead is long
    assert not lost.outscored, "as good, but behind a hit that takes two places"


def test_evidence_that_no_view_returned_was_not_weighed():
    view = ViewTrace("lexical message", (("b", 9.0),), 1.0)
    one = searched(question("a"), [said("b")], views=[view], candidates=[candidate("b", lexical=1.0)])
    lost = loss_of(only(one, message("a")), one.report, 1, {})
    assert (lost.was_candidate, lost.parts, lost.views) == (False, (), ())


def test_a_strategy_that_does_not_tell_what_it_weighed_leaves_that_open():
    view = ViewTrace("lexical message", (("b", 9.0), ("a", 1.0)), 1.0)
    one = searched(question("a"), [said("b")], views=[view])
    lost = loss_of(only(one, message("a")), one.report, 1, {})
    assert (lost.was_candidate, lost.parts, lost.views) == (None, (), ("lexical message",))


def test_with_fewer_than_k_turns_there_is_no_hit_at_the_kth_place():
    one = searched(question("a"), [said("b")])
    assert loss_of(only(one, message("a")), one.report, 5, {}).ahead is None


def test_a_session_loses_to_the_hit_that_brought_the_kth_session():
    b, c = (replace(said(i, s), components={"semantic": 1.0}) for i, s in (("b", "s1"), ("c", "s2")))
    one = searched(
        question(sessions=("s3",)),
        [b, c],
        candidates=[candidate("b", semantic=1.0), candidate("z", semantic=0.25)],
    )
    lost = loss_of(only(one, message("b", "s1"), message("z", "s3")), one.report, 2, {})
    assert lost.ahead is c
    assert lost.parts[0].difference == -0.75


# --------------------------------------------------------------------------- after a whole evaluation


def dataset(tmp_path, name, *records):
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(records))
    return read_retrieval_dataset(name, [path])


def test_what_was_made_from_evidence_is_told_by_message(memory, tmp_path):
    result = evaluate_retrieval(dataset(tmp_path, "locomo", HARBOUR), memory)
    made = stand_ins(memory.store, result)
    evidence = {i for one in result.questions for i in one.question.messages}
    assert {*made} == evidence
    memories = {m.id: m for owner in result.dataset.logs for m in memory.memories.find(owner)}
    for message_id, each in made.items():
        assert next(one.kind for one in each) == "session"
        for one in each:
            if one.kind == "memory":
                assert message_id in {source.message_id for source in memories[one.id].sources}
                assert one.text == memories[one.id].text
    kinds = {one.kind for each in made.values() for one in each}
    assert kinds == {"session", "memory", "triple"}
    assert any(one.text.startswith("Ben · Baked · ") for each in made.values() for one in each)


def test_all_messages_of_a_session_are_evidence_where_no_turn_is_marked(memory, tmp_path):
    result = evaluate_retrieval(dataset(tmp_path, "longmemeval", inline(QUESTION, annotated=False)), memory)
    (one,) = result.questions
    evidence = evidence_of(one, result.dataset.logs[one.question.owner])
    assert [(each.of, len(each.messages)) for each in evidence] == [("sessions", 2), ("sessions", 2)]
    assert {*stand_ins(memory.store, result)} == {i for each in evidence for i in each.ids}


def test_records_have_every_question_with_its_evidence_ranks_and_figures(memory, tmp_path):
    result = evaluate_retrieval(dataset(tmp_path, "locomo", HARBOUR, HARBOUR | {"extra": 1}), memory)
    records = question_records(result)
    assert json.loads(json.dumps(records)) == records
    assert [record["id"] for record in records] == [*by_id(result)]
    assert len({record["id"] for record in records}) == len(result.questions) == 6, "of equal ids, too"
    multi = next(record for record in records if record["type"] == "multi-hop")
    assert [each["where"].split()[-1] for each in multi["evidence"]] == ["D1:1", "D2:2"]
    assert multi["baselines"]["oracle"]["turn_recall@5"] == multi["figures"]["turn_recall@50"] == 100
    row = flat(multi)
    assert row["evidence"].count(";") == row["ranks"].count(";") == 1
    assert row["recall_at_tokens 500"] == multi["figures"]["recall_at_tokens"]["500"]
    assert not [value for value in row.values() if isinstance(value, dict | list)]
