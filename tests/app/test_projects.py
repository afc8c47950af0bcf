"""Projects on the Settings page: made, opened, renamed, removed; nothing of one is seen in another."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.errors import ConflictError
from memcore.domain.models import LogRead
from memcore.domain.protocols import Cancelled, Progress
from memcore.memory import Memory, open_memory
from memcore.runtime import projects
from memcore.store import open_store
from tests.app.conftest import LightBackends, Open, shown
from tests.pipeline import log
from tests.postgres import new_database
from ui.shell import opened
from ui.shell.jobs import board
from ui.shell.links import PAGES

pytestmark = pytest.mark.usefixtures("light_embedder")
SEEDED = ("Ada", "Porto", "ses_1", "mem_2", "conv_1")
"""What is only in the first project."""


def press(app: AppTest, what: str) -> AppTest:
    """A button by its words, the first there is."""
    next(one for one in app.button if one.label == what).click()
    app.run()
    assert not app.exception
    return app


def of(app: AppTest, name: str, what: str) -> str:
    """The key of a project's button."""
    from ui.settings.projects import _key

    (one,) = [one for one in opened.listed() if one.name == name]
    return f"{what}_{_key(one)}"


def act(app: AppTest, name: str, what: str) -> AppTest:
    """Press a project's button."""
    app.button(key=of(app, name, what)).click().run()
    assert not app.exception
    return app


def create(app: AppTest, name: str, place: str = "") -> AppTest:
    app.text_input(key="project_name").set_value(name)
    app.text_input(key="project_place").set_value(place)
    return press(app, "Create")


def go(app: AppTest, page: str) -> AppTest:
    """Another page of the same tab."""
    app.switch_page(page if page == "app.py" else f"pages/{page}.py").run()
    assert not app.exception
    return app


def open_now(app: AppTest) -> str:
    """What the sidebar says is open."""
    (said,) = [
        one.proto.label for one in app.sidebar.get("page_link") if one.proto.label.startswith("Project: ")
    ]
    return str(said).removeprefix("Project: ")


@pytest.fixture
def without_store_variable(store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person who sets no MEMSCOPE_STORE, in an empty directory of their own."""
    monkeypatch.delenv("MEMSCOPE_STORE")
    monkeypatch.chdir(store.parent)
    return store.parent


# --------------------------------------------------------------------------- made and switched


def test_the_store_that_memscope_store_names_is_listed_and_cannot_be_removed(
    seeded: Path, open_page: Open
) -> None:
    app = open_page("13_Settings")
    assert open_now(app) == "store"
    assert "open now" in shown(app) and "set by MEMSCOPE_STORE" in shown(app)
    assert "8 messages" in shown(app)
    assert app.button(key=of(app, "store", "remove")).disabled


def test_projects_are_made_and_switched_to_and_show_nothing_of_each_other(
    seeded: Path, open_page: Open, tmp_path: Path
) -> None:
    app = open_page("13_Settings", session="ses_1", recipe="memscope", log="conv_1")
    create(app, "Work")
    assert open_now(app) == "Work"
    assert not app.query_params
    assert not any(word in shown(app) for word in SEEDED)
    assert (tmp_path / "data" / "Work" / "memscope.duckdb").stat().st_mode & 0o777 == 0o600
    create(go(app, "13_Settings"), "Club", str(tmp_path / "club"))
    assert open_now(app) == "Club"
    assert (tmp_path / "club" / "memscope.duckdb").is_file()
    for _ in range(2):
        for name in ("store", "Work"):
            act(go(app, "13_Settings"), name, "switch")
            assert open_now(app) == name
            assert any(word in shown(go(app, "5_Memories")) for word in SEEDED) is (name == "store")


def test_nothing_of_one_project_is_left_on_any_page_of_another(seeded: Path, open_page: Open) -> None:
    app = open_page("9_Ask", q="Who has a cat?")
    app.run()
    assert "cat" in shown(app)
    for page in PAGES.values():
        go(app, Path(page).stem if page != "app.py" else page)
    app.session_state["found"] = "Ada moved to Porto"
    create(go(app, "13_Settings"), "Work")
    assert "found" not in app.session_state
    for page in PAGES.values():
        go(app, Path(page).stem if page != "app.py" else page)
        assert not any(word in shown(app) for word in SEEDED), page
        assert app.session_state["tab_project"].name == "Work"


@pytest.mark.parametrize(
    ("page", "named"),
    [
        ("8_Review", {"proposal": "prop_1"}),
        ("5_Memories", {"memory": "mem_2"}),
        ("6_Graph", {"entity": "ent_1"}),
        ("12_Runs_and_cost", {"run": "run_seed"}),
        ("11_Evaluate", {"job": "0123456789ab"}),
    ],
)
def test_a_link_into_another_project_finds_nothing_and_says_so(
    seeded: Path, open_page: Open, page: str, named: dict[str, str]
) -> None:
    create(open_page("13_Settings"), "Work")
    app = open_page(page, **named)
    assert not app.exception
    assert "ms-note" in shown(app)
    assert not any(word in shown(app) for word in ("Ada", "Porto"))


@pytest.mark.usefixtures("without_store_variable")
def test_the_project_opened_last_is_opened_first_next_time(open_page: Open, tmp_path: Path) -> None:
    app = open_page("13_Settings")
    assert open_now(app) == label_of("memscope_data")
    create(app, "Work")
    opened.work_with(LightBackends)
    app = open_page("13_Settings")
    assert open_now(app) == "Work"
    act(app, "memscope_data", "switch")
    assert open_now(app) == label_of("memscope_data")
    opened.work_with(LightBackends)
    assert open_now(open_page()) == label_of("memscope_data")
    assert projects.named(tmp_path / "memscope_data") in projects.known()


def label_of(name: str) -> str:
    from ui.shell.text import label

    return label(name)


def test_a_name_is_shown_as_it_is_written(store: Path, open_page: Open) -> None:
    app = create(open_page("13_Settings"), "<b>*bold*</b> [a](http://b)")
    assert open_now(app) == label_of("<b>*bold*</b> [a](http://b)")
    assert "&lt;b&gt;*bold*&lt;/b&gt;" in shown(go(app, "13_Settings"))


@pytest.mark.parametrize("name", ["", "store", "a\u202eb"])
def test_a_name_that_cannot_be_given_says_why_and_is_not_lost(
    seeded: Path, open_page: Open, name: str
) -> None:
    projects.rename(projects.named(seeded), "store")
    app = open_page("13_Settings")
    for _ in range(2):
        create(app, name)
        assert 'role="alert"' in shown(app)
        assert app.text_input(key="project_name").value == name
        assert open_now(app) == "store"
    assert [one.name for one in projects.known()] == ["store"]
    assert open_now(create(app, "Work")) == "Work"


# --------------------------------------------------------------------------- existing stores


def test_an_existing_store_is_opened_and_one_that_is_none_is_refused(
    seeded: Path, open_page: Open, tmp_path: Path
) -> None:
    with open_memory(tmp_path / "friends", backends=LightBackends):
        pass
    app = open_page("13_Settings")
    for place in (tmp_path / "missing", tmp_path):
        app.text_input(key="existing_place").set_value(str(place))
        press(app, "Open")
        assert "There is no store in" in shown(app)
    app.text_input(key="existing_place").set_value(str(tmp_path / "friends"))
    press(app, "Open")
    assert open_now(app) == "friends"
    go(app, "13_Settings").text_input(key="existing_place").set_value(str(tmp_path / "friends"))
    press(app, "Open")
    assert "It is in the list as “friends”" in shown(app)


def test_a_store_in_postgresql_is_opened_by_its_address(seeded: Path, open_page: Open) -> None:
    with new_database() as address:
        app = open_page("13_Settings")
        app.text_input(key="existing_place").set_value(str(address))
        press(app, "Open")
        assert f"There is no store in {address}." in shown(app).replace("&amp;", "&")
        with open_memory(str(address), backends=LightBackends):
            pass
        for name in ("Ours", "Team"):
            app = go(app, "13_Settings")
            app.text_input(key="existing_place").set_value(f" {address} ")
            app.text_input(key="existing_name").set_value(name)
            press(app, "Open")
            assert open_now(app) == "Ours"
        assert "It is in the list as “Ours”" in shown(app)
        act(go(app, "13_Settings"), "store", "switch")
        assert open_now(app) == "store"
        html = shown(go(app, "13_Settings")).replace("&amp;", "&")
        assert f'In PostgreSQL</div><div class="ms-meta">{address}</div>' in html
        act(app, "Ours", "switch")
        assert open_now(app) == "Ours"
        opened.close()


# --------------------------------------------------------------------------- renamed and removed


def test_a_project_is_renamed_twice(seeded: Path, open_page: Open) -> None:
    create(open_page("13_Settings"), "Work")
    app = open_page("13_Settings")
    for before, after in (("Work", "Club"), ("Club", "Team")):
        act(app, before, "rename")
        (field,) = [one for one in app.text_input if one.label == "New name"]
        assert field.value == before
        field.set_value(after)
        press(app, "Save the name")
        assert f"“{before}” is now called “{after}”." in shown(app)
        assert open_now(app.run()) == after
    act(app, "Team", "rename")
    press(app, "Leave it")
    assert not [one for one in app.text_input if one.label == "New name"]
    act(app, "store", "rename")
    next(one for one in app.text_input if one.label == "New name").set_value("team")
    press(app, "Save the name")
    assert "There is a project “Team” already" in shown(app)
    assert [one.name for one in projects.known()] == ["Team"]


def test_a_project_is_removed_from_the_list_and_its_files_stay(
    seeded: Path, open_page: Open, tmp_path: Path
) -> None:
    app = open_page("13_Settings")
    for name in ("Work", "Club"):
        create(app, name)
        assert go(app, "13_Settings").button(key=of(app, name, "remove")).disabled, "it is open"
        act(app, "store", "switch")
        act(go(app, "13_Settings"), name, "remove")
        press(app, "Leave it")
        act(app, name, "remove")
        press(app, "Remove from the list")
        assert f"“{name}” is no longer in the list. It is in {tmp_path}/data/{name}." in shown(app)
        assert (tmp_path / "data" / name / "memscope.duckdb").is_file()
        assert name not in [one.name for one in opened.listed()]


def test_its_files_are_deleted_only_once_that_is_confirmed(
    seeded: Path, open_page: Open, tmp_path: Path
) -> None:
    app = open_page("13_Settings")
    for name in ("Work", "Club"):
        create(app, name)
        directory = tmp_path / "data" / name
        (directory / "letter.txt").write_text("mine")
        act(go(app, "13_Settings"), "store", "switch")
        act(go(app, "13_Settings"), name, "remove")
        assert app.button(key="delete_project").disabled
        (sure,) = [one for one in app.checkbox if one.label.startswith("Delete its 1 file for good")]
        sure.check().run()
        press(app, "Remove and delete its files")
        assert "its files are deleted" in shown(app)
        assert "Not Memscope’s, and left in" in shown(app) and "letter.txt" in shown(app)
        assert [path.name for path in directory.iterdir()] == ["letter.txt"]
        assert name not in [one.name for one in opened.listed()]


# --------------------------------------------------------------------------- what is in the way


def wait(release: threading.Event) -> Callable[[Progress, Cancelled], str]:
    def work(tell: Progress, cancelled: Cancelled) -> str:
        release.wait(30)
        return "done"

    return work


@contextmanager
def running() -> Iterator[None]:
    """A job is at work meanwhile."""
    release = threading.Event()
    job = board().start("Import", "Import of 1 file", str, wait(release))
    try:
        yield
    finally:
        release.set()
        job.future.result(timeout=30)
        board().forget(job.id)


def test_no_project_is_switched_made_or_opened_while_a_job_runs(seeded: Path, open_page: Open) -> None:
    work = projects.create("Work", make=opened.make_store)
    app = open_page("13_Settings")
    key = of(app, "Work", "switch")
    with running():
        app.button(key=key).click().run()
        assert open_now(app) == "store"
        with pytest.raises(ConflictError, match="Import of 1 file is still running"):
            opened.switch(work)
        waiting = [app.button(key=key), *(one for one in app.button if one.label in ("Create", "Open"))]
        assert [one.disabled for one in waiting] == [True] * 3
        assert {one.help for one in waiting} == {"Wait until this has ended: Import of 1 file."}
    app.run()
    assert open_now(act(app, "Work", "switch")) == "Work"


def test_what_a_job_of_another_project_made_is_not_shown(seeded: Path, open_page: Open) -> None:
    job = board().start("Import", "Import of 1 file", str, lambda tell, cancelled: "Ada said so")
    job.future.result(timeout=30)
    create(open_page("13_Settings"), "Work")
    assert board().get(job.id) is None


@pytest.fixture
def other_process() -> Iterator[Callable[[Path], None]]:
    """Holds the store of a directory open until the test ends."""
    holds = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
    with ExitStack() as stack:

        def hold(directory: Path) -> None:
            command = [sys.executable, "-c", holds, str(directory / "memscope.duckdb")]
            holder = stack.enter_context(subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True))
            stack.callback(holder.kill)
            assert holder.stdout is not None
            assert holder.stdout.readline().strip() == "held"

        yield hold


@pytest.mark.parametrize("wrong", ["damaged", "other model", "gone", "held"])
def test_from_a_project_that_cannot_be_opened_one_can_switch_back(
    seeded: Path, open_page: Open, wrong: str, request: pytest.FixtureRequest
) -> None:
    app = create(open_page("13_Settings"), "Work")
    directory = opened.project().directory
    act(go(app, "13_Settings"), "store", "switch")
    if wrong == "damaged":
        (directory / "memscope.duckdb").write_bytes(b"no database" * 1000)
    elif wrong == "other model":
        (directory / "memscope.duckdb").unlink()
        open_store(directory, embedding_model="someone/else@1", dimension=8).close()
    elif wrong == "held":
        request.getfixturevalue("other_process")(directory)
    for _ in range(2):
        act(go(app, "13_Settings"), "Work", "switch")
        if wrong == "gone":
            opened.close()
            (directory / "memscope.duckdb").rename(directory / "moved")
            app.run()
        assert 'role="alert"' in shown(app)
        assert open_now(app) == "Work"
        assert 'role="alert"' in shown(go(app, "5_Memories"))
        act(go(app, "13_Settings"), "store", "switch")
        assert open_now(app) == "store"
        assert 'role="alert"' not in shown(app)
        if wrong == "gone":
            (directory / "moved").rename(directory / "memscope.duckdb")
    assert projects.start().directory == seeded, "MEMSCOPE_STORE decides"


def test_a_project_whose_store_is_gone_is_not_switched_to(seeded: Path, open_page: Open) -> None:
    app = create(open_page("13_Settings"), "Work")
    directory = opened.project().directory
    act(go(app, "13_Settings"), "store", "switch")
    (directory / "memscope.duckdb").rename(directory / "moved")
    assert "There is no store any more." in shown(go(app, "13_Settings"))
    for _ in range(2):
        act(app, "Work", "switch")
        assert "The store of “Work” is not in" in shown(app)
        assert open_now(app) == "store"
    assert not (directory / "memscope.duckdb").exists(), "no empty store was made in its place"


def test_a_damaged_list_of_projects_is_told_on_every_page(
    seeded: Path, open_page: Open, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / projects.FILE).write_text("{")
    for page in ("app.py", "5_Memories", "13_Settings"):
        app = open_page(page)
        assert not app.exception
        assert "projects.json cannot be read" in shown(app)
        assert app.title[0].value
        assert app.sidebar.get("page_link")


# --------------------------------------------------------------------------- two tabs


def test_another_tab_says_that_the_project_was_switched_and_does_nothing_in_it(
    seeded: Path, open_page: Open
) -> None:
    other = open_page("8_Review", proposal="prop_1")
    assert "Approve" in [one.label for one in other.button]
    create(open_page("13_Settings"), "Work")
    other.button(key="approve").click().run()
    assert not other.exception
    assert "This tab showed “store”. Another tab opened “Work”" in shown(other)
    assert not any(word in shown(other) for word in SEEDED)
    assert not other.query_params
    assert open_now(other) == "Work"
    press(other, "Show Work")
    assert "This tab showed" not in shown(other)
    assert other.title[0].value == "Review"
    with open_memory(seeded, backends=LightBackends) as memory:
        assert memory.review.proposal("prop_1").proposal.state == "pending"


def test_what_stood_ready_in_another_tab_is_not_imported_into_the_other_project(
    seeded: Path, open_page: Open
) -> None:
    other = open_page("1_Import")
    press(other, "Load sample")
    assert [one for one in other.button if one.key == "start_import"]
    create(open_page("13_Settings"), "Work")
    other.button(key="start_import").click().run()
    assert "This tab showed “store”" in shown(other)
    assert board().running() is None
    press(other, "Show Work")
    assert not [one for one in other.button if one.key == "start_import"]
    assert opened.opened().evidence.owners() == []


@pytest.mark.parametrize(
    ("page", "named", "what"),
    [
        ("8_Review", {"view": "Rules"}, "toggle"),
        ("8_Review", {"view": "History"}, "Undo"),
        ("5_Memories", {"memory": "mem_2"}, "Undo"),
        ("5_Memories", {"memory": "mem_2"}, "Edit"),
        ("13_Settings", {}, "Rename"),
        ("13_Settings", {}, "Save"),
    ],
)
def test_no_button_of_a_tab_left_behind_fails(
    seeded: Path, open_page: Open, page: str, named: dict[str, str], what: str
) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.reject(["prop_1"])
    other = open_page(page, **named)
    create(open_page("13_Settings"), "Work")
    if what == "toggle":
        other.toggle[0].set_value(True).run()
    else:
        next(one for one in other.button if one.label == what).click().run()
    assert not other.exception
    assert "This tab showed “store”" in shown(other)
    assert opened.opened().evidence.owners() == []
    assert not (opened.directory() / "settings.json").exists()
    with open_memory(seeded, backends=LightBackends) as memory:
        assert memory.review.proposal("prop_1").proposal.state == "rejected"


def test_a_switch_while_a_page_begins_is_noticed_before_anything_is_done(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = projects.create("Work", make=opened.make_store)
    app = press(open_page("1_Import"), "Load sample")
    open_store_of_now, switches = opened.opened, [work]

    def overtaken() -> Memory:
        while switches:
            opened.switch(switches.pop())
        return open_store_of_now()

    monkeypatch.setattr(opened, "opened", overtaken)
    app.button(key="start_import").click().run()
    assert not switches
    assert board().running() is None, "nothing is imported into the project that came in between"
    assert "This tab showed “store”" in shown(app)
    assert opened.opened().evidence.owners() == []


@pytest.mark.parametrize(
    ("page", "named"),
    [("3_Topics", {"session": "ses_1"}), ("app.py", {})],
)
def test_what_was_changed_just_before_a_tab_arrived_elsewhere_changes_nothing(
    seeded: Path, open_page: Open, page: str, named: dict[str, str]
) -> None:
    with open_memory(seeded, backends=LightBackends) as memory:
        memory.ingest(LogRead((log(["I like tea."], name="b", owner="you"),)), owner="you")
    app = open_page(page, **named)
    changed = 0
    for box in (*app.selectbox, *app.sidebar.selectbox):
        others = [name for name in box.options if name != box.value]
        changed += bool(others and box.set_value(others[-1]))
    changed += sum(bool(one.set_value(not one.value)) for one in app.toggle)
    assert changed
    for key in app.session_state._state.filtered_state:  # as `tab.arrive` does
        del app.session_state[key]
    address = dict(app.query_params)
    app.run()
    assert not app.exception
    assert dict(app.query_params) == address
