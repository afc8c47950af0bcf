"""Runs on screen: totals, the time of each stage, what models cost, calls to them with their texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from memcore.domain.models import LlmCall, Run
from memcore.inspection.objects import RunView
from memcore.runs.record import STARTED_BY
from memcore.systems.registry import title
from ui.components import charts
from ui.components.report import figures
from ui.shell.frame import meta
from ui.shell.jobs import board
from ui.shell.templates import draw
from ui.shell.text import clock, count, label, shorten

KINDS = {
    "ingest": "Import",
    "consolidate": "Consolidation",
    "names": "Names compared",
    "propose": "Proposed by a program",
    "decide": "Decision",
    "search": "Search",
    "ask": "Question",
    "ground": "Check of memories",
    "import": "Restore",
    "resegment": "Topics moved",
}
_CALLS = 50


def state(run: Run) -> str:
    """How it ended; `interrupted` when the process that ran it did not live to say so."""
    interrupted = run.state == "running" and run.started_at < board().begun
    return "interrupted" if interrupted else run.state


def totals(runs: Sequence[Run]) -> list[tuple[int | float | str, str]]:
    """Counts over the listed runs."""
    return [
        (len(runs), "runs"),
        (round(sum(run.seconds or 0.0 for run in runs), 1), "seconds"),
        (sum(state(run) in ("failed", "interrupted") for run in runs), "failed or interrupted"),
    ]


def made(run: Run) -> str:
    """What a run made, as far as it counted."""
    found = {name: run.totals.get(name) for name in ("messages", *_MADE)}
    read = {name: number for name, number in found.items() if isinstance(number, int) and number}
    if run.kind == "consolidate":
        compared = count(read.pop("memories", 0), *_MADE["memories"])
        return ", ".join([f"{compared} compared", *_numbers(read)])
    return ", ".join(_numbers(read))


_MADE = {"memories": ("memory", "memories"), "triples": ("triple", ""), "proposals": ("proposal", "")}


def _numbers(found: Mapping[str, int]) -> list[str]:
    return [count(number, *_MADE.get(name, ("message", ""))) for name, number in found.items()]


def head(run: Run) -> None:
    """One run in a line, with its error if it has one."""
    ended = state(run)
    took = "not finished" if run.seconds is None else f"{run.seconds:.1f} s"
    by = f" · {title(run.recipe)}" if run.recipe else ""
    draw(
        "runs.head",
        kind=KINDS.get(run.kind, run.kind),
        state=ended,
        css="warn" if ended in ("failed", "interrupted") else "strong",
        small=f"{clock(run.started_at)} UTC · {took}{by} · {run.id}",
    )
    if person := run.settings.get(STARTED_BY):
        meta(f"Started by {shorten(str(person), 120)}")
    counted = {k: v for k, v in run.totals.items() if isinstance(v, int | float) and k != "seconds"}
    numbers = [(v, k.replace("_", " ")) for k, v in counted.items()]
    if numbers:
        figures(*numbers)
    if run.error:
        draw("shell.failed", text=run.error)


def failures(view: RunView) -> list[str]:
    """What its buffers failed on."""
    return [str(t.payload["error"]) for t in view.traces if t.stage == "extract" and t.payload.get("error")]


def stages(view: RunView) -> None:
    """Seconds by stage."""
    if not any(view.stage_milliseconds.values()):
        return
    st.header("Time by stage", anchor=False)
    spent = {name: ms / 1000 for name, ms in view.stage_milliseconds.items() if ms}
    fig = charts.figure(70 + 34 * len(spent))
    fig.add_bar(
        y=list(spent),
        x=list(spent.values()),
        orientation="h",
        marker_color=charts.COLOURS[0],
        text=[f"{s:.2f} s" for s in spent.values()],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.2f} s<extra></extra>",
    )
    fig.update_yaxes(autorange="reversed", title=None)
    fig.update_xaxes(title="seconds", range=[0, max(spent.values()) * 1.15 or 1])
    charts.show(fig, key="stage_seconds", alt="Seconds by stage, as in the table below")
    meta(
        "How long each stage was at work. Two parts are read side by side, so together the stages can take "
        "longer than the run did from its start to its end."
    )
    with st.expander("The same as a table"):
        rows = [(name, [f"{took:.2f}"]) for name, took in spent.items()]
        draw("shell.figures_table", first="stage", heads=["seconds"], rows=rows, named=False)


def record(run: Run) -> dict[str, object]:
    """A run as a row of a table or file."""
    return {
        "started (UTC)": clock(run.started_at),
        "what": KINDS.get(run.kind, run.kind),
        "state": state(run),
        "seconds": run.seconds,
        "system": title(run.recipe) if run.recipe else "",
        "made": made(run),
        "owner": run.owner,
        "run": run.id,
    }


def cost(statistics: dict[str, Any], *, whose: str, key: str) -> None:
    """What models cost, by stage, with the same as a file (`Memory.token_statistics`)."""
    st.header("What models cost", anchor=False)
    summary = statistics["summary"]
    figures(
        (summary["total_llm_calls"], "model calls"),
        (_known(summary["total_llm_tokens"]), "model tokens"),
        (summary["total_embedding_calls"], "texts embedded"),
    )
    if summary["total_llm_calls"]:
        rows = [
            (stage, [_known(spent[name]) for name in _COUNTS]) for stage, spent in statistics["llm"].items()
        ]
        draw("shell.figures_table", first="stage", heads=_COUNTS.values(), rows=rows)
    words = [
        f"{whose}, in tokens as the servers counted them; a call that a tokenizer counted instead, as those "
        "of recorded replies, names it.",
        STAGES,
    ]
    if unreported := summary["unreported_calls"]:
        words.append(f"For {count(unreported, 'call')} no server said how many: not in these sums.")
    meta(" ".join(words))
    st.download_button(
        "Download as JSON",
        json.dumps(statistics, indent=2),
        "token_statistics.json",
        "application/json",
        key=key,
        help="By stage, in the layout of LightMem's token statistics",
    )


STAGES = "add_memory is extraction, update the decisions about memories."
_COUNTS = {
    "calls": "calls",
    "prompt_tokens": "prompt tokens",
    "completion_tokens": "completion tokens",
    "total_tokens": "tokens together",
    "unreported_calls": "calls not counted",
}


def calls(view: RunView) -> None:
    """Every call to a language model, with what was asked and answered."""
    st.header("Calls to a language model", anchor=False)
    if not view.calls:
        meta("No language model was called.")
        return
    unusable = sum(call.outcome != "ok" for call in view.calls)
    wrong = f", {unusable:,} of them not usable" if unusable else ""
    meta(f"{count(len(view.calls), 'call')}{wrong}")
    for call in view.calls[:_CALLS]:
        _call(call)
    if len(view.calls) > _CALLS:
        meta(f"and {count(len(view.calls) - _CALLS, 'call')} more")


def _call(call: LlmCall) -> None:
    tokens = f"{_known(call.prompt_tokens)} + {_known(call.completion_tokens)} tokens"
    outcome = "" if call.outcome == "ok" else f" · {label(call.outcome.replace('_', ' '))}"
    with st.expander(f"{label(call.stage)} · {tokens} · {call.milliseconds:,.0f} ms{outcome}"):
        meta(f"{call.model} · prompt {call.prompt_version or '–'} · {clock(call.at)} UTC")
        if call.error:
            draw("shell.failed", text=call.error)
        draw("shell.asked", heading="Asked", text=call.prompt)
        draw("shell.asked", heading="Answered", text=call.completion or "–")


def _known(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"


def settings(run: Run) -> None:
    """What was active when it ran."""
    with st.expander("Settings of this run"):
        active = run.settings.get("active") or {}
        rest = {k: v for k, v in run.settings.items() if k != "active"}
        draw("shell.pairs", rows={**active, **rest}.items())
