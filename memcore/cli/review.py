"""`memcore review`: list, decide and undo proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memcore.cli.help import command, group
from memcore.cli.options import Actor, Json, OnlySystem, Store, WhoseIds, opened, whose
from memcore.cli.output import Document, jsonable, write
from memcore.cli.shows import show_plain, show_review

if TYPE_CHECKING:
    from memcore.review.decide import Decided

State = Literal["pending", "approved", "rejected", "applied", "superseded", "all"]
ProposalId = Annotated[str, typer.Argument(metavar="ID", help="The proposal's id, as `review list` has it.")]
ProposalIds = Annotated[list[str], typer.Argument(metavar="ID", help="The proposals' ids.")]

app = group("List, decide and undo proposals.")
HEADING = "Propose and decide"
COMMANDS = "Commands"


@command(app, "list", "review list --store out", "review list --store out --state applied", heading=COMMANDS)
def list_(
    state: Annotated[
        State, typer.Option(show_default=True, help="Only proposals in this state.")
    ] = "pending",
    recipe: OnlySystem = None,
    owner: WhoseIds = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Proposals that wait, or those in another state."""
    states = None if state == "all" else (state,)
    with opened(store) as memory:
        proposals = memory.review.proposals(whose(memory, owner), states=states, recipe=recipe)
    document = {"proposals": [jsonable(proposal) for proposal in proposals]}
    write(document, show_review, as_json=as_json)


@command(app, "show", "review show prop_1f3a --store out", heading=COMMANDS)
def show(id: ProposalId, owner: WhoseIds = None, store: Store = None, as_json: Json = False) -> None:
    """One proposal with diff and evidence."""
    with opened(store) as memory:
        document = {"proposal": jsonable(memory.review.proposal(id, owner=whose(memory, owner)))}
    write(document, show_plain, as_json=as_json)


@command(app, "approve", "review approve prop_1f3a prop_77c0 --store out --actor ann", heading=COMMANDS)
def approve(
    ids: ProposalIds,
    actor: Actor = "person",
    owner: WhoseIds = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Apply proposals; one undo takes back the whole call."""
    with opened(store) as memory:
        decided = memory.approve(ids, owner=whose(memory, owner), actor=actor)
    write(_decided_document(decided), show_plain, as_json=as_json)


@command(app, "reject", "review reject prop_1f3a --store out", heading=COMMANDS)
def reject(
    ids: ProposalIds,
    actor: Actor = "person",
    owner: WhoseIds = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Turn proposals down."""
    with opened(store) as memory:
        decided = memory.reject(ids, owner=whose(memory, owner), actor=actor)
    write(_decided_document(decided), show_plain, as_json=as_json)


def _decided_document(decided: Decided) -> Document:
    results = [
        {
            "proposal": outcome.proposal.id,
            "state": outcome.proposal.state,
            "memory": outcome.memory_id,
            "conflict": outcome.conflict,
        }
        for outcome in decided.outcomes
    ]
    return {"results": results, "event": decided.event_id, "failed": any(r["conflict"] for r in results)}


@command(
    app, "edit", 'review edit prop_1f3a --text "Ann lives in San Francisco" --store out', heading=COMMANDS
)
def edit(
    id: ProposalId,
    text: Annotated[str, typer.Option(metavar="T", help="What to store instead.")],
    actor: Actor = "person",
    owner: WhoseIds = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Change the text a proposal would store."""
    with opened(store) as memory:
        document = {"proposal": jsonable(memory.edit(id, text, owner=whose(memory, owner), actor=actor))}
    write(document, show_plain, as_json=as_json)


@command(app, "undo", "review undo evt_90b2 --store out", heading=COMMANDS)
def undo(
    event: Annotated[str, typer.Argument(help="The event's id, as `history` has it.")],
    actor: Actor = "person",
    owner: WhoseIds = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Undo an event and all that happened with it."""
    with opened(store) as memory:
        document: Document = jsonable(memory.undo(event, owner=whose(memory, owner), actor=actor))
    write(document, show_plain, as_json=as_json)
