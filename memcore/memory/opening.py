"""From a directory and settings to an open `Memory`, and what can be done where none can be opened."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from memcore.domain.errors import NotFoundError, StoreError
from memcore.domain.models.people import person_named
from memcore.evaluation.records import FOLDER
from memcore.memory.facade import Memory
from memcore.runtime.backends import MakeBackends
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import SETTINGS_FILE, Settings, load_settings
from memcore.runtime.doctor import Check, DoctorReport
from memcore.runtime.examine import store_checks, surroundings
from memcore.runtime.store_place import remember
from memcore.store import move, open_store, reembed, store_exists


def open_settings(settings: Settings, backends: MakeBackends = ChosenBackends, *, actor: str = "") -> Memory:
    """Open (or make) the store that the settings name, to work with the backends that `backends` makes of
    them; with an `actor`, for whoever logs in under that name (`Memory.acting_for`), else for the operator,
    who may do everything. Raises StoreError (damaged, held by another process, other embedding model) and
    BackendError (an in-process model is missing)."""
    chosen = backends(settings)
    model_id, dimension = chosen.embedding_space()
    if settings.database is not None:
        remember(settings.database)
    store = open_store(settings.where, embedding_model=model_id, dimension=dimension)
    return Memory(store, chosen, person=person_named(actor) if actor else "")


def open_memory(
    store: Path | str | None = None,
    *,
    backends: MakeBackends = ChosenBackends,
    actor: str = "",
    **settings: Any,
) -> Memory:
    """Open (or make) the store in directory `store`, or at a `postgresql://` address; further settings by
    name (`runtime.config.Settings`).

    Without a directory: `MEMSCOPE_STORE`, else ./memscope_data. Takes `backends` and `actor`
    and raises as `open_settings`.
    """
    return open_settings(load_settings(store, **settings), backends, actor=actor)


def diagnose(settings: Settings, backends: MakeBackends = ChosenBackends) -> DoctorReport:
    """`Memory.doctor`, also for a store that is not there yet or cannot be opened."""
    checks = surroundings(backends(settings))
    try:
        if not store_exists(settings.where):
            none = f"there is none in {settings.where}"
            fix = "Import a log, or name another --store."
            return DoctorReport((*checks, Check("store", "warn", none, fix)))
        with open_settings(settings, backends) as memory:
            checks += store_checks(memory.store)
    except StoreError as error:
        checks.append(Check("store", "fail", error.cause, error.fix))
    return DoctorReport(tuple(checks))


def require_store(settings: Settings) -> None:
    """Raise NotFoundError when there is no store yet where one should be read."""
    if not store_exists(settings.where):
        raise NotFoundError(
            f"There is no store in {settings.where}.",
            f"Check the path, or make one: python -m memcore ingest LOG --store {settings.where}",
        )


def move_store(source: Settings, target: Settings, backends: MakeBackends = ChosenBackends) -> int:
    """Carry everything that one store holds into another that holds nothing, a directory's or a server's;
    returns the number of rows. Both have the embedding model of the settings. Raises NotFoundError,
    ConflictError where the target holds something, StoreError."""
    require_store(source)
    model_id, dimension = backends(source).embedding_space()
    if target.database is not None:
        remember(target.database)
    with (
        open_store(source.where, embedding_model=model_id, dimension=dimension) as of,
        open_store(target.where, embedding_model=model_id, dimension=dimension) as to,
    ):
        rows = move(of, to)
    _copy_files(source.store_dir, target.store_dir)
    return rows


def _copy_files(source: Path, target: Path) -> None:
    """Settings and kept evaluations, where the target has none."""
    for name in (SETTINGS_FILE, FOLDER):
        there, wanted = source / name, target / name
        if wanted.exists():
            continue
        if there.is_dir():
            shutil.copytree(there, wanted)
        elif there.is_file():
            shutil.copy2(there, wanted)


def reembed_store(settings: Settings, backends: MakeBackends = ChosenBackends) -> int:
    """Move a store to the embedding model the settings name; returns the number of texts embedded.

    The way on after EmbeddingMismatchError. Raises StoreBusyError while the store is open."""
    return reembed(settings.where, backends(settings).embedder())
