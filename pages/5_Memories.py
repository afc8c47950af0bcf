"""Memories: each fact beside the words it came from, and everything that happened to it."""

from __future__ import annotations

import streamlit as st

from memcore.domain.models import DOUBTFUL
from memcore.domain.protocols import MemoryFilter
from memcore.inspection.grounding import LABELS, verdict_of
from memcore.inspection.objects import MemoryView
from memcore.memory import Memory
from memcore.systems.registry import title as system_title
from ui.components import erase, evidence, sessions, timeline
from ui.components.downloads import downloads
from ui.components.recipes import TITLES, not_shown
from ui.curation import controls as curation
from ui.review import corrections
from ui.shell import links, opened, params
from ui.shell.frame import meta, needs_messages, note, page
from ui.shell.marked import block
from ui.shell.templates import draw, render, show
from ui.shell.text import count, day, label

PAGE_SIZE = 20
STATES = {
    "active": ("active",),
    "no longer active": ("superseded", "invalidated", "deleted"),
    "all": None,
}
AGAIN = ("page",)  # what a new filter drops from the address: it begins with the first page
ORDERS = {one: one for one in ("by time", "unsupported first")}
KINDS = ("fact", "event", "plan", "preference", "opinion", "state", "statement")


def system(memory: Memory, owner: str) -> str | None:
    """Whose memories are shown: of several systems one, so that nothing stands there several times."""
    first = memory.default_recipe(owner)
    recipes = sorted(memory.runs.systems(owner), key=lambda name: (name != first, name))
    picked = None
    if len(recipes) > 1:
        titles = {name: TITLES.get(name, name) for name in recipes}
        picked = params.choose("Memory of", titles, "recipe", must=True)
    not_shown(recipes, picked or first, "has read nothing here")
    return picked


def browse(memory: Memory) -> None:
    """The memories that meet the filters, a page at a time."""
    owner = opened.owner(memory)
    recipe = system(memory, owner)
    people = memory.memories.persons(owner, recipe=recipe)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        given = st.query_params.get("text", "")
        contains = st.text_input("Text", placeholder="any words", **params.bound("text", given, clears=AGAIN))
        person = params.choose("Person", {p: p for p in people}, "person", placeholder="anyone", clears=AGAIN)
        kind = params.choose("Kind", {k: k for k in KINDS}, "kind", placeholder="any", clears=AGAIN)
        state = params.choose("State", {s: s for s in STATES}, "state", must=True, clears=AGAIN)
        support = params.choose("Support", LABELS, "support", placeholder="any", clears=AGAIN)
        session = params.choose("Session", sessions.names(memory), "session", placeholder="any", clears=AGAIN)
    wanted: MemoryFilter = {
        "states": STATES[state or "active"],
        "recipe": recipe,
        "person": person,
        "kind": kind,
        "session_id": session,
        "contains": contains.strip() or None,
        "verdicts": (support,) if support else None,
    }
    if support in DOUBTFUL:
        corrections.button(memory, "Memories")
    corrections.outcome("Memories")
    if person:
        erase.of_speaker(memory, owner, person)
    found = memory.memories.count(owner, **wanted)
    if not found:
        note("No memory matches these filters.", "Clear one of them to see more.")
        return
    pages = -(-found // PAGE_SIZE)
    number = params.number("page", 1, 1, pages)
    chosen = st.container()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        meta(count(found, "memory", "memories"))
        order = params.choose("Order", ORDERS, "order", must=True, clears=AGAIN)
        if pages > 1:
            st.pagination(pages, **params.bound("page", number, usual=1))
    selected = []
    first = order == "unsupported first"
    rows = memory.memories.find(
        owner, **wanted, unsupported_first=first, limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE
    )
    judged = memory.memories.groundings([one.id for one in rows], owner=owner)
    for one in rows:
        with st.container(border=True):
            quotes = memory.evidence.quotes(one.sources)
            fact, more = st.columns([12, 1])
            line = evidence.memory_line(one, verdict_of(judged.get(one.id)))
            show(evidence.pair(line, evidence.quote_block(quotes)), into=fact)
            with more:
                links.within("Details", f"open_{one.id}", memory=one.id)
                named = f"Select “{label(one.text, 60)}”"
                if one.state == "active" and st.checkbox(
                    named, key=f"select_{one.id}", label_visibility="collapsed"
                ):
                    selected.append(one)
    with chosen:
        curation.of_several(memory, owner, selected)
        if session:
            said = memory.evidence.session(session, owner=owner).messages
            curation.adding(memory, owner, recipe or memory.default_recipe(owner), said)
        else:
            meta("To add a memory by hand, choose the session whose words it rests on.")
    downloads(
        "memories",
        lambda: _records(memory, owner, wanted),
        about="All memories that pass the filters, with the words they came from",
    )


def _records(memory: Memory, owner: str, wanted: MemoryFilter) -> list[dict[str, object]]:
    every = memory.memories.find(owner, **wanted)
    judged = memory.memories.groundings([one.id for one in every], owner=owner)
    return [evidence.record(one, memory.evidence.quotes(one.sources), judged.get(one.id)) for one in every]


def relations(view: MemoryView) -> None:
    """What it states and until when; struck through, what it stated and no search finds any more."""
    if not view.triples and not view.removed:
        meta("No relation was found in it.")
        return
    names = {i: e.name for i, e in view.entities.items()}
    told = [(t, day(t.invalidated_at) if t.invalidated_at else "") for t in view.triples]
    told += [(t, "no longer found") for t in view.removed]
    rows = [
        (not t.mentions, (names.get(t.subject_id, "?"), t.relation, names.get(t.object_id, "?"), ended))
        for t, ended in told
    ]
    draw("components.relations", rows=rows)
    ends = dict.fromkeys(i for t in view.triples for i in (t.subject_id, t.object_id))
    for entity in [view.entities[i] for i in ends if i in view.entities][:4]:
        text = f"{label(entity.name, 40)} in the graph"
        links.link("Graph", text, entity=entity.id, recipe=entity.recipe)


def detail(memory: Memory, memory_id: str) -> None:
    """One memory: its words, its evidence, its triples, its history."""
    links.within("All memories", "all_memories", memory=None)
    owner = opened.owner(memory)
    view = memory.memories.view(memory_id, owner=owner)
    one = view.memory
    with st.container(border=True):
        whole = render(
            "components.memory_whole",
            text=block(one.text),
            meta=evidence.meta(one, verdict_of(view.grounding)),
        )
        show(evidence.pair(whole, evidence.quote_block(view.quotes, 1_500)))
        if view.better is not None:
            draw("components.better", said=evidence.said(view.better, 700))
    curation.of_memory(memory, owner, one)
    if one.superseded_by:
        successor = memory.memories.view(one.superseded_by, owner=owner).memory
        draw("components.other_version", role="Replaced by", memory=evidence.memory_line(successor))
        links.within("Open the newer memory", "open_newer", memory=successor.id)
    for older in view.replaces:
        draw("components.other_version", role="Replaces", memory=evidence.memory_line(older))
        links.within("Open the older memory", f"open_{older.id}", memory=older.id)
    facts, history = st.columns([2, 3], gap="large")
    with facts:
        st.header("What it says", anchor=False)
        relations(view)
        about = {
            "topic": one.topic,
            "keywords": ", ".join(one.keywords),
            "entities": ", ".join(one.entities),
            "compressed source": one.compressed_source,
            "holds from": day(one.valid_from),
            "holds to": day(one.valid_to) if one.valid_to else "",
            "system": system_title(one.recipe),
            "embedding": one.embedding_model,
        }
        draw("shell.pairs", rows=[(name, block(value, 300)) for name, value in about.items() if value])
        with st.container(horizontal=True):
            if one.run_id:  # a person made it otherwise
                links.link("Runs and cost", "The run that made it", run=one.run_id)
            if view.segment:
                links.link(
                    "Topics",
                    "Its topic segment",
                    session=view.segment.session_id,
                    segment=view.segment.id,
                    recipe=one.recipe,
                )
    with history:
        st.header("History", anchor=False)
        timeline.draw(memory, view.events)


with page("Memories", "Every fact beside the exact words it came from.") as memory:
    needs_messages(memory, "Each remembered fact will stand here, beside the message it was taken from.")
    if wanted := st.query_params.get("memory"):
        detail(memory, wanted)
    else:
        browse(memory)
