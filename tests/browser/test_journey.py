"""The main job in a browser: upload, run, see a fact's source, approve, undo, ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import _serve, settled, tell
from tests.browser.controls import JOB_ENDS

pytestmark = [pytest.mark.browser, pytest.mark.models]

LOG = """\
[2024-03-01 10:00] Ada: I adopted a cat called Miso last week.
[2024-03-01 10:01] Ben: How lovely! I work at the harbour office in Porto.
[2024-03-01 10:02] Ada: I live in Lisbon.
[2024-03-01 10:03] Ben: I am learning to play the cello.
[2024-05-02 18:00] Ada: I live in Braga now.
[2024-05-02 18:01] Ben: I no longer work at the harbour office in Porto.
[2024-05-02 18:02] Ben: I am learning to play the cello with a teacher from Brno.
[2024-05-02 18:03] Ada: My sister wrote <img src=x onerror="window.pwned=1"> on my arm yesterday.
"""


def press(page: Page, key: str) -> None:
    """As a person would: once the page has come to rest. A key that meets a redraw decides nothing."""
    settled(page)
    page.keyboard.press(key)


def test_from_a_log_to_an_answer(page: Page, empty_server: str) -> None:
    page.goto(f"{empty_server}/Import")
    page.locator("input[type=file]").set_input_files(
        {"name": "friends.md", "mimeType": "text/markdown", "buffer": LOG.encode()}
    )
    expect(page.get_by_text("1 conversation · 2 sessions · 8 messages · 2 speakers")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Import 8 messages").click()

    # the job is in the URL: a reload in the middle loses nothing
    expect(page).to_have_url(re.compile(r"job=\w+"))
    page.reload()
    expect(page.get_by_text(re.compile("Finished in"))).to_be_visible(timeout=180_000)
    page.get_by_test_id("stMain").get_by_role("link", name="Memories").click()

    # a fact stands beside the words it came from
    expect(page.locator("mark", has_text="I adopted a cat called Miso last week.")).to_be_visible()
    page.get_by_role("button", name="Details").first.click()
    expect(page).to_have_url(re.compile(r"memory=mem_\w+"))
    expect(page.get_by_text(re.compile(r"friends\.md, line \d")).first).to_be_visible()
    expect(page.get_by_text("Memory made")).to_be_visible()

    # what could be improved is proposed, approved by key, and undone by key
    page.get_by_test_id("stSidebar").get_by_role("link", name="Review").click()
    page.get_by_role("button", name="Consolidate").click()
    expect(page.get_by_text(re.compile(r"\d new proposals"))).to_be_visible(timeout=120_000)
    expect(page.get_by_text("1 of 3")).to_be_visible()
    press(page, "a")
    expect(page.get_by_text("1 of 2")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    press(page, "j")
    expect(page.get_by_text("2 of 3")).to_be_visible()
    press(page, "k")
    expect(page.get_by_text("1 of 3")).to_be_visible()

    # an edit: typing letters that are keys decides nothing
    press(page, "j")
    expect(page.get_by_text("2 of 3")).to_be_visible()
    press(page, "j")
    expect(page.get_by_text("3 of 3")).to_be_visible()
    press(page, "e")
    page.get_by_label("New text").fill("")
    page.get_by_label("New text").press_sequentially("Ben exaggerates, a jukebox")
    page.get_by_role("button", name="Save text").click()
    expect(page.get_by_text("Edited by you.")).to_be_visible()
    expect(page.get_by_text("3 of 3")).to_be_visible()

    page.get_by_test_id("stSidebar").get_by_role("link", name="Ask").click()
    page.get_by_label("Question").fill("What did Ada adopt?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("No language model is chosen")).to_be_visible(timeout=60_000)
    first = page.locator("mark").first
    expect(first).to_have_text("I adopted a cat called Miso last week.")
    expect(page.get_by_test_id("stPlotlyChart")).to_be_visible()
    assert page.evaluate("window.pwned") is None


def test_the_sample_loads_with_one_click_from_an_empty_page(page: Page, empty_server: str) -> None:
    page.goto(f"{empty_server}/Import?owner=somebody-new")
    page.goto(f"{empty_server}/Graph?owner=somebody-new")
    page.get_by_role("button", name="Load sample", exact=True).click()
    expect(page.get_by_text(re.compile("Finished in"))).to_be_visible(timeout=180_000)
    page.get_by_test_id("stMain").get_by_role("link", name="Graph").click()
    expect(page.get_by_text(re.compile(r"\d+ entities, \d+ relations"))).to_be_visible()


def tab_to(page: Page, there: Locator) -> None:
    """Go on with Tab until the focus is there, as somebody without a mouse would."""
    settled(page)
    expect(there).to_be_visible()
    for _ in range(150):
        if there.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never leads to {there}")


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """The app on a new store that no other test has used."""
    yield from _serve(tmp_path / "store")


@pytest.mark.slow
def test_the_whole_journey_by_keyboard_only(page: Page, fresh_server: str) -> None:
    page.goto(fresh_server)
    sidebar = page.get_by_test_id("stSidebar")
    tab_to(page, page.get_by_role("button", name="Load sample", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("Finished in"))).to_be_visible(timeout=180_000)

    tab_to(page, sidebar.get_by_role("link", name="Memories"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
    tab_to(page, page.get_by_test_id("stMain").get_by_role("button", name="Details").first)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"memory=mem_\w+"))

    tab_to(page, sidebar.get_by_role("link", name="Review"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Consolidate"))
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"\d new proposals"))).to_be_visible(timeout=120_000)
    place = page.get_by_text(re.compile(r"^1 of \d+ ·"))
    waiting = int(place.inner_text().split()[2])
    press(page, "a")
    expect(place).to_contain_text(f"1 of {waiting - 1}")
    press(page, "u")
    expect(place).to_contain_text(f"1 of {waiting}")

    tab_to(page, sidebar.get_by_role("link", name="Ask"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Question"))
    page.keyboard.type("Where does Nora live now?")
    page.keyboard.press("Enter")
    expect(page.locator("mark", has_text="I live in Bristol now").first).to_be_visible(timeout=60_000)


class Hands:
    """Of one person, who counts what they do: each step waits until the page has come to rest."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = self.keys = self.letters = 0

    def click(self, there: Locator) -> None:
        """By mouse."""
        settled(self.page)
        there.click()
        self.clicks += 1

    def key(self, key: str) -> None:
        """A key that the page knows."""
        settled(self.page)
        self._press(key)

    def write(self, text: str) -> None:
        """Where the focus is, in the place of what stands there."""
        settled(self.page)
        self._press("Control+a")
        self.page.keyboard.type(text)
        self.letters += len(text)

    def enter(self, there: Locator) -> None:
        """Tab until the focus is there, then Enter."""
        self.reach(there)
        self._press("Enter")

    def reach(self, there: Locator) -> None:
        """Tab until the focus is there."""
        settled(self.page)
        expect(there).to_be_visible()
        for _ in range(200):
            if there.evaluate("e => e === document.activeElement"):
                return
            self._press("Tab")
        raise AssertionError(f"Tab never leads to {there}")

    def _press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1


REMEMBERED = "Nora started a pottery class in the week of 8 January 2024."
CORRECTED = "Nora started a weaving class in the week of 8 January 2024."
QUESTION = "Which class did Nora start?"


def finished(page: Page) -> None:
    expect(page.get_by_text(re.compile("Finished in"))).to_be_visible(timeout=JOB_ENDS)


def details(page: Page) -> Locator:
    """The button of the memory that is to be corrected."""
    button = page.get_by_role("button", name="Details")
    return page.get_by_test_id("stVerticalBlock").filter(has_text=REMEMBERED, has=button).last.locator(button)


def in_the_form(page: Page) -> None:
    expect(page.get_by_label("What it says")).to_be_focused()


def answers(page: Page, text: str, otherwise: str) -> None:
    """The question is answered by the one and by the other no more."""
    results = page.get_by_test_id("stMain").locator(".ms-text:has(> .ms-meta)")
    expect(results.filter(has_text=text)).to_have_count(1, timeout=60_000)
    expect(results.filter(has_text=otherwise)).to_have_count(0)


@pytest.mark.slow
def test_from_import_to_a_correction_its_question_and_undo_by_mouse(
    page: Page, fresh_server: str, request: pytest.FixtureRequest
) -> None:
    hands = Hands(page)
    page.goto(fresh_server)
    hands.click(page.get_by_role("button", name="Load sample", exact=True))
    finished(page)
    hands.click(page.get_by_test_id("stMain").get_by_role("link", name="Memories"))
    hands.click(details(page))
    hands.click(page.get_by_role("button", name="Edit"))
    in_the_form(page)
    hands.write(CORRECTED)
    hands.click(page.get_by_role("button", name="See what changes"))
    hands.click(page.get_by_role("button", name="Confirm"))
    hands.click(page.get_by_test_id("stSidebar").get_by_role("link", name="Ask"))
    hands.click(page.get_by_label("Question"))
    hands.write(QUESTION)
    hands.click(page.get_by_test_id("stMain").get_by_role("button", name="Ask", exact=True))
    answers(page, CORRECTED, REMEMBERED)
    hands.click(page.get_by_role("button", name="Undo"))
    answers(page, REMEMBERED, CORRECTED)
    tell(request.node, f"by mouse: {hands.clicks} clicks, {hands.letters} letters typed")
    assert hands.clicks <= 12


@pytest.mark.slow
def test_from_import_to_a_correction_its_question_and_undo_by_keyboard(
    page: Page, fresh_server: str, request: pytest.FixtureRequest
) -> None:
    hands = Hands(page)
    page.goto(fresh_server)
    hands.enter(page.get_by_role("button", name="Load sample", exact=True))
    finished(page)
    hands.enter(page.get_by_test_id("stMain").get_by_role("link", name="Memories"))
    hands.enter(details(page))
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    hands.key("e")
    in_the_form(page)
    hands.write(CORRECTED)
    hands.enter(page.get_by_role("button", name="See what changes"))
    expect(page.get_by_role("button", name="Confirm")).to_be_visible()
    hands.key("y")
    expect(page.locator(".st-key-curation_told")).to_contain_text("Done:")
    hands.enter(page.get_by_test_id("stSidebar").get_by_role("link", name="Ask"))
    hands.reach(page.get_by_label("Question"))
    hands.write(QUESTION)
    hands.key("Enter")
    answers(page, CORRECTED, REMEMBERED)
    hands.reach(page.get_by_role("button", name="Undo"))
    hands.key("u")
    answers(page, REMEMBERED, CORRECTED)
    tell(request.node, f"by keyboard: {hands.keys} key presses, and {hands.letters} letters typed")
