"""Topics: where one subject ends and the next begins, the scores that say so, and moving a boundary."""

from __future__ import annotations

import streamlit as st

from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.stages.segmentation.turn_attention import MATRIX_TURNS
from ui.components import erase, segments, sessions, terms, traces
from ui.components.downloads import downloads
from ui.shell import access, links, params, templates
from ui.shell.frame import meta, needs_messages, note, page
from ui.shell.text import count
from ui.topics import attention, gaps, heatmap, jump, resegmentation

PURPOSE = (
    "How a session was divided into topics: the score of every gap, what each method would have done, "
    "and the segments they gave. A boundary that is wrong can be moved."
)


def scores(view: SessionView, trace: SegmentationTrace, draft: resegmentation.Draft | None) -> None:
    """Everything a trace knows about its gaps; a click leads to the turns."""
    method = segments.METHODS.get(trace.method, trace.method)
    templates.draw("topics.method", name=trace.method, about=terms.explained(method), fallback=trace.fallback)
    if len(trace.message_ids) < 2:
        note("A session of one message has no gaps to score.")
        return
    numbers = {m.id: n for n, m in enumerate(view.messages, start=1)}
    segmentations = gaps.by_method(trace)
    if view.cut:
        segmentations.append(
            gaps.Segmentation("a person", "moved by hand", resegmentation.standing(view)[1:], "person")
        )
    if draft:
        segmentations.append(gaps.Segmentation("draft", "not read yet", draft.starts[1:], "draft"))

    def clicked(ids: str) -> None:
        jump.to(view.messages, ids.split())

    left, right = st.columns([7, 5]) if trace.matrix else (st.container(), None)
    with left:
        gaps.draw(
            trace, segmentations, numbers, lit=jump.lit(view.messages), key="topic_gaps", clicked=clicked
        )
    if trace.matrix is not None and right is not None:
        by_id = {m.id: m for m in view.messages}
        with right:
            heatmap.draw(
                trace.matrix,
                trace.attention_maxima,
                [by_id[i] for i in trace.message_ids],
                numbers,
                dark=st.context.theme.type == "dark",
                key="topic_matrix",
                clicked=clicked,
            )
            meta(terms.explained("Outlined is M[i, i−1], filled its local maxima (B1)."))
    elif attention.was_read(trace):
        meta(
            f"The attention matrix is kept for up to {MATRIX_TURNS} turns; this has {len(trace.message_ids)}."
        )
    with st.expander("The same as a table"):
        templates.show(gaps.table(segmentations, numbers))


def chosen_part(view: SessionView, found: list[SegmentationTrace]) -> SegmentationTrace | None:
    """One trace: a session worked on in several steps has more, shown one at a time."""
    if len(found) < 2:
        return found[0] if found else None
    numbers = {m.id: n for n, m in enumerate(view.messages, start=1)}
    names = [f"Turns {numbers[t.message_ids[0]]} to {numbers[t.message_ids[-1]]}" for t in found]
    picked = params.number("part", 1, 1, len(found))
    st.pagination(len(found), **params.bound("part", picked, usual=1))
    meta(f"Segmented in {count(len(found), 'part')}. {names[picked - 1]}:")
    return found[picked - 1]


def cards(
    view: SessionView, found: list[SegmentationTrace], listed: list[resegmentation.Topic], moving: bool
) -> None:
    """A card for each topic with its messages, and what moves its boundary."""
    by_id = {m.id: (n, m) for n, m in enumerate(view.messages, start=1)}
    chosen = st.query_params.get("segment")
    lit = jump.lit(view.messages)
    for place, topic in enumerate(listed):
        members = [by_id[i] for i in topic.message_ids]
        segment = topic.segment
        told = len(view.memories_of(segment)) if segment else 0
        opened = (segment is not None and segment.id == chosen) or any(i in topic.message_ids for i in lit)
        with st.expander(resegmentation.title(place + 1, topic, told), expanded=opened):
            if segment is not None:
                trace = next((t for t in found if segment.message_ids[0] in t.message_ids), None)
                meta(f"Starts here because: {segments.why(segment, trace)}")
            if moving:
                resegmentation.controls(view, listed, place, members)
            templates.show(segments.turns(members, lit))


def topics(memory: Memory, view: SessionView, found: list[SegmentationTrace]) -> None:
    """Where and why the session was divided, and what a person may change about it."""
    draft = resegmentation.draft_of(view)
    if (trace := chosen_part(view, found)) is not None:
        scores(view, attention.beside(memory, view, trace), draft)
    if view.summary:
        templates.draw("topics.summary", text=view.summary.text)
    listed = resegmentation.topics(view, draft)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        meta(
            f"{count(len(listed), 'topic')}. Click a mark, a bar or a cell above, or a topic, to read its "
            "turns.",
            width="content",
        )
        moving = st.toggle(
            "Move boundaries",
            **params.bound("moving", params.flag("moving", False), usual=False),
            **access.greyed("review"),
        )
    resegmentation.by_person(memory, view)
    if draft:
        resegmentation.bar(memory, view, draft, listed)
    cards(view, found, listed, moving or draft is not None)
    with st.container(horizontal=True):
        links.link("Memories", "The memories of this session", recipe=view.recipe, session=view.session.id)
        for run_id in dict.fromkeys(one.run_id for one in view.memories if one.recipe == view.recipe):
            links.link("Runs and cost", "The run that read it", run=run_id)
        erase.link("Erase this conversation…", "conversation", view.session.conversation_id)
    downloads("topics", lambda: _records(view, found), about="The topics that stand, with their messages")


def _records(view: SessionView, found: list[SegmentationTrace]) -> list[dict[str, object]]:
    numbers = {m.id: n for n, m in enumerate(view.messages, start=1)}
    said = {m.id: f"{m.speaker}: {m.text}" for m in view.messages}
    return [
        {
            "topic": place,
            "id": segment.id,
            "label": segment.topic,
            "first_turn": numbers[segment.message_ids[0]],
            "last_turn": numbers[segment.message_ids[-1]],
            "starts_because": segments.why(
                segment, next((t for t in found if segment.message_ids[0] in t.message_ids), None)
            ),
            "memories": len(view.memories_of(segment)),
            "messages": [said[i] for i in segment.message_ids],
        }
        for place, segment in enumerate(view.segments, start=1)
    ]


def extraction(memory: Memory, view: SessionView) -> None:
    """What was read from the topics, and what was skipped and why."""
    found = traces.extraction(memory.traces.of(view.session.id, "extract", recipe=view.recipe))
    for trace in found:
        if trace.error or trace.notes:
            note(f"{trace.made_by}:", *([trace.error] if trace.error else []), *trace.notes)
    messages = {m.id: (n, m) for n, m in enumerate(view.messages, start=1)}
    if table := segments.skipped(messages, found):
        with st.expander("What nothing was remembered from, and why"):
            templates.show(table)


with page("Topics", PURPOSE) as memory:
    needs_messages(
        memory, "Each session will be shown divided into topics, with the scores of every boundary."
    )
    resegmentation.told()
    view = sessions.view(memory, topics=True)
    resegmentation.reading(memory)
    if not view.segments:
        sessions.nothing_made(memory, view, "This session was not segmented yet.")
    else:
        topics(
            memory,
            view,
            traces.segmentation(memory.traces.of(view.session.id, "segment", recipe=view.recipe)),
        )
        extraction(memory, view)
        jump.arrive()
