"""Review in Chromium: by keyboard only, many at once, and two people at the same proposals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.seed import seed
from tests.browser.conftest import _serve, session, settled

pytestmark = pytest.mark.browser


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    """The app on a small store that this test may change."""
    seed(tmp_path / "store")
    yield from _serve(tmp_path / "store")


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """A second person's browser session."""
    with session(browser) as context:
        yield context.new_page()


def press(page: Page, key: str) -> None:
    """As a person would: once the page has come to rest. A key that meets a redraw decides nothing."""
    settled(page)
    page.keyboard.press(key)


def test_two_people_at_the_same_proposals_lose_nothing_and_each_sees_what_the_other_did(
    page: Page, other: Page, own_server: str
) -> None:
    for one in (page, other):
        one.goto(f"{own_server}/Review")
        expect(one.get_by_text("1 of 3")).to_be_visible()
        settled(one)

    # the first rejects it: the second sees what became of it, and no key decides another in its place
    page.keyboard.press("x")
    expect(page.get_by_text("1 of 2")).to_be_visible()
    expect(other.get_by_text("2 waiting")).to_be_visible()
    press(other, "a")
    expect(other.get_by_role("alert")).to_have_count(0)
    expect(other.get_by_role("button", name=re.compile("^Approve"))).to_have_count(0)
    expect(other.locator(".ms-side")).to_contain_text("2 open proposals")

    # many at once: what was asked of those that waited is not asked of fewer
    other.goto(f"{own_server}/Review?view=Table")
    expect(other.get_by_text("2 of 2 that wait")).to_be_visible()
    expect(other.get_by_test_id("stDataFrame")).to_be_visible()
    press(other, "x")
    expect(other.get_by_text("Reject 2: 1 ending, 1 removal?")).to_be_visible()
    press(page, "x")
    expect(page.get_by_text("1 of 1")).to_be_visible()
    expect(other.get_by_text("1 of 1 that wait")).to_be_visible()
    press(other, "y")
    expect(other.locator(".ms-side")).to_contain_text("1 open proposal")
    press(other, "x")
    expect(other.get_by_text("Reject 1: ")).to_be_visible()
    press(other, "y")
    expect(other.locator(".ms-side")).to_contain_text("0 open proposals")

    # no event is lost: three decisions in three steps, each with its undo
    other.goto(f"{own_server}/Review?view=History")
    expect(other.get_by_text("Rejected", exact=True)).to_have_count(3)
    expect(other.get_by_test_id("stMain").get_by_role("button", name="Undo")).to_have_count(3)


def test_keys_alone_lead_through_the_queue_and_back(page: Page, own_server: str) -> None:
    page.goto(f"{own_server}/Review")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    press(page, "j")
    expect(page.get_by_text("2 of 3")).to_be_visible()
    press(page, "k")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    press(page, "x")
    expect(page.get_by_text("1 of 2")).to_be_visible()
    press(page, "x")
    expect(page.get_by_text("1 of 1")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("1 of 2")).to_be_visible()
    page.reload()
    expect(page.get_by_text("1 of 2")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    expect(page.locator(".st-key-undo").get_by_role("button")).to_be_disabled()

    # an edit: letters that are keys decide nothing while they are typed
    press(page, "e")
    settled(page)
    box = page.get_by_label("New text")
    box.fill("")
    box.press_sequentially("Ada just adopted a jaunty cat")
    page.get_by_role("button", name="Save text").click()
    expect(page.get_by_text("Edited by you. Proposed first:")).to_be_visible()
    expect(page.get_by_text("1 of 3")).to_be_visible()


def test_rows_are_chosen_counted_confirmed_and_undone_together(page: Page, own_server: str) -> None:
    page.goto(f"{own_server}/Review?view=Table")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    settled(page)
    grid = page.get_by_test_id("stDataFrame").locator("canvas").first.bounding_box()
    assert grid is not None
    for row in (0, 2):
        page.mouse.click(grid["x"] + 16, grid["y"] + 36 + 35 * row + 17)
        settled(page)
    expect(page.get_by_text("3 of 3 that wait; 2 chosen: 1 update, 1 removal")).to_be_visible()
    press(page, "x")
    expect(page.get_by_text("Reject 2: 1 update, 1 removal?")).to_be_visible()
    press(page, "n")
    expect(page.get_by_text("2 chosen: 1 update, 1 removal")).to_be_visible()
    press(page, "x")
    expect(page.get_by_text("Reject 2: 1 update, 1 removal?")).to_be_visible()
    press(page, "y")
    expect(page.get_by_text("1 of 1 that wait; all 1: 1 ending")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("3 of 3 that wait; all 3")).to_be_visible()


def test_filters_and_views_are_in_the_address_and_survive_a_reload(page: Page, own_server: str) -> None:
    page.goto(f"{own_server}/Review?view=Table&risk=medium")
    expect(page.get_by_text("1 of 3 that wait")).to_be_visible()
    page.get_by_label("Text").fill("lisbon")
    page.get_by_label("Text").press("Enter")
    expect(page).to_have_url(re.compile("words=lisbon"))
    page.get_by_text("One at a time", exact=True).click()
    expect(page.get_by_text("1 of 3 that wait: medium risk, “lisbon”")).to_be_visible()
    expect(page).not_to_have_url(re.compile("view=Table"))
    page.reload()
    expect(page.get_by_text("1 of 3 that wait: medium risk, “lisbon”")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_text("1 of 3 ·")).to_be_visible()
    expect(page).not_to_have_url(re.compile("risk"))


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page, seeded_server: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{seeded_server}/Review")
    tabs = page.get_by_role("radiogroup", name="View").get_by_role("radio")
    expect(tabs).to_have_text(["One at a time", "Table", "History", "Found wrong", "Rules"])
    for tab in tabs.all():
        tab.click()
        settled(page)
        expect(tab).to_be_checked()
        boxes = [one.bounding_box() for one in tabs.all()]
        assert all(box is not None and box["x"] + box["width"] <= 390 for box in boxes)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
