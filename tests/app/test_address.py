"""What was written into a page's address stands while a person acts on it, whatever the browser shows."""

from __future__ import annotations

import ast

import pytest
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from tests.test_architecture import APP, ROOT
from ui.shell import address, tab


def two_fields() -> None:
    """A page with a text, a choice and a button, each of which is in the address."""
    import streamlit as st

    from ui.shell import address, links, params

    params.catch_up()
    address.begin()
    st.text_input("Words", **params.bound("words", st.query_params.get("words", ""), clears=("job",)))
    kinds = ("all", "few")
    st.selectbox("Kind", kinds, **params.bound("kind", params.one_of("kind", kinds), usual="all"))
    if st.button("Begin"):
        links.address(job=f"about {st.session_state['bound_words']}")


@pytest.fixture
def opened() -> AppTest:
    app = AppTest.from_function(two_fields)
    app.query_params["tab"] = "one"
    return app.run()


def told(app: AppTest) -> dict[str, str]:
    assert not app.exception
    return {name: one if isinstance(one, str) else one[0] for name, one in app.query_params.items()}


def shows(app: AppTest, **address: str) -> AppTest:
    """The browser sends this address next."""
    app.query_params.clear()
    app.query_params.update(address)
    return app


def test_a_button_pressed_before_the_browser_shows_what_was_typed_begins_with_it(opened: AppTest) -> None:
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one").button[0].click().run()
    assert told(opened) == {"tab": "one", "words": "a lamp", "job": "about a lamp"}
    assert opened.text_input[0].value == "a lamp"


def test_a_second_choice_keeps_the_one_before_it(opened: AppTest) -> None:
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one").selectbox[0].select("few").run()
    assert told(opened) == {"tab": "one", "words": "a lamp", "kind": "few"}
    assert (opened.text_input[0].value, opened.selectbox[0].value) == ("a lamp", "few")


def test_a_second_choice_keeps_what_the_one_before_it_ended(opened: AppTest) -> None:
    opened.button[0].click().run()
    job = told(opened)["job"]
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one", job=job).selectbox[0].select("few").run()
    assert "job" not in told(opened)


def test_the_newer_of_two_texts_counts(opened: AppTest) -> None:
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one").text_input[0].input("a table").run()
    assert told(opened)["words"] == opened.text_input[0].value == "a table"
    shows(opened, tab="one", words="a lamp").button[0].click().run()
    assert told(opened)["job"] == "about a table"


def test_where_a_person_goes_the_browser_says_what_the_address_is(opened: AppTest) -> None:
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one").run()
    assert (told(opened), opened.text_input[0].value) == ({"tab": "one"}, "")
    opened.button[0].click().run()
    assert told(opened) == {"tab": "one", "job": "about "}


def left_a_moment_ago() -> None:
    """A page while the one before, which is still being drawn, writes its own address."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from ui.shell import address

    context = get_script_run_ctx()
    assert context is not None
    with context.session_state.query_params() as shared:
        shared.populate_from_query_string("text=before")
    address.begin()
    st.text(", ".join(st.query_params))


def test_a_page_that_was_left_writes_nothing_into_the_next_ones_address() -> None:
    app = AppTest.from_function(left_a_moment_ago)
    app.query_params["erase"] = "message"
    for _ in range(2):
        assert app.run().text[0].value == "erase"


def test_a_page_still_being_drawn_takes_back_no_change(
    opened: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_seen_by_another_run(params: QueryParamsProxy, written: dict[str, str]) -> None:
        written_to(params, written)
        address.stand()

    written_to = QueryParamsProxy.from_dict
    monkeypatch.setattr(QueryParamsProxy, "from_dict", as_seen_by_another_run)
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one").selectbox[0].select("few").run()
    assert told(opened) == {"tab": "one", "words": "a lamp", "kind": "few"}


def test_a_choice_is_made_before_anything_is_sent_to_the_browser(
    opened: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit may end a run as it sends something, and then calls no callback of it again."""
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(QueryParamsProxy, "from_dict", lambda params, written: sent.append(written))
    opened.text_input[0].input("a lamp").run()
    shows(opened, tab="one").selectbox[0].select("few").run()
    assert sent[0] == {"tab": "one", "words": "a lamp"}
    assert all(one == {"tab": "one", "words": "a lamp", "kind": "few"} for one in sent[2:])


def test_what_is_typed_or_chosen_counts_where_streamlit_ends_its_callback(
    opened: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab, "unless_forgotten", lambda key, then: lambda: None)
    opened.run()
    for words, kind in (("a lamp", "few"), ("a table", "all")):
        opened.text_input[0].input(words).run()
        opened.selectbox[0].select(kind).run()
        assert told(opened) == {"tab": "one", "words": words} | ({"kind": kind} if kind == "few" else {})
        assert opened.text_input[0].value == words


def with_a_job_at_work() -> None:
    """A page whose address names what is at work as soon as it is drawn."""
    import streamlit as st

    from ui.shell import address, links

    address.begin()
    links.address(job="one")
    st.button("Again")
    st.text(st.query_params.get("job", ""))


def test_the_address_of_a_page_just_come_to_is_told_with_what_is_done_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The browser may still show the page before, and would take it for that one's."""
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(QueryParamsProxy, "from_dict", lambda params, written: sent.append(written))
    app = AppTest.from_function(with_a_job_at_work)
    app.session_state["address_written"] = ("the page before", {"kind": "plan"})
    assert (app.run().text[0].value, sent) == ("one", [])
    app.button[0].click().run()
    assert sent[0] == {"job": "one"}


SETS = {"clear", "update", "from_dict", "pop", "setdefault", "popitem"}


def test_only_one_module_writes_the_address() -> None:
    found = set()
    for file in APP:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Subscript | ast.Attribute):
                continue
            sets = not isinstance(node.ctx, ast.Load) or getattr(node, "attr", "") in SETS
            if sets and ast.unparse(node.value).endswith("query_params"):
                found.add(str(file.relative_to(ROOT)))
    assert found == {"ui/shell/address.py"}
