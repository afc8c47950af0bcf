"""Help pages, and how little it takes to print them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from memcore.cli import app, main
from memcore.cli.names import NAMES
from memcore.systems.registry import SYSTEMS

ROOT = Path(__file__).parents[2]
TOP = get_command(app)
COMMANDS = {
    (name, *under): command
    for name, top in TOP.commands.items()
    for under, command in (
        {(inner,): one for inner, one in top.commands.items()} if hasattr(top, "commands") else {(): top}
    ).items()
}
HEAVY = {"numpy", "pandas", "pyarrow", "duckdb", "rich", "torch", "spacy", "transformers", "mcp"}


def shown(capsys, *words):
    assert main([*words, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_first_page_lists_every_command_under_a_heading_with_its_first_sentence(capsys):
    page = shown(capsys)
    headings = re.findall(r"^(\S.*):$", page, re.MULTILINE)
    assert headings == ["Options", "Remember and find", "Propose and decide", "Measure", "The store"]
    text = " ".join(page.split())
    for name, command in TOP.commands.items():
        assert f"{name} {' '.join(command.help.split())}" in text


def test_the_commands_are_those_of_the_contract():
    assert {" ".join(words) for words in COMMANDS} >= {
        "ingest", "search", "ask", "consolidate", "history", "export", "import", "doctor", "mcp", "reembed",
        "erase", "ground",
        "review list", "review show", "review approve", "review reject", "review edit", "review undo",
        "evaluate retrieval", "evaluate segmentation", "evaluate compression",
        "evaluate grounding",
    }  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_page_explains_every_option_and_ends_with_examples(words, capsys):
    page = shown(capsys, *words)
    for param in COMMANDS[words].params:
        assert param.help, f"{param.name} has no help"
        assert all(option in page for option in param.opts if option.startswith("-"))
        if param.metavar in NAMES:
            assert all(name in page.replace("\n             ", "") for name in NAMES[param.metavar]())
    assert "<str>" not in page and "list[" not in page
    examples = page.split("Examples:\n")[1].splitlines()
    assert examples and all(line.startswith(f"  memcore {' '.join(words)}") for line in examples)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_example_can_be_parsed(words):
    command = COMMANDS[words]
    for example in command.epilog.splitlines():
        given = shlex.split(example)[len(words) :]
        with command.make_context(" ".join(words), given) as context:
            assert context.params["as_json"] is False


def test_a_page_names_the_systems(capsys):
    assert all(name in shown(capsys, "search") for name in SYSTEMS)


def test_an_unknown_system_is_told_the_known_ones(capsys):
    assert main(["search", "x", "--recipe", "carrot cake"]) == 2
    err = capsys.readouterr().err
    assert "'carrot cake'" in err and all(name in err for name in SYSTEMS)


def test_an_unknown_state_is_told_the_known_ones(capsys):
    assert main(["review", "list", "--state", "undecided"]) == 2
    said = "error: Invalid value for '--state': 'undecided' is not one of 'pending', 'approved', "
    assert capsys.readouterr().err.startswith(said)


def test_a_mistyped_command_is_told_the_nearest(capsys):
    assert main(["serach", "x"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "'search'" in err


@pytest.mark.parametrize("words", [[], ["review"], ["evaluate"]], ids=["memcore", "review", "evaluate"])
def test_help_loads_nothing_that_takes_long(words):
    code = (
        f"import sys; from memcore.cli import main; code = main({[*words, '--help']!r});"
        f"print(sorted({HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}), file=sys.stderr);"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
