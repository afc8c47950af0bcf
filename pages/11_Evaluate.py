"""Evaluate: a system's retrieval on questions with known evidence, beside plain rankings, question by
question."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.runtime.config import load_settings
from ui.evaluate import evaluated, evaluated_curves, evaluating, missed
from ui.shell import links, progress
from ui.shell.frame import draw_error, page_without_store

PURPOSE = "How much of the evidence a system finds, in how many tokens, and why what it missed was missed."


def result(found: evaluating.Evaluation) -> None:
    """The whole result, or the one question that the URL names."""
    if "question" in st.query_params:
        missed.browse(found)
        return
    evaluated.lead(found)
    evaluated.tables(found)
    evaluated_curves.draw(found)
    missed.browse(found)
    evaluated.construction(found)
    evaluated.downloads(found)


def begin() -> None:
    """Choose a dataset, a system, and begin."""
    evaluating.about()
    if files := evaluating.choose_files():
        try:
            evaluating.offer(files, load_settings())
        except MemcoreError as error:
            draw_error(error)
    evaluating.kept()


with page_without_store("Evaluate", PURPOSE):
    st.html(missed.CSS)
    job = evaluating.current_job()
    if job is not None:
        progress.follow(job, result)
        if job.state == "finished":
            links.within("Evaluate something else", "evaluate_more", **dict.fromkeys(st.query_params))
    elif {"job", "question"} & {*st.query_params}:
        evaluating.gone()
    if job is None or job.state in ("cancelled", "failed"):
        begin()
