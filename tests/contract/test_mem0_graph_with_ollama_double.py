"""Mem0-graph end to end through the unmodified Ollama client, over a real socket: one conversation, the
calls of the paper in order, the ledger by stage, and a server in trouble."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.systems.mem0_graph.prompts import (
    MEM0_GRAPH_CONFLICTS,
    MEM0_GRAPH_ENTITIES,
    MEM0_GRAPH_QUESTION,
    MEM0_GRAPH_RELATIONS,
)
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer, tokens
from tests.pipeline import log

pytestmark = pytest.mark.usefixtures("encoder_fakes")

E, R, C = (prompt.text for prompt in (MEM0_GRAPH_ENTITIES, MEM0_GRAPH_RELATIONS, MEM0_GRAPH_CONFLICTS))
TALK = (
    log(["I live in New York.", "Nice!"], name="january"),
    log(["I moved to San Francisco."], name="march", begin=datetime(2024, 3, 11, 9, 0)),
)


def entities(*names: str) -> str:
    return json.dumps({"entities": [{"name": name, "type": "THING"} for name in names]})


def relation(subject: str, says: str, object_: str) -> str:
    found = {"source_id": 0, "subject": subject, "relation": says, "object": object_}
    return json.dumps({"relations": [found]})


READ = (
    entities("Ann", "New York"),
    relation("Ann", "lives in", "New York"),
    entities("Ann", "San Francisco"),
    relation("Ann", "moved to", "San Francisco"),
)
OBSOLETE = json.dumps({"obsolete": [{"existing": 1, "new": 2, "reason": "She moved."}]})


def ingest(memory: Memory) -> Any:
    return memory.ingest(LogRead(TALK), recipe="mem0_graph")


def test_entities_and_relations_of_each_pair_then_conflicts(memory: Memory, double: OllamaDouble) -> None:
    double.answer(*READ, OBSOLETE)
    report = ingest(memory)
    assert (report.errors, report.memories, report.triples, report.proposals) == ((), 2, 2, 1)
    bodies = double.sent()
    assert [body["messages"][0]["content"] for body in bodies] == [E, R, E, R, C]
    asked = [body["messages"][1]["content"] for body in bodies]
    assert asked[0].count("Nice!") == 1, "the pair, not the message"
    assert asked[1].startswith("<entities>\nAnn (THING)\nNew York (THING)\n</entities>")
    assert asked[4] == (
        "<existing>\n1. [2024-01-08] Ann lives in New York\n</existing>\n\n"
        "<new>\n2. [2024-03-11] Ann moved to San Francisco\n</new>"
    )
    keys = [sorted(body["format"]["properties"]) for body in bodies]
    assert keys == [["entities"], ["relations"], ["entities"], ["relations"], ["obsolete"]]


def test_an_approved_end_is_answered_by_date(memory: Memory, double: OllamaDouble) -> None:
    double.answer(*READ, OBSOLETE)
    ingest(memory)
    (proposal,) = memory.review.proposals()
    memory.approve([proposal.id])
    february, april = datetime(2024, 2, 15), datetime(2024, 4, 15)
    question = "Ann New York San Francisco"
    for moment, city in ((february, "New York"), (april, "San Francisco"), (None, "San Francisco")):
        double.answer(entities("Ann", "New York", "San Francisco"))
        hits = memory.search(question, as_of=moment).hits
        assert [city in hit.text for hit in hits] == [True]
    assert [body["messages"][0]["content"] for body in double.sent()[5:]] == [MEM0_GRAPH_QUESTION.text] * 3


def test_a_question_whose_entities_the_model_does_not_name_is_searched_by_rule_and_the_failure_kept(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(*READ, OBSOLETE)
    ingest(memory)
    double.answer(*["nonsense"] * 3)
    found = memory.search("Where does Ann live?")
    assert found.hits
    assert found.trace.failure
    (run, *_) = memory.runs.all()
    assert (run.kind, run.state) == ("search", "failed")
    assert run.error


def test_the_statistics_are_the_servers_own_counts_by_stage(memory: Memory, double: OllamaDouble) -> None:
    double.answer(*READ, OBSOLETE)
    run = ingest(memory).run_id
    asked = [sum(len(tokens(m["content"])) for m in body["messages"]) for body in double.sent()]
    answered = [len(tokens(text)) for text in (*READ, OBSOLETE)]
    spent = memory.runs.token_statistics(run_id=run)["llm"]
    for stage, which in (("entities", (0, 2)), ("relations", (1, 3)), ("conflicts", (4,))):
        assert spent[stage]["calls"] == len(which)
        assert spent[stage]["prompt_tokens"] == sum(asked[n] for n in which)
        assert spent[stage]["completion_tokens"] == sum(answered[n] for n in which)


@pytest.mark.parametrize("failing", range(5))
def test_answers_that_stay_invalid_cost_one_pair_which_waits(
    memory: Memory, double: OllamaDouble, failing: int
) -> None:
    answers = [*READ, OBSOLETE]
    answers[failing : failing + 1] = ["nonsense"] * 3
    lost = 0 if failing < 2 else 1
    if failing in (0, 2):  # without entities no relations are asked for
        del answers[failing + 3]
    if failing < 4:  # one relation has nothing to conflict with
        answers.pop()
    double.answer(*answers)
    report = ingest(memory)
    assert len(report.errors) == 1
    assert "Invalid JSON" in report.errors[0] or "cannot be used" in report.errors[0]
    assert (report.memories, len(double.script)) == (1, 0)
    assert memory.runs.pending(recipe="mem0_graph") == (2, 1)[lost]

    double.answer(*READ[2 * lost : 2 * lost + 2], OBSOLETE if lost else json.dumps({"obsolete": []}))
    assert memory.resume(recipe="mem0_graph").errors == ()
    assert memory.runs.pending(recipe="mem0_graph") == 0
    assert len(memory.review.proposals()) == lost


def test_a_server_that_dies_while_resolving_leaves_the_pair_pending(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(*READ, *[ScriptedAnswer(drop="before")] * 9)
    report = ingest(memory)
    assert [m.text for m in memory.memories.find()] == ["Ann lives in New York"]
    assert memory.runs.pending(recipe="mem0_graph") == 1
    assert len(report.errors) == 1 and "Ollama" in report.errors[0]
