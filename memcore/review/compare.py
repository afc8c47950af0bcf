"""From the store to update queues: which memories are compared, in which order, with which vectors.

Memories are compared within their recipe only: what two systems made of one log repeats itself, and
would be taken for news. Those of Memscope's own recipe are also compared where they give a value to the same
thing or share a rare word (`comparable_by`), however they word it. Nothing is decided here; the only thing
stored are embeddings that were missing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from memcore.domain.models import DEFAULT_RECIPE, MemoryEntry, Run, StageTrace
from memcore.domain.protocols import Embedder, MakeIndex, Progress, Store, Vectors
from memcore.review.decisions import UpdateQueue
from memcore.review.queues import update_queues
from memcore.review.values import comparable_by

QUEUES_STAGE = "update_queues"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every queue of the memories compared, recipe by recipe, with a trace each (payload:
    `QueueTrace`, unit: the recipe)."""

    memories: int
    queues: tuple[UpdateQueue, ...]
    traces: tuple[StageTrace, ...]


def compare(
    store: Store,
    run: Run,
    recipes: Sequence[str] | None,
    embedder: Embedder,
    make_index: MakeIndex,
    limits: dict[str, Any],
    progress: Progress | None,
) -> Comparison:
    """The queues of the active memories of `run.owner` and of these recipes (None: of `run.recipe` or,
    where it names none, every one). `limits` are those of `update_queues`; progress is told as stage
    "compare"."""
    active = in_log_order(store, run.owner)
    if recipes is None:
        recipes = [run.recipe] if run.recipe else sorted({memory.recipe for memory in active})
    groups = {recipe: [m for m in active if m.recipe == recipe] for recipe in recipes}
    done, total = 0, sum(len(group) for group in groups.values())
    if progress is not None:
        progress("compare", 0, total)
    found: list[UpdateQueue] = []
    traces: list[StageTrace] = []
    for recipe, memories in groups.items():
        begun = time.perf_counter()
        vectors = _vectors(store, embedder, memories)
        values = comparable_by(memories) if recipe == DEFAULT_RECIPE else ()
        queues, trace = update_queues(
            memories, vectors, make_index(embedder.dimension), values=values, **limits
        )
        found += queues
        spent = (time.perf_counter() - begun) * 1000
        traces.append(StageTrace(run.id, QUEUES_STAGE, recipe, len(traces), spent, asdict(trace)))
        done += len(memories)
        if progress is not None:
            progress("compare", done, total)
    return Comparison(total, tuple(_with_speakers(store, found)), tuple(traces))


def in_log_order(store: Store, owner: str) -> list[MemoryEntry]:
    """The owner's active memories in the order in which their words stand in the logs."""
    memories = store.memories(owner)  # first: an import that runs meanwhile can then only add evidence
    cited = store.messages_by_id(list({m.sources[0].message_id for m in memories if m.sources}))
    all_sessions = store.sessions(owner=owner)
    conversations = {c.id: place for place, c in enumerate(store.conversations(owner))}
    sessions = {s.id: (conversations[s.conversation_id], s.position) for s in all_sessions}

    def place(memory: MemoryEntry) -> tuple[int, int, int, int, str]:
        message = cited.get(memory.sources[0].message_id) if memory.sources else None
        if message is None:
            return len(conversations), 0, 0, 0, memory.id
        return *sessions[message.session_id], message.position, memory.sources[0].start, memory.id

    return sorted(memories, key=place)


def _vectors(store: Store, embedder: Embedder, memories: Sequence[MemoryEntry]) -> Vectors:
    """The memories' unit vectors, from the store; what is missing there is embedded and kept."""
    texts = [memory.text for memory in memories]
    known = store.embeddings(embedder.model_id, texts)
    missing = sorted({text for text in texts if text not in known})
    if missing:
        made = dict(zip(missing, embedder.embed(missing), strict=True))
        codes = dict(zip(missing, embedder.token_codes(missing), strict=True))
        with store.write(actor="consolidate") as writer:
            writer.add_embeddings(embedder.model_id, made, codes)
        known = {**known, **made}
    if not texts:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    return np.stack([known[text] for text in texts])


def of_assistant(store: Store, memories: Iterable[MemoryEntry]) -> frozenset[str]:
    """The ids of those whose own words, the first that they cite, are an assistant's. Beside these they may
    cite what a person asked for."""
    own = {memory.id: memory.sources[0].message_id for memory in memories if memory.sources}
    said = store.messages_by_id(list(set(own.values())))
    return frozenset(i for i, cited in own.items() if cited in said and said[cited].role == "assistant")


def _with_speakers(store: Store, queues: Sequence[UpdateQueue]) -> list[UpdateQueue]:
    """The queues, with those of their memories that are an assistant's words."""
    compared = {m.id: m for queue in queues for m in (queue.target, *(m for m, _ in queue.candidates))}
    theirs = of_assistant(store, compared.values())
    return [
        replace(queue, of_assistant=theirs & {queue.target.id, *(m.id for m, _ in queue.candidates)})
        for queue in queues
    ]
