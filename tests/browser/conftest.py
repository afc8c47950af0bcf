"""A real server and a headless Chromium, one of each for all browser tests."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.app.seed import seed

ROOT = Path(__file__).parents[2]
LOCOMO = ROOT.parent / "shared" / "data" / "locomo" / "locomo_dev4.json"
CHROMIUM = Path("/usr/bin/chromium")
expect.set_options(timeout=20_000)  # several tests may share two busy cores
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


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


@pytest.fixture(scope="session", params=["sample", "conv-26"])
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


def _serve(store: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("MEMSCOPE_", "OPENAI_", "OLLAMA_"))
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT,
        env=environment
        | {
            "MEMSCOPE_STORE": str(store),
            "MEMSCOPE_CACHE": str(store.parent / "cache"),
            "OMP_NUM_THREADS": "1",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/_stcore/health", server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        assert server.poll() is None, "the server ended at once"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    raise AssertionError(f"{url} did not answer")
