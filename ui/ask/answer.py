"""An answer and how it was found: citations, ranked hits with score parts, plan, views, context."""

from __future__ import annotations

import re

import streamlit as st
from markupsafe import Markup

from memcore.domain.errors import LlmError
from memcore.inspection.grounding import verdict_of
from memcore.memory import Memory
from memcore.retrieval.results import Answer, Hit, ModelFailure, QueryPlan, SearchReport, without_model
from memcore.retrieval.time_of_asking import in_words
from ui.components import asked_on, charts, evidence, grounded
from ui.components.downloads import downloads
from ui.curation import controls as curation
from ui.curation import state
from ui.shell import links
from ui.shell.frame import draw_error, meta, note
from ui.shell.marked import block
from ui.shell.templates import draw, render, show
from ui.shell.text import charted, clock, count, day, period, shorten

_CITED = re.compile(r"\[(\d+)\]")
_RANKED = 15
RESULTS = "results"
"""What the list of results is called where a memory is taken up from it."""
_KINDS = {"message": "message, nothing extracted", "summary": "summary of a session"}
LEADS_IN = "It leads into the results of its session, which have the words."


def answer(given: Answer) -> None:
    """The model's answer with its citations, or plainly why there is none."""
    if given.failure is not None:
        _failed(given.failure)
    elif given.answer is None:
        note(
            "No language model is chosen, so no answer is written. These are the memories that answer best.",
            "To have one written, choose a model in Settings.",
        )
    else:
        with st.container(border=True):
            draw("ask.answer", text=block(given.answer, 4_000))
            cited = {int(n) for n in _CITED.findall(given.answer)}
            for citation in given.citations:
                if citation.number in cited:
                    quoted = [q.text for q in citation.hit.quotes[:2]] or [citation.hit.text]
                    words = " · ".join(shorten(text, 160) for text in quoted)
                    meta(f"[{citation.number}] “{words}”")
            meta(f"Written by {given.answered_by}. Check it against the words below.")
    for warning in given.warnings:
        note(warning)


def _failed(failure: ModelFailure) -> None:
    note("The language model gave no answer. These are the memories that answer best.")
    draw_error(LlmError(failure.cause, failure.fix))
    links.link("Settings", "Open Settings")


def hits(memory: Memory, owner: str, found: SearchReport) -> None:
    """Every hit beside its words, with what a person can correct of it; then what each score is made of."""
    st.header("Memories", anchor=False)
    asked_on.counted(found.trace.asked)
    for warning in without_model(found.trace.failure):
        note(warning)
    step = state.last_step(owner)
    changed = {one.object_id for one in step.objects} if step else set()
    for place, hit in enumerate(found.hits, start=1):
        with st.container(border=True):
            leads_in = render("shell.meta", text=LEADS_IN)
            words = leads_in if hit.kind == "summary" else evidence.quote_block(hit.quotes, 500)
            show(evidence.pair(_hit(place, hit, hit.id in changed), words))
            with st.container(horizontal=True, vertical_alignment="center"):
                if hit.kind == "memory":
                    links.link("Memories", "Details", memory=hit.id)
                    key = str(place) if place < 10 else None
                    curation.correct_button(hit.id, RESULTS, key=key)
                elif hit.quotes:
                    links.link("Topics", "Session", session=hit.quotes[0].message.session_id)
            if hit.kind == "memory":
                curation.of_listed(memory, owner, hit.id, RESULTS)
    st.header("What each score is made of", anchor=False)
    names = [charted(name) for name in _names(found)]
    fig = charts.stacked(names, [hit.components for hit in found.hits], height=90 + 26 * len(names))
    charts.show(fig, key="score_parts", alt="Score components of each result, as in the table below")
    with st.expander("The same as a table"):
        show(_parts_table(found))
    downloads("results", lambda: _records(found), about="These results with their words and score parts")


def _names(found: SearchReport) -> list[str]:
    return [f"{place}. {shorten(hit.text, 46)}" for place, hit in enumerate(found.hits, start=1)]


def _parts_table(found: SearchReport) -> Markup:
    """The parts of each score as a table, one row a result."""
    parts = list(dict.fromkeys(name for hit in found.hits for name in hit.components))
    rows = [
        (name, [f"{value:.3f}" for value in (*(hit.components.get(part, 0.0) for part in parts), hit.score)])
        for name, hit in zip(_names(found), found.hits, strict=True)
    ]
    table = render("shell.figures_table", first="result", heads=[*parts, "score"], rows=rows)
    return render("shell.scroll", content=table, label="Score parts")


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
            "grounding": "" if hit.kind == "message" else verdict_of(hit.grounding).label,
            "doubts": verdict_of(hit.grounding).reasons,
        }
        for place, hit in enumerate(found.hits, start=1)
    ]


def _hit(place: int, hit: Hit, changed: bool) -> Markup:
    happened = period(hit.event_at, hit.event_end)
    small = [f"score {hit.score:.3f}"]
    if happened:
        small.append(happened)
    if hit.mentioned_at:
        small.append(f"said {day(hit.mentioned_at)}")
    small += [_figure(name, value) for name, value in hit.detail.items()]
    tags = [(_KINDS[hit.kind], "")] if hit.kind in _KINDS else []
    if changed:
        tags.append(("changed just now", "strong"))
    if hit.state != "active":
        tags.append((hit.state, "warn"))
    told = verdict_of(hit.grounding)
    if hit.kind != "message":
        tags.append(grounded.tag(told))
    return render(
        "ask.hit",
        place=place,
        text=block(hit.text, 600),
        tags=tags,
        small=small,
        happened=happened,
        reasons=grounded.reasons(told),
    )


def _figure(name: str, value: float | None) -> str:
    """A figure that a strategy ranked by, in its own terms; an unknown one is said to be unknown."""
    return f"{name.replace('_', ' ')} {'unknown' if value is None else f'{value:.3g}'}"


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
            "asks how it is now": "yes" if plan.asks_now else "no",
            **_planned(plan),
            "asked": in_words(found.trace.asked),
            "as of": clock(found.trace.as_of) if found.trace.as_of else "now",
            "weights": ", ".join(f"{name} {weight:.2f}" for name, weight in found.trace.weights.items()),
            "strategy": found.trace.strategy,
            "took": f"{found.trace.milliseconds:.0f} ms",
        }
        draw("shell.pairs", rows=[(name, value or "–") for name, value in rows.items()])
        for step in found.trace.notes:
            draw("shell.meta", text=block(step, 1_000))
    with st.expander("What each view found"):
        texts = {hit.id: hit.text for hit in found.hits} | {c.hit.id: c.hit.text for c in given.citations}
        for view in found.trace.views:
            draw(
                "ask.view",
                name=view.view,
                candidates=len(view.ranking),
                milliseconds=view.milliseconds,
                rows=[(score, texts.get(i, i)) for i, score in view.ranking[:_RANKED]],
            )
    with st.expander(f"The context, exactly as delivered ({count(given.context_tokens, 'token')})"):
        draw("shell.pre", text=given.context)
