"""LoCoMo with its questions, read or refused."""

from __future__ import annotations

import json

import pytest

from memcore.domain.errors import LogError
from memcore.evaluation.locomo import Question, read_locomo

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I moved to Oslo."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Since when?", "query": "not to be read"},
        ],
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "In May."}],
        "session_3_date_time": "a session that never took place",
    },
    "qa": [
        {"question": "Where?", "answer": "Oslo", "category": 4, "evidence": ["D1:1"]},
        {"question": "When?", "answer": 2023, "category": 2, "evidence": ["D:2:01; D1:02", "D", "D1:1"]},
        {"question": "Why not?", "adversarial_answer": "rain", "category": 5, "evidence": []},
    ],
}


@pytest.fixture
def write(tmp_path):
    def to(content):
        path = tmp_path / "locomo.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return to


@pytest.mark.parametrize("content", [[SAMPLE], SAMPLE], ids=["list", "single sample"])
def test_turns_by_place_and_questions_with_their_evidence(write, content):
    path = write(content)
    dataset = read_locomo(path)
    assert (dataset.name, dataset.file) == ("locomo", str(path))
    (sample,) = dataset.samples
    assert sample.turns == {(1, 1): "I moved to Oslo.", (1, 2): "Since when?", (2, 1): "In May."}
    assert sample.questions == (
        Question("Where?", "Oslo", 4, ((1, 1),)),
        Question("When?", "2023", 2, ((2, 1), (1, 2), (1, 1))),
        Question("Why not?", "", 5, ()),
    )


def changed(**parts):
    return [SAMPLE, SAMPLE | parts]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (changed(qa=[{"question": "?"}]), "record 2 question 1"),
        (changed(conversation={"session_4": "none"}), "record 2 session_4"),
        (changed(conversation={"session_4": [{"dia_id": "D4:1"}]}), "record 2 session_4 turn 1"),
        (changed(conversation={"session_4": [{"dia_id": "4", "text": "a"}]}), "record 2 session_4 turn 1"),
        ([SAMPLE, {"a": 1}], "record 2"),
        (f"[{json.dumps(SAMPLE)}, {{", "record 2"),
    ],
)
def test_a_damaged_file_says_where(write, content, where):
    with pytest.raises(LogError) as refused:
        read_locomo(write(content))
    assert (refused.value.file, refused.value.where) == ("locomo.json", where)


@pytest.mark.parametrize("content", [[], {"1": [["a", "-1"]]}, "a text\n", [SAMPLE["conversation"]]])
def test_what_is_no_locomo_is_refused(write, content):
    with pytest.raises(LogError, match="no LoCoMo file"):
        read_locomo(write(content))
