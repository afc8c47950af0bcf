"""An answer and how it was found: citations, ranked hits with score parts, plan, views, context."""

from __future__ import annotations

import re

import streamlit as st

from memcore.retrieval.results import Answer, Hit, QueryPlan, SearchReport
from ui.components import charts, evidence
from ui.components.downloads import downloads
from ui.shell import links
from ui.shell.frame import note
from ui.shell.text import block, clock, count, day, period, safe, shorten

_CITED = re.compile(r"\[(\d+)\]")
_RANKED = 15
_KINDS = {"message": "message, nothing extracted", "summary": "summary of a session"}
LEADS_IN = '<div class="ms-meta">It leads into the results of its session, which have the words.</div>'


def answer(given: Answer) -> None:
    """The model's answer with its citations, or plainly that no model is chosen."""
    if given.answer is None:
        note(
            "No language model is chosen, so no answer is written. These are the memories that answer best.",
            "To have one written, choose a model in Settings.",
        )
    else:
        with st.container(border=True):
            st.html(f'<div class="ms-lead">{block(given.answer, 4_000)}</div>')
            cited = {int(n) for n in _CITED.findall(given.answer)}
            for citation in given.citations:
                if citation.number in cited:
                    quoted = [q.text for q in citation.hit.quotes[:2]] or [citation.hit.text]
                    words = " · ".join(safe(shorten(text, 160)) for text in quoted)
                    st.html(f'<div class="ms-meta">[{citation.number}] “{words}”</div>')
            st.html(
                f'<div class="ms-meta">Written by {safe(given.answered_by)}. '
                "Check it against the words below.</div>"
            )
    for warning in given.warnings:
        note(warning)


def hits(found: SearchReport) -> None:
    """Every hit beside its words; then what each score is made of."""
    st.header("Memories", anchor=False)
    for place, hit in enumerate(found.hits, start=1):
        with st.container(border=True):
            found_here, more = st.columns([12, 1])
            words = LEADS_IN if hit.kind == "summary" else evidence.quote_block(hit.quotes, 500)
            found_here.html(evidence.pair(_hit(place, hit), words))
            with more:
                if hit.kind == "memory":
                    links.link("Memories", "Details", memory=hit.id)
                elif hit.quotes:
                    links.link("Topics", "Session", session=hit.quotes[0].message.session_id)
    st.header("What each score is made of", anchor=False)
    names = [f"{place}. {safe(shorten(hit.text, 46))}" for place, hit in enumerate(found.hits, start=1)]
    fig = charts.stacked(names, [hit.components for hit in found.hits], height=90 + 26 * len(names))
    charts.show(fig, key="score_parts", alt="Score components of each result, as in the table below")
    with st.expander("The same as a table"):
        st.html(_parts_table(found))
    downloads("results", lambda: _records(found), about="These results with their words and score parts")


def _parts_table(found: SearchReport) -> str:
    """The parts of each score as a table, one row a result."""
    parts = list(dict.fromkeys(name for hit in found.hits for name in hit.components))
    heads = "".join(f'<th scope="col" class="num">{safe(name)}</th>' for name in (*parts, "score"))
    rows = "".join(
        f'<tr><th scope="row">{place}. {safe(shorten(hit.text, 46))}</th>'
        + "".join(f'<td class="num">{hit.components.get(name, 0.0):.3f}</td>' for name in parts)
        + f'<td class="num">{hit.score:.3f}</td></tr>'
        for place, hit in enumerate(found.hits, start=1)
    )
    return (
        '<div class="ms-scroll" role="region" aria-label="Score parts" tabindex="0"><table class="ms"><thead>'
        f'<tr><th scope="col">result</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _records(found: SearchReport) -> list[dict[str, object]]:
    return [
        {
            "rank": place,
            "kind": hit.kind,
            "id": hit.id,
            "text": hit.text,
            "state": hit.state,
            "said": hit.mentioned_at,
            "happened_from": hit.event_at,
            "happened_to": hit.event_end,
            "score": hit.score,
            **{f"score_{name}": value for name, value in hit.components.items()},
            **evidence.sources(hit.quotes),
        }
        for place, hit in enumerate(found.hits, start=1)
    ]


def _hit(place: int, hit: Hit) -> str:
    when = period(hit.event_at, hit.event_end)
    small = [f"score {hit.score:.3f}"]
    if when:
        small.append(f"<b>{safe(when)}</b>")
    if hit.mentioned_at:
        small.append(f"said {safe(day(hit.mentioned_at))}")
    small += [_figure(name, value) for name, value in hit.detail.items()]
    kind = evidence.tag(_KINDS[hit.kind]) if hit.kind in _KINDS else ""
    state = evidence.tag(hit.state, "warn") if hit.state != "active" else ""
    return (
        f'<div class="ms-text"><span class="ms-meta">{place}</span>  {block(hit.text, 600)}</div>'
        f'<div class="ms-meta" style="margin-top:.2rem">{kind}{state}{" · ".join(small)}</div>'
    )


def _figure(name: str, value: float | None) -> str:
    """A figure that a strategy ranked by, in its own terms; an unknown one is said to be unknown."""
    return f"{safe(name.replace('_', ' '))} {'unknown' if value is None else f'{value:.3g}'}"


def _planned(plan: QueryPlan) -> dict[str, str]:
    """What a system that plans its search decided; nothing for one that does not."""
    decided = {
        "intent": plan.intent,
        "complexity": "" if plan.complexity is None else f"{plan.complexity:.2f} of 1",
        "depth of each view": "" if plan.depth is None else str(plan.depth),
        "queries": " · ".join(plan.queries),
        "indexes": ", ".join(plan.indexes),
        "read by": plan.made_by,
    }
    return {name: value for name, value in decided.items() if value}


def working(given: Answer, found: SearchReport) -> None:
    """The plan, each view's own ranking, and the context exactly as a model gets it."""
    plan = found.trace.plan
    with st.expander("How the question was read"):
        rows = {
            "persons": ", ".join(plan.persons),
            "entities": ", ".join(plan.entities),
            "keywords": ", ".join(plan.keywords),
            "time": period(plan.time_from, plan.time_to),
            "asks when": "yes" if plan.asks_when else "no",
            **_planned(plan),
            "as of": clock(found.trace.as_of) if found.trace.as_of else "now",
            "weights": ", ".join(f"{name} {weight:.2f}" for name, weight in found.trace.weights.items()),
            "strategy": found.trace.strategy,
            "took": f"{found.trace.milliseconds:.0f} ms",
        }
        st.html(
            '<table class="ms">'
            + "".join(f"<tr><th>{k}</th><td>{safe(v) or '–'}</td></tr>" for k, v in rows.items())
            + "</table>"
        )
        for step in found.trace.notes:
            st.html(f'<div class="ms-meta">{block(step, 1_000)}</div>')
    with st.expander("What each view found"):
        texts = {hit.id: hit.text for hit in found.hits} | {c.hit.id: c.hit.text for c in given.citations}
        for view in found.trace.views:
            rows_html = "".join(
                f'<tr><td class="num">{score:.3f}</td><td>{safe(shorten(texts.get(i, i), 110))}</td></tr>'
                for i, score in view.ranking[:_RANKED]
            )
            st.html(
                f'<b>{safe(view.view)}</b> <span class="ms-meta">{count(len(view.ranking), "candidate")}, '
                f"{view.milliseconds:.1f} ms</span>"
                '<table class="ms"><tr><th scope="col" class="num">score</th><th scope="col">found</th></tr>'
                f"{rows_html}</table>"
            )
    with st.expander(f"The context, exactly as delivered ({count(given.context_tokens, 'token')})"):
        st.html(f'<pre class="ms">{safe(given.context)}</pre>')
