"""What other processes do with the store of a workbench appears on its pages, without a reload."""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import open_store
from memcore.store.moving import move
from tests.app.seed import seed
from tests.browser.conftest import session, settled, tell
from tests.browser.others import holder_of, memcore
from tests.postgres import new_database
from tools.serving import ROOT, served

pytestmark = pytest.mark.browser
SLOW = pytest.mark.slow

WANTED_SECONDS = 2
BUSY = 15
"""How much longer it may take on a machine that does other things: the figure is told."""


@pytest.fixture
def seen(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Wait for what appears, from now on, and tell how long that took."""

    def wait(what: Locator, where: str) -> None:
        begun = time.monotonic()
        expect(what.first).to_be_visible(timeout=1000 * WANTED_SECONDS * BUSY)
        tell(request.node, f"{where}: seen {time.monotonic() - begun:.1f} s after the other process was done")

    return wait


NUMBERS = itertools.count(1)


def propose(store: Path) -> dict[str, Any]:
    """Another program proposes that something be remembered."""
    text = f"Ada keeps {next(NUMBERS)} bees"
    added = holder_of(store).ask("POST", "/v1/proposals", {"text": text, "client": "notes"})
    return {"text": text, "id": added["proposal"]}


def counted(page: Page, what: str) -> int:
    """How many of them the sidebar says there are."""
    found = re.search(rf"([\d,]+) {what}", page.locator(".ms-side").inner_text())
    assert found is not None
    return int(found[1].replace(",", ""))


def saying(page: Page, number: int, what: str) -> Locator:
    """The sidebar, once it says so."""
    return page.locator(".ms-side", has_text=re.compile(rf"(?<!\d){number:,} {what}"))


PROPOSALS, MESSAGES = "open proposal", "message"


def opened(page: Page, address: str, store: Path) -> Page:
    page.goto(address)
    settled(page)
    holder_of(store)
    return page


@pytest.mark.parametrize(
    "address", ["Review", pytest.param("Memories", marks=SLOW), pytest.param("", marks=SLOW)]
)
def test_what_is_proposed_and_approved_elsewhere_appears(
    page: Page, workbench: str, store: Path, seen: Callable[..., None], address: str
) -> None:
    opened(page, f"{workbench}/{address}", store)
    for _ in range(2):
        before = counted(page, PROPOSALS)
        added = propose(store)
        seen(saying(page, before + 1, PROPOSALS), f"a proposal on {address or 'Home'}")
        memcore(store, "review", "approve", added["id"])
        seen(saying(page, before, PROPOSALS), f"an approval on {address or 'Home'}")
        if address == "Memories":
            expect(page.get_by_text(added["text"]).first).to_be_visible()
    settled(page, 3_000)  # and then nothing is drawn anew


@SLOW
@pytest.mark.models
@pytest.mark.parametrize("address", ["Import", "Buffers", ""])
def test_what_is_told_and_ingested_elsewhere_appears(
    page: Page, workbench: str, store: Path, seen: Callable[..., None], tmp_path: Path, address: str
) -> None:
    opened(page, f"{workbench}/{address}", store)
    for place in range(2):
        named = f"{address or 'Home'} {place}"
        turn = {"id": named, "speaker": "Nora", "text": f"I moved to Turin. {named}"}
        before = counted(page, MESSAGES)
        holder_of(store).ask("POST", "/v1/messages", {"conversation": named, "messages": [turn]})
        seen(saying(page, before + 1, MESSAGES), f"a message on {address or 'Home'}")
        log = tmp_path / f"{named}.md"
        log.write_text(f"Nora: I row on lake {named}.\nSam: Nice, lake {named}.\n", encoding="utf-8")
        memcore(store, "ingest", str(log))
        seen(saying(page, before + 3, MESSAGES), f"a log on {address or 'Home'}")
    settled(page, 3_000)


def type_into(field: Locator) -> str:
    """Half of something; what the field then holds."""
    field.click()
    field.press("End")
    field.press_sequentially(" half a thou")
    return field.input_value()


def a_search(page: Page) -> Locator:
    return page.get_by_role("textbox").first


def a_correction(page: Page) -> Locator:
    page.get_by_role("button", name=re.compile("^Edit")).first.click()
    settled(page)
    return page.locator("textarea").first


@pytest.mark.parametrize(
    ("address", "field"),
    [
        pytest.param("Memories", a_search, id="search", marks=SLOW),
        pytest.param("Ask", a_search, id="question"),
        pytest.param("Compare?view=A+question", a_search, id="compared", marks=SLOW),
        pytest.param("Graph", a_search, id="graph", marks=SLOW),
        pytest.param("Memories?memory=mem_1", a_correction, id="memory"),
        pytest.param("Review?proposal=prop_1", a_correction, id="proposal", marks=SLOW),
        pytest.param("Settings", a_search, id="settings", marks=SLOW),
    ],
)
def test_what_is_being_typed_stays(
    page: Page, workbench: str, store: Path, address: str, field: Callable[[Page], Locator]
) -> None:
    opened(page, f"{workbench}/{address}", store)
    typed_into = field(page)
    typed = type_into(typed_into)
    for _ in range(2):
        before = counted(page, PROPOSALS)
        propose(store)
        expect(saying(page, before + 1, PROPOSALS)).to_be_visible()
        settled(page)
        expect(typed_into).to_have_value(typed)
        expect(typed_into).to_be_focused()


def a_selection(page: Page) -> None:
    page.get_by_test_id("stCheckbox").nth(1).locator("label").click()


def a_file(page: Page) -> None:
    page.locator("input[type=file]").first.set_input_files(ROOT / "sample_data" / "team_notes.csv")


def a_fold(page: Page) -> None:
    page.get_by_text("History", exact=True).last.click()


@SLOW
@pytest.mark.parametrize(
    ("address", "choose"),
    [("Memories", a_selection), ("Import", a_file), ("Review?proposal=prop_1", a_fold)],
    ids=["selection", "file", "fold"],
)
def test_what_is_chosen_stays(
    page: Page, workbench: str, store: Path, address: str, choose: Callable[[Page], None]
) -> None:
    opened(page, f"{workbench}/{address}", store)
    main = page.get_by_test_id("stMain")
    without = main.inner_text()
    choose(page)
    settled(page, 1_000)
    chosen = main.inner_text()
    assert chosen != without
    for _ in range(2):
        before = counted(page, PROPOSALS)
        propose(store)
        expect(saying(page, before + 1, PROPOSALS)).to_be_visible()
        settled(page, 1_000)
        assert re.sub(r"\d+", "", main.inner_text()) == re.sub(r"\d+", "", chosen)


@SLOW
def test_what_another_process_writes_to_postgresql_appears(
    page: Page, seen: Callable[..., None], tmp_path: Path
) -> None:
    seed(tmp_path / "seeded")
    model, dimension = ChosenBackends(Settings(store_dir=tmp_path)).embedding_space()
    with new_database() as address:
        with (
            open_store(tmp_path / "seeded", embedding_model=model, dimension=dimension) as source,
            open_store(address, embedding_model=model, dimension=dimension) as target,
        ):
            move(source, target)
        named = str(address)
        with served(tmp_path / "beside", OMP_NUM_THREADS="1", MEMSCOPE_STORE=named) as app:
            page.goto(f"{app.url}/Review")
            settled(page)
            for proposal, left in (("prop_1", 2), ("prop_3", 1)):
                memcore(named, "review", "reject", proposal)
                seen(saying(page, left, PROPOSALS), "a decision in PostgreSQL")
            settled(page, 3_000)


def test_what_is_done_in_one_tab_appears_in_another(
    page: Page, browser: Browser, workbench: str, store: Path, seen: Callable[..., None]
) -> None:
    added = propose(store)
    opened(page, f"{workbench}/Review?proposal={added['id']}", store)
    before = counted(page, PROPOSALS)
    with session(browser) as context:
        other = opened(context.new_page(), f"{workbench}/Memories", store)
        page.get_by_role("button", name=re.compile("^Reject")).first.click()
        seen(saying(other, before - 1, PROPOSALS), "a decision in another tab")
        settled(page, 3_000)
        settled(other, 3_000)


PASSED = ("Graph", "Memories", "Review", "Topics", "Update queue", "Buffers", "Compare", "Memories", "Home")


@SLOW
def test_pages_change_quickly_while_others_write(page: Page, workbench: str, store: Path) -> None:
    stopped = threading.Event()

    def write() -> None:
        while not stopped.wait(0.15):
            propose(store)

    opened(page, f"{workbench}/Memories", store)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    writer = threading.Thread(target=write)
    writer.start()
    links = page.get_by_test_id("stSidebar")
    try:
        for pause in (50, 400, 900, 50, 700):
            for place, name in enumerate((*PASSED, "Memories")):
                links.get_by_role("link", name=re.compile(f"{name}$")).first.click()
                page.wait_for_timeout(pause + 130 * (place % 3))
                assert page.get_by_test_id("stException").count() == 0, name
            expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
            expect(page.get_by_text("Details").first).to_be_visible()
    finally:
        stopped.set()
        writer.join()
    settled(page, 2_000)
    expect(page.get_by_text("Details").first).to_be_visible()
    assert page.get_by_test_id("stException").count() == 0
    assert not errors
