"""Two systems on the sample in a browser: choose, run, see costs and what each remembers, ask a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, WebSocket, expect

from memcore import open_memory
from memcore.logs import read_log
from tests.browser.conftest import ROOT, _serve, settled

pytestmark = [pytest.mark.browser, pytest.mark.models]


@pytest.fixture(scope="module")
def sample_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on the sample, read by Memscope's own system only."""
    store: Path = tmp_path_factory.mktemp("sample") / "store"
    with open_memory(store, llm="none") as memory:
        memory.ingest(read_log(ROOT / "sample_data" / "two_friends.json"))
    yield from _serve(store)


@pytest.mark.slow
def test_two_systems_are_run_and_compared_on_the_sample(page: Page, sample_server: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(_url(request)))
    page.on("websocket", lambda socket: asked.append(_url(socket)))
    page.goto(sample_server)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Compare").click()
    expect(page.get_by_text("has not read this log.")).to_be_visible()

    # one has read the log already, the other is run; the job is in the URL, so a reload loses nothing
    expect(
        page.get_by_text("Memscope’s own has read all 107 messages already: not read again.")
    ).to_be_visible()
    page.get_by_role("button", name="Read with LightMem").click()
    expect(page).to_have_url(re.compile(r"job=\w+"))
    page.reload()
    expect(page.get_by_text(re.compile(r"LightMem: 107 messages in"))).to_be_visible(timeout=180_000)
    expect(page.get_by_text("Memscope’s own and LightMem have read all 107 messages")).to_be_visible()

    # what it took
    settled(page)  # the parts drawn while it was read may still stand beside the new ones
    costs = page.get_by_role("table").first
    expect(costs.get_by_role("row")).to_have_count(3)
    expect(costs.get_by_role("row", name=re.compile("LightMem"))).to_contain_text("none used")
    expect(page.get_by_text("No language model was used: rules and the language pipeline")).to_be_visible()

    # what each remembers, beside the words it came from
    settled(page)
    page.get_by_label("Text", exact=True).fill("vegetarian")
    page.get_by_label("Text", exact=True).press("Enter")
    expect(page).to_have_url(re.compile("words=vegetarian"))
    first = page.locator(".ms-cmp").first
    expect(first.locator("mark")).to_have_text("I'm a vegetarian, so no chorizo tricks like last time.")
    expect(first.get_by_text("Nora is a vegetarian.", exact=True)).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of what is shown").click()
    table = download.value.path().read_text(encoding="utf-8-sig")
    assert table.splitlines()[0] == "session,turn,said,speaker,message,memscope,lightmem"
    assert table.count("Nora is a vegetarian.") == 2

    # what each would answer from
    page.get_by_text("A question", exact=True).click()
    page.get_by_label("Question", exact=True).fill("Is Nora a vegetarian?")
    page.get_by_role("button", name="Compare contexts").click()
    contexts = page.locator(".ms-cmp.contexts > div")
    expect(contexts).to_have_count(2, timeout=60_000)
    for place in range(2):
        expect(contexts.nth(place)).to_contain_text("of 1,000 tokens")
        expect(contexts.nth(place)).to_contain_text("Nora is not a vegetarian any more.")

    # the address alone shows the same again
    page.goto(page.url)
    expect(contexts).to_have_count(2, timeout=60_000)
    home = sample_server.removeprefix("http://")
    assert [url for url in asked if not re.match(rf"(https?|wss?)://{home}/|data:|blob:|about:", url)] == []


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page, seeded_server: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{seeded_server}/Compare")
    expect(page.locator(".ms-cmp").first).to_be_visible()
    settled(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    widths = page.locator(".ms-cmp").evaluate_all("all => all.map(e => e.scrollWidth - e.clientWidth)")
    assert max(widths) <= 0


def _url(thing: Request | WebSocket) -> str:
    return thing.url
