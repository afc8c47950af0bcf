"""`memcore evaluate oversight`: what becomes of a memory that nobody, everybody or a person decides about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcore.cli import main
from memcore.domain.errors import UsageError
from memcore.evaluation.oversight import ALONE, AUTOMATIC, REVIEWED
from memcore.evaluation.oversight_files import read_dated, read_decisions

TALK = {
    "sample_id": "a-move",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Bob",
        "session_1_date_time": "10:00 am on 5 January, 2024",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I live in New York now."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "I play the cello in an orchestra."},
        ],
        "session_2_date_time": "10:00 am on 3 April, 2024",
        "session_2": [
            {
                "speaker": "Ada",
                "dia_id": "D2:1",
                "text": "I moved to San Francisco. I live in San Francisco now.",
            },
            {"speaker": "Bob", "dia_id": "D2:2", "text": "What a change!"},
        ],
    },
    "qa": [
        {"question": "Where does Ada live?", "answer": "San Francisco", "category": 4, "evidence": ["D2:1"]}
    ],
}
DATED = [
    {
        "question": "Where does Ada live?",
        "as_of": "2024-02",
        "answer": "New York",
        "otherwise": "San Francisco",
    },
    {
        "question": "Where does Ada live?",
        "as_of": "2024-05",
        "answer": "San Francisco",
        "otherwise": "New York",
    },
]


def written(directory: Path, name: str, content: Any) -> str:
    path = directory / name
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def measured(capsys: pytest.CaptureFixture[str], directory: Path, *more: str) -> dict[str, Any]:
    """The document of one call, its arms by name."""
    talk, dated = written(directory, "talk.json", [TALK]), written(directory, "dated.json", DATED)
    arguments = [
        "evaluate",
        "oversight",
        talk,
        "--dated",
        dated,
        "--cache",
        str(directory / "cache"),
        "--json",
    ]
    assert main([*arguments, *more]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document | {"arms": {arm["name"]: arm for arm in document["arms"]}}


def test_what_is_applied_ends_the_past_and_what_is_rejected_does_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = measured(capsys, tmp_path)["arms"]
    assert set(first) == {ALONE, AUTOMATIC}
    assert first[ALONE]["approved"] == first[ALONE]["past"] == 0
    assert first[AUTOMATIC]["approved"] == first[AUTOMATIC]["proposals"] >= 1
    assert first[AUTOMATIC]["past"] >= 1
    assert first[AUTOMATIC]["dated_right"] == 2

    nothing = written(tmp_path, "none.json", [])
    undecided = measured(capsys, tmp_path, "--decisions", nothing)["arms"][REVIEWED]
    assert undecided["undecided"] == undecided["proposals"] >= 1
    assert undecided["past"] == 0


def test_decisions_are_found_by_the_words_of_a_proposal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from memcore.memory import open_memory

    proposals = written(tmp_path, "talk.json", [TALK])
    store = tmp_path / "store"
    assert main(["ingest", proposals, "--store", str(store)]) == 0
    assert main(["consolidate", "--store", str(store)]) == 0
    with open_memory(store) as memory:
        words = [
            {"operation": one.operation, "before": one.before, "after": one.after, "decision": "approve"}
            for one in memory.review.proposals()
        ]
    capsys.readouterr()
    document = measured(capsys, tmp_path, "--decisions", written(tmp_path, "decided.json", words))
    reviewed = document["arms"][REVIEWED]
    assert reviewed["undecided"] == 0
    assert reviewed["approved"] == reviewed["proposals"] >= 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is no JSON"),
        ('[{"operation": "update"}]', "0 before: Field required"),
        ('[{"operation": "update", "before": "a", "decision": "maybe"}]', "entry 1: 'maybe' is no decision"),
    ],
)
def test_a_file_of_decisions_that_cannot_be_used_says_where(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "decided.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=said):
        read_decisions(path)


def test_a_dated_question_is_asked_as_its_period_ends(tmp_path: Path) -> None:
    path = Path(written(tmp_path, "dated.json", DATED))
    assert [one.as_of.isoformat()[:10] for one in read_dated(path)] == ["2024-03-01", "2024-06-01"]
