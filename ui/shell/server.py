"""The server of the workbench, for `app.py`: what it loads while it starts, and lets go of before it ends.

It answers at once, so that a browser fetches Streamlit's files while the modules of the pages are imported.
Only the browser's connection, with which a script begins, waits for them: two threads that import the same
packages can get in each other's way (CPython issue 83065). At SIGTERM uvicorn ends the process of such a
server without what was registered for its end (`atexit`), so `end` does that.

Nothing of `ui` or `memcore` is imported at the top: that is what is loaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.starlette import App

DRAWN_FIRST = ("shell", "overview", "components")
"""The folders of `ui` whose templates a first page needs."""
_loaded = asyncio.Event()


class WhenLoaded:
    """Lets a browser connect once the modules of the pages are loaded."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on."""
        if scope["type"] == "websocket":
            await _loaded.wait()
        await self._app(scope, receive, send)


@asynccontextmanager
async def lifespan(_app: App) -> AsyncIterator[None]:
    """While the server runs."""
    loading = asyncio.create_task(_load())
    try:
        yield
        await loading
    finally:
        await asyncio.to_thread(end)


async def _load() -> None:
    try:
        await asyncio.to_thread(load)
    finally:
        _loaded.set()


def load() -> None:
    """Import what every page and the first one draw with, and compile their templates. Opens no store."""
    from ui.overview import overview  # noqa: F401
    from ui.shell import frame, templates  # noqa: F401

    for folder in DRAWN_FIRST:
        templates.macros(folder)


def end() -> None:
    """Ask what works beside the pages to stop, serve no longer, and close the store. A job that does not stop
    in time keeps it open: it is left as a crash would leave it, which loses nothing."""
    from ui.shell import background, opened, serving
    from ui.shell.jobs import board

    background.threads().end()
    serving.end()
    if not board().at_work:
        opened.close()
