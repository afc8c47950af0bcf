"""Every system by its name: ours in a fixed order, then those of other people.

A system of ours is a folder here whose `SYSTEM` is named below. A system of other people is a package of
its own with the entry point `memcore.systems` (docs/your-own-system.md). One that cannot be had is kept as
`Refused`, which `doctor` shows; it costs only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from memcore.domain.errors import MemcoreError, UsageError
from memcore.stages.segmentation.scores import METHODS
from memcore.systems import baselines, licomemory, lightmem, mem0, mem0_graph, memscope, simplemem
from memcore.systems.steps import System

Value = TypeVar("Value")

GROUP = "memcore.systems"
OURS: tuple[System[Any, Any], ...] = (
    memscope.SYSTEM,
    lightmem.SYSTEM,
    simplemem.SYSTEM,
    mem0.SYSTEM,
    mem0_graph.SYSTEM,
    licomemory.SYSTEM,
    *baselines.SYSTEMS,
)


@dataclass(frozen=True, slots=True)
class Refused:
    """A system of other people that cannot be had: the name of its entry point, its package, why, and what
    helps."""

    name: str
    package: str
    cause: str
    fix: str


@dataclass(frozen=True, slots=True)
class Found:
    """All systems by name, and those that were refused."""

    systems: Mapping[str, System[Any, Any]]
    refused: tuple[Refused, ...]


@cache
def find() -> Found:
    """Ours, and what the installed packages offer; looked for once in a process."""
    systems = {system.name: system for system in OURS}
    refused: list[Refused] = []
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, _package(one))):
        offered = _offered(point, systems)
        if isinstance(offered, Refused):
            refused.append(offered)
        else:
            systems[offered.name] = offered
    return Found(systems, tuple(refused))


def _offered(point: EntryPoint, taken: Mapping[str, System[Any, Any]]) -> System[Any, Any] | Refused:
    package = _package(point)
    uninstall = f"Correct or uninstall it: pip uninstall {package}"
    try:
        system = point.load()
    except Exception as error:  # noqa: BLE001 - whatever a stranger's module raises while it is imported
        cause = str(error) if isinstance(error, MemcoreError) else f"{type(error).__name__}: {error}"
        return Refused(point.name, package, f"{point.value} cannot be imported ({cause}).", uninstall)
    if not isinstance(system, System):
        what = f"{point.value} is a {type(system).__name__}, not a System."
        return Refused(point.name, package, what, "Let its entry point name a memcore.systems.steps.System.")
    if system.name != point.name:
        what = f"{point.value} is called {system.name!r} and its entry point {point.name!r}."
        return Refused(point.name, package, what, "Give both the same name.")
    if system.name in taken:
        what = f"There is a system called {system.name!r} already."
        return Refused(point.name, package, what, f"Rename it, or uninstall it: pip uninstall {package}")
    return system


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module


class OfSystems(Mapping[str, Value]):
    """Something of every system by name, looked up when it is asked for: a stranger's module imports this
    package, so it cannot be there yet when this module is loaded."""

    def __init__(self, what: Callable[[System[Any, Any]], Value]) -> None:
        self._what = what

    def __getitem__(self, name: str) -> Value:
        return self._what(find().systems[name])

    def __iter__(self) -> Iterator[str]:
        return iter(find().systems)

    def __len__(self) -> int:
        return len(find().systems)


SYSTEMS = OfSystems[System[Any, Any]](lambda system: system)

SEGMENT_METHODS = METHODS
"""Every method of topic segmentation by name, those that systems add among them."""


def system_named(name: str) -> System[Any, Any]:
    """The system of this name. Raises UsageError with those there are."""
    if name not in SYSTEMS:
        raise UsageError(f"There is no recipe {name!r}.", f"Choose one of: {', '.join(SYSTEMS)}.")
    return SYSTEMS[name]


def title(name: str) -> str:
    """What a system is called on screen, also one that a store names and that is not installed."""
    return SYSTEMS[name].title if name in SYSTEMS else name
