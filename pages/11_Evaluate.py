"""Evaluate: a system's retrieval on questions with known evidence, beside plain rankings, question by
question."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import MemcoreError, StoreError
from memcore.evaluation.records import EvaluationRecord
from ui.evaluate import curves, evaluation, kept, questions, result
from ui.shell import chosen, links, opened, progress, who
from ui.shell.frame import draw_error, page_without_store
from ui.shell.templates import stylesheet

PURPOSE = "How much of the evidence a system finds, in how many tokens, and why what it missed was missed."


def whole(found: evaluation.Evaluation) -> None:
    """The whole result, or the one question that the URL names."""
    if "question" in st.query_params:
        questions.browse(found)
        return
    result.lead(found)
    result.tables(found)
    curves.draw(found)
    questions.browse(found)
    result.construction(found)
    result.downloads(found)
    kept.about(found.record)


def begin() -> None:
    """Choose a dataset, a system, and begin; and what was evaluated before."""
    evaluation.about()
    if files := evaluation.choose_files():
        try:
            evaluation.offer(files, opened.settings())
        except MemcoreError as error:
            draw_error(error)
    kept.listed()
    evaluation.memories()


def draw_kept(found: evaluation.Evaluation | EvaluationRecord) -> None:
    """A result from the store's directory. It may be anybody's: what has other parts than ours is damaged."""
    try:
        if isinstance(found, evaluation.Evaluation):
            whole(found)
        else:
            kept.figures(found)
            kept.about(found)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise StoreError(
            f"This result is damaged: it has no usable {error}.", "Delete its file, or restore it."
        ) from error


def named() -> bool:
    """Draw the result that the URL names, if it is there."""
    wanted = st.query_params.get("job", "")
    found = kept.opened(wanted) if wanted else None
    if found is not None:
        draw_kept(found)
    elif {"job", "question"} & {*st.query_params}:
        kept.gone()
    return found is not None


with page_without_store("Evaluate", PURPOSE) as memory:
    stylesheet("evaluate")
    if who.name():  # results are the whole store's, and an evaluation takes the machine for itself
        if memory is None:
            st.stop()
        memory.people.require("administer")
    job = evaluation.current_job()
    if job is not None:
        progress.follow(job, whole)
        shown = job.state == "finished"
    else:
        shown = named()
    if shown:
        links.within("Evaluate something else", "evaluate_more", **dict.fromkeys(chosen.others()))
    elif job is None or job.state in ("cancelled", "failed"):
        begin()
