"""The Topics page in Chromium: what is drawn, where a click leads, and a boundary moved and moved back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

READING = 300_000
"""Milliseconds that loading the models and reading may take on a busy machine."""


def opened(page: Page, url: str) -> tuple[Locator, Locator]:
    """The figure of the gaps and the heatmap, drawn."""
    page.goto(f"{url}/Topics?attention=true")
    gaps, matrix = page.locator(".js-plotly-plot").first, page.locator(".js-plotly-plot").nth(1)
    expect(gaps.locator(".bars .point path").last).to_be_visible()
    expect(matrix.locator(".heatmaplayer image")).to_be_visible()
    settled(page)
    return gaps, matrix


def click(page: Page, target: Locator, *, right: float = 0.5, down: float = 0.5) -> None:
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * right, box["y"] + box["height"] * down)


def lit(page: Page) -> list[str]:
    expect(page.locator(".ms-turn.lit").first).to_be_in_viewport()
    return page.locator(".ms-turn.lit .ms-no").all_inner_texts()


@pytest.mark.models
def test_the_matrix_the_methods_and_the_scores_are_drawn_and_lead_to_the_turns(
    page: Page, read_server: str
) -> None:
    gaps, matrix = opened(page, read_server)
    for method in ("B1 attention", "B2 similarity", "B1 ∩ B2", "published ±3", "TextTiling", "topic shift"):
        expect(gaps.locator(".ytick text", has_text=method)).to_be_visible()
    for score in ("topic shift", "attention", "similarity", "depth"):
        expect(gaps.locator(".annotation-text", has_text=score).first).to_be_visible()
    expect(matrix.locator(".legendtext")).to_have_text(
        ["attention to the turn before, M[i, i−1]", "local maximum (B1)"]
    )

    click(page, gaps.locator(".bars .point path").last, down=0.9)
    expect(page).to_have_url(re.compile(r"turn=\d+"))
    (turn,) = lit(page)
    assert turn == re.search(r"turn=(\d+)", page.url)[1]  # type: ignore[index]

    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    click(page, matrix.locator(".nsewdrag"), right=0.2, down=0.7)
    expect(page).to_have_url(re.compile(r"turn=\d+%2C\d+"))
    earlier, later = (int(number) for number in lit(page))
    assert earlier < later


@pytest.mark.models
def test_a_cell_tells_its_value_and_both_turns(page: Page, read_server: str) -> None:
    _, matrix = opened(page, read_server)
    box = matrix.locator(".nsewdrag").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.7)
    hover = matrix.locator(".hoverlayer")
    expect(hover).to_contain_text(re.compile(r"0\.\d{3} from turn \d+ to turn \d+"))
    expect(hover).not_to_contain_text("&#")


@pytest.mark.models
def test_a_boundary_is_moved_its_topics_read_again_and_undo_brings_them_back(
    page: Page, read_server: str
) -> None:
    opened(page, read_server)
    topics = page.get_by_test_id("stExpander").filter(has_text=re.compile(r"\d turns? · \d+ memor"))
    before = [title.split("·")[1] for title in topics.locator("summary").all_inner_texts()]
    page.get_by_text("Move boundaries").click()
    settled(page)
    topics.nth(1).locator("summary").click()
    topics.nth(1).get_by_role("button", name="Join with the topic before").click()
    expect(page.get_by_text("1 topic would be read again")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first.locator(".ytick text", has_text="draft")).to_be_visible()
    settled(page)

    page.get_by_role("button", name="Read these topics again").click()
    expect(page.get_by_text(re.compile("1 topic read again"))).to_be_visible(timeout=READING)
    expect(topics).to_have_count(len(before) - 1)
    marks = page.locator(".js-plotly-plot").first.locator(".ytick text")
    expect(marks.filter(has_text="a person")).to_be_visible()

    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("Undone: topics and memories are as before.")).to_be_visible()
    expect(topics).to_have_count(len(before))
    assert [title.split("·")[1] for title in topics.locator("summary").all_inner_texts()] == before
    expect(marks.filter(has_text="a person")).to_have_count(0)


def test_a_click_on_a_boundary_opens_the_turns_there(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Topics?session=ses_1")
    bar = page.locator(".js-plotly-plot .bars .point path").last
    expect(bar).to_be_visible()
    click(page, bar)
    expect(page.locator(".ms-turn.lit", has_text="my knee still hurts")).to_be_in_viewport()
