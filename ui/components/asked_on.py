"""When a question is asked, on every page that asks one: its field, and what holds while it is empty."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import streamlit as st

from memcore.memory import Memory
from memcore.retrieval.results import TimeOfAsking
from memcore.retrieval.time_of_asking import in_words
from ui.shell import opened, params
from ui.shell.frame import meta


def field(key: str) -> None:
    """The field, whose value is under `key`."""
    st.date_input(
        "Asked on",
        value=None,
        min_value=params.FIRST_DAY,
        max_value=params.LAST_DAY,
        key=key,
        help="“Yesterday” and “10 days ago” in the question count from this day. It leaves nothing out; that "
        "is what “As of” does.",
    )


def left_empty(memory: Memory, as_of: date | None) -> None:
    """Say from when times in a question count that has no day of its own."""
    usual = memory.usual_time_of_asking(opened.owner(memory))
    if as_of is not None:
        usual = TimeOfAsking(datetime.combine(as_of, time()), "as of")
    meta(f"“Asked on” left empty means: {in_words(usual)}.")


def counted(asked: TimeOfAsking) -> None:
    """Say from when times in the question counted."""
    meta(f"Asked: {in_words(asked)}.")


def stored(memory: Memory, owner: str) -> tuple[tuple[str, int], ...]:
    """How much there is of everything a search can find. Runs are left out: asking a model is one, so that
    an answer would be out of date as soon as it is there."""
    return tuple((what, number) for what, number in memory.evidence.stats(owner).items() if what != "runs")


def today(memory: Memory) -> date | None:
    """The day on which a question without one counts as asked; an answer is none on another day."""
    usual = memory.usual_time_of_asking(opened.owner(memory)).at
    return usual.date() if usual else None


def where(owner: str, recipe: str | None, as_of: date | None, asked: date | None) -> dict[str, Any]:
    """Whose memory is asked, as of when and asked when, as `Memory` takes it. What was said on the day asked
    on has been said."""
    return {
        "owner": owner,
        "recipe": recipe,
        "as_of": datetime.combine(as_of, time()) if as_of else None,
        "asked_at": datetime.combine(asked, time.max) if asked else None,
    }
