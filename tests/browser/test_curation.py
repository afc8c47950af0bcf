"""From a log to a corrected memory, to the question it changes, to undo: by mouse, counting clicks, and by
keyboard only, counting keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import _serve, settled

pytestmark = [pytest.mark.browser, pytest.mark.models, pytest.mark.slow]

LOG = """\
[2024-03-01 10:00] Ada: I adopted a cat called Miso last week.
[2024-03-01 10:01] Ben: How lovely! I work at the harbour office in Porto.
[2024-03-01 10:02] Ada: I live in Lisbon.
"""
QUESTION, CORRECTED = "What did Ada adopt?", "Ada adopted a dog called Rex."
MOST_CLICKS, MOST_KEYS = 12, 250
CHANGED = "1 of 1 recent question would be answered differently."


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """The app on a new store that no other test has used."""
    yield from _serve(tmp_path / "store")


def imported(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": "friends.md", "mimeType": "text/markdown", "buffer": LOG.encode()}
    )
    expect(page.get_by_role("button", name="Import 3 messages")).to_be_visible()


def told(page: Page) -> Locator:
    """What the page says of the last step; a toast, which goes by itself, says the same."""
    return page.locator(".st-key-curation_told")


class Mouse:
    """Clicks, counted."""

    def __init__(self) -> None:
        self.clicks = 0

    def on(self, there: Locator) -> None:
        there.click()
        self.clicks += 1


def test_from_a_log_to_a_corrected_memory_and_back_in_few_clicks(page: Page, fresh_server: str) -> None:
    mouse, sidebar = Mouse(), page.get_by_test_id("stSidebar")
    page.goto(f"{fresh_server}/Import")
    imported(page)
    mouse.clicks += 1  # the file is chosen by one
    mouse.on(page.get_by_role("button", name="Import 3 messages"))
    expect(page.get_by_text(re.compile("Finished in"))).to_be_visible(timeout=180_000)
    mouse.on(sidebar.get_by_role("link", name="Ask"))
    mouse.on(page.get_by_label("Question"))
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("mark").first).to_be_visible(timeout=60_000)
    settled(page)
    mouse.on(sidebar.get_by_role("link", name="Memories"))
    mouse.on(page.get_by_role("button", name="Details").first)
    mouse.on(page.get_by_role("button", name="Edit"))
    mouse.on(page.get_by_label("What it says"))
    page.get_by_label("What it says").fill(CORRECTED)
    mouse.on(page.get_by_role("button", name="See what changes"))
    expect(page.get_by_text(CHANGED)).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stMain").get_by_role("link", name=QUESTION)).to_be_visible()
    mouse.on(page.get_by_role("button", name="Confirm"))
    expect(told(page)).to_contain_text("Done:")
    expect(page.get_by_text(CORRECTED).first).to_be_visible()
    mouse.on(page.locator(".st-key-curation_undo button"))
    expect(told(page)).to_contain_text("Undone:")
    expect(page.get_by_text("Ada adopted a cat called Miso").first).to_be_visible()
    assert mouse.clicks <= MOST_CLICKS


class Keys:
    """Keys pressed, counted; a text typed counts as one for each of its characters."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    def press(self, key: str) -> None:
        settled(self.page)
        self.page.keyboard.press(key)
        self.pressed += 1

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.pressed += len(text)

    def to(self, there: Locator) -> None:
        settled(self.page)
        expect(there).to_be_visible()
        for _ in range(150):
            if there.evaluate("e => e === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
            self.pressed += 1
        raise AssertionError(f"Tab never leads to {there}")


def test_the_same_by_keyboard_only(page: Page, fresh_server: str) -> None:
    keys, sidebar = Keys(page), page.get_by_test_id("stSidebar")
    page.goto(f"{fresh_server}/Import")
    imported(page)  # the system's own window for choosing a file is not the page's
    keys.to(page.get_by_role("button", name="Import 3 messages"))
    keys.press("Enter")
    expect(page.get_by_text(re.compile("Finished in"))).to_be_visible(timeout=180_000)
    keys.to(sidebar.get_by_role("link", name="Ask"))
    keys.press("Enter")
    keys.to(page.get_by_label("Question"))
    keys.type(QUESTION)
    keys.press("Enter")
    expect(page.locator("mark").first).to_be_visible(timeout=60_000)
    keys.to(sidebar.get_by_role("link", name="Memories"))
    keys.press("Enter")
    keys.to(page.get_by_role("button", name="Details").first)
    keys.press("Enter")
    expect(page).to_have_url(re.compile(r"memory=mem_\w+"))
    keys.press("e")
    keys.to(page.get_by_label("What it says"))
    keys.press("Control+a")
    keys.type(CORRECTED)
    keys.to(page.get_by_role("button", name="See what changes"))
    keys.press("Enter")
    expect(page.get_by_text(CHANGED)).to_be_visible(timeout=60_000)
    keys.press("y")
    expect(told(page)).to_contain_text("Done:")
    keys.press("u")
    expect(told(page)).to_contain_text("Undone:")
    expect(page.get_by_text("Ada adopted a cat called Miso").first).to_be_visible()
    assert keys.pressed <= MOST_KEYS
