"""Proposing to merge the entities of one graph that bear one name. Nothing is merged until a person approves.

What counts as one name is `entities`' affair; this asks it about what is stored, and lets those proposals
wait that were never made before and change nothing that another waits to change.
"""

from __future__ import annotations

from collections import Counter

from memcore.models import Proposal, Run, now
from memcore.protocols import Store
from memcore.review.entities import entity_merges
from memcore.review.proposals import Docket


def propose_entity_merges(store: Store, run: Run, *, actor: str) -> tuple[Proposal, ...]:
    """The new proposals for the graph of `run.owner` and `run.recipe` (empty: of every recipe, each within
    itself), stored. One that was made before, whatever became of it, is not made again."""
    merges: list[Proposal] = []
    for recipe in [run.recipe] if run.recipe else store.graphs(run.owner):
        links = store.links(run.owner, recipe=recipe)
        mentions = Counter(end for link in links for end in (link.subject_id, link.object_id))
        entities = store.entities(run.owner, recipe=recipe)
        merges += entity_merges(entities, mentions, run_id=run.id, at=now())
    made = []
    with store.write(actor=actor, run_id=run.id) as writer:  # from here on nobody else proposes anything
        docket = Docket(store.proposals(run.owner))
        for proposal in merges:
            if store.proposal(proposal.id) is not None:
                continue
            admission = docket.admit(proposal)
            if admission.admitted:
                made.append(proposal)
                writer.put_proposals([proposal])
            else:
                writer.put_proposals([admission.waiting], kind="proposal.noted")
    return tuple(made)
