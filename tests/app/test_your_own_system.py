"""docs/your-own-system.md: its files, installed as they stand there, make a system like ours."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.logs import read_log
from memcore.memory import open_memory
from memcore.systems.registry import OURS, SYSTEMS, find
from tests.app.conftest import Open, shown
from tests.pipeline import FakeBackends
from ui.shell import opened

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "your-own-system.md").read_text(encoding="utf-8")
SAMPLE = ROOT / "sample_data" / "two_friends.json"
FILES = dict(re.findall(r"`([\w.]+)`\n\n```\w+\n(.*?)```", DOCUMENT, re.DOTALL))


@pytest.fixture(autouse=True)
def installed(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The module on the path, with the entry points of its pyproject.toml: what pip would leave there."""
    site = tmp_path / "site"
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text(points)
    (site / "memscope_figures.py").write_text(FILES["memscope_figures.py"])
    monkeypatch.syspath_prepend(str(site))
    find.cache_clear()
    opened.work_with(FakeBackends)
    yield
    sys.modules.pop("memscope_figures", None)
    monkeypatch.undo()
    find.cache_clear()


def test_the_module_is_as_short_as_the_document_promises() -> None:
    code = [line for line in FILES["memscope_figures.py"].splitlines() if line.strip()]
    assert len(code) <= 60


def test_it_stands_behind_ours() -> None:
    assert list(SYSTEMS) == [*(system.name for system in OURS), "figures"]
    assert find().refused == ()


def test_it_remembers_the_numbers_of_the_sample_word_for_word(store: Path) -> None:
    with open_memory(store, backends=FakeBackends) as memory:
        report = memory.ingest(read_log(SAMPLE), recipe="figures")
        assert report.errors == ()
        made = memory.memories.find(recipe="figures")
        quotes = [quote.text for one in made for quote in memory.evidence.quotes(one.sources)]
        assert len(quotes) == len(made) == report.memories > 3
        assert all(re.search(r"\d", quote) for quote in quotes)
        assert memory.runs.unfinished() == {}
        hits = memory.search(quotes[0], recipe="figures").hits
        assert quotes[0] in hits[0].text


def test_its_setting_is_obeyed(store: Path) -> None:
    with open_memory(store, backends=FakeBackends, figures_digits=4) as memory:
        memory.ingest(read_log(SAMPLE), recipe="figures")
        assert all(len(re.findall(r"\d", m.text)) >= 4 for m in memory.memories.find(recipe="figures"))


def test_compare_shows_it_beside_ours(store: Path, open_page: Open) -> None:
    with open_memory(store, backends=FakeBackends) as memory:
        memory.ingest(read_log(SAMPLE), recipe="figures")
        memory.ingest(read_log(SAMPLE), recipe="fulltext")
        (conversation,) = memory.evidence.conversations()
        compared = memory.compare(conversation.id, ["figures", "fulltext"])
        assert {system.recipe for system in compared.systems} == {"figures", "fulltext"}
    app = open_page("10_Compare", systems="figures,fulltext")
    assert not app.exception
    assert "Figures" in shown(app)
    (systems,) = [box for box in app.multiselect if box.label == "Systems"]
    assert "Figures" in systems.options


def test_import_and_settings_offer_it(store: Path, open_page: Open) -> None:
    with open_memory(store, backends=FakeBackends) as memory:
        memory.ingest(read_log(SAMPLE), recipe="fulltext")
    app = open_page("1_Import")
    assert not app.exception
    assert "figures · Figures" in app.selectbox(key="other_recipe").options
    settings = open_page("13_Settings")
    assert settings.number_input(key="set_figures_digits").value == 1
