"""`memcore curate`: every act from the command line, looked at first, done, and taken back."""

from __future__ import annotations

import json

import pytest

from memcore.cli import main
from tests.pipeline import FakeBackends

SAID = """
[2024-01-10 09:00] Ann: likes tea. has Rex.
[2024-01-10 09:01] Ben: likes tea.
"""


@pytest.fixture
def cli(capsys, tmp_path):
    """Runs a command with --json on a store that Ann and Ben talked into: its document."""

    def run(*arguments, code=0):
        assert main([*arguments, "--store", str(tmp_path / "store"), "--json"], FakeBackends) == code
        return json.loads(capsys.readouterr().out)

    (tmp_path / "log.txt").write_text(SAID)
    run("ingest", str(tmp_path / "log.txt"))
    return run


def memories(cli):
    results = cli("search", "Ann Ben likes has tea Rex")["results"]
    return {hit["text"]: hit for hit in results if hit["kind"] == "memory"}


def test_a_memory_is_looked_at_corrected_and_taken_back(cli):
    cli("ask", "What does Ann like?")
    tea = memories(cli)["Ann likes tea"]["id"]
    change = (
        "curate",
        "edit",
        tea,
        "--text",
        "Ann likes jazz",
        "--stage",
        "extraction",
        "--reason",
        "Misread",
    )
    preview = cli(*change, "--preview")
    assert next((one["before"], one["after"]) for one in preview["objects"]) == (
        "Ann likes tea",
        "Ann likes jazz",
    )
    assert preview["questions_asked"] == 1
    assert "Ann likes tea" in memories(cli)
    done = cli(*change, "--actor", "ann")
    assert "Ann likes jazz" in memories(cli) and "Ann likes tea" not in memories(cli)
    listed = cli("curate", "list-wrong")
    assert listed["by_stage"] == {"extraction": 1}
    assert (listed["wrong"][0]["text"], listed["wrong"][0]["actor"]) == ("Ann likes tea", "ann")
    cli("review", "undo", done["event"])
    assert "Ann likes tea" in memories(cli)
    assert cli("curate", "list-wrong")["wrong"] == []


def test_every_other_act_on_memories(cli):
    found = memories(cli)
    tea, rex = found["Ann likes tea"], found["Ann has Rex"]
    message = rex["sources"][0]["message"]
    (whole,) = cli("curate", "merge", tea["id"], rex["id"], "--text", "Ann likes tea and has Rex")["made"]
    parts = cli("curate", "split", whole, "--text", "Ann likes tea", "--text", "Ann has Rex")["made"]
    assert len(parts) == 2
    cli("curate", "cite", parts[0], "--words", f"{message}:0-5")
    cli("curate", "end", parts[1], "--on", "2024-03-01")
    (added,) = cli("curate", "add", "--text", "Rex barks", "--words", message, "--event", "2024-01")["made"]
    assert memories(cli)["Rex barks"]["event_at"] == "2024-01-01T00:00:00"
    cli("curate", "delete", added)
    cli("curate", "wrong", parts[0], "--stage", "person")
    assert set(memories(cli)) == {"Ben likes tea"}


def test_acts_on_the_graph(cli):
    events = cli("history")["events"]
    by_name = {e["after"]["name"]: e["object_id"] for e in events if e["object_type"] == "entity"}
    has = next(
        e["object_id"] for e in events if e["object_type"] == "triple" and e["after"]["relation"] == "has"
    )
    cli("curate", "relation", has, "--says", "walks")
    cli("curate", "rename", by_name["Ann"], "--to", "Ann Lee")
    cli("curate", "retype", by_name["Rex"], "--to", "PET")
    cli("curate", "merge-entities", by_name["Ann"], by_name["Ben"])
    cli("curate", "split-entity", by_name["Ann"], "--name", "Ann Roy", "--relation", has)
    last = {e["object_id"]: e["after"] for e in cli("history")["events"]}
    assert last[has]["relation"] == "walks"
    assert last[last[has]["subject_id"]]["name"] == "Ann Roy"
    assert (last[by_name["Ann"]]["name"], last[by_name["Rex"]]["type"]) == ("Ann Lee", "PET")
    assert last[by_name["Ben"]]["merged_into"] == by_name["Ann"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("wrong", "mem_unknown"), 1),
        (("wrong", "mem_unknown", "--stage", "weather"), 2),
        (("edit", "mem_unknown"), 1),
        (("add", "--text", "x", "--words", "msg_unknown"), 1),
        (("split", "mem_unknown", "--text", "a", "--text", "b", "--words", "msg_1"), 2),
        (("add", "--text", "x", "--words", "msg_1:nine"), 2),
    ],
)
def test_what_cannot_be_is_told_with_its_fix(cli, words, code):
    assert {"error", "fix"} <= cli("curate", *words, code=code).keys()
