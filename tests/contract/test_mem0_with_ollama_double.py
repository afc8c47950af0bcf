"""Mem0 end to end through the unmodified Ollama client, over a real socket: extraction by schema, the update
by tool call, S in the background, the ledger, and answers that cannot be used."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.systems.mem0.extract import CandidateFacts
from memcore.systems.mem0.pipeline import SUMMARY_EVERY
from memcore.systems.mem0.prompts import MEM0_EXTRACT, MEM0_SUMMARY, MEM0_UPDATE
from tests.contract.conftest import open_on
from tests.contract.ollama_double import Model, OllamaDouble, ScriptedAnswer
from tests.pipeline import log

pytestmark = pytest.mark.usefixtures("encoder_fakes")

NEW_YORK, SAN_FRANCISCO = "Ann lives in New York.", "Ann moved to San Francisco."
MOVE = (
    log(["I live in New York.", "Nice city!"], begin=datetime(2024, 1, 8)),
    log(["I moved to San Francisco.", "So far away!"], name="b", begin=datetime(2024, 3, 4)),
)


def facts(*texts: str) -> str:
    """Facts about the first of the new messages."""
    return json.dumps({"facts": [{"source_id": 0, "fact": text} for text in texts]})


def calling(name: str, **arguments: Any) -> ScriptedAnswer:
    return ScriptedAnswer("", calls=((name, {"reason": "She moved."} | arguments),))


def ingest(memory: Memory, *logs: Any) -> Any:
    return memory.ingest(LogRead(logs), recipe="mem0")


def texts(memory: Memory) -> list[str]:
    return [found.text for found in memory.memories.find()]


def live_in(memory: Memory, as_of: datetime | None) -> list[str]:
    return [hit.text for hit in memory.search("Where does Ann live?", recipe="mem0", as_of=as_of).hits]


def test_a_contradiction_is_three_calls_one_proposal_and_two_times(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(facts(NEW_YORK), facts(SAN_FRANCISCO), calling("DELETE", memory=0))
    reports = [ingest(memory, talk) for talk in MOVE]
    assert [(r.errors, r.memories, r.proposals) for r in reports] == [((), 1, 0), ((), 1, 1)]

    january, march, decision = double.sent()
    for body in (january, march):
        assert body["messages"][0]["content"] == MEM0_EXTRACT.text
        assert body["format"] == CandidateFacts.model_json_schema()
        assert not body.get("tools")
    assert "[2024-03-04T00:00, Mon] 0.Ann: I moved to San Francisco." in march["messages"][1]["content"]
    assert decision["messages"][0]["content"] == MEM0_UPDATE.text
    assert decision["messages"][1]["content"] == (
        f"<fact>\n[2024-03-04] {SAN_FRANCISCO}\n</fact>\n\n"
        f"<memories>\n0. [2024-01-08] {NEW_YORK}\n</memories>"
    )
    assert [tool["function"]["name"] for tool in decision["tools"]] == ["ADD", "UPDATE", "DELETE", "NOOP"]
    assert "format" not in decision

    assert texts(memory) == [NEW_YORK, SAN_FRANCISCO]
    (proposal,) = memory.review.proposals()
    assert (proposal.operation, proposal.before, proposal.recipe) == ("delete", NEW_YORK, "mem0")
    memory.approve([proposal.id])
    assert texts(memory) == [SAN_FRANCISCO]
    assert live_in(memory, datetime(2024, 2, 1)) == [NEW_YORK]
    assert live_in(memory, datetime(2024, 4, 1)) == [SAN_FRANCISCO]


def test_each_fact_is_a_tool_call_and_all_are_in_the_ledger_with_the_servers_own_counts(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(
        facts("Ann runs.", "Ann paints.", "Ann runs every day."),
        calling("ADD"),
        calling("UPDATE", memory=0, text="Ann runs every day."),
    )
    report = ingest(memory, log(["I run every day and paint.", "Great!"]))
    assert (report.memories, report.proposals) == (3, 1)
    calls = memory.runs.view(report.run_id).calls[::-1]
    assert [(call.stage, call.prompt_version) for call in calls] == [
        ("add_memory", MEM0_EXTRACT.version),
        ("update", MEM0_UPDATE.version),
        ("update", MEM0_UPDATE.version),
    ]
    assert calls[1].completion == '{"name": "ADD", "arguments": {"reason": "She moved."}}'
    spent = memory.runs.token_statistics(run_id=report.run_id)["llm"]
    assert {stage: cost["calls"] for stage, cost in spent.items() if cost["calls"]} == {
        "add_memory": 1,
        "update": 2,
    }
    assert all(call.prompt_tokens and call.completion_tokens for call in calls)


def test_s_is_refreshed_in_the_background_and_kept(memory: Memory, double: OllamaDouble) -> None:
    for _ in range(SUMMARY_EVERY):
        double.answer(facts())
    double.answer(json.dumps({"summary": "Ann and Ben greet each other."}))
    said = [f"Hello {n}!" for n in range(2 * SUMMARY_EVERY)]
    report = ingest(memory, log(said))
    assert report.errors == ()
    *_, last = double.sent()
    assert last["messages"][0]["content"] == MEM0_SUMMARY.text
    assert all(f": {text}" in last["messages"][1]["content"] for text in said)
    (summary,) = memory.store.summaries("me", recipe="mem0")
    assert summary.text == "Ann and Ben greet each other."


def test_a_call_the_model_gets_wrong_is_asked_again(memory: Memory, double: OllamaDouble) -> None:
    ingest_january(memory, double)
    double.answer(facts(SAN_FRANCISCO), "It is outdated.", calling("REMOVE", memory=0), calling("ADD"))
    report = ingest(memory, MOVE[1])
    assert (report.errors, texts(memory)) == ((), [NEW_YORK, SAN_FRANCISCO])
    second, third = (body["messages"][1]["content"] for body in double.sent()[-2:])
    assert "it called none of the tools ADD, UPDATE, DELETE, NOOP" in second
    assert "it called 'REMOVE'" in third


def test_an_unknown_id_is_shown_and_the_pair_is_read_again(memory: Memory, double: OllamaDouble) -> None:
    ingest_january(memory, double)
    double.answer(facts(SAN_FRANCISCO), calling("DELETE", memory=3))
    report = ingest(memory, MOVE[1])
    (error,) = report.errors
    assert "DELETE names memory 3, but there are only 0" in error
    assert (texts(memory), memory.runs.pending(recipe="mem0")) == ([NEW_YORK], 2)
    shown = [t.payload["error"] for t in memory.runs.view(report.run_id).traces if t.payload.get("error")]
    assert set(shown) == {error}

    double.answer(facts(SAN_FRANCISCO), calling("DELETE", memory=0))
    assert memory.resume(recipe="mem0").errors == ()
    assert len(memory.review.proposals()) == 1


def test_a_model_that_cannot_call_tools_is_named_with_the_fix_and_nothing_is_lost(tmp_path: Path) -> None:
    with OllamaDouble({"testdouble:latest": Model(capabilities=("completion",))}) as double:
        double.answer(facts(NEW_YORK, "Ann likes it there."))
        with open_on(tmp_path, double.host) as memory:
            report = ingest(memory, MOVE[0])
            (error,) = report.errors
            assert "testdouble cannot call tools" in error
            assert "capability tools" in error
            assert (texts(memory), memory.runs.pending(recipe="mem0")) == ([], 2)


def ingest_january(memory: Memory, double: OllamaDouble) -> None:
    double.answer(facts(NEW_YORK))
    ingest(memory, MOVE[0])
