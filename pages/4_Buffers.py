"""Buffers: what each system read at a time, and what it did with it.

Systems that make topics (Memscope's own, LightMem) gather them in sensory and short-term memory: what filled
these, what released them, and why. The others read part by part (a message pair, a turn, a window, a chunk):
what was remembered and skipped in each, and the steps of their own: Mem0's update and summary,
Mem0-graph's node matching and conflicts, LiCoMemory's summary, SimpleMem's synthesis."""

from __future__ import annotations

import streamlit as st

from memcore.domain.models import StageTrace
from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from ui.buffers import buffers, parts, synthesis
from ui.components import sessions, terms, traces
from ui.components.recipes import TITLES
from ui.components.report import figures
from ui.shell import links, templates
from ui.shell.frame import meta, needs_messages, note, page
from ui.shell.text import count

PURPOSE = (
    "What each system read at a time, and what it did with it: the topics that filled each buffer and why "
    "it was released, or the parts that were read one after the other."
)
PAGE_SIZE = 10


def sensory_memory(memory: Memory, view: SessionView) -> None:
    """What filled LightMem's sensory buffer, and what emptied it."""
    found = traces.sensory(memory.sensory(view.session.id, recipe=view.recipe))
    if not found:
        return
    numbers = {message.id: n for n, message in enumerate(view.messages, start=1)}
    st.header("Sensory memory", anchor=False)
    meta(
        "Compressed messages gather here. When the next one does not fit, they are divided into topics: "
        "those that ended go on to short-term memory; the last one stays, for it may go on."
    )
    buffers.sensory(found, numbers)
    templates.show(buffers.sensory_table(found, numbers))


def short_term_memory(memory: Memory, view: SessionView) -> None:
    """What filled the buffer before each extraction, and what came of it."""
    session_id = view.session.id
    filled = buffers.joined(
        traces.buffers(memory.buffers(session_id, recipe=view.recipe)),
        view.segments,
        view.memories,
        traces.by_message(traces.compression(memory.compression(session_id, recipe=view.recipe))),
        traces.extraction(memory.extraction(session_id, recipe=view.recipe)),
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
    templates.show(buffers.short_term_table(filled, session_id))


def part_by_part(memory: Memory, view: SessionView) -> None:
    """Each window, pair or turn that was read, with what was decided about it."""
    steps = steps_of(memory, view)
    if failures := steps.failures(view.segments):
        note(f"{count(len(failures), 'attempt')} failed, and what was read then waited:", *failures)
    if notes := steps.notes():
        note("Extraction noted:", *notes)
    if not view.segments:
        if not view.memories:
            sessions.nothing_made(memory, view, "Nothing of this session has been read yet.")
            return
        name, made = TITLES.get(view.recipe, view.recipe), count(len(view.memories), "memory", "memories")
        meta(f"{name} read this session message by message: {made}.")
        return
    st.header("Part by part", anchor=False)
    pages = -(-len(view.segments) // PAGE_SIZE)
    number = st.pagination(pages, key="page", bind="query-params") if pages > 1 else 1
    first = (number - 1) * PAGE_SIZE
    shown = view.segments[first : first + PAGE_SIZE]
    named = memory.memories_by_id(steps.memory_ids(shown))
    for place, segment in enumerate(shown, start=first + 1):
        templates.show(parts.part(segment, place, view, steps, named))
    if number == pages and (after := parts.outside(view, steps) + parts.late_refreshes(view, steps)):
        templates.show(after)


def steps_of(memory: Memory, view: SessionView) -> parts.Steps:
    """What the traces of this session say; a system leaves those of its own stages only."""

    def of(stage: str) -> list[StageTrace]:
        return memory.stage_traces(view.session.id, stage, recipe=view.recipe)

    return parts.Steps(
        extractions=traces.extraction(of("extract")),
        updates=traces.updates(of("update")),
        refreshes=traces.refreshes(of("summary")),
        matches=traces.matches(of("match")),
        conflicts=traces.conflicts(of("conflicts")),
        dedupes=traces.dedupes(of("dedupe")),
        versions=traces.versions(of("summarize")),
    )


def online_synthesis(memory: Memory, view: SessionView) -> None:
    """Which units of the session became one before they were stored."""
    found = traces.synthesis(memory.synthesis(view.session.id, recipe=view.recipe))
    if not found:
        return
    st.header("Synthesis", anchor=False)
    meta(
        "Units of one session that tell of one thing become one before they are stored. A merge with a unit "
        "stored before waits for a person."
    )
    templates.draw("shell.metas", lines=[terms.explained(line) for line in synthesis.summary(found)])
    if any(trace.rows for trace in found):
        templates.show(synthesis.table(found))
    if any(row.outcome == "proposed" for trace in found for row in trace.rows):
        links.link("Review", "Review what waits")


with page("Buffers", PURPOSE) as memory:
    needs_messages(
        memory, "Each buffer or part that a system reads will be shown with what the system did with it."
    )
    view = sessions.view(memory)
    if sessions.divides_into_topics(view.recipe):
        sensory_memory(memory, view)
        short_term_memory(memory, view)
    else:
        part_by_part(memory, view)
    online_synthesis(memory, view)
