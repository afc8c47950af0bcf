"""What reaches a person's screen and what reaches a pipe: markup, colours, widths, progress."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.cli import main, output, progress
from memcore.cli.output import Table, print_block
from memcore.logs import read_log
from tests.pipeline import FakeBackends

ROOT = Path(__file__).parents[2]
MARKUP = "likes [red]tea[/red] and [link=http://evil]rain[/link] :tada: [bold"
LONG = "likes " + "very " * 60 + "strong tea"


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def store(monkeypatch, tmp_path):
    """A store with a proposal whose texts hold markup, and one too long for a line."""
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    log = tmp_path / "log.json"
    log.write_text(
        json.dumps([{"role": "user", "name": "Ann", "content": f"{text}."} for text in (MARKUP, LONG)])
    )
    with open_memory(tmp_path / "store", backends=FakeBackends) as memory:
        memory.ingest(read_log(log))
    return tmp_path / "store"


@pytest.fixture
def screen(monkeypatch):
    """Makes both streams a terminal of 80 columns; pytest would take it back before the test begins."""
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")

    def begin():
        out, err = Screen(), Screen()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        return out, err

    return begin


def without_styles(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


COMMANDS = (["search", "tea"], ["ask", "tea"], ["history"], ["review", "list"], ["doctor"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("forced", [False, True])
def test_nothing_that_is_piped_has_colours_or_is_cut_off(command, forced, store, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    if forced:
        monkeypatch.setenv("FORCE_COLOR", "1")
    main([*command, "--store", str(store)], FakeBackends)
    out, err = capsys.readouterr()
    assert out and "\x1b" not in out + err
    if command[0] == "search":
        assert [line for line in out.splitlines() if LONG in line], "a long text stays on its line"


def test_stored_text_is_never_read_as_markup(store, screen):
    out, _ = screen()
    for command in (["search", "tea"], ["ask", "tea"]):
        main([*command, "--store", str(store)], FakeBackends)
        assert MARKUP in out.getvalue()
        out.seek(0), out.truncate()


def test_a_cell_is_never_read_as_markup_and_its_control_characters_are_shown(screen):
    out, _ = screen()
    print_block(Table(["[b]text[/b]"], [["[red]tea[/red] :tada: \x1b[2J\u202e"]]))
    assert "[b]text[/b]" in without_styles(out.getvalue())
    assert "[red]tea[/red] :tada: ⟨U+001B⟩[2J⟨U+202E⟩" in without_styles(out.getvalue())
    assert "\x1b[2J" not in out.getvalue()


def test_a_terminal_draws_a_table_and_loses_nothing_of_a_long_cell(screen):
    out, _ = screen()
    print_block(Table(["id", "text"], [["one", LONG]], left=2, lines="only where no terminal draws"))
    shown = out.getvalue()
    assert "\x1b[1m" in shown and "─" in shown and "only where" not in shown
    assert max(map(len, without_styles(shown).splitlines())) <= 80
    assert without_styles(shown).split("─")[-1].split() == ["one", *LONG.split()]


def test_review_and_history_are_tables_on_a_terminal(store, screen):
    out, _ = screen()
    main(["history", "--store", str(store)], FakeBackends)
    assert "what happened" in out.getvalue() and "─" in out.getvalue()


def test_columns_are_aligned_where_no_terminal_draws(capsys):
    print_block(Table(["name", "f1"], [["every 4", "9.5"], ["[none]", "0"]]))
    assert capsys.readouterr().out == "name      f1\nevery 4  9.5\n[none]     0\n"


# ---------------------------------------------------------------- progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when a test says so."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_hours_of_work_are_a_line_every_few_seconds_and_a_last_one(clock, capsys):
    with progress.reported() as report:
        for done in range(10_001):
            clock[0] += 0.01
            report("remember", done, 10_000)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 100 // progress.SECONDS_BETWEEN_LINES
    assert lines[-1] == "remember: 10000/10000"
    assert all(re.fullmatch(r"remember: \d+/10000", line) for line in lines)


def test_a_short_stage_is_one_line(clock, capsys):
    with progress.reported() as report:
        for stage in ("compress", "remember"):
            for done in range(5):
                report(stage, done, 4)
    assert capsys.readouterr().err == "compress: 4/4\nremember: 4/4\n"


def test_work_that_stops_says_how_far_it_came(clock, capsys):
    with pytest.raises(KeyboardInterrupt), progress.reported() as report:
        for done in range(3):
            report("remember", done, 10)
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "remember: 2/10\n"


def test_no_work_says_nothing(capsys):
    with progress.reported():
        pass
    assert capsys.readouterr().err == ""


def test_a_stage_named_by_a_log_drives_no_terminal(clock, capsys):
    with progress.reported() as report:
        report("a\x1b[2J", 1, 1)
    assert capsys.readouterr().err == "a⟨U+001B⟩[2J: 1/1\n"


def test_a_terminal_shows_a_bar_with_the_time_left(screen):
    _, err = screen()
    with progress.reported() as report:
        report("[red]remember\x1b[2J", 0, 4)
        report("[red]remember\x1b[2J", 4, 4)
    shown = without_styles(err.getvalue())
    assert "[red]remember⟨U+001B⟩[2J" in shown and "4/4" in shown and "0:00:00" in shown
    assert "\x1b[2J" not in err.getvalue()


def test_ingesting_with_stderr_to_a_file_writes_few_lines(store, tmp_path, capsys):
    log = tmp_path / "many.txt"
    log.write_text("".join(f"Ann: likes tea number {n}.\n" for n in range(200)))
    assert (
        main(["ingest", str(log), "--store", str(store), "--base-date", "2024-05-08", "--json"], FakeBackends)
        == 0
    )
    err = capsys.readouterr().err
    assert "\r" not in err and "remember: 200/200\n" in err
    assert len(err.splitlines()) < 10


# ---------------------------------------------------------------- what needs no drawing


def test_on_a_terminal_json_is_one_plain_line(store, screen):
    out, _ = screen()
    assert main(["history", "--store", str(store), "--json"], FakeBackends) == 0
    assert out.getvalue().count("\n") == 1 and "\x1b" not in out.getvalue()
    assert json.loads(out.getvalue())["events"]


def test_what_is_plain_text_needs_no_rich():
    code = (
        "import sys; from memcore.cli import output; output.print_block('text');"
        "sys.exit('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "text\n"), done.stderr
    assert output.visible("a\tb") == "a⟨U+0009⟩b"
