"""A system's own settings: a frozen dataclass whose fields say what they are and which values they take.

The settings file, the Settings page and the check of values read the fields. A setting is named
`SYSTEM_FIELD` outside its system: `lightmem_prompt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from memcore.domain.errors import UsageError


@dataclass(frozen=True, slots=True)
class NoSettings:
    """The settings of a system that has none."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting in words: its label, what it does, and for a choice the options; `least` is the smallest
    number that is possible, `step` what a number grows by on screen. `only_search`: it changes how
    memories are found and none of them."""

    label: str
    does: str
    options: tuple[Any, ...] = ()
    least: float | None = None
    step: float = 1
    only_search: bool = False


def in_words(
    label: str,
    does: str,
    *,
    options: Sequence[Any] = (),
    least: float | None = None,
    step: float = 1,
    only_search: bool = False,
) -> Mapping[str, Setting]:
    """The metadata of a setting's field: `field(default="flat", metadata=in_words(...))`."""
    return {"setting": Setting(label, does, tuple(options), least, step, only_search)}


def described(own: type[Any]) -> dict[str, tuple[Setting, Any]]:
    """What each field of a settings dataclass is in words, with its default."""
    return {
        one.name: (one.metadata.get("setting", Setting(one.name.replace("_", " "), "")), one.default)
        for one in fields(own)
    }


def flat(system: str, own: Any) -> dict[str, Any]:
    """The values of a system's settings by their names outside it."""
    return {f"{system}_{name}": getattr(own, name) for name in described(type(own))}


def check(system: str, own: Any) -> None:
    """Raise UsageError for a value that is not among the options, or too small."""
    for name, (words, _) in described(type(own)).items():
        value = getattr(own, name)
        known = f"{system}_{name}"
        problem = f"{known} = {value!r} is not possible."
        if words.options and value not in words.options:
            raise UsageError(problem, f"Set {known} to {', '.join(map(str, words.options))}.")
        if words.least is not None and value < words.least:
            raise UsageError(problem, f"Set {known} to {words.least:g} or more.")
