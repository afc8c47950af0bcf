"""`memcore serve`: hold a store, and let every other program of this machine work with it."""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from memcore.cli.help import command
from memcore.cli.options import Json, OnlySystem, Owner, Store, make_backends, port_number, settings_of
from memcore.cli.output import Document, tell, write
from memcore.cli.streams import streams
from memcore.domain.errors import StoreBusyError
from memcore.domain.models import DEFAULT_OWNER

app = typer.Typer()
HEADING = "The store"


@command(app, "serve", "serve --store out", "serve --store out --port 8765 --owner ann", heading=HEADING)
def serve(
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", parser=port_number, help="Where on this machine (any free one)."),
    ] = None,
    recipe: OnlySystem = None,
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Serve a store, made if new, to other programs of this machine: commands, REST and MCP."""
    from memcore.memory import Memory, open_settings
    from memcore.runtime.config import load_settings
    from memcore.server.holder import find_holder
    from memcore.server.lending import Kept
    from memcore.server.serving import Serving
    from memcore.store import SERVED_FILE

    settings, backends = settings_of(store), make_backends()
    if holder := find_holder(settings.store_dir):
        raise StoreBusyError(
            f"Process {holder.served.process} serves the store {settings.store_dir} at "
            f"{holder.served.address} already.",
            "Work with it there: every command does so by itself.",
        )

    def open_memory() -> Memory:
        return open_settings(load_settings(settings.store_dir), backends)

    lender = Kept(open_memory)
    try:
        with lender.memory():
            serving = Serving(
                settings.store_dir, lender, backends, owner=owner, recipe=recipe, port=port or 0
            )
        address = serving.served.address
        document = {
            "store": str(settings.store_dir),
            "address": address,
            "rest": f"{address}/docs",
            "mcp": f"{address}/mcp",
            "token_in": str(settings.store_dir / SERVED_FILE),
        }
        try:
            _end_when_asked_to()
            write(document, _show, as_json=as_json)
            streams().out.flush()  # who reads it waits for it
            serving.join()
        except KeyboardInterrupt:
            tell("Stopped.")
        finally:
            serving.close()
    finally:
        lender.close()


def _end_when_asked_to() -> None:
    """Have SIGTERM, which a service manager, a container or `kill` sends, end it as Ctrl-C does."""
    if threading.current_thread() is threading.main_thread():  # no other may say so
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _show(document: Document) -> list[str]:
    return [
        f"{document['store']} is served at {document['address']} until Ctrl-C.",
        f"REST: {document['rest']}   MCP: {document['mcp']}   token: in {document['token_in']}",
    ]
