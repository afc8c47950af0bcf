"""Projects in Chromium: two tabs, of which one switches; the section reads well in light and dark and fits a
phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from memcore.runtime.project_places import MOST_CHARACTERS
from tests.app.seed import seed
from tests.browser.conftest import _serve, session, settled
from tests.browser.looks import PHONE, beyond, dark, drawn, faults

pytestmark = [pytest.mark.browser, pytest.mark.models]

LONG = "n" * MOST_CHARACTERS
BOX = "[class*=st-key-project_at_]"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The app on a small store of its own, with a list of projects of its own, in a directory whose name
    nothing divides."""
    store = tmp_path / LONG / "store"
    seed(store)
    yield from _serve(store)


@pytest.fixture
def tabs(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser session, to open tabs in."""
    with session(browser, color_scheme="light") as context:
        yield context


def shows(tab: Page, name: str) -> None:
    """Wait until the sidebar says that a project is open."""
    link = tab.get_by_test_id("stSidebar").get_by_role("link", name=f"Project: {name}", exact=True)
    expect(link).to_be_visible()
    settled(tab)


def settings(tab: Page) -> None:
    """Follow the sidebar's link to the projects."""
    tab.get_by_test_id("stSidebar").get_by_role("link", name=re.compile("^Project: ")).click()
    expect(tab.get_by_role("heading", level=2, name="Projects")).to_be_visible()
    settled(tab)


def project(tab: Page, name: str) -> Locator:
    """The box of a project."""
    return tab.locator(BOX).filter(has=tab.get_by_text(name, exact=True))


def switch(tab: Page, name: str) -> None:
    settings(tab)
    project(tab, name).get_by_role("button", name="Switch to it").click()
    expect(tab.get_by_role("heading", level=1, name="Home")).to_be_visible()
    shows(tab, name)


def test_a_tab_that_another_one_overtook_says_so_and_shows_nothing_of_before(
    tabs: BrowserContext, server: str
) -> None:
    one, two = tabs.new_page(), tabs.new_page()
    two.goto(f"{server}/Ask?session=ses_1&q=Who+has+a+cat%3F")
    drawn(two)
    question = two.get_by_label("Question", exact=True)
    expect(question).to_have_value("Who has a cat?")
    one.goto(f"{server}/Settings?session=ses_1")
    drawn(one)
    settings(one)
    one.get_by_label("Its name").fill("Work")
    one.get_by_role("button", name="Create").click()
    expect(one.get_by_role("heading", level=1, name="Home")).to_be_visible()
    shows(one, "Work")
    expect(one).to_have_url(re.compile(r"^[^?]*$"))

    question.fill("Who has a dog?")
    two.get_by_test_id("stMain").get_by_role("button", name="Ask", exact=True).click()
    expect(two.get_by_text("This tab showed “store”. Another tab opened “Work”")).to_be_visible()
    shows(two, "Work")
    expect(two.get_by_text("Ada", exact=False)).to_have_count(0)
    two.get_by_role("button", name="Show Work").click()
    expect(two.get_by_text("This tab showed")).to_have_count(0)
    settled(two)
    expect(two.get_by_text("Nothing is stored yet.")).to_be_visible()

    switch(two, "store")
    one.get_by_test_id("stSidebar").get_by_role("link", name="Memories").click()
    expect(one.get_by_text("This tab showed “Work”. Another tab opened “store”")).to_be_visible()
    one.reload()
    shows(one, "store")
    expect(one.get_by_text("This tab showed")).to_have_count(0)
    switch(one, "Work")
    two.goto(f"{server}/Memories?memory=mem_2")
    drawn(two)
    expect(two.get_by_text("Nothing is stored yet.")).to_be_visible()
    expect(two.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize(
    "form", ["Remove", *(pytest.param(name, marks=pytest.mark.slow) for name in ("", "Rename"))]
)
def test_the_projects_read_well_and_fit_a_phone(tabs: BrowserContext, server: str, form: str) -> None:
    tab = tabs.new_page()
    tab.goto(f"{server}/Settings")
    drawn(tab)
    for name in ("Work", LONG):
        tab.get_by_label("Its name").fill(name)
        tab.get_by_role("button", name="Create").click()
        expect(tab.get_by_role("heading", level=1, name="Home")).to_be_visible()
        settled(tab)
        settings(tab)
    expect(tab.locator(BOX)).to_have_count(3)
    if form:
        project(tab, "Work").get_by_role("button", name=form).click()
        expect(project(tab, "Work").get_by_role("button", name="Leave it")).to_be_visible()
        settled(tab)
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    assert faults(tab) == []
    dark(tab)
    assert faults(tab) == []
    tab.set_viewport_size(PHONE)
    assert beyond(tab) == 0
    assert faults(tab) == []
    tab.emulate_media(color_scheme="light")
    settled(tab)
    assert faults(tab) == []
