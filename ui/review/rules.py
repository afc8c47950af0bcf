"""The automatic rules: what each would decide, and the switch that lets it."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from ui.review import decision
from ui.shell import access, opened, tab, templates
from ui.shell.frame import meta
from ui.shell.text import count, label


def draw(memory: Memory) -> None:
    """Every rule with its switch. Off until a person switches it on; each decision names its rule."""
    owner = opened.owner(memory)
    meta(
        "A rule that is on approves what fits it after every import and consolidation. None can delete a "
        "memory or end it. Each decision names its rule in the history, and can be undone; what you take "
        "back, no rule decides again."
    )
    states = memory.review.rules(owner)
    for state in states:
        with st.container(border=True):
            key = f"rule_{state.rule.name}"
            st.session_state[key] = state.on
            st.toggle(
                label(state.rule.name.capitalize()),
                key=key,
                on_change=tab.unless_forgotten(key, decision.switch_rule),
                args=(memory, owner, state.rule.name, key),
                **access.greyed("administer"),
            )
            fitting = count(len(state.fitting), "waiting proposal fits", "waiting proposals fit")
            templates.draw("review.rule", says=state.rule.says, fitting=fitting)
    ready = sum(len(state.fitting) for state in states if state.on)
    if ready:
        st.button(
            f"Let them decide {count(ready, 'proposal')} now",
            key="apply_rules",
            type="primary",
            on_click=decision.apply_rules,
            args=(memory, owner),
            **access.greyed("review"),
        )
