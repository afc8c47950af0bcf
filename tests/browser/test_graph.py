"""The Graph page in Chromium: evidence by a click, time and table by keyboard, and on a phone."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import networkx as nx
import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.app.seed import SCRIPT
from tests.browser.conftest import session
from tests.browser.looks import PHONE

pytestmark = pytest.mark.browser

_EDGE = """id => {
  const at = network.canvasToDOM(network.body.edges[id].edgeType.getPoint(0.5));
  const box = network.canvas.frame.getBoundingClientRect();
  return [box.x + at.x, box.y + at.y];
}"""
_NODE = """id => {
  const at = network.canvasToDOM(network.getPositions([id])[id]);
  const box = network.canvas.frame.getBoundingClientRect();
  return [box.x + at.x, box.y + at.y];
}"""


def picture(page: Page, address: str) -> Frame:
    """The frame that holds the drawn graph."""
    page.goto(address)
    expect(page.frame_locator("iframe").locator("canvas")).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    frame = next(f for f in page.frames if f != page.main_frame and f.locator("canvas").count())
    frame.wait_for_function("typeof network === 'object' && network.body.nodeIndices.length > 0")
    return frame


def click(page: Page, frame: Frame, where: str, thing: str) -> None:
    """Click a node or an edge where it is drawn."""
    frame.wait_for_timeout(400)  # the picture fits itself into its frame once
    x, y = frame.evaluate(where, thing)
    page.frame_locator("iframe").locator("canvas").click(position={"x": x, "y": y})


def test_a_click_on_an_edge_shows_its_words_and_leads_to_the_memory(page: Page, seeded_server: str) -> None:
    frame = picture(page, f"{seeded_server}/Graph")
    click(page, frame, _EDGE, "tri_1")
    panel = frame.locator("#told")
    expect(panel.get_by_role("heading", name="Ada live in Lisbon")).to_be_visible()
    expect(panel).to_contain_text("Ended relation")
    expect(panel).to_contain_text("until3 May 2024")
    expect(panel.locator("mark")).to_have_text("I moved to Lisbon last week.")
    with page.context.expect_page() as opened:
        panel.get_by_role("link", name="Its memory").click()
    expect(opened.value.get_by_text("Ada moved to Lisbon in the week of 26 Feb 2024").first).to_be_visible()


def test_a_click_on_a_node_says_what_it_is_as_text(page: Page, seeded_server: str) -> None:
    frame = picture(page, f"{seeded_server}/Graph")
    click(page, frame, _NODE, "ent_4")
    expect(frame.locator("#told").get_by_role("heading")).to_have_text(SCRIPT)
    assert frame.evaluate("window.pwned") is None
    assert page.evaluate("window.pwned") is None


def test_a_click_opens_what_is_not_drawn_yet(page: Page, crowded_server: str) -> None:
    frame = picture(page, f"{crowded_server}/Graph?depth=2")

    def drawn() -> list[int]:
        counted: list[int] = frame.evaluate(
            "[nodes, edges].map(all => all.get({filter: one => !one.hidden}).length)"
        )
        return counted

    assert drawn() == [18, 17]
    legend = frame.get_by_role("list", name="Legend")
    expect(legend.get_by_role("listitem")).to_have_text(["person", "thing"])
    click(page, frame, _NODE, "friend_01")
    assert "friend 1 own lamp 1" in frame.locator("#told").inner_text()
    frame.get_by_role("button", name="Draw 1 more line").click()
    assert drawn() == [19, 18]
    click(page, frame, _NODE, "friend_02")
    frame.get_by_role("button", name="Draw 1 more line").click()
    assert drawn() == [20, 19]
    click(page, frame, _NODE, "friend_02")
    expect(frame.get_by_role("heading", name="friend 2")).to_be_visible()
    expect(frame.get_by_role("button")).to_have_count(0)
    page.reload()
    frame = picture(page, f"{crowded_server}/Graph?depth=2")
    frame.get_by_role("button", name="Draw all").click()
    assert drawn() == [59, 58]


def test_an_ended_edge_is_dashed_with_its_time(page: Page, seeded_server: str) -> None:
    frame = picture(page, f"{seeded_server}/Graph")
    ended = frame.evaluate("edges.get().filter(e => e.dashes).map(e => [e.id, e.label])")
    assert ended == [["tri_1", "live in (until 3 May 2024)"]]


def test_layers_stand_around_the_entities_and_tell_their_summary(page: Page, seeded_server: str) -> None:
    frame = picture(page, f"{seeded_server}/Graph?sessions=true&chunks=true")
    shapes = frame.evaluate("Object.fromEntries(nodes.get().map(n => [n.id, n.shape]))")
    assert (shapes["ent_1"], shapes["ses_1"], shapes["seg_1"]) == ("dot", "box", "square")
    click(page, frame, _NODE, "ses_1")
    expect(frame.locator("#told")).to_contain_text("Ada moves to Lisbon and adopts a cat.")


def test_the_slider_moves_the_graph_through_time_by_keyboard(page: Page, seeded_server: str) -> None:
    picture(page, f"{seeded_server}/Graph?as_of=2024-05-03")
    expect(page.get_by_text("4 entities, 3 relations")).to_be_visible()
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("as_of=2024-05-02"))
    expect(page.get_by_text("5 entities, 4 relations")).to_be_visible()


def test_the_table_and_its_evidence_can_be_reached_by_keyboard(page: Page, seeded_server: str) -> None:
    picture(page, f"{seeded_server}/Graph")
    table = page.get_by_role("region", name="Relations shown")
    table.focus()
    page.keyboard.press("Tab")
    expect(table.get_by_role("link", name="Ada").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(table.locator("mark", has_text="I moved to Lisbon last week.")).to_be_visible()


def test_what_is_shown_comes_as_csv_and_graphml(page: Page, seeded_server: str, tmp_path: Path) -> None:
    picture(page, f"{seeded_server}/Graph?find=miso")
    with page.expect_download() as csv_file:
        page.get_by_role("button", name="CSV of what is shown", exact=True).click()
    text = Path(csv_file.value.path()).read_text("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["subject"], row["relation"], row["object"]) == ("Ada", "adopt", "Miso")
    assert row["words"] == "I adopted a cat called Miso."
    sizes = {}
    for what in ("what is shown", "the whole graph"):
        with page.expect_download() as graphml_file:
            page.get_by_role("button", name=f"GraphML of {what}").click()
        graphml_file.value.save_as(tmp_path / "graph.graphml")
        graph = nx.read_graphml(tmp_path / "graph.graphml", force_multigraph=True)
        sizes[what] = (len(graph), graph.number_of_edges())
    assert sizes == {"what is shown": (2, 1), "the whole graph": (5, 4)}


def test_on_a_phone_the_panel_stands_below_and_nothing_overflows(
    browser: Browser, seeded_server: str
) -> None:
    with session(browser, viewport=PHONE) as context:
        page = context.new_page()
        frame = picture(page, f"{seeded_server}/Graph")
        canvas, panel = (frame.locator(what).bounding_box() for what in ("canvas", "#told"))
        assert canvas is not None
        assert panel is not None
        assert panel["y"] >= canvas["y"] + canvas["height"] - 1
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
        assert frame.evaluate("document.scrollingElement.scrollWidth <= window.innerWidth")
