"""Settings erases for good what was counted and confirmed, and nothing before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import Open, shown


@pytest.mark.usefixtures("light_embedder")
def test_a_person_is_counted_confirmed_and_erased(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.selectbox(key="bound_erase").set_value("person").run()
    speakers = app.selectbox(key="chosen_person").options
    assert len(speakers) > 1
    assert not [button for button in app.button if button.key == "erase_now"], "nothing was counted yet"
    app.button(key="erase_count").click().run()
    assert "It would go: " in shown(app) and "cannot be undone" in shown(app)
    assert app.button(key="erase_now").disabled
    app.checkbox(key="erase_sure").check().run()
    app.button(key="erase_now").click().run()
    assert not app.exception
    assert "Erased. " in shown(app)
    left = app.selectbox(key="chosen_person").options
    assert left == speakers[1:]

    app.button(key="erase_count").click().run()
    assert app.button(key="erase_now").disabled, "each erasure is confirmed on its own"
    app.checkbox(key="erase_sure").check().run()
    app.button(key="erase_now").click().run()
    assert not app.exception


@pytest.mark.usefixtures("light_embedder")
def test_a_message_that_is_not_there_is_said(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.selectbox(key="bound_erase").set_value("message").run()
    assert app.button(key="erase_count").disabled, "nothing is named"
    app.text_input(key="bound_message").set_value("msg_none").run()
    app.button(key="erase_count").click().run()
    assert not app.exception
    assert "There is no message" in shown(app)


@pytest.mark.usefixtures("light_embedder")
def test_what_is_to_be_erased_stands_in_the_address(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.selectbox(key="bound_erase").set_value("person").run()
    first, second = app.selectbox(key="chosen_person").options[:2]
    app.selectbox(key="chosen_person").set_value(second).run()
    reloaded = open_page("13_Settings", erase="person", person=second)
    assert {name: reloaded.query_params[name] for name in ("erase", "person")} == dict(app.query_params)
    assert reloaded.selectbox(key="chosen_person").value == second != first
