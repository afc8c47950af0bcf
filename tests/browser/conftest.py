"""A real server and a headless Chromium, one of each for all browser tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.app.seed import seed
from tools.serving import CHROMIUM, FLAGS, ROOT, served

LOCOMO = ROOT.parent / "shared" / "data" / "locomo" / "locomo_dev4.json"
expect.set_options(timeout=60_000)  # several tests may share two busy cores


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium with a new, empty profile."""
    if not CHROMIUM.exists():
        pytest.skip(f"no {CHROMIUM}: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def empty_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on a new store."""
    yield from _serve(tmp_path_factory.mktemp("empty") / "store")


@pytest.fixture(scope="session")
def seeded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on the small hand-made store; no test changes it."""
    directory = tmp_path_factory.mktemp("seeded") / "store"
    seed(directory)
    yield from _serve(directory)


@pytest.fixture(scope="session", params=["sample", pytest.param("conv-26", marks=pytest.mark.slow)])
def read_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on a store that holds one log, read by both systems with the real models and consolidated:
    the sample and, where it is at hand, a LoCoMo conversation. A test that changes it puts it back."""
    folder = tmp_path_factory.mktemp(request.param)
    log = ROOT / "sample_data" / "two_friends.json"
    if request.param == "conv-26":
        if not LOCOMO.exists():
            pytest.skip(f"the development data is not here: {LOCOMO}")
        samples = json.loads(LOCOMO.read_text(encoding="utf-8"))
        log = folder / "conv26.json"
        log.write_text(json.dumps([s for s in samples if s["sample_id"] == "conv-26"]), encoding="utf-8")
    for command in (["ingest", str(log)], ["ingest", str(log), "--recipe", "lightmem"], ["consolidate"]):
        subprocess.run(
            [sys.executable, "-m", "memcore", *command, "--store", str(folder / "store")],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1", "MEMSCOPE_LLM": "none"},
            check=True,
            capture_output=True,
        )
    yield from _serve(folder / "store")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh browser session that counts as foreign every request to another host."""
    context = browser.new_context(viewport={"width": 1360, "height": 1000})
    context.set_default_timeout(60_000)
    tab = context.new_page()
    yield tab
    context.close()


_WATCH = """() => {
  if (!window.lastChange) {
    new MutationObserver(() => { window.lastChange = performance.now(); })
      .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  }
  window.lastChange = performance.now();
}"""
_STILL = f"""milliseconds => {{
  if (!window.lastChange) ({_WATCH})();  // another page
  const app = document.querySelector("[data-testid=stApp]");
  return app?.dataset.testScriptState === "notRunning"
    && performance.now() - window.lastChange > milliseconds;
}}"""


def settled(page: Page, milliseconds: int = 300) -> None:
    """Wait until the script has ended and nothing on screen has changed for a moment, from now on: what
    was just pressed or clicked may not have begun yet."""
    page.evaluate(_WATCH)
    page.wait_for_function(_STILL, arg=milliseconds)


def _serve(store: Path) -> Iterator[str]:
    with served(store, OMP_NUM_THREADS="1") as app:
        yield app.url
