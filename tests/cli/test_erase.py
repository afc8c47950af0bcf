"""`memcore erase`: counted first, confirmed with --yes, and then nowhere in the store's files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcore.cli import main
from tests.pipeline import FakeBackends
from tests.store.erasing import cells_with, files_with

LOG = """
[2024-01-10 09:00] Ann: My sister lives in Zanzibar.
[2024-01-10 09:01] Ben: My brother likes green tea.
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    log = tmp_path / "chat.txt"
    log.write_text(LOG)
    assert main(["ingest", str(log), "--store", str(tmp_path / "store")], FakeBackends) == 0
    return tmp_path / "store"


def test_a_person_is_erased_only_with_yes_and_then_in_no_file(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["erase", "person", "Ann", "--store", str(store), "--json"]
    capsys.readouterr()
    assert main(asked, FakeBackends) == 1
    counted = json.loads(capsys.readouterr().out)
    assert (counted["erased"], counted["removed"]["messages"]) == (False, 1)
    assert "cannot be undone" in counted["warning"]
    assert main([*asked, "--dry-run"], FakeBackends) == 0
    assert json.loads(capsys.readouterr().out) == counted
    assert cells_with(store, "Zanzibar")

    assert main([*asked, "--yes"], FakeBackends) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["erased"], done["removed"]) == (True, counted["removed"])
    for word in ("Zanzibar", "zanzibar"):
        assert (files_with(store, word), cells_with(store, word)) == ([], [])
    assert main(["search", "green tea", "--store", str(store), "--json"], FakeBackends) == 0
    assert "green tea" in json.loads(capsys.readouterr().out)["results"][0]["text"]
    assert main(["history", "--limit", "1", "--store", str(store), "--json"], FakeBackends) == 0
    (event,) = json.loads(capsys.readouterr().out)["events"]
    assert "person.erased" in event["line"]


def test_what_is_not_there_is_said(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["erase", "message", "msg_none", "--store", str(store), "--yes"], FakeBackends) == 1
    assert "no message 'msg_none'" in capsys.readouterr().err
