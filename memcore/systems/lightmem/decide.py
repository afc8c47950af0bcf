"""LightMem's sleep-time decision by a language model (section 3.3): update, delete or ignore.

One call an update queue, as in the paper; queues are decided side by side. Differences from the published
code: the answer also names the candidates it rests on and a reason, because a person reviews it; a
decision is only proposed, and an answer that cannot be used is shown, not dropped. Approving a `delete`
ends the target at the time of the candidate it conflicts with, so that questions as of an earlier date
still find it. With no model chosen the rules decide, as for every system; they tell a merge from an update
and an end from a correction, too.
"""

from __future__ import annotations

from typing import Literal

from memcore.domain.protocols import Llm
from memcore.review.decide_llm import DecideReply, LlmDecider
from memcore.systems.lightmem.prompts import LIGHTMEM_UPDATE


class UpdateReply(DecideReply):
    """What the model is asked for: one of the paper's three actions."""

    action: Literal["update", "delete", "ignore"]


def update_decider(llm: Llm, workers: int) -> LlmDecider:
    """Asks `llm` with LightMem's own prompt, `workers` queues at a time."""
    return LlmDecider(llm, workers=workers, prompt=LIGHTMEM_UPDATE, reply=UpdateReply)
