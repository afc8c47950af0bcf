"""The Settings page hands out what is stored, in every format, and reads a kept store back."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st

from memcore.domain.models import DEFAULT_OWNER
from memcore.exporting import FORMATS, export
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import DuckStore, open_store
from tests.app.conftest import Open, shown
from tests.app.seed import SCRIPT, seed
from tests.store.samples import memory as remembered
from tests.store.samples import run
from ui.shell import opened


def open_at(directory: Path) -> DuckStore:
    model, dimension = ChosenBackends(Settings(store_dir=directory)).embedding_space()
    return open_store(directory, embedding_model=model, dimension=dimension)


@pytest.fixture
def buttons(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, Callable[[], bytes]]]:
    """Download buttons by key, as they are drawn: the file's name and what makes it."""
    drawn: dict[str, tuple[str, Callable[[], bytes]]] = {}

    def draw(label: str, data: Callable[[], bytes], name: str, mime: str, *, key: str, **_: object) -> None:
        drawn[key] = (name, data)

    monkeypatch.setattr(st, "download_button", draw)
    return drawn


def test_every_format_has_a_button_and_a_line_on_what_it_is_for(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    assert not app.exception
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == [one.title for one in FORMATS.values()]
    assert all(one.about.split(":")[0] in shown(app) for one in FORMATS.values())


def test_a_button_gives_what_the_chosen_system_remembers_of_the_owner(
    seeded: Path, open_page: Open, buttons: dict[str, tuple[str, Callable[[], bytes]]]
) -> None:
    with open_at(seeded) as store, store.write(actor="test") as writer:
        writer.put_memories([remembered("x", "another's", owner="you"), remembered("y", "Y", recipe="mem0")])
    open_page("13_Settings")
    name, made = buttons["export_csv"]
    assert name == "memscope_me_memscope.csv"
    rows = list(csv.DictReader(io.StringIO(made().decode("utf-8-sig"), newline="")))
    assert {(row["owner"], row["recipe"]) for row in rows} == {(DEFAULT_OWNER, "memscope")}
    assert len(rows) == 7
    assert SCRIPT not in buttons["export_markdown"][1]().decode()
    assert len(buttons["export_mem0"][1]().splitlines()) == 6
    assert len(buttons["export_lightmem"][1]().splitlines()) == 6
    assert b"<graphml" in buttons["export_graphml"][1]()
    name, made = buttons["export_jsonl"]
    assert name == "memscope_store.jsonl"
    assert b"another's" in made(), "the whole store is everyone's"


def test_the_recipe_can_be_chosen_among_those_that_made_something(
    seeded: Path, open_page: Open, buttons: dict[str, tuple[str, Callable[[], bytes]]]
) -> None:
    with open_at(seeded) as store, store.write(actor="test") as writer:
        writer.put_run(run("r1", recipe="lightmem"))
        writer.put_run(run("r2", recipe="mem0"))
        writer.put_memories([remembered("y", "Y", recipe="mem0")])
    app = open_page("13_Settings")
    assert app.selectbox(key="chosen_recipe").options == ["Memscope’s own", "Mem0"]
    app.selectbox(key="chosen_recipe").set_value("mem0").run()
    assert app.query_params["recipe"] == "mem0"
    name, made = buttons["export_mem0"]
    assert name == "memscope_me_mem0.mem0.jsonl"
    assert [json.loads(line)["messages"][0]["content"] for line in made().splitlines()] == ["Y"]


def test_an_empty_store_offers_to_restore_one_and_has_it_afterwards(
    store: Path, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(tmp_path / "kept")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no copy is made elsewhere"))
    with open_at(tmp_path / "kept") as kept:
        export(kept, tmp_path / "kept.jsonl", "jsonl")
        events = kept.events()
    app = open_page("13_Settings")
    assert not app.get("download_button")
    data = (tmp_path / "kept.jsonl").read_bytes()
    app.file_uploader(key="restore_file").set_value([("kept.jsonl", data, "application/x-ndjson")]).run()
    app.button(key="restore").click().run()
    assert not app.exception
    assert len(app.get("download_button")) == len(FORMATS)
    assert not [one for one in app.button if one.key == "restore"], "nothing is restored into what is there"
    opened.close()
    with open_at(store) as restored:
        assert restored.events() == events


def test_a_file_that_is_no_export_is_named_and_nothing_is_restored(store: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.file_uploader(key="restore_file").set_value([("a.jsonl", b'{"role": "user"}', "text/plain")]).run()
    app.button(key="restore").click().run()
    assert not app.exception
    assert "does not begin with the header of a Memscope export" in shown(app)
