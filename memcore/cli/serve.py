"""`memcore serve`: hold a store, and let every other program of this machine work with it."""

from __future__ import annotations

from typing import Annotated

import typer

from memcore.cli.help import command
from memcore.cli.options import OnlySystem, Owner, Store, make_backends, port_number, settings_of
from memcore.cli.output import tell
from memcore.cli.sharing import StoreServedError, require_here
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
) -> None:
    """Serve a store, made if new, to other programs of this machine: commands, REST and MCP."""
    from memcore.memory import Memory, open_settings
    from memcore.runtime.config import load_settings
    from memcore.server.lending import Kept
    from memcore.server.serving import Serving

    settings, backends = settings_of(store), make_backends()
    try:
        require_here(settings.store_dir)
    except StoreServedError as error:
        served = error.holder.served
        raise StoreBusyError(
            f"Process {served.process} serves the store {settings.store_dir} at {served.address} already.",
            "Work with it there: every command does so by itself.",
        ) from error

    def open_memory() -> Memory:
        return open_settings(load_settings(settings.store_dir), backends)

    lender = Kept(open_memory)
    try:
        with lender.memory():
            serving = Serving(
                settings.store_dir, lender, backends, owner=owner, recipe=recipe, port=port or 0
            )
        address = serving.served.address
        tell(f"{settings.store_dir} is served at {address} (REST: {address}/docs, MCP: {address}/mcp).")
        tell(f"The token is in {settings.store_dir}/served.json. Ctrl-C ends it.")
        try:
            serving.join()
        except KeyboardInterrupt:
            tell("Stopped.")
        finally:
            serving.close()
    finally:
        lender.close()
