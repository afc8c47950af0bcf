"""The store as a whole: `export`, `import`, `move`, `reembed`, `ground`, `doctor`; `mcp` serves it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

from memcore.cli.help import command
from memcore.cli.names import EXPORT_FORMAT, SYSTEM, one_of
from memcore.cli.options import (
    Json,
    Llm,
    OnlySystem,
    Owner,
    Record,
    Store,
    asking,
    make_backends,
    opened,
    settings_of,
)
from memcore.cli.output import Document, write
from memcore.cli.progress import reported
from memcore.cli.sharing import require_here
from memcore.cli.shows import show_doctor, show_plain
from memcore.cli.streams import streams
from memcore.domain.models import DEFAULT_OWNER
from memcore.runtime.caller import here

app = typer.Typer()
HEADING = "The store"


@command(
    app,
    "export",
    "export --store out --to all.jsonl",
    "export --store out --to ann.md --format markdown --owner ann",
    heading=HEADING,
)
def export(
    to: Annotated[str, typer.Option(metavar="FILE", help="The file to write.")],
    format: Annotated[
        str,
        typer.Option(
            metavar=EXPORT_FORMAT,
            parser=one_of(EXPORT_FORMAT),
            show_default=True,
            help="How; only jsonl holds the whole store and can be imported.",
        ),
    ] = "jsonl",
    owner: Annotated[str | None, typer.Option(metavar="NAME", help="Only this owner's.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(metavar=SYSTEM, parser=one_of(SYSTEM), help="Only what this system made."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace FILE if it is there already.")
    ] = False,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Write what is stored to a file, in one of many formats."""
    with opened(store) as memory:
        rows = memory.exports.write(here(to), format=format, owner=owner, recipe=recipe, overwrite=overwrite)
    write({"file": to, "format": format, "rows": rows}, show_plain, as_json=as_json)


@command(app, "import", "import all.jsonl --store copy", heading=HEADING)
def import_(
    file: Annotated[str, typer.Argument(help="What `export` wrote as jsonl.")],
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Read an exported store back."""
    with opened(store, makes_store=True) as memory:
        rows = memory.exports.read(here(file))
    write({"file": file, "rows": rows}, show_plain, as_json=as_json)


@command(
    app,
    "move",
    "move out postgresql://ann@localhost/memory",
    "move postgresql://ann@localhost/memory out",
    heading=HEADING,
)
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A store: its directory or address.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where there is no store yet.")],
    as_json: Json = False,
) -> None:
    """Copy a whole store from a directory to a PostgreSQL database, or back."""
    from memcore.memory import move_store

    of, to = settings_of(source), settings_of(target)
    for one in (of, to):
        require_here(one, alone=True)
    rows = move_store(of, to, make_backends())
    write({"from": str(of.where), "to": str(to.where), "rows": rows}, show_plain, as_json=as_json)


@command(app, "reembed", "reembed --store out", heading=HEADING)
def reembed(store: Store = None, as_json: Json = False) -> None:
    """Move a store to the embedding model that is now active."""
    from memcore.memory import reembed_store

    settings = settings_of(store)
    require_here(settings, alone=True)
    document = {"texts": reembed_store(settings, make_backends()), "embedding_model": settings.embedder}
    write(document, show_plain, as_json=as_json)


@command(app, "ground", "ground --store out", "ground --store out --owner ann --propose", heading=HEADING)
def ground(
    propose: Annotated[
        bool,
        typer.Option(
            "--propose",
            help="Propose to cite elsewhere, cut or delete what has no support (`review list`).",
        ),
    ] = False,
    llm: Llm = None,
    record: Record = None,
    owner: Annotated[str | None, typer.Option(metavar="NAME", help="Only this owner's.")] = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Check what was not checked yet against the words it cites."""
    with asking(store, llm, record) as memory, reported() as progress:
        document: Document = {
            "checked": memory.ground(owner=owner, progress=progress, cancelled=streams().gone)
        }
        if propose:
            owners = memory.evidence.owners() if owner is None else [owner]
            reports = [
                memory.propose_corrections(owner=one, progress=progress, cancelled=streams().gone)
                for one in owners
            ]
            made = Counter[str]()
            for report in reports:
                made.update(report.by_operation)
            document |= {
                "proposals": made.total(),
                "by_operation": dict(sorted(made.items())),
                "retired": sum(report.retired for report in reports),
            }
    write(document, show_plain, as_json=as_json)


@command(app, "doctor", "doctor --store out", heading=HEADING)
def doctor(store: Store = None, as_json: Json = False) -> None:
    """What is installed, active, reachable; is the store sound."""
    from memcore.memory import diagnose

    settings = settings_of(store)
    require_here(settings)
    report = diagnose(settings, make_backends())
    document = {
        "ok": report.ok,
        "checks": [asdict(check) for check in report.checks],
        "failed": not report.ok,
    }
    write(document, show_doctor, as_json=as_json)


@command(app, "mcp", "mcp --store out --owner ann", heading=HEADING)
def mcp(
    recipe: OnlySystem = None, owner: Owner = DEFAULT_OWNER, store: Store = None, as_json: Json = False
) -> None:
    """Serve other assistants over the Model Context Protocol, on stdin and stdout."""
    from memcore.server.mcp_server import serve

    serve(settings_of(store), owner=owner, recipe=recipe, backends=make_backends())
