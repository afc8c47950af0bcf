"""`memory.memories`: what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from memcore.domain.models import DEFAULT_OWNER, Grounding, MemoryEntry
from memcore.domain.protocols import MemoryFilter, Store
from memcore.inspection import objects
from memcore.inspection.objects import MemoryView
from memcore.memory.rights import Rights, needs


class Memories:
    """An owner's memories, found by what they are rather than by a question (`Memory.search`)."""

    def __init__(self, store: Store, rights: Rights) -> None:
        self._store = store
        self._rights = rights

    @needs("read")
    def find(
        self,
        owner: str = DEFAULT_OWNER,
        *,
        limit: int | None = None,
        offset: int = 0,
        unsupported_first: bool = False,
        **wanted: Unpack[MemoryFilter],
    ) -> list[MemoryEntry]:
        """The owner's memories; filters as in `MemoryFilter`, order as in `Store.memories`."""
        return self._store.memories(
            owner, limit=limit, offset=offset, unsupported_first=unsupported_first, **wanted
        )

    @needs("read")
    def groundings(self, ids: Sequence[str], *, owner: str = DEFAULT_OWNER) -> dict[str, Grounding]:
        """Whether their words carry the owner's memories, triples and summaries with these ids, by id; none
        for one that was not checked yet."""
        return self._store.groundings(ids, owner=owner)

    @needs("read")
    def by_id(self, ids: Sequence[str], *, owner: str = DEFAULT_OWNER) -> dict[str, MemoryEntry]:
        """The owner's memories with these ids, by id; an id that stands for none of them is left out."""
        found = self._store.memories_by_id(ids)
        return {key: memory for key, memory in found.items() if memory.owner == owner}

    @needs("read")
    def count(self, owner: str = DEFAULT_OWNER, **wanted: Unpack[MemoryFilter]) -> int:
        """How many `find` gives; the active ones, unless `states` says otherwise."""
        return self._store.count_memories(owner, **wanted)

    @needs("read")
    def persons(self, owner: str = DEFAULT_OWNER, *, recipe: str | None = None) -> list[str]:
        """Everyone whom the owner's memories are about, in alphabetical order."""
        return self._store.persons(owner, recipe=recipe)

    @needs("read")
    def view(self, memory_id: str, *, owner: str = DEFAULT_OWNER) -> MemoryView:
        """One of the owner's memories with its evidence and history. Raises NotFoundError."""
        return objects.memory_view(self._store, memory_id, owner=owner)
