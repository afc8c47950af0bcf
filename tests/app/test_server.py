"""The server of the workbench: who waits while it loads, and what it lets go of at its end."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from memcore.memory import open_memory
from tests.app.conftest import LightBackends
from ui.shell import opened, server, serving
from ui.shell.jobs import Job, board


async def nothing_is_received() -> None:
    raise AssertionError


async def nothing_is_sent(_message: object) -> None:
    raise AssertionError


def test_files_are_served_while_the_modules_are_loaded_and_a_connection_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed_on = []

    async def streamlit(scope: Scope, _receive: Receive, _send: Send) -> None:
        handed_on.append(scope["type"])

    async def visit() -> None:
        monkeypatch.setattr(server, "_loaded", asyncio.Event())
        guarded = server.WhenLoaded(streamlit)
        ask = [
            asyncio.create_task(guarded({"type": kind}, nothing_is_received, nothing_is_sent))
            for kind in ("websocket", "http", "lifespan")
        ]
        await asyncio.wait(ask[1:])
        assert handed_on == ["http", "lifespan"]
        server._loaded.set()
        await ask[0]
        assert handed_on == ["http", "lifespan", "websocket"]

    asyncio.run(visit())


@pytest.mark.parametrize("fails", [False, True])
def test_a_connection_is_let_in_once_they_are_loaded_and_also_where_that_fails(
    monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """Then the page fails as well, and says why."""
    asked = []

    def load() -> None:
        asked.append(threading.current_thread())
        if fails:
            raise ImportError("no such library")

    async def run() -> None:
        monkeypatch.setattr(server, "_loaded", asyncio.Event())
        async with server.lifespan(server_app()):
            await asyncio.wait_for(server._loaded.wait(), 180)

    monkeypatch.setattr(server, "load", load)
    monkeypatch.setattr(server, "end", lambda: asked.append(threading.current_thread()))
    if fails:
        with pytest.raises(ImportError):
            asyncio.run(run())
    else:
        asyncio.run(run())
    assert len(asked) == 2
    assert threading.current_thread() not in asked, "the server answers meanwhile"


def server_app() -> server.App:
    import app

    return app.app


def test_at_its_end_another_process_may_have_the_store(
    seeded: Path, light_embedder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSCOPE_SERVE", "on")
    for _ in range(2):
        serving.begin(opened.held())
        server.end()
        assert not (seeded / "served.json").exists()
        assert not serving.address()
        open_memory(seeded, backends=LightBackends).close()


def test_a_job_that_goes_on_keeps_the_store(
    seeded: Path, light_embedder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.shell.background.END_SECONDS", 0.1)
    held, free = opened.held(), threading.Event()

    def work(_progress: object, _cancelled: object) -> int:
        free.wait(180)
        return len(held.evidence.owners())

    job: Job[int] = board().start("Import", "Import", int, work)
    server.end()
    free.set()
    assert job.future.result(timeout=180) == 1
    board().forget(job.id)
