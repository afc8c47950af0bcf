"""Compression: what sensory memory kept of every message, word by word, and what it cost."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from ui import compressed, links, sessions, traces
from ui.frame import needs_messages, note, page
from ui.report import figures
from ui.text import safe

PURPOSE = "What each message was reduced to before anything was read from it. The full text is always kept."
PAGE_SIZE = 40


def show(memory: Memory, session_id: str) -> None:
    view = memory.session(session_id)
    found = traces.compression(memory.compression(session_id))
    if not found:
        note("This session was not compressed yet.", "Finish the import; it continues where it stopped.")
        links.link("Import", "Resume the import")
        return
    rows = traces.by_message(found)
    numbered = [(n, m, rows.get(m.id)) for n, m in enumerate(view.messages, start=1)]
    done = [(n, row) for n, _, row in numbered if row]
    before, after = sum(r.tokens_before for _, r in done), sum(r.tokens_after for _, r in done)
    figures(
        (f"{found[-1].requested_rate:.0%}", "asked for"),
        (f"{after / before:.1%}" if before else "–", "achieved"),
        (before, "tokens before"),
        (after, "tokens after"),
    )
    st.html(f'<div class="ms-meta">Compressor: {safe(found[-1].compressor)}</div>')
    compressed.ratios([n for n, _ in done], [row for _, row in done], found[-1].requested_rate)
    st.html(compressed.LEGEND)
    pages = -(-len(numbered) // PAGE_SIZE)
    number = st.pagination(pages, key="page", bind="query-params") if pages > 1 else 1
    shown = numbered[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    st.html("".join(compressed.turn(n, message, row) for n, message, row in shown))


with page("Compression", PURPOSE) as memory:
    needs_messages(memory, "Every message will be shown with the words compression kept and dropped.")
    show(memory, sessions.choose(memory))
