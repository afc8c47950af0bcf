"""Compare: several systems on one log. What each remembers from which message, at what cost, and what
it would retrieve for a question."""

from __future__ import annotations

import streamlit as st

from memcore.inspection.comparison import Comparison
from memcore.memory import Memory
from ui.compare import alignment, choice, contexts, cost_table, oversight
from ui.components import sessions
from ui.components.recipes import TITLES
from ui.shell import opened, params
from ui.shell.frame import needs_messages, note, page
from ui.shell.templates import stylesheet

PURPOSE = "Several systems on one log: what each remembers from which message, what it costs, what it finds."
VIEWS = ("Message by message", "Table", "A question")


def messages(memory: Memory, found: Comparison, view: str) -> None:
    """What each system remembers of the log, message by message."""
    if not any(system.remembered for system in found.systems):
        note("None of these systems remembers anything from this log yet.", "Let them read it above.")
        return
    kept = {"owner": found.conversation.owner, "log": found.conversation.id}
    systems = ",".join(system.recipe for system in found.systems)
    alignment.missed(found, {**kept, "systems": systems})
    shown = alignment.filtered(found)
    if not shown:
        note("No message matches these filters.", "Clear one of them to see more.")
        return
    if view == "Table":
        alignment.table(found, shown)
    else:
        alignment.side_by_side(memory, found, shown)
    alignment.download(found, shown)


def question(memory: Memory, found: Comparison) -> None:
    """What each system would hand a model for a question."""
    if asked := contexts.form(memory):
        systems = [system.recipe for system in found.systems]
        contexts.draw(contexts.retrieved(memory, asked, systems), asked, found)


with page("Compare", PURPOSE) as memory:
    stylesheet("compare")
    owner = opened.owner(memory)
    choice.follow()
    if choice.is_running() and not memory.evidence.stats(owner)["messages"]:
        st.stop()
    needs_messages(memory, "Systems will stand here side by side, message by message.")
    log = sessions.choose_log(memory, always=True)
    read = memory.runs.progress(log, owner=owner)
    chosen = choice.choose_systems(read)
    if len(chosen) < 2:
        note("Choose at least two systems to compare.", f"There are: {', '.join(TITLES.values())}.")
        st.stop()
    choice.about(chosen, model=memory.settings.llm != "none")
    choice.offer_run(memory, log, chosen, read)
    found = choice.compared(memory, log, chosen, read)
    cost_table.draw(found)
    for system in found.systems:
        if system.cost.runs and not system.remembered and not system.pending:
            note(f"{TITLES[system.recipe]} has read this log and remembers nothing from it.")
    view = params.one_of("view", VIEWS)
    st.segmented_control(
        "View", VIEWS, label_visibility="collapsed", required=True, **params.bound("view", view)
    )
    if view == "A question":
        question(memory, found)
    else:
        messages(memory, found, view)
    oversight.draw(memory)
