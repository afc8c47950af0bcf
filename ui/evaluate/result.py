"""An evaluation's figures: beside plain rankings, by category, as curves; what it took; downloads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from memcore.evaluation.question_records import flat, question_records
from memcore.evaluation.ranking import RECALL_AT_TOKENS
from memcore.evaluation.retrieval_result import RetrievalResult
from memcore.exporting.csv_file import csv_file
from memcore.systems.registry import title
from ui.components import terms
from ui.components.report import figures
from ui.evaluate.evaluation import NAMES, Evaluation
from ui.importing.upload import draw_skipped
from ui.shell import params
from ui.shell.frame import note
from ui.shell.templates import draw, render, show
from ui.shell.text import count

BASELINES = {
    "random": "random",
    "bm25": "BM25",
    "dense": "dense",
    "z-sum": "z-sum",
    "oracle": "oracle",
}
_ABOUT_BASELINES = (
    "Beside it, the turns as they were said, ranked: at random (mean of three draws), by their words (BM25), "
    "by embedding (dense), by both added as z-scores (z-sum), and the evidence first (oracle, the ceiling "
    "for whoever delivers turns verbatim)."
)
_FIRST = ("turn_recall@10", "session_all@5")
"""The figure shown first, whichever of these a dataset has."""


def lead(found: Evaluation) -> None:
    """What was evaluated on what, the few figures to begin with, and what was left out."""
    result, document = found.result, found.document
    dataset = result.dataset
    draw(
        "evaluate.lead",
        system=title(result.recipe),
        dataset=NAMES[dataset.name],
        parts=[
            ", ".join(dataset.files),
            count(len(dataset.logs), "conversation"),
            f"{len(dataset.scored):,} of {count(dataset.questions, 'question')} scored",
            *(f"{number:,} left out: {why}" for why, number in dataset.excluded.items()),
        ],
    )
    overall, query = document["overall"], document["query_ms"]
    first = next(name for name in (*_FIRST, *overall) if name in overall)
    figures(
        (f"{overall[first]:.1f} %", in_words(first)),
        (f"{overall['recall_at_tokens']['1000']:.1f} %", "recall in 1,000 tokens"),
        (f"{overall['ndcg@10']:.1f} %", terms.explained("ndcg@10")),
        (f"{query['p50']:.0f} ms", terms.explained(f"a search (p95 {query['p95']:.0f} ms)")),
        (found.document["construction"]["memories"], "memories"),
    )
    if document["notes"] or document["construction"]["errors"]:
        note(*document["notes"], *(f"Failed: {error}" for error in document["construction"]["errors"]))
    draw_skipped([skipped for log in dataset.logs.values() for skipped in log.skipped])


# --------------------------------------------------------------------------- tables


def tables(found: Evaluation) -> None:
    """Every figure of the recipe and the baselines; then one of them by category."""
    document, recipe = found.document, title(found.result.recipe)
    names = list(_flat(document["overall"]))
    st.header("Beside plain rankings", anchor=False)
    show(_table(document, "figure", recipe, [(in_words(name), None, name) for name in names]))
    draw("shell.metas", lines=[terms.explained(line) for line in _small_print(document)])
    st.header("By category", anchor=False)
    default = next((name for name in _FIRST if name in names), names[0])
    options = {name: in_words(name) for name in sorted(names, key=lambda name: name != default)}
    figure = params.choose("Figure", options, "figure", must=True, width=320) or default
    rows: list[_Row] = [(title, category, figure) for category, title in categories(found.result).items()]
    rows.append((f"all ({len(found.result.questions):,})", None, figure))
    show(_table(document, "questions", recipe, rows))


def categories(result: RetrievalResult) -> dict[str, str]:
    """Category → its name, and of how many questions."""
    named = {}
    for name, questions in result.categories().items():
        kind = questions[0].question.type
        named[name] = f"{name if kind == name else f'{name} {kind}'} ({len(questions):,})"
    return named


def in_words(figure: str) -> str:
    """
    >>> in_words("turn_recall@10"), in_words("recall_at_tokens 500"), in_words("rate 0.8 answer_tokens_kept")
    ('turn recall@10', 'recall in 500 tokens', 'rate 0.8 answer tokens kept')
    """
    kind, _, budget = figure.partition(" ")
    return f"recall in {int(budget):,} tokens" if kind == RECALL_AT_TOKENS else figure.replace("_", " ")


_Row = tuple[str, str | None, str]
"""Its title, and which figure it shows of which category (None: of all questions)."""


def _table(document: Mapping[str, Any], what: str, recipe: str, rows: Sequence[_Row]) -> Markup:
    systems = (None, *document["baselines"])
    return render(
        "evaluate.figures",
        what=what,
        heads=[
            recipe,
            *(terms.explained(BASELINES[system]) for system in document["baselines"]),
        ],
        rows=[
            (title, [_cell(document, system, category, figure) for system in systems])
            for title, category, figure in rows
        ],
    )


def _cell(document: Mapping[str, Any], system: str | None, category: str | None, figure: str) -> Markup:
    """The figure; of the recipe with its interval, of a baseline with how much better the recipe is."""
    blocks, intervals = document, document["intervals"]
    mine = _flat(_of(blocks, category)).get(figure)
    if system is not None:
        blocks, intervals = document["baselines"][system], intervals["difference"][system]
    value = _flat(_of(blocks, category)).get(figure)
    if value is None:
        return render("evaluate.no_figure")
    between = _flat(_of(intervals, category)).get(figure)
    if system is None:
        interval = f"{between[0]:.1f} to {between[1]:.1f}" if between else ""
        return render("evaluate.mine", value=f"{value:.1f}", interval=interval)
    small = _signed(mine - value)
    if between and any(between):
        small += f" ({_signed(between[0])} to {_signed(between[1])})"
    strong = between is not None and bool(between) and (between[0] > 0 or between[1] < 0)
    return render("evaluate.baseline", value=f"{value:.1f}", difference=small, strong=strong)


def _of(blocks: Mapping[str, Any], category: str | None) -> Mapping[str, Any]:
    block: Mapping[str, Any] = blocks["overall"] if category is None else blocks["by_category"][category]
    return block


def _signed(points: float) -> str:
    """
    >>> _signed(2.04), _signed(-3.0), _signed(-0.04)
    ('+2.0', '−3.0', '0.0')
    """
    shown = f"{abs(points):.1f}"
    return shown if shown == "0.0" else f"{'+' if points > 0 else '−'}{shown}"


def _flat(block: Mapping[str, Any]) -> dict[str, Any]:
    """Figures by their flat names, with the budgets of `recall_at_tokens`."""
    found: dict[str, Any] = {}
    for name, value in block.items():
        if isinstance(value, Mapping):
            found |= {f"{name} {budget}": share for budget, share in value.items()}
        elif name != "questions":
            found[name] = value
    return found


def _small_print(document: Mapping[str, Any]) -> list[str]:
    intervals = document["intervals"]
    by = count(intervals["clusters"], intervals["clustered_by"])
    return [
        _ABOUT_BASELINES,
        f"In percent. Under the system, the {intervals['percent']} % interval over {intervals['draws']:,} "
        f"bootstrap draws of {by}"
        + (" (very few: take it as a hint)" if 1 < intervals["clusters"] < 5 else "")
        + ". Under each ranking, how many points the system is better, with the interval of that difference, "
        "in bold where it leaves out 0.",
        f"ndcg is over {document['ndcg_over']}, recall in tokens over {document['recall_at_tokens_over']}; "
        f"tokens are those of {document['tokenizer']}, of the context exactly as a model would get it.",
    ]


# --------------------------------------------------------------------------- costs and files


def construction(found: Evaluation) -> None:
    """What building the memories took, and a search."""
    built, document = found.document["construction"], found.document
    st.header("What it took", anchor=False)
    cells = {
        "messages": f"{built['messages']:,} ({built['from_cache']:,} of them remembered before)",
        "memories": f"{built['memories']:,}",
        "seconds to build, when it was built": f"{built['seconds']:,.1f}",
        "language model calls": f"{built['llm_calls']:,}",
        "language model tokens": f"{built['llm_tokens']:,}",
        "a search, question embedded": _milliseconds(document["query_ms"]),
        "a conversation’s first search": _milliseconds(document["first_search_ms"]),
        "results a search was asked for": f"{document['search_k']:,}",
    }
    draw("evaluate.construction", rows=cells.items())


def _milliseconds(quantiles: Mapping[str, float]) -> str:
    return f"{quantiles['p50']:.1f} ms in the median, {quantiles['p95']:.1f} ms at the 95th percentile"


def downloads(found: Evaluation) -> None:
    """The document that the command line prints, and every question as a record or a row."""
    result = found.result
    name = f"{result.dataset.name}_{result.recipe}"
    with st.container(horizontal=True):
        st.download_button(
            "Whole result as JSON",
            lambda: json.dumps(found.document, ensure_ascii=False, indent=1).encode(),
            f"{name}.json",
            "application/json",
            key="download_result",
            on_click="ignore",
            help="What `python -m memcore evaluate retrieval --json` prints",
        )
        st.download_button(
            "Questions as JSON Lines",
            lambda: "".join(
                json.dumps(record, ensure_ascii=False) + "\n" for record in question_records(result)
            ).encode(),
            f"{name}_questions.jsonl",
            "application/jsonl",
            key="download_jsonl",
            on_click="ignore",
            help="Evidence, ranks, every figure of every ranking, and the first ten results",
        )
        st.download_button(
            "Questions as CSV",
            lambda: _questions_csv(result),
            f"{name}_questions.csv",
            "text/csv",
            key="download_csv",
            on_click="ignore",
        )


def _questions_csv(result: RetrievalResult) -> bytes:
    rows = [flat(record) for record in question_records(result)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return csv_file(columns, [[row.get(name, "") for name in columns] for row in rows])
