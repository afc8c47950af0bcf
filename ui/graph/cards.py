"""What the panel tells of each thing in the picture: an entity with what is said of it, a line with its
words, a session, a chunk."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memcore.domain.models import Entity, Link, Triple, triple_text
from memcore.inspection.graph import EntityGraph, GraphView
from memcore.inspection.graph_layers import ChunkLayer, SessionLayer
from memcore.inspection.grounding import verdict_of
from memcore.review.diff import show_hidden
from ui.graph.panel import Card, Said, said, shown
from ui.shell import links
from ui.shell.text import clock, count, day, shorten

CORRECT = "correct"
"""The query parameter that names what a person came to correct: an entity, or a relation of it."""
MOST_MESSAGES, MOST_RELATIONS, MOST_REASONS = 6, 15, 4


def correct_link(address: dict[str, str], entity_id: str, object_id: str) -> str:
    """The address at which an entity, or a relation of it, is corrected."""
    return links.href("Graph", **address, entity=entity_id, **{CORRECT: object_id})


def sentence(link: Link | Triple, names: Mapping[str, str]) -> str:
    """What a relation says, and until when."""
    subject, object_ = (shorten(names[i], 40) for i in (link.subject_id, link.object_id))
    told = triple_text(subject, link.relation, object_)
    return f"{told} (until {day(link.invalidated_at)})" if link.invalidated_at else told


def names_of(whole: EntityGraph) -> dict[str, str]:
    """What the entities of a graph are called, by id."""
    return {i: entity.name for i, entity in whole.entities.items()}


def words(relation: str) -> str:
    """A relation as one reads it: `work_at` as "work at"."""
    return show_hidden(relation.replace("_", " "))


def ended(triple: Triple, as_of: datetime | None) -> bool:
    """Whether it had ceased to hold at a moment (None: by now)."""
    return triple.invalidated_at is not None and (as_of is None or triple.invalidated_at <= as_of)


def of_relation(
    triple: Triple, gone: bool, names: Mapping[str, str], view: GraphView, address: dict[str, str]
) -> Card:
    """One relation: since and until when, the words it comes from, and its memories."""
    quotes, more = said(view.quotes.get(triple.id, ()))
    title = f"{shown(names[triple.subject_id], 80)} {words(triple.relation)} {names[triple.object_id]}"
    facts = [("since", day(triple.valid_from))]
    if triple.invalidated_at:
        facts.append(("until", day(triple.invalidated_at)))
    facts.append(("said", count(triple.mentions, "time")))
    told = verdict_of(view.groundings.get(triple.id))
    facts.append(("support", told.label))
    remembered = triple.memory_ids[:3]
    several = len(remembered) > 1
    return Card(
        "Ended relation" if gone else "Relation",
        shown(title, 240),
        tuple(facts),
        sentences=tuple(shown(reason, 240) for reason in told.reasons[:MOST_REASONS]),
        said=quotes,
        more=more or ("" if quotes else "No source is recorded."),
        links=(
            *(
                (f"Memory {n}" if several else "Its memory", links.href("Memories", memory=memory_id))
                for n, memory_id in enumerate(remembered, start=1)
            ),
            ("Correct it", correct_link(address, triple.subject_id, triple.id)),
        ),
    )


def of_entity(entity: Entity, names: Mapping[str, str], view: GraphView, address: dict[str, str]) -> Card:
    """An entity: what it is called, when it was seen, and every relation of it that is shown."""
    own = [triple for triple in view.triples if entity.id in (triple.subject_id, triple.object_id)]
    facts = [("relations", f"{len(own)} shown")]
    if entity.aliases:
        beyond = len(entity.aliases) - 8
        also = "; ".join(shown(alias, 60) for alias in entity.aliases[:8])
        facts.append(("also called", f"{also} and {beyond} more" if beyond > 0 else also))
    facts += [("first seen", day(entity.first_seen)), ("last seen", day(entity.last_seen))]
    around = links.href("Graph", **address, entity=entity.id)
    beyond = len(own) - MOST_RELATIONS
    return Card(
        shown(entity.type.capitalize(), 40),
        shown(entity.name, 200),
        tuple(facts),
        sentences=tuple(_told(triple, names, view) for triple in own[:MOST_RELATIONS]),
        more=f"and {count(beyond, 'further relation')}, in the table" if beyond > 0 else "",
        links=(("Its neighbourhood", around), ("Correct it", correct_link(address, entity.id, entity.id))),
    )


def _told(triple: Triple, names: Mapping[str, str], view: GraphView) -> str:
    """What a relation says, and where its words do not carry it, that."""
    said_of_it = shown(sentence(triple, names), 160)
    told = verdict_of(view.groundings.get(triple.id))
    return said_of_it if told.checked in ("supported", "unchecked") else f"{said_of_it} ({told.label})"


def of_session(layer: SessionLayer, address: dict[str, str]) -> Card:
    """A session with its summary."""
    summary = layer.summary
    facts = [("began", day(layer.session.started_at)), ("relations", f"{len(layer.triple_ids)} shown")]
    if summary and summary.keywords:
        facts.append(("keywords", shown(", ".join(summary.keywords), 200)))
    if summary and summary.themes:
        facts.append(("themes", shown(", ".join(summary.themes), 200)))
    return Card(
        "Session",
        shown(session_title(layer), 120),
        tuple(facts),
        more=shown(summary.text, 1_200) if summary else "This system wrote no summary of it.",
        links=(("Its topics", links.href("Topics", **address, session=layer.session.id)),),
    )


def of_chunk(layer: ChunkLayer, address: dict[str, str]) -> Card:
    """A chunk with its first messages."""
    segment = layer.segment
    spoken = tuple(
        Said(shown(m.speaker, 60), clock(m.said_at), shown(m.text, 240), "", "")
        for m in layer.messages[:MOST_MESSAGES]
    )
    beyond = len(layer.messages) - len(spoken)
    topics = links.href("Topics", **address, session=segment.session_id, segment=segment.id)
    return Card(
        "Chunk",
        shown(chunk_title(layer), 120),
        (("relations", f"{len(layer.triple_ids)} shown"),),
        said=spoken,
        more=f"and {count(beyond, 'further message')}" if beyond else "",
        links=(("Its topic segment", topics),),
    )


def chunk_title(layer: ChunkLayer) -> str:
    """What a chunk is called: its topic, or where the system names none how it begins."""
    return layer.segment.topic or (layer.messages[0].text if layer.messages else "chunk")


def session_title(layer: SessionLayer) -> str:
    """What a session is called, or which one it is."""
    return layer.session.title or f"Session {layer.session.position + 1}"
