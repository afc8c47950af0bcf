"""What an import made: the numbers, what was skipped or failed, and where to look at it."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from memcore.runs.ingest import IngestReport
from ui.components import erase, recipes, sessions
from ui.importing.upload import draw_skipped
from ui.shell import links, templates
from ui.shell.frame import meta, note
from ui.shell.text import count


def draw(report: IngestReport, memory: Memory) -> None:
    """The report of one ingest with links to the pages that show each of its parts."""
    verb = {"finished": "Finished", "cancelled": "Cancelled", "failed": "Stopped"}.get(
        report.state, report.state
    )
    with st.container(border=True):
        templates.draw("shell.lead", text=f"{verb} in {report.seconds:.1f} s")
        figures(
            (report.messages, "messages read"),
            (report.new_messages, "of them new"),
            (report.segments, "topic segments"),
            (report.memories, "memories"),
            (report.triples, "triples"),
        )
        meta(_spent(report))
        if report.memories and report.read:
            meta(_left(report, memory))
        with st.container(horizontal=True):
            for name in ("Memories", "Topics", "Compression", "Buffers", "Graph", "Review", "Ask"):
                links.link(name)
            links.link("Runs and cost", "This run", run=report.run_id)
            if read := memory.runs.conversations(report.run_id):
                which = read[0] if len(read) == 1 else ""
                erase.link("Erase what was imported…" if which else "Erase…", "conversation", which)
    if report.messages and not report.new_messages and not report.segments and not report.errors:
        note("All of these messages were stored before, so nothing was added.")
    elif nobody_heard := _nobody_heard(report, memory):
        note(*nobody_heard)
    if report.errors:
        note(
            f"{count(len(report.errors), 'part')} failed; their messages wait to be tried again:",
            *report.errors,
        )
    draw_skipped(report.skipped)


def _nobody_heard(report: IngestReport, memory: Memory) -> tuple[str, ...]:
    """What is said where the system listened to nobody; nothing where it did, or listens to all."""
    nothing = report.messages and not report.segments and not report.errors and report.state == "finished"
    if not nothing:
        return ()
    recipe = _recipe(report, memory)
    return recipes.ABOUT[recipe].nobody_heard if recipe in recipes.ABOUT else ()


def figures(*pairs: tuple[int | float | str, str]) -> None:
    """A row of numbers, each with what it counts."""
    numbers = [(f"{n:,}" if isinstance(n, int | float) else n, what) for n, what in pairs]
    templates.draw("components.figures", pairs=numbers)


def _left(report: IngestReport, memory: Memory) -> str:
    """What became of the messages that no memory cites."""
    if report.cited >= report.read:
        return "Every message read is cited by a memory."
    told = (
        f"Of {count(report.read, 'message')} read, {report.cited:,} are cited by a memory. "
        "The words of the others are kept as evidence."
    )
    if report.llm.get("calls"):
        return told
    where = "Topics" if sessions.divides_into_topics(_recipe(report, memory)) else "Buffers"
    return (
        f"{told} {where} lists the sentences that were skipped, and why. "
        "A language model, chosen in Settings, remembers more, above all of what is said in haste."
    )


def _recipe(report: IngestReport, memory: Memory) -> str:
    """The system that read."""
    return memory.runs.view(report.run_id, owner=report.owner).run.recipe


def _spent(report: IngestReport) -> str:
    calls = report.llm.get("calls") or 0
    if not calls:
        return "No language model was used."
    tokens = (report.llm.get("prompt_tokens") or 0) + (report.llm.get("completion_tokens") or 0)
    return f"{report.llm.get('model', 'language model')}: {count(calls, 'call')}, {count(tokens, 'token')}."
