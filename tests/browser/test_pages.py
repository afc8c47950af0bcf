"""What single pages draw in Chromium (every page by its address: `test_every_page`)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


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
