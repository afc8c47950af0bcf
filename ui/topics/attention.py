"""Turn attention of a session whose method divided it without: read when somebody asks to see it."""

from __future__ import annotations

import streamlit as st

from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from memcore.stages.segmentation.trace import SegmentationTrace
from ui.components import terms
from ui.shell import params
from ui.shell.frame import meta


def was_read(trace: SegmentationTrace) -> bool:
    """Whether its scores have attention among them."""
    return any(value is not None for value in trace.attention)


def beside(memory: Memory, view: SessionView, trace: SegmentationTrace) -> SegmentationTrace:
    """The trace, with attention beside its other scores where that is asked for; a trace that was stored with
    attention, or has no gaps, as it is."""
    if was_read(trace) or len(trace.message_ids) < 2:
        return trace
    wanted = st.toggle(
        "Turn attention",
        help="How much each turn attends to each turn before it, and where the methods that look at it would "
        "begin a topic. The method that divided this session does not, so it is read when you ask.",
        **params.bound("attention", params.flag("attention", False), usual=False),
    )
    if not wanted:
        return trace
    with st.spinner("Reading the attention between these turns…"):
        found = _read(memory, view.session.id, view.recipe, trace)
    meta(
        terms.explained(
            "Attention, B1 and B1 ∩ B2 were read now, from the turns as they were compressed; nothing of "
            "it is stored, and the topics were found without it."
        )
    )
    return found


@st.cache_data(show_spinner=False, max_entries=20)
def _read(_memory: Memory, session_id: str, recipe: str, trace: SegmentationTrace) -> SegmentationTrace:
    return _memory.traces.with_attention(session_id, trace, recipe=recipe)
