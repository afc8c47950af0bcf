"""Pictures of the pages for the README, from the sample data, in headless Chromium.

    python -m tools.screenshots [--to docs/screenshots]

Starts the app on a new store, imports the sample, looks for changes to propose, and photographs each
page. Needs Debian's chromium. Changes nothing but the pictures.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tools.serving import CHROMIUM, FLAGS, ROOT, served

WIDTH, HEIGHT = 1360, 860
PAGES = {
    "import": "Import",
    "compression": "Compression",
    "topics": "Topics",
    "buffers": "Buffers",
    "memories": "Memories",
    "graph": "Graph",
    "update_queue": "Update_queue",
    "review": "Review",
    "ask": "Ask?q=Where+does+Nora+live+now%3F",
    "evaluate": "Evaluate",
    "runs": "Runs_and_cost",
    "settings": "Settings",
}


def main() -> int:
    """Take every picture; 0 when all were taken."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--to", type=Path, default=ROOT / "docs" / "screenshots")
    to: Path = options.parse_args().to
    to.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "sample") as app,
        sync_playwright() as p,
    ):
        chromium = p.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(180_000)
        _prepare(page, app.url)
        for name, address in PAGES.items():
            if name == "evaluate":
                address = _evaluate(page, f"{app.url}/{address}").removeprefix(f"{app.url}/")
            _take(page, f"{app.url}/{address}", to / f"{name}.png")
        address = _compare(page, app.url).removeprefix(f"{app.url}/")
        _take(page, f"{app.url}/{address}", to / "compare.png")
        chromium.close()
    return 0


def _prepare(page: Page, url: str) -> None:
    """Import the sample and have changes proposed, as a person would."""
    page.goto(url)
    page.get_by_role("button", name="Load sample", exact=True).click()
    page.get_by_text("Finished in").wait_for()
    page.goto(f"{url}/Review")
    page.get_by_role("button", name="Consolidate").click()
    page.get_by_text("new proposal").wait_for()


def _compare(page: Page, url: str) -> str:
    """The sample as a language model reads it, in a project of its own; the address where the systems stand
    side by side."""
    page.goto(f"{url}/Import")
    page.get_by_role("button", name="Load sample as a language model reads it").click()
    page.get_by_text(re.compile(r"LiCoMemory: \d+ messages in")).wait_for()
    return re.sub(r"&?job=\w+", "", page.url)


def _evaluate(page: Page, address: str) -> str:
    """Evaluate on the sample, as a person would; the address of the result."""
    page.goto(address)
    page.get_by_role("button", name="Load sample", exact=True).click()
    page.get_by_role("button", name="Evaluate on").click()
    page.get_by_role("heading", name="Beside plain rankings").wait_for()
    return page.url


def _take(page: Page, address: str, file: Path) -> None:
    page.goto(address)
    page.locator("h1").wait_for()
    if "Ask" in address:
        page.get_by_test_id("stPlotlyChart").wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1_500)  # charts and the graph fade in
    page.screenshot(path=file)


if __name__ == "__main__":
    raise SystemExit(main())
