"""The systems a person can choose, and what each is in a sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import streamlit as st

from memcore.systems.registry import OfSystems, title
from ui.shell import chosen
from ui.shell.templates import draw

ABOUT = OfSystems(lambda system: system.about)
TITLES = OfSystems(lambda system: system.title)

NOBODY_HEARD = (
    "{title} has read none of these messages, so nothing was made from them.",
    "It reads nothing that anybody says here.",
)


def nobody_heard(recipe: str) -> tuple[str, ...]:
    """What is said where a system read none of the messages because of who said them."""
    own = ABOUT[recipe].nobody_heard if recipe in ABOUT else ()
    return own or tuple(line.format(title=title(recipe)) for line in NOBODY_HEARD)


def named(name: str) -> str:
    """A system by its title, and its place in a comparison if that is to bound it."""
    bound = ABOUT[name].bound if name in ABOUT else ""
    return f"{TITLES.get(name, name)} (the {bound})" if bound else TITLES.get(name, name)


def not_shown(there: Collection[str], shown: str, why: str) -> None:
    """Where the system that a person has chosen is not among those `there` are: why, and which is shown."""
    wanted = chosen.get(chosen.SYSTEM)
    if wanted and wanted not in there:
        draw(
            "shell.meta",
            text=f"{title(wanted)} {why}: {title(shown)} is shown. Other pages keep your choice.",
        )


def choose(names: Sequence[str], key: str, *, model: bool, **widget: Any) -> str:
    """A select box over recipes, with what the chosen one does and, without a language `model`, what
    stands in for one."""
    words = {name: f"{name} · {named(name)}" for name in names}
    picked = str(st.selectbox("System", names, key=key, format_func=words.__getitem__, **widget))
    about = ABOUT[picked]
    instead = "" if model else about.without_model
    draw("components.about", does=about.does, instead=instead)
    return picked
