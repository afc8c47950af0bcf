"""Save in Settings says at once whether the chosen server and model answer, and waits for no server."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open, shown
from tests.app.test_servers import a_recording
from tests.contract.ollama_double import OllamaDouble
from ui.settings import model_server

Saved = Callable[..., AppTest]
BLOCKED_S = 2.0
"""Less than a probe waits for a server that hangs."""


@pytest.fixture
def double() -> Iterator[OllamaDouble]:
    with OllamaDouble() as double:
        yield double


@pytest.fixture
def hanging() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taking:
        yield f"http://127.0.0.1:{taking.getsockname()[1]}"


@pytest.fixture
def saved(open_page: Open) -> Saved:
    """Settings, where a backend and what belongs to it were chosen and saved."""

    def save(backend: str, **fields: str) -> AppTest:
        app = open_page("13_Settings")
        app.selectbox(key="set_llm").set_value(backend)
        for name, value in fields.items():
            app.text_input(key=f"set_{name}").set_value(value)
        return press_save(app)

    return save


def press_save(app: AppTest) -> AppTest:
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception
    return app


def until(app: AppTest, said: str) -> str:
    """The page once it says so, as its fragment draws it again and again in a browser."""
    begun = time.monotonic()
    while said not in (html := shown(app)):
        assert time.monotonic() - begun < 8, f"it never said {said!r}"
        time.sleep(0.1)
        app.run()
    return html


def test_a_server_that_has_the_model_is_named_and_stays_on_the_page(
    saved: Saved, double: OllamaDouble
) -> None:
    app = saved("ollama", ollama_host=double.host, ollama_model="testdouble")
    until(app, f"{double.host} answers and has testdouble.")
    app.run()
    assert "answers and has testdouble" in shown(app)
    assert "It has: testdouble:latest" in shown(app)


def test_a_server_that_is_down_is_said_with_its_fix(saved: Saved) -> None:
    app = saved("openai", openai_base_url="http://127.0.0.1:9/v1")
    assert "Start it" in until(app, "No server answers at http://127.0.0.1:9/v1.")


@pytest.mark.parametrize(
    ("backend", "fields", "fix"),
    [
        ("ollama", {"ollama_host": "{host}", "ollama_model": "qwen9"}, "ollama pull qwen9"),
        ("openai", {"openai_base_url": "{host}/v1", "openai_model": "qwen9"}, "Choose one of its models"),
    ],
)
def test_a_server_that_lacks_the_model_says_what_it_has(
    saved: Saved, double: OllamaDouble, backend: str, fields: dict[str, str], fix: str
) -> None:
    app = saved(backend, **{name: value.format(host=double.host) for name, value in fields.items()})
    html = until(app, "It has: testdouble:latest")
    assert fix in html
    assert "qwen9" in html


def test_a_server_that_hangs_blocks_no_page(saved: Saved, hanging: str) -> None:
    saved("none")  # models and pages are loaded by now
    begun = time.monotonic()
    saved("none")
    usual = time.monotonic() - begun  # as long as this machine takes now to open the page and save
    begun = time.monotonic()
    app = saved("ollama", ollama_host=hanging)
    assert time.monotonic() - begun < usual + BLOCKED_S
    assert "Asking the server…" in shown(app)
    until(app, f"Ollama is not running at {hanging}.")


def test_a_server_that_trickles_is_waited_for_no_longer_than_said(
    saved: Saved, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_server, "LONGEST_S", 0.5)
    app = saved("ollama", ollama_host=hanging)
    until(app, f"{hanging} has not answered within 0.5 seconds.")


def test_what_was_found_of_another_server_is_not_shown(saved: Saved, double: OllamaDouble) -> None:
    app = saved("ollama", ollama_host=double.host, ollama_model="testdouble")
    until(app, "answers and has testdouble")
    app.text_input(key="set_ollama_host").set_value("http://127.0.0.1:9")
    html = until(press_save(app), "Ollama is not running at http://127.0.0.1:9.")
    assert "answers and has" not in html
    app.selectbox(key="set_llm").set_value("none")
    assert "Model server" not in shown(press_save(app))


def test_a_recording_is_read_when_it_is_saved(saved: Saved, tmp_path: Path) -> None:
    file = a_recording(tmp_path / "talk.jsonl")
    until(saved("recorded", recording=str(file)), f"{file} has 1 reply: recorded: live-1 (2026-11-24).")


def test_a_server_that_is_not_permitted_is_not_asked(
    store: Path, open_page: Open, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.mkdir(exist_ok=True)
    wish = {"llm": "openai", "openai_base_url": "https://collects.example/v1"}
    (store / "settings.json").write_text(json.dumps(wish), encoding="utf-8")
    app = press_save(open_page("13_Settings"))
    assert "which you have not permitted" in shown(app)
    assert "Asking the server" not in shown(app)
    assert model_server._CHECK not in app.session_state
