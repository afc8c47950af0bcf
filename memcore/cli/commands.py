"""The commands of `python -m memcore`: each calls the facade and returns the JSON of DESIGN section 6.

A document's `failed` decides the exit code and is not printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path

from memcore.cli.text import Document, iso, jsonable, progress, tell
from memcore.domain.errors import LogError, UsageError
from memcore.domain.models import LogRead, Skipped
from memcore.logs import ReadOptions, missing_times, read_log
from memcore.memory import IngestReport, Memory, diagnose, reembed_store, require_store
from memcore.nlp.time_grammar.dates import parse_when
from memcore.retrieval.results import Hit, SearchTrace
from memcore.review.audit import audit
from memcore.runtime.config import Settings

Command = Callable[[Settings, argparse.Namespace], Document | None]
"""None: it has spoken for itself, and stdout is not for us."""


def ingest(memory: Memory, options: argparse.Namespace) -> Document:
    """Read logs and work through them."""
    base = parse_when(options.base_date)[0] if options.base_date else None
    log = _read(
        [Path(p) for p in options.paths],
        ReadOptions(owner=options.owner, base_date=base, format=options.format),
    )
    for skipped in log.skipped:
        tell(f"skipped {skipped.file} {skipped.where}: {skipped.why}")
    if (timeless := missing_times(log)) and base is None:
        tell(f"{timeless} messages state no time; --base-date gives them one, in a new store")
    report = memory.ingest(log, owner=options.owner, recipe=options.recipe, progress=progress)
    print(file=sys.stderr)
    for error in report.errors:
        tell(f"failed: {error}")
    statistics = memory.token_statistics(owner=options.owner, run_id=report.run_id)
    return _ingest_document(report, statistics)


def _read(paths: Sequence[Path], options: ReadOptions) -> LogRead:
    """Every readable file; one that cannot be read is reported, unless none can."""
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
    skipped += [Skipped(error.file, error.where, f"{error.cause} {error.fix}") for error in failed]
    return LogRead(tuple(log for one in read for log in one.logs), tuple(skipped))


def _ingest_document(report: IngestReport, statistics: Document) -> Document:
    return {
        "run": report.run_id,
        "state": report.state,
        "messages": report.messages,
        "new_messages": report.new_messages,
        "segments": report.segments,
        "memories": report.memories,
        "triples": report.triples,
        "skipped": [asdict(skipped) for skipped in report.skipped],
        "errors": list(report.errors),
        "llm": {**report.llm, "statistics": statistics},
        "seconds": round(report.seconds, 2),
        "failed": report.state == "failed" or bool(report.errors),
    }


def search(memory: Memory, options: argparse.Namespace) -> Document:
    """Ranked memories with score parts and sources."""
    report = memory.search(
        options.query, k=options.k, owner=options.owner, as_of=_as_of(options), recipe=options.recipe
    )
    document: Document = {"query": report.query, "results": [hit_document(hit) for hit in report.hits]}
    if options.explain:
        document["explain"] = _explanation(report.trace)
    return document


def hit_document(hit: Hit) -> Document:
    """One search result as the JSON that DESIGN section 6 fixes."""
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


def ask(memory: Memory, options: argparse.Namespace) -> Document:
    """The context for a question, and the answer if a model is chosen."""
    answer = memory.ask(
        options.query,
        budget=options.budget,
        owner=options.owner,
        as_of=_as_of(options),
        recipe=options.recipe,
    )
    return {
        "query": answer.query,
        "context": answer.context,
        "context_tokens": answer.context_tokens,
        "citations": [{"number": c.number, **hit_document(c.hit)} for c in answer.citations],
        "answer": answer.answer,
        "answered_by": answer.answered_by,
        "warnings": list(answer.warnings),
    }


def consolidate(memory: Memory, options: argparse.Namespace) -> Document:
    """Propose updates, or with --dry-run say which those would be."""
    if options.dry_run:
        return _dry_run(memory, options)
    if options.questions:
        raise UsageError("--questions needs --dry-run.", "Add --dry-run, or leave --questions out.")
    report = memory.consolidate(owner=options.owner, recipe=options.recipe, progress=progress)
    print(file=sys.stderr)
    return {
        "run": report.run_id,
        "proposals": report.proposals,
        "by_operation": report.by_operation,
        "cycles": jsonable(report.cycles),
        "errors": list(report.errors),
        "failed": bool(report.errors),
    }


def _dry_run(memory: Memory, options: argparse.Namespace) -> Document:
    questions = read_questions(options.questions) if options.questions else []
    preview = memory.preview_consolidation(
        questions, owner=options.owner, recipe=options.recipe, k=options.k, progress=progress
    )
    print(file=sys.stderr)
    return {
        "dry_run": True,
        "proposals": jsonable(preview.proposals),
        "by_operation": preview.by_operation,
        "waiting": jsonable(preview.waiting),
        "cycles": jsonable(preview.cycles),
        "questions": [
            {
                "question": one.question,
                "changed": one.changed,
                "before": jsonable(one.before),
                "after": jsonable(one.after),
            }
            for one in preview.questions
        ],
        "not_applied": list(preview.not_applied),
        "errors": list(preview.errors),
        "llm": {"calls": preview.llm_calls, "tokens": preview.llm_tokens},
        "failed": bool(preview.errors),
    }


def read_questions(path: Path) -> list[str]:
    """Questions of a file: a JSON list of texts or of objects with a `question`, else one a line.
    Raises UsageError when there are none."""
    fix = "Write one question a line, or a JSON list of questions."
    try:
        text = path.read_text(encoding="utf-8")
        listed = json.loads(text) if path.suffix == ".json" else text.splitlines()
        if not isinstance(listed, list):
            raise TypeError("it is no list")
        questions = [one if isinstance(one, str) else str(one["question"]) for one in listed]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, TypeError, KeyError) as error:
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"No questions can be read from {path} ({why}).", fix) from error
    questions = [question.strip() for question in questions if question.strip()]
    if not questions:
        raise UsageError(f"{path} has no question.", fix)
    return questions


def review_list(memory: Memory, options: argparse.Namespace) -> Document:
    """Proposals in a state."""
    states = None if options.state == "all" else (options.state,)
    proposals = memory.proposals(options.owner, states=states, recipe=options.recipe)
    return {"proposals": [jsonable(proposal) for proposal in proposals]}


def review_show(memory: Memory, options: argparse.Namespace) -> Document:
    """One proposal with diff and evidence."""
    return {"proposal": jsonable(memory.proposal(options.id))}


def review_decide(memory: Memory, options: argparse.Namespace) -> Document:
    """Approve or reject."""
    decide = memory.approve if options.action == "approve" else memory.reject
    decided = decide(options.ids, actor=options.actor)
    results = [
        {
            "proposal": outcome.proposal.id,
            "state": outcome.proposal.state,
            "memory": outcome.memory_id,
            "conflict": outcome.conflict,
        }
        for outcome in decided.outcomes
    ]
    return {"results": results, "event": decided.event_id, "failed": any(r["conflict"] for r in results)}


def review_edit(memory: Memory, options: argparse.Namespace) -> Document:
    """Change what a proposal would store."""
    return {"proposal": jsonable(memory.edit(options.id, options.text, actor=options.actor))}


def review_undo(memory: Memory, options: argparse.Namespace) -> Document:
    """Take an event and its batch back."""
    undone: Document = jsonable(memory.undo(options.event, actor=options.actor))
    return undone


def history(memory: Memory, options: argparse.Namespace) -> Document:
    """Events, of one object or all."""
    events = memory.history(options.object, limit=options.limit)
    told = zip(events, audit(events), strict=True)
    return {"events": [{**jsonable(event), "line": entry.line} for event, entry in told]}


def export(memory: Memory, options: argparse.Namespace) -> Document:
    """What is stored to a file."""
    rows = memory.export(
        Path(options.to),
        format=options.format,
        owner=options.owner,
        recipe=options.recipe,
        overwrite=options.overwrite,
    )
    return {"file": options.to, "format": options.format, "rows": rows}


def import_store(memory: Memory, options: argparse.Namespace) -> Document:
    """An exported store back in."""
    return {"file": options.file, "rows": memory.import_store(Path(options.file))}


def doctor(settings: Settings, options: argparse.Namespace) -> Document:
    """`doctor` also speaks when the store is missing or cannot be opened."""
    report = diagnose(settings)
    return {"ok": report.ok, "checks": [asdict(check) for check in report.checks], "failed": not report.ok}


def reembed(settings: Settings, options: argparse.Namespace) -> Document:
    """The store moved to the active embedding model."""
    return {"texts": reembed_store(settings), "embedding_model": settings.embedder}


def mcp(settings: Settings, options: argparse.Namespace) -> None:
    """Serve other assistants until stdin ends; stdout is theirs."""
    from memcore.server.mcp_server import serve

    serve(settings, owner=options.owner, recipe=options.recipe)


def opened(run: Callable[[Memory, argparse.Namespace], Document], *, makes_store: bool = False) -> Command:
    """A command on an open store, which is closed when it is done. Only what brings something in may
    make a store: a mistyped directory must not look like an empty memory."""

    def command(settings: Settings, options: argparse.Namespace) -> Document:
        if not makes_store:
            require_store(settings)
        with Memory(settings) as memory:
            return run(memory, options)

    return command


def _as_of(options: argparse.Namespace) -> datetime | None:
    """The last moment of the period named: `--as-of 2023-05` is what was valid as May ended."""
    return parse_when(options.as_of)[1] - timedelta(microseconds=1) if options.as_of else None
