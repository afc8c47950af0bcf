"""Asking: the form, its place in the URL, and one answer per question and state of the store.

What is asked stands in the URL, which the form is filled from and writes when it is sent: the form and the
results below it are always of the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date

import streamlit as st

from memcore.memory import Memory
from memcore.retrieval.results import Answer, SearchReport
from ui.components import asked_on
from ui.components.recipes import TITLES
from ui.shell import chosen, links, live, opened, params

LEAST, MOST = 100, 16_000
"""Tokens that may be asked for."""
MOST_HITS = 50


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and with which limits."""

    text: str
    k: int
    budget: int
    as_of: date | None
    asked_on: date | None
    recipe: str | None


def form(memory: Memory, recipes: Sequence[str]) -> Question | None:
    """The form; returns the question in the URL, None while nothing is asked. Of several `recipes` one is
    asked, so that no memory is found twice."""
    asked = _in_address(recipes)
    for name, value in asdict(asked).items():
        live.fill(_key(name), value)
    with st.form("question", border=False):
        st.text_input(
            "Question", placeholder="When did we …?", key=_key("text"), label_visibility="collapsed"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("Memories", 1, MOST_HITS, key=_key("k"), help="How many results to list.")
            st.number_input(
                "Context tokens",
                LEAST,
                MOST,
                step=100,
                key=_key("budget"),
                help="How much may be given to a model.",
            )
            st.date_input(
                "As of",
                value=None,
                min_value=params.FIRST_DAY,
                max_value=params.LAST_DAY,
                key=_key("as_of"),
                help="Answer from what held on that day.",
            )
            asked_on.field(_key("asked_on"))
            if asked.recipe:
                st.selectbox("Memory of", recipes, key=_key("recipe"), format_func=lambda r: TITLES.get(r, r))
            st.form_submit_button("Ask", type="primary", on_click=_ask)
        asked_on.left_empty(memory, asked.as_of)
    return asked if asked.text else None


def _key(name: str) -> str:
    return f"asked_{name}"


def _in_address(recipes: Sequence[str]) -> Question:
    wanted = chosen.get(chosen.SYSTEM)
    return Question(
        st.query_params.get("q", "").strip(),
        params.number("k", 10, 1, MOST_HITS),
        params.number("budget", 2_000, LEAST, MOST),
        params.day("as_of"),
        params.day("asked_on"),
        (wanted if wanted in recipes else recipes[0]) if len(recipes) > 1 else None,
    )


def _ask() -> None:
    """Let the URL say what was typed, and nothing of the question before. Where the model gave no answer, who
    asks again wants it asked again."""
    answer, found = st.session_state.get("answered") or (None, None)
    if (answer and answer.failure) or (found and found.trace.failure):
        st.session_state.pop("answered_key", None)
    asked = Question(*(st.session_state[_key(one.name)] for one in fields(Question)))
    links.only(
        q=asked.text.strip() or None,
        k=str(asked.k),
        budget=str(asked.budget),
        as_of=params.written(asked.as_of),
        asked_on=params.written(asked.asked_on),
        **({"recipe": asked.recipe} if asked.recipe else {}),
    )


def answered(memory: Memory, asked: Question) -> tuple[Answer, SearchReport]:
    """Asked once; a page run that changes nothing asks no model again."""
    owner = opened.owner(memory)
    newest = tuple(event.id for event in memory.review.history(owner=owner, limit=1))
    stored = asked_on.stored(memory, owner)
    key = (asked, owner, memory.settings, newest, stored, asked_on.today(memory))
    if not live.stays(st.session_state.get("answered_key"), key):
        with st.spinner("Looking through the memories…"):
            of = asked_on.where(owner, asked.recipe, asked.as_of, asked.asked_on)
            found = memory.search(asked.text, k=asked.k, **of)
            answer = memory.ask(asked.text, budget=asked.budget, **of)
        memory.curation.note_question(
            asked.text, [hit.id for hit in found.hits], owner=owner, recipe=asked.recipe
        )
        live.acted()
        st.session_state["answered"] = (answer, found)
        st.session_state["answered_key"] = key
    answer, found = st.session_state["answered"]
    return answer, found
