"""What a system knows of the owner's when a run begins, read from the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memcore.domain.models import Entity, MemoryEntry, Run
from memcore.domain.protocols import Embedder, MakeIndex, Store, Vectors
from memcore.systems.nearest import Nearest
from memcore.systems.steps import Known, vectors_of


def known_of(store: Store, run: Run, embedder: Embedder, make_index: MakeIndex) -> Known[Any]:
    """Kept up to date during the run (`Known.take`) instead of being read again each step. Memories and
    entities are loaded when a system first asks for those near to something."""
    owner, recipe = run.owner, run.recipe

    def load_memories() -> tuple[Sequence[MemoryEntry], Vectors]:
        memories = store.memories(owner, recipe=recipe)
        return memories, _vectors(store, embedder, [memory.text for memory in memories])

    def load_entities() -> tuple[Sequence[Entity], Vectors]:
        standing = [e for e in store.entities(owner, recipe=recipe) if e.merged_into is None]
        return standing, _vectors(store, embedder, [entity.name for entity in standing])

    return Known(
        {entity.id: entity for entity in store.entities(owner, recipe=recipe)},
        {triple.id: triple for triple in store.triples(owner, recipe=recipe)},
        {summary.session_id: summary for summary in store.summaries(owner, recipe=recipe)},
        Nearest(make_index(embedder.dimension), load_memories),
        Nearest(make_index(embedder.dimension), load_entities),
        of_session=lambda session_id: store.memories(owner, recipe=recipe, session_id=session_id),
    )


def _vectors(store: Store, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The unit vector of each text, embedded anew only where the store has none."""
    found = vectors_of(texts, store, embedder)
    empty = np.zeros((0, embedder.dimension), dtype=np.float32)
    return np.stack([found[text] for text in texts]) if texts else empty
