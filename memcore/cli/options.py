"""Options that several commands take, and how what is written is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.cli.names import BACKEND, DATASET, SYSTEM, one_of
from memcore.cli.output import tell
from memcore.cli.sharing import opened_here
from memcore.cli.streams import from_elsewhere
from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER
from memcore.domain.server_address import ServerAddress
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.memory import Memory
    from memcore.runtime.backends import MakeBackends
    from memcore.runtime.config import Settings

Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="The store's directory, or postgresql://USER@HOST/DATABASE (MEMSCOPE_STORE, memscope_data).",
    ),
]
KeptIn = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="Keep the result in this store, whose settings are used."),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", parser=here, help="Where memories are kept (MEMSCOPE_CACHE, ~/.cache/memscope)."
    ),
]
Questions = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=lambda written: several(written), help="Only the first N questions of each file."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Owner = Annotated[str, typer.Option("--owner", metavar="NAME", help="Whose memory.", show_default=True)]
WhoseIds = Annotated[
    str | None,
    typer.Option("--owner", metavar="NAME", help="Whose memory (me, or the only one there is)."),
]
Actor = Annotated[str, typer.Option("--actor", metavar="NAME", help="Who decides.", show_default=True)]
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar=BACKEND,
        parser=lambda written: backend(written),
        help="Where the language model is, if there is one, or which recorded replies take its place.",
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record",
        metavar="FILE",
        help="Append what the live model answers to this file of recorded replies.",
    ),
]
OnlySystem = Annotated[
    str | None,
    typer.Option("--recipe", metavar=SYSTEM, parser=one_of(SYSTEM), help="Only what this system remembers."),
]
Dataset = Annotated[str, typer.Option(metavar=DATASET, parser=one_of(DATASET), help="What the files are.")]
Measured = Annotated[
    str,
    typer.Option(
        "--recipe", metavar=SYSTEM, parser=one_of(SYSTEM), show_default=True, help="The system measured."
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="TIME", help="Answer from what was valid then (2023-05-08, 2023-05, 2023)."
    ),
]
AskedAt = Annotated[
    str | None,
    typer.Option(
        "--asked-at",
        metavar="TIME",
        help="When it is asked: “10 days ago” counts from then (default: now; from the newest message, if "
        "that is over 30 days old).",
    ),
]
Paths = Annotated[list[str], typer.Argument(metavar="PATH", help="The files.")]

LARGEST_PORT = 65_535

GIVEN: ContextVar[MakeBackends | None] = ContextVar("backends", default=None)
"""What `main` was given to make backends with. None: those that the settings choose."""


def make_backends() -> MakeBackends:
    """What this command makes its backends with."""
    from memcore.runtime.chosen import ChosenBackends

    return GIVEN.get() or ChosenBackends


@contextmanager
def opened(store: str | None, *, makes_store: bool = False, **settings: Any) -> Iterator[Memory]:
    """An open store, closed in the end. Only what brings something in may make a store: a mistyped
    directory must not look like an empty memory."""
    chosen = settings_of(store, **settings)
    with opened_here(chosen, make_backends(), makes_store=makes_store) as memory:
        if (lost := memory.store.lost) and not from_elsewhere():  # whoever holds the store was told
            tell(f"{lost.cause} {lost.fix}")
        yield memory


@contextmanager
def asking(
    store: str | None, llm: str | None, record: str | None, *, makes_store: bool = False
) -> Iterator[Memory]:
    """An open store whose model is asked: the one the command names, recorded where it says."""
    with opened(store, makes_store=makes_store, llm=llm, record_to=record) as memory:
        tell_damaged(memory.settings)
        yield memory


def tell_damaged(settings: Settings) -> None:
    """What of the recording in use cannot be read, line by line."""
    if settings.llm == "recorded":
        found = make_backends()(settings).probe()
        for remark in found.remarks if found else ():
            tell(remark)


def whose(memory: Memory, owner: str | None) -> str:
    """The owner named; else the default one, unless the store holds only somebody else's memory. Raises
    UsageError where it holds several and none is the default one."""
    if owner is not None:
        return owner
    there = memory.evidence.owners()
    if DEFAULT_OWNER in there or not there:
        return DEFAULT_OWNER
    if len(there) > 1:
        raise UsageError(
            f"This store holds the memory of {', '.join(there)}, and none of {DEFAULT_OWNER}.",
            "Say whose with --owner NAME.",
        )
    return there[0]


def settings_of(store: str | None, **settings: Any) -> Settings:
    """The settings of the store named, with those that options name."""
    from memcore.runtime.config import load_settings, store_named

    if file := settings.get("record_to"):
        settings["record_to"] = str(here(file))
    named = store_named(store)
    return load_settings(named if ServerAddress.parse(named) else here(named), **settings)


def last_moment(written: str | None) -> datetime | None:
    """The last moment of the period named: `--as-of 2023-05` is what was valid as May ended, `--asked-at
    2023-05-08` is asked when that day's words are said."""
    from memcore.nlp.time_grammar.dates import parse_when

    return parse_when(written)[1] - timedelta(microseconds=1) if written else None


def backend(written: str) -> str:
    """A language model backend, or `recorded:FILE`."""
    return written if written.startswith("recorded:") else one_of(BACKEND)(written)


def count(written: str) -> int:
    """A whole number, 0 among them."""
    return _whole(written, at_least=0)


def several(written: str) -> int:
    """A whole number from 1 up."""
    return _whole(written, at_least=1)


def port_number(written: str) -> int:
    """A port, or 0 for any free one."""
    number = _whole(written, at_least=0)
    if number > LARGEST_PORT:
        raise typer.BadParameter(f"{written!r} is no port: they go up to {LARGEST_PORT}")
    return number


def none_or_several(written: str) -> int:
    """A whole number from 0 up."""
    return _whole(written, at_least=0)


def ranks(written: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, in order, each once."""
    return tuple(sorted({several(one.strip()) for one in written.split(",")}))


def share(written: str) -> float:
    """A number above 0 and up to 1."""
    try:
        number = float(written)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise typer.BadParameter(f"{written!r} is no number above 0 and up to 1")
    return number


def _whole(written: str, *, at_least: int) -> int:
    if not written.isdecimal() or int(written) < at_least:
        raise typer.BadParameter(f"{written!r} is no whole number from {at_least} up")
    return int(written)
