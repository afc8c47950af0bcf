"""Every page by its address, the first thing a browser asks of a fresh server: it draws, asks no other host,
gives axe-core nothing to say in light and in dark, and fits a phone.

The store holds hand-made hostile texts (tests/app/seed.py) and the sample, read by three systems with the
embedded models and consolidated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser

from memcore.logs import read_log
from memcore.memory import open_memory
from memcore.review.curate.acts import MarkWrong
from tests.app.seed import seed
from tests.browser.conftest import ROOT, _serve, session
from tests.browser.looks import PHONE, beyond, dark, drawn, faults
from ui.shell.links import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.models]

KNOWN = {
    "": "Home",
    "Import": "Import",
    "Compression?session=ses_2": "Compression",
    "Topics": "Topics",
    "Topics?session=ses_2&segment=seg_3": "Topics",
    "Memories": "Memories",
    "Memories?memory=mem_7": "Memories",
    "Graph?entity=ent_1": "Graph",
    "Review": "Review",
    "Review?proposal=prop_3": "Review",
    "Review?view=Table": "Review",
    "Review?view=History": "Review",
    "Review?view=Found+wrong": "Review",
    "Ask?q=Who+has+a+cat%3F": "Ask",
    "Compare": "Compare",
    "Compare?view=Table": "Compare",
    "Compare?view=A+question&q=Who+has+a+cat%3F": "Compare",
    "Evaluate": "Evaluate",
    "Runs_and_cost": "Runs & cost",
    "Runs_and_cost?run=run_seed": "Runs & cost",
    "Settings": "Settings",
    "Buffers": "Buffers",
    "Buffers?recipe=mem0_graph": "Buffers",
    "Update_queue": "Update queue",
    "Update_queue?view=Graph&action=all": "Update queue",
    "Update_queue?view=Dry+run": "Update queue",
}
"""Address → heading: each page bare or with an id it knows, and each of its views."""

UNKNOWN = {
    "Import?job=nope": "Import",
    "Compression?session=nope": "Compression",
    "Topics?session=nope&segment=nope": "Topics",
    "Memories?memory=nope": "Memories",
    "Graph?entity=nope": "Graph",
    "Review?proposal=nope": "Review",
    "Compare?log=nope&systems=nope": "Compare",
    "Evaluate?job=nope&question=nope": "Evaluate",
    "Runs_and_cost?run=nope": "Runs & cost",
    "Buffers?session=nope": "Buffers",
    "Update_queue?run=nope": "Update queue",
}
"""The same with ids of nothing."""

ADDRESSES = KNOWN | UNKNOWN
PICTURES = (
    "Compression?session=ses_2",
    "Topics",
    "Graph?entity=ent_1",
    "Ask?q=Who+has+a+cat%3F",
    "Runs_and_cost?run=run_seed",
    "Buffers",
    "Update_queue?view=Graph&action=all",
)
ALWAYS = {"", "Compare", "Update_queue?view=Graph&action=all", "Evaluate?job=nope&question=nope"}
"""What a default run visits: the way in, a long table, a picture, and ids of nothing."""


@dataclass(frozen=True)
class Visit:
    """What a browser saw of one address."""

    heading: str
    exceptions: int
    notes: int
    pictures: int
    tables: int
    foreign: tuple[str, ...]
    scripts_run: int
    faults: dict[str, list[str]]
    beyond_phone: int


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on a store in which every page has something to show; no test changes it."""
    directory = tmp_path_factory.mktemp("every_page") / "store"
    seed(directory)
    with open_memory(directory, llm="none") as memory:
        log = read_log(ROOT / "sample_data" / "two_friends.json")
        for recipe in ("memscope", "lightmem", "mem0_graph"):
            memory.ingest(log, recipe=recipe)
        memory.consolidate()
        memory.curation.do(MarkWrong(("mem_3", "mem_6"), "person", "It was Ben"))
    yield from _serve(directory)


@pytest.fixture(scope="module")
def visit(browser: Browser, server: str) -> Callable[[str], Visit]:
    """Each address is visited once, in a session of its own, for all tests."""
    return cache(lambda address: _visit(browser, server, address))


def _visit(browser: Browser, server: str, address: str) -> Visit:
    with session(browser, color_scheme="light") as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.goto(f"{server}/{address}")
        drawn(page)
        found = {"light": faults(page)}
        if page.locator("iframe").count():  # pictures are drawn for one theme
            page.emulate_media(color_scheme="dark")
            page.reload()
            drawn(page)
        dark(page)
        found["dark"] = faults(page)
        page.set_viewport_size(PHONE)
        home = server.removeprefix("http://")
        return Visit(
            page.get_by_role("heading", level=1).inner_text(),
            page.get_by_test_id("stException").count(),
            page.locator(".ms-note").count(),
            page.locator("[data-testid=stPlotlyChart], iframe").count(),
            page.locator("table.ms, [data-testid=stDataFrame]").count(),
            tuple(url for url in asked if not re.match(rf"(https?|wss?)://{home}/|data:|blob:|about:", url)),
            sum(frame.evaluate("window.pwned") is not None for frame in page.frames),
            found,
            beyond(page),
        )


def each(addresses: Iterable[str]) -> list[Any]:
    """Every address, those that no default run visits marked as slow."""
    return [
        pytest.param(address, id=address or "Home", marks=() if address in ALWAYS else pytest.mark.slow)
        for address in addresses
    ]


def test_no_page_is_forgotten() -> None:
    visited = {address.partition("?")[0].replace("_", " ") or "Home" for address in ADDRESSES}
    assert visited == set(PAGES)


@pytest.mark.parametrize("address", each(ADDRESSES))
def test_a_page_opens_by_its_address(visit: Callable[[str], Visit], address: str) -> None:
    seen = visit(address)
    assert seen.heading == ADDRESSES[address]
    assert seen.exceptions == 0
    assert seen.scripts_run == 0


@pytest.mark.parametrize("address", each(UNKNOWN))
def test_an_unknown_id_is_explained(visit: Callable[[str], Visit], address: str) -> None:
    assert visit(address).notes > 0


@pytest.mark.parametrize("address", each(ADDRESSES))
def test_no_other_host_is_asked(visit: Callable[[str], Visit], address: str) -> None:
    assert visit(address).foreign == ()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("address", each(ADDRESSES))
def test_axe_finds_nothing(visit: Callable[[str], Visit], address: str, theme: str) -> None:
    assert visit(address).faults[theme] == []


@pytest.mark.parametrize("address", each(ADDRESSES))
def test_nothing_lies_beyond_the_edge_of_a_phone(visit: Callable[[str], Visit], address: str) -> None:
    assert visit(address).beyond_phone == 0


@pytest.mark.parametrize("address", each(PICTURES))
def test_a_picture_has_a_table(visit: Callable[[str], Visit], address: str) -> None:
    seen = visit(address)
    assert seen.pictures > 0
    assert seen.tables > 0
