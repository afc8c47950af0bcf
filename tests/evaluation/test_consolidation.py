"""`memcore evaluate consolidation`: which changed answers become proposals, and why others do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcore.cli import main
from memcore.domain.errors import LogError, UsageError
from memcore.evaluation.consolidation import NEITHER, NO_NEWER, TOO_UNLIKE, UNSEEN, read_updates
from memcore.evaluation.dataset_files import GivenFile
from memcore.evaluation.records import Evaluations

FILLER = [
    {"role": "user", "content": "Suggest a marmalade recipe."},
    {"role": "assistant", "content": "Simmer oranges with sugar."},
]


def record(name: str, older: str, newer: str, **more: Any) -> dict[str, Any]:
    """A question whose answer changed from what `older` says to what `newer` says; said in this order, in the
    file in the other."""
    return {
        "question_id": name,
        "question_type": "knowledge-update",
        "question": "What is it now?",
        "answer": "ANSWERWORD",
        "answer_session_ids": ["answer_1", "answer_2"],
        "haystack_session_ids": ["s2", "s0", "s1"],
        "haystack_dates": ["2023/09/01 (Fri) 17:30", "2023/05/20 (Sat) 02:21", "2023/05/01 (Mon) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": newer, "has_answer": True}, *FILLER],
            FILLER,
            [{"role": "user", "content": older, "has_answer": True}, *FILLER],
        ],
    } | more


def given(*records: dict[str, Any]) -> GivenFile:
    return GivenFile("updates.json", json.dumps(records).encode())


# --------------------------------------------------------------------------- reading


def test_the_older_answer_is_the_one_said_first_wherever_the_file_has_it() -> None:
    (one,) = read_updates([given(record("q1", "I live in Leeds.", "I live in Oslo."))]).scored
    said = {m.id: m.text for log in one.log.logs for m in log.messages}
    assert [said[i] for i in one.older] == ["I live in Leeds."]
    assert [said[i] for i in one.newer] == ["I live in Oslo."]


def test_nothing_of_the_annotation_reaches_the_log() -> None:
    (one,) = read_updates([given(record("q1", "I live in Leeds.", "I live in Oslo."))]).scored
    assert "ANSWERWORD" not in repr(one.log)
    assert "has_answer" not in repr(one.log)
    assert "answer_1" not in repr(one.log)


def test_answer_sessions_are_kept_and_others_up_to_a_number() -> None:
    some = given(record("q1", "I live in Leeds.", "I live in Oslo."))
    sizes = [len(read_updates([some], distractors=n).scored[0].log.logs[0].sessions) for n in (0, 1, 4)]
    assert sizes == [2, 3, 3]


def test_what_cannot_be_scored_is_counted_with_its_reason() -> None:
    unmarked = record("q2", "I live in Leeds.", "I live in Oslo.")
    unmarked["haystack_sessions"][0][0].pop("has_answer")
    other = record("q4", "a", "b", question_type="multi-session")
    read = read_updates(
        [given(record("q1", "I live in Leeds.", "Oslo."), unmarked, record("q3_abs", "a", "b"), other)]
    )
    assert [one.id for one in read.scored] == ["q1"]
    assert read.excluded == {
        "its older and newer answer are not both marked": 1,
        "_abs: asks for what was never said": 1,
    }


def test_files_without_a_question_that_can_be_scored_are_refused() -> None:
    with pytest.raises(UsageError, match="no knowledge-update question"):
        read_updates([given(record("q3_abs", "a", "b"))])
    with pytest.raises(LogError):
        read_updates([given(record("q1", "a", "b", haystack_session_ids=["s1"]))])


# --------------------------------------------------------------------------- measuring, with the real models


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    folder = tmp_path_factory.mktemp("consolidation")
    path = folder / "updates.json"
    path.write_text(
        json.dumps(
            [
                record(
                    "read",
                    "I have read 4 novels by Ursula Le Guin.",
                    "I have read 5 novels by Ursula Le Guin.",
                ),
                record("unlike", "I have a bicycle in Leeds.", "My uncle Ben plays the tuba in Graz."),
                record("unsaid", "I live in Leeds.", "Thanks!"),
                record("nothing", "Hi!", "Thanks!"),
                record("unseen", "I went to a concert in Leeds on 3 May.", "I went to a concert in Oslo."),
            ]
        )
    )
    store = folder / "store"
    arguments = [str(path), "--cache", str(folder / "cache"), "--store", str(store), "--json"]
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("MEMSCOPE_STORE", "MEMSCOPE_EMBEDDER", "MEMSCOPE_COMPRESSOR", "MEMSCOPE_LLM"):
            patch.delenv(variable, raising=False)
        assert main(["evaluate", "consolidation", *arguments]) == 0
    (kept,) = Evaluations(store).all().records
    return kept.document, store


@pytest.mark.models
def test_a_changed_answer_is_linked_and_others_say_why_not(measured: tuple[dict[str, Any], Path]) -> None:
    document, _ = measured
    assert [one["question_id"] for one in document["found"]] == ["read"]
    assert document["found"][0]["proposals"][0]["operation"] == "update"
    assert {one["question_id"]: one["why"] for one in document["missed"]} == {
        "unlike": TOO_UNLIKE,
        "unsaid": NO_NEWER,
        "nothing": NEITHER,
        "unseen": UNSEEN,
    }


@pytest.mark.models
def test_figures_are_shares_in_percent(measured: tuple[dict[str, Any], Path]) -> None:
    document, _ = measured
    assert (document["questions"], document["linked"]) == (5, 20.0)
    assert document["linked_by_operation"] == {"update": 20.0, "invalidate": 0.0, "merge": 0.0}
    assert (document["proposals"], document["about_person"], document["about_assistant"]) == (1, 100.0, 0.0)
    assert document["per_1000_memories"] == round(1000 / document["memories"], 2)
    assert {*document["evidence_recall@10"]} == {*document["newest_first"]} == {"before", "after_all"}


@pytest.mark.models
def test_an_approved_change_puts_the_newest_answer_first(measured: tuple[dict[str, Any], Path]) -> None:
    document, _ = measured
    first = document["newest_first"]
    assert first["after_all"] >= first["before"]


@pytest.mark.models
def test_memories_that_were_built_are_left_as_they_were(measured: tuple[dict[str, Any], Path]) -> None:
    _, store = measured
    again = ["evaluate", "consolidation", str(store.parent / "updates.json")]
    assert main([*again, "--cache", str(store.parent / "cache"), "--store", str(store), "--json"]) == 0
    one, other = Evaluations(store).all().records
    assert one.document == other.document
