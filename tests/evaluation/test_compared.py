"""Figures of kept evaluations, side by side, with what was not the same."""

from __future__ import annotations

from dataclasses import replace

from memcore.evaluation.compared import ComparedFigure, differing, figures_of, headline, side_by_side
from memcore.evaluation.records import EvaluatedFile
from tests.evaluation.test_records import record

SEGMENTATION = {"dataset": "tiage", "default": "mine", "methods": {"mine": {"f1": 50.0}, "none": {"f1": 1.0}}}
COMPRESSION = {
    "dataset": "locomo",
    "default": "mine",
    "rates": {"0.8": {"mine": {"answer_tokens_kept": 99.0}}},
}


def test_figures_are_those_of_all_questions_or_of_the_default_method():
    found = record(document={"overall": {"questions": 3, "ndcg@10": 80, "recall_at_tokens": {"500": 40.5}}})
    assert figures_of(found) == {"ndcg@10": 80.0, "recall_at_tokens 500": 40.5}
    assert figures_of(record(kind="segmentation", document=SEGMENTATION)) == {"f1": 50.0}
    assert figures_of(record(kind="compression", document=COMPRESSION)) == {
        "rate 0.8 answer_tokens_kept": 99.0
    }
    several = {"datasets": [SEGMENTATION, SEGMENTATION | {"dataset": "dialseg711"}]}
    assert [*figures_of(record(kind="segmentation", document=several))] == ["tiage f1", "dialseg711 f1"]


def test_a_measurement_without_the_default_method_has_no_figure_of_its_own():
    only = SEGMENTATION | {"methods": {"none": {"f1": 1.0}}}
    assert headline(record(kind="segmentation", document=only)) is None


def test_one_figure_stands_for_an_evaluation():
    assert headline(record(document={"overall": {"session_any@5": 9, "turn_recall@10": 7}})) == (
        "turn_recall@10",
        7.0,
    )
    assert headline(record(kind="compression", document=COMPRESSION)) == ("rate 0.8 answer_tokens_kept", 99.0)


def test_figures_of_two_stand_side_by_side():
    one = record(document={"overall": {"ndcg@10": 80, "turn_recall@5": 60}})
    other = record(document={"overall": {"ndcg@10": 70, "turn_recall@10": 65}})
    assert side_by_side(one, other) == [
        ComparedFigure("ndcg@10", 80.0, 70.0),
        ComparedFigure("turn_recall@5", 60.0, None),
        ComparedFigure("turn_recall@10", None, 65.0),
    ]
    assert [figure.difference for figure in side_by_side(one, other)] == [10.0, None, None]


def test_what_was_not_the_same_is_named():
    one = record()
    assert differing(one, record()) == []
    other = replace(
        one,
        recipe="naive_rag",
        files=(EvaluatedFile("harbour.json", "0" * 64, 1),),
        settings=one.settings | {"compression_rate": 0.5},
    )
    assert [name for name, _, _ in differing(one, other)] == ["system", "files", "compression_rate"]
    assert differing(one, other)[2] == ("compression_rate", "0.6", "0.5")
