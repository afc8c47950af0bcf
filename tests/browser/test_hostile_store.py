"""A store in which every text of logs, models and people tries to be a link, a picture, an icon, a colour
or a script, and files that do: on each page, with everything on it opened, all of it stays text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.app.hostile import EVIL, OWNER, seed_hostile
from tests.browser.conftest import _serve, settled
from tests.browser.liveness import live, watch
from tests.browser.looks import drawn
from tests.browser.test_curation_forms import FORMS, press

pytestmark = [pytest.mark.browser, pytest.mark.models]

PAGES = (
    "", "Import", "Compression?session=ses_1", "Topics?session=ses_1",
    "Topics?session=ses_2&segment=seg_3", "Buffers?session=ses_1", "Memories", "Memories?session=ses_1",
    "Memories?memory=mem_5", "Memories?memory=mem_7", "Graph?entity=ent_1",
    "Graph?find=Lisbon&sessions=true&chunks=true", "Update_queue", "Update_queue?view=Dry+run", "Review",
    "Review?proposal=prop_3", "Review?view=Table", "Review?view=History", "Review?view=Found+wrong",
    "Review?view=Rules", "Ask?q=Who+has+a+cat%3F&k=1&why=msg_6", "Compare", "Compare?view=Table",
    "Compare?view=A+question&q=Who+has+a+cat%3F", "Evaluate", "Evaluate?job=0123456789ab",
    "Runs_and_cost", "Runs_and_cost?run=run_seed", "Runs_and_cost?run=run_failed", "Settings",
)  # fmt: skip
NAMED = (
    "Import?job=", "Topics?session=", "Memories?memory=", "Memories?text=", "Memories?person=",
    "Graph?entity=", "Graph?find=", "Graph?as_of=", "Review?proposal=", "Ask?q=", "Compare?systems=",
    "Compare?log=", "Evaluate?job=", "Evaluate?question=", "Runs_and_cost?run=", "Update_queue?run=",
    "Buffers?recipe=",
)  # fmt: skip
"""Addresses that name something hostile."""
ALWAYS = {"", "Memories", "Review", "Runs_and_cost?run=run_failed", "memory Edit"}
"""What a default run visits."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on that store; no test changes it."""
    directory = tmp_path_factory.mktemp("hostile") / "store"
    seed_hostile(directory)
    yield from _serve(directory)


def each(names: Any) -> list[Any]:
    return [pytest.param(n, id=n or "Home", marks=() if n in ALWAYS else pytest.mark.slow) for n in names]


def with_owner(address: str, **more: str) -> str:
    sign = "&" if "?" in address else "?"
    return f"{address}{sign}{urlencode({'owner': OWNER, **more})}"


def opened(page: Page) -> list[str]:
    """All that is live once everything that opens was opened, and each hint was looked at."""
    found = live(page)
    for _ in range(2):  # one may hold another
        page.locator("details:not([open]) > summary").evaluate_all("all => all.forEach(one => one.click())")
        settled(page)
    found += live(page)
    for hint in page.get_by_test_id("stTooltipIcon").all()[:25]:
        if hint.is_visible():
            hint.hover()
            expect(page.get_by_role("tooltip").first).to_be_visible()
            found += live(page)
            page.mouse.move(0, 0)
            expect(page.get_by_role("tooltip")).to_have_count(0)
    return found


def sound(page: Page, seen: list[str]) -> None:
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert seen == []


@pytest.mark.parametrize("address", each(PAGES))
def test_nothing_on_a_page_is_live(page: Page, server: str, address: str) -> None:
    seen = watch(page)
    page.goto(f"{server}/{with_owner(address)}")
    drawn(page)
    if address in ALWAYS:
        expect(page.get_by_test_id("stMain")).to_contain_text("evil.example")
    assert opened(page) == []
    sound(page, seen)


@pytest.mark.parametrize("address", each(NAMED))
def test_nothing_in_an_address_is_live(page: Page, server: str, address: str) -> None:
    seen = watch(page)
    path, _, name = address.removesuffix("=").partition("?")
    page.goto(f"{server}/{with_owner(path, **{name: EVIL})}")
    drawn(page)
    assert live(page) == []
    sound(page, seen)


@pytest.mark.parametrize("name", each(FORMS))
def test_nothing_in_a_form_is_live(page: Page, server: str, name: str) -> None:
    seen = watch(page)
    address, buttons = FORMS[name]
    page.goto(f"{server}/{with_owner(address)}")
    drawn(page)
    for button in buttons:
        press(page, button)
    assert opened(page) == []
    if page.get_by_role("button", name="See what changes").count():
        page.get_by_role("button", name="See what changes").first.click()
        settled(page)
        assert live(page) == []
    sound(page, seen)


FILES = {
    f"{EVIL}.json": json.dumps(
        {"messages": [{"role": EVIL, "content": EVIL, "name": EVIL}, {"role": "user", "content": EVIL}]}
    ),
    f"{EVIL}.csv": f'"{EVIL.replace(chr(34), chr(39))}",b,c\n1,2,3\n',
    f"{EVIL}.md": f"{EVIL}: hello\nBen: [x](http://evil.example)\n",
    f"{EVIL}.txt": f"03/04/2024, 18:30 - {EVIL.replace(':', ';')}: hello {EVIL}\n",
    f"{EVIL}.zip": EVIL,
}


@pytest.mark.parametrize("name", [pytest.param(n, id=n[-4:], marks=pytest.mark.slow) for n in FILES])
def test_nothing_in_a_file_is_live(page: Page, server: str, name: str) -> None:
    seen = watch(page)
    page.goto(f"{server}/Import")
    drawn(page)
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": FILES[name].encode()}
    )
    expect(page.get_by_test_id("stMain").get_by_text("evil.example").first).to_be_visible()
    settled(page)
    assert opened(page) == []
    sound(page, seen)
