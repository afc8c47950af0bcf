"""Buffers: sensory and short-term memory, what filled them, what released them, and why; and what online
synthesis made of it, for the system that has it (SimpleMem)."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from memcore.views import SessionView
from ui import buffers, links, sessions, synthesis, traces
from ui.frame import needs_messages, page
from ui.recipes import TITLES
from ui.report import figures
from ui.text import count, safe

PURPOSE = (
    "What waited in short-term memory before anything was extracted from it: "
    "the topics that filled each buffer, and why it was released."
)


def sensory_memory(memory: Memory, view: SessionView) -> None:
    found = traces.sensory(memory.sensory(view.session.id, recipe=view.recipe))
    if not found:
        return
    numbers = {message.id: n for n, message in enumerate(view.messages, start=1)}
    st.subheader("Sensory memory", anchor=False)
    st.html(
        '<div class="ms-meta">Compressed messages gather here. When the next one does not fit, they are '
        "cut into topics: those that ended go on to short-term memory; the last one stays, for it may go "
        "on.</div>"
    )
    buffers.sensory(found, numbers)
    st.html(buffers.sensory_table(found, numbers))


def short_term_memory(memory: Memory, view: SessionView) -> None:
    session_id = view.session.id
    filled = buffers.joined(
        traces.buffers(memory.buffers(session_id, recipe=view.recipe)),
        view.segments,
        view.memories,
        traces.by_message(traces.compression(memory.compression(session_id, recipe=view.recipe))),
        traces.extraction(memory.extraction(session_id, recipe=view.recipe)),
    )
    if not filled and view.segments:
        read = count(len(view.segments), "part")
        name = safe(TITLES.get(view.recipe, view.recipe))
        st.html(f'<div class="ms-meta">{name} fills no buffers: it read this session in {read}.</div>')
        return
    if not filled:
        sessions.nothing_made(memory, view, "Nothing of this session has been extracted yet.")
        return
    st.subheader("Short-term memory", anchor=False)
    figures(
        (len(filled), "buffer" if len(filled) == 1 else "buffers"),
        (sum(b.released_by in ("threshold", "session") for b in filled), "released because full"),
        (filled[0].threshold, "tokens fill one"),
        (sum(b.tokens for b in filled), "compressed tokens read"),
    )
    st.html(
        '<div class="ms-meta">Topics queue until they hold enough tokens; then one extraction reads them '
        f"all together. {count(len(filled), 'extraction')} for {count(len(view.segments), 'topic')}.</div>"
    )
    buffers.short_term(filled)
    st.html(buffers.short_term_table(filled, session_id))


def online_synthesis(memory: Memory, view: SessionView) -> None:
    found = traces.synthesis(memory.synthesis(view.session.id, recipe=view.recipe))
    if not found:
        return
    st.subheader("Synthesis", anchor=False)
    st.html(
        '<div class="ms-meta">Units of one session that tell of one thing become one before they are stored. '
        "A merge with a unit stored before waits for a person.</div>" + synthesis.summary(found)
    )
    if any(trace.rows for trace in found):
        st.html(synthesis.table(found))
    if any(row.outcome == "proposed" for trace in found for row in trace.rows):
        links.link("Review", "Review what waits")


with page("Buffers", PURPOSE) as memory:
    needs_messages(
        memory, "Each buffer will be shown with the topics that filled it and why it was released."
    )
    view = sessions.view(memory)
    sensory_memory(memory, view)
    short_term_memory(memory, view)
    online_synthesis(memory, view)
