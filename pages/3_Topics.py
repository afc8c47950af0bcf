"""Topics: where one subject ends and the next begins, and the scores that say so."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from memcore.stages.segment import SegmentationTrace
from memcore.views import SessionView
from ui import links, segments, sessions, traces
from ui.frame import needs_messages, note, page
from ui.text import count, label, safe

PURPOSE = (
    "How a session was cut into topics: the score of every gap, the thresholds, and the segments they gave."
)


def scores(view: SessionView, found: list[SegmentationTrace]) -> str | None:
    """Draw the traces; the id of the message that was clicked."""
    numbers = {m.id: n for n, m in enumerate(view.messages, start=1)}
    clicked = None
    for place, trace in enumerate(found):
        method = segments.METHODS.get(trace.method, trace.method)
        fallback = (
            " No agreement between attention and similarity was found, so similarity decided alone."
            if trace.fallback
            else ""
        )
        st.html(f'<div class="ms-meta">Method: <b>{safe(trace.method)}</b>, {safe(method)}.{fallback}</div>')
        if len(trace.message_ids) < 2:
            note("A session of one message has no gaps to score.")
            continue
        at = segments.strips(trace, numbers.get(trace.message_ids[0], 1), f"strips_{place}")
        clicked = trace.message_ids[at] if at is not None else clicked
    return clicked


def cards(view: SessionView, found: list[SegmentationTrace], lit: str | None) -> None:
    by_id = {m.id: (n, m) for n, m in enumerate(view.messages, start=1)}
    chosen = st.query_params.get("segment")
    told = {s.id: sum(m.segment_id == s.id for m in view.memories) for s in view.segments}
    st.html(
        f'<div class="ms-meta">{count(len(view.segments), "segment")}. '
        "Click a bar above, or a segment, to read its turns.</div>"
    )
    for place, segment in enumerate(view.segments, start=1):
        trace = next((t for t in found if segment.message_ids[0] in t.message_ids), None)
        members = [by_id[i] for i in segment.message_ids if i in by_id]
        topic = label(segment.topic, 70) if segment.topic else "no label"
        size = f"{count(len(members), 'turn')} · {count(told[segment.id], 'memory', 'memories')}"
        title = f"**{place}. {topic}** · {size}"
        opened = segment.id == chosen or (lit is not None and lit in segment.message_ids)
        with st.expander(title, expanded=opened):
            st.html(f'<div class="ms-meta">Starts here because: {safe(segments.why(segment, trace))}</div>')
            st.html(segments.turns(members, lit))
    links.link("Memories", "The memories of this session", session=view.session.id)


def extraction(memory: Memory, view: SessionView) -> None:
    found = traces.extraction(memory.extraction(view.session.id))
    for trace in found:
        if trace.error or trace.notes:
            note(f"{trace.made_by}:", *([trace.error] if trace.error else []), *trace.notes)
    messages = {m.id: (n, m) for n, m in enumerate(view.messages, start=1)}
    if table := segments.passed_over(messages, found):
        with st.expander("What nothing was remembered from, and why"):
            st.html(table)


with page("Topics", PURPOSE) as memory:
    needs_messages(memory, "Each session will be shown cut into topics, with the scores behind every cut.")
    view = memory.session(sessions.choose(memory))
    found = traces.segmentation(memory.segmentation(view.session.id))
    if not view.segments:
        note("This session was not segmented yet.", "Finish the import; it continues where it stopped.")
        links.link("Import", "Resume the import")
    else:
        lit = scores(view, found)
        if view.summary:
            st.html(f'<div class="ms-note"><b>Summary.</b> {safe(view.summary.text)}</div>')
        cards(view, found, lit)
        extraction(memory, view)
