"""Ask: a question in, the memories that answer it out, with their words and how they were found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

import streamlit as st

from memcore.memory import Memory
from memcore.retrieval.results import Answer, SearchReport
from ui import answering, opened
from ui.frame import needs_messages, note, page

PURPOSE = (
    "Ask your memory a question. You see which words of which message answer it, and how they were found."
)


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    k: int
    budget: int
    as_of: date | None


def question() -> Question | None:
    with st.form("question", border=False):
        text = st.text_input(
            "Question",
            value=st.query_params.get("q", ""),
            placeholder="When did we …?",
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            k = st.number_input("Memories", 1, 50, int(number("k", 10)), help="How many results to list.")
            budget = st.number_input(
                "Context tokens",
                100,
                16_000,
                int(number("budget", 2_000)),
                100,
                help="How much may be given to a model.",
            )
            as_of = st.date_input(
                "As of", value=a_day(st.query_params.get("as_of")), help="Answer from what held on that day."
            )
            asked = st.form_submit_button("Ask", type="primary")
    if asked:
        st.query_params.from_dict(
            {"q": text, "k": str(k), "budget": str(budget), **({"as_of": as_of.isoformat()} if as_of else {})}
        )
    return Question(text.strip(), k, budget, as_of) if text.strip() else None


def number(param: str, default: int) -> int:
    given = st.query_params.get(param, "")
    return int(given) if given.isdigit() and 1 <= int(given) <= 16_000 else default


def a_day(given: str | None) -> date | None:
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        return None


def answered(memory: Memory, asked: Question) -> tuple[Answer, SearchReport]:
    """Asked once; a page run that changes nothing asks no model again."""
    owner = opened.owner(memory)
    key = (asked, owner, memory.settings, tuple(memory.stats(owner).items()))
    if st.session_state.get("answered_key") != key:
        moment = datetime.combine(asked.as_of, time()) if asked.as_of else None
        with st.spinner("Looking through the memories…"):
            found = memory.search(asked.text, k=asked.k, owner=owner, as_of=moment)
            answer = memory.ask(asked.text, budget=asked.budget, owner=owner, as_of=moment)
        st.session_state["answered"] = (answer, found)
        st.session_state["answered_key"] = key
    answer, found = st.session_state["answered"]
    return answer, found


with page("Ask", PURPOSE) as memory:
    needs_messages(memory, "Once a conversation is imported, ask here what was said in it.")
    if asked := question():
        answer, found = answered(memory, asked)
        answering.answer(answer)
        if found.hits:
            answering.hits(found)
        else:
            note("No memory matches this question.", "Ask with other words, or for another day.")
        answering.working(answer, found)
