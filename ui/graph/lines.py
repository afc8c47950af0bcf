"""The lines of a picture: the relations from one entity to another are one line, so that what is written at
it can be read, and no more lines are drawn at first than can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memcore.domain.models import Triple
from memcore.inspection.graph import GraphView

FIRST_ENTITIES, FIRST_LINES = 18, 24
"""What is drawn before a person opens more of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """Every relation that is shown from one entity to another, by time; never empty."""

    triples: tuple[Triple, ...]

    @property
    def id(self) -> str:
        """The id of its first relation."""
        return self.triples[0].id

    @property
    def ends(self) -> tuple[str, str]:
        """Subject and object, by id."""
        return self.triples[0].subject_id, self.triples[0].object_id


def lines_of(triples: Iterable[Triple]) -> tuple[Line, ...]:
    """The triples as lines, in the order of each one's first."""
    between: dict[tuple[str, str], list[Triple]] = {}
    for triple in triples:
        between.setdefault((triple.subject_id, triple.object_id), []).append(triple)
    return tuple(Line(tuple(same)) for same in between.values())


def drawn_first(view: GraphView, lines: Sequence[Line]) -> tuple[frozenset[str], frozenset[str]]:
    """The entities and lines, by id, that are drawn before a person opens more: the nearest entities with
    the lines between them. None stands alone that has a line."""
    place = {entity.id: number for number, entity in enumerate(view.entities)}
    nearest = sorted(lines, key=lambda line: max(place[end] for end in line.ends))
    entities = {entity.id for entity in view.entities if len(view.entities) <= FIRST_ENTITIES}
    kept: list[str] = []
    for line in nearest:
        if len(kept) < FIRST_LINES and len(entities | {*line.ends}) <= max(FIRST_ENTITIES, len(entities)):
            entities |= {*line.ends}
            kept.append(line.id)
    return frozenset(entities), frozenset(kept)
