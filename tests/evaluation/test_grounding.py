"""Measuring grounding: what is read, what is made wrong of it, and what the figures are."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from random import Random

import pytest

from benchmarks.train_grounding import LIKENESS, conversations_of
from memcore.cli.evaluate_grounding import show_grounding
from memcore.domain.errors import LogError
from memcore.domain.models import Grounding
from memcore.evaluation.dataset_files import GivenFile
from memcore.evaluation.grounding import (
    AS_IT_IS,
    CORRUPTIONS,
    Case,
    Judged,
    auc,
    cases_of,
    grounding_document,
    judge_observations,
)
from memcore.evaluation.observations import ObservedConversation, read_observed
from tests.fakes import HashingEmbedder


def sample(
    name: str, one: str, other: str, turns: list[str], observed: list[list[object]]
) -> dict[str, object]:
    said = [
        {"speaker": (one, other)[at % 2], "dia_id": f"D1:{at + 1}", "text": text}
        for at, text in enumerate(turns)
    ]
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": one,
            "speaker_b": other,
            "session_1": said,
            "session_1_date_time": "1:00 pm on 8 May, 2023",
        },
        "observation": {"session_1_observation": {one: observed}},
    }


KITES = sample(
    "kites",
    "Nora",
    "Felix",
    ["I built three kites last week.", "Great! Did they fly?", "Yes, over the lake in Bled."],
    [
        ["Nora built three kites last week.", "D1:1"],
        ["Nora flew the kites over the lake in Bled.", ["D1:3", "D1:1"]],
        ["Nora likes glue.", "D9:9"],
    ],
)
SOUP = sample("soup", "Ines", "Karl", ["I cook soup for Karl.", "Thank you!"], [["Ines cooks soup.", "D1:1"]])


def read(*samples: object) -> tuple[ObservedConversation, ...]:
    return read_observed(GivenFile("locomo.json", json.dumps(samples).encode()))


def test_observations_are_read_with_the_messages_they_cite():
    [kites] = read(KITES)
    first, third = kites.messages[0], kites.messages[2]
    assert [(one.text, one.cited) for one in kites.observations] == [
        ("Nora built three kites last week.", (first.id,)),
        ("Nora flew the kites over the lake in Bled.", (third.id, first.id)),
    ]


def test_a_file_without_observations_is_refused():
    with pytest.raises(LogError, match="no observations"):
        read({key: value for key, value in KITES.items() if key != "observation"})


def test_every_sentence_is_made_wrong_in_every_way_it_can():
    kites, soup = read(KITES, SOUP)
    cases = list(cases_of(kites, [soup]))
    first = {case.made: case for case in cases[: 1 + len(CORRUPTIONS)]}
    assert set(first) == {AS_IT_IS, *CORRUPTIONS}
    assert first["person"].text == "Felix built three kites last week."
    assert first["other_conversation"].text == "Nora cooks soup."
    assert first["moved_turn"].cited != first[AS_IT_IS].cited
    assert cases == list(cases_of(kites, [soup]))


def test_one_conversation_has_no_sentence_of_another():
    [kites] = read(KITES)
    assert "other_conversation" not in {case.made for case in cases_of(kites, [])}


def test_the_area_under_the_curve_is_how_often_the_wrong_one_scores_higher():
    assert auc([0.1, 0.3], [0.2, 0.4]) == 0.75
    assert auc([0.5], [0.5]) == 0.5


def test_what_is_found_lies_above_95_percent_of_the_right_ones():
    def judged(made: str, score: float) -> Judged:
        verdict = "supported" if score < 0.5 else "contradicted"
        return Judged("kites", Case(made, "x", ("m",)), Grounding(verdict, score, made_by="rules"))

    right = [judged(AS_IT_IS, at / 100) for at in range(100)]
    document = grounding_document([*right, judged("number", 0.94), judged("number", 0.95)])
    found = document["found_at_5_percent_false_alarms"]
    assert found == dict.fromkeys(CORRUPTIONS) | {"number": 50.0}
    assert document["sentences"] == 100
    assert document["verdicts"]["number"]["contradicted"] == 100.0


def test_the_document_of_a_file_is_shown_as_a_table():
    judged = judge_observations(read(KITES, SOUP), HashingEmbedder(256))
    document = grounding_document(judged)
    shown = show_grounding({"files": ["locomo.json"], **document})
    assert "3 sentences" in str(shown)
    assert set(document["found_at_5_percent_false_alarms"]) == set(CORRUPTIONS)


def test_the_weights_in_the_package_are_those_the_script_names():
    weights = json.loads(Path("memcore/stages/grounding/weights/grounding.json").read_text("utf-8"))
    assert weights["provenance"]["made_by"] == "benchmarks/train_grounding.py"
    assert "LongMemEval" in weights["provenance"]["data"]
    assert [name for name in weights["weights"] if weights["weights"][name] == 1.0] == list(LIKENESS)
    assert weights["provenance"]["by_hand"] == list(LIKENESS)
    assert all(weight >= 0 for weight in weights["weights"].values())


def test_sessions_of_users_become_what_two_people_tell_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.train_grounding.PEOPLE", (("Nora", "Felix"),))
    monkeypatch.setattr("benchmarks.train_grounding.SESSIONS", 1)
    path = tmp_path / "sessions.jsonl.xz"
    said = [["I bought a red kayak in Bled.", "I paddle every Sunday."], ["My sister keeps bees in Graz."]]
    with lzma.open(path, "wt", encoding="utf-8") as file:
        for turns in said:
            told = [{"role": role, "content": text} for text in turns for role in ("user", "assistant")]
            file.write(json.dumps({"turns": told}) + "\n")
    [made] = conversations_of(path, Random(1))
    assert sorted(message.text for message in made.messages) == sorted(text for one in said for text in one)
    by_id = {message.id: message for message in made.messages}
    assert made.observations
    for one in made.observations:
        assert one.speaker in one.text
        assert {by_id[cited].speaker for cited in one.cited} == {one.speaker}
