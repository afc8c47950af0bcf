"""The shown part of the graph as a table a keyboard can walk through, and as files."""

from __future__ import annotations

import streamlit as st

from memcore.domain.models import Triple
from memcore.inspection.graph import GraphView
from ui.components import evidence
from ui.graph.picture import words
from ui.shell import links
from ui.shell.text import count, day, safe, shorten

CSS = """<style>
.ms-rows { max-height: 34rem; overflow-y: auto; }
table.ms-triples thead th { position: sticky; top: 0; background: light-dark(#ffffff, #16181b); z-index: 1; }
table.ms-triples details summary { cursor: pointer; color: var(--ms-accent); white-space: nowrap; }
table.ms-triples tr.gone td:nth-child(-n+3) { opacity: .66; }
table.ms-triples td:nth-child(4), table.ms-triples td:nth-child(5) { white-space: nowrap; }
@media (max-width: 700px) {
  table.ms-triples thead { display: none; }
  table.ms-triples tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--ms-line); }
  table.ms-triples td { display: grid; grid-template-columns: 6.2rem minmax(0, 1fr); border: 0;
    padding: .1rem 0; }
  table.ms-triples td:empty { display: none; }
  table.ms-triples td::before { content: attr(data-label); color: var(--ms-mute); font-size: .82rem; }
}
</style>"""
_COLUMNS = ("subject", "relation", "object", "holds from", "ended", "said", "evidence")
_QUOTES = 3


def table(view: GraphView, address: dict[str, str]) -> str:
    """The triples by time, as HTML: names lead to their neighbourhood, each row holds its evidence."""
    to = {e.id: safe(links.href("Graph", **address, entity=e.id)) for e in view.entities}
    names = {e.id: f'<a href="{to[e.id]}">{safe(shorten(e.name, 120))}</a>' for e in view.entities}
    head = "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    rows = "".join(_row(triple, names, view) for triple in view.triples)
    return (
        '<div class="ms-rows" role="region" aria-label="Relations shown" tabindex="0">'
        f'<table class="ms ms-triples"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(triple: Triple, names: dict[str, str], view: GraphView) -> str:
    cells = (
        names[triple.subject_id],
        safe(shorten(words(triple.relation), 120)),
        names[triple.object_id],
        safe(day(triple.valid_from)),
        safe(day(triple.invalidated_at)) if triple.invalidated_at else "",
        count(triple.mentions, "time"),
        _evidence(triple, view),
    )
    gone = ' class="gone"' if triple.invalidated_at else ""
    labelled = zip(_COLUMNS, cells, strict=True)
    return (
        f"<tr{gone}>" + "".join(f'<td data-label="{name}">{cell}</td>' for name, cell in labelled) + "</tr>"
    )


def _evidence(triple: Triple, view: GraphView) -> str:
    quotes = view.quotes.get(triple.id, ())
    beyond = len(quotes) - _QUOTES
    more = f'<div class="ms-meta">and {count(beyond, "further place")}</div>' if beyond > 0 else ""
    opened = "".join(
        f'<a href="{safe(links.href("Memories", memory=i))}">Its memory</a> '
        for i in triple.memory_ids[:_QUOTES]
    )
    return (
        f"<details><summary>the words</summary>{evidence.quote_block(quotes[:_QUOTES], 300)}{more}{opened}"
        "</details>"
    )


def records(view: GraphView) -> list[dict[str, object]]:
    """The same rows for a file, with ids and the exact words."""
    names = {e.id: e.name for e in view.entities}
    return [
        {
            "subject": names[triple.subject_id],
            "relation": triple.relation,
            "object": names[triple.object_id],
            "valid_from": triple.valid_from,
            "invalidated_at": triple.invalidated_at,
            "mentions": triple.mentions,
            **evidence.sources(view.quotes.get(triple.id, ())),
            "memories": triple.memory_ids,
            "id": triple.id,
        }
        for triple in view.triples
    ]


def style() -> None:
    """The look of the table; once a page."""
    st.html(CSS)
