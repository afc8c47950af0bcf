"""Taking logs in, finding what is remembered, and what happened to it: `ingest`, `search`, `ask`, `history`.

A document's `failed` decides the exit code and is not printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.cli.help import OnCluster, command
from memcore.cli.logs import tell_skipped, tell_timeless
from memcore.cli.names import LOG_FORMAT, SYSTEM, one_of
from memcore.cli.options import (
    AskedAt,
    AsOf,
    Json,
    Llm,
    OnlySystem,
    Owner,
    Paths,
    Record,
    Store,
    WhoseIds,
    asking,
    count,
    last_moment,
    opened,
    settings_of,
    whose,
)
from memcore.cli.output import Document, iso, jsonable, tell, write
from memcore.cli.progress import reported
from memcore.cli.shows import show_ask, show_history, show_plain, show_search
from memcore.cli.streams import streams
from memcore.domain.errors import LogError
from memcore.domain.models import DEFAULT_OWNER, DEFAULT_RECIPE, LogRead, Skipped
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.inspection.why_not import WhyNot
    from memcore.logs import ReadOptions
    from memcore.retrieval.results import Hit, SearchTrace, TimeOfAsking
    from memcore.runs.ingest import IngestReport

app = typer.Typer()
HEADING = "Remember and find"


@command(
    app,
    "ingest",
    "ingest chats.zip --store out",
    "ingest notes.txt --store out --base-date 2023-05-08 --owner ann",
    "ingest chats.zip --store out --recipe naive_rag",
    "ingest chats/*.json --owner-per-file --ray --store postgresql://ann@localhost/memory",
    heading=HEADING,
    cls=OnCluster,
)
def ingest(
    paths: Paths,
    recipe: Annotated[
        str,
        typer.Option(
            metavar=SYSTEM, parser=one_of(SYSTEM), show_default=True, help="The system that reads them."
        ),
    ] = DEFAULT_RECIPE,
    llm: Llm = None,
    record: Record = None,
    format: Annotated[
        str,
        typer.Option(
            metavar=LOG_FORMAT, parser=one_of(LOG_FORMAT), show_default=True, help="What the files are."
        ),
    ] = "auto",
    base_date: Annotated[
        str | None,
        typer.Option(metavar="D", help="Date of messages whose log states none (2023-05-08)."),
    ] = None,
    owner: Owner = DEFAULT_OWNER,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="[ADDRESS]",
            help="Read with Ray, on all cores of this machine or of a cluster (auto, HOST:PORT); the store "
            "is in PostgreSQL.",
        ),
    ] = None,
    owner_per_file: Annotated[
        bool,
        typer.Option(
            "--owner-per-file", help="With --ray: each file is the memory of an owner named like the file."
        ),
    ] = False,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Read conversation logs into memory."""
    from memcore.logs import ReadOptions, missing_times
    from memcore.nlp.time_grammar.dates import parse_when

    options = ReadOptions(
        owner=owner, base_date=parse_when(base_date)[0] if base_date else None, format=format
    )
    files = [here(path) for path in paths]
    if ray is not None or owner_per_file:
        from memcore.cli.bulk import ingest_in_bulk

        settings = settings_of(store, llm=llm, record_to=record)
        document = ingest_in_bulk(
            files, options, settings, ray=ray, owner_per_file=owner_per_file, recipe=recipe
        )
        write(document, show_plain, as_json=as_json)
        return
    with asking(store, llm, record, makes_store=True) as memory:
        log = _read(files, options)
        for skipped in log.skipped:
            tell_skipped(skipped)
        tell_timeless(missing_times(log), options)
        with reported() as progress:
            report = memory.ingest(
                log, owner=owner, recipe=recipe, progress=progress, cancelled=streams().gone
            )
        for error in report.errors:
            tell(f"failed: {error}")
        statistics = memory.runs.token_statistics(owner=owner, run_id=report.run_id)
    write(_ingest_document(report, statistics), show_plain, as_json=as_json)


def _read(paths: Sequence[Path], options: ReadOptions) -> LogRead:
    """Every readable file; one that cannot be read is reported, unless none can."""
    from memcore.logs import read_log

    read: list[LogRead] = []
    failed: list[LogError] = []
    for path in paths:
        try:
            read.append(read_log(path, options))
        except LogError as error:
            failed.append(error)
    if failed and not read:
        raise failed[0]
    skipped = [skipped for log in read for skipped in log.skipped]
    skipped += map(Skipped.whole, failed)
    return LogRead(tuple(log for one in read for log in one.logs), tuple(skipped))


def _ingest_document(report: IngestReport, statistics: Document) -> Document:
    return {
        "run": report.run_id,
        "state": report.state,
        "messages": report.messages,
        "new_messages": report.new_messages,
        "read": report.read,
        "cited": report.cited,
        "segments": report.segments,
        "memories": report.memories,
        "triples": report.triples,
        "skipped": [asdict(skipped) for skipped in report.skipped],
        "errors": list(report.errors),
        "llm": {**report.llm, "statistics": statistics},
        "seconds": round(report.seconds, 2),
        "failed": report.state == "failed" or bool(report.errors),
    }


@command(
    app,
    "search",
    'search "Where does Ann live?" --store out',
    'search "Where did Ann live?" --store out --as-of 2023-05 --explain',
    'search "Whom did I meet 10 days ago?" --store out --asked-at 2023-05-18',
    'search "Where does Ann live?" --store out --why-not mem_1f3a',
    heading=HEADING,
)
def search(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    k: Annotated[int, typer.Option("-k", metavar="N", show_default=True, help="How many results.")] = 10,
    as_of: AsOf = None,
    asked_at: AskedAt = None,
    recipe: OnlySystem = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the plan and each view's ranking to the document.")
    ] = False,
    why_not: Annotated[
        str | None,
        typer.Option(
            "--why-not",
            metavar="ID",
            help="Say why this message or memory is not among the results, and where it ranked.",
        ),
    ] = None,
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Find memories and the words they came from."""
    missed: Document = {}
    with opened(store) as memory:
        where: dict[str, Any] = {
            "owner": owner,
            "as_of": last_moment(as_of),
            "asked_at": last_moment(asked_at),
            "recipe": recipe,
        }
        report = memory.search(query, k=k, **where)
        if why_not:
            missed = why_not_document(memory.why_not(query, why_not, k=k, **where))
    from memcore.retrieval.results import without_model

    document: Document = {
        "query": report.query,
        "asked": asked_document(report.trace.asked),
        "results": [hit_document(hit) for hit in report.hits],
        "warnings": without_model(report.trace.failure),
    }
    if explain:
        document["explain"] = _explanation(report.trace)
    if missed:
        document["why_not"] = missed
    write(document, show_search, as_json=as_json)


def asked_document(asked: TimeOfAsking) -> Document:
    """When a question counted as asked, where that is from, and the same in words."""
    from memcore.retrieval.time_of_asking import in_words

    return {"at": iso(asked.at), "origin": asked.origin, "said": in_words(asked)}


def why_not_document(missed: WhyNot) -> Document:
    """Where a message or a memory ranked, and why it is not among the first, as JSON."""
    return {
        "id": next(iter(sorted(missed.wanted.ids))),
        "k": missed.k,
        "rank": missed.wanted.rank,
        "found": missed.loss is None,
        "why": list(missed.reasons),
        "messages": [{"id": m.id, "speaker": m.speaker, "text": m.text} for m in missed.wanted.messages],
        "memories": [{"id": m.id, "text": m.text, "state": m.state} for m in missed.made],
        "views": [
            {"view": one.view, "rank": one.rank, "score": one.score, "listed": one.listed}
            for one in missed.views
        ],
        "parts": [asdict(part) for part in missed.loss.parts] if missed.loss else [],
    }


def hit_document(hit: Hit) -> Document:
    """One search result as the JSON that DESIGN section 6 fixes."""
    from memcore.inspection.grounding import document as grounding_document

    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": hit.text,
        "score": round(hit.score, 4),
        "mentioned_at": iso(hit.mentioned_at),
        "event_at": iso(hit.event_at),
        "event_end": iso(hit.event_end),
        "state": hit.state,
        "sources": [
            {
                "message": q.message.id,
                "file": q.message.raw_ref.file,
                "where": q.message.raw_ref.where,
                "speaker": q.message.speaker,
                "said_at": iso(q.message.said_at),
                "quote": q.text,
                "start": q.start,
                "end": q.end,
            }
            for q in hit.quotes
        ],
        "grounding": None if hit.kind == "message" else grounding_document(hit.grounding),
        "components": {name: round(value, 4) for name, value in hit.components.items()},
        **({"detail": _rounded(hit.detail)} if hit.detail else {}),
    }


def _rounded(figures: Mapping[str, float | None]) -> Document:
    return {name: value if value is None else round(value, 4) for name, value in figures.items()}


def _explanation(trace: SearchTrace) -> Document:
    return {
        "strategy": trace.strategy,
        "notes": list(trace.notes),
        "plan": asdict(trace.plan),
        "weights": trace.weights,
        "views": [asdict(view) for view in trace.views],
        "milliseconds": round(trace.milliseconds, 2),
    }


@command(
    app,
    "ask",
    'ask "What does Ann like?" --store out --budget 1000',
    'ask "What does Ann like?" --store out --llm ollama',
    heading=HEADING,
)
def ask(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    budget: Annotated[
        int, typer.Option(metavar="TOKENS", show_default=True, help="Tokens of the context.")
    ] = 2000,
    as_of: AsOf = None,
    asked_at: AskedAt = None,
    recipe: OnlySystem = None,
    llm: Llm = None,
    record: Record = None,
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Assemble the context for a question; answer it if a model is chosen."""
    with asking(store, llm, record) as memory:
        answer = memory.ask(
            query,
            budget=budget,
            owner=owner,
            as_of=last_moment(as_of),
            asked_at=last_moment(asked_at),
            recipe=recipe,
        )
        memory.curation.note_question(query, [c.hit.id for c in answer.citations], owner=owner, recipe=recipe)
    from memcore.retrieval.results import without_model

    document = {
        "query": answer.query,
        "asked": asked_document(answer.trace.asked),
        "context": answer.context,
        "context_tokens": answer.context_tokens,
        "citations": [{"number": c.number, **hit_document(c.hit)} for c in answer.citations],
        "answer": answer.answer,
        "answered_by": answer.answered_by,
        "failure": asdict(answer.failure) if answer.failure else None,
        "warnings": [*answer.warnings, *without_model(answer.trace.failure)],
    }
    write(document, show_ask, as_json=as_json)


@command(app, "history", "history --store out --limit 20", "history mem_1f3a --store out", heading=HEADING)
def history(
    object: Annotated[
        str | None, typer.Argument(help="Only what happened to the object with this id.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Only the newest N events.")
    ] = None,
    owner: WhoseIds = None,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """What happened, newest last."""
    from memcore.review.audit import audit

    with opened(store) as memory:
        events = memory.review.history(object, owner=whose(memory, owner), limit=limit)
    told = zip(events, audit(events), strict=True)
    document = {"events": [{**jsonable(event), "line": entry.line} for event, entry in told]}
    write(document, show_history, as_json=as_json)
