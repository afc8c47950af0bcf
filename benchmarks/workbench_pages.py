"""Is the workbench quick on a large store? Every page, and the next proposal, in headless Chromium.

    python -m benchmarks.workbench_pages [--store DIR] [--visits 5] [--moves 20] [--pages Review,Graph]
    python -m benchmarks.workbench_pages --first [--after 3] [--store DIR] [--visits 3] [--pages Review,Graph]

Makes the store of `benchmarks.workbench_store` (or uses the one it made before in DIR), starts the app on
it and opens every page several times, the first time not counted. With `--first` the app is started anew
for each visit, and the visit is the first that it gets, begun when it answers that it is up or `--after` so
many seconds (its modules are compiled, as those of a program that was used before). A page is drawn
when its script has ended and nothing on it is stale or a skeleton any more; a proposal when its number in
the queue is the next one and the script has ended. Beside the wall time stands the server's processor time,
which other work on the machine changes less, and the load.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.workbench_store import make
from tools.serving import CHROMIUM, FLAGS, Served, served

PAGES = {
    "Home": "",
    "Import": "Import",
    "Compression": "Compression",
    "Topics": "Topics",
    "Buffers": "Buffers",
    "Memories": "Memories",
    "a memory": "Memories?memory=mem_memscope_ses20x07m03",
    "Graph": "Graph",
    "Update queue": "Update_queue",
    "Review": "Review",
    "Review, table": "Review?view=Table",
    "Review, history": "Review?view=History",
    "Ask": "Ask",
    "an answer": "Ask?q=Who+planted+a+pear+tree+near+Porto%3F",
    "Compare": "Compare?systems=memscope,lightmem",
    "Evaluate": "Evaluate",
    "Runs and cost": "Runs_and_cost",
    "a run": "Runs_and_cost?run=run_07",
    "a consolidation": "Runs_and_cost?run=run_sleep",
    "Settings": "Settings",
}
PAGE_SECONDS, MOVE_SECONDS = 2.0, 0.3
FIRST_SECONDS = 1.5

_DRAWN = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app && app.dataset.testScriptState === 'notRunning' && document.querySelector('h1')
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]');
}"""
_PLACE = r"""() => (document.body.innerText.match(/([\d,]+) of [\d,]+/) || ['', ''])[1]"""
_MOVED = r"""before => {
  const place = (document.body.innerText.match(/([\d,]+) of [\d,]+/) || ['', ''])[1];
  const app = document.querySelector('[data-testid="stApp"]');
  return place && place !== before && app.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale="true"]');
}"""


class Clock:
    """Times acts on a page: wall seconds, and processor seconds of the server meanwhile."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.processor: list[float] = []

    def time(self, server: Served, act: Callable[[], object]) -> None:
        """Act, and note how long it took, by the clock and of the server's processor."""
        worked, begun = _worked(server), time.perf_counter()
        act()
        self.wall.append(time.perf_counter() - begun)
        self.processor.append(_worked(server) - worked)

    def report(self, what: str, most: float) -> bool:
        """Print p50 and p95; whether the median is within `most` seconds."""
        p50, p95 = np.percentile(self.wall, [50, 95])
        late = "" if p95 < most else "  over" if p50 >= most else "  p95 over"
        print(
            f"{what:<18} p50 {1000 * p50:6,.0f} ms   p95 {1000 * p95:6,.0f} ms   "
            f"server {1000 * np.median(self.processor):6,.0f} ms of processor time   "
            f"load {os.getloadavg()[0]:.1f}{late}",
            flush=True,
        )
        return bool(p50 < most)


def _worked(server: Served) -> float:
    spent = psutil.Process(server.process_id).cpu_times()
    return float(spent.user + spent.system)


def opened(page: Page, address: str) -> None:
    """Go to an address and wait until it is drawn."""
    page.goto(address, wait_until="commit")
    page.wait_for_function(_DRAWN, polling=10)


def pages(page: Page, server: Served, wanted: list[str], visits: int) -> bool:
    """Open each page, once uncounted; whether all are quick enough."""
    quick = True
    for name in wanted:
        address = f"{server.url}/{PAGES[name]}"
        opened(page, address)
        clock = Clock()
        for _ in range(visits):
            page.goto("about:blank")
            clock.time(server, partial(opened, page, address))
        quick &= clock.report(name, PAGE_SECONDS)
    return quick


def first_hits(browser: Browser, store: Path, wanted: list[str], visits: int, after: float) -> bool:
    """Open each page as the first of an app just started; whether all are quick enough."""
    quick = True
    started = partial(served, store, PYTHONDONTWRITEBYTECODE="")
    with started() as server, _page(browser) as page:
        for name in wanted:
            opened(page, f"{server.url}/{PAGES[name]}")
    for name in wanted:
        clock = Clock()
        for _ in range(visits):
            with started() as server, _page(browser) as page:
                time.sleep(after)
                clock.time(server, partial(opened, page, f"{server.url}/{PAGES[name]}"))
        quick &= clock.report(name, FIRST_SECONDS)
    return quick


def _page(browser: Browser) -> Page:
    page = browser.new_page(viewport={"width": 1360, "height": 1000})
    page.set_default_timeout(120_000)
    return page


def proposals(page: Page, server: Served, moves: int) -> bool:
    """Press J on Review; whether the next proposal comes quickly enough."""
    opened(page, f"{server.url}/Review")
    clock = Clock()
    for number in range(moves + 1):
        before = page.evaluate(_PLACE)

        def following(before: str = before) -> None:
            page.keyboard.press("j")
            page.wait_for_function(_MOVED, arg=before, polling=10)

        if number:
            clock.time(server, following)
        else:
            following()
    return clock.report("the next proposal", MOVE_SECONDS)


def main() -> int:
    """Make the store unless it is there, and measure; 0 when everything is quick enough."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--store", type=Path)
    options.add_argument("--first", action="store_true", help="the first visit of an app just started")
    options.add_argument("--after", type=float, default=0.0, help="seconds from its start to the visit")
    options.add_argument("--visits", type=int, default=5)
    options.add_argument("--moves", type=int, default=20)
    options.add_argument("--pages", help="some of them, by name, with commas")
    chosen = options.parse_args()
    wanted = chosen.pages.split(",") if chosen.pages else list(PAGES)
    with tempfile.TemporaryDirectory() as folder:
        store: Path = chosen.store or Path(folder) / "store"
        if not store.exists():
            begun = time.perf_counter()
            make(store)
            print(f"store made in {time.perf_counter() - begun:.0f} s", flush=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            if chosen.first:
                quick = first_hits(browser, store, wanted, chosen.visits, chosen.after)
            else:
                with served(store) as server, _page(browser) as page:
                    opened(page, server.url)
                    quick = pages(page, server, wanted, chosen.visits)
                    quick &= proposals(page, server, chosen.moves)
            browser.close()
    return 0 if quick else 1


if __name__ == "__main__":
    raise SystemExit(main())
