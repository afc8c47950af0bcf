"""Topic boundaries moved by hand: a draft in this browser tab, until its topics are read again.

The draft is a list of the messages at which topics start, as `Memory.resegment` takes it. Buttons change
it before the page is drawn; nothing is stored and no model runs until "Read these topics again".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models import Message, Segment
from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from memcore.review.audit import audit
from memcore.runs.resegment import Resegmented
from ui.components import evidence
from ui.shell import access, links, live, opened, progress, tab, templates
from ui.shell.frame import draw_error
from ui.shell.jobs import board, in_address
from ui.shell.text import count, label, shorten
from ui.topics import jump

PAGE = "Topics"
_DRAFT, _ERROR, _MESSAGE = "topic_draft", "topic_error", "topic_message"
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Draft:
    """Starts a person would like, of one session and recipe; `standing` are those it began from, `job`
    is reading them again."""

    session_id: str
    recipe: str
    standing: tuple[str, ...]
    starts: tuple[str, ...]
    job: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic on the page: the segment that stands, or (None) messages a draft puts together."""

    message_ids: tuple[str, ...]
    segment: Segment | None


def standing(view: SessionView) -> tuple[str, ...]:
    """The messages at which the topics that stand start."""
    return tuple(segment.message_ids[0] for segment in view.segments)


def draft_of(view: SessionView) -> Draft | None:
    """The draft for what is in view; one for something else, or for topics that changed since, is gone."""
    draft: Draft | None = st.session_state.get(_DRAFT)
    if draft is None:
        return None
    if (draft.session_id, draft.recipe, draft.standing) != (view.session.id, view.recipe, standing(view)):
        discard()
        return None
    return draft


def topics(view: SessionView, draft: Draft | None) -> list[Topic]:
    """What the page lists: the draft's topics where there is one, else those that stand."""
    by_messages = {segment.message_ids: segment for segment in view.segments}
    if draft is None:
        return [Topic(ids, segment) for ids, segment in by_messages.items()]
    groups: list[list[str]] = []
    for message_id in _covered(view):
        if message_id in draft.starts:
            groups.append([])
        groups[-1].append(message_id)
    return [Topic(tuple(ids), by_messages.get(tuple(ids))) for ids in groups]


def _covered(view: SessionView) -> list[str]:
    return [i for segment in view.segments for i in segment.message_ids]


# --------------------------------------------------------------------------- what buttons do


def _change(view: SessionView, starts: set[str], around: Sequence[str]) -> None:
    """Keep a new draft (none, if it is what stands already) and point at the turns it is about."""
    order = tuple(i for i in _covered(view) if i in starts)
    if order == standing(view):
        discard()
    else:
        st.session_state[_DRAFT] = Draft(view.session.id, view.recipe, standing(view), order)
    jump.to(view.messages, around, scroll=False)


def _starts(view: SessionView) -> set[str]:
    draft = draft_of(view)
    return set(draft.starts if draft else standing(view))


def move(view: SessionView, start: str, by: int) -> None:
    """Let the topic that starts at `start` start a turn earlier (-1) or later (+1). It never passes
    another boundary and never empties a topic."""
    starts, order = _starts(view), _covered(view)
    wanted = order[order.index(start) + by]
    if wanted not in starts:
        _change(view, starts - {start} | {wanted}, [wanted])


def join(view: SessionView, start: str) -> None:
    """Put a topic together with the one before."""
    _change(view, _starts(view) - {start}, [start])


def split(view: SessionView, key: str) -> None:
    """Start a topic at the turn chosen in the select box `key`."""
    if chosen := st.session_state[key]:
        _change(view, _starts(view) | {chosen}, [chosen])


def discard() -> None:
    """Drop the draft."""
    st.session_state.pop(_DRAFT, None)


def undo(memory: Memory, event_id: str) -> None:
    """Take back a move with everything that came of it."""
    try:
        memory.undo(event_id, owner=opened.owner(memory))
    except MemcoreError as error:
        st.session_state[_ERROR] = error
        return
    discard()
    st.session_state[_MESSAGE] = "Undone: topics and memories are as before."
    links.address(job=None, turn=None, segment=None)


# --------------------------------------------------------------------------- what is drawn


def told() -> None:
    """What the last button did."""
    if message := st.session_state.pop(_MESSAGE, None):
        st.toast(label(message))
    if error := live.once(_ERROR):
        draw_error(error)


def controls(
    view: SessionView, listed: Sequence[Topic], place: int, messages: Sequence[tuple[int, Message]]
) -> None:
    """The buttons of one topic: move its start, join it, or let another start inside it."""
    topic = listed[place]
    start = topic.message_ids[0]
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"cut_{place}"):
        if place:
            st.button(
                "▲ Start a turn earlier",
                key=f"earlier_{place}",
                on_click=move,
                args=(view, start, -1),
                disabled=len(listed[place - 1].message_ids) < 2,
            )
            st.button(
                "▼ Start a turn later",
                key=f"later_{place}",
                on_click=move,
                args=(view, start, 1),
                disabled=len(topic.message_ids) < 2,
            )
            st.button("Join with the topic before", key=f"join_{place}", on_click=join, args=(view, start))
        if len(messages) > 1:
            names = {m.id: f"{n} · {m.speaker}: {shorten(m.text, 48)}" for n, m in messages[1:]}
            key = f"split_{start}_{topic.message_ids[-1]}"
            st.selectbox(
                "New topic starts at",
                list(names),
                index=None,
                key=key,
                format_func=names.__getitem__,
                placeholder="New topic starts at …",
                on_change=tab.unless_forgotten(key, split),
                args=(view, key),
                label_visibility="collapsed",
            )


def bar(memory: Memory, view: SessionView, draft: Draft, listed: Sequence[Topic]) -> None:
    """The draft as such: what would be read, and the two ways on."""
    numbers = {message.id: n for n, message in enumerate(view.messages, start=1)}
    fresh = [topic for topic in listed if topic.segment is None]
    spans = ", ".join(_span([numbers[i] for i in topic.message_ids]) for topic in fresh)
    reader = memory.backends.active().get("extractor", "")
    with st.container(border=True, key="topic_draft_bar"):
        templates.draw("topics.draft", topics=len(fresh), spans=spans, reader=reader)
        with st.container(horizontal=True):
            if st.button(
                "Read these topics again",
                key="read_again",
                type="primary",
                **access.greyed("review", disabled=board().running() is not None),
            ):
                _begin(memory, view, draft, len(fresh))
            st.button("Discard draft", key="discard_draft", on_click=discard)


def _begin(memory: Memory, view: SessionView, draft: Draft, fresh: int) -> None:
    job = board().start(
        PAGE,
        f"Reading {count(fresh, 'topic')} again",
        Resegmented,
        lambda tick, cancelled: memory.resegment(
            view.session.id,
            draft.starts,
            owner=view.owner,
            recipe=view.recipe,
            progress=tick,
            cancelled=cancelled,
        ),
    )
    links.address(job=job.id)
    st.rerun()


def reading(memory: Memory) -> None:
    """The reading that the URL names: its progress, or what it did with its undo."""
    if "job" not in st.query_params:
        return
    job = in_address(PAGE, Resegmented)
    if job is None:
        links.address(job=None)
    else:
        progress.follow(job, lambda result: _result(memory, result))


def _result(memory: Memory, done: Resegmented) -> None:
    with st.container(border=True, key="topic_result"):
        proposed = f", {len(done.proposals)} proposed for removal" if done.proposals else ""
        added = count(len(done.added), "memory", "memories")
        templates.draw(
            "topics.read_again",
            topics=count(len(done.changed), "topic"),
            text=f"in {done.seconds:.1f} s: {added} added, {done.kept} as before{proposed}.",
            memories=[evidence.memory_line(memory) for memory in done.added[:_SHOWN]],
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Undo", key="undo_cut", on_click=undo, args=(memory, done.event_id))
            for proposal in done.proposals[:1]:
                links.link("Review", "Decide the removals", proposal=proposal.id)
            links.link("Runs and cost", "This reading", run=done.run_id)
            links.within("Close", "close_reading", job=None)


def by_person(memory: Memory, view: SessionView) -> None:
    """Whose boundaries stand, when they are a person's, with the undo."""
    if view.cut is None or "job" in st.query_params:
        return
    moves = [
        entry
        for entry in audit(memory.review.history(view.cut.id, owner=view.owner))
        if not entry.undoes and not entry.undone_by
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        templates.show(evidence.tag("set by a person", "strong"), width="content")
        if moves:
            st.button(
                "Undo the last move", key="undo_last_cut", type="tertiary", on_click=undo,
                args=(memory, moves[-1].event_id),
            )  # fmt: skip


def _span(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def title(place: int, topic: Topic, memories: int) -> str:
    """A topic's heading, as a Markdown label."""
    size = count(len(topic.message_ids), "turn")
    if topic.segment is None:
        return f"**{place:d}. not read yet** · {size}"
    name = label(topic.segment.topic, 70) if topic.segment.topic else "no label"
    return f"**{place:d}. {name}** · {size} · {count(memories, 'memory', 'memories')}"
