"""Compression: what sensory memory kept of every message, word by word, and what another rate would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from memcore.domain.models import Message
from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from memcore.stages.compress import MessageCompression
from ui.components import sessions, traces
from ui.components.downloads import downloads
from ui.compression import compressed
from ui.shell import params, templates
from ui.shell.frame import meta, needs_messages, page

PURPOSE = "What each message was reduced to before anything was read from it. The full text is always kept."
PAGE_SIZE = 40


def show(memory: Memory, view: SessionView) -> None:
    """A session's messages, word by word: kept, dropped, protected."""
    numbers = {message.id: n for n, message in enumerate(view.messages, start=1)}
    pages = -(-len(view.messages) // PAGE_SIZE)
    stored = traces.compression(memory.traces.of(view.session.id, "compress", recipe=view.recipe))
    if not stored:
        sessions.nothing_made(memory, view, "This session was not compressed yet.")
    settings = memory.settings
    chosen = compressed.controls(
        stored[-1].requested_rate if stored else settings.compression_rate, protecting=settings.protect_words
    )
    number = params.number("page", 1, 1, max(1, pages))
    if pages > 1:
        st.pagination(pages, **params.bound("page", number, usual=1))
    shown = view.messages[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    if chosen is None:
        compressor = stored[-1].compressor if stored else ""
        rows, rate = traces.by_message(stored), stored[-1].requested_rate if stored else 0.0
    else:
        with st.spinner("Compressing these messages…"):
            trial = memory.traces.try_compression(shown, chosen.rate, protect=chosen.protect)
        compressor, rate = trial.compressor, trial.requested_rate
        rows = traces.by_message([trial])
    draw(shown, numbers, rows, rate, compressor)


def draw(
    messages: Sequence[Message],
    numbers: Mapping[str, int],
    rows: Mapping[str, MessageCompression],
    rate: float,
    compressor: str,
) -> None:
    """The figures, the bars and the marked texts of one compression."""
    done = [(numbers[i], row) for i, row in rows.items() if i in numbers]
    if done:
        compressed.summary([row for _, row in done], rate)
        meta(f"Compressor: {compressor}")
        compressed.ratios([n for n, _ in done], [row for _, row in done], rate)
        compressed.protected(messages, rows)
    bare = st.toggle(
        "Only what is kept",
        help="The text as the next stage gets it, without the words that were dropped.",
        **params.bound("bare", params.flag("bare", False), usual=False),
    )
    if not bare:
        templates.draw("compression.legend")
    templates.show(
        templates.joined(compressed.turn(numbers[m.id], m, rows.get(m.id), bare=bare) for m in messages)
    )
    downloads(
        "compression",
        lambda: [compressed.record(numbers[m.id], m, rows.get(m.id)) for m in messages],
        about="The messages on this page, whole and as compressed",
    )


with page("Compression", PURPOSE) as memory:
    needs_messages(memory, "Every message will be shown with the words compression kept and dropped.")
    show(memory, sessions.view(memory, topics=True))
