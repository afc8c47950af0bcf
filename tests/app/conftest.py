"""Pages run by Streamlit's AppTest, in this process, on a store of their own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from memcore.domain.models import LogRead
from memcore.domain.protocols import Embedder
from memcore.memory import open_memory
from memcore.runtime.chosen import ChosenBackends
from tests.app.seed import seed
from tests.fakes import HashingEmbedder
from tests.pipeline import log
from ui.shell import opened

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def scanned_once() -> Iterator[None]:
    """Streamlit looks for components in every installed package, here before each run: half of its time."""
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory the pages use, closed again after the test; nothing is kept in the
    person's cache, configuration or data either."""
    directory = tmp_path / "store"
    monkeypatch.setenv("MEMSCOPE_STORE", str(directory))
    monkeypatch.setenv("MEMSCOPE_SERVE", "off")  # these pages have no server
    monkeypatch.setenv("MEMSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MEMSCOPE_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("MEMSCOPE_DATA", str(tmp_path / "data"))
    for name in ("MEMSCOPE_LLM", "OLLAMA_HOST", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    opened.work_with(ChosenBackends)
    yield directory
    opened.work_with(ChosenBackends)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small hand-made store, to be copied."""
    directory = tmp_path_factory.mktemp("seed") / "store"
    seed(directory)
    return directory


@pytest.fixture
def seeded(store: Path, made_once: Path) -> Path:
    """The same, with a small conversation and everything made from it."""
    shutil.copytree(made_once, store)
    return store


@pytest.fixture
def open_page(store: Path) -> Open:
    """Open a page by its file name, with query parameters."""

    def run(page: str = "app.py", /, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        if page != "app.py":
            app.switch_page(f"pages/{page}.py")
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return run


class LightBackends(ChosenBackends):
    """Hashed words instead of the encoder, by its name: a store opens with either."""

    def embedder(self) -> Embedder:
        embedder = HashingEmbedder(384)
        embedder.model_id, _ = self.embedding_space()
        return embedder


@pytest.fixture
def light_embedder(store: Path) -> None:
    """Pages work with `LightBackends`, where a test is not about meaning."""
    opened.work_with(LightBackends)


def shown(app: AppTest) -> str:
    """All HTML and text on the page, as the browser would get it."""
    parts = [element.proto.body for element in app.get("html")]
    parts += [str(element.value) for element in (*app.text, *app.title, *app.header)]
    return "\n".join(parts)


@pytest.fixture
def two_owners(seeded: Path, light_embedder: None) -> Path:
    """The seeded store with a second owner's conversation in it, read."""
    yours = LogRead((log(["I row on Sundays.", "I like tea."], name="b", owner="you"),))
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.ingest(yours, owner="you")
    return seeded
