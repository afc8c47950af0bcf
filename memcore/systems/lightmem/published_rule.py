"""The topic boundaries of LightMem's published code: B2 with a B1 gap at most three messages away.

The paper's rule is the exact intersection (`stages.segmentation`), which is the default here.
"""

from __future__ import annotations

from memcore.stages.segmentation.scores import Boundaries, Scores, add_method, below, by_attention

NAME = "lightmem"
_NEIGHBOURHOOD = 3
_RAISED_THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


def by_lightmem(scores: Scores) -> Boundaries:
    """The published code's rule. Without any B1 gap, one topic. Otherwise the similarity threshold is
    raised from 0.2 to 0.5 until something lies below it; of that, the gaps with a B1 gap at most three
    messages away; where there are none, all of it.

    Differs from the code in counting B1 by turn (see `local_maxima`) and in comparing single messages,
    not pairs of user and assistant. The code applies it to the 512 tokens of its buffer at a time.
    """
    near = by_attention(scores).at
    if not near:
        return Boundaries(())
    for threshold in _RAISED_THRESHOLDS:
        if low := below(scores.similarity, threshold):
            agreed = tuple(i for i in low if any(abs(i - j) <= _NEIGHBOURHOOD for j in near))
            return Boundaries(agreed or low, fallback=not agreed, similarity_threshold=threshold)
    return Boundaries(())


add_method(NAME, by_lightmem, needs_attention=True)
