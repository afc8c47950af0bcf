"""`memcore servers`: which model servers may be sent what conversations say."""

from __future__ import annotations

from typing import Annotated

import typer

from memcore.cli.help import command, group
from memcore.cli.options import Json
from memcore.cli.output import Document, tell, write
from memcore.runtime import servers

HEADING = "The store"
COMMANDS = "Commands"
app = group("Which model servers may be contacted: your own decision, kept outside every store.")
Address = Annotated[str, typer.Argument(metavar="URL", help="The server's address.")]


@command(app, "list", "servers list", heading=COMMANDS)
def list_(as_json: Json = False) -> None:
    """List the permitted servers. This machine and api.openai.com need no permission."""
    write({"permitted": sorted(servers.permitted())}, _show, as_json=as_json)


@command(app, "permit", "servers permit https://llm.example.com/v1", heading=COMMANDS)
def permit(url: Address, as_json: Json = False) -> None:
    """Permit a server, for every store: what conversations say and the API key may be sent there."""
    tell(f"Permitted: {servers.permit(url)}")
    write({"permitted": sorted(servers.permitted())}, _show, as_json=as_json)


@command(app, "withdraw", "servers withdraw https://llm.example.com/v1", heading=COMMANDS)
def withdraw(url: Address, as_json: Json = False) -> None:
    """Take a permission back."""
    tell(f"Not permitted any more: {servers.withdraw(url)}")
    write({"permitted": sorted(servers.permitted())}, _show, as_json=as_json)


def _show(document: Document) -> list[str]:
    return document["permitted"] or ["No server is permitted beyond this machine and api.openai.com."]
