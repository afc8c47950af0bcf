"""The questions of an evaluation as a list with filters in the URL, or the one that the URL names."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from memcore.evaluation.missed import by_id, is_missed, ranks_of, select
from memcore.evaluation.retrieval_result import QuestionResult
from ui.evaluate import question, result
from ui.evaluate.evaluation import Evaluation
from ui.shell import links, params
from ui.shell.frame import meta, note
from ui.shell.templates import draw
from ui.shell.text import count, shorten

PAGE_SIZE = 25


def browse(found: Evaluation) -> None:
    """The list of questions with its filters, or the one that the URL names."""
    questions = by_id(found.result)
    wanted = st.query_params.get("question")
    if wanted is None:
        _list(found, questions)
    elif wanted in questions:
        question.draw(found, questions[wanted], wanted, list(_chosen(found, questions)), _k(found))
    else:
        note(f"This evaluation has no question “{shorten(wanted)}”.", "It may be of another dataset.")
        links.within("Show all questions", "all_questions", question=None)


def _list(found: Evaluation, questions: Mapping[str, QuestionResult]) -> None:
    st.header("Questions", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = result.categories(found.result)
        if wrong := params.unknown("category", titles):
            note(f"There is no category “{shorten(wrong)}”.", "This filter is left out.")
        show = {"missed": "missed", "all": "all"}
        params.choose("Show", show, "show", must=True, clears=("page",), width=140)
        ks = {str(k): f"first {k}" for k in _ks(found)}
        params.choose("Among the", ks, "k", must=True, clears=("page",), width=140)
        params.choose("Category", titles, "category", clears=("page",), placeholder="any")
        given = st.query_params.get("words", "")
        st.text_input("Text", placeholder="any words", **params.bound("words", given, clears=("page",)))
    shown = _chosen(found, questions)
    k = _k(found)
    missed = len(select(questions, missed_at=k))
    meta(
        f"{len(shown):,} of {count(len(questions), 'question')}. Of all, {missed:,} are missed: "
        f"not all of their evidence is among the first {k} {_over(found)}."
    )
    if not shown:
        none = f"No question is missed among the first {k}." if not missed else ""
        note(none or "No question passes these filters.", "Choose other filters to see more.")
        return
    pages = -(-len(shown) // PAGE_SIZE)
    number = params.number("page", 1, 1, pages)
    rows = list(shown.items())[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    draw("evaluate.questions", rows=[_row(name, one, k) for name, one in rows])
    if pages > 1:
        st.pagination(pages, **params.bound("page", number))


def _row(name: str, one: QuestionResult, k: int) -> dict[str, object]:
    asked = one.question
    return {
        "name": name,
        "text": asked.text,
        "target": links.href("Evaluate", **{**st.query_params.to_dict(), "question": name}),
        "missed": is_missed(one, k),
        "kind": asked.category if asked.category == asked.type else f"{asked.category} {asked.type}",
        "ranks": ", ".join(map(_rank, ranks_of(one))),
    }


def _rank(rank: int | None) -> str:
    return "–" if rank is None else f"{rank:,}"


def _ks(found: Evaluation) -> list[int]:
    """10 first, the others as they come."""
    return sorted(found.result.yardstick.ks, key=lambda k: (k != 10, k))


def _k(found: Evaluation) -> int:
    known = _ks(found)
    wanted = st.query_params.get("k", "")
    return int(wanted) if wanted in map(str, known) else known[0]


def _over(found: Evaluation) -> str:
    return "turns" if found.result.dataset.has_turns else "sessions"


def _chosen(found: Evaluation, questions: Mapping[str, QuestionResult]) -> dict[str, QuestionResult]:
    """The questions that pass the filters of the URL."""
    category = st.query_params.get("category")
    return select(
        questions,
        missed_at=None if st.query_params.get("show") == "all" else _k(found),
        category=category if category in found.result.categories() else None,
        contains=st.query_params.get("words", "").strip(),
    )
