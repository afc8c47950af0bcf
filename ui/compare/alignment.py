"""What compared systems remember, message by message: who remembers what, side by side, and as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st
from markupsafe import Markup

from memcore.domain.models import MemoryEntry, Message
from memcore.inspection.comparison import Comparison, SystemOnLog
from memcore.memory import Memory
from memcore.review.diff import show_hidden
from ui.components import traces
from ui.components.downloads import downloads
from ui.components.recipes import ABOUT, TITLES, named
from ui.shell import links, params
from ui.shell.frame import meta, note
from ui.shell.marked import Mark, block, marked
from ui.shell.templates import draw, joined, render, show
from ui.shell.text import clock, count, day, shorten

PAGE_SIZE = 20
_SENTENCES, _LONGEST = 3, 240


def missed(found: Comparison, address: Mapping[str, str]) -> None:
    """How many messages each system did not remember that another did; each number leads to those messages.
    The sentences prefer what others than the ceiling and the floor remembered: those two take whole logs.
    `address` is what a link keeps of the page's URL."""
    systems = found.systems
    pairs = {
        (one.recipe, other.recipe): len(found.missed(missed_by=one.recipe, remembered_by=other.recipe))
        for one in systems
        for other in systems
        if one is not other
    }
    counted = {pair: number for pair, number in pairs.items() if number}
    telling = {pair: n for pair, n in counted.items() if not ABOUT[pair[1]].bound} or counted
    most = sorted(telling.items(), key=lambda pair: -pair[1])[:_SENTENCES]
    sentences = [
        f"{TITLES[one]} did not remember {count(number, 'message')} that {TITLES[other]} remembered."
        for (one, other), number in most
    ]
    if not sentences and all(len(system.pending) < len(found.messages) for system in systems):
        sentences = ["Every message that one of these systems remembered, the others remembered too."]
    sentences += [
        f"{TITLES[system.recipe]} has {count(len(system.pending), 'message')} left to read, which count "
        "neither as remembered nor as not remembered."
        for system in systems
        if system.pending
    ]
    draw("compare.sentences", lines=sentences)
    heads = ["in all", *(f"not remembered by {TITLES[system.recipe]}" for system in systems)]
    rows = [
        (
            f"remembered by {TITLES[other.recipe]}",
            [f"{len(other.remembered):,}", *(_cell(one, other, pairs, address) for one in systems)],
        )
        for other in systems
    ]
    show(
        render(
            "shell.scroll", content=render("shell.figures_table", first="messages", heads=heads, rows=rows)
        )
    )


def _cell(
    one: SystemOnLog,
    other: SystemOnLog,
    pairs: Mapping[tuple[str, str], int],
    address: Mapping[str, str],
) -> str:
    if one is other:
        return "–"
    number = pairs[one.recipe, other.recipe]
    if not number:
        return "0"
    target = links.href("Compare", **{**address, "missed": one.recipe, "caught": other.recipe})
    return render("compare.link", target=target, text=f"{number:,}")


def filtered(found: Comparison) -> tuple[Message, ...]:
    """The filters, kept in the URL, and the messages that pass them."""
    options = {system.recipe: TITLES[system.recipe] for system in found.systems}
    names = params.session_names(list(found.sessions), {})
    filters = (
        ("Remembered by", "caught", options),
        ("Not remembered by", "missed", options),
        ("Session", "session", names),
    )
    for label, param, known in filters:
        if wrong := params.unknown(param, known):
            note(f"“{wrong}” is none of the choices under “{label}”.", "This filter is left out.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        caught = params.choose("Remembered by", options, "caught", placeholder="anyone", clears=("page",))
        lost = params.choose("Not remembered by", options, "missed", placeholder="anyone", clears=("page",))
        session = params.choose("Session", names, "session", placeholder="any", clears=("page",))
        given = st.query_params.get("words", "")
        words = st.text_input(
            "Text", placeholder="any words", **params.bound("words", given, clears=("page",))
        ).strip()
    return found.select(remembered_by=caught, missed_by=lost, session_id=session, contains=words)


def side_by_side(memory: Memory, found: Comparison, messages: Sequence[Message]) -> None:
    """One page of messages, each with what every system remembers from it."""
    pages = max(1, -(-len(messages) // PAGE_SIZE))
    number = params.number("page", 1, 1, pages)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        meta(
            f"{count(len(messages), 'message')}. Marked words are quoted by every system that remembers the "
            "message; words underlined with dots only by some.",
            width="content",
        )
        if pages > 1:
            st.pagination(pages, **params.bound("page", number))
    shown = messages[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    reasons = {system.recipe: _reasons(memory, system, shown) for system in found.systems}
    sessions = {session.id: session for session in found.sessions}
    out: list[Markup] = []
    last = ""
    for message in shown:
        if message.session_id != last:
            last = message.session_id
            session = sessions[last]
            name = session.title or f"Session {session.position + 1}"
            out.append(render("compare.session", name=shorten(name), when=day(session.started_at)))
        out.append(_row(found, message, reasons))
    show(joined(out))


def _row(found: Comparison, message: Message, reasons: Mapping[str, Mapping[str, str]]) -> Markup:
    systems = found.systems
    catching = [system for system in systems if message.id in system.remembered]
    others_missed = sum(system.missed(message.id) for system in systems) == len(systems) - 1
    alone = catching[0] if catching and others_missed else None
    return render(
        "compare.message",
        speaker=message.speaker,
        when=clock(message.said_at),
        text=marked(message.text, _marks(message, catching), 700),
        cells=[
            (
                named(system.recipe),
                system is alone,
                _remembered(system, message, reasons[system.recipe].get(message.id, "")),
            )
            for system in systems
        ],
    )


def _remembered(system: SystemOnLog, message: Message, reason: str) -> Markup:
    if message.id in system.pending:
        return render("compare.not_read")
    if message.id not in system.remembered:
        return render("compare.nothing", why=shorten(reason, 160))
    return render("compare.remembered", items=[_item(memory) for memory in system.remembered[message.id]])


def _item(memory: MemoryEntry) -> tuple[Markup, str, str]:
    """Its text, where it leads and its state. A text that unfolds is no link: a click is for unfolding."""
    long = len(memory.text) > _LONGEST
    return (
        block(memory.text, _LONGEST),
        "" if long else links.href("Memories", memory=memory.id),
        "" if memory.state == "active" else memory.state,
    )


def _marks(message: Message, systems: Sequence[SystemOnLog]) -> list[Mark]:
    """The quoted words of a message, cut where the set of systems that quote them changes."""
    spans = [
        (source.start, source.end, system)
        for system in systems
        for memory in system.remembered[message.id]
        for source in memory.sources
        if source.message_id == message.id
    ]
    edges = sorted({edge for start, end, _ in spans for edge in (start, end)})
    marks = []
    for start, end in pairwise(edges):
        quoting = [s for s in systems if any(a <= start and end <= b for a, b, of in spans if of is s)]
        if quoting:
            css = "" if len(quoting) == len(systems) else "ms-some"
            marks.append(Mark(start, end, css=css, title=", ".join(TITLES[s.recipe] for s in quoting)))
    return marks


def _reasons(memory: Memory, system: SystemOnLog, shown: Sequence[Message]) -> dict[str, str]:
    """Why nothing was remembered of what the system missed, as far as it said so while reading."""
    lost = [message for message in shown if system.missed(message.id)]
    found: dict[str, dict[str, None]] = {}
    for session_id in dict.fromkeys(message.session_id for message in lost):
        for trace in traces.extraction(memory.traces.of(session_id, "extract", recipe=system.recipe)):
            for part in trace.skipped:
                found.setdefault(part.message_id, {})[part.reason] = None
    return {message_id: "; ".join(reasons) for message_id, reasons in found.items()}


def table(found: Comparison, messages: Sequence[Message]) -> None:
    """The same messages as rows, on screen and as a file."""
    st.dataframe(
        pd.DataFrame(_records(found, messages, show_hidden)),
        hide_index=True,
        key="aligned_rows",
        column_config={"message": st.column_config.TextColumn(width="large")},
    )


def download(found: Comparison, messages: Sequence[Message]) -> None:
    """The table as files."""

    def rows() -> list[dict[str, str]]:
        columns = _records(found, messages, str)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    downloads(
        "comparison",
        rows,
        about="All messages that pass the filters, with what each system remembers from them",
    )


def _records(
    found: Comparison, messages: Sequence[Message], told: Callable[[str], str]
) -> dict[str, list[str]]:
    """Columns by name; `told` is what becomes of a text from the log or a model."""
    places = {session.id: str(session.position + 1) for session in found.sessions}
    return {
        "session": [places[m.session_id] for m in messages],
        "turn": [str(m.position + 1) for m in messages],
        "said": [_moment(m.said_at) for m in messages],
        "speaker": [told(m.speaker) for m in messages],
        "message": [told(m.text) for m in messages],
    } | {
        system.recipe: [told(_in_words(system, message)) for message in messages] for system in found.systems
    }


def _in_words(system: SystemOnLog, message: Message) -> str:
    if message.id in system.pending:
        return "(not read yet)"
    return "\n".join(memory.text for memory in system.remembered.get(message.id, ()))


def _moment(moment: datetime | None) -> str:
    return moment.isoformat(" ", "minutes") if moment else ""
