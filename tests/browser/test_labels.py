"""What somebody wrote, in Streamlit's own Markdown: shown as it is written, and nothing in it is live."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from memcore.review.diff import show_hidden
from tests.browser.conftest import settled
from tests.browser.labels_page import CAP, PIECES, texts
from tests.browser.liveness import live, watch
from tools.serving import served
from ui.shell.text import JOINER, shorten

pytestmark = pytest.mark.browser

KINDS = {
    "Expander": "[data-testid=stExpander] summary [data-testid=stMarkdownContainer]",
    "Button": "[data-testid=stButton] button",
    "Header": "[data-testid=stHeading] h2",
    "Progress": "[data-testid=stProgress] [data-testid=stMarkdownContainer]",
    "Checkbox": "[data-testid=stCheckbox] [data-testid=stWidgetLabel] [data-testid=stMarkdownContainer]",
    "Segment": "[data-testid=stButtonGroup] [role=radio] [data-testid=stMarkdownContainer]",
    "Tab": "[data-testid=stTab] [data-testid=stMarkdownContainer]",
}


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of labels."""
    with served(tmp_path_factory.mktemp("labels") / "store", "tests/browser/labels_page.py") as app:
        yield app.url


def said(page: Page, where: str) -> list[str]:
    """What stands in each of these, without what parts it and is not seen."""
    found = page.locator(where).evaluate_all("all => all.map(e => e.textContent)")
    return [" ".join(one.replace(JOINER, "").split()) for one in found]


def test_every_label_shows_what_was_written_and_nothing_in_it_is_live(page: Page, labels: str) -> None:
    seen = watch(page)
    page.goto(labels)
    expect(page.get_by_text("End", exact=True)).to_be_visible()
    settled(page, 1_000)
    assert page.get_by_test_id("stException").count() == 0
    assert live(page) == []
    written = [shorten(show_hidden(text), CAP) for text in texts()]
    assert said(page, "[data-testid=stCaptionContainer]:not([role=radiogroup] *)") == written
    for kind, where in KINDS.items():
        expect(page.locator(where)).to_have_count(len(PIECES))  # some are loaded when first needed
        assert said(page, where) == [f"{kind} {one}" for one in written[: len(PIECES)]], kind
    for box in ("stSelectbox", "stMultiSelect"):
        settled(page)
        page.get_by_test_id(box).locator("input").first.click()
        expect(page.get_by_role("option").first).to_be_visible()
        assert live(page) == []
        page.keyboard.press("Escape")
    page.get_by_test_id("stTooltipIcon").last.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert live(page) == []
    assert seen == []
