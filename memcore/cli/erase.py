"""`memcore erase`: take what was said, and all that was made of it, out of the store for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memcore.cli.help import command
from memcore.cli.options import Actor, Json, Owner, Store, opened
from memcore.cli.output import Block, Document, write
from memcore.domain.models import DEFAULT_OWNER
from memcore.domain.models.erasure import LEFT_ELSEWHERE

if TYPE_CHECKING:
    from memcore.domain.models.erasure import ErasureReport

app = typer.Typer()
HEADING = "The store"
What = Literal["message", "conversation", "person", "owner"]

WARNING = f"This cannot be undone. {LEFT_ELSEWHERE}"


@command(
    app,
    "erase",
    "erase message msg_1f3a --store out --dry-run",
    "erase conversation con_77c0 --store out --yes",
    "erase person Ann --store out --yes",
    "erase owner ann --store out --yes",
    heading=HEADING,
)
def erase(
    what: Annotated[What, typer.Argument(metavar="WHAT", help="message, conversation, person or owner.")],
    id: Annotated[str, typer.Argument(metavar="ID", help="Its id; of a person or owner, the name.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase it: the count has been seen.")] = False,
    owner: Owner = DEFAULT_OWNER,
    actor: Actor = "person",
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Erase a message, conversation, person or owner for good, with all that rests on it."""
    with opened(store) as memory:
        if yes and not dry_run:
            report = memory.erase(what, id, owner=owner, actor=actor)
        else:
            report = memory.preview_erasure(what, id, owner=owner)
    document = _document(report)
    document["failed"] = not (report.done or dry_run)
    write(document, _show, as_json=as_json)


def _document(report: ErasureReport) -> Document:
    return {
        "what": report.what,
        "id": report.target,
        "owner": report.owner,
        "erased": report.done,
        "removed": dict(report.removed),
        "changed": dict(report.changed),
        "warning": "" if report.done else WARNING,
    }


def _show(document: Document) -> Sequence[Block]:
    done = document["erased"]
    lines = [f"{'erased' if done else 'would erase'}: {document['what']} {document['id']}"]
    for name, rows in (("removed", document["removed"]), ("emptied of its words", document["changed"])):
        lines += [f"  {table:<14} {number:>7,} {name}" for table, number in rows.items()]
    if not done:
        lines.append(document["warning"])
    if document["failed"]:
        lines.append("Nothing was erased: add --yes.")
    return ["\n".join(lines)]
