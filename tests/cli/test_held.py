"""Every command says and does the same whether the store is free or another process holds it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.cli import sharing as cli_sharing
from memcore.cli.streams import Streams, writing_to
from memcore.server.holder import Holder
from tests.pipeline import FakeBackends
from tests.server.holding import ROOT, HoldingProcess, holding_process

TALK = """
[2024-01-10 09:00] Ann: lives in New York.
[2024-01-10 09:01] Ben: likes tea. plays the cello.
[2024-03-10 09:00] Ann: moved to San Francisco.
[2024-03-10 09:01] Ben: likes rain.
"""
MORE = "[2024-04-10 09:00] Ann: likes maths.\n"
COMMANDS = """
search "New York"
search "New York" --json
search "New York" -k 1 --explain --json
search "When did Ann move?" --as-of 2024-02
search "What did Ben say 10 days ago?" --asked-at 2024-03-20
search tea --why-not {message}
search tea --why-not {memory} --json
search tea --owner nobody
search tea --recipe lightmem
search tea --as-of someday
search tea --recipe none
search "" --json
search tea -k 0
ask "Where does Ann live?"
ask "Where does Ann live?" --budget 20 --json
ask "Where does Ann live?" --as-of 2024-02
ask tea --llm ollama
ask tea --llm recorded:none.jsonl --json
history
history --limit 2
history {memory} --json
history none
ingest more.txt
ingest more.txt --json
ingest talk.txt
ingest more.txt talk.txt --recipe naive_rag --json
ingest more.txt --base-date 2024-05-01 --owner ann
ingest more.txt --format plain
ingest missing.txt
ingest missing.txt more.txt
ingest more.txt --recipe none
consolidate
consolidate --json
consolidate --dry-run
consolidate --dry-run --questions questions.txt --json
consolidate --questions questions.txt
consolidate --dry-run --questions missing.txt
review list
review list --json
review list --state all --owner nobody
review show {proposal}
review show none --json
review approve {proposal}
review approve {proposal} --actor ann --json
review approve none
review reject {proposal}
review edit {proposal} --text "Ann lives in San Francisco"
review edit {proposal} --text ""
review undo {event}
review undo none
curate edit {memory} --text "Ben likes green tea" --preview
curate edit {memory} --text "Ben likes green tea" --json
curate wrong {memory} --stage time --reason "It was in May"
curate wrong {memory} --stage none
curate end {memory} --on 2024-03-01
curate end {memory} --on someday
curate merge {memory} {other} --text "Ben likes tea and rain"
curate split {memory} --text "Ben likes tea" --text "Ben likes leaves"
curate split {memory} --text "Ben likes tea" --words {message}:0-4 --words {message}
curate delete {memory}
curate delete {memory} --preview --json
curate add --text "Ann has a dog" --words {message}:0-4
curate add --text "Ann has a dog" --words {message}:x
curate cite {memory} --words {message}
curate relation {triple} --says enjoys
curate rename {entity} --to "Ann Lee"
curate retype {entity} --to PLACE
curate merge-entities {entity} {another}
curate split-entity {entity} --name "Ann Roy" --relation {triple}
curate list-wrong --json
erase message {message} --dry-run
erase message {message} --yes
erase person Ben --yes --json
erase owner me
export --to out.jsonl
export --to out.md --format markdown --owner me --json
export --to taken.txt
export --to taken.txt --overwrite
import all.jsonl
import missing.jsonl
ground
ground --propose --json
doctor
reembed --json
llm pending --out wanted.jsonl
llm answer missing.jsonl --into talk.jsonl
"""
LINES = [line for line in COMMANDS.splitlines() if line]
VARIES = (
    (re.compile(r"\b(run|evt|bat|prop|mem|tri|ent|gro|cur)_[0-9a-f]{12,}\b"), "ID"),
    (re.compile(r'("?(?:seconds|milliseconds)"?: )[\d.]+'), r"\1N"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(\+\d\d:\d\d)?"), "NOW"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?"), "NOW"),
)
"""What differs between any two runs of one command: new ids, and times of work."""


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with a store and files beside it, and ids of what is in the store."""
    folder = tmp_path_factory.mktemp("seeded")
    store = folder / "store"
    store.mkdir()
    (store / "settings.json").write_text('{"queue_threshold": 0.0}')
    (folder / "talk.txt").write_text(TALK)
    (folder / "more.txt").write_text(MORE)
    (folder / "questions.txt").write_text("Where does Ann live?\n")
    (folder / "taken.txt").write_text("mine")
    with pytest.MonkeyPatch.context() as patch:
        clear(patch)
        for words in (["ingest", str(folder / "talk.txt")], ["consolidate"]):
            assert main([*words, "--store", str(store)], FakeBackends) == 0
        exported = ["export", "--to", str(folder / "all.jsonl"), "--store", str(store)]
        assert main(exported, FakeBackends) == 0
        with open_memory(store, backends=FakeBackends) as memory:
            tea = next(m for m in memory.store.memories("me") if m.text == "Ben likes tea")
            rain = next(m for m in memory.store.memories("me") if m.text == "Ben likes rain")
            people = {e.name: e.id for e in memory.store.entities("me")}
            triple = next(t for t in memory.store.triples("me") if t.subject_id == people["Ann"])
            (proposal,) = memory.review.proposals()
            ids = {
                "memory": tea.id,
                "other": rain.id,
                "message": tea.sources[0].message_id,
                "proposal": proposal.id,
                "entity": people["Ann"],
                "another": people["Ben"],
                "triple": triple.id,
                "event": memory.review.history(tea.id)[0].id,
            }
    yield folder, ids


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    clear(monkeypatch)
    monkeypatch.setattr(cli_sharing, "PATIENCE_SECONDS", 0.0)


def clear(patch: pytest.MonkeyPatch) -> None:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        patch.delenv(variable, raising=False)
    patch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")


def words_of(line: str, ids: dict[str, str]) -> list[str]:
    quoted = re.findall(r'"([^"]*)"|(\S+)', line)
    return [(short or long).format(**ids) for long, short in quoted]


def run(words: list[str], capsys: Any, folder: Path) -> tuple[Any, ...]:
    """Exit code, what was printed, and the files that it left, without what differs in any two runs."""
    capsys.readouterr()
    code = main([*words, "--store", "store"], FakeBackends)
    out, err = (without_what_varies(text) for text in capsys.readouterr())
    files = {path.name: without_what_varies(path.read_text()) for path in folder.iterdir() if path.is_file()}
    return code, out, err, files


def without_what_varies(text: str) -> str:
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return text


@pytest.mark.parametrize("line", LINES)
def test_a_command_says_and_does_the_same_through_the_holder(
    line: str,
    seeded: tuple[Path, dict[str, str]],
    holding: HoldingProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, ids = seeded
    words, found = words_of(line, ids), []
    folder = tmp_path / "here"
    for held in (False, True):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        monkeypatch.chdir(folder)
        if held:
            holding.hold(folder / "store")
        found.append(run(words, capsys, folder))
        if held:
            holding.let_go(folder / "store")

    free, held_by_other = found
    assert held_by_other == free


def test_what_is_done_through_the_holder_is_there_afterwards(
    seeded: tuple[Path, dict[str, str]],
    holding: HoldingProcess,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, ids = seeded
    shutil.copytree(source, tmp_path / "here")
    store = tmp_path / "here" / "store"
    holding.hold(store)
    where = ["--store", str(store), "--json"]

    assert main(["review", "approve", ids["proposal"], *where], FakeBackends) == 0
    event = json.loads(capsys.readouterr().out)["event"]
    holding.let_go(store)

    with open_memory(store, backends=FakeBackends) as memory:
        assert memory.review.proposal(ids["proposal"]).proposal.state == "applied"
        assert event in [one.id for one in memory.review.history()]


@pytest.mark.parametrize("words", [["history"], ["history", "--json"]])
def test_whoever_stops_reading_what_a_command_prints_is_told_nothing(
    seeded: tuple[Path, dict[str, str]], holding: HoldingProcess, tmp_path: Path, words: list[str]
) -> None:
    store = tmp_path / "store"
    shutil.copytree(seeded[0] / "store", store)
    reads, writes = os.pipe()
    os.close(reads)  # as `| head` does, once it has had enough
    holding.hold(store)
    command = [sys.executable, "-m", "memcore", *words, "--store", str(store)]
    done = subprocess.run(command, cwd=ROOT, stdout=writes, stderr=subprocess.PIPE, text=True)
    os.close(writes)
    holding.let_go(store)
    assert (done.returncode, done.stderr) == (1, "")


class Terminal:
    """A stream that is a terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.written = ""

    def write(self, text: str) -> int:
        self.written += text
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_is_drawn_alike(
    seeded: tuple[Path, dict[str, str]],
    holding: HoldingProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, _ = seeded
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setenv("TERM", "xterm-256color")
    shutil.copytree(source, tmp_path / "here")
    store = tmp_path / "here" / "store"
    drawn = []
    for held in (False, True):
        if held:
            holding.hold(store)
        terminal = Terminal()
        with writing_to(Streams(terminal, terminal)):  # type: ignore[arg-type]
            assert main(["history", "--store", str(store)], FakeBackends) == 0
        drawn.append(terminal.written)
    holding.let_go(store)
    assert drawn[0] == drawn[1]
    assert "\x1b[" in drawn[0]


def test_a_holder_that_dies_under_a_command_is_named(
    seeded: tuple[Path, dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, _ = seeded
    shutil.copytree(source, tmp_path / "here")
    store = tmp_path / "here" / "store"
    with holding_process() as dying:
        dying.hold(store)
        lines = Holder.lines

        def killed_first(holder: Holder, path: str, body: Any) -> Any:
            dying.process.kill()
            dying.process.wait()
            return lines(holder, path, body)

        monkeypatch.setattr(Holder, "lines", killed_first)
        assert main(["search", "tea", "--store", str(store)], FakeBackends) == 1
        assert f"Process {dying.process.pid}" in capsys.readouterr().err

    monkeypatch.setattr(Holder, "lines", lines)
    assert main(["search", "tea", "--store", str(store)], FakeBackends) == 0
