"""What part of which graph to show: all of it lives in the URL, so a link shows the same picture."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

import streamlit as st

from memcore.inspection.graph import EntityGraph
from memcore.memory import Memory
from ui.components.recipes import TITLES
from ui.graph.cards import CORRECT, names_of, words
from ui.shell import chosen, links, live, opened, params, tab
from ui.shell.frame import note
from ui.shell.text import shorten

WITHIN = "within"
"""The query parameter that names the log whose part of the graph is shown. Not the log that goes along: a
graph joins what all logs say."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person asks to see. `contains` are words looked for; `as_of` is None for now; `seen` is what
    the chosen log says of the graph, or all of it."""

    centre: str | None
    depth: int
    relation: str | None
    contains: str
    as_of: datetime | None
    ended: bool
    sessions: bool
    chunks: bool
    seen: EntityGraph


def graph(memory: Memory) -> EntityGraph | None:
    """The graph of the chosen system, offered where several have one; None where none has."""
    owner = opened.owner(memory)
    found = memory.graph.systems(owner)
    if not found:
        return None
    default = memory.default_recipe(owner)
    first = sorted(found, key=lambda recipe: recipe != default)
    named = st.query_params.get("entity", "")
    wanted = chosen.get(chosen.SYSTEM)
    if named and len(found) > 1 and not (wanted in found and _has(memory, owner, wanted, named)):
        holding = [recipe for recipe in first if _has(memory, owner, recipe, named)]
        if holding and wanted in found:
            links.address(**{chosen.SYSTEM: holding[0]})
            note(f"The entity is in the graph of {TITLES.get(holding[0], holding[0])}, which is shown.")
        first.sort(key=lambda recipe: recipe not in holding)
    if wrong := params.unknown("recipe", dict.fromkeys(found, "")):
        note(f"The system {wrong} has no graph here.", "The first that has one is shown.")
    titles = {recipe: TITLES.get(recipe, recipe) for recipe in first}
    picked = first[0]
    if len(first) > 1:
        about_it = ("entity", "relation", "find", "as_of", CORRECT)
        picked = params.choose("System", titles, "recipe", must=True, clears=about_it, width=340) or picked
    return memory.graph.whole(owner, recipe=picked)


def _has(memory: Memory, owner: str, recipe: str, entity_id: str) -> bool:
    return entity_id in memory.graph.whole(owner, recipe=recipe).survivors


def choose(memory: Memory, whole: EntityGraph) -> Choice:
    """Every control of the page, filled from the URL."""
    _follow_merges(whole)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seen = _of_log(memory, whole)
        contains = _words()
        names = names_of(seen)
        centre = params.choose(
            "Entity",
            names,
            "entity",
            must=not contains,
            clears=("find", CORRECT),
            placeholder="all that match",
            help="The most connected come first; type to search.",
        )
        depth = params.number("depth", 1, 1, 4)
        st.number_input("Steps away", 1, 4, width=120, **params.bound("depth", depth, usual=1))
        counted = {name: f"{words(name)} ({number:,})" for name, number in seen.relations().items()}
        relation = params.choose("Relation", counted, "relation", placeholder="any")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        as_of = _moment(whole)
        ended = st.toggle(
            "Show ended",
            disabled=as_of is not None,
            help="Dashed. On a chosen date, what held on that date is shown.",
            **params.bound("ended", params.flag("ended", True), usual=True),
        )
        sessions = st.toggle(
            "Sessions",
            help="With the summaries of the system.",
            **params.bound("sessions", params.flag("sessions", False), usual=False),
        )
        chunks = st.toggle(
            "Chunks",
            help="The pieces of conversation read together.",
            **params.bound("chunks", params.flag("chunks", False), usual=False),
        )
    return Choice(centre, depth, relation, contains, as_of, ended, sessions, chunks, seen)


def _of_log(memory: Memory, whole: EntityGraph) -> EntityGraph:
    """What the chosen log says of the graph; the whole where none is chosen, or there is one only."""
    logs = {c.id: shorten(c.title or c.source_file, 70) for c in memory.evidence.conversations(whole.owner)}
    if wrong := params.unknown(WITHIN, logs):
        note(f"There is no log with the id {wrong}.", "All are shown.")
    if len(logs) < 2:
        return whole
    log = params.choose("Log", logs, WITHIN, clears=("entity", "relation", CORRECT), placeholder="all")
    return memory.graph.whole(whole.owner, recipe=whole.recipe, conversation_id=log) if log else whole


def _follow_merges(whole: EntityGraph) -> None:
    """A link to an entity that has been merged since leads to the one it is now."""
    named = st.query_params.get("entity")
    if named and named not in whole.survivors:
        note(f"There is no entity with the id {named}.", "The most connected one is shown.")
    elif named and whole.survivors[named] != named:
        links.address(entity=whole.survivors[named])


def _words() -> str:
    live.fill("graph_words", st.query_params.get("find", ""))

    def remember() -> None:
        links.address(find=st.session_state["graph_words"].strip() or None, entity=None)

    found = st.text_input(
        "Search",
        key="graph_words",
        on_change=tab.unless_forgotten("graph_words", remember),
        placeholder="a name or a relation",
        help="Shows every entity and relation that contains these words.",
    )
    return (found or "").strip()


def _moment(whole: EntityGraph) -> datetime | None:
    """The end of the chosen day; None for now."""
    days = (whole.said[0].date(), whole.said[1].date()) if whole.said else None
    chosen = _day(st.query_params.get("as_of"), days)
    st.session_state["graph_dated"] = chosen is not None

    def dated() -> None:
        last = days[1].isoformat() if days else None
        links.address(as_of=last if st.session_state["graph_dated"] else None)

    def moved() -> None:
        links.address(as_of=st.session_state["graph_day"].isoformat())

    why = "" if days else "No message of this log states a time."
    if days and days[0] == days[1]:
        why = "The whole log is of one day."
    st.toggle(
        "As it stood on a date",
        key="graph_dated",
        on_change=tab.unless_forgotten("graph_dated", dated),
        disabled=bool(why) and chosen is None,
        help=why or "Off: as it stands now.",
    )
    if chosen is None or days is None:
        return None
    if days[0] < days[1]:
        st.session_state["graph_day"] = chosen
        chosen = st.slider(
            "Date",
            *days,
            key="graph_day",
            on_change=tab.unless_forgotten("graph_day", moved),
            format="D MMM YYYY",
            label_visibility="collapsed",
        )
    return datetime.combine(chosen, time()) + timedelta(days=1, microseconds=-1)


def _day(written: str | None, days: tuple[date, date] | None) -> date | None:
    """The day the URL names, brought into the time of the log; what is no date is none."""
    if not written or days is None:
        return None
    try:
        return min(max(date.fromisoformat(written), days[0]), days[1])
    except ValueError:
        note(f"{written} is no date.", "The graph is shown as it stands now; write a date as 2024-05-31.")
        return None
