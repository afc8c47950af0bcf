"""What becomes of triples when the memories that state them change. Pure.

A triple goes on with whatever still states it. Otherwise it ends with the memory that ended, or, where that
memory was never true, was never said: it loses its mentions, so that no index holds it at any time asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memcore.domain.models import MemoryEntry, Triple
from memcore.review.apply import stated_elsewhere, still_said
from memcore.review.curate.scene import Scene


def restated(
    scene: Scene,
    gone: Sequence[MemoryEntry],
    successors: Sequence[MemoryEntry],
    *,
    at: datetime,
    ended: datetime | None = None,
) -> tuple[Triple, ...]:
    """The triples of memories `gone` that change, where `successors` say what is left of them (an edited
    memory succeeds itself). `ended` is until when the memories held (None: they were never true)."""
    changed = []
    replaced = {memory.id: memory for memory in gone}
    for triple in scene.triples:
        stated_by = [replaced[i] for i in triple.memory_ids if i in replaced]
        if not stated_by:
            continue
        said = " ".join(memory.text for memory in stated_by)
        ends = [scene.name(triple.subject_id), scene.name(triple.object_id)]
        goes_on = [s.id for s in successors if all(still_said(name, said, s.text) for name in ends)]
        others = [i for i in triple.memory_ids if i not in replaced]
        if goes_on or stated_elsewhere(triple, set(replaced), scene.active_ids):
            kept = others if ended is None else list(triple.memory_ids)
            after = replace(triple, memory_ids=tuple(dict.fromkeys((*kept, *goes_on))))
        elif ended is None:
            after = never_said(triple, at)
        else:
            after = replace(triple, invalidated_at=triple.invalidated_at or ended)
        if after != triple:
            changed.append(after)
    return tuple(changed)


def never_said(triple: Triple, at: datetime) -> Triple:
    """What is left of a triple that was never true, as after undoing its creation."""
    return replace(triple, mentions=0, invalidated_at=triple.invalidated_at or triple.valid_from or at)
