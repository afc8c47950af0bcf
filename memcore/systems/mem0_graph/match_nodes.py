"""Node matching (Mem0-graph, section 2.2): which ends of a new relation the graph already has.

For each end, the nodes at cosine similarity t or above are looked for; then both nodes are created, one
of them, or none. A matched node keeps its name and type; the new spelling becomes its alias. A name or
alias that is known is that node, without asking for similarity.

Deliberate difference: the published system takes whatever is near enough, and near are also "Sweden"
and "Norway" (.80), "2022" and "2023" (.91), "Melanie" and "Melanie's dog" (.77), "Ann's city" and "Ann's
rocks" (.74). Here similarity only speaks for common words:

* people, dates and amounts are matched by name only, so two personal names are never one node, however
  similar (that "Caroline" is "Caroline Smith" is consolidation's to propose and a person's to decide);
* types must not contradict: equal, or one of them unknown (THING);
* capitalised words and numbers of either name must stand in the other too, and what is left of the two
  without them must be at t or above as well;
* the two ends of one relation are two nodes.

It changes no entity: linking does, by name (`stages.link`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memcore.domain.extraction import TripleDraft
from memcore.domain.models import Entity
from memcore.domain.names import entity_key, shown_name
from memcore.nlp.encoder.words import NUMBER_WORDS

NODE_SIMILARITY = 0.7
"""The threshold t of the published system."""
NEAREST_NODES = 10
"""Nodes looked at for one name."""
BY_NAME_ONLY = frozenset({"PERSON", "DATE", "AMOUNT"})
UNKNOWN_TYPE = "THING"

Created = Literal["both", "one", "none"]
Near = Callable[[NDArray[np.float32], int], Sequence[tuple[Entity, float]]]
"""The k nodes nearest to a vector, with their cosines, best first."""
VectorOf = Callable[[str], NDArray[np.float32]]
"""A name's unit vector."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Apart:
    """A node near enough that was not taken, and why."""

    node: str
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True)
class EndTrace:
    """One end of a relation: its name there, the node it stands for, whether that is new, and the
    cosine that decided (None: by name, or nothing near enough)."""

    name: str
    node: str
    created: bool
    similarity: float | None = None
    apart: tuple[Apart, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationNodes:
    """One new relation: how many of its nodes were created."""

    relation: str
    created: Created
    subject: EndTrace
    object: EndTrace


@dataclass(frozen=True, slots=True)
class MatchTrace:
    """The node matching of one message pair (`segment_id`)."""

    segment_id: str
    threshold: float
    relations: tuple[RelationNodes, ...]


@dataclass(frozen=True, slots=True)
class _Node:
    key: str
    name: str
    type: str


def match_nodes(
    drafts: Iterable[TripleDraft],
    *,
    segment_id: str,
    names: Mapping[str, Entity],
    near: Near,
    vector: VectorOf,
    threshold: float = NODE_SIMILARITY,
) -> tuple[dict[str, str], MatchTrace]:
    """The names that stand for a node of another name (from `entity_key` to that node's), and the trace.

    `names` are the graph's nodes by name and alias (`stages.link.by_name`). Drafts are taken in order: a
    later one sees the nodes of those before.
    """
    matching = _Matching(names, near, vector, threshold)
    rows = [row for draft in drafts if (row := matching.relation(draft)) is not None]
    return matching.others(), MatchTrace(segment_id, threshold, tuple(rows))


class _Matching:
    """The nodes of one message pair as they are found and made."""

    def __init__(self, names: Mapping[str, Entity], near: Near, vector: VectorOf, threshold: float) -> None:
        self._names = names
        self._near = near
        self._vector = vector
        self._threshold = threshold
        self._nodes: dict[str, _Node] = {}
        self._made: dict[str, _Node] = {}

    def others(self) -> dict[str, str]:
        return {key: node.key for key, node in self._nodes.items() if key != node.key}

    def relation(self, draft: TripleDraft) -> RelationNodes | None:
        if not (entity_key(draft.subject) and entity_key(draft.object)):
            return None  # linking counts it as nameless
        subject, head = self._end(draft.subject, draft.subject_type, None)
        object_, _ = self._end(draft.object, draft.object_type, head)
        made = subject.created + object_.created
        created: Created = "both" if made == 2 else "one" if made else "none"
        return RelationNodes(draft.relation, created, subject, object_)

    def _end(self, said: str, kind: str, other_end: _Node | None) -> tuple[EndTrace, _Node]:
        name, key = shown_name(said), entity_key(said)
        known = self._nodes.get(key) or _node(self._names.get(key))
        if known is not None:
            self._nodes[key] = known
            return EndTrace(name, known.name, created=False), known
        apart: list[Apart] = []
        for node, similarity in self._nearest(name):
            reason = "the other end of the relation" if node == other_end else self._apart(name, kind, node)
            if not reason:
                self._nodes[key] = node
                return EndTrace(name, node.name, False, similarity, tuple(apart)), node
            apart.append(Apart(node.name, similarity, reason))
        made = self._nodes[key] = self._made[key] = _Node(key, name, kind)
        return EndTrace(name, name, created=True, apart=tuple(apart)), made

    def _nearest(self, name: str) -> list[tuple[_Node, float]]:
        """Nodes at the threshold or above, those made a moment ago included, best first."""
        vector = self._vector(name)
        found = [(_Node(entity_key(e.name), e.name, e.type), s) for e, s in self._near(vector, NEAREST_NODES)]
        found += [(node, float(vector @ self._vector(node.name))) for node in self._made.values()]
        return sorted(
            ((node, s) for node, s in found if s >= self._threshold), key=lambda row: (-row[1], row[0].key)
        )

    def _apart(self, name: str, kind: str, node: _Node) -> str:
        """Why a name is not a near node; empty when it may be."""
        if BY_NAME_ONLY & {kind, node.type}:
            return "people, dates and amounts are matched by name only"
        if kind != node.type and UNKNOWN_TYPE not in (kind, node.type):
            return f"{kind} and {node.type} contradict each other"
        words = [{word.casefold() for word in _WORD.findall(one)} for one in (name, node.name)]
        if lone := sorted((_telling(name) - words[1]) | (_telling(node.name) - words[0])):
            return f"only one of them says {', '.join(lone)}"
        shared = _telling(name) | _telling(node.name)
        rests = [_without(shared, one) for one in (name, node.name)]
        if shared and all(rests):
            similarity = float(self._vector(rests[0]) @ self._vector(rests[1]))
            if similarity < self._threshold:
                return f"without the names and numbers they share, their similarity is {similarity:.2f}"
        return ""


def _node(entity: Entity | None) -> _Node | None:
    return _Node(entity_key(entity.name), entity.name, entity.type) if entity else None


def _telling(name: str) -> set[str]:
    """The words that tell one thing of a kind from another: capitalised ones and numbers."""
    return {
        word.casefold()
        for word in _WORD.findall(name)
        if word[0].isupper() or any(c.isdigit() for c in word) or word.casefold() in NUMBER_WORDS
    }


def _without(words: set[str], name: str) -> str:
    """What else a name says.

    >>> _without({"ann"}, "Ann's red city")
    'red city'
    """
    return " ".join(word for word in _WORD.findall(name) if word.casefold() not in words | {"s"})
