"""The workbench where people log in: who is not let in, what is greyed, and what of others nobody sees."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.secrets import Secrets
from streamlit.testing.v1 import AppTest

from memcore.domain.errors import NotPermittedError, UsageError
from memcore.domain.models import EVERY_OWNER, Role
from memcore.memory import open_memory
from tests.app.conftest import ROOT, LightBackends, Open, shown
from tests.app.seed import RUN
from tests.app.test_owner_boundary import MINE
from ui.shell import opened, who
from ui.shell.jobs import board
from ui.shell.text import label
from ui.shell.who import comes_from_here

AUTH = {
    "redirect_uri": "https://memory.example.org/oauth2callback",
    "cookie_secret": "a secret of this test",
    "client_id": "memscope",
    "client_secret": "none",
    "server_metadata_url": "https://id.example/.well-known/openid-configuration",
}
ANN, BEN = "ann@example.org", "ben@example.org"
PAGES = (
    *("app.py", "1_Import", "2_Compression", "3_Topics", "4_Buffers", "5_Memories", "6_Graph"),
    *("7_Update_queue", "8_Review", "9_Ask", "10_Compare", "11_Evaluate", "12_Runs_and_cost", "13_Settings"),
)
LogIn = Callable[..., AppTest]


@pytest.fixture
def share(two_owners: Path) -> Callable[..., None]:
    def grant(person: str, role: Role, owner: str = "me") -> None:
        with open_memory(two_owners, backends=LightBackends) as memory:
            memory.people.grant(person, role, owner=owner)

    return grant


@pytest.fixture
def log_in(two_owners: Path) -> LogIn:
    """A page as somebody sees it who logged in with a verified address, or (None) did not log in."""

    def run(
        email: str | None, page: str = "app.py", claims: dict[str, Any] | None = None, **query: str
    ) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        app.secrets["auth"] = dict(AUTH)
        told = {"email": email, "email_verified": True, "iss": "https://id.example", "sub": "7"}
        app.user = (
            {"is_logged_in": False} if email is None else {"is_logged_in": True, **told, **(claims or {})}
        )
        if page != "app.py":
            app.switch_page(f"pages/{page}.py")
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return run


def everything(app: AppTest) -> str:
    """All that reaches the browser of a page, sidebar included."""
    links = [part.proto.label for part in (*app.get("page_link"), *app.sidebar.get("page_link"))]
    boxes = [(box.label, box.options) for box in (*app.selectbox, *app.sidebar.selectbox)]
    parts = [part.proto.body for part in app.sidebar.get("html")]
    return "\n".join([shown(app), str(boxes), str(links), str([d.value for d in app.dataframe]), *parts])


# ---------------------------------------------------------------- who is let in


@pytest.mark.parametrize("page", PAGES)
def test_who_has_not_logged_in_sees_the_way_to_log_in_and_nothing_else(log_in: LogIn, page: str) -> None:
    app = log_in(None, page, owner="me", memory="mem_1", session="ses_1", run=RUN)
    assert not app.exception
    assert [button.label for button in app.button] == ["Log in"]
    assert not [words for words in (*MINE, "store", "tea") if words in everything(app)]
    assert not app.sidebar.children


def test_every_provider_that_is_configured_has_a_button(log_in: LogIn, two_owners: Path) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    app.secrets["auth"] = {"redirect_uri": "x", "cookie_secret": "y", "one": {"client_id": "a"}, "two": {}}
    app.user = {"is_logged_in": False}
    assert [button.label for button in app.run().button] == ["Log in with one", "Log in with two"]


def test_who_nothing_is_shared_with_sees_nothing(log_in: LogIn, two_owners: Path) -> None:
    app = log_in(ANN, owner="me")
    assert f"You are logged in as {ANN}" in shown(app)
    assert not [words for words in (*MINE, "tea", str(two_owners)) if words in everything(app)]
    with open_memory(two_owners, backends=LightBackends) as memory:
        assert memory.people.grants() == []


def test_a_login_that_names_nobody_is_no_login(log_in: LogIn) -> None:
    app = log_in(ANN, claims={"email_verified": False, "iss": "", "sub": ""})
    assert "names nobody" in shown(app)
    assert not [words for words in MINE if words in everything(app)]


def test_an_address_that_nobody_verified_is_not_taken_for_a_person(
    log_in: LogIn, share: Callable[..., None]
) -> None:
    share(ANN, "administer")
    app = log_in(ANN, claims={"email_verified": False})
    assert "You are logged in as https://id.example|7" in shown(app)


def test_a_hostile_name_is_shown_as_text(log_in: LogIn, share: Callable[..., None]) -> None:
    named = {"iss": "<script>alert(1)</script>" + "x" * 200, "sub": "[a](http://b)", "email_verified": False}
    share(f"{named['iss']}|{named['sub']}", "administer", EVERY_OWNER)
    app = log_in("", "13_Settings", claims=named)
    assert not app.exception
    assert "<script>" not in everything(app)
    assert "&lt;script&gt;" in everything(app)


def test_secrets_that_cannot_be_read_let_nobody_in(
    open_page: Open, seeded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "secrets.toml"
    damaged.write_text("[auth\n")
    monkeypatch.setattr(st, "secrets", Secrets())
    monkeypatch.setattr(Secrets, "_parse_file_path", lambda self, path: ({}, False))
    monkeypatch.setattr(st, "get_option", lambda name: [str(damaged)])
    with pytest.raises(UsageError, match="nobody can log in"):
        who.name()
    app = open_page()
    assert "nobody can log in" in shown(app)
    assert not [words for words in MINE if words in everything(app)]


def test_without_configuration_nobody_is_asked(open_page: Open, seeded: Path) -> None:
    app = open_page("8_Review")
    assert not app.exception
    assert "logged in" not in everything(app)
    app.button(key="reject").click().run()
    with open_memory(seeded, backends=LightBackends) as memory:
        assert memory.review.history()[-1].actor == "person"
    assert "People" not in [heading.value for heading in open_page("13_Settings").header]


def test_without_configuration_nothing_for_logging_in_is_loaded() -> None:
    code = "import ui.shell.frame, ui.settings.people, memcore.memory, sys; print('authlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---------------------------------------------------------------- the first


HERE = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}
LOCAL = "http://localhost:8501/oauth2callback"


@pytest.mark.parametrize(
    ("address", "headers", "redirect"),
    [
        ("203.0.113.9", HERE, LOCAL),
        (None, HERE | {"X-Forwarded-For": "203.0.113.9"}, LOCAL),
        (None, HERE | {"x-real-ip": "203.0.113.9"}, LOCAL),
        (None, HERE | {"Host": "memory.example.org"}, LOCAL),
        (None, HERE | {"Origin": "https://memory.example.org"}, LOCAL),
        (None, HERE | {"Host": "localhost.example.org"}, LOCAL),
        (None, HERE, "https://memory.example.org/oauth2callback"),
        (None, HERE, ""),
        (None, {}, LOCAL),
    ],
)
def test_whoever_may_come_from_elsewhere_is_not_at_the_machine(
    address: str | None, headers: dict[str, str], redirect: str
) -> None:
    assert not comes_from_here(address, headers, redirect)


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501"])
def test_a_browser_on_the_machine_is_at_the_machine(host: str) -> None:
    assert comes_from_here(None, {"Host": host, "Origin": f"http://{host}"}, f"http://{host}/oauth2callback")


def test_the_first_at_the_machine_administers_and_the_second_does_not(
    log_in: LogIn, two_owners: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(who, "at_the_machine", lambda: True)
    app = log_in(ANN)
    assert not app.exception
    assert "logged in as" in everything(app)
    assert "shared with you" in shown(log_in(BEN))
    assert not log_in(ANN, "13_Settings").exception
    with open_memory(two_owners, backends=LightBackends) as memory:
        assert [(one.person, one.role, one.owner) for one in memory.people.grants()] == [
            (ANN, "administer", EVERY_OWNER)
        ]


# ---------------------------------------------------------------- what is shared


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("owner", ["", "me"])
def test_to_whom_one_owner_is_shared_no_page_shows_another(
    log_in: LogIn, share: Callable[..., None], page: str, owner: str
) -> None:
    share(ANN, "administer", "you")
    query = {"owner": owner} if owner else {}
    app = log_in(ANN, page, memory="mem_1", session="ses_1", proposal="prop_1", **query)
    assert not app.exception
    assert not [words for words in MINE if words in everything(app)]
    if owner and page not in ("11_Evaluate", "13_Settings"):
        assert f"{ANN} may not see the memory of me" in shown(app)


@pytest.mark.parametrize("page", PAGES)
def test_who_may_only_see_opens_every_page(log_in: LogIn, share: Callable[..., None], page: str) -> None:
    share(ANN, "read")
    app = log_in(ANN, page)
    assert not app.exception
    if page == "11_Evaluate":
        assert "may not administer this store" in shown(app)
    if page == "5_Memories":
        assert "Lisbon" in everything(app)


GREYED: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("8_Review", {}, ("approve", "reject", "edit", "consolidate", "propose_corrections")),
    ("8_Review", {"view": "Table"}, ("approve_many", "reject_many")),
    ("5_Memories", {"memory": "mem_1"}, ("curate_edit_mem_1_1", "curate_delete_mem_1_1")),
    ("13_Settings", {"erase": "conversation", "which": "conv_1"}, ("erase_count", "doctor")),
]


@pytest.mark.parametrize(("page", "query", "keys"), GREYED)
def test_what_is_refused_is_greyed_with_its_reason(
    log_in: LogIn, share: Callable[..., None], page: str, query: dict[str, str], keys: tuple[str, ...]
) -> None:
    share(ANN, "read")
    app = log_in(ANN, page, **query)
    for key in keys:
        assert app.button(key=key).disabled, key
        assert "You may not" in app.button(key=key).help, key


def test_a_widget_that_is_greyed_does_nothing_when_it_is_pressed_all_the_same(
    log_in: LogIn, share: Callable[..., None], two_owners: Path
) -> None:
    share(ANN, "read")
    app = log_in(ANN, "8_Review")
    app.button(key="approve").proto.disabled = False
    app.button(key="approve").click().run()
    assert not app.exception
    app = log_in(ANN, "8_Review", view="Rules")
    app.toggle[0].proto.disabled = False
    app.toggle[0].set_value(True).run()
    assert not app.exception
    with open_memory(two_owners, backends=LightBackends) as memory:
        assert memory.review.proposals()[0].id == "prop_1"
        assert not any(state.on for state in memory.review.rules())


def test_the_actor_of_a_decision_on_a_page_is_who_is_logged_in(
    log_in: LogIn, share: Callable[..., None], two_owners: Path
) -> None:
    share(ANN, "review")
    app = log_in("Ann@Example.org", "8_Review")
    app.button(key="reject").click().run()
    app.button(key="undo").click().run()
    assert not app.exception
    with open_memory(two_owners, backends=LightBackends) as memory:
        undone, rejected = memory.review.decisions()[:2]
        assert (rejected.kind, rejected.actor) == ("proposal.rejected", ANN)
        assert (undone.kind, undone.actor) == ("proposal.restored", ANN)


def test_undo_takes_back_ones_own_last_decision_and_anyones_that_one_looks_at(
    log_in: LogIn, share: Callable[..., None], two_owners: Path
) -> None:
    share(ANN, "review")
    app = log_in(ANN, "8_Review")
    app.button(key="reject").click().run()
    with open_memory(two_owners, backends=LightBackends) as memory:
        memory.reject(["prop_2"], actor=BEN)
    app = log_in(ANN, "8_Review")
    assert label(f"Rejected by {ANN}") in app.button(key="undo").help
    app = log_in(ANN, "8_Review", proposal="prop_2")
    assert label(f"Rejected by {BEN}") in app.button(key="undo").help


def test_what_is_taken_back_while_a_page_is_open_is_refused_at_the_next_click(
    log_in: LogIn, share: Callable[..., None]
) -> None:
    share(ANN, "review")
    share(ANN, "read", "you")
    app = log_in(ANN, "8_Review")
    opened.held().people.revoke(ANN, owner="me")
    app.button(key="approve").click().run()
    assert "may not" in shown(app)
    assert opened.held().review.proposals()[0].id == "prop_1"


def test_two_persons_see_their_own_at_the_same_time(log_in: LogIn, share: Callable[..., None]) -> None:
    share(ANN, "review")
    share(BEN, "review", "you")
    of_ann, of_ben = log_in(ANN, "5_Memories"), log_in(BEN, "5_Memories")
    for _ in range(2):
        assert "Lisbon" in everything(of_ann)
        assert ANN in everything(of_ann)
        assert BEN not in everything(of_ann)
        assert not [words for words in (*MINE, ANN) if words in everything(of_ben)]
        of_ann.run()
        of_ben.run()


def test_a_tab_that_shows_another_person_now_remembers_nothing_of_the_one_before(
    log_in: LogIn, share: Callable[..., None]
) -> None:
    share(ANN, "review")
    share(BEN, "review", "you")
    app = log_in(ANN, "5_Memories", owner="me", memory="mem_1")
    app.session_state["compared"] = "of Ann"
    app.user = {"is_logged_in": True, "email": BEN, "email_verified": True}
    app.run()
    assert not [words for words in MINE if words in everything(app)]
    assert "compared" not in app.session_state
    assert "memory" not in app.query_params


@pytest.fixture
def at_work(two_owners: Path) -> Iterator[Callable[[str], str]]:
    """Begins a job as a person, which ends with the test."""
    end = threading.Event()
    real = who.name

    def begin(person: str) -> str:
        who.name = lambda: person
        try:
            job = board().start(
                "Import", "Import of a-private-file.txt", bool, lambda tell, stop: end.wait(60)
            )
        finally:
            who.name = real
        return job.id

    yield begin
    end.set()
    while board().running():
        threading.Event().wait(0.02)


def test_of_somebody_elses_job_nobody_sees_more_than_that_there_is_one(
    log_in: LogIn, share: Callable[..., None], at_work: Callable[[str], str]
) -> None:
    share(ANN, "review")
    share(BEN, "review")
    log_in(ANN)
    job = at_work(ANN)
    own = log_in(ANN, "1_Import")
    assert [one.label for one in own.sidebar.button if one.key == "running_job"] == [
        "Running: Import of a-private-file.txt"
    ]
    for page in ("app.py", "1_Import", "8_Review", "12_Runs_and_cost", "13_Settings"):
        app = log_in(BEN, page, job=job)
        assert not app.exception
        told = everything(app) + str([(one.label, one.help) for one in app.button])
        assert "a-private-file" not in told
        assert not [one for one in app.button if one.label == "Cancel"]
    assert "Work of somebody else" in log_in(BEN, "8_Review").button(key="consolidate").help


# ---------------------------------------------------------------- Settings


def test_who_administers_shares_and_takes_back_on_settings(
    log_in: LogIn, share: Callable[..., None], two_owners: Path
) -> None:
    share(ANN, "administer")
    app = log_in(ANN, "13_Settings")
    app.text_input(key="share_with").set_value(" Ben@example.org ")
    app.selectbox(key="share_role").set_value("review")
    app.button(key="share_send").click().run()
    assert not app.exception
    assert "ben@example.org may review: memory of me." in shown(app)
    assert app.checkbox(key="share_everything").disabled
    (revoke,) = [
        one for one in app.button if one.label == "Take back" and str(one.key).startswith("revoke_")
    ][1:]
    revoke.click().run()
    assert "Taken back from ben@example.org" in shown(app)
    app.text_input(key="share_with").set_value("")
    app.button(key="share_send").click().run()
    assert "no name that a person logs in with" in shown(app)
    with open_memory(two_owners, backends=LightBackends) as memory:
        told = [(event.kind, event.actor) for event in memory.people.history("me")]
        assert told[:2] == [("grant.ended", ANN), ("grant.given", ANN)]


def test_who_does_not_administer_sees_what_they_may_do_and_shares_nothing(
    log_in: LogIn, share: Callable[..., None]
) -> None:
    share(BEN, "administer", EVERY_OWNER)
    share(ANN, "review")
    app = log_in(ANN, "13_Settings")
    assert f"You are logged in as {ANN}: review, memory of me." in shown(app)
    assert BEN not in everything(app)
    assert not [one for one in app.button if one.key in ("share_send", "switch", "erase_now")]


def test_projects_are_the_machines(log_in: LogIn, share: Callable[..., None]) -> None:
    share(ANN, "administer", EVERY_OWNER)
    app = log_in(ANN, "13_Settings")
    assert not [one for one in app.text_input if one.key in ("project_name", "existing_place")]
    assert "on the machine that Memscope runs on" in shown(app)
    memory = opened.held().acting_for(ANN)
    with pytest.raises(NotPermittedError):
        memory.people.require_operator("To open a project")
