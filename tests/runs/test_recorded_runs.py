"""A run recorded and replayed remembers the same; what nobody answered waits, and is answered in rounds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memcore import open_memory
from memcore.cli.output import jsonable
from memcore.domain.models import LogRead
from memcore.domain.protocols import Cancelled, Ledger, Llm
from memcore.llm.chat import ChatCompletion, ChatRequest
from memcore.llm.conversation import CheckedLlm
from memcore.llm.recorded import RecordingServer
from memcore.llm.recording import Recorder, read_recording
from memcore.llm.unanswered import add_answers, write_requests
from memcore.memory import Memory
from memcore.systems.registry import SYSTEMS
from tests.llm.answering import ParrotServer
from tests.pipeline import FakeBackends, log

SIX = [name for name, system in SYSTEMS.items() if system.extractor(ParrotServer(), system.settings(), 1)]
LOG = log(
    ["I moved to Leeds in May.", "My sister paints boats.", "Leeds is loud at night.", "Boats are loud too."],
    ["I moved to York instead.", "My sister sold two boats.", "York is quiet."],
)
ASKED_AT = datetime(2024, 3, 1)


class Live(FakeBackends):
    """A parrot for a language model, whose answers are recorded to a file."""

    def __init__(self, settings: Any, file: Path) -> None:
        super().__init__(replace(settings, llm="ollama"))
        self._file = file

    def llm(self, ledger: Ledger, run_id: str, *, cancelled: Cancelled | None = None) -> Llm:
        return CheckedLlm(RecordingServer(ParrotServer(), Recorder(self._file)), ledger, run_id)

    def require_llm(self) -> None:
        pass


def work(memory: Memory, recipe: str) -> None:
    """Everything that asks a model: reading, consolidating, asking."""
    report = memory.ingest(LogRead((LOG,)), recipe=recipe)
    assert not report.errors
    memory.consolidate(recipe=recipe)
    memory.ask("Where does Ann live?", recipe=recipe, asked_at=ASKED_AT)


VARIES = re.compile(r'"(run_id|at|created_at|decided_at)": "[^"]*"')


def held(memory: Memory, recipe: str, *, model: str) -> list[str]:
    """All that a store holds of a system's work, but for the ids and clock times of this very run."""
    store = memory.store
    stored = [
        *store.memories("me", states=None, recipe=recipe),
        *store.entities("me", recipe=recipe),
        *store.triples("me", recipe=recipe),
        *store.summaries("me", recipe=recipe),
        *store.proposals("me", states=None, recipe=recipe),
        *(replace(call, id="", run_id="") for call in store.llm_calls()),
    ]
    lines = [VARIES.sub("", json.dumps(jsonable(one))) for one in stored]
    return sorted(line.replace(model, "MODEL") for line in lines)


@pytest.mark.parametrize("recipe", SIX)
def test_a_replayed_run_holds_what_the_recorded_one_held(recipe: str, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    with open_memory(tmp_path / "live", backends=partial(Live, file=file), queue_threshold=0.0) as memory:
        work(memory, recipe)
        live = held(memory, recipe, model="parrot-1")
        assert memory.memories.count("me", recipe=recipe) > 1
    recording = read_recording(file)
    assert recording.damaged == ()
    name = recording.name

    replayed = []
    for number in range(2):
        settings = {"llm": f"recorded:{file}", "queue_threshold": 0.0, "llm_workers": 4}
        with open_memory(tmp_path / f"again{number}", backends=FakeBackends, **settings) as memory:
            work(memory, recipe)
            replayed.append(held(memory, recipe, model=name))
    assert replayed[0] == replayed[1] == live


def test_six_systems_ask_a_model() -> None:
    assert len(SIX) == 6


def test_a_recording_lets_a_run_go_on_and_what_it_lacks_waits(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.touch()
    with open_memory(tmp_path / "store", backends=FakeBackends, llm=f"recorded:{file}") as memory:
        report = memory.ingest(LogRead((LOG,)), recipe="lightmem")
        assert report.state == "finished"
        assert report.errors
        assert all("a.json, session" in error for error in report.errors), "each names its messages"
        assert memory.runs.pending(recipe="lightmem") == 7
        assert memory.runs.failed_parts(report.run_id)
        assert report.llm["calls"] == 0, "nobody was asked"
        waiting = memory.runs.unanswered()
        assert waiting.keys() == {request.digest for request in waiting.values()}
        answer = memory.ask("Where does Ann live?", recipe="lightmem", asked_at=ASKED_AT)
        assert answer.answer is None
        assert "the question “Where" in answer.failure.cause
        assert len(memory.runs.unanswered()) == len(waiting) + 1, "it waits like the others"


@pytest.mark.parametrize("recipe", SIX)
def test_round_after_round_everything_is_answered(recipe: str, tmp_path: Path) -> None:
    """Answered only through the files, the run ends as it does with the live model."""
    live = tmp_path / "live.jsonl"
    with open_memory(tmp_path / "live", backends=partial(Live, file=live)) as memory:
        memory.ingest(LogRead((LOG,)), recipe=recipe)
        wanted = held(memory, recipe, model="parrot-1")
    wanted = [line for line in wanted if '"completion"' not in line]

    file, wanting, answers = (tmp_path / name for name in ("talk.jsonl", "wanted.jsonl", "answers.jsonl"))
    file.touch()
    parrot = ParrotServer()
    for number in range(20):
        store = tmp_path / f"round{number}"
        with open_memory(store, backends=FakeBackends, llm=f"recorded:{file}") as memory:
            memory.ingest(LogRead((LOG,)), recipe=recipe)
            waiting = memory.runs.unanswered(recording=file)
            found = held(memory, recipe, model=read_recording(file).name)
        if not waiting:
            break
        write_requests(wanting, waiting.values())
        answers.write_text("".join(_answered(parrot, line) for line in wanting.read_text().splitlines()))
        done = add_answers(answers, waiting, Recorder(file), count_tokens=len, tokenizer="letters")
        assert (done.added, done.left, done.refused) == (len(waiting), (), ())
    assert number > 0
    assert [line for line in found if '"completion"' not in line] == wanted


def _answered(parrot: ParrotServer, line: str) -> str:
    asked = json.loads(line)
    request = ChatRequest(asked["system"], asked["user"], asked["schema"], 1, tuple(asked["tools"]))
    completion: ChatCompletion = parrot.send(request)
    calls = [{"name": call.name, "arguments": call.arguments} for call in completion.calls]
    answer = {"request": asked["request"], "reply": completion.text, "calls": calls, "model": "parrot-1"}
    return json.dumps(answer) + "\n"
