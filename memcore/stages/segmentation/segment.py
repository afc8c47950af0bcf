"""Topic segmentation of one session's messages, by a named rule, with every score that led to it.

A session's first message always starts a segment. Scores and rules are in `segment_scores`; here
messages meet them. Attention is read from compressed turns, as LightMem does; what the vectors are of,
raw or compressed text, is the system's choice. The tail after the last boundary is a segment too: whether
it waits in a buffer is the recipe's business. Topic labels are given later, by extraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import UsageError
from memcore.domain.models import Message, Segment, stable_id
from memcore.domain.protocols import TurnAttention, Vectors
from memcore.stages.segmentation.model import gap_model
from memcore.stages.segmentation.reasons import reasons
from memcore.stages.segmentation.scores import (
    DEFAULT_METHOD,
    METHODS,
    NEEDS_ATTENTION,
    SIMILARITY_THRESHOLD,
    Boundaries,
    Floats,
    Scores,
    below,
    local_maxima,
    score_gaps,
)

MATRIX_TURNS = 40
"""Sessions up to this many messages keep the attention matrix in their trace."""

_BLOCK_TURNS, _REPEATED_TURNS = 512, 32

Column = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class SegmentationTrace:
    """All scores of one session, as columns over `message_ids`; a position stands for the gap before
    that message, None where there is no gap or the score was not read.

    `attention` is M[i, i-1] and `attention_maxima` its local maxima (B1); `similarity` the cosine to
    the previous message and `similarity_low` the gaps below `similarity_threshold` (B2); `block` and
    `depth` are TextTiling's smoothed cosine and depth, compared with `depth_threshold`; `shift` is the
    trained probability of a topic shift, compared with `shift_threshold`. `boundaries` are the
    positions where segments start, 0 included, and `reasons` in words, one tuple for each of them,
    what spoke most for it (of the trained method only). `by_method` holds the shifts, 0 not included,
    that every method would have found that could run. `fallback`: the method found no agreement and
    used similarity alone; `raised_threshold`: the similarity threshold that fired, of the published rule,
    which raises it. `matrix` is M to 3 decimals, for short sessions. Traces of before the trained method
    lack what has a default.
    """

    session_id: str
    method: str
    message_ids: tuple[str, ...]
    attention: Column
    similarity: Column
    block: Column
    depth: Column
    similarity_threshold: float
    depth_threshold: float
    attention_maxima: tuple[int, ...]
    similarity_low: tuple[int, ...]
    boundaries: tuple[int, ...]
    fallback: bool = False
    matrix: tuple[tuple[float, ...], ...] | None = None
    shift: Column = ()
    shift_threshold: float | None = None
    reasons: tuple[tuple[str, ...], ...] = ()
    by_method: dict[str, tuple[int, ...]] = field(default_factory=dict)
    raised_threshold: float | None = None


def segment(
    messages: Sequence[Message],
    vectors: Vectors,
    *,
    method: str = DEFAULT_METHOD,
    attention: TurnAttention | None = None,
    turns: Sequence[str] | None = None,
    recipe: str = "memscope",
) -> tuple[tuple[Segment, ...], SegmentationTrace]:
    """Segments of consecutive messages of one session, as `recipe` divides it.

    `vectors` are the unit vectors of the messages, raw (what the trained method of `topic_shift` learned
    from) or compressed, shape (n, d). `turns` are their compressed texts (raw texts when absent), read by
    `attention` if it is given; the methods of NEEDS_ATTENTION need it.
    Raises UsageError for an unknown method or one that lacks its attention.
    """
    if method not in METHODS:
        raise UsageError(f"There is no segmentation method {method!r}.", f"Use one of: {', '.join(METHODS)}.")
    if method in NEEDS_ATTENTION and attention is None:
        raise UsageError(
            f"The method {method} needs turn attention.", "Pass an encoder that reads attention."
        )
    if not messages:
        raise UsageError("There are no messages to segment.", "Pass at least one message.")
    matrix: NDArray[np.float32] | None = None
    previous: Floats | None = None
    if attention is not None:
        texts = list(turns) if turns is not None else [message.text for message in messages]
        matrix, previous = _read_attention(attention, texts)
    scores = score_gaps([message.text for message in messages], vectors, previous)
    by_method = {
        name: rule(scores)
        for name, rule in METHODS.items()
        if attention is not None or name not in NEEDS_ATTENTION
    }
    decided = by_method[method]
    starts = (0, *decided.at)
    session_id = messages[0].session_id
    trace = SegmentationTrace(
        session_id=session_id,
        method=method,
        message_ids=tuple(message.id for message in messages),
        attention=_column(scores.attention, len(messages)),
        similarity=_column(scores.similarity, len(messages)),
        block=_column(scores.block, len(messages)),
        depth=_column(scores.depth, len(messages)),
        similarity_threshold=SIMILARITY_THRESHOLD,
        depth_threshold=round(scores.depth_threshold, 4),
        attention_maxima=local_maxima(previous) if previous is not None else (),
        similarity_low=below(scores.similarity, SIMILARITY_THRESHOLD),
        boundaries=starts,
        fallback=decided.fallback,
        matrix=_rounded(matrix),
        shift=_column(scores.shift, len(messages)),
        shift_threshold=scores.shift_threshold,
        reasons=_reasons(scores, decided) if method == "topic_shift" else (),
        by_method={name: found.at for name, found in by_method.items()},
        raised_threshold=decided.similarity_threshold,
    )
    segments = []
    for number, (start, end) in enumerate(zip(starts, (*decided.at, len(messages)), strict=True)):
        ids = trace.message_ids[start:end]
        segments.append(
            Segment(
                id=stable_id("seg", recipe, session_id, ids[0], ids[-1], method),
                session_id=session_id,
                message_ids=ids,
                boundary=_evidence(trace, number, begins_session=messages[start].position == 0),
                recipe=recipe,
            )
        )
    return tuple(segments), trace


def _evidence(trace: SegmentationTrace, number: int, *, begins_session: bool) -> dict[str, Any]:
    """Why a segment starts where it does: the method and its scores with the thresholds they met."""
    start = trace.boundaries[number]
    if start == 0:
        return {"method": trace.method, "reason": "session start" if begins_session else "first new message"}
    return {
        "method": trace.method,
        "reason": "similarity alone (no agreement with attention)" if trace.fallback else "topic shift",
        "because": list(trace.reasons[number]) if trace.reasons else [],
        "shift": trace.shift[start],
        "shift_threshold": trace.shift_threshold,
        "attention": trace.attention[start],
        "similarity": trace.similarity[start],
        "similarity_threshold": trace.raised_threshold or trace.similarity_threshold,
        "block": trace.block[start],
        "depth": trace.depth[start],
        "depth_threshold": trace.depth_threshold,
    }


def _reasons(scores: Scores, decided: Boundaries) -> tuple[tuple[str, ...], ...]:
    """For the first segment none, then for each shift what spoke most for it."""
    model = gap_model()
    return ((), *(reasons(scores.contributions[i], scores.features[i], model) for i in decided.at))


def _read_attention(
    attention: TurnAttention, turns: Sequence[str]
) -> tuple[NDArray[np.float32] | None, Floats]:
    """M (None for long sessions, whose square would not fit memory) and M[i, i-1]. Long sessions are
    read in blocks that repeat the turns before them."""
    previous = np.full(len(turns), np.nan)
    matrix: NDArray[np.float32] | None = None
    for start in range(0, len(turns), _BLOCK_TURNS):
        first = max(0, start - _REPEATED_TURNS)
        matrix = attention.turn_attention(turns[first : start + _BLOCK_TURNS])
        diagonal = np.diagonal(matrix, offset=-1)
        previous[max(start, 1) : start + _BLOCK_TURNS] = diagonal[max(start, 1) - first - 1 :]
    return (matrix if len(turns) <= _BLOCK_TURNS else None), previous


def _column(values: Floats | None, count: int) -> Column:
    if values is None:
        return (None,) * count
    return tuple(None if np.isnan(value) else round(float(value), 4) for value in values)


def _rounded(matrix: NDArray[np.float32] | None) -> tuple[tuple[float, ...], ...] | None:
    if matrix is None or len(matrix) > MATRIX_TURNS:
        return None
    return tuple(tuple(round(float(value), 3) for value in row) for row in matrix)
