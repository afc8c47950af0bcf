"""A store that may not be written is searched, read and exported like any other, and says so where somebody
would change it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.domain.errors import ReadOnlyStoreError, StoreBusyError, StoreError
from memcore.domain.models import LogRead
from memcore.domain.models.review import Proposal
from memcore.memory import Memory
from memcore.review.additions import Addition
from memcore.review.curate import acts
from memcore.runtime.config import load_settings, save_settings
from memcore.server.mcp_store import LentStore
from memcore.server.mcp_tools import MemoryTools
from memcore.store.duckdb import opening, search
from memcore.store.duckdb.files import FILE_NAME
from tests.fakes import EMBEDDER, ScriptedLlm
from tests.pipeline import FakeBackends, log
from tests.unwritable import unwritable

TALK = log(["lives in New York.", "likes tea."], begin=datetime(2024, 1, 10))
WHERE = "Where does Ann live?"
ROOT = Path(__file__).parents[1]
open_it = partial(open_memory, backends=FakeBackends)


def fill(directory: Path) -> Path:
    with open_it(directory) as memory:
        memory.ingest(LogRead((TALK,)))
        memory.review.propose(Addition("Ann has a cat", "Desk 1"))
    return directory


@pytest.fixture(params=["in earnest", "as the system says"])
def directory(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A filled store that can only be read: on a medium that is so, and where the system only says so (which
    every machine that runs the tests can do). Nothing of it has changed at the end."""
    made = fill(tmp_path / "store")
    before = files(made)
    if request.param == "in earnest":
        with unwritable(made):
            yield made
    else:
        deny(made, monkeypatch)
        yield made
    assert files(made) == before


def deny(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system say that nothing in a directory may be written."""

    def access(path: Path, mode: int) -> bool:
        return mode != os.W_OK or not Path(path).is_relative_to(directory)

    monkeypatch.setattr(opening.os, "access", access)


def files(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


@pytest.fixture
def memory(directory: Path) -> Iterator[Memory]:
    with open_it(directory) as opened:
        yield opened


def test_it_is_searched_asked_and_looked_through(memory: Memory, tmp_path: Path) -> None:
    (hit, *_) = memory.search(WHERE).hits
    assert hit.text == "Ann lives in New York"
    assert "New York" in memory.ask(WHERE).context
    memory.curation.note_question(WHERE, [hit.id])
    assert memory.memories.view(hit.id).quotes
    (waiting,) = memory.review.proposals()
    assert memory.review.proposal(waiting.id).words
    assert memory.review.history()
    assert memory.overview().systems
    assert memory.exports.write(tmp_path / "all.jsonl") > 0
    assert memory.problems() == ()
    assert memory.store.read_only


def test_what_would_change_is_tried_on_a_copy(memory: Memory) -> None:
    (waiting,) = memory.review.proposals()
    preview = memory.review.preview_approval([waiting.id], [WHERE])
    assert [p.id for p in preview.waiting] == [waiting.id]
    assert preview.questions


def test_a_search_that_asks_a_model_keeps_no_record_of_it(directory: Path) -> None:
    with open_it(directory) as memory:
        memory.backends.ask_from_now_on(ScriptedLlm(["In New York [1]."]))  # type: ignore[attr-defined]
        runs = memory.runs.all()
        assert memory.ask(WHERE).answer == "In New York [1]."
        assert memory.runs.all() == runs


WRITES: dict[str, Callable[[Memory, Proposal], object]] = {
    "ingest": lambda memory, waiting: memory.ingest(LogRead((TALK,))),
    "resume": lambda memory, waiting: memory.resume(),
    "consolidate": lambda memory, waiting: memory.consolidate(),
    "resegment": lambda memory, waiting: memory.resegment(TALK.sessions[0].id, []),
    "approve": lambda memory, waiting: memory.approve([waiting.id]),
    "reject": lambda memory, waiting: memory.reject([waiting.id]),
    "edit": lambda memory, waiting: memory.edit(waiting.id, "Ann has two cats"),
    "undo": lambda memory, waiting: memory.undo(memory.review.history()[-1].id),
    "propose": lambda memory, waiting: memory.review.propose(Addition("Ann has a dog", "Desk 1")),
    "switch a rule": lambda memory, waiting: memory.review.switch_rule("same name", True),
    "curate": lambda memory, waiting: memory.curation.do(
        acts.EditMemories((memory.memories.find()[0].id,), "Ann lives in Rome")
    ),
    "merge names": lambda memory, waiting: memory.graph.propose_merges(),
    "erase": lambda memory, waiting: memory.erase("owner", "me"),
    "count what erasing takes": lambda memory, waiting: memory.preview_erasure("owner", "me"),
}


def test_whatever_writes_says_that_it_can_only_be_read(memory: Memory) -> None:
    (waiting,) = memory.review.proposals()
    for name, write in WRITES.items():
        with pytest.raises(ReadOnlyStoreError, match="can only be read") as refused:
            pytest.fail(f"{name} gave {write(memory, waiting)}")
        assert "copy" in refused.value.fix
    assert memory.review.proposals() == [waiting]


def test_nothing_is_loaded_before_it_is_said(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.backends, "tools", lambda *given, **more: pytest.fail("models were loaded"))
    with pytest.raises(ReadOnlyStoreError):
        memory.ingest(LogRead((TALK,)))


def test_indexes_that_are_missing_are_made_in_memory(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "LARGE", 1)
    assert not (directory / "index").exists()
    with open_it(directory) as memory:
        assert memory.store.lexical("me", "New York", 3, kind="memory", recipe="memscope")
        assert memory.store.semantic(
            "me", EMBEDDER.embed(["New York"])[0], 3, kind="memory", recipe="memscope"
        )
    assert not (directory / "index").exists()


def test_several_processes_read_it_at_once(directory: Path) -> None:
    other = (
        "import sys, pathlib; from memcore.store.duckdb import opening;"
        "opening.os.access = lambda path, mode: False;"
        "from tests.fakes import EMBEDDER; from tests.pipeline import open_with;"
        "print(len(open_with(EMBEDDER, pathlib.Path(sys.argv[1])).memories('me')))"
    )
    with open_it(directory) as memory:
        asked = [sys.executable, "-c", other, str(directory)]
        told = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        assert int(told) == memory.memories.count() == 2


def test_what_only_the_log_of_a_killed_process_has_is_read(tmp_path: Path) -> None:
    writes = (
        "import os, sys, pathlib; from tests.fakes import EMBEDDER; from tests.pipeline import open_with;"
        "from tests.store.samples import memory, put; store = open_with(EMBEDDER, pathlib.Path(sys.argv[1]));"
        "put(store, memory('m1')); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", writes, str(tmp_path / "store")], cwd=ROOT, check=False)
    with unwritable(tmp_path / "store"), open_it(tmp_path / "store") as memory:
        assert memory.memories.count(recipe="recipe") + memory.memories.count() >= 1
        assert memory.store.lost is None


def test_a_store_of_an_earlier_version_says_that_it_must_be_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fill(tmp_path / "store")
    with duckdb.connect(str(made / FILE_NAME)) as connection:
        connection.execute("delete from migrations where number = (select max(number) from migrations)")
    deny(made, monkeypatch)
    with pytest.raises(ReadOnlyStoreError, match="earlier Memscope") as refused:
        open_it(made)
    assert "copy" in refused.value.fix.lower()


def test_a_store_that_another_process_writes_is_busy_not_unwritable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fill(tmp_path / "store")
    holds = (
        "import sys, pathlib; from tests.fakes import EMBEDDER; from tests.pipeline import open_with;"
        "store = open_with(EMBEDDER, pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    asked = [sys.executable, "-c", holds, str(made)]
    holder = subprocess.Popen(asked, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        deny(made, monkeypatch)
        with pytest.raises(StoreBusyError):
            open_it(made)
    finally:
        holder.communicate()


def test_a_copy_where_one_may_write_is_a_store_like_any_other(directory: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(directory, tmp_path / "copy", copy_function=shutil.copyfile))
    copied.chmod(0o700)
    with open_it(copied) as memory:
        memory.approve([memory.review.proposals()[0].id])


def test_settings_that_cannot_be_kept_are_an_error_with_a_fix(tmp_path: Path) -> None:
    made = fill(tmp_path / "store")
    with unwritable(made), pytest.raises(StoreError, match="settings cannot be kept"):
        save_settings(load_settings(made, overriding=False), buffer_tokens=256)


# ---------------------------------------------------------------- command line and MCP


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", WHERE),
        ("ask", WHERE),
        ("review", "list"),
        ("history",),
        ("doctor",),
    ],
)
def test_commands_that_read_work(
    directory: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--store", str(directory), "--json"], FakeBackends) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document


def test_doctor_says_that_it_can_only_be_read(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--store", str(directory), "--json"], FakeBackends)
    assert "can only be read" in capsys.readouterr().out


def test_export_writes_elsewhere(directory: Path, tmp_path: Path) -> None:
    to = tmp_path / "all.jsonl"
    assert main(["export", "--to", str(to), "--store", str(directory)], FakeBackends) == 0
    assert to.stat().st_size > 1_000


def test_commands_that_write_say_why_not(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new.txt").write_text("[2024-05-10 09:00] Ann: moved to Rome.\n")
    assert main(["ingest", str(tmp_path / "new.txt"), "--store", str(directory)], FakeBackends) == 1
    assert "can only be read" in capsys.readouterr().err


def test_other_assistants_search_it_and_can_propose_nothing(directory: Path) -> None:
    lent = LentStore(lambda: open_it(directory), directory)
    tools = MemoryTools(lent, "me")
    try:
        assert tools.search(WHERE).results
        assert tools.list_proposals().total == 1
        with pytest.raises(ReadOnlyStoreError):
            tools.add("Ann has a dog", client="Desk 1")
    finally:
        lent.close()
