"""Settings: the file that keeps them, and the settings that systems have of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcore.domain.errors import UsageError
from memcore.runtime.caller import Caller, working_for
from memcore.runtime.config import Settings, cache_directory, load_settings, save_settings
from memcore.runtime.servers import config_directory
from memcore.runtime.store_place import data_directory

OLD = {
    "llm": "none",
    "compression_rate": 0.7,
    "segment_method": "similarity",
    "lightmem_segment_method": "attention",
    "lightmem_sensory_tokens": 256,
    "lightmem_messages": "all",
    "lightmem_prompt": "event",
    "queue_keep": 5,
}
"""As the versions before systems had settings of their own wrote the file."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path


def written(store: Path, values: dict[str, Any]) -> None:
    (store / "settings.json").write_text(json.dumps(values), encoding="utf-8")


def read(store: Path, **overrides: Any) -> Settings:
    return load_settings(store, overriding=False, **overrides)


def test_a_settings_file_from_before_opens_unchanged(store: Path) -> None:
    written(store, OLD)
    settings = read(store)
    assert (settings.compression_rate, settings.segment_method, settings.queue_keep) == (0.7, "similarity", 5)
    own = settings.of("lightmem")
    assert (own.segment_method, own.messages, own.prompt) == ("attention", "all", "event")
    assert settings.sensory_tokens == 256


def test_what_is_saved_is_read_again(store: Path) -> None:
    saved = save_settings(read(store), lightmem_prompt="event", buffer_tokens=128)
    assert read(store) == saved
    assert saved.of("lightmem").prompt == "event"
    kept = json.loads((store / "settings.json").read_text(encoding="utf-8"))
    assert (kept["lightmem_prompt"], kept["lightmem_messages"], kept["buffer_tokens"]) == (
        "event",
        "user",
        128,
    )
    assert "openai_api_key" not in kept and "systems" not in kept


def test_a_system_without_settings_of_its_own_in_the_file_has_its_defaults(store: Path) -> None:
    assert read(store).of("lightmem").segment_method == "intersection"
    assert read(store) == Settings(store_dir=store)


def test_settings_set_back_to_the_default_are_as_never_changed(store: Path) -> None:
    changed = read(store, lightmem_messages="all")
    assert changed.changed(lightmem_messages="user") == read(store)


@pytest.mark.parametrize(
    ("name", "value"),
    [("lightmem_prompt", "long"), ("lightmem_messages", "nobody"), ("lightmem_segment_method", "none")],
)
def test_a_value_that_a_system_does_not_know_is_refused_by_name(store: Path, name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"{name} = '{value}' is not possible"):
        read(store, **{name: value})


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"lightmem_prompts": "flat"}, "unknown settings: lightmem_prompts"),
        ({"systems": {}}, "unknown settings: systems"),
        ({"lightmem_prompt": 3}, "lightmem_prompt = 3 in .* should be a str"),
        ([], "is not an object"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(store: Path, values: Any, what: str) -> None:
    written(store, values)
    with pytest.raises(UsageError, match=what):
        read(store)


@pytest.mark.parametrize(
    ("place", "variable", "found"),
    [
        (cache_directory, "MEMSCOPE_CACHE", "here"),
        (cache_directory, "XDG_CACHE_HOME", "here/memscope"),
        (config_directory, "MEMSCOPE_CONFIG", "here"),
        (config_directory, "XDG_CONFIG_HOME", "here/memscope"),
        (data_directory, "MEMSCOPE_DATA", "here"),
        (data_directory, "XDG_DATA_HOME", "here/memscope"),
    ],
)
def test_a_relative_place_counts_from_where_the_caller_is(
    tmp_path: Path, place: Callable[[], Path], variable: str, found: str
) -> None:
    with working_for(Caller({variable: "here"}, tmp_path)):
        assert place() == tmp_path / found
    assert place({variable: str(tmp_path)}) in (tmp_path, tmp_path / "memscope")
