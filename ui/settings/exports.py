"""What is stored as files to download, in every format, and a kept store read back into an empty one.

The formats are the library's (`memcore.exporting.FORMATS`); a file is made when its button is pressed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from memcore.exporting import FORMATS, Format
from memcore.memory import Memory
from ui.components.recipes import ABOUT, not_shown
from ui.shell import access, chosen, opened, params
from ui.shell.frame import meta, note
from ui.shell.text import count, label


def draw(memory: Memory) -> None:
    """The section of the Settings page."""
    st.header("Export", anchor=False)
    owner = opened.owner(memory)
    recipes = made_by(memory, owner)
    if not recipes:
        note("Nothing is remembered yet.")
        if not (memory.evidence.owners() or memory.runs.all(limit=1)):
            restore(memory)
        return
    default = memory.default_recipe(owner)
    recipes.sort(key=lambda name: name != default)
    recipe = params.choose(
        "What this system remembers",
        {name: ABOUT[name].title if name in ABOUT else name for name in recipes},
        chosen.SYSTEM,
        must=True,
        help="The whole store (jsonl) always has everyone's and every system's.",
    )
    assert recipe is not None, "one must be chosen"
    not_shown(recipes, recipe, "has nothing to export")
    for one in FORMATS.values():
        button, about = st.columns([1, 3], vertical_alignment="center")
        with button:
            st.download_button(
                label(one.title),
                _written(memory, one, owner, recipe),
                file_name(one, owner, recipe),
                one.mime,
                on_click="ignore",
                key=f"export_{one.name}",
                width="stretch",
                **access.greyed("administer" if one.whole else "read", whole=one.whole),
            )
        meta(one.about, into=about)


def made_by(memory: Memory, owner: str) -> list[str]:
    """The recipes that have something of this owner's to export."""
    graphs = memory.graph.systems(owner)
    return [
        recipe
        for recipe in sorted({*memory.runs.systems(owner), *graphs})
        if recipe in graphs or memory.memories.find(owner, states=None, recipe=recipe, limit=1)
    ]


def file_name(format: Format, owner: str, recipe: str) -> str:
    """
    >>> file_name(FORMATS["csv"], "../Ann B", "mem0"), file_name(FORMATS["jsonl"], "Ann", "mem0")
    ('memscope_Ann_B_mem0.csv', 'memscope_store.jsonl')
    """
    whose = "store" if format.whole else f"{owner}_{recipe}"
    return re.sub(r"(?:_|[^\w-])+", "_", f"memscope_{whose}") + format.suffix


def _written(memory: Memory, format: Format, owner: str, recipe: str) -> Callable[[], bytes]:
    if format.whole:
        return lambda: memory.exports.content(format.name)
    return lambda: memory.exports.content(format.name, owner=owner, recipe=recipe)


def restore(memory: Memory) -> None:
    """Offer to read a jsonl export into this store, which is empty."""
    kept = st.file_uploader(
        "Restore a store that was kept as jsonl",
        type=["jsonl"],
        key="restore_file",
        help="For a large file: python -m memcore import FILE --store DIR",
    )
    grey = access.greyed("administer", whole=True)
    if kept is not None and st.button("Restore", key="restore", type="primary", **grey):
        with st.spinner("Reading…"):
            rows = memory.exports.read_content(kept.getvalue(), kept.name)
        st.toast(f"Restored {count(rows, 'row')}.")
        st.rerun()
