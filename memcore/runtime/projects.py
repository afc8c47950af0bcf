"""The stores that a person works with, by name: kept in their own configuration, outside every store.

A project is a name for the directory of a store. The list says which there are and which was opened last;
everything else about a project, its settings too, is in its store.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from memcore.domain import private_files
from memcore.domain.errors import NotFoundError, StoreError, UsageError
from memcore.domain.server_address import ServerAddress
from memcore.runtime import caller
from memcore.runtime import project_places as places
from memcore.runtime.config import Settings, overridden
from memcore.runtime.servers import config_directory
from memcore.runtime.store_place import data_directory, place_of, remember
from memcore.store import delete_store, store_exists, store_files

FILE = "projects.json"
_changing = threading.Lock()


@dataclass(frozen=True, slots=True)
class Project:
    """A store by the name a person gave it; `directory` is absolute and has no links."""

    name: str
    directory: Path


@dataclass(frozen=True, slots=True)
class Start:
    """The store that the workbench starts with, and who says so."""

    directory: Path
    named_by: Literal["MEMSCOPE_STORE", "projects", "default"]


@dataclass(frozen=True, slots=True)
class OnDisk:
    """What the store of a project takes on disk; `changed` is in UTC."""

    files: int
    bytes: int
    changed: datetime


@dataclass(frozen=True, slots=True)
class _Kept:
    projects: tuple[Project, ...] = ()
    last: Path | None = None


# --------------------------------------------------------------------------- what there is


def known(environ: Mapping[str, str] | None = None) -> tuple[Project, ...]:
    """Every project of the list, by name. Raises UsageError for a damaged file."""
    return tuple(sorted(_read(environ).projects, key=lambda one: places.same(one.name)))


def start(environ: Mapping[str, str] | None = None) -> Start:
    """What to open first: the store that MEMSCOPE_STORE names, else the project opened last, else
    ./memscope_data. Of a database, the directory that leads to it. Raises UsageError for a damaged file,
    StoreError for an address that cannot be read or kept."""
    environment = caller.environment(environ)
    if variable := overridden(environment).get("store_dir"):
        directory, server = place_of(environment[variable], environ)
        if server is not None:
            remember(server)
        return Start(directory, "MEMSCOPE_STORE")
    if last := _read(environ).last:
        return Start(last, "projects")
    return Start(Settings().store_dir, "default")


def named(directory: Path, environ: Mapping[str, str] | None = None) -> Project:
    """The project of a directory; one that is in no list is called as its directory is."""
    place = directory.resolve()
    listed = known(environ)
    here = next((one for one in listed if one.directory == place), None)
    if here is None:
        here = Project(_free_name(place, place_of(place, environ)[1], listed), place)
    return here


def where(project: Project, environ: Mapping[str, str] | None = None) -> Path | ServerAddress:
    """Where a project's store is: its directory, or the database that this leads to."""
    return place_of(project.directory, environ)[1] or project.directory


def on_disk(project: Project) -> OnDisk | None:
    """The files of a project's store, which is not opened for it; None where there is no store."""
    try:
        found = [path.lstat() for path in store_files(project.directory)]
    except OSError:
        return None
    if not found:
        return None
    newest = max(one.st_mtime for one in found)
    return OnDisk(len(found), sum(one.st_size for one in found), datetime.fromtimestamp(newest, UTC))


# --------------------------------------------------------------------------- changes


def create(
    name: str,
    place: str = "",
    *,
    make: Callable[[Path], object],
    environ: Mapping[str, str] | None = None,
) -> Project:
    """A new project with a new store, which `make` makes in the directory it is given: in `place`, which must
    be empty or not there yet, else in a folder of `data_directory`. Raises UsageError for a name or place
    that cannot be used or is taken, and what `make` raises; nothing is listed then."""
    wanted = places.checked(name, _names(known(environ)))
    if place.strip():
        made = places.new_directory(places.path(place))
    else:
        made = places.new_folder(wanted, data_directory(environ))
    try:
        make(made)
    except BaseException:
        if not place.strip() and not any(made.iterdir()):
            made.rmdir()
        raise
    return _add(Project(wanted, made), environ)


def add(place: str, name: str = "", environ: Mapping[str, str] | None = None) -> Project:
    """List the store that is in a directory or a server's database; without a name it is called as that is.
    Raises NotFoundError where there is no store, StoreError where a server cannot be asked, UsageError as
    `create`."""
    listed = known(environ)
    directory, server = _named_by(place, environ)
    if not _has_store(server or directory):
        raise NotFoundError(
            f"There is no store in {server or directory}.",
            "Name the directory that holds memscope.duckdb, or the address of a database that has a store.",
        )
    if here := next((one for one in listed if one.directory == directory), None):
        raise UsageError(f"It is in the list as “{here.name}”.", "Switch to it there.")
    given = name.strip()
    wanted = places.checked(name, _names(listed)) if given else _free_name(directory, server, listed)
    if server is not None:
        remember(server)
    return _add(Project(wanted, directory), environ)


def _named_by(place: str, environ: Mapping[str, str] | None) -> tuple[Path, ServerAddress | None]:
    """The directory, absolute and without links, of a store that a person named by it or by an address."""
    if ServerAddress.parse(place.strip()) is None:
        directory = places.path(place)
        return directory, place_of(directory, environ)[1]
    directory, server = place_of(place.strip(), environ)
    return directory.resolve(), server


def rename(project: Project, name: str, environ: Mapping[str, str] | None = None) -> Project:
    """Give a project another name; its directory stays as it is. One that was in no list is from now on.
    Raises UsageError as `create`."""
    with _changing:
        kept = _read(environ)
        others = tuple(one for one in kept.projects if one.directory != project.directory)
        renamed = Project(places.checked(name, _names(others)), project.directory)
        _write(_Kept((*others, renamed), kept.last), environ)
    return renamed


def remove(project: Project, environ: Mapping[str, str] | None = None) -> None:
    """Take a project from the list. Its files stay. Raises NotFoundError where it is not in the list."""
    with _changing:
        kept = _read(environ)
        rest = tuple(one for one in kept.projects if one.directory != project.directory)
        if len(rest) == len(kept.projects):
            raise NotFoundError(f"“{project.name}” is not in the list any more.", "Look at the list again.")
        _write(_Kept(rest, None if kept.last == project.directory else kept.last), environ)


def delete(project: Project, environ: Mapping[str, str] | None = None) -> list[Path]:
    """Delete the files of a project's store for good and take it from the list; what is left in its
    directory, which is not Memscope's. Raises as `memcore.store.delete_store`, and NotFoundError as
    `remove`: nothing that is not listed is deleted."""
    if project not in known(environ):
        raise NotFoundError(f"“{project.name}” is not in the list any more.", "Look at the list again.")
    left = delete_store(project.directory)
    remove(project, environ)
    return left


def note_opened(directory: Path, environ: Mapping[str, str] | None = None) -> None:
    """The next start without MEMSCOPE_STORE opens this one, if it is in the list."""
    with _changing:
        kept = _read(environ)
        if directory in [one.directory for one in kept.projects] and kept.last != directory:
            _write(_Kept(kept.projects, directory), environ)


def require_store(project: Project) -> None:
    """Raise StoreError where a project's store is not there any more."""
    if not _has_store(where(project)):
        raise StoreError(
            f"The store of “{project.name}” is not in {project.directory} any more.",
            "Put the directory back, or switch to another project and remove this one from the list.",
        )


def _has_store(place: Path | ServerAddress) -> bool:
    try:
        return store_exists(place)
    except OSError:
        return False


# --------------------------------------------------------------------------- the file


def _names(projects: Iterable[Project]) -> list[str]:
    return [one.name for one in projects]


def _free_name(directory: Path, server: ServerAddress | None, listed: Iterable[Project]) -> str:
    """What a store without a name is called: as its database, or as its directory."""
    return places.free_name((server.database if server else "") or directory.name, _names(listed))


def _add(project: Project, environ: Mapping[str, str] | None) -> Project:
    with _changing:
        kept = _read(environ)
        places.checked(project.name, _names(kept.projects))
        _write(_Kept((*kept.projects, project), kept.last), environ)
    return project


def _read(environ: Mapping[str, str] | None) -> _Kept:
    path = config_directory(environ) / FILE
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _Kept()
    except (OSError, ValueError) as error:
        raise _damaged(path, str(error)) from error
    try:
        return _kept(written)
    except (KeyError, TypeError, ValueError, AttributeError, UsageError) as error:
        raise _damaged(path, "it is no list of projects") from error


def _kept(written: Any) -> _Kept:
    found: list[Project] = []
    for one in written["projects"]:
        directory = Path(one["directory"])
        if not directory.is_absolute() or directory in [other.directory for other in found]:
            raise ValueError(directory)
        found.append(Project(places.checked(one["name"], _names(found)), directory))
    last = Path(written["last"]) if written["last"] is not None else None
    if last is not None and last not in [one.directory for one in found]:
        raise ValueError(last)
    return _Kept(tuple(found), last)


def _damaged(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path} cannot be read: {why}.",
        f"Correct {path}, or delete it: no store is lost, each can be opened again by its directory.",
    )


def _write(kept: _Kept, environ: Mapping[str, str] | None) -> None:
    directory = config_directory(environ)
    document = {
        "projects": [{"name": one.name, "directory": str(one.directory)} for one in kept.projects],
        "last": str(kept.last) if kept.last else None,
    }
    try:
        private_files.make_directory(directory)
        private_files.replace(directory / FILE, (json.dumps(document, indent=2) + "\n").encode())
    except OSError as error:
        raise places.unwritable(directory / FILE, error) from error
