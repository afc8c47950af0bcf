"""Settings erases for good what was named, shown, counted and confirmed, and nothing before; links lead there
from where something is read."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from memcore.memory import open_memory
from tests.app.conftest import Open
from tests.app.conftest import shown as html_of
from tests.app.seed import TEXTS
from ui.settings.erasing import KINDS
from ui.shell.jobs import board

pytestmark = pytest.mark.usefixtures("light_embedder")


def shown(app: AppTest) -> str:
    """What the page says, as it is read."""
    return unescape(html_of(app))


def keys(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


def confirm(app: AppTest) -> None:
    app.button(key="erase_count").click().run()
    assert app.button(key="erase_now").disabled, "each erasure is confirmed on its own"
    app.checkbox(key="erase_sure").check().run()
    app.button(key="erase_now").click().run()
    assert not app.exception
    assert "Erased. " in shown(app)


def ways(html: str) -> list[dict[str, str]]:
    """What the links to Settings inside HTML would choose there."""
    links = [urlsplit(unescape(link)) for link in re.findall(r'class="ms-erase" href="([^"]*)"', html)]
    assert {link.path for link in links} <= {"./Settings"}
    return [{name: value for name, (value,) in parse_qs(link.query).items()} for link in links]


def page_links(app: AppTest) -> dict[str, dict[str, str]]:
    """By their words, what links to Settings would choose there."""
    found = [one.proto for one in app.get("page_link")]
    return {
        one.label: {name: value for name, (value,) in parse_qs(one.query_string).items()}
        for one in found
        if "erase=" in one.query_string
    }


# --------------------------------------------------------------------------- on Settings


def test_a_person_is_counted_confirmed_and_erased_twice_in_a_row(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings")
    app.selectbox(key="chosen_erase").set_value("person").run()
    box = app.selectbox(key="chosen_which")
    assert (box.options, box.value) == (["Ada", "Ben"], None), "nobody is chosen before a person is"
    assert app.button(key="erase_count").disabled
    box.set_value("Ada").run()
    assert app.query_params["erase"] == "person"
    assert app.query_params["which"] == "Ada"
    assert "erase_now" not in keys(app), "nothing was counted yet"
    app.button(key="erase_count").click().run()
    assert "It would go: " in shown(app) and "cannot be undone" in shown(app)
    assert app.button(key="erase_now").disabled
    confirm(app)
    box = app.selectbox(key="chosen_which")
    assert (box.options, box.value, "which" in app.query_params) == (["Ben"], None, False)
    box.set_value("Ben").run()
    confirm(app)
    assert "Nothing is stored yet." in shown(app)


def test_what_a_link_names_is_chosen_and_shown_and_nothing_is_done(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings", erase="message", which="msg_2")
    assert app.selectbox(key="chosen_erase").value == "message"
    assert app.text_input(key="bound_which").value == "msg_2"
    assert TEXTS[2][1] in shown(app), "the words of the message it names"
    assert "Erased" not in shown(app) and "erase_now" not in keys(app)
    confirm(app)
    with open_memory(seeded) as memory:
        assert memory.evidence.message("msg_2") is None
        assert memory.evidence.message("msg_3") is not None


def test_a_conversation_and_a_person_are_chosen_by_a_link_too(seeded: Path, open_page: Open) -> None:
    (conversation,) = (one.id for one in conversations(seeded))
    app = open_page("13_Settings", erase="conversation", which=conversation)
    assert app.selectbox(key="chosen_which").value == conversation
    assert TEXTS[0][1] in shown(app) and TEXTS[-1][1] in shown(app)
    app = open_page("13_Settings", erase="person", which="Ben")
    assert app.selectbox(key="chosen_which").value == "Ben"


@pytest.mark.parametrize("what", [kind for kind in KINDS if kind != "owner"])
def test_what_is_not_there_is_said_and_cannot_be_erased(seeded: Path, open_page: Open, what: str) -> None:
    app = open_page("13_Settings", erase=what, which="none_of_these")
    assert not app.exception
    assert "There is no" in shown(app) and "none_of_these" in shown(app)
    if not app.button(key="erase_count").disabled:
        app.button(key="erase_count").click().run()
        assert not app.exception
    assert "erase_now" not in keys(app)


def test_another_choice_lets_go_of_what_was_named_and_of_its_count(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings", erase="message", which="msg_2")
    app.button(key="erase_count").click().run()
    assert "erase_now" in keys(app)
    app.selectbox(key="chosen_erase").set_value("person").run()
    assert "which" not in app.query_params
    assert app.selectbox(key="chosen_which").value is None
    assert "erase_now" not in keys(app)
    app.selectbox(key="chosen_erase").set_value("message").run()
    assert app.text_input(key="bound_which").value == ""
    app.text_input(key="bound_which").set_value("msg_3").run()
    assert TEXTS[3][1] in shown(app) and TEXTS[2][1] not in shown(app)
    assert "erase_now" not in keys(app), "another message was counted"


def test_a_count_holds_only_while_the_store_is_as_it_was(seeded: Path, open_page: Open) -> None:
    app = open_page("13_Settings", erase="message", which="msg_2")
    app.button(key="erase_count").click().run()
    app.checkbox(key="erase_sure").check().run()
    app.switch_page("pages/5_Memories.py").run()
    app.switch_page("pages/13_Settings.py")
    app.query_params["erase"], app.query_params["which"] = "message", "msg_2"
    app.run()
    assert app.button(key="erase_now").disabled, "who comes back reads the count again"
    with open_memory(seeded) as memory:
        memory.curation.note_question("Who?", [])
        memory.reject([memory.review.proposals()[0].id])
    app.run()
    assert "erase_now" not in keys(app), "something was decided since"


def test_nothing_that_was_made_before_is_shown_afterwards(seeded: Path, open_page: Open) -> None:
    (conversation,) = (one.id for one in conversations(seeded))
    job = board().start("Update queue", "A dry run", str, lambda progress, cancelled: TEXTS[2][1])
    job.future.result(timeout=180)
    app = open_page("13_Settings", erase="conversation", which=conversation, log=conversation)
    app.session_state["answered"] = TEXTS[2][1]
    confirm(app)
    assert board().get(job.id) is None
    assert "answered" not in app.session_state
    assert "log" not in app.query_params and "which" not in app.query_params


# --------------------------------------------------------------------------- where something is read


def conversations(store: Path) -> list:  # type: ignore[type-arg]
    with open_memory(store) as memory:
        return memory.evidence.conversations()


def test_every_message_that_is_read_leads_to_where_it_is_erased(seeded: Path, open_page: Open) -> None:
    for app in (
        open_page("5_Memories"),
        open_page("5_Memories", memory="mem_1"),
        open_page("3_Topics"),
        open_page("2_Compression"),
        open_page("9_Ask", q="Where does Ada live?", why_words="Miso", why="msg_4"),
        open_page("8_Review"),
    ):
        assert not app.exception
        found = ways(html_of(app))
        assert found, app.title[0].value
        with open_memory(seeded) as memory:
            for way in found:
                assert way.pop("owner", "me") == "me"
                assert way["erase"] == "message"
                assert memory.evidence.message(way["which"]) is not None


def test_conversations_and_persons_lead_there_as_well(seeded: Path, open_page: Open) -> None:
    (conversation,) = (one.id for one in conversations(seeded))
    of_it = {"erase": "conversation", "which": conversation}
    assert of_it.items() <= page_links(open_page("3_Topics"))["Erase this conversation…"].items()
    (home,) = page_links(open_page("app.py")).values()
    assert home["erase"] == "conversation"
    assert page_links(open_page("5_Memories")) == {}
    (ada,) = page_links(open_page("5_Memories", person="Ada")).values()
    assert {"erase": "person", "which": "Ada"}.items() <= ada.items()
