"""What each compared system keeps of a log and what reading it took, as a table with its small print."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.inspection.comparison import Comparison, Cost, SystemOnLog
from memcore.inspection.grounding import LABELS, shares
from memcore.inspection.shares import in_percent
from ui.components import terms
from ui.components.recipes import TITLES, named
from ui.shell import links, templates
from ui.shell.templates import render
from ui.shell.text import count

_HEADS = (
    "memories",
    "supported by their words",
    "triples",
    "summaries",
    "stored tokens per 1,000 source tokens",
    "proposals waiting",
    "LLM calls",
    "prompt tokens",
    "completion tokens",
    "seconds",
)
_WHOLE_RUN = "†"


def draw(found: Comparison) -> None:
    """The table, and whatever has to be said so that nobody reads more into it than it holds."""
    rows = [_row(found, system) for system in found.systems]
    templates.draw("compare.costs", heads=_HEADS, rows=rows)
    templates.draw("shell.metas", lines=[terms.explained(line) for line in _small_print(found)])


def _row(found: Comparison, system: SystemOnLog) -> tuple[str, list[str], str]:
    """The system, its figures, and the language models it asked."""
    kept, cost = system.kept, system.cost
    ratio = found.stored_per_1000(system)
    cells: list[str] = [
        render("compare.memories", number=kept.memories, past=kept.past),
        _carried(system),
        f"{kept.triples:,}",
        f"{kept.summaries:,}",
        f"{ratio:,.0f}" if ratio is not None else "–",
        f"{kept.proposals:,}",
    ]
    spent = [_tokens(cost, cost.prompt_tokens), _tokens(cost, cost.completion_tokens)]
    for figure in (f"{cost.calls:,}", *spent, _seconds(cost)):
        marked = render("compare.marked_figure", figure=figure, mark=_WHOLE_RUN)
        cells.append(marked if cost.of_several_logs else figure)
    if not cost.runs:
        cells = ["–"] * len(cells)
    model = ", ".join(cost.models) if cost.calls else ("none used" if cost.runs else "not run yet")
    return named(system.recipe), cells, model


def _carried(system: SystemOnLog) -> str:
    told = dict(shares(system.verdicts))
    if not told:
        return "–"
    others = [f"{in_percent(share)} {label.removesuffix(' supported')}" for label, share in told.items()]
    whole = told.get(LABELS["supported"], 0.0)
    return render("compare.carried", share=in_percent(whole), others=others[bool(whole) :])


def _tokens(cost: Cost, tokens: int | None) -> str:
    if tokens is None:
        return "not reported"
    return f"{tokens:,}{' at least' if cost.unreported_calls else ''}"


def _seconds(cost: Cost) -> str:
    if cost.seconds is None:
        return "not recorded"
    figure = f"{cost.seconds:,.1f}"
    if len(cost.runs) > 1:
        return figure
    return render("compare.link", target=links.href("Runs and cost", run=cost.runs[0].id), text=figure)


def _small_print(found: Comparison) -> list[str]:
    ran = [system for system in found.systems if system.cost.runs]
    lines = []
    if ran and not any(system.cost.calls for system in ran):
        lines.append(
            "No language model was used: rules and the language pipeline did the work instead. With a model, "
            "each system reads by its own prompts, and these figures will differ."
        )
    lines += [line for system in ran for line in _of_system(found, system)]
    lines.append(
        f"Source: {found.source_tokens:,} tokens (cl100k) in {count(len(found.messages), 'message')}. Stored "
        "are the texts of active memories and summaries, and of triples that no memory states. Costs are "
        "those of reading the log; consolidation and questions are runs of their own. A system that ran "
        "first in its process also waited for models to load."
    )
    return lines


def _of_system(found: Comparison, system: SystemOnLog) -> Sequence[str]:
    cost, title = system.cost, TITLES[system.recipe]
    lines = []
    if cost.of_several_logs:
        read = len(found.messages) - len(system.pending)
        runs = "run" if len(cost.runs) == 1 else f"{len(cost.runs)} runs"
        lines.append(
            f"{_WHOLE_RUN} The {runs} by which {title} read this log worked on "
            f"{len(cost.conversations):,} logs together: {count(cost.messages, 'message')}, of which this "
            f"log has {read:,}. What this log took of that was not recorded, so calls, tokens and seconds "
            "are those of all of it."
        )
    if cost.unreported_calls:
        calls = count(cost.unreported_calls, "call")
        lines.append(f"{title}: for {calls} the server did not say how many tokens; they are in no sum.")
    if cost.untimed_runs:
        lines.append(
            f"{title}: {count(cost.untimed_runs, 'run')} did not end properly; its time is not known."
        )
    return lines
