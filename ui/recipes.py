"""The systems a person can choose, and what each is in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.recipes import RECIPES
from ui.text import safe

ABOUT = {
    "memscope": (
        "Memscope’s own",
        "The best of each in one pass: compression, topics, facts, triples and summaries together.",
    ),
    "lightmem": (
        "LightMem",
        "Sensory, short-term and long-term memory as in the paper: a stream of compressed messages cut into "
        "topics, facts extracted when the buffer is full. No graph, no summaries.",
    ),
}
TITLES = {name: ABOUT[name][0] for name in RECIPES}

UNREAD = (
    "LightMem has read none of these messages, so nothing was made from them.",
    "It reads what the user says, and nobody here is the user. Settings says whose messages are read from "
    "the next import on; under Import, Memscope’s own can read what is stored.",
)


def choose(names: Sequence[str], key: str) -> str:
    """A select box over recipes, with what the chosen one does."""
    picked = st.selectbox("System", names, key=key, format_func=lambda name: f"{name} · {TITLES[name]}")
    st.html(f'<div class="ms-meta ms-does">{safe(ABOUT[picked][1])}</div>')
    return str(picked)
