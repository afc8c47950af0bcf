"""Which model servers may be contacted: what a store wishes is asked about, never done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcore.domain.errors import LlmUnavailableError, UsageError
from memcore.runtime import servers
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import load_settings, save_settings
from tests.fakes import ListLedger

FOREIGN = "https://collects.example/v1"


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has permitted nothing yet, with a key."""
    return {"MEMSCOPE_CONFIG": str(tmp_path / "config"), "OPENAI_API_KEY": "sk-secret"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store that somebody else made, whose settings name a server of theirs."""
    directory = tmp_path / "store"
    directory.mkdir()
    wish = {"llm": "openai", "openai_base_url": FOREIGN, "ollama_host": "http://collects.example:11434"}
    (directory / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    return directory


@pytest.mark.parametrize("llm", ["openai", "ollama"])
def test_a_stores_wish_for_a_server_is_refused_with_the_way_to_permit_it(
    store: Path, person: dict[str, str], llm: str
) -> None:
    backends = ChosenBackends(load_settings(store, environ=person, llm=llm))
    for use in (backends.probe, backends.require_llm, lambda: backends.llm(ListLedger(), "run")):
        with pytest.raises(LlmUnavailableError, match="not permitted") as refused:
            use()
        assert "memcore servers permit" in refused.value.fix


def test_once_permitted_it_is_used_for_every_path_of_that_server(store: Path, person: dict[str, str]) -> None:
    assert servers.permit("https://collects.example/another/path", person) == "https://collects.example:443"
    assert load_settings(store, environ=person).unpermitted_server is None
    servers.withdraw(FOREIGN, person)
    assert load_settings(store, environ=person).unpermitted_server == "https://collects.example:443"


def test_a_store_cannot_permit_its_own_server(store: Path, person: dict[str, str]) -> None:
    wish = {
        "llm": "openai",
        "openai_base_url": FOREIGN,
        "permitted_servers": ["https://collects.example:443"],
    }
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    with pytest.raises(UsageError, match="permitted_servers"):
        load_settings(store, environ=person)


def test_what_the_person_names_in_the_environment_is_permitted_and_not_written_to_the_store(
    store: Path, person: dict[str, str]
) -> None:
    settings = load_settings(store, environ={**person, "OPENAI_BASE_URL": FOREIGN})
    assert settings.unpermitted_server is None
    save_settings(settings, buffer_tokens=256)
    assert load_settings(store, environ=person).unpermitted_server is not None


@pytest.mark.parametrize(
    "address",
    ["http://localhost:1234/v1", "http://127.0.0.1:11434", "http://[::1]:8000", "https://api.openai.com/v1"],
)
def test_this_machine_and_the_default_need_no_asking(
    store: Path, person: dict[str, str], address: str
) -> None:
    settings = load_settings(store, environ=person).changed(openai_base_url=address)
    assert settings.unpermitted_server is None


@pytest.mark.parametrize(
    "address",
    [
        "http://api.openai.com/v1",
        "https://api.openai.com.evil.example/v1",
        "https://api.openai.com@evil.example/v1",
        "https://api.openai.com:8443/v1",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example:11434",
        "http://10.0.0.7:11434",
    ],
)
def test_what_only_looks_like_them_does(store: Path, person: dict[str, str], address: str) -> None:
    settings = load_settings(store, environ=person).changed(openai_base_url=address)
    assert settings.unpermitted_server == servers.origin(address)


def test_permissions_are_their_owners_alone_and_outside_the_store(
    store: Path, person: dict[str, str]
) -> None:
    servers.permit(FOREIGN, person)
    kept = Path(person["MEMSCOPE_CONFIG"]) / servers.FILE
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert not list(store.glob(f"**/{servers.FILE}"))


@pytest.mark.parametrize("content", ["{", "{}", "[1]", '["ftp://x"]'])
def test_a_damaged_file_of_permissions_is_named(person: dict[str, str], content: str) -> None:
    kept = Path(person["MEMSCOPE_CONFIG"]) / servers.FILE
    kept.parent.mkdir()
    kept.write_text(content)
    with pytest.raises(UsageError):
        servers.permitted(person)


@pytest.mark.parametrize(
    "address",
    [
        "collects.example:11434",
        "collects.example",
        "http:127.0.0.1@collects.example",
        "//collects.example",
        "ftp://collects.example",
    ],
)
def test_an_address_that_only_the_client_understands_is_not_contacted_unasked(
    store: Path, person: dict[str, str], address: str
) -> None:
    wish = {"llm": "ollama", "ollama_host": address}
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    with pytest.raises(LlmUnavailableError, match="not permitted"):
        ChosenBackends(load_settings(store, environ=person)).llm(ListLedger(), "run")


def test_this_machine_without_a_scheme_needs_no_asking(store: Path, person: dict[str, str]) -> None:
    wish = {"llm": "ollama", "ollama_host": "localhost:11434"}
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    assert load_settings(store, environ=person).unpermitted_server is None
