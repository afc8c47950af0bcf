"""The shown part of the graph as a table a keyboard can walk through, and as files."""

from __future__ import annotations

from markupsafe import Markup

from memcore.domain.models import Triple
from memcore.inspection.graph import GraphView
from memcore.inspection.grounding import verdict_of
from ui.components import evidence, grounded
from ui.graph.cards import correct_link, words
from ui.shell import links
from ui.shell.templates import render, stylesheet
from ui.shell.text import count, day, shorten

_COLUMNS = ("subject", "relation", "object", "holds from", "ended", "said", "evidence")
_QUOTES = 3


def table(view: GraphView, address: dict[str, str]) -> Markup:
    """The triples by time: names lead to their neighbourhood, each row holds its evidence."""
    names = {
        e.id: render(
            "graph.entity", link=links.href("Graph", **address, entity=e.id), name=shorten(e.name, 120)
        )
        for e in view.entities
    }
    rows = [_row(triple, names, view, address) for triple in view.triples]
    return render("graph.table", columns=_COLUMNS, rows=rows)


def _row(
    triple: Triple, names: dict[str, Markup], view: GraphView, address: dict[str, str]
) -> tuple[bool, list[tuple[str, str | Markup]]]:
    """Whether it has ended, and its cells by their columns."""
    cells = (
        names[triple.subject_id],
        shorten(words(triple.relation), 120),
        names[triple.object_id],
        day(triple.valid_from),
        day(triple.invalidated_at) if triple.invalidated_at else "",
        count(triple.mentions, "time"),
        _evidence(triple, view, correct_link(address, triple.subject_id, triple.id)),
    )
    return triple.invalidated_at is not None, list(zip(_COLUMNS, cells, strict=True))


def _evidence(triple: Triple, view: GraphView, correct: str) -> Markup:
    quotes = view.quotes.get(triple.id, ())
    told = verdict_of(view.groundings.get(triple.id))
    return render(
        "graph.evidence",
        support=grounded.tag(told),
        reasons=grounded.reasons(told),
        quotes=evidence.quote_block(quotes[:_QUOTES], 300),
        beyond=len(quotes) - _QUOTES,
        links=[links.href("Memories", memory=i) for i in triple.memory_ids[:_QUOTES]],
        correct=correct,
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
            "grounding": verdict_of(view.groundings.get(triple.id)).label,
            "doubts": verdict_of(view.groundings.get(triple.id)).reasons,
            "memories": triple.memory_ids,
            "id": triple.id,
        }
        for triple in view.triples
    ]


def style() -> None:
    """The look of the table; once a page."""
    stylesheet("graph")
