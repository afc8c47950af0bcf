"""Proposing to merge the entities of one graph that bear one name. Nothing is merged until a person approves.

What counts as one name is `entities`' affair; this asks it about what is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memcore.domain.models import Proposal, Run, now
from memcore.domain.protocols import Store
from memcore.review.entities import entity_merges
from memcore.review.proposals import enqueue


def propose_entity_merges(
    store: Store, run: Run, *, actor: str, recipes: Sequence[str] | None = None
) -> tuple[Proposal, ...]:
    """The new proposals for the graphs of `run.owner` and these recipes (None: of `run.recipe` or, where it
    names none, every one), each within itself, stored."""
    if recipes is None:
        recipes = [run.recipe] if run.recipe else store.graphs(run.owner)
    merges: list[Proposal] = []
    for recipe in recipes:
        links = store.links(run.owner, recipe=recipe)
        mentions = Counter(end for link in links for end in (link.subject_id, link.object_id))
        entities = store.entities(run.owner, recipe=recipe)
        merges += entity_merges(entities, mentions, run_id=run.id, at=now())
    with store.write(actor=actor, run_id=run.id) as writer:  # from here on nobody else proposes anything
        return enqueue(store, writer, run.owner, merges)
