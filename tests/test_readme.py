"""What the README tells a newcomer to type works as it stands there, in the order it stands there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.cli import main
from tests.pipeline import FakeBackends

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory with the sample data in it, as a fresh clone has."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def block(heading: str, language: str) -> str:
    """The first code block of this language under a heading."""
    section = README[README.index(f"\n## {heading}\n") :]
    return section.split(f"```{language}\n", 1)[1].split("```", 1)[0]


@pytest.mark.models
def test_the_python_example_finds_what_it_asks_for_with_the_words_it_came_from(here, capsys):
    exec(compile(block("From Python", "python"), "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("As of 30 March 2024, Nora lives in Bristol")


def test_every_command_of_the_walk_through_succeeds(here, capsys):
    (here / "questions.txt").write_text("Where does Nora live now?\n", encoding="utf-8")
    lines = [line for line in block("From the command line", "sh").splitlines() if line]
    assert all(line.startswith("python -m memcore ") for line in lines)
    placed: dict[str, str] = {}
    for line in lines:
        words = [placed.get(word, word) for word in shlex.split(line)[3:]]
        assert main([*words, "--json"], FakeBackends) == 0, (line, capsys.readouterr().err)
        said = json.loads(capsys.readouterr().out)
        if words[0] == "search":
            placed["MEMORY"] = next(hit["id"] for hit in said["results"] if hit["kind"] == "memory")
        if words[:2] == ["review", "list"]:
            placed["PROPOSAL"] = said["proposals"][0]["id"]
        if words[:2] == ["review", "approve"]:
            with open_memory("out/friends", backends=FakeBackends) as memory:
                placed["EVENT"] = memory.review.decisions()[0].id


PAGES = ("README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted(ROOT.glob("docs/*.md"))))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_that_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not [
        target
        for target, _anchor in LINK.findall(text)
        if target and not (ROOT / page).parent.joinpath(target).exists()
    ]


def test_readme_is_short_enough_to_be_read():
    assert len(README.splitlines()) <= 150


def test_readme_numbers_the_pages_as_the_sidebar_does():
    rows = re.findall(r"^\| (\d+) ([^|]+?) \|", README, re.MULTILINE)
    shown = [f"{number}_{title.replace(' & ', '_and_').replace(' ', '_')}.py" for number, title in rows]
    assert shown == sorted(
        (p.name for p in (ROOT / "pages").glob("*.py")), key=lambda n: int(n.split("_")[0])
    )
