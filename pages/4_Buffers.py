"""Buffers: what each system read at a time, and what it did with it.

Systems that make topics (Memscope's own, LightMem) gather them in sensory and short-term memory: what filled
these, what released them, and why. The others read part by part (a message pair, a turn, a window, a chunk):
what was remembered and skipped in each. Beside it stand the steps of the system's own, as it draws
them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from memcore.systems.drawings import Bars, Drawing, Shown
from memcore.systems.registry import SYSTEMS, title
from ui.buffers import buffers, parts
from ui.buffers import drawing as draw_step
from ui.components import sessions, traces
from ui.components.report import figures
from ui.shell import links, opened, params
from ui.shell.frame import meta, needs_messages, note, page
from ui.shell.templates import show
from ui.shell.text import count, label

PURPOSE = (
    "What each system read at a time, and what it did with it: the topics that filled each buffer and why "
    "it was released, or the parts that were read one after the other."
)
PAGE_SIZE = 10


def of_session(memory: Memory, drawings: Sequence[Drawing], *, first: bool) -> None:
    """What the system tells of the session as a whole, before what was read or after it."""
    for drawing in drawings:
        if drawing.segment_id is not None or drawing.first != first:
            continue
        named = memory.memories.by_id(drawing.memory_ids(), owner=opened.owner(memory))
        st.header(label(drawing.heading), anchor=False)
        for number, piece in enumerate(drawing.pieces):
            if isinstance(piece, Bars):
                draw_step.bars(piece, key=f"{drawing.heading} {number}")
            else:
                show(draw_step.pieces((piece,), named))
        if drawing.waits:
            links.link("Review", "Review what waits")


def short_term_memory(memory: Memory, view: SessionView) -> None:
    """What filled the buffer before each extraction, and what came of it."""
    session_id = view.session.id
    filled = buffers.joined(
        traces.buffers(memory.traces.of(session_id, "buffer", recipe=view.recipe)),
        view.segments,
        view.memories,
        traces.by_message(traces.compression(memory.traces.of(session_id, "compress", recipe=view.recipe))),
        traces.extraction(memory.traces.of(session_id, "extract", recipe=view.recipe)),
    )
    if not filled:
        sessions.nothing_made(memory, view, "Nothing of this session has been extracted yet.")
        return
    st.header("Short-term memory", anchor=False)
    figures(
        (len(filled), "buffer" if len(filled) == 1 else "buffers"),
        (sum(b.released_by in ("threshold", "session") for b in filled), "released because full"),
        (filled[0].threshold, "tokens fill one"),
        (sum(b.tokens for b in filled), "compressed tokens read"),
    )
    meta(
        "Topics queue until they hold enough tokens; then one extraction reads them all together. "
        f"{count(len(filled), 'extraction')} for {count(len(view.segments), 'topic')}."
    )
    buffers.short_term(filled)
    show(buffers.short_term_table(filled, session_id))


def part_by_part(memory: Memory, view: SessionView, drawings: Sequence[Drawing]) -> None:
    """Each window, pair or turn that was read, with what was decided about it."""
    read = memory.traces.of(view.session.id, "extract", recipe=view.recipe)
    steps = parts.Steps(traces.extraction(read), drawings)
    if failures := steps.failures(view.segments):
        note(f"{count(len(failures), 'attempt')} failed, and what was read then waited:", *failures)
    if notes := steps.notes():
        note("Extraction noted:", *notes)
    if not view.segments:
        if not view.memories:
            sessions.nothing_made(memory, view, "Nothing of this session has been read yet.")
            return
        made = count(len(view.memories), "memory", "memories")
        meta(f"{title(view.recipe)} read this session message by message: {made}.")
        return
    st.header("Part by part", anchor=False)
    pages = -(-len(view.segments) // PAGE_SIZE)
    number = params.number("page", 1, 1, pages)
    if pages > 1:
        st.pagination(pages, **params.bound("page", number, usual=1))
    first = (number - 1) * PAGE_SIZE
    shown = view.segments[first : first + PAGE_SIZE]
    named = memory.memories.by_id(steps.memory_ids(shown), owner=view.owner)
    for place, segment in enumerate(shown, start=first + 1):
        show(parts.part(segment, place, view, steps, named))
    if number == pages and (after := parts.outside(view, steps) + parts.late(view, steps)):
        show(after)


def own_steps(memory: Memory, view: SessionView) -> list[Drawing]:
    """What the system shows of its own steps in this session."""
    shown = Shown(
        frozenset(segment.id for segment in view.segments),
        {message.id: n for n, message in enumerate(view.messages, start=1)},
    )
    stages = SYSTEMS[view.recipe].drawings if view.recipe in SYSTEMS else {}
    found = {stage: memory.traces.of(view.session.id, stage, recipe=view.recipe) for stage in stages}
    return [one for stage, draw_own in stages.items() for one in draw_own(found[stage], shown)]


with page("Buffers", PURPOSE) as memory:
    needs_messages(
        memory, "Each buffer or part that a system reads will be shown with what the system did with it."
    )
    view = sessions.view(memory)
    drawings = own_steps(memory, view)
    of_session(memory, drawings, first=True)
    if sessions.divides_into_topics(view.recipe):
        short_term_memory(memory, view)
    else:
        part_by_part(memory, view, drawings)
    of_session(memory, drawings, first=False)
