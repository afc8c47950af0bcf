"""Any format, to a file or as bytes: of whom, of which recipe, and never over what is there."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx as nx
import pytest

from memcore.cli import main
from memcore.domain.errors import StoreError, UsageError
from memcore.exporting import FORMATS, export, exported
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import DuckStore, open_store
from tests.store.samples import entity, memory, put

OF_PARTS = [name for name, one in FORMATS.items() if not one.whole]
WRITTEN = {"csv": 6, "csv-zip": 6 + 2 + 4, "graphml": 3 + 2, "markdown": 5, "lightmem": 4, "mem0": 4}
"""How many objects of `me` each format has."""


def test_there_are_the_formats_that_are_promised() -> None:
    assert list(FORMATS) == ["jsonl", "csv", "csv-zip", "graphml", "markdown", "lightmem", "mem0"]
    assert all(one.about and one.suffix.startswith(".") for one in FORMATS.values())
    assert len({one.suffix for one in FORMATS.values()}) == len(FORMATS), "downloads have names of their own"


@pytest.mark.parametrize("name", OF_PARTS)
def test_a_file_has_what_a_download_has_and_its_objects_are_counted(
    store: DuckStore, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "out"
    assert export(store, path, name, owner="me") == WRITTEN[name]
    assert path.read_bytes() == exported(store, name, owner="me")


@pytest.mark.parametrize("name", OF_PARTS)
def test_nothing_of_one_owner_is_in_what_is_of_another(store: DuckStore, name: str) -> None:
    assert b"You wave" not in exported(store, name, owner="me")
    assert b"Ann" not in exported(store, name, owner="you")


@pytest.mark.parametrize("name", ["csv", "graphml", "markdown", "mem0"])
def test_without_an_owner_it_is_everyones_and_with_a_recipe_only_what_that_made(
    store: DuckStore, name: str
) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities([entity("y9", "Yo wave", owner="you", recipe="mem0")])
    everything, of_mem0 = exported(store, name), exported(store, name, recipe="mem0")
    assert b"Lisbon" in everything and b"wave" in everything
    assert b"Lisbon" not in of_mem0 and b"wave" in of_mem0


def test_graphs_have_a_node_for_each_name_that_stands_and_an_edge_for_each_triple(store: DuckStore) -> None:
    graph = nx.read_graphml(io.BytesIO(exported(store, "graphml")), force_multigraph=True)
    assert sorted(graph.nodes) == ["e1", "e2", "e3"]
    assert sorted(graph.edges(keys=True)) == [("e1", "e2", "t1"), ("e1", "e3", "t2")]


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_there_is_replaced_only_when_allowed(store: DuckStore, tmp_path: Path, name: str) -> None:
    path = tmp_path / "out"
    path.write_text("precious")
    whose = {} if FORMATS[name].whole else {"owner": "me"}
    with pytest.raises(UsageError, match="--overwrite"):
        export(store, path, name, **whose)
    assert path.read_text() == "precious"
    export(store, path, name, overwrite=True, **whose)
    assert "precious" not in path.read_bytes().decode("latin-1")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["out", "store"]


def test_an_export_that_fails_half_way_leaves_what_was_there(store: DuckStore, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("precious")
    put(store, memory("m9", "never embedded"), embedded=False)
    with pytest.raises(StoreError, match="m9"):
        export(store, path, "lightmem", owner="me", overwrite=True)
    assert path.read_text() == "precious"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["out", "store"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"format": "xlsx"}, r"'xlsx'.*jsonl, csv"),
        ({"format": "csv", "owner": "nobody"}, r"'nobody'.*me, you"),
        ({"format": "csv", "recipe": "simplemem"}, r"'simplemem'.*mem0, memscope"),
        ({"format": "csv", "owner": "me", "recipe": "mem0"}, r"'mem0'.*memscope"),
        ({"format": "jsonl", "owner": "me"}, "whole store"),
        ({"format": "jsonl", "recipe": "memscope"}, "whole store"),
    ],
)
def test_what_cannot_be_asked_for_says_what_can_and_writes_nothing(
    store: DuckStore, tmp_path: Path, asked: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        export(store, tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A store that the command line opens."""
    directory = tmp_path / "made"
    model, dimension = ChosenBackends(Settings(store_dir=directory)).embedding_space()
    with open_store(directory, embedding_model=model, dimension=dimension) as store:
        put(store, memory("m1", "Ann waves"), memory("y1", "You wave", owner="you"), embedded=False)
    return directory


def test_the_command_line_writes_one_owners_memories_and_says_how_many(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.md"
    whose = ["--owner", "you", "--recipe", "memscope"]
    arguments = ["export", "--to", str(file), "--format", "markdown", *whose, "--store", str(made), "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "format": "markdown", "rows": 1}
    assert "You wave" in file.read_text("utf-8") and "Ann" not in file.read_text("utf-8")

    assert main(arguments) == 2, "it is there now"
    assert "--overwrite" in json.loads(capsys.readouterr().out)["fix"]
    assert main([*arguments, "--overwrite"]) == 0


def test_the_command_line_names_owners_that_there_are(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["export", "--to", str(tmp_path / "x"), "--format", "mem0", "--owner", "we"]
    assert main([*arguments, "--store", str(made), "--json"]) == 2
    assert json.loads(capsys.readouterr().out) == {
        "error": "This store has nothing of 'we'.",
        "fix": "It has: me, you.",
    }
