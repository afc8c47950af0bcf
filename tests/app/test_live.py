"""Pages that are drawn by themselves: which are, when, and what stays on them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

from memcore.memory import Memory
from tests.app.conftest import ROOT, Open, shown
from ui.shell import live, opened, pushing
from ui.shell.live import CHANGED, RESTS, RESTS_BESIDE_A_JOB

ASKED = "Where does Ada live?"


class Browser:
    """A session of a browser, whose runs are noted and not made."""

    def __init__(self) -> None:
        files = MemoryUploadedFileManager("/uploads")
        self.session = AppSession(ScriptData(str(ROOT / "app.py"), False), files, ScriptCache(), None, {})
        self.runs: list[RerunData] = []
        self.session._create_scriptrunner = self.runs.append  # type: ignore[method-assign]
        self.session._client_state = ClientState(page_script_hash="a page", query_string="memory=mem_1")


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every session is a browser's that is still there."""
    monkeypatch.setattr(pushing, "is_open", lambda session: True)


def told(do: object, *, drawing: bool = False) -> tuple[list[RerunData], list[str]]:
    """The runs of a session that `do` is done to, and what was called before them."""
    called: list[str] = []

    async def asking() -> Browser:
        browser = Browser()
        if drawing:
            browser.session._scriptrunner = Mock()
        do(browser.session, lambda: called.append("begun"))  # type: ignore[operator]
        await asyncio.sleep(0.05)
        return browser

    return asyncio.run(asking()).runs, called


def save_source_file(session: AppSession, begun: object) -> None:
    """What Streamlit does when a source file was saved and it always draws the page anew then."""
    session.set_run_on_save(True)
    session._on_source_file_changed()


def test_a_session_is_asked_as_streamlit_asks_it_when_a_source_file_was_saved(connected: None) -> None:
    (ours,), called = told(pushing.draw_anew)
    (streamlits,), _ = told(save_source_file)
    assert ours == streamlits
    assert (ours.page_script_hash, ours.query_string) == ("a page", "memory=mem_1")
    assert not list(ours.widget_states.widgets)  # type: ignore[union-attr]
    assert not ours.fragment_id
    assert called == ["begun"]


def test_a_session_that_draws_is_not_disturbed(connected: None) -> None:
    assert told(pushing.draw_anew, drawing=True) == ([], [])


def test_a_session_whose_browser_has_gone_is_left_alone() -> None:
    assert told(pushing.draw_anew) == ([], [])


@pytest.mark.parametrize("gone", ["", *pushing.NEEDED])
def test_where_streamlit_has_become_another_nobody_is_asked(
    monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    async def found() -> bool:
        session = Browser().session
        server = SimpleNamespace(get_app_session={"a session": session}.get)
        monkeypatch.setattr(pushing, "get_script_run_ctx", lambda: SimpleNamespace(session_id="a session"))
        monkeypatch.setattr(pushing, "runtime", Mock(get_instance=lambda: server))
        if gone:
            delattr(session, gone)
        there = pushing.this_session() is session
        session.__dict__.setdefault("_scriptrunner", None)  # it shuts down when it is collected
        return there

    assert asyncio.run(found()) is not bool(gone)


STORE, OTHER = Path("a store"), Path("another")


def page(**more: object) -> live._Page:
    """A page that was drawn in two seconds, from the fifth change."""
    usual = {"seen": opened.Change(STORE, 5), "by_itself": False, "begun": 10.0, "ended": 12.0}
    return live._Page(**usual | more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("what", "newest", "rests", "at", "behind"),
    [
        (page(), opened.Change(STORE, 6), RESTS, 14.0, True),
        (page(), opened.Change(STORE, 6), RESTS, 13.9, False),
        (page(), opened.Change(STORE, 6), RESTS_BESIDE_A_JOB, 29.9, False),
        (page(), opened.Change(STORE, 6), RESTS_BESIDE_A_JOB, 30.0, True),
        (page(begun=11.9), opened.Change(STORE, 6), RESTS, 12.9, False),
        (page(begun=11.9), opened.Change(STORE, 6), RESTS, 13.0, True),
        (page(), opened.Change(STORE, 5), RESTS, 99.0, False),
        (page(), opened.Change(OTHER, 6), RESTS, 99.0, False),
        (page(ended=None), opened.Change(STORE, 6), RESTS, 99.0, False),
        (page(asked=True), opened.Change(STORE, 6), RESTS, 99.0, False),
    ],
    ids=[
        "changed",
        "rests",
        "rests more",
        "has rested",
        "settles",
        "has settled",
        "no change",
        "other store",
        "drawing",
        "asked",
    ],
)
def test_a_page_is_drawn_anew_once_it_rested_and_its_store_changed(
    monkeypatch: pytest.MonkeyPatch,
    what: live._Page,
    newest: opened.Change,
    rests: int,
    at: float,
    behind: bool,
) -> None:
    monkeypatch.setattr(live.time, "monotonic", lambda: at)
    assert (what.can_be_asked(rests) and what.is_behind(newest)) is behind


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> list[opened.Change]:
    """The newest changes, one for each time that the store is asked."""
    there = [opened.Change(STORE, 6), opened.Change(STORE, 7)]
    monkeypatch.setattr(opened, "newest_change", lambda: there.pop(0))
    return there


@pytest.fixture
def drawn(connected: None, monkeypatch: pytest.MonkeyPatch) -> list[AppSession]:
    """The sessions that were asked."""
    asked: list[AppSession] = []
    monkeypatch.setattr(pushing, "draw_anew", lambda session, begun: asked.append(session))
    return asked


def test_the_store_is_asked_once_for_each_change_that_it_tells_of(
    changes: list[opened.Change], drawn: list[AppSession]
) -> None:
    session, watch = Mock(spec=AppSession), live._Watch()
    watch.pages[session] = page(seen=changes[0])
    known = live._ask(watch, None)
    assert (live._ask(watch, known), len(changes), drawn) == (known, 1, [])
    assert live._ask(watch, None) == opened.Change(STORE, 7)
    assert drawn == [session]


@pytest.mark.parametrize("busy", [page(ended=None), page(asked=True)], ids=["drawing", "asked"])
def test_the_store_is_not_asked_while_no_page_can_be_drawn(
    changes: list[opened.Change], drawn: list[AppSession], busy: live._Page
) -> None:
    session, watch = Mock(spec=AppSession), live._Watch()
    watch.pages[session] = busy
    assert live._ask(watch, None) is None
    assert (len(changes), drawn) == (2, [])
    watch.pages[session] = page()
    assert live._ask(watch, None) == opened.Change(STORE, 6)
    assert drawn == [session]


def test_every_change_has_a_number_of_its_own(seeded: Path, light_embedder: None, open_page: Open) -> None:
    assert opened.newest_change() is None  # nothing is open, and nothing is opened to look
    memory = opened.opened()
    numbers = [opened.newest_change()]
    for _ in range(2):
        memory.reject([memory.review.proposals("me")[0].id], owner="me")
        numbers.append(opened.newest_change())
    assert [one.store for one in numbers if one] == [seeded] * 3
    assert [one.number - numbers[0].number for one in numbers if one and numbers[0]] == [0, 1, 2]


@pytest.fixture
def drawn_by_itself(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Whether pages are, from now on."""
    now = {"by itself": True}
    monkeypatch.setattr(live, "by_itself", lambda: now["by itself"])
    return now


def somebody_rejects(proposal: str = "prop_3") -> None:
    opened.opened().reject([proposal], owner="me")


def test_an_answer_is_not_asked_for_again_because_somebody_else_wrote(
    seeded: Path,
    light_embedder: None,
    open_page: Open,
    drawn_by_itself: dict[str, bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask, asked = Memory.ask, []

    def noted(self: Memory, query: str, **more: object) -> object:
        asked.append(query)
        return ask(self, query, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Memory, "ask", noted)
    app = open_page("9_Ask", q=ASKED)
    for proposal in ("prop_2", "prop_3"):
        somebody_rejects(proposal)
        app.run()
        assert not app.exception
        assert asked == [ASKED]
        assert CHANGED in shown(app)

    drawn_by_itself["by itself"] = False
    app.run()
    assert asked == [ASKED] * 2
    assert CHANGED not in shown(app)


def test_the_proposal_in_front_stays_when_somebody_else_decides_it(
    seeded: Path, light_embedder: None, open_page: Open, drawn_by_itself: dict[str, bool]
) -> None:
    app = open_page("8_Review")
    first = opened.opened().review.proposals("me")[0].id
    assert app.session_state["review_in_front"] == first
    somebody_rejects(first)
    app.run()
    assert app.session_state["review_in_front"] == first
    assert not [button for button in app.button if button.label == "Approve"]

    drawn_by_itself["by itself"] = False
    app.run()
    assert app.session_state["review_in_front"] != first
    assert [button for button in app.button if button.label == "Approve"]


def test_an_error_stays_until_the_person_does_something(
    seeded: Path, light_embedder: None, open_page: Open, drawn_by_itself: dict[str, bool]
) -> None:
    app = open_page("8_Review", proposal="prop_1")
    somebody_rejects("prop_1")
    drawn_by_itself["by itself"] = False
    app.button(key="approve").click().run()
    drawn_by_itself["by itself"] = True
    for _ in range(3):
        assert shown(app).count('role="alert"') == 1
        app.run()
    drawn_by_itself["by itself"] = False
    app.run()
    assert 'role="alert"' not in shown(app)
