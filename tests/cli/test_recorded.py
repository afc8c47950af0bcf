"""The command line with recorded replies: recording, replaying, and answering what waits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcore.cli import main
from tests.contract.ollama_double import OllamaDouble
from tests.pipeline import FakeBackends

TALK = "[2024-01-10 09:00] Ann: I live in New York.\n[2024-01-10 09:01] Ben: I like tea.\n"
REPLY = json.dumps({"data": [{"source_id": 0, "fact": "Ann lives in New York."}]})


@pytest.fixture
def here(tmp_path, monkeypatch):
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("talk.txt").write_text(TALK)
    return tmp_path


@pytest.fixture
def cli(capsys, here):
    """Runs a command with --json: (document, stderr)."""

    def run(*arguments, code=0):
        assert main([*arguments, "--json"], FakeBackends) == code
        out, err = capsys.readouterr()
        return json.loads(out), err

    return run


INGEST = ("ingest", "talk.txt", "--recipe", "lightmem")


def test_what_a_live_server_answers_is_replayed_at_no_cost(cli, here, monkeypatch):
    with OllamaDouble() as double:
        monkeypatch.setenv("OLLAMA_HOST", double.host)
        monkeypatch.setenv("MEMSCOPE_OLLAMA_MODEL", "testdouble")
        double.answer(REPLY)
        live, _ = cli(*INGEST, "--store", "live", "--llm", "ollama", "--record", "replies.jsonl")
        asked = len(double.sent())
        again, _ = cli(*INGEST, "--store", "again", "--llm", "recorded:replies.jsonl")
        assert len(double.sent()) == asked == 1
    assert live["memories"] == again["memories"] == 1
    for count in ("calls", "prompt_tokens", "completion_tokens"):
        assert again["llm"][count] == live["llm"][count] > 0
    assert again["llm"]["backend"] == "recorded"
    assert again["llm"]["model"].startswith("recorded: testdouble (20")
    found, _ = cli("search", "New York", "--store", "again")
    assert "Ann lives in New York." in [hit["text"] for hit in found["results"]]


def test_what_waits_is_written_answered_and_read_again(cli, here):
    Path("replies.jsonl").touch()
    recorded = ("--llm", "recorded:replies.jsonl", "--store", "out")
    missed, err = cli(*INGEST, *recorded, code=1)
    assert "lightmem_flat_v1 for talk.txt, line 1 to line 2" in missed["errors"][0]
    assert missed["memories"] == 0

    pending, _ = cli("llm", "pending", *recorded, "--out", "wanted.jsonl")
    assert pending == {"file": "wanted.jsonl", "requests": 1, "by_prompt": {"lightmem_flat_v1": 1}}
    (asked,) = map(json.loads, Path("wanted.jsonl").read_text().splitlines())
    assert set(asked) == {"request", "prompt", "place", "system", "user", "schema", "tools"}
    assert "I live in New York." in asked["user"]

    answers = [
        {"request": asked["request"], "reply": REPLY, "model": "claude-x", "date": "2026-11-24"},
        {"request": "0" * 64, "reply": "Hello.", "model": "claude-x"},
    ]
    Path("answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers) + "{\n")
    done, err = cli("llm", "answer", "answers.jsonl", "--into", "replies.jsonl", "--store", "out", code=1)
    assert (done["added"], done["pending"]) == (1, 0)
    assert [line["number"] for line in done["refused"]] == [2, 3]
    assert "answers.jsonl line 2 is left out: no request with the hash" in err
    line = json.loads(Path("replies.jsonl").read_text())
    assert (line["reply"], line["tokens_by"]) == (REPLY, "cl100k_base")
    assert line["completion_tokens"] > 0

    again, _ = cli(*INGEST, *recorded)
    assert (again["read"], again["memories"], again["errors"]) == (2, 1, [])
    assert again["llm"]["model"] == "recorded: claude-x (2026-11-24)"
    assert cli("llm", "pending", *recorded, "--out", "wanted.jsonl")[0]["requests"] == 0
    assert Path("wanted.jsonl").read_text() == ""


def test_an_answer_is_given_to_what_waits_once(cli, here):
    Path("replies.jsonl").touch()
    cli(*INGEST, "--llm", "recorded:replies.jsonl", "--store", "out", code=1)
    cli("llm", "pending", "--store", "out", "--out", "wanted.jsonl")
    asked = json.loads(Path("wanted.jsonl").read_text())
    Path("answers.jsonl").write_text(json.dumps(asked | {"reply": REPLY, "model": "m"}))
    answer = ("llm", "answer", "answers.jsonl", "--into", "replies.jsonl", "--store", "out")
    assert cli(*answer)[0]["added"] == 1
    assert cli(*answer, code=1)[0]["added"] == 0
    Path("answers.jsonl").write_text(json.dumps(asked))
    assert "model: Field required" in cli(*answer, code=1)[1]


def test_one_runs_requests_can_be_asked_for_alone(cli, here):
    Path("replies.jsonl").touch()
    first, _ = cli(*INGEST, "--llm", "recorded:replies.jsonl", "--store", "out", code=1)
    Path("talk.txt").write_text(TALK.replace("tea", "rain"))
    cli(*INGEST, "--llm", "recorded:replies.jsonl", "--store", "out", code=1)
    pending = ("llm", "pending", "--store", "out", "--out", "wanted.jsonl")
    assert cli(*pending)[0]["requests"] > cli(*pending, "--run", first["run"])[0]["requests"] == 1
    assert "no run" in cli(*pending, "--run", "run_x", code=1)[1]


def test_damaged_lines_are_told_and_cost_themselves(cli, here):
    Path("replies.jsonl").write_text('{"about": "ours"}\n{"request": 1}\n')
    _, err = cli(*INGEST, "--llm", "recorded:replies.jsonl", "--store", "out", code=1)
    assert "replies.jsonl line 2 is left out" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--llm", "recorded:missing.jsonl"), "There is no file"),
        (("--llm", "recorded:talk.txt"), "is no file of recorded replies"),
        (("--llm", "recorded"), "is none of"),
        (("--llm", "none", "--record", "new.jsonl"), "nothing to record"),
        (("--llm", "recordings:x"), "is none of"),
    ],
)
def test_what_cannot_be_recorded_or_replayed_says_so(cli, here, arguments, why):
    code = 1 if "missing" in arguments[-1] or "talk" in arguments[-1] else 2
    _, err = cli(*INGEST, "--store", "out", *arguments, code=code)
    assert why in err


def test_a_store_that_names_a_recording_does_not_have_it_read(cli, here):
    Path("replies.jsonl").write_text("secret\n")
    Path("out").mkdir()
    wish = {"llm": "recorded", "recording": str(here / "replies.jsonl")}
    Path("out/settings.json").write_text(json.dumps(wish))
    _, err = cli(*INGEST, "--store", "out", code=1)
    assert "not permitted" in err
    assert "secret" not in err
