"""LiCoMemory end to end through the unmodified Ollama client, over a real socket: the calls, what they are
given, answers that cannot be used, and what is found afterwards."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.systems.licomemory.extract import TurnReply
from memcore.systems.licomemory.prompts import LICOMEMORY_QUESTION, LICOMEMORY_TURN
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer
from tests.pipeline import log

pytestmark = pytest.mark.usefixtures("encoder_fakes")

TALK = log(
    ["I live in New York.", "Nice!", "I run there.", "Oh."],
    ["I moved to San Francisco.", "Really?"],
    begin=datetime(2024, 1, 8, 9, 0),
)


def turn(summary: str, relation: str, object_: str, type_: str = "PLACE") -> str:
    return json.dumps(
        {
            "entities": [{"name": "Ann", "type": "PERSON"}, {"name": object_, "type": type_}],
            "triples": [{"source_id": 0, "subject": "Ann", "relation": relation, "object": object_}],
            "summary": {"text": summary, "keywords": ["Ann"], "themes": ["home"]},
        }
    )


LIVES = turn("Ann lives in New York.", "lives in", "New York")
RUNS = turn("Ann lives in New York and runs there.", "runs in", "New York")
MOVED = turn("Ann moved to San Francisco.", "moved to", "San Francisco")


def ingest(memory: Memory) -> Any:
    return memory.ingest(LogRead((TALK,)), recipe="licomemory")


def given(body: dict[str, Any], tag: str) -> str:
    """What stands between the tags of a prompt."""
    user = str(body["messages"][1]["content"])
    return user.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def pending(memory: Memory) -> int:
    return memory.runs.pending(recipe="licomemory")


def test_each_turn_is_one_call_with_the_summary_and_entities_as_the_turn_before_left_them(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(LIVES, RUNS, MOVED)
    report = ingest(memory)
    assert (report.errors, report.segments, report.memories, report.triples) == ((), 3, 3, 3)
    assert (pending(memory), report.llm["calls"]) == (0, 3)
    bodies = double.sent()
    assert [body["messages"][0]["content"] for body in bodies] == [LICOMEMORY_TURN.text] * 3
    assert [body["format"] for body in bodies] == [TurnReply.model_json_schema()] * 3
    assert [given(body, "summary") for body in bodies] == ["", "Ann lives in New York.", ""]
    assert [given(body, "entities") for body in bodies] == ["", "Ann (PERSON)\nNew York (PLACE)", ""]
    assert [given(body, "turn").splitlines()[0] for body in bodies] == [
        "[2024-01-08T09:00, Mon] 0.Ann: I live in New York.",
        "[2024-01-08T09:02, Mon] 0.Ann: I run there.",
        "[2024-01-15T09:00, Mon] 0.Ann: I moved to San Francisco.",
    ]
    statistics = memory.runs.token_statistics()["llm"]
    assert statistics["add_memory"]["calls"] == 3


def test_a_turn_whose_answers_stay_invalid_waits_alone(memory: Memory, double: OllamaDouble) -> None:
    double.answer(LIVES, "nonsense", '{"triples": 7}', "[]", MOVED)
    report = ingest(memory)
    (error,) = report.errors
    assert "cannot be used" in error
    assert pending(memory) == 2
    assert [m.text for m in memory.memories.find()] == ["Ann lives in New York", "Ann moved to San Francisco"]

    double.answer(RUNS)
    assert memory.resume(recipe="licomemory").errors == ()
    assert given(double.sent()[-1], "summary") == "Ann lives in New York.", "of its own session"
    assert pending(memory) == 0
    summaries = {s.text for s in memory.store.summaries("me", recipe="licomemory")}
    assert summaries == {"Ann lives in New York and runs there.", "Ann moved to San Francisco."}


def test_a_triple_of_a_line_that_does_not_exist_is_noted_and_the_rest_kept(
    memory: Memory, double: OllamaDouble
) -> None:
    answer = json.loads(LIVES)
    answer["triples"].append({"source_id": 9, "subject": "Ben", "relation": "is", "object": "Ann"})
    double.answer(json.dumps(answer), RUNS, MOVED)
    report = ingest(memory)
    assert (report.errors, report.memories) == ((), 3)
    notes = [note for t in memory.runs.view(report.run_id).traces for note in t.payload.get("notes", ())]
    assert any("source 9 does not exist" in note for note in notes)


def test_what_is_found_leads_from_the_summary_to_triples_with_their_turns(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(LIVES, RUNS, MOVED)
    ingest(memory)
    calls = len(double.sent())
    double.answer(json.dumps({"entities": ["Ann", "New York"]}))
    report = memory.search("Ann lives in New York", recipe="licomemory", as_of=datetime(2024, 1, 10))
    assert [hit.kind for hit in report.hits] == ["summary", "memory", "memory"]
    assert report.hits[0].text == "Ann lives in New York and runs there."
    assert report.hits[1].text == "Ann lives in New York"
    assert [quote.text for quote in report.hits[1].quotes] == ["I live in New York.", "Nice!"]
    assert all(hit.score == pytest.approx(sum(hit.components.values())) for hit in report.hits)
    (asked,) = double.sent()[calls:]
    assert asked["messages"][0]["content"] == LICOMEMORY_QUESTION.text
    assert (given(asked, "question"), given(asked, "people")) == ("Ann lives in New York", "Ann, Ben")
    assert report.trace.plan.entities == ("Ann", "New York")
    (run, *_) = memory.runs.all()
    assert run.kind == "search"
    assert memory.runs.token_statistics(run_id=run.id)["llm"]["question"]["calls"] == 1
    assert memory.review.proposals() == [], "both homes stand side by side"


def test_a_question_whose_entities_the_model_does_not_name_is_searched_by_rule_and_the_failure_kept(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(LIVES, RUNS, MOVED)
    ingest(memory)
    double.answer(*["nonsense"] * 3)
    found = memory.search("Where does Ann live?", recipe="licomemory")
    assert found.hits
    assert found.trace.failure
    (run, *_) = memory.runs.all()
    assert (run.kind, run.state) == ("search", "failed")
    assert run.error


def test_a_server_that_dies_midway_is_reported_and_what_it_answered_is_kept(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(LIVES, *[ScriptedAnswer(drop="before")] * 9)
    report = ingest(memory)
    (error,) = report.errors
    assert "Ollama" in error
    assert ([m.text for m in memory.memories.find()], pending(memory)) == (["Ann lives in New York"], 4)

    double.script.clear()
    double.answer(RUNS, MOVED)
    assert memory.resume(recipe="licomemory").errors == ()
    assert (len(memory.memories.find()), pending(memory)) == (3, 0)


def test_a_server_lost_before_the_first_answer_fails_the_run(memory: Memory, double: OllamaDouble) -> None:
    double.answer(*[ScriptedAnswer(drop="before")] * 9)
    with pytest.raises(LlmUnavailableError):
        ingest(memory)
    (run,) = memory.runs.all()
    assert (run.state, pending(memory)) == ("failed", 6)
