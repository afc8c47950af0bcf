"""LightMem end to end through the unmodified Ollama client, over a real socket: extraction, sleep-time
update, the ledger, and a server in every kind of trouble.

LightMem's published Ollama backend silently does nothing offline, drops decisions it cannot read, and
keeps the old vector of an updated memory; each of these has its test here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcore.domain.errors import LlmUnavailableError, NotFoundError
from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.systems.lightmem.prompts import LIGHTMEM_EVENT, LIGHTMEM_FLAT, LIGHTMEM_UPDATE
from tests.contract.conftest import open_on
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer, tokens
from tests.pipeline import EMBEDDER, log

pytestmark = pytest.mark.usefixtures("encoder_fakes")

FILLER = "and on it went as the evening grew long and the rain fell " * 5
SAID = [f"{text} {FILLER}" for text in ("I run.", "I paint.", "I sing.")]
THREE = log(*[[text] for text in SAID], begin=datetime(2024, 1, 8, 9, 0))
"""Three sessions of one message, each of which fills short-term memory alone."""
FACTS = ("Ann runs.", "Ann paints.", "Ann sings.")


@pytest.fixture
def memory(double: OllamaDouble, tmp_path: Path) -> Iterator[Memory]:
    with open_on(tmp_path / "store", double.host, buffer_tokens=64) as opened:
        yield opened


def flat(*facts: str) -> str:
    """One fact a line, in order."""
    return json.dumps({"data": [{"source_id": n, "fact": text} for n, text in enumerate(facts)]})


def ingest(memory: Memory, *logs: Any) -> Any:
    return memory.ingest(LogRead(logs), recipe="lightmem")


def pending(memory: Memory) -> int:
    return memory.runs.pending(recipe="lightmem")


def texts(memory: Memory) -> list[str]:
    return [m.text for m in memory.memories.find()]


# --------------------------------------------------------------------------- extraction


def test_each_buffer_is_one_call_with_lightmems_own_prompt(memory: Memory, double: OllamaDouble) -> None:
    double.answer(*[flat(text) for text in FACTS])
    report = ingest(memory, THREE)
    assert (report.errors, report.memories, pending(memory)) == ((), 3, 0)
    bodies = double.sent()
    assert [body["messages"][0]["content"] for body in bodies] == [LIGHTMEM_FLAT.text] * 3
    assert all(body["messages"][1]["content"].startswith("<log>\n--- Topic 1 ---\n[") for body in bodies)
    assert [(m.text, m.mentioned_at, m.weekday) for m in memory.memories.find()] == [
        (text, message.said_at, "Mon") for text, message in zip(FACTS, THREE.messages, strict=True)
    ]


def test_the_event_prompt_is_a_setting(double: OllamaDouble, tmp_path: Path) -> None:
    entry = {
        "event": "evening run",
        "begin": "2024-01-07",
        "end": None,
        "participants": ["Ann"],
        "place": "Oslo",
        "facts": [{"source_id": 0, "kind": "event", "fact": "Ann ran in Oslo on 2024-01-07."}],
    }
    double.answer(json.dumps({"data": [entry]}))
    with open_on(tmp_path, double.host, lightmem_prompt="event") as memory:
        ingest(memory, log(["I ran yesterday."], begin=datetime(2024, 1, 8)))
        (found,) = memory.memories.find()
    assert double.sent()[0]["messages"][0]["content"] == LIGHTMEM_EVENT.text
    assert (found.kind, found.event_at, found.location) == ("event", datetime(2024, 1, 7), "Oslo")
    assert (found.persons, found.entities) == (("Ann",), ("evening run",))


def test_a_buffer_whose_answers_stay_invalid_is_reported_and_waits_alone(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(flat(FACTS[0]), "nonsense", '{"data": 7}', "[]", flat(FACTS[2]))
    report = ingest(memory, THREE)
    assert (texts(memory), pending(memory)) == ([FACTS[0], FACTS[2]], 1)
    (error,) = report.errors
    assert "cannot be used" in error
    second, third = (body["messages"][1]["content"] for body in double.sent()[2:4])
    assert "Invalid JSON" in second
    assert "data: Input should be a valid array" in third
    failed = [t.payload for t in memory.runs.view(report.run_id).traces if t.payload.get("error")]
    assert [payload["error"] for payload in failed] == [error]

    double.answer(flat(FACTS[1]))
    assert memory.resume(recipe="lightmem").errors == ()
    assert (sorted(texts(memory)), pending(memory)) == (sorted(FACTS), 0)


# --------------------------------------------------------------------------- sleep-time update


RUNS, MILES = "Ann runs.", "Ann runs ten miles."
REFINED = "Ann runs ten miles every morning."


def two_that_agree(memory: Memory, double: OllamaDouble) -> None:
    double.answer(flat(RUNS))
    ingest(memory, log(["I run."], begin=datetime(2024, 1, 10)))
    double.answer(flat(MILES))
    ingest(memory, log(["I run ten miles."], name="b", begin=datetime(2024, 3, 10)))


def decision(action: str = "update", **changes: Any) -> str:
    given = {
        "action": action,
        "new_memory": REFINED,
        "because_of": [1],
        "reason": "It refines the same fact.",
    }
    return json.dumps(given | changes)


def test_an_update_is_proposed_and_once_approved_changes_the_text_and_its_vector(
    memory: Memory, double: OllamaDouble
) -> None:
    two_that_agree(memory, double)
    double.answer(decision())
    report = memory.consolidate()

    assert double.sent()[-1]["messages"][0]["content"] == LIGHTMEM_UPDATE.text
    assert (report.proposals, report.by_operation, report.errors) == (1, {"update": 1}, ())
    assert texts(memory) == [RUNS, MILES], "nothing changes before a person approves"
    (proposal,) = memory.review.proposals()
    assert (proposal.before, proposal.after) == (RUNS, REFINED)

    memory.approve([proposal.id])
    assert RUNS not in texts(memory)
    assert REFINED in texts(memory)
    best = memory.search("every morning").hits[0]
    assert best.text == REFINED
    ((nearest, cosine),) = memory.store.semantic(
        "me", EMBEDDER.embed([REFINED])[0], 1, kind="memory", recipe="lightmem"
    )
    assert (nearest, cosine) == (best.id, pytest.approx(1.0, abs=1e-4)), "the vector is the new text's"


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["nonsense"] * 3, "Invalid JSON"),
        ([decision(action="destroy")] * 3, "action: Input should be"),
        ([decision(action="invalidate")] * 3, "action: Input should be"),
        ([decision(because_of=[9])], "candidates that do not exist: [9]"),
        ([decision(new_memory=None)], "0 characters"),
    ],
    ids=["no JSON", "no such action", "no action of LightMem's", "no such candidate", "no text"],
)
def test_a_decision_that_cannot_be_used_is_shown_and_does_not_count_as_decided(
    memory: Memory, double: OllamaDouble, answers: list[str], told: str
) -> None:
    two_that_agree(memory, double)
    double.answer(*answers)
    report = memory.consolidate()
    assert (report.proposals, memory.review.proposals()) == (0, [])
    (error,) = report.errors
    assert told in error
    (rows,) = [t.payload["decisions"] for t in memory.runs.view(report.run_id).traces if t.stage == "decide"]
    assert [(row["decided"], row["error"] != "") for row in rows if row["candidates"]] == [(False, True)]

    double.answer(decision())
    again = memory.consolidate()
    assert (again.proposals, again.decided_before) == (1, again.queues - 1), "it is asked anew"


def test_a_delete_once_approved_ends_the_memory_at_the_newer_ones_time(
    memory: Memory, double: OllamaDouble
) -> None:
    two_that_agree(memory, double)
    double.answer(decision("delete", new_memory=None))
    assert memory.consolidate().by_operation == {"delete": 1}
    (proposal,) = memory.review.proposals()
    memory.approve([proposal.id])
    assert texts(memory) == [MILES]

    def found(as_of: datetime) -> set[str]:
        return {hit.text for hit in memory.search("runs", recipe="lightmem", as_of=as_of).hits}

    assert found(datetime(2024, 2, 1)) == {RUNS}
    assert found(datetime(2024, 4, 1)) == {MILES}


# --------------------------------------------------------------------------- the ledger


def test_the_statistics_are_the_servers_own_counts_by_stage(memory: Memory, double: OllamaDouble) -> None:
    """Failed attempts included: they were answered, so they cost."""
    asked, answered = {"add_memory": 0, "update": 0}, {"add_memory": 0, "update": 0}
    double.answer(flat(RUNS), "nonsense", flat(MILES))
    first = ingest(memory, log(["I run."], begin=datetime(2024, 1, 10)))
    second = ingest(memory, log(["I run ten miles."], name="b", begin=datetime(2024, 3, 10)))
    extraction_calls = len(double.sent())
    double.answer(decision())
    memory.consolidate()
    for number, body in enumerate(double.sent()):
        stage = "add_memory" if number < extraction_calls else "update"
        asked[stage] += sum(len(tokens(m["content"])) for m in body["messages"])
    answered["add_memory"] = sum(len(tokens(text)) for text in (flat(RUNS), "nonsense", flat(MILES)))
    answered["update"] = len(tokens(decision()))

    statistics = memory.runs.token_statistics()
    assert statistics["llm"] == {
        stage: {
            "calls": calls,
            "prompt_tokens": asked[stage],
            "completion_tokens": answered[stage],
            "total_tokens": asked[stage] + answered[stage],
            "unreported_calls": 0,
        }
        for stage, calls in (("add_memory", 3), ("update", 1))
    }
    summary = statistics["summary"]
    assert summary["total_llm_calls"] == len(double.sent()) == 4
    assert summary["total_llm_tokens"] == sum(asked.values()) + sum(answered.values())
    one, other = (memory.runs.token_statistics(run_id=report.run_id) for report in (first, second))
    assert (one["summary"]["total_llm_calls"], other["summary"]["total_llm_calls"]) == (1, 2)
    embedded = [found["embedding"]["total_calls"] for found in (one, other, statistics)]
    assert embedded == [2, 2, 4], "each run embedded one message and one fact"


def test_statistics_do_not_cross_owners(memory: Memory, double: OllamaDouble) -> None:
    double.answer(flat(RUNS))
    run = ingest(memory, log(["I run."])).run_id
    assert memory.runs.token_statistics(owner="ben")["summary"]["total_llm_calls"] == 0
    with pytest.raises(NotFoundError, match="ben has no run"):
        memory.runs.token_statistics(owner="ben", run_id=run)


# --------------------------------------------------------------------------- a server in trouble


def test_a_server_that_is_down_is_an_error_before_any_work(tmp_path: Path) -> None:
    with OllamaDouble() as gone:
        host = gone.host
    with open_on(tmp_path, host) as memory:
        for work in (lambda: ingest(memory, THREE), memory.consolidate):
            with pytest.raises(LlmUnavailableError, match=re.escape(host)) as raised:
                work()
            assert "ollama serve" in raised.value.fix
        assert (memory.evidence.conversations(), memory.runs.all()) == ([], [])


def test_a_server_that_dies_midway_is_reported_and_leaves_the_rest_pending(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(flat(FACTS[0]), *[ScriptedAnswer(drop="before")] * 9)
    report = ingest(memory, THREE)
    assert (texts(memory), pending(memory)) == ([FACTS[0]], 2)
    assert len(report.errors) == 2
    assert all("Ollama" in error for error in report.errors)
    spent = memory.runs.token_statistics(run_id=report.run_id)["llm"]["add_memory"]
    assert spent["calls"] == len(double.sent())
    assert spent["unreported_calls"] == spent["calls"] - 1, "a lost answer is not one of zero tokens"

    double.script.clear()
    double.answer(flat(FACTS[1]), flat(FACTS[2]))
    assert memory.resume(recipe="lightmem").errors == ()
    assert (sorted(texts(memory)), pending(memory)) == (sorted(FACTS), 0)


def test_a_server_lost_for_every_buffer_fails_the_run_and_nothing_counts_as_processed(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(*[ScriptedAnswer(drop="before")] * 9)
    with pytest.raises(LlmUnavailableError):
        ingest(memory, THREE)
    (run,) = memory.runs.all()
    assert (run.state, "Ollama" in run.error) == ("failed", True)
    assert (texts(memory), pending(memory)) == ([], 3)


def test_a_server_that_dies_while_deciding_fails_the_run_and_nothing_is_decided(
    memory: Memory, double: OllamaDouble
) -> None:
    two_that_agree(memory, double)
    double.answer(*[ScriptedAnswer(drop="before")] * 3)
    with pytest.raises(LlmUnavailableError):
        memory.consolidate()
    assert memory.runs.all()[0].state == "failed"
    assert memory.review.proposals() == []
    double.answer(decision())
    assert memory.consolidate().proposals == 1
