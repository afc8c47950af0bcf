"""Every system with a real server and a small real model. Nothing is claimed of the model, which is too small
to follow a prompt; only that whatever it writes breaks nothing, is judged before anybody sees it, and that no
name or number it invents counts as supported.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel, Field

from memcore import open_memory
from memcore.domain.errors import CancelledError, LlmReplyError, LlmUnavailableError
from memcore.domain.models import Message
from memcore.llm.chat import ChatRequest
from memcore.llm.conversation import CheckedLlm
from memcore.llm.openai_compatible import OpenAiServer
from memcore.llm.probe import probe_openai
from memcore.logs import read_log
from memcore.memory import Memory
from tests.fakes import ListLedger
from tests.live.conftest import MODEL, serving

pytestmark = pytest.mark.live

SAMPLE = Path(__file__).parents[2] / "sample_data" / "new_city.txt"
SYSTEMS = ["memscope", "lightmem", "simplemem", "mem0", "mem0_graph", "licomemory"]
WITHIN_S = 5.0
COUNT = "Write the numbers from 1 to 500."
_NAME_OR_NUMBER = re.compile(r"\d+|(?<=[^\W\d_] )[A-Z]\w+|\b[A-Z]\w+(?= [A-Z])")
"""Numbers, and words with a capital that do not merely begin a sentence."""


class Numbers(BaseModel):
    """More of them than fit into one answer, which the grammar will not let end before."""

    numbers: list[int] = Field(min_length=400)


@contextmanager
def opened(directory: Path, address: str) -> Iterator[Memory]:
    chosen = {"llm": "openai", "openai_base_url": address, "openai_model": MODEL}
    with open_memory(directory, **chosen, llm_timeout_s=240.0, buffer_tokens=64) as memory:
        yield memory


def messages_of(memory: Memory) -> list[Message]:
    return [m for one in memory.evidence.conversations() for m in memory.evidence.said_in(one.id)]


def told_by(memory: Memory, recipe: str) -> dict[str, str]:
    """Memories, summaries and triples in words, by id."""
    store = memory.store
    told = {one.id: one.text for one in store.memories(owner="me", recipe=recipe)}
    told |= {one.id: one.text for one in store.summaries("me", recipe=recipe)}
    names = {one.id: one.name for one in store.entities("me", recipe=recipe)}
    for one in store.triples("me", recipe=recipe):
        told[one.id] = f"{names.get(one.subject_id)} {one.relation} {names.get(one.object_id)}"
    return told


def require_sound(memory: Memory) -> None:
    """Nothing fails that `doctor` checks, but for a server that is meant to be down."""
    failed = [check for check in memory.doctor().checks if check.state == "fail"]
    assert not [check for check in failed if check.name != "language model"]


def test_the_server_is_found_with_its_model(address: str) -> None:
    assert probe_openai(address, "", MODEL).usable
    assert "does not list" in probe_openai(address, "", "smollm99").problem


@pytest.mark.parametrize("recipe", SYSTEMS)
def test_every_system_reads_a_log_through_it(recipe: str, address: str, tmp_path: Path) -> None:
    with opened(tmp_path / "store", address) as memory:
        report = memory.ingest(read_log(SAMPLE), recipe=recipe)
        said = " ".join(f"{m.speaker}: {m.text} {m.said_at}" for m in messages_of(memory)).casefold()

        assert (report.state, report.messages) == ("finished", 8)
        waiting = {m.id for part in memory.runs.failed_parts(report.run_id) for m in part.messages}
        assert len(waiting) == memory.runs.pending(recipe=recipe), "what failed is reported, and waits"
        calls = memory.store.llm_calls(run_id=report.run_id)
        assert {call.outcome for call in calls} <= {"ok", "truncated", "invalid_json"}
        assert {call.model for call in calls} == {MODEL}, "asked by schema or tool, never in a weaker way"

        told = told_by(memory, recipe)
        verdicts = memory.store.groundings(list(told), owner="me")
        assert told.keys() == verdicts.keys(), "nothing is stored without a verdict"
        for one, text in told.items():
            if verdicts[one].verdict == "supported":
                invented = [w for w in _NAME_OR_NUMBER.findall(text) if w.casefold() not in said]
                assert not invented, f"supported: {text!r}"
        require_sound(memory)


def test_a_request_that_overflows_the_context_is_told_with_its_fix(address: str) -> None:
    model = CheckedLlm(OpenAiServer(MODEL, address), ListLedger(), "run")
    with pytest.raises(LlmReplyError, match="exceeds the available context size") as refused:
        model.write(stage="answer", prompt_version="v1", system="", user="word " * 9_000)
    assert "lower buffer_tokens" in refused.value.fix


def test_cancelling_while_it_writes_stops_within_seconds(address: str, tmp_path: Path) -> None:
    since: list[float] = []

    def cancelled() -> bool:
        """Two seconds after reading began."""
        return bool(since) and time.monotonic() > since[0] + 2.0

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "read" and not since:
            since.append(time.monotonic())

    with opened(tmp_path / "store", address) as memory:
        report = memory.ingest(read_log(SAMPLE), progress=progress, cancelled=cancelled)
        assert time.monotonic() - since[0] < 2.0 + WITHIN_S
        assert (report.state, memory.runs.pending()) == ("cancelled", 8)
        require_sound(memory)


def busy(address: str) -> bool:
    """Whether the server is writing an answer."""
    slots = httpx.get(f"{address.removesuffix('/v1')}/slots").raise_for_status().json()
    return any(slot["is_processing"] and slot["next_token"][0]["n_decoded"] for slot in slots)


def test_a_server_whose_answer_nobody_waits_for_stops_writing_it(address: str) -> None:
    begun = time.monotonic()
    whole = OpenAiServer(MODEL, address).send(ChatRequest("", COUNT, Numbers.model_json_schema(), 0))
    assert whole.cut == "answer", "it is as long as the server lets one be"
    takes = time.monotonic() - begun

    ledger = ListLedger()
    model = CheckedLlm(OpenAiServer(MODEL, address), ledger, "run", cancelled=lambda: busy(address))
    begun = time.monotonic()
    with pytest.raises(CancelledError):
        model.ask(stage="answer", prompt_version="v1", system="", user=COUNT, schema=Numbers)
    assert [call.outcome for call in ledger.calls] == ["error"]
    while busy(address):
        time.sleep(0.02)
    assert time.monotonic() - begun < takes / 2


def test_a_server_that_dies_costs_what_it_had_not_read_and_another_run_goes_on(
    address: str, tmp_path: Path
) -> None:
    with serving() as (mortal, kill), opened(tmp_path / "store", mortal) as memory:
        done = threading.Event()

        def kill_after_an_answer() -> None:
            while not done.wait(0.1):
                if memory.store.llm_calls():
                    kill()
                    return

        killer = threading.Thread(target=kill_after_an_answer)
        killer.start()
        with suppress(LlmUnavailableError):
            memory.ingest(read_log(SAMPLE), recipe="mem0")
        done.set()
        killer.join()
        (run,) = memory.runs.all()
        assert "No server answers" in run.error or "broke off" in run.error
        kept, waits = told_by(memory, "mem0"), memory.runs.pending(recipe="mem0")
        assert len(messages_of(memory)) == 8, "what was said is stored before anything reads it"
        assert waits
        require_sound(memory)
    with opened(tmp_path / "store", address) as memory:
        report = memory.resume(recipe="mem0")
        assert (report.state, report.read) == ("finished", waits)
        assert kept.keys() <= told_by(memory, "mem0").keys()
