"""NaiveRAG: the floor of every comparison. Chunks of the log, found by embedding, and nothing else.

    chunk    whole neighbouring messages of one session, up to 256 tokens
    embed    each chunk as it was said
    search   the chunks nearest to the question (`retrieval.dense`)

No language model, no extraction, no update. Deliberate difference from cutting at a fixed length: no
message is cut and no two chunks overlap, so that every chunk's sources are whole messages and none is
delivered twice. A chunk is known from when its last message was said. What people and assistants say
counts, not what systems and tools do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memcore.domain.extraction import Fact
from memcore.domain.models import Message, Source
from memcore.domain.protocols import Vectors
from memcore.retrieval.dense import dense
from memcore.stages.link import FactContext, link
from memcore.stages.pairs import as_segment
from memcore.systems.baselines.chunk import chunks, spoken_line
from memcore.systems.steps import (
    SPOKEN,
    About,
    EmbedTrace,
    Known,
    Step,
    StepResult,
    System,
    Tools,
    Tracer,
    embedded,
)

NAME = "naive_rag"
CHUNK_TOKENS = 256
"""cl100k tokens of a chunk, at most."""


@dataclass(frozen=True, slots=True)
class ChunkedStep:
    """One step's chunks, and the unit vectors of their texts."""

    step: Step
    chunks: tuple[tuple[Message, ...], ...]
    vectors: Mapping[str, Vectors]
    tracer: Tracer


def read(step: Step, tools: Tools) -> ChunkedStep:
    """Chunk and embed."""
    tracer = Tracer(step)
    made = tuple(
        chunk
        for part in step.parts
        for chunk in chunks([m for m in part.messages if m.role in SPOKEN], CHUNK_TOKENS, tools.count_tokens)
    )
    with tracer.timing("embed"):
        vectors = embedded([_text(chunk) for chunk in made], tools.embedder)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, len(vectors), triples=0))
    return ChunkedStep(step, made, vectors, tracer)


def remember(prepared: ChunkedStep, known: Known[None], tools: Tools) -> StepResult[None]:
    """Every chunk as a memory."""
    step, tracer = prepared.step, prepared.tracer
    segments = [as_segment(chunk, NAME, f"chunk of {CHUNK_TOKENS} tokens") for chunk in prepared.chunks]
    with tracer.timing("link"):
        told = [
            (_whole(chunk), FactContext(step.owner, NAME, step.run_id, segment.id, "", "", chunk[-1]))
            for chunk, segment in zip(prepared.chunks, segments, strict=True)
        ]
        linked, trace = link(told, embedding_model=tools.embedder.model_id, entities={}, triples={})
    tracer.add("link", step.run_id, trace)
    return StepResult(
        segments=tuple(segments),
        memories=linked.memories,
        embedding_model=tools.embedder.model_id,
        vectors=prepared.vectors,
        traces=tracer.traces(),
        processed=tuple(message.id for message in step.messages),
    )


def _text(chunk: tuple[Message, ...]) -> str:
    return "\n".join(spoken_line(message) for message in chunk)


def _whole(chunk: tuple[Message, ...]) -> Fact:
    speakers = tuple(dict.fromkeys(message.speaker for message in chunk))
    return Fact(
        text=_text(chunk),
        kind="statement",
        sources=tuple(Source(message.id, 0, len(message.text)) for message in chunk),
        speaker=", ".join(speakers),
        persons=speakers,
    )


SYSTEM = System(
    NAME,
    read,
    remember,
    search=dense,
    about=About(
        "Naive RAG",
        "Chunks of the log of up to 256 tokens, found by embedding. No extraction, no updates.",
        "No language model takes part, none is missed.",
        bound="floor",
    ),
    graph=False,
    topics=False,
)
