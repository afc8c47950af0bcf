"""A workbench whose answers arrive late: what a person did is not lost by what they do a moment later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import session, settled

pytestmark = pytest.mark.browser

LATE_MILLISECONDS = 600
LATE = """(() => {
  const listen = WebSocket.prototype.addEventListener;
  const late = handler => event => setTimeout(() => handler.call(event.target, event), MILLISECONDS);
  WebSocket.prototype.addEventListener = function (type, handler, ...rest) {
    return listen.call(this, type, type === "message" ? late(handler) : handler, ...rest);
  };
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    set(handler) { listen.call(this, "message", late(handler)); },
  });
})();""".replace("MILLISECONDS", str(LATE_MILLISECONDS))
"""What the server sends arrives so much later."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """The only tab of a browser session on a slow line."""
    with session(browser) as context:
        context.add_init_script(LATE)
        yield context.new_page()


def arrived(page: Page) -> None:
    """Wait until nothing is under way any more."""
    settled(page, milliseconds=2 * LATE_MILLISECONDS)


def address(page: Page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def test_a_text_counts_however_soon_the_button_is_pressed(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Update_queue?view=Dry+run")
    questions = page.get_by_label("Questions, one a line")
    for text in ("Where does Ann live?", "What does Ben eat?"):
        questions.fill(text)
        questions.press("Control+Enter")
        page.wait_for_timeout(LATE_MILLISECONDS / 4)  # the server has read it, and the browser does not know
        page.get_by_role("button", name="What would change?").click()
        expect(page.get_by_text("questions would retrieve differently")).to_be_visible()
        arrived(page)
        expect(page.get_by_text(re.compile(r"^\d of 1$"))).to_be_visible()
        expect(questions).to_have_value(text)
        assert address(page)["questions"] == text


def test_two_filters_set_one_right_after_the_other_both_stand(page: Page, seeded_server: str) -> None:
    page.goto(f"{seeded_server}/Memories")
    words = page.get_by_label("Text", exact=True)
    for text, kind in (("e", "fact"), ("a", "event")):
        words.fill(text)
        words.press("Enter")
        page.get_by_role("combobox", name="Kind").click()
        page.get_by_role("option", name=kind).click()
        arrived(page)
        assert address(page) == {"text": text, "kind": kind}
        expect(words).to_have_value(text)
    page.go_back()
    arrived(page)
    assert address(page) == {"text": "a", "kind": "fact"}
    expect(words).to_have_value("a")


def test_a_change_of_the_page_before_chooses_nothing_on_the_next(page: Page, seeded_server: str) -> None:
    """The browser may hear of it after it has left for the next one, and take it for that one's address until
    something is done there."""
    page.goto(f"{seeded_server}/Memories")
    words = page.get_by_label("Text", exact=True)
    words.fill("e")
    words.press("Enter")
    page.get_by_role("link", name="6 Graph").click()
    expect(page.get_by_role("heading", name="Graph", level=1)).to_be_visible()
    arrived(page)
    search = page.get_by_label("Search", exact=True)
    expect(search).to_have_value("")
    search.fill("Miso")
    search.press("Enter")
    arrived(page)
    assert urlsplit(page.url).path == "/Graph"
    assert address(page) == {"find": "Miso"}
