"""Results of evaluations that are kept in the store: listed, opened by their link, compared, deleted and put
back."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from memcore.domain.errors import MemcoreError, NotFoundError, StoreError
from memcore.evaluation.compared import differing, figures_of, headline, side_by_side
from memcore.evaluation.records import EvaluationRecord, Evaluations
from memcore.systems.registry import title
from ui.components.oversight import draw_oversight
from ui.evaluate import updates
from ui.evaluate.evaluation import NAMES, RESULTS_KEPT, Evaluation
from ui.evaluate.result import in_words
from ui.shell import links, live, params
from ui.shell.frame import draw_error, meta, note
from ui.shell.jobs import board
from ui.shell.opened import settings as settings_now
from ui.shell.templates import draw, render, show
from ui.shell.text import clock, megabytes, shorten

PAGE_SIZE = 20
_REMOVED = "removed_evaluation"
_FAILED = "evaluation_not_removed"


def evaluations() -> Evaluations:
    """Those of the project's store, which need not be open."""
    return Evaluations(settings_now().store_dir)


# --------------------------------------------------------------------------- the list


def listed() -> None:
    """Every kept result with its link, newest first, and the one just deleted with its undo."""
    _just_removed()
    found = evaluations().all()
    if not found.records and not found.unreadable:
        return
    st.header("Results", anchor=False)
    pages = max(1, -(-len(found.records) // PAGE_SIZE))
    number = params.number("results", 1, 1, pages)
    draw("evaluate.kept", rows=[_row(one) for one in found.records[(number - 1) * PAGE_SIZE :][:PAGE_SIZE]])
    if pages > 1:
        st.pagination(pages, **params.bound("results", number))
    if found.unreadable:
        note(
            f"These files in {evaluations().directory} cannot be read as results: "
            + ", ".join(map(shorten, found.unreadable[:10])),
            "Delete them, or restore them from a backup.",
        )


def _row(record: EvaluationRecord) -> dict[str, object]:
    figure = headline(record)
    return {
        "what": name(record),
        "target": links.href("Evaluate", job=record.id),
        "files": ", ".join(file.name for file in record.files),
        "when": f"{clock(record.at)} UTC",
        "by": record.by,
        "figure": f"{figure[1]:.1f} %" if figure else "–",
        "of": in_words(figure[0]) if figure else "",
    }


def name(record: EvaluationRecord) -> str:
    """What was evaluated on what, in a few words."""
    datasets = ", ".join(
        dict.fromkeys(str(NAMES.get(one["dataset"], one["dataset"])) for one in record.datasets)
    )
    what = title(record.recipe) if record.kind == "retrieval" else record.kind.capitalize()
    if record.kind in ("consolidation", "oversight"):
        what = f"{what} by {title(record.recipe)}"
    return f"{what} on {datasets}"


# --------------------------------------------------------------------------- one of them


def opened(evaluation_id: str) -> Evaluation | EvaluationRecord | None:
    """The result that the URL names, with its questions if it has any; None where it is not kept here.
    Raises StoreError for a damaged one."""
    kept = evaluations()
    try:
        record = kept.get(evaluation_id)
    except NotFoundError:
        return None
    return _with_questions(str(kept.directory.parent), record.id, kept.written_at(record.id))


@st.cache_resource(max_entries=RESULTS_KEPT, show_spinner="Opening the result…")
def _with_questions(store_dir: str, evaluation_id: str, written_at: int) -> Evaluation | EvaluationRecord:
    kept = Evaluations(Path(store_dir))
    record = kept.get(evaluation_id)
    questions = kept.questions(evaluation_id)
    if questions is None:
        return record
    return Evaluation(record, questions.result, record.document, questions.made)


def gone() -> None:
    """The URL names a result that is not kept in this store."""
    note(
        "This result is not here any more.",
        "It was deleted, was cancelled, or is kept in another store. The memories that were built are kept "
        "on disk, so evaluating again takes much less time.",
    )


def figures(record: EvaluationRecord) -> None:
    """A result without questions: every figure of every method."""
    draw(
        "evaluate.lead", system=name(record), dataset=record.kind, parts=[file.name for file in record.files]
    )
    if record.without_questions:
        note(record.without_questions)
    if record.kind == "consolidation":
        updates.draw_updates(record.document)
        return
    if record.kind == "oversight":
        draw_oversight(record.document)
        return
    if record.kind == "retrieval":
        _table("figure", ["%"], [(in_words(n), [f"{v:.1f}"]) for n, v in figures_of(record).items()])
        return
    for document in record.datasets:
        draw("shell.lead", text=shorten(document["dataset"], 200))
        blocks = {"": document["methods"]} if record.kind == "segmentation" else document["rates"]
        for rate, methods in blocks.items():
            if rate:
                meta(f"rate {rate}")
            heads = list(next(iter(methods.values()), {}))
            rows = [
                (method, [f"{float(own[head]):.1f}" for head in heads]) for method, own in methods.items()
            ]
            _table("method", [head.replace("_", " ") for head in heads], rows)
        meta(f"In percent. The default is “{document['default']}”.")


def _table(first: str, heads: list[str], rows: list[tuple[str, list[str]]]) -> None:
    table = render("shell.figures_table", first=first, heads=heads, rows=rows)
    show(render("shell.scroll", content=table, label=first))


def about(record: EvaluationRecord) -> None:
    """What was evaluated with what, another result beside it, and a way to delete it."""
    with st.expander("What was evaluated, and when"):
        draw("shell.pairs", rows=_facts(record))
    others = {
        one.id: f"{name(one)}, {clock(one.at)}"
        for one in evaluations().all().records
        if one.kind == record.kind and one.id != record.id
    }
    label = "Beside another result"
    if others and (other := params.choose(label, others, "with", placeholder="none", width=480)):
        _beside(record, other)
    with st.container(horizontal=True, vertical_alignment="center"):
        sure = st.checkbox("Delete this result", key=f"sure_{record.id}")
        st.button("Delete", key="delete_result", disabled=not sure, on_click=_remove, args=(record.id,))
    if error := live.once(_FAILED):
        draw_error(error)


def _facts(record: EvaluationRecord) -> list[tuple[str, str]]:
    changed = {n: v for n, v in record.settings.items() if v != settings_now().flat().get(n, v)}
    return [
        ("when", f"{clock(record.at)} UTC, in {record.seconds:,.1f} s, from the {record.by}"),
        *((file.name, f"{megabytes(file.bytes)}, sha256 {file.sha256}") for file in record.files),
        ("system", title(record.recipe) if record.recipe else "–"),
        ("version", f"{record.version}, source {record.code}"),
        ("embedding model", record.embedding_model),
        (
            "settings",
            "; ".join(f"{n} was {v}" for n, v in changed.items()) or "as they are now",
        ),
        ("id", record.id),
    ]


def _beside(record: EvaluationRecord, other_id: str) -> None:
    other = evaluations().get(other_id)
    rows = [
        (in_words(one.name), [_figure(one.mine), _figure(one.other), _signed(one.difference)])
        for one in side_by_side(record, other)
    ]
    _table("figure in %", ["this", "the other", "difference"], rows)
    if unlike := differing(record, other):
        draw("shell.pairs", rows=[(n, f"{mine} here, {theirs} there") for n, mine, theirs in unlike])
    else:
        meta("Files, system, settings, version and models were the same.")


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _signed(value: float | None) -> str:
    """
    >>> _signed(2.0), _signed(-0.5), _signed(None)
    ('+2.0', '−0.5', '–')
    """
    return "–" if value is None else f"{value:+.1f}".replace("-", "−")


# --------------------------------------------------------------------------- deleting


def _remove(evaluation_id: str) -> None:
    try:
        kept = evaluations()
        st.session_state[_REMOVED] = kept, kept.remove(evaluation_id)
    except MemcoreError as error:
        st.session_state[_FAILED] = error
        return
    board().forget(evaluation_id)
    links.only()


def _just_removed() -> None:
    if _REMOVED not in st.session_state:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        meta(
            "The result was deleted. It can be put back until this tab is closed or reloaded.",
            width="content",
        )
        st.button("Undo", key="restore_result", on_click=_restore)


def _restore() -> None:
    kept, removed = undone = st.session_state.pop(_REMOVED)
    try:
        kept.restore(removed)
    except StoreError as error:
        st.session_state[_REMOVED], st.session_state[_FAILED] = undone, error
