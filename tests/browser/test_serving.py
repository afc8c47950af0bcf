"""A workbench in Chromium whose store other programs use meanwhile, and a second workbench on that store."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from memcore.server.holder import Holder, find_holder
from tests.app.seed import seed
from tests.browser.conftest import settled
from tools.serving import ROOT, served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("shared") / "store"
    seed(directory)
    return directory


@pytest.fixture(scope="module")
def workbench(store: Path) -> Iterator[str]:
    with served(store, OMP_NUM_THREADS="1") as app:
        yield app.url


def holder_of(store: Path) -> Holder:
    """The workbench, which serves the store once its first page was drawn."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if holder := find_holder(store):
            return holder
        time.sleep(0.2)
    raise AssertionError("the workbench does not serve its store")


def memcore(store: Path, *words: str) -> str:
    """A command of another process."""
    done = subprocess.run(
        [sys.executable, "-m", "memcore", *words, "--store", str(store)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "MEMSCOPE_LLM": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def waiting(page: Page, number: int) -> Locator:
    """The line of the sidebar that counts the proposals."""
    return page.get_by_text(re.compile(rf"\b{number} open proposals"))


def test_other_programs_work_with_the_open_store_and_the_page_shows_it(
    page: Page, workbench: str, store: Path
) -> None:
    page.goto(f"{workbench}/Review")
    settled(page)
    holder = holder_of(store)
    assert holder.served.workbench == f"{workbench}/"
    added = holder.ask("POST", "/v1/proposals", {"text": "Ada keeps bees", "client": "notes"})
    page.reload()
    expect(waiting(page, 4)).to_be_visible()
    assert "Ada keeps bees" in memcore(store, "review", "list")
    memcore(store, "review", "reject", added["proposal"])
    page.reload()
    expect(waiting(page, 3)).to_be_visible()


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
