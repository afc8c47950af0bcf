"""The Evaluate page's choices (files, system, how many questions), its job, and the memories that evaluations
make.

An evaluation works in a store of its own. Its result is kept in the person's store (`ui.evaluate.kept`) by
the id of its job, which is in the URL.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.protocols import Cancelled, Progress
from memcore.evaluation.dataset_files import GivenFile
from memcore.evaluation.detail import trimmed
from memcore.evaluation.evaluating import (
    delete_evaluations,
    evaluate_retrieval,
    evaluation_settings,
    kept_evaluations,
)
from memcore.evaluation.missed import stand_ins
from memcore.evaluation.records import EvaluationRecord, Evaluations, evaluated_files, new_id, new_record
from memcore.evaluation.retrieval_datasets import DatasetName, dataset_of, read_retrieval_dataset
from memcore.evaluation.retrieval_document import retrieval_document
from memcore.evaluation.retrieval_result import RetrievalResult
from memcore.memory import open_settings
from memcore.retrieval.missed import StandIns
from memcore.runtime.config import Settings
from memcore.server.on_demand import served_when_wanted
from ui.components import recipes
from ui.shell import links, live, opened, params, progress, sample
from ui.shell.frame import draw_error, meta, note
from ui.shell.jobs import Job, board, found_again
from ui.shell.templates import draw
from ui.shell.text import megabytes

PAGE = "Evaluate"
NAMES: dict[DatasetName, str] = {"locomo": "LoCoMo", "longmemeval": "LongMemEval"}
RESULTS_KEPT = 3
"""Evaluations whose results the server holds in memory; it reads the others from the store when asked to."""

_SAMPLE, _DELETE = "sample", "delete_evaluations"
_MOST_QUESTIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation found, its document as the command line prints it, what the recipe made of the
    evidence, and what is kept of it all."""

    record: EvaluationRecord
    result: RetrievalResult
    document: dict[str, Any]
    made: StandIns


# --------------------------------------------------------------------------- choices


def about() -> None:
    """What is measured, for whom, and where datasets are."""
    note(
        "How much of the evidence for a question does a system find, and in how many tokens? This page lets "
        "a system remember conversations whose questions have known evidence, asks every question as Ask "
        "does, and shows where the evidence ranked, beside plain rankings of the same turns.",
        "For whoever chooses, tunes or builds a memory: what a change gains, on which kind of question, and "
        "why each missed question was missed. It works in a store of its own; yours is neither needed nor "
        "touched.",
    )
    draw("evaluate.reads")


def choose_files() -> list[GivenFile]:
    """The uploaded files, or the sample where the URL names it."""
    uploaded = st.file_uploader(
        "Dataset",
        accept_multiple_files=True,
        key="dataset_files",
        help="LongMemEval's questions and sessions files together. Nothing leaves this machine.",
    )
    if uploaded:
        return [GivenFile(one.name, one.getvalue()) for one in uploaded]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Load sample", key="load_questions", on_click=links.address, kwargs={"files": _SAMPLE})
        meta("Three short fictional conversations with 20 questions.")
    if st.query_params.get("files") == _SAMPLE:
        path = sample.questions()
        return [GivenFile(path.name, path.read_bytes())]
    return []


def offer(files: Sequence[GivenFile], settings: Settings) -> None:
    """Which dataset it is, the system and the limit, and the button that begins. Raises MemcoreError for
    files of no dataset."""
    name = dataset_of(files)
    names = ", ".join(f"{one.name} ({megabytes(len(one.data))})" for one in files)
    draw("evaluate.read_as", dataset=NAMES[name], files=names)
    systems = list(recipes.TITLES)
    asked = params.bound("system", params.one_of("system", systems), usual=systems[0])
    recipe = recipes.choose(systems, model=settings.llm != "none", **asked)
    if settings.llm != "none":
        meta(
            f"Settings names a language model ({settings.llm}): building memories asks it for every part of "
            "every conversation.",
            css="ms-warn",
        )
    limit = st.number_input(
        "Only the first questions of each file",
        min_value=1,
        max_value=_MOST_QUESTIONS,
        value=None,
        step=1,
        placeholder="all",
        width=260,
        help="Only their conversations are read, so that a first look takes less time.",
        **params.bound("first", params.number("first", 0, 1, _MOST_QUESTIONS) or None),
    )
    if (running := board().running()) is not None:
        progress.elsewhere(running)
    elif st.button(f"Evaluate on {NAMES[name]}", type="primary", key="start_evaluation"):
        job = _start(name, files, recipe, limit, settings)
        links.only(job=job.id)
        st.rerun()


def _start(
    name: DatasetName, files: Sequence[GivenFile], recipe: str, limit: int | None, settings: Settings
) -> Job[Evaluation]:
    own = evaluation_settings(settings, backends=opened.backends)
    job_id = new_id()

    def work(tell: Progress, cancelled: Cancelled) -> Evaluation:
        begun = time.monotonic()
        tell("read files", 0, len(files))
        dataset = read_retrieval_dataset(name, files, limit=limit)
        tell("read files", len(files), len(files))
        with open_settings(own, opened.backends) as memory, served_when_wanted(memory, opened.backends):
            result = evaluate_retrieval(dataset, memory, recipe=recipe, progress=tell, cancelled=cancelled)
            questions = trimmed(result, stand_ins(memory.store, result))
        record = new_record(
            "retrieval",
            retrieval_document(result),
            files=evaluated_files(files),
            settings=settings,
            embedding_model=opened.backends(own).embedding_space()[0],
            by="Evaluate page",
            seconds=time.monotonic() - begun,
            recipe=recipe,
            id=job_id,
        )
        record = Evaluations(settings.store_dir).keep(record, questions)
        return Evaluation(record, questions.result, record.document, questions.made)

    board().keep_last(PAGE, RESULTS_KEPT - 1)
    title = f"Evaluation of {recipes.TITLES[recipe]} on {NAMES[name]}"
    return board().start(PAGE, title, Evaluation, work, id=job_id)


# --------------------------------------------------------------------------- the job


def current_job() -> Job[Evaluation] | None:
    """The job the URL names, if it is one of this page's, or the evaluation at work."""
    return found_again(PAGE, Evaluation)


# --------------------------------------------------------------------------- memories


def memories() -> None:
    """Where the memories of evaluations are, how large, and a way to delete them."""
    found = kept_evaluations()
    with st.expander(f"Memories that evaluations made ({megabytes(found.bytes)})", key="evaluated"):
        size = megabytes(found.bytes)
        draw("evaluate.where", directory=str(found.directory), stores=len(found.stores), size=size)
        if not found.stores:
            return
        running = board().running() is not None
        sure = st.checkbox(
            "Delete them; building them again takes its time", key="sure_to_delete", disabled=running
        )
        st.button("Delete", key=_DELETE, disabled=running or not sure, on_click=_delete)
        if running:
            meta("Not while a job is running.")
    if error := live.once("delete_error"):
        draw_error(error)


def _delete() -> None:
    if board().running():
        return
    try:
        delete_evaluations()
    except MemcoreError as error:
        st.session_state["delete_error"] = error
    st.session_state["sure_to_delete"] = False
