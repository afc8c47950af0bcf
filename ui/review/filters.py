"""Which of the waiting proposals a person goes through: filters that live in the URL and hold in every
view of the Review page, so that a link shows the same list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from memcore.domain.models import Proposal
from ui.components.recipes import TITLES
from ui.review.proposal import OPERATIONS
from ui.shell import links, params
from ui.shell.frame import meta

RISKS = {"low": "low", "medium": "medium", "high": "high"}
NAMES = ("operation", "risk", "recipe", "words")


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for; empty: anything."""

    operation: str = ""
    risk: str = ""
    recipe: str = ""
    words: str = ""

    def keep(self, waiting: Sequence[Proposal]) -> list[Proposal]:
        """The proposals that fit, in their order."""
        words = self.words.casefold()
        return [
            p
            for p in waiting
            if self.operation in ("", p.operation)
            and self.risk in ("", p.risk)
            and self.recipe in ("", p.recipe)
            and (not words or words in f"{p.before} {p.after or ''} {p.reason}".casefold())
        ]

    def in_words(self) -> str:
        """
        >>> Filters("merge", risk="low", words="tea").in_words()
        'merge memories that say the same, low risk, “tea”'
        """
        parts = [OPERATIONS.get(self.operation, self.operation).lower()]
        parts += [f"{self.risk} risk" if self.risk else "", TITLES.get(self.recipe, self.recipe)]
        parts += [f"“{self.words}”" if self.words else ""]
        return ", ".join(part for part in parts if part)


def in_address() -> Filters:
    """The filters that the URL names."""
    return Filters(**{name: st.query_params.get(name, "") for name in NAMES})


def draw(waiting: Sequence[Proposal]) -> Filters:
    """The filters as widgets; returns what they say."""
    operations = {name: OPERATIONS[name] for name in OPERATIONS if any(p.operation == name for p in waiting)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        operation = params.choose("Operation", operations, "operation", placeholder="any")
        risk = params.choose("Risk", RISKS, "risk", placeholder="any")
        recipe = of_system([p.recipe for p in waiting])
        words = st.text_input(
            "Text", placeholder="any words", **params.bound("words", st.query_params.get("words", ""))
        )
    return Filters(operation or "", risk or "", recipe, words)


def of_system(recipes: Iterable[str]) -> str:
    """The system whose memories are looked at, chosen while there are several; empty: every one."""
    wanted = st.query_params.get("recipe")
    systems = {recipe: TITLES.get(recipe, recipe) for recipe in [*recipes, wanted] if recipe}
    if len(systems) < 2 and not wanted:
        return ""
    return params.choose("Memory of", systems, "recipe", placeholder="every system") or ""


def summary(filters: Filters, kept: int, waiting: int) -> None:
    """While not everything is shown: what is, and the way back to everything."""
    if kept == waiting:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        text = f"{kept:,} of {waiting:,} that wait: {filters.in_words()}"
        meta(text, width="content")
        links.within("Show all", "clear_filters", **dict.fromkeys(NAMES))
