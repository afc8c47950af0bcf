"""Graph: who and what the memories connect, around one chosen entity, as a picture and as a table."""

from __future__ import annotations

from datetime import datetime, time

import pandas as pd
import streamlit as st

from memcore.graph_view import GraphView
from memcore.memory import Memory
from memcore.models import Entity
from memcore.review.diff import show_hidden
from ui import links, network, opened, params
from ui.frame import needs_messages, note, page
from ui.network import words
from ui.text import count, day, safe

MAX_ENTITIES, MAX_TRIPLES = 60, 150


def choose(memory: Memory, entities: dict[str, Entity]) -> tuple[GraphView, str | None]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {i: entity.name for i, entity in entities.items()}
        centre = params.choose(
            "Entity", names, "entity", must=True, help="The most connected come first; type to search."
        )
        depth = st.number_input("Steps away", 1, 4, 1, key="depth", bind="query-params")
        relations = sorted(
            {t.relation for t in memory.graph(opened.owner(memory), centre=centre, depth=depth).triples}
        )
        relation = st.selectbox(
            "Relation", relations, index=None, key="relation", placeholder="any", format_func=words
        )
        as_of = st.date_input("As of", value=None, key="as_of", help="Only what held on that day.")
        ended = st.toggle("Show ended", value=True, key="ended", bind="query-params")
    view = memory.graph(
        opened.owner(memory),
        centre=centre,
        depth=depth,
        relation=relation,
        as_of=datetime.combine(as_of, time()) if as_of else None,
        include_invalidated=ended,
        max_entities=MAX_ENTITIES,
        max_triples=MAX_TRIPLES,
    )
    return view, centre


def by_connections(memory: Memory) -> dict[str, Entity]:
    """All entities that stand for themselves, the most connected first."""
    owner = opened.owner(memory)
    everything = [e for e in memory.entities(owner) if not e.merged_into]
    connected = memory.graph(owner, max_entities=len(everything) or 1, max_triples=1).entities
    return {e.id: e for e in (*connected, *everything)}


def picture(view: GraphView, centre: str | None) -> None:
    theme = "dark" if st.context.theme.type == "dark" else "light"
    st.iframe(
        network.document(view, centre=centre, theme=theme),
        height=network.HEIGHT,
        alt=f"Graph of {len(view.entities)} entities and {len(view.triples)} relations, as in the table",
    )
    ended = sum(t.invalidated_at is not None for t in view.triples)
    shown = f"{count(len(view.entities), 'entity', 'entities')}, {count(len(view.triples), 'relation')}"
    parts = [shown]
    if ended:
        parts.append(f"{ended} ended (dashed)")
    if len(view.triples) > network.LABELLED:
        parts.append("relations are named in the table")
    if view.hidden_entities or view.hidden_triples:
        parts.append(
            f"not drawn: {count(view.hidden_entities, 'entity', 'entities')}, "
            f"{count(view.hidden_triples, 'relation')}; choose an entity or a relation to see them"
        )
    st.html(f'<div class="ms-meta">{safe(" · ".join(parts))}</div>')


def table(view: GraphView) -> None:
    names = {e.id: show_hidden(e.name) for e in view.entities}
    st.subheader("The same as a table", anchor=False)
    st.dataframe(
        pd.DataFrame(
            {
                "subject": [names[t.subject_id] for t in view.triples],
                "relation": [words(t.relation) for t in view.triples],
                "object": [names[t.object_id] for t in view.triples],
                "holds from": [day(t.valid_from) for t in view.triples],
                "ended": [day(t.invalidated_at) if t.invalidated_at else "" for t in view.triples],
                "mentions": [t.mentions for t in view.triples],
                "memory": [
                    f"/Memories?memory={t.memory_ids[0]}" if t.memory_ids else None for t in view.triples
                ],
            }
        ),
        hide_index=True,
        width="stretch",
        column_config={"memory": st.column_config.LinkColumn("memory", display_text="open")},
    )


with page("Graph", "Who and what your memories connect, and which connections have ended.") as memory:
    needs_messages(memory, "The people, places and things of your conversations will be drawn here.")
    known = by_connections(memory)
    if not known:
        note("No entities were found in the stored messages yet.", "Finish the import, or import more.")
        links.link("Import")
    else:
        wanted = st.query_params.get("entity")
        if wanted and wanted not in known:
            note(f"There is no entity with the id {wanted}.", "Choose one below.")
        view, centre = choose(memory, known)
        if view.triples:
            picture(view, centre)
            table(view)
        else:
            note("No relation matches.", "Choose another entity, more steps, or any relation.")
