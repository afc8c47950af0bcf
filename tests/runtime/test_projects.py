"""Projects: the stores a person works with, by name, in their own configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.domain.errors import NotFoundError, StoreBusyError, StoreError, UsageError
from memcore.runtime import projects
from memcore.runtime.projects import Project, Start
from memcore.runtime.store_place import data_directory
from memcore.store import open_store
from tests.fakes import EMBEDDER


@pytest.fixture(autouse=True)
def _no_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has no project yet."""
    return {"MEMSCOPE_CONFIG": str(tmp_path / "config"), "MEMSCOPE_DATA": str(tmp_path / "data")}


def make(directory: Path) -> None:
    """A store in a directory."""
    open_store(directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension).close()


def new(name: str, person: dict[str, str], place: str = "") -> Project:
    return projects.create(name, place, make=make, environ=person)


def names(person: dict[str, str]) -> list[str]:
    return [one.name for one in projects.known(person)]


def mode(path: Path) -> str:
    return oct(path.stat().st_mode & 0o777)


# --------------------------------------------------------------------------- made and listed


def test_there_is_none_at_first(person: dict[str, str]) -> None:
    assert projects.known(person) == ()


def test_a_new_project_has_a_store_among_the_persons_data(person: dict[str, str], tmp_path: Path) -> None:
    made = new("  My  team: 2024 ", person)
    assert made == Project("My team: 2024", tmp_path / "data" / "My_team_2024")
    assert (made.directory / "memscope.duckdb").is_file()
    assert projects.known(person) == (made,)


def test_only_its_owner_may_read_any_of_it(person: dict[str, str], tmp_path: Path) -> None:
    made = new("Work", person)
    directories = (made.directory, tmp_path / "data", tmp_path / "config")
    files = (made.directory / "memscope.duckdb", tmp_path / "config" / projects.FILE)
    assert {mode(path) for path in directories} == {"0o700"}
    assert {mode(path) for path in files} == {"0o600"}
    assert [path.name for path in (tmp_path / "config").iterdir()] == [projects.FILE]


def test_a_place_that_a_person_names_is_used_and_closed_to_others(
    person: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir(mode=0o755)
    for name in ("new", "empty"):
        made = new(name, person, str(tmp_path / name))
        assert (made.directory, mode(made.directory)) == (tmp_path / name, "0o700")


@pytest.mark.parametrize("name", ["../../etc", "/etc/passwd", "..", "~", "a/../../b", "-rf", "con\u00fc"])
def test_no_name_leads_out_of_the_data_directory(person: dict[str, str], name: str, tmp_path: Path) -> None:
    made = new(name, person)
    assert made.name == name
    assert made.directory.parent == tmp_path / "data"
    assert not made.directory.name.startswith((".", "-", "~"))


def test_names_that_make_one_folder_get_two(person: dict[str, str]) -> None:
    directories = {new(name, person).directory for name in ("a b", "a/b", "a_b")}
    assert {one.name for one in directories} == {"a_b", "a_b-2", "a_b-3"}


@pytest.mark.parametrize("name", ["", " \n ", "x" * 61, "bell\a", "right\u202eleft", "zero\u200bwidth"])
def test_what_cannot_be_read_as_a_name_is_none(person: dict[str, str], name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name"):
        new(name, person)
    assert names(person) == []
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("other", ["Work", "work", " WORK ", "\uff37ork"])
def test_a_name_is_one_projects(person: dict[str, str], other: str, tmp_path: Path) -> None:
    new("Work", person)
    with pytest.raises(UsageError, match="There is a project “Work” already"):
        new(other, person)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["Work"]


@pytest.mark.parametrize("place", ["relative/place", "no\0place", "~nobody-of-that-name/x", "..", "a\u202eb"])
def test_what_is_no_place_is_refused(person: dict[str, str], place: str) -> None:
    with pytest.raises(UsageError, match="not the place of a directory"):
        new("Work", person, place)
    with pytest.raises(UsageError, match="not the place of a directory"):
        projects.add(place, environ=person)
    assert names(person) == []


def test_a_directory_that_holds_something_is_no_place_for_a_new_store(
    person: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "letter.txt", tmp_path / "missing" / "deep"):
        with pytest.raises(UsageError):
            new("Work", person, str(place))
    assert names(person) == []


def test_a_store_that_could_not_be_made_is_not_listed(person: dict[str, str], tmp_path: Path) -> None:
    def fail(directory: Path) -> None:
        raise StoreError("No disk.", "Buy one.")

    with pytest.raises(StoreError):
        projects.create("Work", make=fail, environ=person)
    assert names(person) == []
    assert list((tmp_path / "data").iterdir()) == []


# --------------------------------------------------------------------------- a store that is there


def test_an_existing_store_is_called_as_its_directory(person: dict[str, str], tmp_path: Path) -> None:
    make(tmp_path / "friends")
    make(tmp_path / "other" / "friends")
    first = projects.add(str(tmp_path / "friends"), environ=person)
    second = projects.add(str(tmp_path / "other" / "friends"), environ=person)
    assert (first.name, second.name) == ("friends", "friends (2)")


def test_an_existing_store_can_be_given_a_name(person: dict[str, str], tmp_path: Path) -> None:
    make(tmp_path / "friends")
    assert projects.add(str(tmp_path / "friends"), "Ann and Bob", person).name == "Ann and Bob"


def test_a_store_is_listed_once_whatever_link_leads_to_it(person: dict[str, str], tmp_path: Path) -> None:
    make(tmp_path / "friends")
    (tmp_path / "link").symlink_to(tmp_path / "friends")
    assert projects.add(str(tmp_path / "link"), environ=person).directory == tmp_path / "friends"
    for again in ("link", "friends", "link/../friends"):
        with pytest.raises(UsageError, match="in the list as “friends”"):
            projects.add(str(tmp_path / again), environ=person)


def test_a_directory_without_a_store_cannot_be_opened(person: dict[str, str], tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing"):
        with pytest.raises(NotFoundError, match="There is no store in"):
            projects.add(str(place), environ=person)
    assert not (tmp_path / "missing").exists()


# --------------------------------------------------------------------------- which is opened first


def test_memscope_store_decides_what_is_opened_first(person: dict[str, str], tmp_path: Path) -> None:
    projects.note_opened(new("Work", person).directory, person)
    assert projects.start({**person, "MEMSCOPE_STORE": "here"}) == Start(Path("here"), "MEMSCOPE_STORE")


def test_without_it_the_project_opened_last_does(person: dict[str, str]) -> None:
    assert projects.start(person) == Start(Path("memscope_data"), "default")
    first, second = new("Work", person), new("Home", person)
    assert projects.start(person).named_by == "default", "none was opened yet"
    for one in (first, second, first):
        projects.note_opened(one.directory, person)
        assert projects.start(person) == Start(one.directory, "projects")


def test_what_is_in_no_list_is_not_opened_first(person: dict[str, str], tmp_path: Path) -> None:
    projects.note_opened(tmp_path, person)
    assert projects.start(person).named_by == "default"


def test_a_directory_in_no_list_is_called_by_its_own_name(person: dict[str, str], tmp_path: Path) -> None:
    made = new("Work", person)
    assert projects.named(made.directory, person) == made
    assert projects.named(tmp_path / "Work", person).name == "Work (2)"
    assert projects.named(tmp_path / "a\u202eb", person).name == "a b"


# --------------------------------------------------------------------------- renamed and removed


def test_a_new_name_moves_no_file(person: dict[str, str]) -> None:
    made = new("Work", person)
    projects.note_opened(made.directory, person)
    for name in ("Club", "Club", "club"):
        renamed = projects.rename(projects.known(person)[0], name, person)
        assert renamed == Project(name, made.directory)
        assert projects.known(person) == (renamed,)
    assert projects.start(person).directory == made.directory


def test_a_new_name_must_be_free(person: dict[str, str]) -> None:
    made = new("Work", person)
    new("Home", person)
    for name in ("home", "", "\a"):
        with pytest.raises(UsageError):
            projects.rename(made, name, person)
    assert names(person) == ["Home", "Work"]


def test_what_was_in_no_list_is_in_it_once_it_has_a_name(person: dict[str, str], tmp_path: Path) -> None:
    make(tmp_path / "store")
    projects.rename(projects.named(tmp_path / "store", person), "Mine", person)
    assert projects.known(person) == (Project("Mine", tmp_path / "store"),)


def test_removing_forgets_and_keeps_the_files(person: dict[str, str]) -> None:
    made = new("Work", person)
    projects.note_opened(made.directory, person)
    projects.remove(made, person)
    assert names(person) == []
    assert projects.start(person).named_by == "default"
    assert (made.directory / "memscope.duckdb").is_file()
    with pytest.raises(NotFoundError):
        projects.remove(made, person)
    assert projects.add(str(made.directory), "Work", person) == made


def test_deleting_takes_the_files_and_leaves_what_is_not_memscopes(person: dict[str, str]) -> None:
    made = new("Work", person)
    (made.directory / "letter.txt").write_text("mine")
    assert projects.on_disk(made) is not None
    assert [path.name for path in projects.delete(made, person)] == ["letter.txt"]
    assert [path.name for path in made.directory.iterdir()] == ["letter.txt"]
    assert names(person) == []
    assert projects.on_disk(made) is None


def test_only_what_is_listed_is_deleted(person: dict[str, str], tmp_path: Path) -> None:
    make(tmp_path / "store")
    with pytest.raises(NotFoundError):
        projects.delete(Project("store", tmp_path / "store"), person)
    assert (tmp_path / "store" / "memscope.duckdb").is_file()


def test_a_project_that_is_open_is_neither_deleted_nor_forgotten(person: dict[str, str]) -> None:
    made = new("Work", person)
    held = open_store(made.directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)
    with held, pytest.raises(StoreBusyError):
        projects.delete(made, person)
    assert (made.directory / "memscope.duckdb").is_file()
    assert names(person) == ["Work"]


def test_a_directory_that_became_a_link_is_not_deleted(person: dict[str, str], tmp_path: Path) -> None:
    made = new("Work", person)
    made.directory.rename(tmp_path / "moved")
    made.directory.symlink_to(tmp_path / "moved")
    with pytest.raises(StoreError, match="only a link"):
        projects.delete(made, person)
    assert (tmp_path / "moved" / "memscope.duckdb").is_file()
    assert names(person) == ["Work"]


def test_a_store_that_is_gone_is_said_so(person: dict[str, str], tmp_path: Path) -> None:
    made = new("Work", person)
    projects.require_store(made)
    made.directory.rename(tmp_path / "moved")
    with pytest.raises(StoreError, match="“Work” is not in"):
        projects.require_store(made)
    projects.remove(made, person)


# --------------------------------------------------------------------------- the file


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        "\ufffe",
        '{"projects": {}, "last": 1}',
        '{"projects": [{"name": "a"}], "last": null}',
        '{"projects": [{"name": 5, "directory": "/a"}], "last": null}',
        '{"projects": [{"name": "a", "directory": "a"}], "last": null}',
        '{"projects": [{"name": "a\\u202e", "directory": "/a"}], "last": null}',
        '{"projects": [{"name": "a", "directory": "/a"}, {"name": "A", "directory": "/b"}], "last": null}',
        '{"projects": [{"name": "a", "directory": "/a"}, {"name": "b", "directory": "/a"}], "last": null}',
        '{"projects": [{"name": "a", "directory": "/a"}], "last": "/b"}',
    ],
)
def test_a_damaged_list_is_named_and_left_as_it_is(person: dict[str, str], content: str) -> None:
    kept = Path(person["MEMSCOPE_CONFIG"]) / projects.FILE
    kept.parent.mkdir()
    kept.write_text(content, encoding="utf-8")
    for use in (
        lambda: projects.known(person),
        lambda: projects.start(person),
        lambda: new("Work", person),
        lambda: projects.rename(Project("a", Path("/a")), "b", person),
    ):
        with pytest.raises(UsageError, match=r"projects\.json cannot be read") as refused:
            use()
        assert "or delete it" in refused.value.fix
    assert kept.read_text(encoding="utf-8") == content


def test_the_list_is_written_whole_or_not_at_all(
    person: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = new("Work", person)
    config = Path(person["MEMSCOPE_CONFIG"])
    before = (config / projects.FILE).read_bytes()

    def no_room(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(UsageError, match="No space left"):
        projects.rename(made, "Home", person)
    assert (config / projects.FILE).read_bytes() == before
    assert [path.name for path in config.iterdir()] == [projects.FILE]


def test_the_list_names_each_project_and_its_directory(person: dict[str, str]) -> None:
    made = new("Work", person)
    projects.note_opened(made.directory, person)
    written = json.loads((Path(person["MEMSCOPE_CONFIG"]) / projects.FILE).read_text(encoding="utf-8"))
    directory = str(made.directory)
    assert written == {"projects": [{"name": "Work", "directory": directory}], "last": directory}


def test_data_are_kept_where_the_person_says() -> None:
    assert data_directory({"MEMSCOPE_DATA": "/d", "XDG_DATA_HOME": "/x"}) == Path("/d")
    assert data_directory({"XDG_DATA_HOME": "/x"}) == Path("/x/memscope")
    assert data_directory({}) == Path.home() / ".local" / "share" / "memscope"


def test_a_database_that_the_environment_names_is_what_the_first_start_opens(person: dict[str, str]) -> None:
    for _ in range(2):
        started = projects.start(person | {"MEMSCOPE_STORE": "postgresql://ann:secret@db.example/memory"})
        found = projects.where(Project("memory", started.directory), person)
        assert (str(found), started.named_by) == ("postgresql://ann@db.example/memory", "MEMSCOPE_STORE")
        assert not any(b"secret" in file.read_bytes() for file in started.directory.iterdir())
