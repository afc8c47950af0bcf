"""Correcting by hand on the pages: look first, confirm, undo; what is open, and what is refused."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE = "5_Memories"


@pytest.fixture
def cat(seeded: Path) -> str:
    """The id of a memory that stands, about the cat; one question was asked of it."""
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.curation.note_question("What cat did Ada adopt?", [])
        return next(m.id for m in memory.memories.find() if "cat" in m.text)


def text_of(seeded: Path, memory_id: str) -> tuple[str, str]:
    with open_memory(seeded, backends=LightBackends) as memory:
        one = memory.memories.by_id([memory_id])[memory_id]
        return one.text, one.state


def press(app: AppTest, label: str) -> AppTest:
    """The button that says this, the one of a form among them."""
    return next(button for button in app.button if button.label == label).click().run()


def test_a_text_is_looked_at_corrected_and_taken_back(open_page: Open, seeded: Path, cat: str) -> None:
    before = text_of(seeded, cat)
    app = press(open_page(PAGE, memory=cat), "Edit")
    app.text_area[0].input("Ada adopted a dog called Miso")
    app = press(app, "See what changes")
    assert "1 of 1 recent question would be answered differently" in unescape(shown(app))
    assert "<ins" in shown(app)
    assert text_of(seeded, cat) == before, "a preview changes nothing"
    app = press(app, "Confirm")
    assert text_of(seeded, cat) == ("Ada adopted a dog called Miso", "active")
    assert "Done:" in shown(app)
    app = next(b for b in app.button if b.key == "curation_undo").click().run()
    assert text_of(seeded, cat) == before
    assert not app.exception


def test_a_relation_that_a_correction_took_away_no_longer_stands_as_if_it_held(
    open_page: Open, seeded: Path
) -> None:
    app = press(open_page(PAGE, memory="mem_2"), "Edit")
    assert "<td>adopt</td>" in shown(app)
    assert "Miso in the graph" in [one.proto.label for one in app.main.get("page_link")]
    app.text_area[0].input("Ada adopted a dog called Rex")
    app = press(app, "See what changes")
    assert "relation, no longer found" in shown(app)
    press(app, "Confirm")
    for _ in ("afterwards", "after a reload"):
        app = open_page(PAGE, memory="mem_2")
        html = shown(app)
        assert "<td><del>adopt</del></td>" in html
        assert "<td>no longer found</td>" in html
        assert "<td>adopt</td>" not in html
        assert "Miso in the graph" not in [one.proto.label for one in app.main.get("page_link")]
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.undo(memory.review.decisions()[0].id)
    assert "<td>adopt</td>" in shown(open_page(PAGE, memory="mem_2"))


def test_until_when_a_relation_of_a_memory_held_stands_beside_it(open_page: Open, seeded: Path) -> None:
    assert "<td>3 May 2024</td>" in shown(open_page(PAGE, memory="mem_1"))


def test_wrong_has_a_stage_and_a_reason(open_page: Open, seeded: Path, cat: str) -> None:
    app = press(open_page(PAGE, memory=cat), "Wrong")
    next(s for s in app.selectbox if s.label == "What went wrong").select("person")
    next(t for t in app.text_input if t.label == "Why").input("It was Ben")
    app = press(press(app, "See what changes"), "Confirm")
    assert not app.exception
    assert text_of(seeded, cat)[1] == "deleted"
    with open_memory(seeded, backends=LightBackends) as memory:
        assert [(row.stage, row.reason) for row in memory.curation.wrong().rows] == [("person", "It was Ben")]


def test_several_are_merged(open_page: Open, seeded: Path, cat: str) -> None:
    app = open_page(PAGE)
    boxes = [box for box in app.checkbox if str(box.key).startswith("select_")][:2]
    for box in boxes:
        app = box.check().run()
    app = press(app, "Merge")
    app.text_area[0].input("Both in one")
    app = press(press(app, "See what changes"), "Confirm")
    assert not app.exception
    with open_memory(seeded, backends=LightBackends) as memory:
        assert "Both in one" in {m.text for m in memory.memories.find()}


def test_one_is_added_on_words_of_a_session(open_page: Open, seeded: Path) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        session = memory.evidence.sessions()[0].id
    app = press(open_page(PAGE, session=session), "Add a memory")
    app.text_area[0].input("Ada lives on the third floor")
    app = press(press(app, "See what changes"), "Confirm")
    assert not app.exception
    with open_memory(seeded, backends=LightBackends) as memory:
        assert "Ada lives on the third floor" in {m.text for m in memory.memories.find()}


def test_what_makes_no_sense_is_told_and_changes_nothing(open_page: Open, seeded: Path, cat: str) -> None:
    before = text_of(seeded, cat)
    app = press(press(open_page(PAGE, memory=cat), "Ended"), "See what changes")
    assert "No date is given." in shown(app)
    assert not [button for button in app.button if button.label == "Confirm"]
    app = press(app, "Leave it")
    assert text_of(seeded, cat) == before
    assert not [button for button in app.button if button.label == "See what changes"]


def test_what_changed_meanwhile_is_refused(open_page: Open, seeded: Path, cat: str) -> None:
    app = press(open_page(PAGE, memory=cat), "Delete")
    with open_memory(seeded, backends=LightBackends) as memory:
        from memcore.review.curate import acts

        memory.curation.do(acts.EditMemories((cat,), "Changed elsewhere"), actor="bob")
    app = press(app, "Confirm")
    assert "changed since you looked" in unescape(shown(app))
    assert text_of(seeded, cat) == ("Changed elsewhere", "active")


def test_an_entity_is_renamed_on_its_graph(open_page: Open, seeded: Path) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        ada = next(e for e in memory.graph.entities() if e.name == "Ada")
    app = press(open_page("6_Graph", entity=ada.id), "Rename")
    next(t for t in app.text_input if t.label == "Its name").input("Ada Lee")
    app = press(press(app, "See what changes"), "Confirm")
    assert not app.exception
    with open_memory(seeded, backends=LightBackends) as memory:
        assert memory.store.entities_by_id([ada.id])[ada.id].name == "Ada Lee"
