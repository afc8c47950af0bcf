"""A real server for all browser tests, and a headless Chromium for each file of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from memcore.domain.models import Entity, Triple
from memcore.memory import open_memory
from tests.app.seed import seed
from tests.conftest import TOLD
from tools.serving import CHROMIUM, FLAGS, ROOT, served

LOCOMO = ROOT.parent / "shared" / "data" / "locomo" / "locomo_dev4.json"
expect.set_options(timeout=60_000)  # several tests may share two busy cores
LONGEST_RUN = 180_000
"""Milliseconds that a page may take: the first that needs a model waits until it is loaded."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium with a new, empty profile. While Playwright runs, no other test of this process could
    run an event loop, so it ends with the file."""
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


@pytest.fixture(scope="session")
def crowded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on the small store with a graph beside that of too many lines to read: 29 friends of one
    person, each with a lamp."""
    directory = tmp_path_factory.mktemp("crowded") / "store"
    seed(directory)
    with open_memory(directory) as memory, memory.store.write(actor="test") as writer:
        friends = [Entity(f"friend_{n:02}", "me", f"friend {n}", "PERSON") for n in range(1, 30)]
        lamps = [Entity(f"lamp_{n:02}", "me", f"lamp {n}", "THING") for n in range(1, 30)]
        writer.put_entities([*friends, *lamps, Entity("host", "me", "the host", "PERSON")])
        writer.put_triples([Triple(f"know_{f.id}", "me", "host", "know", f.id, ()) for f in friends])
        pairs = zip(friends, lamps, strict=True)
        writer.put_triples([Triple(f"own_{a.id}", "me", a.id, "own", b.id, ()) for a, b in pairs])
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


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small hand-made store, one for each test file; its tests may change it."""
    directory = tmp_path_factory.mktemp("shared") / "store"
    seed(directory)
    return directory


@pytest.fixture(scope="module")
def workbench(store: Path) -> Iterator[str]:
    """The app on `store`, which it serves."""
    yield from _serve(store)


@contextmanager
def session(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A fresh browser session, in whose tabs `settled` knows what is unanswered."""
    with browser.new_context(**{"viewport": {"width": 1360, "height": 1000}, **options}) as context:
        context.set_default_timeout(60_000)
        context.add_init_script(COUNTED)
        yield context


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """The only tab of a fresh browser session."""
    with session(browser) as context:
        yield context.new_page()


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
  return app?.dataset.testScriptState === "notRunning" && !window.unanswered
    && !app.querySelector("[data-testid=stSkeleton]")  // a part whose program is still loading
    && performance.now() - window.lastChange > milliseconds;
}}"""
COUNTED = """(() => {
  const read = data => {  // which fields a message of Streamlit has, and its numbers
    const bytes = new Uint8Array(data), fields = {};
    let at = 0;
    const number = () => {
      let sum = 0, place = 1, byte;
      do { byte = bytes[at++]; sum += (byte & 127) * place; place *= 128; } while (byte & 128);
      return sum;
    };
    while (at < bytes.length) {
      const tag = number(), value = number();
      if (tag % 8 === 2) at += value;
      else if (tag % 8 !== 0) break;
      fields[Math.floor(tag / 8)] = value;
    }
    return fields;
  };
  const [RERUN, FINISHED, TO_RUN_AGAIN] = [11, 6, 2];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (!this.counted) {
      this.counted = true;
      this.addEventListener("message", ({data}) => {
        const ended = read(data)[FINISHED];
        if (ended !== undefined && ended !== TO_RUN_AGAIN) window.unanswered = false;
      });
    }
    if (RERUN in read(data)) window.unanswered = true;
    return send.call(this, data);
  };
})();"""
"""Marks a page while its server owes it an answer: on a busy machine a run begins long after the click."""


def settled(page: Page, milliseconds: int = 300) -> None:
    """Wait until the script has ended and nothing on screen has changed for a moment, from now on: what
    was just pressed or clicked may not have begun yet."""
    page.evaluate(_WATCH)
    page.wait_for_function(_STILL, arg=milliseconds, timeout=LONGEST_RUN)


def _serve(store: Path) -> Iterator[str]:
    with served(store, OMP_NUM_THREADS="1") as app:
        yield app.url


def tell(test: pytest.Item, line: str) -> None:
    """A figure that stands in the summary of the run, whichever process the test runs in."""
    test.user_properties.append((TOLD, line))
