"""From a directory and settings to an open `Memory`, and what can be done where none can be opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memcore.domain.errors import NotFoundError, StoreError
from memcore.domain.models.people import person_named
from memcore.memory.facade import Memory
from memcore.runtime.backends import MakeBackends
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings, load_settings
from memcore.runtime.doctor import Check, DoctorReport
from memcore.runtime.examine import store_checks, surroundings
from memcore.store import open_store, reembed, store_exists


def open_settings(settings: Settings, backends: MakeBackends = ChosenBackends, *, actor: str = "") -> Memory:
    """Open (or make) the store that the settings name, to work with the backends that `backends` makes of
    them; with an `actor`, for whoever logs in under that name (`Memory.acting_for`), else for the operator,
    who may do everything. Raises StoreError (damaged, held by another process, other embedding model) and
    BackendError (an in-process model is missing)."""
    chosen = backends(settings)
    model_id, dimension = chosen.embedding_space()
    store = open_store(settings.store_dir, embedding_model=model_id, dimension=dimension)
    return Memory(store, chosen, person=person_named(actor) if actor else "")


def open_memory(
    store: Path | str | None = None,
    *,
    backends: MakeBackends = ChosenBackends,
    actor: str = "",
    **settings: Any,
) -> Memory:
    """Open (or make) the store in directory `store`; further settings by name (`runtime.config.Settings`).

    Without a directory: `MEMSCOPE_STORE`, else ./memscope_data. Takes `backends` and `actor`
    and raises as `open_settings`.
    """
    chosen = load_settings(Path(store) if store is not None else None, **settings)
    return open_settings(chosen, backends, actor=actor)


def diagnose(settings: Settings, backends: MakeBackends = ChosenBackends) -> DoctorReport:
    """`Memory.doctor`, also for a store that is not there yet or cannot be opened."""
    checks = surroundings(backends(settings))
    if not store_exists(settings.store_dir):
        what = f"there is none in {settings.store_dir}"
        return DoctorReport((*checks, Check("store", "warn", what, "Import a log, or name another --store.")))
    try:
        with open_settings(settings, backends) as memory:
            checks += store_checks(memory.store)
    except StoreError as error:
        checks.append(Check("store", "fail", error.cause, error.fix))
    return DoctorReport(tuple(checks))


def require_store(settings: Settings) -> None:
    """Raise NotFoundError when there is no store yet where one should be read."""
    if not store_exists(settings.store_dir):
        raise NotFoundError(
            f"There is no store in {settings.store_dir}.",
            f"Check the path, or make one: python -m memcore ingest LOG --store {settings.store_dir}",
        )


def reembed_store(settings: Settings, backends: MakeBackends = ChosenBackends) -> int:
    """Move a store to the embedding model the settings name; returns the number of texts embedded.

    The way on after EmbeddingMismatchError. Raises StoreBusyError while the store is open."""
    return reembed(settings.store_dir, backends(settings).embedder())
