"""Correcting by hand where one reads: in Ask’s results, at "Why not …?" and in the case of a proposal."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.memory import open_memory
from tests.app.conftest import LightBackends, Open, shown

pytestmark = pytest.mark.usefixtures("light_embedder")
ASK, REVIEW = "9_Ask", "8_Review"
QUESTION = "What cat did Ada adopt?"
CAT, REX = "Ada adopted a cat called Miso", "Ada adopted a dog called Rex"


def press(app: AppTest, label: str) -> AppTest:
    """The first button that says this."""
    app = next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def by_key(app: AppTest, start: str) -> AppTest:
    """The first button whose key begins so."""
    app = next(button for button in app.button if str(button.key).startswith(start)).click().run()
    assert not app.exception
    return app


def texts(seeded: Path) -> set[str]:
    with open_memory(seeded, backends=LightBackends) as memory:
        return {one.text for one in memory.memories.find()}


def is_result(app: AppTest, text: str) -> bool:
    """Whether a result says this."""
    return f"</span>  {text}</div>" in shown(app)


def test_a_result_is_corrected_where_it_stands_and_the_results_follow(open_page: Open, seeded: Path) -> None:
    app = press(open_page(ASK, q=QUESTION), "Correct")
    assert [b.label for b in app.button if str(b.key).startswith("curate_")] == [
        "Edit", "Wrong", "Ended", "Split", "Delete", "Cite other words"
    ]  # fmt: skip
    app = press(app, "Edit")
    assert app.text_area[0].value == CAT
    app.text_area[0].input(REX)
    app = press(press(app, "See what changes"), "Confirm")
    html = shown(app)
    assert "Done:" in html
    assert "changed just now" in html
    assert is_result(app, REX)
    assert not is_result(app, CAT)
    app = press(app, "Undo")
    assert is_result(app, CAT)
    app = press(app, "Redo")
    assert is_result(app, REX)
    assert texts(seeded) >= {REX}


def test_controls_that_were_opened_are_put_away_and_opened_again(open_page: Open, seeded: Path) -> None:
    app = press(press(open_page(ASK, q=QUESTION), "Correct"), "Correct")
    assert not [b for b in app.button if str(b.key).startswith("curate_edit")]
    app = press(press(app, "Correct"), "Wrong")
    assert [box.label for box in app.selectbox if box.label == "What went wrong"]


def test_a_result_marked_wrong_is_gone_and_what_left_is_said(open_page: Open, seeded: Path) -> None:
    app = press(press(open_page(ASK, q=QUESTION), "Correct"), "Wrong")
    next(box for box in app.selectbox if box.label == "What went wrong").select("person")
    app = press(press(app, "See what changes"), "Confirm")
    assert f"− 1. {CAT}" in unescape(shown(app))
    assert not is_result(app, CAT)


def test_the_memory_made_of_a_message_that_did_not_come_is_corrected(open_page: Open, seeded: Path) -> None:
    app = by_key(open_page(ASK, q="Who has a knee?", k="1", why="msg_6"), "correct_why_not_mem_6")
    app = press(app, "Edit")
    app.text_area[0].input("Ada lives in Braga")
    app = press(press(app, "See what changes"), "Confirm")
    assert "Ada lives in Braga" in shown(app)
    assert "Ada lives in Braga" in texts(seeded)


def test_a_memory_is_added_of_a_message_that_did_not_come(open_page: Open, seeded: Path) -> None:
    app = press(open_page(ASK, q="Who asked for a balcony?", why="msg_1"), "Add a memory")
    assert "Did you find a flat with a balcony?" in app.text_area[0].value
    app.text_area[0].input("Ben asked Ada whether her flat has a balcony")
    app = press(press(app, "See what changes"), "Confirm")
    assert is_result(app, "Ben asked Ada whether her flat has a balcony")
    with open_memory(seeded, backends=LightBackends) as memory:
        (added,) = memory.memories.find(contains="balcony")
        assert added.sources[0].message_id == "msg_1"


def test_memories_of_a_proposal_are_corrected_and_u_takes_back_what_was_done_last(
    open_page: Open, seeded: Path
) -> None:
    app = by_key(open_page(REVIEW), "correct_case_mem_4")
    keys = {b.proto.shortcut for b in app.button if str(b.key).startswith("curate_")}
    assert keys == {""}, "the page's own keys decide"
    app = press(app, "Wrong")
    app = press(press(app, "See what changes"), "Confirm")
    assert "Done:" in shown(app)
    held = {str(b.key): b.proto.shortcut for b in app.button}
    assert (held["curation_undo"], held["undo"]) == ("u", "")
    app = app.button(key="curation_undo").click().run()
    app = app.button(key="approve").click().run()
    held = {str(b.key): b.proto.shortcut for b in app.button}
    assert held["undo"] == "u"
    assert "curation_undo" not in held
