"""Which recorded replies may be read: what a store wishes is asked about, never done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcore.domain.errors import LlmUnavailableError, UsageError
from memcore.runtime import recordings
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings, load_settings, overridden, save_settings
from memcore.runtime.examine import check_models
from tests.fakes import ListLedger
from tests.llm.test_recording import asked, recorded, said
from tests.pipeline import FakeBackends


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has permitted nothing yet."""
    return {"MEMSCOPE_CONFIG": str(tmp_path / "config")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return recorded(tmp_path / "talk.jsonl", (asked(), said("Hello.")))


@pytest.fixture
def store(tmp_path: Path, file: Path) -> Path:
    """A store that somebody else made, whose settings name a file."""
    directory = tmp_path / "store"
    directory.mkdir()
    (directory / "settings.json").write_text(json.dumps({"llm": "recorded", "recording": str(file)}))
    return directory


def test_a_stores_wish_for_a_file_is_refused_and_the_file_is_not_read(
    store: Path, person: dict[str, str]
) -> None:
    backends = ChosenBackends(load_settings(store, environ=person))
    for use in (backends.probe, backends.require_llm, lambda: backends.llm(ListLedger(), "run")):
        with pytest.raises(LlmUnavailableError, match="not permitted") as refused:
            use()
        assert "--llm recorded:" in refused.value.fix
    assert backends.model_name() == "recorded: not permitted"


def test_a_file_the_person_names_or_permitted_is_read(
    store: Path, file: Path, person: dict[str, str]
) -> None:
    for environ, named in (({"MEMSCOPE_LLM": f"recorded:{file}"}, None), ({}, f"recorded:{file}")):
        backends = ChosenBackends(load_settings(store, environ={**person, **environ}, llm=named))
        assert backends.model_name() == "recorded: live-1 (2026-11-24)"
    assert load_settings(store, environ=person).unpermitted_recording == str(file)
    recordings.permit(str(file), person)
    assert ChosenBackends(load_settings(store, environ=person)).active()["llm"] == (
        "recorded: live-1 (2026-11-24)"
    )


@pytest.mark.parametrize("wish", [" ", "talk\u202e.jsonl", "a\nb"])
def test_a_stores_wish_that_is_no_path_is_refused_and_stops_nothing_else(
    store: Path, person: dict[str, str], wish: str
) -> None:
    (store / "settings.json").write_text(json.dumps({"llm": "recorded", "recording": wish}))
    backends = ChosenBackends(load_settings(store, environ=person))
    assert backends.model_name() == "recorded: not permitted"
    with pytest.raises(LlmUnavailableError, match="not permitted"):
        backends.require_llm()


def test_the_environment_that_names_a_file_decides_both_settings(file: Path) -> None:
    assert overridden({"MEMSCOPE_LLM": f"recorded:{file}"}) == {
        "llm": "MEMSCOPE_LLM",
        "recording": "MEMSCOPE_LLM",
    }
    assert overridden({"MEMSCOPE_LLM": "ollama"}) == {"llm": "MEMSCOPE_LLM"}


def test_a_file_is_named_from_where_the_person_is(
    file: Path, person: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    settings = load_settings(file.parent / "new", environ=person, llm="recorded:talk.jsonl")
    assert (settings.llm, settings.recording) == ("recorded", str(file))


def test_naming_a_file_is_no_permission_for_later(file: Path, tmp_path: Path, person: dict[str, str]) -> None:
    directory = tmp_path / "own"
    save_settings(load_settings(directory, environ=person, llm=f"recorded:{file}"), buffer_tokens=256)
    assert load_settings(directory, environ=person).unpermitted_recording == str(file)


def test_a_store_can_neither_permit_a_file_nor_have_one_written(store: Path, person: dict[str, str]) -> None:
    for wish in ({"permitted_recordings": ["/etc/passwd"]}, {"record_to": "elsewhere.jsonl"}):
        (store / "settings.json").write_text(json.dumps(wish))
        with pytest.raises(UsageError, match="unknown settings"):
            load_settings(store, environ=person)


def test_where_replies_are_recorded_is_not_kept(tmp_path: Path, person: dict[str, str]) -> None:
    settings = load_settings(tmp_path / "own", environ=person, llm="ollama", record_to="talk.jsonl")
    save_settings(settings)
    assert "talk.jsonl" not in (tmp_path / "own" / "settings.json").read_text()


@pytest.mark.parametrize("llm", ["none", "recorded:talk.jsonl"])
def test_only_a_live_model_is_recorded(tmp_path: Path, person: dict[str, str], llm: str) -> None:
    with pytest.raises(UsageError, match="nothing to record"):
        load_settings(tmp_path, environ=person, llm=llm, record_to="new.jsonl")


def test_recorded_needs_a_file(tmp_path: Path, person: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="recording"):
        load_settings(tmp_path, environ=person, llm="recorded")


def language_model(file: Path) -> tuple[str, str, str]:
    others = {"embedder": "none of ours", "compressor": "none of ours"}
    settings = load_settings(file.parent / "store", llm=f"recorded:{file}", **others)
    check = check_models(FakeBackends(settings))[-1]
    return check.state, check.what, check.fix


def test_doctor_names_the_recording_and_what_of_it_is_damaged(tmp_path: Path) -> None:
    file = recorded(tmp_path / "talk.jsonl", (asked(), said("Hello.")))
    assert language_model(file) == ("ok", f"recorded: live-1 (2026-11-24), 1 reply in {file}", "")
    with file.open("a") as written:
        written.write("{\n")
    state, what, fix = language_model(file)
    assert state == "warn"
    assert "talk.jsonl line 2 is left out" in what
    assert fix
    file.write_text("Dear diary\n")
    assert language_model(file)[0] == "fail"


# --------------------------------------------------------------------------- the same on every machine


@pytest.mark.models
@pytest.mark.parametrize(
    "settings",
    [Settings(llm="recorded", recording="/talk.jsonl"), Settings(llm="ollama", record_to="/talk.jsonl")],
)
def test_what_is_recorded_or_replayed_is_computed_in_float32_on_every_cpu(settings: Settings) -> None:
    backends = ChosenBackends(settings)
    used = (backends.embedder(), backends.compressor(), backends.attention())
    assert {getattr(one, "runtime", "") for one in used} == {"torch float32"}


@pytest.mark.models
def test_without_a_recording_the_fastest_kernel_computes() -> None:
    from memcore.nlp.encoder.minilm import load_minilm

    assert ChosenBackends(Settings(llm="none")).embedder() is load_minilm(threads=1)
