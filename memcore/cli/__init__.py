"""The command line: `python -m memcore`, or `memcore`. A module for each group of commands.

With `--json` exactly one JSON document goes to stdout; everything else goes to stderr. Exit codes:
0 ok, 1 failed, 2 usage.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import typer
from typer.main import get_command

from memcore.cli import (
    consolidate,
    curate,
    erase,
    evaluate,
    llm,
    memory,
    people,
    review,
    serve,
    servers,
    store,
)
from memcore.cli.help import group
from memcore.cli.options import GIVEN
from memcore.cli.output import fail
from memcore.cli.sharing import StoreServedError, run_elsewhere
from memcore.cli.streams import from_elsewhere, leave_unread
from memcore.domain.errors import MemcoreError, UsageError

if TYPE_CHECKING:
    from memcore.runtime.backends import MakeBackends

INTERRUPTED = 130
"""What Typer returns when a person stops a command."""

app = group("See, check and correct what an assistant remembers. COMMAND --help says more about each.")
app.add_typer(memory.app)
app.add_typer(consolidate.app)
app.add_typer(review.app, name="review", rich_help_panel=review.HEADING)
app.add_typer(curate.app, name="curate", rich_help_panel=curate.HEADING)
app.add_typer(evaluate.app, name="evaluate", rich_help_panel="Measure")
app.add_typer(store.app)
app.add_typer(serve.app)
app.add_typer(erase.app)
app.add_typer(llm.app, name="llm", rich_help_panel=llm.HEADING)
app.add_typer(servers.app, name="servers", rich_help_panel=servers.HEADING)
app.add_typer(people.app, name="people", rich_help_panel=people.HEADING)


def main(arguments: Sequence[str] | None = None, backends: MakeBackends | None = None) -> int:
    """Run one command, with the backends that `backends` makes of the settings (None: those the settings
    choose); returns the exit code."""
    words = sys.argv[1:] if arguments is None else [*arguments]
    given = GIVEN.set(backends)
    try:
        return _told(words)
    except BrokenPipeError:
        if from_elsewhere():
            raise
        leave_unread()
        return 1
    finally:
        GIVEN.reset(given)


def _told(words: Sequence[str]) -> int:
    """Run a command, and say what was wrong."""
    as_json = "--json" in words
    code: int | None
    try:
        code = _run(words)
    except MemcoreError as error:
        fail(error.cause, error.fix, as_json=as_json)
        return 2 if isinstance(error, UsageError) else 1
    except typer.TyperException as error:
        fail(_sentence(error.format_message()), _usage(error), as_json=as_json)
        return 2
    if code == INTERRUPTED:
        fail("Stopped.", "Finished steps are kept; run it again to continue.", as_json=as_json)
        return 1
    return code or 0


def _run(words: Sequence[str]) -> int | None:
    """Here, or in the process that holds the store."""
    try:
        code: int | None = _commands()(words, prog_name="memcore", standalone_mode=False)
    except StoreServedError as served:
        try:
            return run_elsewhere(served.holder, words)
        except KeyboardInterrupt:
            return INTERRUPTED
    return code


@cache
def _commands() -> Callable[..., int | None]:
    """All commands with their options, put together once a process: that takes longer than many of them."""
    return get_command(app).main


def _sentence(message: str) -> str:
    """What Typer says, on one line and without what pydantic puts before it."""
    return " ".join(message.replace("Value error, ", "").split()).rstrip(".") + "."


def _usage(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    if context is None:
        return "usage: memcore COMMAND --help"
    usage = " ".join(context.get_usage().removeprefix("Usage: ").split())
    return f"usage: {usage}; {context.command_path} --help says more"
