"""A memory whose language model is the Ollama double; what runs in-process is fake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.memory import Memory
from tests.contract.ollama_double import OllamaDouble
from tests.pipeline import FakeBackends


@pytest.fixture
def encoder_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "MEMSCOPE_OLLAMA_MODEL", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def double() -> Iterator[OllamaDouble]:
    with OllamaDouble() as server:
        yield server


@pytest.fixture
def memory(double: OllamaDouble, tmp_path: Path) -> Iterator[Memory]:
    with open_on(tmp_path / "store", double.host) as opened:
        yield opened


def open_on(directory: Path, host: str, **settings: object) -> Memory:
    """A facade that asks one question at a time, so that the script's order is the log's."""
    double = {"llm": "ollama", "ollama_host": host, "ollama_model": "testdouble"}
    settings = double | {"llm_workers": 1, "queue_threshold": 0.0} | settings
    return open_memory(directory, backends=FakeBackends, **settings)
