"""Graph: who and what the memories connect, around a selection, as a picture and as a table."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from memcore.exporting.graphml import graphml
from memcore.inspection.graph import EntityGraph, GraphView
from memcore.inspection.graph_layers import GraphLayers
from memcore.memory import Memory
from ui.components import erase, network
from ui.components.downloads import downloads
from ui.curation import controls as curation
from ui.curation import focus
from ui.graph import cards
from ui.graph import controls as graph_controls
from ui.graph import merges as graph_merges
from ui.graph import picture as graph_picture
from ui.graph import table as graph_table
from ui.graph.controls import Choice
from ui.shell import links
from ui.shell.frame import meta, needs_messages, note, page
from ui.shell.templates import show
from ui.shell.text import count, label, shorten

NAMED = 8
_ARRIVED = "graph_arrived_to_correct"


def part(memory: Memory, whole: EntityGraph, choice: Choice) -> GraphView:
    """The part of the graph that was chosen."""
    return memory.graph.part(
        whole.owner,
        whole=choice.seen,
        centre=choice.centre,
        depth=choice.depth,
        relation=choice.relation,
        contains=choice.contains,
        as_of=choice.as_of,
        include_invalidated=choice.ended,
        max_entities=graph_picture.MOST_ENTITIES,
        max_triples=graph_picture.MOST_TRIPLES,
    )


def named(view: GraphView) -> None:
    """The entities that have the words looked for, each a way to its neighbourhood."""
    if not view.matching:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        meta(f"Matching names: {len(view.matching):,}.", width="content")
        for entity in view.matching[:NAMED]:
            links.within(label(entity.name, 40), f"around_{entity.id}", entity=entity.id, find=None)
        if len(view.matching) > NAMED:
            further = f"and {len(view.matching) - NAMED:,} further"
            meta(further, width="content")


def picture(view: GraphView, layers: GraphLayers, whole: EntityGraph, choice: Choice) -> None:
    """The part as a network to walk through."""
    theme: Literal["light", "dark"] = "dark" if st.context.theme.type == "dark" else "light"
    st.iframe(
        graph_picture.document(
            view, layers, graph=whole, centre=choice.centre, as_of=choice.as_of, theme=theme
        ),
        height=network.HEIGHT,
        alt=f"Graph of {len(view.entities)} entities and {len(view.triples)} relations, as in the table",
    )
    meta(" · ".join(counted(view, layers, whole, choice)))


def corrected(memory: Memory, whole: EntityGraph, centre: str) -> None:
    """What a person can correct about the entity in the middle and its relations."""
    entity = whole.entities.get(whole.survivors.get(centre, centre))
    if entity is None:
        return
    entities = {i: f"{shorten(one.name, 60)} ({one.type})" for i, one in whole.entities.items()}
    names = cards.names_of(whole)
    triples = {
        link.id: cards.sentence(link, names)
        for link in whole.links
        if entity.id in (link.subject_id, link.object_id)
    }
    st.header(f"Correct {label(entity.name, 40)}", anchor=False)
    wanted = st.query_params.get(cards.CORRECT, "")
    if wanted and st.session_state.get(_ARRIVED) != wanted:
        st.session_state[_ARRIVED] = wanted
        focus.to("bar", "[class*='st-key-curation_bar_'] button")
    curation.of_entity(memory, whole.owner, entity, entities, triples, wanted)
    erase.of_speaker(memory, whole.owner, entity.name)


def counted(view: GraphView, layers: GraphLayers, whole: EntityGraph, choice: Choice) -> list[str]:
    """What is drawn, and what is not."""
    parts = [f"{count(len(view.entities), 'entity', 'entities')}, {count(len(view.triples), 'relation')}"]
    ended = sum(cards.ended(triple, choice.as_of) for triple in view.triples)
    if ended:
        parts.append(f"{ended} ended (dashed)")
    if choice.sessions:
        parts.append(count(len(layers.sessions), "session"))
    if choice.chunks:
        parts.append(count(len(layers.chunks), "chunk"))
    hidden = (
        (view.hidden_entities, "entity", "entities"),
        (view.hidden_triples, "relation", "relations"),
        (layers.hidden_sessions, "session", "sessions"),
        (layers.hidden_chunks, "chunk", "chunks"),
    )
    if any(number for number, _, _ in hidden):
        left_out = ", ".join(count(*each) for each in hidden if each[0])
        parts.append(f"not drawn: {left_out}; choose an entity or a relation to see them")
    parts.append(
        f"whole graph: {count(len(whole.entities), 'entity', 'entities')}, "
        f"{count(len(whole.links), 'relation')}"
    )
    return parts


def files(memory: Memory, view: GraphView, whole: EntityGraph) -> None:
    """The part, and the whole, as files."""
    downloads("graph", lambda: graph_table.records(view), about="The relations shown, with their words")
    with st.container(horizontal=True):
        st.download_button(
            "GraphML of what is shown",
            lambda: graphml(view.entities, view.triples),
            "graph.graphml",
            "application/xml",
            on_click="ignore",
            key="graphml",
        )
        st.download_button(
            "GraphML of the whole graph",
            lambda: memory.graph.graphml(whole.owner, recipe=whole.recipe),
            "whole_graph.graphml",
            "application/xml",
            on_click="ignore",
            key="whole_graphml",
        )


with page("Graph", "Who and what your memories connect, and which connections have ended.") as memory:
    needs_messages(memory, "The people, places and things of your conversations will be drawn here.")
    whole = graph_controls.graph(memory)
    if whole is None:
        note("No entities were found in the stored messages yet.", "Finish the import, or import more.")
        links.link("Import")
    else:
        graph_table.style()
        choice = graph_controls.choose(memory, whole)
        view = part(memory, whole, choice)
        named(view)
        if view.triples:
            layers = memory.graph.layers(
                view,
                owner=whole.owner,
                recipe=whole.recipe,
                sessions=choice.sessions,
                chunks=choice.chunks,
            )
            picture(view, layers, whole, choice)
        if choice.centre:
            corrected(memory, whole, choice.centre)
        if view.triples:
            st.header("The same as a table", anchor=False)
            show(graph_table.table(view, {"owner": whole.owner, "recipe": whole.recipe}))
            files(memory, view, whole)
        else:
            note("No relation matches.", "Choose another entity, date or words, more steps, or any relation.")
        graph_merges.draw(memory, whole)
