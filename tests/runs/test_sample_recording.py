"""The recorded replies of the sample: replayed, nothing is missing, and the systems differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcore.domain.models import LogRead
from memcore.logs import read_log
from memcore.memory import open_memory

SAMPLE = Path(__file__).parents[2] / "sample_data"
RECORDING = SAMPLE / "recorded" / "replies.jsonl"
SYSTEMS = ("memscope", "lightmem", "simplemem", "mem0", "mem0_graph", "licomemory")
PROPOSE_LATER = ("memscope", "lightmem", "simplemem")
"""Those that consolidate at sleep time rather than as they read."""


def _questions() -> list[str]:
    """Those that the recording holds answers to."""
    lines = [json.loads(line) for line in RECORDING.read_text("utf-8").splitlines()]
    places = {line["place"] for line in lines if line.get("prompt", "").startswith("answer_")}
    return sorted(place.split("“")[1].removesuffix("”") for place in places)


@pytest.mark.models
@pytest.mark.slow
def test_six_systems_read_the_sample_from_its_recording_and_differ(tmp_path: Path) -> None:
    files = [read_log(SAMPLE / name) for name in ("two_friends.json", "new_city.txt")]
    logs = LogRead(tuple(log for file in files for log in file.logs))
    questions = _questions()
    assert len(questions) == 12
    remembered = []
    for system in SYSTEMS:
        with open_memory(tmp_path / system, llm=f"recorded:{RECORDING}") as memory:
            assert memory.ingest(logs, recipe=system).errors == ()
            assert all(memory.ask(question, recipe=system).answer for question in questions)
            if system in PROPOSE_LATER:
                assert memory.consolidate(recipe=system).proposals
            assert not memory.runs.unanswered(recording=RECORDING)
            remembered.append(frozenset(one.text for one in memory.memories.find(recipe=system)))
    assert all(remembered)
    assert len(set(remembered)) == len(SYSTEMS)


def test_the_recording_says_whose_replies_it_holds_and_when() -> None:
    lines = [json.loads(line) for line in RECORDING.read_text("utf-8").splitlines()]
    (about,) = [line["about"] for line in lines if "request" not in line]
    replies = [line for line in lines if "request" in line]
    assert {line["model"] for line in replies} == {"Claude (Anthropic)"}
    assert all(line["date"] in about for line in replies)
