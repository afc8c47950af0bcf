"""A workbench in Chromium that serves its store, and a second workbench on that store."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from memcore.server.holder import find_holder
from tests.browser.conftest import settled
from tests.browser.others import holder_of, memcore
from tools.serving import served

pytestmark = pytest.mark.browser


def test_a_second_workbench_says_where_the_first_one_is(page: Page, workbench: str, store: Path) -> None:
    page.goto(workbench)
    settled(page)
    holder_of(store)
    with served(store, OMP_NUM_THREADS="1") as second:
        page.goto(second.url)
        expect(page.get_by_text("This store is open in another workbench.")).to_be_visible()
        there = page.get_by_role("link", name="Open that workbench")
        assert there.get_attribute("href") == f"{workbench}/"
        page.goto(f"{second.url}/Settings")
        expect(page.get_by_role("link", name="Open that workbench")).to_be_visible()


def test_switched_off_nothing_is_served_and_switched_on_it_is_again(
    page: Page, workbench: str, store: Path
) -> None:
    page.goto(f"{workbench}/Settings")
    settled(page)
    holder_of(store)
    for _ in range(2):
        for wanted in (False, True):
            page.get_by_text("Serve the store to this machine").click()
            page.get_by_role("button", name="Save").click()
            settled(page, 1500)
            until = time.monotonic() + 60
            while (find_holder(store) is not None) is not wanted:
                assert time.monotonic() < until
                time.sleep(0.2)
            there = page.get_by_text("Other programs find the store at")
            expect(there).to_have_count(int(wanted))


def test_a_workbench_that_is_told_to_end_leaves_its_store_to_others(page: Page, tmp_path: Path) -> None:
    store = tmp_path / "store"
    for _ in range(2):
        with served(store, OMP_NUM_THREADS="1") as workbench:
            page.goto(workbench.url)
            settled(page)
            holder_of(store)
        assert not (store / "served.json").exists()
        memcore(store, "review", "list")
