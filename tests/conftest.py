"""What all tests share: how a whole run is divided among processes, and a store of their own."""

from __future__ import annotations

import argparse
import atexit
import os
import re
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from memcore.domain.server_address import ServerAddress
from memcore.memory import Memory, open_memory
from memcore.store import SqlStore, open_store
from tests.fakes import EMBEDDER, HashingEmbedder
from tests.pipeline import FakeBackends, SayingExtractor, open_with
from tests.postgres import new_database
from tests.server.holding import HoldingProcess, holding_process

settings.register_profile("busy cores", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy cores")

TOLD = "told"
"""The property of a test that is printed at the end of a run."""
PROCESSES = 4
"""At most: each loads the models, 2 GB."""
SHARING = frozenset(
    f"tests/browser/test_{name}.py"
    for name in (
        "compare", "evaluate", "going_along", "graph", "journey", "pages", "recorded_sample", "review",
        "stage_pages", "topics",
    )
)  # fmt: skip
"""Browser tests that use the servers of `tests.browser.conftest`, each of which is started once; the others
have a server of their own."""


def pytest_configure() -> None:
    """What a person has on this machine is neither read nor changed: their projects and permissions."""
    own = tempfile.TemporaryDirectory(prefix="memscope-tests-", ignore_cleanup_errors=True)
    atexit.register(own.cleanup)
    for variable in ("MEMSCOPE_CONFIG", "MEMSCOPE_DATA"):
        os.environ[variable] = f"{own.name}/{variable}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The figures that tests tell (`tests.browser.conftest.tell`)."""
    ran = [*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())]
    for line in (line for report in ran for name, line in report.user_properties if name == TOLD):
        terminalreporter.write_line(line)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A whole run is divided among the cores, and one process more, since tests also wait (for the disk, a
    server, the browser); single files are run in this process."""
    whole = config.args_source == pytest.Config.ArgsSource.TESTPATHS
    return min(PROCESSES, len(os.sched_getaffinity(0)) + 1) if whole else 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one file, and all browser tests with the same servers, share one process, its servers and
    models; a walk through a page has its own."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if "::test_every_control_is_used_twice[" in nodeid:
                return nodeid
            file = nodeid.partition("::")[0]
            return "browser" if file in SHARING else file

    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes longest and cannot be divided begins first. In which share a test is (`--share 2/3`) depends
    on its name alone, so that all shares together are all tests."""
    number, shares = config.getoption("--share")
    mine: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        (mine if crc32(item.nodeid.encode()) % shares == number % shares else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = mine
    items.sort(key=lambda item: not item.nodeid.startswith("tests/browser/"))


@pytest.fixture
def embedder() -> HashingEmbedder:
    """Hashed words instead of a model."""
    return EMBEDDER


def _share(said: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", said)
    number, shares = map(int, found.groups()) if found is not None else (1, 0)
    if number > shares:
        raise argparse.ArgumentTypeError(f"{said} is no share: say 1/3, 2/3 or 3/3")
    return number, shares


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--share",
        type=_share,
        default="1/1",
        help="only this share of the tests: 2/3 is the second third",
    )
    parser.addoption("--postgres", action="store_true", help="keep `store` and `memory` in PostgreSQL")


@pytest.fixture
def address() -> Iterator[ServerAddress]:
    """Of an empty PostgreSQL database."""
    with new_database() as made:
        yield made


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | ServerAddress]:
    """Where a new store may be made, by either engine."""
    if request.config.getoption("--postgres"):
        with new_database() as address:
            yield address
    else:
        yield tmp_path / "store"


@pytest.fixture
def store(place: Path | ServerAddress, embedder: HashingEmbedder) -> Iterator[SqlStore]:
    """A new store for the embedder."""
    with (
        open_with(embedder, place)
        if isinstance(place, Path)
        else open_store(place, embedding_model=embedder.model_id, dimension=embedder.dimension)
    ) as opened:
        yield opened


@pytest.fixture
def extractor() -> SayingExtractor:
    """What `memory` reads buffers with."""
    return SayingExtractor()


@pytest.fixture
def memory(
    place: Path | ServerAddress, extractor: SayingExtractor, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    """A memory with a store of its own and fakes for models."""
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    backends = partial(FakeBackends, extractor=extractor)
    with open_memory(str(place), backends=backends, queue_threshold=0.0) as opened:
        yield opened


@pytest.fixture(scope="module")
def holding() -> Iterator[HoldingProcess]:
    """Another process, which holds and serves the stores it is told."""
    with holding_process() as process:
        yield process
