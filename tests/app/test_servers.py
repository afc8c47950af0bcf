"""Settings asks before a model server is contacted that a store names."""

from __future__ import annotations

import json
from pathlib import Path

from memcore.runtime import recordings, servers
from tests.app.conftest import Open, shown
from tests.llm.test_recording import asked, recorded, said

FOREIGN = "https://collects.example/v1"


def test_a_stores_wish_is_shown_and_used_only_once_it_is_permitted(store: Path, open_page: Open) -> None:
    store.mkdir(exist_ok=True)
    wish = {"llm": "openai", "openai_base_url": FOREIGN}
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    app = open_page("13_Settings")
    assert "which you have not permitted" in shown(app)
    assert "check_server" not in [button.key for button in app.button]
    app.button(key="permit_server").click().run()
    assert servers.permitted() == {servers.origin(FOREIGN)}
    assert "which you have not permitted" not in shown(app)
    assert "check_server" in [button.key for button in app.button]


def test_what_is_no_address_cannot_be_permitted_and_says_why(store: Path, open_page: Open) -> None:
    store.mkdir(exist_ok=True)
    wish = {"llm": "ollama", "ollama_host": "ftp://collects.example"}
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    app = open_page("13_Settings")
    for _ in range(2):
        app.button(key="permit_server").click().run()
        assert "is no address of a model server" in shown(app)
        assert not app.exception
    assert servers.permitted() == frozenset()


def test_who_writes_an_address_on_settings_permits_it(store: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.selectbox(key="set_llm").set_value("openai")
    app.text_input(key="set_openai_base_url").set_value(FOREIGN)
    next(button for button in app.button if button.label == "Save").click().run()
    assert servers.permitted() == {servers.origin(FOREIGN)}


def a_recording(file: Path) -> Path:
    return recorded(file, (asked(), said("Hello.")))


def test_a_stores_wish_for_recorded_replies_is_read_only_once_it_is_permitted(
    store: Path, open_page: Open, tmp_path: Path
) -> None:
    file = a_recording(tmp_path / "talk.jsonl")
    store.mkdir(exist_ok=True)
    wish = {"llm": "recorded", "recording": str(file)}
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    app = open_page("13_Settings")
    assert "which you have not permitted" in shown(app)
    app.button(key="permit_recording").click().run()
    assert recordings.permitted() == {str(file)}
    app.button(key="check_server").click().run()
    assert f"{file} has 1 reply: recorded: live-1 (2026-11-24)." in shown(app)


def test_who_writes_a_file_on_settings_permits_it(store: Path, open_page: Open, tmp_path: Path) -> None:
    file = a_recording(tmp_path / "talk.jsonl")
    app = open_page("13_Settings")
    app.selectbox(key="set_llm").set_value("recorded")
    app.text_input(key="set_recording").set_value(str(file))
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception
    assert recordings.permitted() == {str(file)}
    assert json.loads((store / "settings.json").read_text())["recording"] == str(file)


def test_what_is_no_file_cannot_be_permitted_and_says_why(store: Path, open_page: Open) -> None:
    store.mkdir(exist_ok=True)
    (store / "settings.json").write_text(json.dumps({"llm": "recorded", "recording": " "}))
    app = open_page("13_Settings")
    app.button("permit_recording").click().run()
    assert not app.exception
    assert "is no file of recorded replies" in shown(app)
