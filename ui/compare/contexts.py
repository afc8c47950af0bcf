"""One question to several systems: the contexts they would answer from, next to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date

import streamlit as st
from markupsafe import Markup

from memcore.inspection.comparison import Comparison, only_in
from memcore.inspection.grounding import verdict_of
from memcore.memory import Memory
from memcore.retrieval.context import Retrieved
from memcore.retrieval.results import Citation
from ui.components import asked_on, grounded
from ui.components.recipes import TITLES, named
from ui.shell import links, live, opened, params, templates
from ui.shell.frame import meta
from ui.shell.marked import block
from ui.shell.templates import render
from ui.shell.text import count, day, label

LEAST, MOST = 100, 16_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every system alike."""

    text: str
    budget: int
    as_of: date | None
    asked_on: date | None


def form(memory: Memory) -> Question | None:
    """The form, filled from the URL, which it writes when it is sent; returns the question in the URL, None
    while nothing is asked."""
    asked = Question(
        st.query_params.get("q", "").strip(),
        params.number("budget", 1_000, LEAST, MOST),
        params.day("as_of"),
        params.day("asked_on"),
    )
    for name, value in asdict(asked).items():
        live.fill(_key(name), value)
    with st.form("compared_question", border=False):
        st.text_input("Question", placeholder="When did we …?", key=_key("text"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input(
                "Context tokens",
                LEAST,
                MOST,
                step=100,
                key=_key("budget"),
                help="How much each system may give to a model.",
            )
            st.date_input(
                "As of",
                value=None,
                min_value=params.FIRST_DAY,
                max_value=params.LAST_DAY,
                key=_key("as_of"),
                help="Retrieve from what held on that day.",
            )
            asked_on.field(_key("asked_on"))
            st.form_submit_button("Compare contexts", type="primary", on_click=_ask)
        asked_on.left_empty(memory, asked.as_of)
    return asked if asked.text else None


def _key(name: str) -> str:
    return f"compared_{name}"


def _ask() -> None:
    """Let the URL say what was typed. Where a search did without its model, who asks again wants it asked
    again."""
    if any(one.trace.failure for one in st.session_state.get("contexts", {}).values()):
        st.session_state.pop("contexts_key", None)
    asked = Question(*(st.session_state[_key(one.name)] for one in fields(Question)))
    links.address(
        q=asked.text.strip() or None,
        budget=str(asked.budget),
        as_of=params.written(asked.as_of),
        asked_on=params.written(asked.asked_on),
    )


def retrieved(memory: Memory, asked: Question, systems: Sequence[str]) -> dict[str, Retrieved]:
    """By system, what it found. Asked once; a page run that changes nothing asks no model again."""
    owner = opened.owner(memory)
    stored = asked_on.stored(memory, owner)
    key = ((asked, tuple(systems)), owner, memory.settings, stored, asked_on.today(memory))
    if not live.stays(st.session_state.get("contexts_key"), key):
        found: dict[str, Retrieved] = {}
        with st.spinner("Looking through the memories of each system…"):
            for system in systems:
                of = asked_on.where(owner, system, asked.as_of, asked.asked_on)
                found[system] = memory.retrieve(asked.text, budget=asked.budget, **of)
        st.session_state["contexts"] = found
        st.session_state["contexts_key"] = key
    contexts: dict[str, Retrieved] = st.session_state["contexts"]
    return contexts


def draw(found: Mapping[str, Retrieved], asked: Question, compared: Comparison) -> None:
    """Each context as numbered results, with marks on what no other one holds."""
    contexts = {name: one.context for name, one in found.items()}
    alone = only_in(contexts)
    here = frozenset(message.id for message in compared.messages)
    for one in list(found.values())[:1]:
        asked_on.counted(one.trace.asked)  # the same for every system
    meta(
        "No answer is written here: these are the contexts a model would answer from. "
        "Each system searches, in its own way, all it remembers of this owner, other logs included. "
        "“Only here” marks what rests on messages that no other context quotes."
    )
    cards = [
        _card(name, one, asked, alone[name] if len(contexts) > 1 else frozenset(), here)
        for name, one in found.items()
    ]
    templates.draw("compare.contexts", cards=cards)
    for name, one in found.items():
        if one.context.text:
            tokens = count(one.context.tokens, "token")
            with st.expander(f"The context of {label(TITLES[name])}, exactly as delivered ({tokens})"):
                templates.draw("shell.pre", text=one.context.text)


def _card(
    name: str, found: Retrieved, asked: Question, alone: frozenset[str], here: frozenset[str]
) -> Markup:
    context = found.context
    quoted = {q.message.id for c in context.citations for q in c.hit.quotes}
    facts = [
        f"{context.tokens:,} of {asked.budget:,} tokens",
        count(len(context.citations), "result"),
        f"{found.trace.milliseconds:,.0f} ms",
    ]
    if quoted:
        facts.append(f"{len(alone):,} of {count(len(quoted), 'source message')} only here")
    return render(
        "compare.context",
        system=named(name),
        facts=" · ".join(facts),
        notes=found.trace.notes,
        items=[_item(citation, alone, here) for citation in context.citations],
    )


def _item(citation: Citation, alone: frozenset[str], here: frozenset[str]) -> Markup:
    hit = citation.hit
    sources = {quote.message.id for quote in hit.quotes}
    tags = [("only here", "strong")] if sources and sources <= alone else []
    if sources and sources.isdisjoint(here):
        tags.append(("another log", ""))
    if hit.kind != "memory":
        tags.append(("message, nothing extracted" if hit.kind == "message" else "session summary", ""))
    told = verdict_of(hit.grounding)
    if told.checked not in ("supported", "unchecked"):
        tags.append(grounded.tag(told))
    said = day(hit.mentioned_at) if hit.mentioned_at else ""
    return render("compare.result", number=citation.number, tags=tags, text=block(hit.text, 320), said=said)
