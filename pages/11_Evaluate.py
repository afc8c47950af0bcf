"""Evaluate: a system's retrieval on questions with known evidence, beside plain rankings, question by
question."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.runtime.config import load_settings
from ui.evaluate import curves, evaluation, questions, result
from ui.shell import links, progress
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


def begin() -> None:
    """Choose a dataset, a system, and begin."""
    evaluation.about()
    if files := evaluation.choose_files():
        try:
            evaluation.offer(files, load_settings())
        except MemcoreError as error:
            draw_error(error)
    evaluation.kept()


with page_without_store("Evaluate", PURPOSE):
    stylesheet("evaluate")
    job = evaluation.current_job()
    if job is not None:
        progress.follow(job, whole)
        if job.state == "finished":
            links.within("Evaluate something else", "evaluate_more", **dict.fromkeys(st.query_params))
    elif {"job", "question"} & {*st.query_params}:
        evaluation.gone()
    if job is None or job.state in ("cancelled", "failed"):
        begin()
