"""The systems a person can choose, and what each is in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from memcore.systems.registry import RECIPES
from ui.shell.text import safe


@dataclass(frozen=True, slots=True)
class About:
    """A system in words: its name, what it does, and what stands in for a language model where none is
    chosen. `bound` marks the two that only bound a comparison."""

    title: str
    does: str
    without_model: str
    bound: Literal["", "ceiling", "floor"] = ""


ABOUT = {
    "memscope": About(
        "Memscope’s own",
        "The best of each in one pass: compression, topics, facts, triples and summaries together.",
        "The language pipeline reads the facts, rules propose the updates.",
    ),
    "lightmem": About(
        "LightMem",
        "Sensory, short-term and long-term memory as in the paper: a stream of compressed messages cut into "
        "topics, facts extracted when the buffer is full. No graph, no summaries.",
        "The language pipeline reads the facts of each buffer, rules propose the updates.",
    ),
    "simplemem": About(
        "SimpleMem",
        "Windows of 40 messages become self-contained memory units: what is known is passed over, related "
        "units of a session merge into one. Search plans how deep to look, in three views, and reflects on "
        "what it found. No graph, no summaries.",
        "The language pipeline reads the units, rules gate, merge and plan.",
    ),
    "mem0": About(
        "Mem0",
        "Facts of each new message pair, read with a running summary and the last ten messages, and compared "
        "with the ten most similar memories: added, passed over, or proposed to update or end what is there.",
        "The language pipeline reads the facts of each pair, rules decide about them, and the pipeline’s own "
        "drafts make the summary.",
    ),
    "mem0_graph": About(
        "Mem0-graph",
        "For each message pair its entities, then the relations between them: a graph whose nodes are "
        "matched by similarity. What a new relation contradicts is proposed to end, and stays visible.",
        "The language pipeline reads the relations, rules say which of them a new one contradicts.",
    ),
    "licomemory": About(
        "LiCoMemory",
        "CogniGraph as in the paper: after each turn one call updates the session’s summary and the graph of "
        "entities and relations. Search goes from sessions to triples to the turns they came from, weighted "
        "by time.",
        "The language pipeline reads the relations of each turn, and its sentences continue the summary by "
        "rule.",
    ),
    "fulltext": About(
        "Full text",
        "Every message as it was said. Nothing is looked for: a question gets the whole log or, where that "
        "does not fit, the newest of it.",
        "No model takes part, none is missed.",
        bound="ceiling",
    ),
    "naive_rag": About(
        "Naive RAG",
        "Chunks of the log of up to 256 tokens, found by embedding. No extraction, no updates.",
        "No language model takes part, none is missed.",
        bound="floor",
    ),
}
TITLES = {name: ABOUT[name].title for name in RECIPES}

UNREAD = (
    "LightMem has read none of these messages, so nothing was made from them.",
    "It reads what the user says, and nobody here is the user. Settings says whose messages are read from "
    "the next import on; under Import, Memscope’s own can read what is stored.",
)


def named(name: str) -> str:
    """A system by its title, and its place in a comparison if that is to bound it."""
    bound = ABOUT[name].bound if name in ABOUT else ""
    return f"{TITLES.get(name, name)} (the {bound})" if bound else TITLES.get(name, name)


def choose(names: Sequence[str], key: str, *, model: bool) -> str:
    """A select box over recipes, with what the chosen one does and, without a language `model`, what
    stands in for one."""
    picked = str(st.selectbox("System", names, key=key, format_func=lambda name: f"{name} · {named(name)}"))
    about = ABOUT[picked]
    instead = "" if model else f" <b>No language model is chosen.</b> {safe(about.without_model)}"
    st.html(f'<div class="ms-meta ms-does">{safe(about.does)}{instead}</div>')
    return picked
