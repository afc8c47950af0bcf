"""Graph: which graph, which part of it, how it stood, what it rests on, and which names may be one."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import date
from html import unescape
from math import dist
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import Entity, Source, Triple
from memcore.inspection.graph import GraphView
from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown
from tests.app.seed import SCRIPT
from tests.store.samples import log
from ui.components import network
from ui.components.downloads import as_csv
from ui.graph import picture as graph_picture
from ui.graph import table as graph_table
from ui.shell import opened

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE = "6_Graph"
MEM0 = "mem0_graph"


@pytest.fixture
def two_graphs(seeded: Path) -> Path:
    """The seeded store with a second system's graph: Ada keeps the cat Miso, and a misspelt Lisbon."""
    with open_memory(seeded, backends=LightBackends) as memory, memory.store.write(actor="test") as writer:
        store = memory.store
        known = {e.id: e for e in store.entities("me")}
        twins = {i: replace(known[i], id=f"{MEM0}_{i}", recipe=MEM0) for i in ("ent_1", "ent_2", "ent_3")}
        writer.put_entities([*twins.values(), Entity(f"{MEM0}_x", "me", "lisbon", "PLACE", recipe=MEM0)])
        adopt = next(t for t in store.triples("me") if t.relation == "adopt")
        ends = {"subject_id": f"{MEM0}_ent_1", "object_id": f"{MEM0}_ent_3"}
        writer.put_triples([replace(adopt, id=f"{MEM0}_t", relation="keep", recipe=MEM0, **ends)])
    return seeded


def documents(app: AppTest) -> list[str]:
    return [element.proto.srcdoc for element in app.get("iframe")]


def told(app: AppTest) -> dict[str, Any]:
    """What the picture's panel can show, by the id of a node or edge."""
    (document,) = documents(app)
    found = re.search(r"const TOLD = (\{.*?\});\n", document, re.DOTALL)
    assert found
    return {thing: cards[0] for thing, cards in json.loads(found[1]).items()}


def rows(app: AppTest) -> list[str]:
    """The table's rows, as one reads them."""
    (table,) = re.findall(r"<tbody>(.*)</tbody>", shown(app), re.DOTALL)
    return [unescape(re.sub(r"<[^>]+>", " ", row)) for row in table.split("</tr>") if row]


def test_the_most_connected_entity_is_the_start(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    assert app.selectbox(key="chosen_entity").value == "ent_1"
    assert "5 entities, 4 relations" in shown(app)


def test_every_edge_has_its_words_one_click_away(seeded: Path, open_page: Open) -> None:
    card = told(open_page(PAGE))["tri_1"]
    assert (card["kind"], card["title"]) == ("Ended relation", "Ada live in Lisbon")
    assert card["facts"] == [
        ["since", "4 Mar 2024"],
        ["until", "3 May 2024"],
        ["said", "1 time"],
        ["support", "not checked yet"],
    ]
    (said,) = card["said"]
    assert (said["who"], said["when"], said["words"]) == (
        "Ada",
        "4 Mar 2024, 18:30",
        "I moved to Lisbon last week.",
    )
    assert card["links"][0] == ["Its memory", "./Memories?memory=mem_1"]


def test_every_node_says_what_it_is_and_leads_to_its_neighbourhood(seeded: Path, open_page: Open) -> None:
    card = told(open_page(PAGE))["ent_3"]
    assert (card["kind"], card["title"]) == ("Thing", "Miso")
    assert ["last seen", "4 Mar 2024"] in card["facts"]
    assert card["links"][0] == ["Its neighbourhood", "./Graph?owner=me&recipe=memscope&entity=ent_3"]


def test_a_node_tells_every_relation_of_it_that_is_shown(seeded: Path, open_page: Open) -> None:
    told_of_ada = told(open_page(PAGE))["ent_1"]["sentences"]
    assert "Ada live in Lisbon (until 3 May 2024)" in told_of_ada
    assert len(told_of_ada) == 4


def test_the_legend_names_what_is_drawn_and_nothing_else(seeded: Path, open_page: Open) -> None:
    def legend(**params: str) -> list[str]:
        found = re.search(r"const OPENING = (\{.*?\});\n", documents(open_page(PAGE, **params))[0])
        assert found
        return [meaning for _, _, meaning in json.loads(found[1])["legend"]]

    assert legend() == ["person", "place", "thing", "ended"]
    assert legend(entity="ent_3") == ["person", "thing"]
    assert legend(entity="ent_3", sessions="true", chunks="true")[2:] == ["session", "chunk"]


def test_a_log_shows_its_part_of_the_graph(seeded: Path, open_page: Open) -> None:
    assert "chosen_within" not in [box.key for box in open_page(PAGE).selectbox], "there is one log only"
    with open_memory(seeded, backends=LightBackends) as memory, memory.store.write(actor="test") as writer:
        writer.add_log(log("Lisbon is near Miso's home", name="other"))
        source = Source("other-s0-m0", 0, 6)
        writer.put_triples([Triple("tri_8", "me", "ent_2", "be_near", "ent_3", (source,))])
    app = open_page(PAGE)
    for _ in range(2):
        app.selectbox(key="chosen_within").set_value("other").run()
        assert app.query_params["within"] == "other"
        assert len(rows(app)) == 1
        assert app.selectbox(key="chosen_entity").value in ("ent_2", "ent_3")
        app.selectbox(key="chosen_within").set_value(None).run()
        assert len(rows(app)) > 1
    assert "There is no log with the id nope." in shown(open_page(PAGE, within="nope"))


def test_untrusted_text_stays_text_in_picture_and_table(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    (document,) = documents(app)
    assert "<script>window" not in document
    assert "<img" not in document
    assert told(app)["ent_4"]["title"] == SCRIPT
    assert told(app)["tri_3"]["said"][0]["after"].endswith("pay⟨U+202E⟩pal")
    assert "<script" not in shown(app)
    assert any(SCRIPT in row for row in rows(app))


def test_the_table_says_the_same_with_the_words(seeded: Path, open_page: Open) -> None:
    first, *others = rows(open_page(PAGE))
    assert len(others) == 3
    for part in ("Ada", "live in", "Lisbon", "4 Mar 2024", "3 May 2024", "I moved to Lisbon last week."):
        assert part in first
    assert 'href="./Memories?memory=mem_1"' in shown(open_page(PAGE))


def test_a_date_shows_the_graph_as_it_stood(seeded: Path, open_page: Open) -> None:
    before = open_page(PAGE, as_of="2024-05-02")
    assert before.slider(key="graph_day").value.isoformat() == "2024-05-02"
    assert "tri_1" in told(before)
    assert "(dashed)" not in shown(before)
    assert "tri_1" not in told(open_page(PAGE, as_of="2024-05-03"))


def test_the_slider_spans_the_log_and_moves_the_address(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    app.toggle(key="graph_dated").set_value(True).run()
    assert app.query_params["as_of"] == "2024-05-03"
    app.slider(key="graph_day").set_value(date(2024, 3, 4)).run()
    assert app.query_params["as_of"] == "2024-03-04"
    app.toggle(key="graph_dated").set_value(False).run()
    assert "as_of" not in app.query_params
    assert "1 ended (dashed)" in shown(app)


@pytest.mark.parametrize(("written", "taken"), [("2019-01-01", "2024-03-04"), ("2099-01-01", "2024-05-03")])
def test_a_date_outside_the_log_is_its_nearest_end(
    seeded: Path, open_page: Open, written: str, taken: str
) -> None:
    assert open_page(PAGE, as_of=written).slider(key="graph_day").value.isoformat() == taken


def test_what_is_no_date_is_said(seeded: Path, open_page: Open) -> None:
    assert "someday is no date." in shown(open_page(PAGE, as_of="someday"))


def test_ended_relations_can_be_left_out(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    app.toggle(key="bound_ended").set_value(False).run()
    assert "4 entities, 3 relations" in shown(app)


def test_words_show_every_match_and_lead_to_neighbourhoods(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE)
    app.text_input(key="graph_words").set_value("miso").run()
    assert app.query_params["find"] == "miso"
    assert "entity" not in app.query_params
    assert "Matching names: 1." in shown(app)
    assert len(rows(app)) == 1
    app.button(key="around_ent_3").click().run()
    assert app.query_params["entity"] == "ent_3"
    assert app.text_input(key="graph_words").value == ""


def test_choosing_an_entity_ends_the_search(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, find="miso")
    assert app.selectbox(key="chosen_entity").value is None
    app.selectbox(key="chosen_entity").set_value("ent_5").run()
    assert "find" not in app.query_params
    assert "2 entities, 1 relation" in shown(app)


def test_a_relation_and_steps_choose_what_is_shown(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, relation="live in")
    assert "3 entities, 2 relations" in shown(app)
    app = open_page(PAGE, entity="ent_2", depth="2")
    assert "5 entities, 4 relations" in shown(app)
    assert "No relation matches." in shown(open_page(PAGE, find="no such words"))


def test_each_system_has_its_graph(two_graphs: Path, open_page: Open) -> None:
    app = open_page(PAGE, entity="ent_2")
    system = app.selectbox(key="chosen_recipe")
    assert system.value == "memscope"
    system.set_value(MEM0).run()
    assert app.query_params["recipe"] == MEM0
    assert "entity" not in app.query_params
    assert ["keep" in row for row in rows(app)] == [True]


def test_a_link_to_an_entity_opens_the_graph_it_is_in(two_graphs: Path, open_page: Open) -> None:
    app = open_page(PAGE, entity=f"{MEM0}_ent_3")
    assert app.selectbox(key="chosen_recipe").value == MEM0
    assert app.selectbox(key="chosen_entity").value == f"{MEM0}_ent_3"


def test_an_unknown_system_is_said_so(two_graphs: Path, open_page: Open) -> None:
    assert "The system nope has no graph here." in shown(open_page(PAGE, recipe="nope"))


def test_sessions_and_chunks_are_layers_to_switch_on(seeded: Path, open_page: Open) -> None:
    assert not {"ses_1", "seg_1"} & told(open_page(PAGE)).keys()
    app = open_page(PAGE, sessions="true", chunks="true")
    cards = told(app)
    assert "2 sessions · 2 chunks" in shown(app)
    assert cards["ses_1"]["more"] == "Ada moves to Lisbon and adopts a cat."
    assert cards["ses_2"]["more"] == "This system wrote no summary of it."
    assert cards["seg_1"]["title"] == "Moving to Lisbon"
    first = cards["seg_1"]["said"][0]
    assert (first["who"], first["before"]) == (
        "Ada",
        "I moved to Lisbon last week. The light here is wonderful!",
    )


def test_names_that_may_be_one_are_proposed_and_lead_to_review(two_graphs: Path, open_page: Open) -> None:
    app = open_page(PAGE, recipe=MEM0)
    assert "No proposal waits" in shown(app)
    app.button(key="propose_merges").click().run()
    assert not app.exception
    html = shown(app)
    assert "1 new proposal. 1 proposal waits for your decision." in html
    assert "<b>Lisbon</b>" in html
    assert "<b>lisbon</b>" in html
    assert "differ only in case" in html
    assert "1 proposal waits" not in shown(open_page(PAGE))
    memory = opened.opened()
    assert {e.merged_into for e in memory.graph.entities()} == {None}


def test_a_link_to_a_merged_entity_leads_to_its_survivor(two_graphs: Path, open_page: Open) -> None:
    with open_memory(two_graphs, backends=LightBackends) as memory:
        (proposal,) = memory.graph.propose_merges(recipe=MEM0)
        memory.approve([proposal.id])
        survivor, merged = proposal.target_ids
    app = open_page(PAGE, recipe=MEM0, entity=merged)
    assert app.query_params["entity"] == survivor


def test_what_is_not_drawn_is_counted(seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_picture, "MOST_ENTITIES", 3)
    monkeypatch.setattr(graph_picture, "MOST_TRIPLES", 2)
    html = shown(open_page(PAGE))
    assert "3 entities, 2 relations" in html
    assert "not drawn: 2 entities, 2 relations" in html


def test_what_is_shown_can_be_taken_away(seeded: Path, open_page: Open) -> None:
    labels = [button.proto.label for button in open_page(PAGE).get("download_button")]
    assert labels == [
        "CSV of what is shown",
        "JSONL of what is shown",
        "GraphML of what is shown",
        "GraphML of the whole graph",
    ]


def test_a_spreadsheet_takes_no_name_for_a_formula() -> None:
    ends = (Entity("a", "me", '=HYPERLINK("http://a.link")', "THING"), Entity("b", "me", 'a, "b"', "THING"))
    view = GraphView(ends, (Triple("t", "me", "a", "+1", "b", ()),), 0, 0)
    (row,) = csv.DictReader(io.StringIO(as_csv(graph_table.records(view)).decode("utf-8-sig")))
    assert (row["subject"], row["relation"], row["object"]) == (
        '\'=HYPERLINK("http://a.link")',
        "'+1",
        'a, "b"',
    )


def test_the_layout_is_the_same_each_time_and_keeps_neighbours_nearer_than_strangers() -> None:
    edges = (("a", "b"), ("b", "c"), ("c", "d"), ("x", "y"))
    places = network.positions(("a", "b", "c", "d", "x", "y", "alone"), edges)
    assert places == network.positions.__wrapped__(("a", "b", "c", "d", "x", "y", "alone"), edges)
    assert len(set(places.values())) == 7
    assert dist(places["a"], places["b"]) < dist(places["a"], places["c"]) < dist(places["a"], places["d"])
