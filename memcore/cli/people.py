"""`memcore people`: with whom a memory is shared, who log in to the workbench."""

from __future__ import annotations

from typing import Annotated

import typer

from memcore.cli.help import command, group
from memcore.cli.options import Actor, Json, Store, opened
from memcore.cli.output import Document, jsonable, write
from memcore.cli.shows import show_plain
from memcore.domain.errors import UsageError
from memcore.domain.models import EVERY_OWNER, Role

HEADING = "The store"
COMMANDS = "Commands"
app = group("With whom a memory is shared, who log in to the workbench (docs/people.md).")

Person = Annotated[
    str,
    typer.Argument(
        metavar="PERSON", help="The verified e-mail address, ISSUER|SUBJECT, or postgresql|LOGIN."
    ),
]
OfOwner = Annotated[str | None, typer.Option("--owner", metavar="NAME", help="Whose memory.")]
EveryOwner = Annotated[
    bool, typer.Option("--every-owner", help="Everyone's memory, and what belongs to the whole store.")
]


@command(app, "list", "people list --store out", "people list --store out --owner ann", heading=COMMANDS)
def list_(
    owner: OfOwner = None, every_owner: EveryOwner = False, store: Store = None, as_json: Json = False
) -> None:
    """List who may do what with whose memory."""
    of = _of(owner, every_owner) if owner is not None or every_owner else None
    with opened(store) as memory:
        grants = memory.people.grants(of)
    write({"grants": [jsonable(grant) for grant in grants]}, _show, as_json=as_json)


@command(
    app,
    "grant",
    "people grant ann@example.org --role review --owner ann --store out",
    "people grant ada@example.org --role administer --every-owner --store out",
    heading=COMMANDS,
)
def grant(
    person: Person,
    role: Annotated[Role, typer.Option("--role", help="What they may do; each contains the ones before.")],
    owner: OfOwner = None,
    every_owner: EveryOwner = False,
    actor: Actor = "person",
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Share a memory with a person, in place of what they could before."""
    of = _of(owner, every_owner)
    with opened(store, makes_store=True) as memory:
        given = memory.people.grant(person, role, owner=of, actor=actor)
    write(jsonable(given), show_plain, as_json=as_json)


@command(app, "revoke", "people revoke ann@example.org --owner ann --store out", heading=COMMANDS)
def revoke(
    person: Person,
    owner: OfOwner = None,
    every_owner: EveryOwner = False,
    actor: Actor = "person",
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Take back what a person may do with a memory."""
    of = _of(owner, every_owner)
    with opened(store) as memory:
        ended = memory.people.revoke(person, owner=of, actor=actor)
    write(jsonable(ended), show_plain, as_json=as_json)


def _of(owner: str | None, every_owner: bool) -> str:
    """Whose memory is meant. Raises UsageError unless exactly that was said."""
    if bool(owner) == every_owner:
        raise UsageError("Say whose memory.", "Either --owner NAME or --every-owner.")
    return owner or EVERY_OWNER


def _show(document: Document) -> list[str]:
    lines = [
        f"{one['person']}  {one['role']}  {one['owner'] or 'everyone’s memory, and the store'}"
        for one in document["grants"]
    ]
    return lines or ["Nothing is shared: whoever runs Memscope on this machine does everything."]
