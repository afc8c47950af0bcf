"""The main job in a browser: upload, run, see a fact's source, approve, undo, ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import _serve, settled

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
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_text("No language model is chosen")).to_be_visible(timeout=60_000)
    first = page.locator("mark").first
    expect(first).to_have_text("I adopted a cat called Miso last week.")
    expect(page.get_by_test_id("stPlotlyChart")).to_be_visible()
    assert page.evaluate("window.pwned") is None


def test_the_sample_loads_with_one_click_from_an_empty_page(page: Page, empty_server: str) -> None:
    page.goto(f"{empty_server}/Import?owner=somebody-new")
    page.goto(f"{empty_server}/Graph?owner=somebody-new")
    page.get_by_role("button", name="Load sample").click()
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
    tab_to(page, page.get_by_role("button", name="Load sample"))
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
    expect(page.get_by_text("1 of 5")).to_be_visible()
    press(page, "a")
    expect(page.get_by_text("1 of 4")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("1 of 5")).to_be_visible()

    tab_to(page, sidebar.get_by_role("link", name="Ask"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Question"))
    page.keyboard.type("Where does Nora live now?")
    page.keyboard.press("Enter")
    expect(page.locator("mark", has_text="I live in Bristol now").first).to_be_visible(timeout=60_000)
