"""GraphML that other programs read: one node an entity, one edge a triple, whatever the names hold."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.cli import main
from memcore.domain.models import Source
from memcore.exporting.graphml import graphml
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import open_store
from tests.store.samples import MAY_8, entity, triple


def read(document: bytes) -> nx.MultiDiGraph:
    return nx.read_graphml(io.BytesIO(document), force_multigraph=True)


def test_entities_and_triples_come_back_with_all_they_say() -> None:
    ann = entity("e1", "Ann", aliases=("Annie", "A."), first_seen=MAY_8, last_seen=MAY_8)
    lives = triple(
        "t1",
        "e1",
        "live_in",
        "e2",
        sources=(Source("m1", 0, 4),),
        memory_ids=("mem1", "mem2"),
        valid_from=MAY_8,
        invalidated_at=MAY_8,
        mentions=3,
    )
    graph = read(graphml([ann, entity("e2", "Rome", type="PLACE")], [lives]))
    assert graph.nodes["e1"] == {
        "label": "Ann",
        "type": "PERSON",
        "aliases": "Annie; A.",
        "first_seen": "2023-05-08T13:56:00",
        "last_seen": "2023-05-08T13:56:00",
        "owner": "me",
        "recipe": "memscope",
    }
    assert graph.edges["e1", "e2", "t1"] == {
        "label": "live in",
        "relation": "live_in",
        "valid_from": "2023-05-08T13:56:00",
        "invalidated_at": "2023-05-08T13:56:00",
        "mentions": 3,
        "memories": "mem1; mem2",
        "sources": "m1:0-4",
        "owner": "me",
        "recipe": "memscope",
    }


def test_several_relations_of_one_pair_are_several_edges() -> None:
    ends = [entity("a", "Ann"), entity("b", "Bob")]
    graph = read(graphml(ends, [triple(name, "a", name, "b") for name in ("knows", "likes")]))
    assert sorted(graph["a"]["b"]) == ["knows", "likes"]


@given(st.text(), st.text())
def test_any_text_gives_a_document_that_reads_back(name: str, relation: str) -> None:
    graph = read(graphml([entity("a", name)], [triple("t", "a", relation, "a")]))
    assert (list(graph.nodes), list(graph.edges(keys=True))) == (["a"], [("a", "a", "t")])


def test_characters_xml_cannot_hold_are_replaced_and_others_kept() -> None:
    graph = read(graphml([entity("a", "<b>&\x00\x0b pay\u202epal ünï")], []))
    assert graph.nodes["a"]["label"] == "<b>&\ufffd\ufffd pay\u202epal ünï"


def test_the_command_line_exports_all_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory, file = tmp_path / "store", tmp_path / "all.graphml"
    model, dimension = ChosenBackends(Settings(store_dir=directory)).embedding_space()
    with (
        open_store(directory, embedding_model=model, dimension=dimension) as store,
        store.write(actor="test") as writer,
    ):
        writer.put_entities([entity("a", "Ann"), entity("b", "Bob"), entity("c", "Cid", recipe="mem0_graph")])
        writer.put_triples([triple("t", "a", "knows", "b")])
    arguments = ["export", "--format", "graphml", "--to", str(file), "--store", str(directory), "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "format": "graphml", "rows": 4}
    assert sorted(read(file.read_bytes()).nodes) == ["a", "b", "c"]
