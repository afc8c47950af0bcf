""" "Why not …?": a message or memory that should have come is named, and where it ranked and why it lost is
shown, with what was made of the message. What is chosen is in the URL."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import MemoryEntry
from memcore.inspection.why_not import WhyNot
from memcore.memory import Memory
from ui.ask.question import Question
from ui.components import asked_on, evidence, missed
from ui.curation import controls as curation
from ui.shell import links, opened, params
from ui.shell.frame import draw_error, meta
from ui.shell.templates import show
from ui.shell.text import count, shorten

CHOICES = 20
"""Messages, and memories, that are offered to choose from."""
_FEW = 4
LISTED = "why_not"
"""What the list of memories made of a message is called where one is taken up from it."""


def offer(memory: Memory, asked: Question, recipe: str) -> None:
    """Find what should have come by its words, choose it, and see why it did not."""
    st.header("Why not …?", anchor=False)
    meta("Name a message or memory that should have come: see where it ranked and what it lost by.")
    owner = opened.owner(memory)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        given = st.query_params.get("why_words", "")
        words = st.text_input("Its words", placeholder="any of its words", **params.bound("why_words", given))
        options = _options(memory, owner, recipe, words.strip())
        if options:
            params.choose("Which", options, "why", placeholder="choose one")
        elif words.strip():
            meta(f"No message and no memory of {recipe} has all of these words.")
    if wanted := st.query_params.get("why"):
        _explain(memory, asked, owner, recipe, wanted)


def _options(memory: Memory, owner: str, recipe: str, words: str) -> dict[str, str]:
    """Memories and messages with these words, and the one that is chosen, by id."""
    if not words:
        return {}
    remembered = memory.memories.find(owner, limit=CHOICES, contains=words, recipe=recipe, states=None)
    said = memory.evidence.containing(words, owner=owner, limit=CHOICES)
    return {one.id: f"Memory: {shorten(one.text, 100)}" for one in remembered} | {
        one.id: f"Message: {shorten(one.speaker, 30)}: {shorten(one.text, 90)}" for one in said
    }


def _explain(memory: Memory, asked: Question, owner: str, recipe: str, wanted: str) -> None:
    try:
        of = asked_on.where(owner, recipe, asked.as_of, asked.asked_on)
        found = memory.why_not(asked.text, wanted, k=asked.k, **of)
    except (NotFoundError, UsageError) as error:
        draw_error(error)
        return
    with st.container(border=True, key="why_not"):
        _draw(memory, owner, found)


def _draw(memory: Memory, owner: str, found: WhyNot) -> None:
    missed.said(found.wanted.messages[:_FEW], stored=True)
    if found.memory is None:
        meta(f"{count(len(found.made), 'memory', 'memories')} made from it:" if found.made else _NOTHING)
    for one in found.made[:_FEW]:
        _remembered(memory, owner, one)
    if (more := len(found.made) - _FEW) > 0:
        meta(f"and {more:,} more")
    if found.loss is None:
        missed.outcome(f"Result {found.wanted.rank}", "of this search.", "ms-ok")
    else:
        rank = found.wanted.rank
        where = f"Place {rank:,}, behind the first {found.k}." if rank else "Not among what was returned."
        missed.outcome(where, " ".join(found.reasons), "ms-fail")
        missed.lost_by(found.loss)
    missed.views(found.views)
    if said := found.wanted.messages:
        links.link("Topics", "The message in its session", session=said[0].session_id)
        first = f"{said[0].speaker}: {said[0].text}"
        curation.adding(memory, owner, found.recipe, said, text=first)


_NOTHING = "No memory was made from it. Its session shows how it was read; here one can be added by hand."


def _remembered(memory: Memory, owner: str, one: MemoryEntry) -> None:
    show(evidence.memory_line(one))
    with st.container(horizontal=True, vertical_alignment="center"):
        links.link("Memories", "Details", memory=one.id)
        if one.state != "deleted":
            curation.correct_button(one.id, LISTED)
    curation.of_listed(memory, owner, one.id, LISTED)
