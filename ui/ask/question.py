"""Asking: the form, its place in the URL, and one answer per question and state of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import streamlit as st

from memcore.memory import Memory
from memcore.retrieval.results import Answer, SearchReport
from ui.components.recipes import TITLES
from ui.shell import links, opened


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and with which limits."""

    text: str
    k: int
    budget: int
    as_of: date | None
    recipe: str | None


def form(recipes: Sequence[str]) -> Question | None:
    """The question in the form or in the URL; None while nothing is asked. Of several `recipes` one is
    asked, so that no memory is found twice."""
    with st.form("question", border=False):
        text = st.text_input(
            "Question",
            value=st.query_params.get("q", ""),
            placeholder="When did we …?",
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            k = st.number_input("Memories", 1, 50, number("k", 10, 50), help="How many results to list.")
            budget = st.number_input(
                "Context tokens",
                100,
                16_000,
                max(100, number("budget", 2_000, 16_000)),
                100,
                help="How much may be given to a model.",
            )
            as_of = st.date_input(
                "As of", value=day(st.query_params.get("as_of")), help="Answer from what held on that day."
            )
            recipe = None
            if len(recipes) > 1:
                wanted = st.query_params.get("recipe")
                at = recipes.index(wanted) if wanted in recipes else 0
                recipe = st.selectbox("Memory of", recipes, at, format_func=lambda r: TITLES.get(r, r))
            asked = st.form_submit_button("Ask", type="primary")
    if asked:
        on = as_of.isoformat() if as_of else None
        links.only(q=text, k=str(k), budget=str(budget), as_of=on)
        if recipe:
            links.address(recipe=recipe)
    return Question(text.strip(), k, budget, as_of, recipe) if text.strip() else None


def number(param: str, default: int, most: int) -> int:
    """A number from the URL, within what the form allows."""
    given = st.query_params.get(param, "")
    return min(max(int(given), 1), most) if given.isdecimal() else default


def day(given: str | None) -> date | None:
    """The day that the address names; None: it names none that there is."""
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        return None


def answered(memory: Memory, asked: Question) -> tuple[Answer, SearchReport]:
    """Asked once; a page run that changes nothing asks no model again."""
    owner = opened.owner(memory)
    newest = tuple(event.id for event in memory.review.history(limit=1))
    key = (asked, owner, memory.settings, newest, tuple(memory.evidence.stats(owner).items()))
    if st.session_state.get("answered_key") != key:
        moment = datetime.combine(asked.as_of, time()) if asked.as_of else None
        with st.spinner("Looking through the memories…"):
            where: dict[str, Any] = {"owner": owner, "as_of": moment, "recipe": asked.recipe}
            found = memory.search(asked.text, k=asked.k, **where)
            answer = memory.ask(asked.text, budget=asked.budget, **where)
        memory.curation.note_question(
            asked.text, [hit.id for hit in found.hits], owner=owner, recipe=asked.recipe
        )
        st.session_state["answered"] = (answer, found)
        st.session_state["answered_key"] = key
    answer, found = st.session_state["answered"]
    return answer, found
