"""The memscope recipe and consolidation through the unmodified Ollama client, over a real socket.

The double answers from a script; nothing here says anything about a model's quality.
"""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.models import LogRead
from memcore.systems.memscope.extract import ExtractReply
from tests.contract.conftest import open_on
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer, tokens
from tests.pipeline import log

LINE = re.compile(
    r"^\[\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?, (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\] (\d+)\.(\w+): (.+)$"
)
LOUD = (
    "It is loud here, the lorries come at five and the neighbour sings in the shower every single morning. "
)
ENOUGH = LOUD * 4
"""Fills a buffer: with it, every session is read by a call of its own."""
FIRST = log(
    [f"{LOUD}I live in New York. {ENOUGH}", "Nice! My cat Miso is ill."],
    ["I went to Boston yesterday.", f"Cool. {ENOUGH}"],
    begin=datetime(2024, 1, 8, 9, 0),
)


pytestmark = pytest.mark.usefixtures("encoder_fakes")


@pytest.fixture
def memory(double, tmp_path):
    with open_on(tmp_path / "store", double.host, buffer_tokens=64) as opened:
        yield opened


def fact(source_id, text, **changes):
    return {
        "source_id": source_id,
        "fact": text,
        "kind": "fact",
        "event_begin": None,
        "event_end": None,
        "persons": ["Ann"],
        "entities": [],
        "location": None,
        "keywords": [],
        "triples": [],
    } | changes


def reply(*facts, label="a topic", summary="They talk."):
    return json.dumps(
        {
            "data": facts,
            "topics": [{"topic": 1, "label": label}],
            "summaries": [{"session": 1, "text": summary, "keywords": [], "themes": []}],
        }
    )


LIVES = {
    "subject": "Ann",
    "subject_type": "PERSON",
    "relation": "lives in",
    "object": "New York",
    "object_type": "PLACE",
}
ANSWERS = (
    reply(
        fact(0, "Ann lives in New York.", kind="state", location="New York", triples=[LIVES]),
        fact(1, "Ben's cat Miso is ill.", persons=["Ben"], entities=["Miso"]),
        label="homes",
    ),
    reply(fact(0, "Ann went to Boston.", kind="event", event_begin="2024-01-14"), summary="A trip."),
)


def user_prompt(body):
    return body["messages"][-1]["content"]


# ---------------------------------------------------------------- ingest


def test_every_buffer_is_one_call_that_asks_for_the_schema(memory, double):
    double.answer(*ANSWERS)
    report = memory.ingest(LogRead((FIRST,)))

    assert (report.state, report.errors, report.memories) == ("finished", (), 3)
    buffers = [trace for trace in memory.runs.view(report.run_id).traces if trace.stage == "extract"]
    bodies = double.sent()
    assert len(bodies) == len(buffers) == 2
    for body in bodies:
        assert body["model"] == "testdouble"
        assert set(body["format"]["properties"]) == set(ExtractReply.model_fields)
        assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_the_prompt_has_lightmems_lines(memory, double):
    double.answer(*ANSWERS)
    memory.ingest(LogRead((FIRST,)))

    prompt = user_prompt(double.sent()[0])
    lines = prompt.split("<log>")[1].split("</log>")[0].strip().splitlines()
    assert lines[:2] == ["=== Session 1 ===", "--- Topic 1 ---"]
    spoken = [LINE.match(line) for line in lines if not line.startswith(("---", "==="))]
    assert [(m[1], m[2], m[3]) for m in spoken] == [
        ("0", "Ann", FIRST.messages[0].text.strip()),
        ("1", "Ben", FIRST.messages[1].text.strip()),
    ]
    assert spoken[0].string.startswith("[2024-01-08T09:00, Mon] 0.Ann: ")
    assert "Ann, Ben" in prompt.split("<people>")[1].split("</people>")[0]


def test_facts_quote_the_words_they_rest_on_and_inherit_their_times(memory, double):
    double.answer(*ANSWERS)
    memory.ingest(LogRead((FIRST,)))

    found = {m.text: m for m in memory.memories.find()}
    quoted = {text: [q.text for q in memory.evidence.quotes(m.sources)] for text, m in found.items()}
    assert quoted == {
        "Ann lives in New York.": ["I live in New York."],
        "Ben's cat Miso is ill.": ["Nice! My cat Miso is ill."],  # a short message is quoted whole
        "Ann went to Boston.": ["I went to Boston yesterday."],
    }
    said = {m.id: m.said_at for m in FIRST.messages}
    assert all(m.mentioned_at == said[m.sources[0].message_id] for m in found.values())
    assert found["Ann lives in New York."].topic == "homes"
    boston = found["Ann went to Boston."]
    assert (boston.event_at, boston.event_end) == (datetime(2024, 1, 14), datetime(2024, 1, 15))
    (triple,) = memory.memories.view(found["Ann lives in New York."].id).triples
    assert triple.relation == "lives in"


def test_the_ledger_and_the_run_count_tokens_as_the_server_does(memory, double):
    double.answer(*ANSWERS)
    report = memory.ingest(LogRead((FIRST,)))

    view = memory.runs.view(report.run_id)
    prompts = [sum(len(tokens(m["content"])) for m in body["messages"]) for body in double.sent()]
    answers = [len(tokens(text)) for text in ANSWERS]
    assert [(call.prompt_tokens, call.completion_tokens) for call in reversed(view.calls)] == list(
        zip(prompts, answers, strict=True)
    )
    assert {(call.stage, call.outcome) for call in view.calls} == {("add_memory", "ok")}
    spent = {
        "backend": "ollama",
        "model": "testdouble",
        "calls": 2,
        "prompt_tokens": sum(prompts),
        "completion_tokens": sum(answers),
    }
    assert report.llm == view.run.totals["llm"] == spent


def test_short_sessions_are_one_call_that_summarises_each(memory, double):
    both = json.loads(reply(fact(0, "Ann likes tea."), fact(1, "Ann likes jazz.")))
    both["summaries"] = [
        {"session": n, "text": text, "keywords": [], "themes": []} for n, text in ((1, "Tea."), (2, "Jazz."))
    ]
    double.answer(json.dumps(both))
    memory.ingest(LogRead((log(["I like tea."], ["I like jazz."]),)))

    (body,) = double.sent()
    marks = [line for line in user_prompt(body).splitlines() if line.startswith("===")]
    assert marks == ["=== Session 1 ===", "=== Session 2 ==="]
    first, second = (s.id for s in memory.store.sessions(owner="me"))
    found = {s.session_id: s.text for s in memory.store.summaries("me")}
    assert found == {first: "Tea.", second: "Jazz."}


def test_the_summary_so_far_is_given_to_the_next_part_of_a_session(memory, double):
    double.answer(*ANSWERS)
    memory.ingest(LogRead((FIRST,)))
    grown = log(
        [m.text for m in FIRST.messages[:2]],
        [*(m.text for m in FIRST.messages[2:]), "I also saw Harvard."],
        begin=datetime(2024, 1, 8, 9, 0),
    )
    double.answer(reply(fact(0, "Ann saw Harvard."), summary="A trip. Ann saw Harvard."))

    report = memory.ingest(LogRead((grown,)))

    assert (report.new_messages, report.memories) == (1, 1)
    prompt = user_prompt(double.sent()[-1])
    assert prompt.split("<summaries>")[1].split("</summaries>")[0].strip() == "Session 1: A trip."
    assert "I went to Boston yesterday." in prompt.split("<before>")[1].split("</before>")[0]
    assert "Boston" not in prompt.split("<log>")[1]
    assert {s.text for s in memory.store.summaries("me")} == {"They talk.", "A trip. Ann saw Harvard."}


# ---------------------------------------------------------------- consolidation and answers


def two_homes(memory, double):
    double.answer(reply(fact(0, "Ann lives in New York.", triples=[LIVES])))
    memory.ingest(LogRead((log(["I live in New York."], begin=datetime(2024, 1, 10)),)))
    double.answer(reply(fact(0, "Ann moved to San Francisco.", kind="event")))
    memory.ingest(LogRead((log(["I moved to San Francisco."], name="b", begin=datetime(2024, 3, 10)),)))


DECISION = {
    "action": "invalidate",
    "new_memory": None,
    "because_of": [1],
    "reason": "Ann moved away.",
}


def test_a_models_decision_becomes_a_proposal_and_changes_nothing(memory, double):
    two_homes(memory, double)
    asked = len(double.sent())
    double.answer(json.dumps(DECISION))

    report = memory.consolidate()

    assert (report.proposals, report.by_operation, report.errors) == (1, {"invalidate": 1}, ())
    (body,) = double.sent()[asked:]
    assert "Ann lives in New York." in user_prompt(body).split("<target>")[1].split("</target>")[0]
    assert "1. [2024-03-10, " in user_prompt(body)
    (proposal,) = memory.review.proposals()
    assert proposal.made_by.startswith("testdouble") and "decide" in proposal.made_by
    assert "Ann moved away." in proposal.reason
    assert {m.state for m in memory.memories.find(states=None)} == {"active"}
    (call,) = memory.runs.view(report.run_id).calls
    assert (call.stage, call.outcome) == ("update", "ok")

    memory.approve([proposal.id])
    assert [m.text for m in memory.memories.find()] == ["Ann moved to San Francisco."]


def test_what_was_decided_is_not_asked_again(memory, double):
    two_homes(memory, double)
    double.answer(json.dumps(DECISION))
    memory.consolidate()
    asked = len(double.sent())

    report = memory.consolidate()

    assert (report.proposals, report.decided_before) == (0, report.queues)
    assert len(double.sent()) == asked


def test_a_decision_that_cannot_be_used_is_an_error_and_is_tried_again(memory, double):
    two_homes(memory, double)
    double.answer(json.dumps(DECISION | {"because_of": [9]}))
    report = memory.consolidate()
    assert report.proposals == 0
    assert "candidates that do not exist: [9]" in report.errors[0]

    double.answer(json.dumps(DECISION))
    assert memory.consolidate().proposals == 1


def test_an_answer_cites_the_context_it_was_given(memory, double):
    two_homes(memory, double)
    double.answer("Ann lives in San Francisco [1].")
    answer = memory.ask("Where does Ann live?")
    assert answer.answer == "Ann lives in San Francisco [1]."
    assert answer.context in user_prompt(double.sent()[-1])
    assert answer.answered_by == "testdouble"


# ---------------------------------------------------------------- a server in trouble


def test_a_server_that_is_down_is_told_before_anything_is_stored(tmp_path):
    """Nothing half done: the log is still the person's, and giving it again does all of it."""
    with OllamaDouble() as gone:
        host = gone.host
    with open_on(tmp_path, host) as memory:
        with pytest.raises(LlmUnavailableError, match=re.escape(host)) as caught:
            memory.ingest(LogRead((FIRST,)))
        assert "ollama serve" in caught.value.fix
        assert (memory.evidence.conversations(), memory.runs.all()) == ([], [])


def test_a_buffer_the_server_drops_waits_and_the_others_are_kept(memory, double):
    three = log(*[[f"I like {thing}. {ENOUGH}"] for thing in ("tea", "chess", "jazz")])
    double.answer(reply(fact(0, "Ann likes tea.")), *[ScriptedAnswer(drop="before")] * 9)

    report = memory.ingest(LogRead((three,)))

    assert (report.state, report.memories, len(report.errors)) == ("finished", 1, 2)
    assert memory.runs.pending() == 2
    first, *lost = reversed(memory.runs.view(report.run_id).calls)
    assert (first.outcome, {call.outcome for call in lost}) == ("ok", {"error"})
    assert all(double.host in call.error for call in lost)

    double.script.clear()
    double.answer(reply(fact(0, "Ann likes chess.")), reply(fact(0, "Ann likes jazz.")))
    assert memory.resume().errors == ()
    assert memory.runs.pending() == 0
    assert {m.text for m in memory.memories.find()} == {
        "Ann likes tea.",
        "Ann likes chess.",
        "Ann likes jazz.",
    }


def test_a_server_that_dies_midway_fails_the_run_and_resume_finishes_it(tmp_path, monkeypatch):
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 1)
    sessions = [[f"I like number {n}. {ENOUGH}"] for n in range(8)]
    dying = OllamaDouble()
    dying.__enter__()

    def dies_after_two_steps(stage, done, total):
        if done == 2:
            dying.script.clear()
            dying.answer(*[ScriptedAnswer(drop="before")] * 20)  # connections that are open
            dying.__exit__(None, None, None)  # and new ones

    with open_on(tmp_path, dying.host, buffer_tokens=64) as memory:
        for n in range(8):
            dying.answer(reply(fact(0, f"Ann likes number {n}.")))
        with pytest.raises(LlmUnavailableError):
            memory.ingest(LogRead((log(*sessions),)), progress=dies_after_two_steps)
        (run,) = memory.runs.all()
        assert run.state == "failed" and "Ollama" in run.error
        kept = memory.memories.find()
        assert 2 <= len(kept) < 8
        assert memory.runs.pending() == 8 - len(kept)

    with OllamaDouble() as revived, open_on(tmp_path, revived.host, buffer_tokens=64) as memory:
        left = memory.runs.pending()
        for _ in range(left):
            revived.answer(reply(fact(0, "Ann likes one more number.")))
        report = memory.resume()
        assert (report.state, report.messages, report.memories) == ("finished", left, left)
        assert memory.runs.pending() == 0
        assert {m.id for m in kept} < {m.id for m in memory.memories.find()}
        assert memory.memories.count() == 8
