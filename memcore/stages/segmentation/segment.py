"""Topic segmentation of one session's messages, by a named rule, with every score that led to it.

A session's first message always starts a segment. Scores and rules are in `segment_scores`; here
messages meet them. Attention is read from compressed turns, as LightMem does, and only where the method
asks for it (`turn_attention.with_attention` adds it to a trace afterwards); what the vectors are of, raw or
compressed text, is the system's choice. The tail after the last boundary is a segment too: whether
it waits in a buffer is the recipe's business. Topic labels are given later, by extraction.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from memcore.stages.segmentation.trace import SegmentationTrace, column
from memcore.stages.segmentation.turn_attention import kept_matrix, read_attention


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
    from) or compressed, shape (n, d). `turns` are their compressed texts (raw texts when absent). The methods
    of NEEDS_ATTENTION have them read by `attention`; for any other it is not asked, since reading costs
    another pass of the encoder.
    Raises UsageError for an unknown method or one that lacks its attention.
    """
    if method not in METHODS:
        raise UsageError(f"There is no segmentation method {method!r}.", f"Use one of: {', '.join(METHODS)}.")
    if not messages:
        raise UsageError("There are no messages to segment.", "Pass at least one message.")
    matrix: NDArray[np.float32] | None = None
    previous: Floats | None = None
    if method in NEEDS_ATTENTION:
        if attention is None:
            raise UsageError(
                f"The method {method} needs turn attention.", "Pass an encoder that reads attention."
            )
        matrix, previous = read_attention(
            attention, list(turns) if turns is not None else [message.text for message in messages]
        )
    scores = score_gaps([message.text for message in messages], vectors, previous)
    by_method = {
        name: rule(scores)
        for name, rule in METHODS.items()
        if previous is not None or name not in NEEDS_ATTENTION
    }
    decided = by_method[method]
    starts = (0, *decided.at)
    session_id = messages[0].session_id
    trace = SegmentationTrace(
        session_id=session_id,
        method=method,
        message_ids=tuple(message.id for message in messages),
        attention=column(scores.attention, len(messages)),
        similarity=column(scores.similarity, len(messages)),
        block=column(scores.block, len(messages)),
        depth=column(scores.depth, len(messages)),
        similarity_threshold=SIMILARITY_THRESHOLD,
        depth_threshold=round(scores.depth_threshold, 4),
        attention_maxima=local_maxima(previous) if previous is not None else (),
        similarity_low=below(scores.similarity, SIMILARITY_THRESHOLD),
        boundaries=starts,
        fallback=decided.fallback,
        matrix=kept_matrix(matrix),
        shift=column(scores.shift, len(messages)),
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
