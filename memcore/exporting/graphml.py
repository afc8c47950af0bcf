"""Entity graphs as GraphML, for Gephi, yEd, Cytoscape or networkx.

Each entity is a node and each triple an edge, those that ended included; ids are the store's. Times are
ISO 8601, lists are joined with "; ". Knows nothing of the store, and does not read GraphML back.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from datetime import datetime

from memcore.domain.models import Entity, Triple

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def graphml(entities: Iterable[Entity], triples: Iterable[Triple]) -> bytes:
    """A directed multigraph as a GraphML document in UTF-8. Every end of a triple must be among the
    entities. Characters that XML 1.0 cannot hold become U+FFFD."""
    import networkx as nx  # type: ignore[import-untyped]  # takes longer than a page should to start

    graph = nx.MultiDiGraph()
    for entity in entities:
        graph.add_node(
            entity.id,
            **_data(
                label=entity.name,
                type=entity.type,
                aliases="; ".join(entity.aliases),
                first_seen=entity.first_seen,
                last_seen=entity.last_seen,
                owner=entity.owner,
                recipe=entity.recipe,
            ),
        )
    for triple in triples:
        graph.add_edge(
            triple.subject_id,
            triple.object_id,
            key=triple.id,
            **_data(
                label=triple.relation.replace("_", " "),
                relation=triple.relation,
                valid_from=triple.valid_from,
                invalidated_at=triple.invalidated_at,
                mentions=triple.mentions,
                memories="; ".join(triple.memory_ids),
                sources="; ".join(f"{s.message_id}:{s.start}-{s.end}" for s in triple.sources),
                owner=triple.owner,
                recipe=triple.recipe,
            ),
        )
    written = io.BytesIO()
    nx.write_graphml_xml(graph, written)
    return written.getvalue()


def _data(**fields: str | int | datetime | None) -> dict[str, str | int]:
    """The fields that say something, as XML can hold them."""
    said = {name: value for name, value in fields.items() if value is not None and value != ""}
    return {name: value if isinstance(value, int) else _written(value) for name, value in said.items()}


def _written(value: str | datetime) -> str:
    return value.isoformat() if isinstance(value, datetime) else _NOT_XML.sub("\ufffd", value)
