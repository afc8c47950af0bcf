"""The Graph corrects what it shows: entities renamed, retyped, merged and split, relations changed, marked
wrong, ended and deleted, one or several at once."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import Entity, Triple
from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE = "6_Graph"
MAY_8 = datetime(2024, 5, 8)


def press(app: AppTest, label: str) -> AppTest:
    app = next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def field(app: AppTest, label: str):  # type: ignore[no-untyped-def]  # AppTest's elements have no common type
    """The field of the form that this is written at."""
    fields = [*app.text_input, *app.selectbox, *app.multiselect]
    return next(one for one in fields if one.label == label)


def confirmed(app: AppTest) -> None:
    press(press(app, "See what changes"), "Confirm")


def entities(store: Path) -> dict[str, Entity]:
    with open_memory(store, backends=LightBackends) as memory:
        return {one.id: one for one in memory.graph.entities()}


def triples(store: Path) -> dict[str, Triple]:
    with open_memory(store, backends=LightBackends) as memory:
        return {one.id: one for one in memory.graph.triples()}


def test_several_entities_get_one_type(seeded: Path, open_page: Open) -> None:
    app = press(open_page(PAGE, entity="ent_2"), "Change type")
    field(app, "Its type").input("city")
    field(app, "Also the type of").select("ent_5")
    confirmed(app)
    found = entities(seeded)
    assert {found[i].type for i in ("ent_2", "ent_5")} == {"CITY"}
    assert found["ent_1"].type == "PERSON"


def test_entities_are_merged_and_split_again(seeded: Path, open_page: Open) -> None:
    app = press(open_page(PAGE, entity="ent_2"), "Merge with others")
    field(app, "The same as").select("ent_5")
    confirmed(app)
    assert entities(seeded)["ent_5"].merged_into == "ent_2"
    app = press(open_page(PAGE, entity="ent_2"), "Split")
    field(app, "Name of the other").input("Porto")
    field(app, "Relations that are the other’s").select("tri_4")
    field(app, "Names that are the other’s").select("Porto")
    confirmed(app)
    assert entities(seeded)["ent_2"].aliases == ()
    with open_memory(seeded, backends=LightBackends) as memory:
        view = memory.graph.part(centre="ent_2")
        assert "tri_4" not in {triple.id for triple in view.triples}


def test_a_relation_says_something_else_between_others(seeded: Path, open_page: Open) -> None:
    app = press(open_page(PAGE, entity="ent_1", correct="tri_2"), "Change a relation")
    assert field(app, "Which relation").value == "tri_2", "the one that the link named"
    field(app, "Another relation (empty: the same)").input("keep")
    field(app, "Another object").select("ent_5")
    confirmed(app)
    changed = triples(seeded)["tri_2"]
    assert (changed.subject_id, changed.relation, changed.object_id) == ("ent_1", "keep", "ent_5")


def test_several_relations_end_on_a_day_and_an_undo_takes_it_back(seeded: Path, open_page: Open) -> None:
    before = triples(seeded)
    app = press(open_page(PAGE, entity="ent_1"), "Relations ended")
    field(app, "Which relations").select("tri_2").select("tri_4")
    field(app, "They held until").input("2024-05-08")
    app = press(press(app, "See what changes"), "Confirm")
    assert [triples(seeded)[i].invalidated_at for i in ("tri_2", "tri_4")] == [MAY_8] * 2
    press(app, "Undo")
    assert triples(seeded) == before


@pytest.mark.parametrize("verb", ["Relations are wrong", "Delete relations"])
def test_relations_are_taken_out(seeded: Path, open_page: Open, verb: str) -> None:
    app = press(open_page(PAGE, entity="ent_1", correct="tri_2"), verb)
    assert field(app, "Which relations").value == ["tri_2"]
    field(app, "Which relations").select("tri_4")
    confirmed(app)
    assert [triples(seeded)[i].mentions for i in ("tri_2", "tri_4")] == [0, 0]
    with open_memory(seeded, backends=LightBackends) as memory:
        wrong = {row.object_id for row in memory.curation.wrong().rows}
    assert wrong == ({"tri_2", "tri_4"} if verb == "Relations are wrong" else set())


def test_what_is_chosen_from_reads_as_it_is_written_and_no_two_the_same(
    seeded: Path, open_page: Open
) -> None:
    with open_memory(seeded, backends=LightBackends) as memory, memory.store.write(actor="test") as writer:
        first = memory.graph.triples(ids=["tri_2"])[0]
        from dataclasses import replace

        writer.put_triples([replace(first, id="tri_9")])
    app = press(open_page(PAGE, entity="ent_1"), "Delete relations")
    options = field(app, "Which relations").options
    assert len(options) == len(set(options))
    assert any(option.startswith("Ada adopt Miso") for option in options)
    assert not any("\\" in option for option in options)


def test_the_panel_and_the_table_lead_to_the_correction(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, entity="ent_1")
    (document,) = [element.proto.srcdoc for element in app.get("iframe")]
    found = re.search(r"const TOLD = (\{.*?\});\n", document, re.DOTALL)
    assert found
    cards = json.loads(found[1])
    ways = {name: dict(cards[name][0]["links"])["Correct it"] for name in ("ent_3", "tri_2")}
    assert ways["ent_3"].endswith("entity=ent_3&correct=ent_3")
    assert ways["tri_2"].endswith("entity=ent_1&correct=tri_2")
    assert "entity=ent_1&amp;correct=tri_2" in shown(app)
