"""What a run failed on is listed with its errors and read again alone, and nothing is read twice."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

import pytest

from memcore.domain.errors import LlmReplyError, NotFoundError, UsageError
from memcore.domain.models import LogRead
from memcore.memory import open_memory
from memcore.runs.ingest import ingest, new_run
from memcore.runs.retry import RETRY_OF, failed_parts, to_retry
from memcore.store import ExactIndex
from memcore.systems.lightmem.extract import LightMemExtractor
from memcore.systems.registry import SYSTEMS
from tests.fakes import Asked, ScriptedLlm
from tests.pipeline import EMBEDDER, FakeBackends, SayingExtractor, content, log, open_with, run_ingest, tools

HOBBIES = ("likes jazz.", "likes tea.", "likes chess."), ("likes snow.", "likes rain.", "likes fog.")


def retry(store, run_id, *, sessions=None, **options):
    """As `Memory.retry`, with fakes."""
    failed, only = to_retry(store, run_id, sessions)
    run = new_run(failed.owner, failed.recipe, {RETRY_OF: run_id})
    return ingest(
        store,
        None,
        run=run,
        recipe=SYSTEMS[failed.recipe],
        tools=tools(buffer_tokens=1, **options),
        llm={"backend": "none", "model": ""},
        make_index=ExactIndex,
        only=only,
    )


def facts(call: Asked) -> str:
    """A model's answer: every numbered line of the log is a fact."""
    lines = re.findall(r"(\d+)\.(\w+): (.+)", call.user)
    return json.dumps({"data": [{"source_id": int(n), "fact": f"{who} {what}"} for n, who, what in lines]})


def failing_on(words: str):
    def answer(call: Asked) -> str:
        if words in call.user:
            raise LlmReplyError("The reply was cut off.", "Try again.")
        return facts(call)

    return answer


def test_the_messages_of_a_failed_buffer_are_listed_with_the_error_and_no_others_are(store):
    talk = log(*HOBBIES)
    report = run_ingest(store, talk, extractor=SayingExtractor(fails={"likes rain."}), buffer_tokens=1)

    (part,) = failed_parts(store, report.run_id)

    assert part.session.id == talk.sessions[1].id
    assert "likes rain." in [message.text for message in part.messages]
    assert list(part.messages) == store.pending_messages("memscope", "me")
    assert part.errors == ("cannot read 'likes rain.'",)


def test_a_run_that_failed_on_nothing_lists_nothing_and_cannot_be_retried(store):
    report = run_ingest(store, log(*HOBBIES))
    assert failed_parts(store, report.run_id) == ()
    with pytest.raises(UsageError, match="Nothing that this run failed on waits"):
        to_retry(store, report.run_id)


def test_a_model_that_fails_on_one_buffer_and_then_succeeds_is_asked_about_that_buffer_only(store, tmp_path):
    talk = log(*HOBBIES)
    first = ScriptedLlm([failing_on("likes rain.")] * 9)
    failed = run_ingest(
        store, talk, recipe=SYSTEMS["lightmem"], extractor=LightMemExtractor(first), buffer_tokens=1
    )
    assert (failed.state, len(failed.errors)) == ("finished", 1)
    waiting = {m.text for part in failed_parts(store, failed.run_id) for m in part.messages}
    before = store.memories("me", recipe="lightmem")

    second = ScriptedLlm([facts] * 9)
    retried = retry(store, failed.run_id, extractor=LightMemExtractor(second))

    asked = {text for call in second.history for _, _, text in re.findall(r"(\d+)\.(\w+): (.+)", call.user)}
    assert asked == waiting
    assert (retried.state, retried.errors, retried.messages) == ("finished", (), len(waiting))
    added = [m for m in store.memories("me", recipe="lightmem") if m not in before]
    assert {m.run_id for m in added} == {retried.run_id} and len(added) == len(waiting) == retried.memories
    with open_with(EMBEDDER, tmp_path / "other") as other:
        run_ingest(
            other,
            talk,
            recipe=SYSTEMS["lightmem"],
            extractor=LightMemExtractor(ScriptedLlm([facts] * 9)),
            buffer_tokens=1,
        )
        whole = content(other, recipe="lightmem")["memories"]
    said = [replace(m, run_id="", segment_id="", topic="") for m in store.memories("me", states=None)]
    assert said == [replace(m, segment_id="", topic="") for m in whole]


def test_what_was_read_since_is_not_offered_and_not_read_again(store):
    failed = run_ingest(
        store, log(*HOBBIES), extractor=SayingExtractor(fails={"likes rain."}), buffer_tokens=1
    )
    retry(store, failed.run_id)
    assert failed_parts(store, failed.run_id) == ()
    with pytest.raises(UsageError, match="Nothing that this run failed on waits"):
        to_retry(store, failed.run_id)
    assert store.pending_messages("memscope", "me") == []


def test_a_retry_leaves_alone_what_waits_for_another_reason(store):
    failed = run_ingest(
        store, log(*HOBBIES), extractor=SayingExtractor(fails={"likes rain."}), buffer_tokens=1
    )
    later = log(("likes salt.",), name="later")
    run_ingest(store, later, cancelled=lambda: True)

    retry(store, failed.run_id)

    assert store.pending_messages("memscope", "me") == list(later.messages)


def test_one_of_several_failed_sessions_can_be_retried_alone(store):
    talk = log(*HOBBIES)
    failed = run_ingest(
        store, talk, extractor=SayingExtractor(fails={"likes jazz.", "likes rain."}), buffer_tokens=1
    )
    assert [part.session.id for part in failed_parts(store, failed.run_id)] == [s.id for s in talk.sessions]

    retry(store, failed.run_id, sessions=[talk.sessions[1].id])

    (left,) = failed_parts(store, failed.run_id)
    assert left.session.id == talk.sessions[0].id


def test_a_retry_that_fails_again_lists_the_same_under_its_own_run(store):
    broken = SayingExtractor(fails={"likes rain."})
    failed = run_ingest(store, log(*HOBBIES), extractor=broken, buffer_tokens=1)

    again = retry(store, failed.run_id, extractor=broken)

    assert failed_parts(store, again.run_id) == failed_parts(store, failed.run_id) != ()
    assert store.run(again.run_id).settings[RETRY_OF] == failed.run_id


def test_what_a_cancelled_run_did_not_reach_is_no_failure(store, monkeypatch):
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 3)
    talk = log(*HOBBIES)
    read = []

    report = run_ingest(
        store,
        talk,
        extractor=SayingExtractor(fails={"likes jazz."}, watch=read.append),
        buffer_tokens=1,
        cancelled=lambda: bool(read),
    )

    assert report.state == "cancelled"
    (part,) = failed_parts(store, report.run_id)
    assert part.session.id == talk.sessions[0].id
    assert store.count_pending("memscope", "me") == len(part.messages) + len(HOBBIES[1])


def test_an_unknown_run_is_said_to_be_unknown(store):
    with pytest.raises(NotFoundError, match="me has no run with the id"):
        failed_parts(store, "run_nowhere")


def test_memory_retries_by_the_id_of_a_run(tmp_path):
    extractor = SayingExtractor(fails={"likes rain."})
    with open_memory(tmp_path / "store", backends=partial(FakeBackends, extractor=extractor)) as memory:
        failed = memory.ingest(LogRead((log(*HOBBIES),)))
        waiting = [m for part in memory.runs.failed_parts(failed.run_id) for m in part.messages]
        extractor.fails.clear()
        retried = memory.retry(failed.run_id)
        assert (retried.messages, retried.errors) == (len(waiting), ())
        assert memory.runs.failed_parts(failed.run_id) == ()
        assert memory.runs.view(retried.run_id).run.settings[RETRY_OF] == failed.run_id
