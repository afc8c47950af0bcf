"""Whose memories an export holds, and as which recipe made them. Reads no memories itself."""

from __future__ import annotations

from dataclasses import dataclass

from memcore.domain.errors import UsageError
from memcore.domain.protocols import Store


@dataclass(frozen=True, slots=True)
class Part:
    """What one recipe made of one owner's conversations."""

    owner: str
    recipe: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The owners asked for, and what was made of their conversations: by owner, then recipe."""

    owners: tuple[str, ...]
    parts: tuple[Part, ...]


def select(store: Store, owner: str | None = None, recipe: str | None = None) -> Selection:
    """Everything of one owner (None: of all) that one recipe (None: any) made. Raises UsageError for an
    owner or a recipe that the store has nothing of."""
    there = store.owners()
    owners = there if owner is None else [owner]
    if owner is not None and owner not in there:
        raise UsageError(f"This store has nothing of {owner!r}.", f"It has: {_listed(there)}.")
    parts = [
        Part(name, made_by)
        for name in owners
        for made_by in sorted({*store.remembering(name), *store.graphs(name)})
    ]
    chosen = [part for part in parts if recipe is None or part.recipe == recipe]
    if recipe is not None and not chosen:
        raise UsageError(
            f"The recipe {recipe!r} has made nothing of these conversations.",
            f"It was made by: {_listed(sorted({part.recipe for part in parts}))}.",
        )
    return Selection(tuple(owners), tuple(chosen))


def for_another_system(store: Store, selection: Selection, *, one_owner: bool) -> Selection:
    """The same without graphs that no memory belongs to. Raises UsageError when several recipes remember
    the same conversations, or (where the system keeps no two owners apart) several owners are asked for:
    there, all would be one memory."""
    parts = tuple(part for part in selection.parts if part.recipe in store.remembering(part.owner))
    recipes = sorted({part.recipe for part in parts})
    if len({part.owner for part in parts}) < len(parts):
        raise UsageError(
            f"Several recipes remember the same conversations: {_listed(recipes)}.",
            "Choose whose memories the other system should have: --recipe NAME.",
        )
    if one_owner and len(parts) > 1:
        raise UsageError(
            f"There are memories of several owners: {_listed([part.owner for part in parts])}.",
            "The other system would mix them; export one at a time: --owner NAME.",
        )
    return Selection(selection.owners, parts)


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "nothing yet"
