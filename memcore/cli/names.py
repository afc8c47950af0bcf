"""The names that options take. They are looked up only when they are needed: what bears them is slow to
import, and systems of other people join by an entry point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import get_args

import typer


def _systems() -> Iterable[str]:
    from memcore.systems.registry import SYSTEMS

    return sorted(SYSTEMS)


def _backends() -> Iterable[str]:
    from memcore.runtime.config import LlmBackend

    return (f"{name}:FILE" if name == "recorded" else name for name in get_args(LlmBackend))


def _log_formats() -> Iterable[str]:
    from memcore.logs import FORMATS

    return ("auto", *FORMATS)


def _export_formats() -> Iterable[str]:
    from memcore.exporting import FORMATS

    return FORMATS


def _datasets() -> Iterable[str]:
    from memcore.evaluation.retrieval_datasets import DATASETS

    return DATASETS


def _methods() -> Iterable[str]:
    from memcore.systems.registry import SEGMENT_METHODS

    return SEGMENT_METHODS


SYSTEM, LOG_FORMAT, EXPORT_FORMAT = "SYSTEM", "LOGFORMAT", "FORMAT"
DATASET, METHOD, BACKEND = "DATASET", "METHOD", "BACKEND"

NAMES: dict[str, Callable[[], Iterable[str]]] = {
    SYSTEM: _systems,
    BACKEND: _backends,
    LOG_FORMAT: _log_formats,
    EXPORT_FORMAT: _export_formats,
    DATASET: _datasets,
    METHOD: _methods,
}
"""What stands for a name in help → what may be written there."""


def one_of(kind: str) -> Callable[[str], str]:
    """Reads an option that takes one of the names of a kind."""

    def read(written: str) -> str:
        names = list(NAMES[kind]())
        if written not in names:
            raise typer.BadParameter(f"{written!r} is none of {', '.join(names)}.")
        return written

    return read
