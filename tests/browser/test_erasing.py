"""From the words one reads to Settings, where they are shown, counted, confirmed and erased; in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.app.seed import TEXTS, seed
from tests.browser.conftest import _serve, settled

pytestmark = [pytest.mark.browser]

WORDS = TEXTS[2][1]


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    """The app on a small store that this test alone changes."""
    seed(tmp_path / "store")
    yield from _serve(tmp_path / "store")


def test_from_a_memory_to_the_erasure_of_its_message(page: Page, own_server: str) -> None:
    page.goto(f"{own_server}/Memories?text=Miso")
    card = page.locator(".ms-pair", has_text=WORDS).first
    expect(card).to_be_visible()
    card.get_by_role("link", name="Erase…").click()
    named = page.locator(".st-key-erasing .ms-said")
    expect(named).to_contain_text(WORDS)
    expect(named).to_be_in_viewport()
    address = page.url
    assert parse_qs(urlsplit(address).query)["erase"] == ["message"]
    expect(page.get_by_role("button", name="Erase for good")).to_have_count(0)

    page.get_by_role("button", name="Count what would go").click()
    now = page.get_by_role("button", name="Erase for good")
    expect(now).to_be_disabled()
    page.reload()
    expect(named).to_contain_text(WORDS)
    expect(now).to_have_count(0)

    page.get_by_role("button", name="Count what would go").click()
    expect(now).to_be_disabled()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Memories").click()
    expect(page.locator(".ms-pair").first).to_be_visible()
    page.go_back()
    expect(named).to_contain_text(WORDS)
    expect(now).to_be_disabled()

    page.locator(".st-key-erase_sure label").click()
    now.click()
    expect(page.locator(".st-key-erasing")).to_contain_text("Erased.")
    settled(page)
    assert "which=" not in page.url
    page.goto(address)
    expect(page.locator(".st-key-erasing")).to_contain_text("There is no")
    page.goto(f"{own_server}/Memories?text=Miso")
    expect(page.locator(".ms-said").first).to_be_visible()
    expect(page.locator(".ms-said", has_text=WORDS)).to_have_count(0)
