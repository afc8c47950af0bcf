"""Every page in Chromium: opened by its address, it draws, runs no stored script and asks no other host."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Request, WebSocket, expect

pytestmark = pytest.mark.browser

ADDRESSES = {
    "": "Memscope",
    "Import": "Import",
    "Compression?session=ses_2": "Compression",
    "Topics?session=ses_2&segment=seg_3": "Topics",
    "Buffers?session=ses_2": "Buffers",
    "Memories": "Memories",
    "Memories?memory=mem_5": "Memories",
    "Graph?entity=ent_1": "Graph",
    "Review": "Review",
    "Review?proposal=prop_3": "Review",
    "Review?view=Table": "Review",
    "Review?view=History": "Review",
    "Ask": "Ask",
    "Evaluate": "Evaluate",
    "Evaluate?job=nope&question=nope": "Evaluate",
    "Runs_and_cost": "Runs & cost",
    "Runs_and_cost?run=run_seed": "Runs & cost",
    "Settings": "Settings",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_opens_by_its_address_and_stays_at_home(page: Page, seeded_server: str, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(_url(request)))
    page.on("websocket", lambda socket: asked.append(_url(socket)))
    page.goto(f"{seeded_server}/{address}")
    expect(page.get_by_role("heading", name=ADDRESSES[address], level=1)).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.wait_for_load_state("networkidle")

    home = seeded_server.removeprefix("http://")
    foreign = [url for url in asked if not re.match(rf"(https?|wss?)://{home}/|data:|blob:|about:", url)]
    assert foreign == []
    assert all(frame.evaluate("window.pwned") is None for frame in page.frames)


def test_the_graph_draws_names_as_text_in_a_frame_that_may_load_nothing(
    page: Page, seeded_server: str
) -> None:
    page.goto(f"{seeded_server}/Graph?entity=ent_1")
    canvas = page.frame_locator("iframe").locator("canvas")
    expect(canvas).to_be_visible()
    frame = next(f for f in page.frames if f != page.main_frame and f.locator("canvas").count())
    labels = frame.evaluate("nodes.get().map(n => n.label)")
    assert any(label.startswith("<script>") for label in labels)
    assert frame.evaluate("edges.get().filter(e => e.dashes).length") == 1
    blocked = frame.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert blocked == "refused"
    policy = frame.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_filters_are_kept_in_the_url(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Memories")
    page.get_by_label("Text").fill("Miso")
    page.get_by_label("Text").press("Enter")
    expect(page.get_by_text("2 memories")).to_be_visible()
    expect(page).to_have_url(re.compile("text=Miso"))
    page.reload()
    expect(page.get_by_text("2 memories")).to_be_visible()


def test_dropped_words_are_struck_and_dimmed(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Compression?session=ses_1")
    word = page.locator("del.ms-dropped").first
    expect(word).to_have_css("text-decoration-line", "line-through")
    assert float(word.evaluate("e => getComputedStyle(e).opacity")) < 0.7


def test_dark_mode_keeps_text_readable(page: Page, seeded_server: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{seeded_server}/Review")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    colour = page.locator("ins.ms").evaluate("e => getComputedStyle(e).color")
    assert min(int(part) for part in re.findall(r"\d+", colour)[:3]) > 180


def _url(thing: Request | WebSocket) -> str:
    return thing.url
