"""`python -m memcore`: the command line. Parses, calls the facade, prints.

With `--json` exactly one JSON document goes to stdout; everything else goes to stderr. Exit codes:
0 ok, 1 failed, 2 usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

from memcore.config import Settings, load_settings
from memcore.errors import LogError, MemcoreError, UsageError
from memcore.logs import FORMATS, ReadOptions, missing_times, read_log
from memcore.memory import IngestReport, Memory, reembed_store
from memcore.models import DEFAULT_OWNER, LogRead, Skipped
from memcore.nlp.dates import parse_when
from memcore.recipes import RECIPES
from memcore.retrieval.results import Hit, SearchTrace

Document = dict[str, Any]
Command = Callable[[Settings, argparse.Namespace], Document]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", " ".join(self.format_usage().split()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in arguments
    try:
        options = _parser().parse_args(arguments)
        settings = load_settings(options.store, llm=getattr(options, "llm", None))
        document = options.run(settings, options)
    except MemcoreError as error:
        _fail(error.cause, error.fix, as_json=as_json)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        _fail("Stopped.", "Finished steps are kept; run it again to continue.", as_json=as_json)
        return 1
    if as_json:
        _print_json(document)
    else:
        print(_visible(options.show(document)))
    return 1 if document.get("failed") else 0


# --------------------------------------------------------------------------- commands


def _ingest(memory: Memory, options: argparse.Namespace) -> Document:
    base = parse_when(options.base_date)[0] if options.base_date else None
    log = _read(
        [Path(p) for p in options.paths],
        ReadOptions(owner=options.owner, base_date=base, format=options.format),
    )
    for skipped in log.skipped:
        _tell(f"skipped {skipped.file} {skipped.where}: {skipped.why}")
    if (timeless := missing_times(log)) and base is None:
        _tell(f"{timeless} messages state no time; --base-date gives them one, in a new store")
    report = memory.ingest(log, owner=options.owner, recipe=options.recipe, progress=_progress)
    print(file=sys.stderr)
    for error in report.errors:
        _tell(f"failed: {error}")
    return _ingest_document(report)


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


def _ingest_document(report: IngestReport) -> Document:
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
        "llm": report.llm,
        "seconds": round(report.seconds, 2),
        "failed": report.state == "failed" or bool(report.errors),
    }


def _search(memory: Memory, options: argparse.Namespace) -> Document:
    report = memory.search(options.query, k=options.k, owner=options.owner, as_of=_as_of(options))
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
        "mentioned_at": _iso(hit.mentioned_at),
        "event_at": _iso(hit.event_at),
        "event_end": _iso(hit.event_end),
        "state": hit.state,
        "sources": [
            {
                "message": q.message.id,
                "file": q.message.raw_ref.file,
                "where": q.message.raw_ref.where,
                "speaker": q.message.speaker,
                "said_at": _iso(q.message.said_at),
                "quote": q.text,
                "start": q.start,
                "end": q.end,
            }
            for q in hit.quotes
        ],
        "components": {name: round(value, 4) for name, value in hit.components.items()},
    }


def _explanation(trace: SearchTrace) -> Document:
    return {
        "plan": asdict(trace.plan),
        "weights": trace.weights,
        "views": [asdict(view) for view in trace.views],
        "milliseconds": round(trace.milliseconds, 2),
    }


def _ask(memory: Memory, options: argparse.Namespace) -> Document:
    answer = memory.ask(options.query, budget=options.budget, owner=options.owner, as_of=_as_of(options))
    return {
        "query": answer.query,
        "context": answer.context,
        "context_tokens": answer.context_tokens,
        "citations": [{"number": c.number, **hit_document(c.hit)} for c in answer.citations],
        "answer": answer.answer,
        "answered_by": answer.answered_by,
        "warnings": list(answer.warnings),
    }


def _consolidate(memory: Memory, options: argparse.Namespace) -> Document:
    report = memory.consolidate(owner=options.owner, progress=_progress)
    print(file=sys.stderr)
    return {
        "run": report.run_id,
        "proposals": report.proposals,
        "by_operation": report.by_operation,
        "errors": list(report.errors),
        "failed": bool(report.errors),
    }


def _review_list(memory: Memory, options: argparse.Namespace) -> Document:
    states = None if options.state == "all" else (options.state,)
    proposals = memory.proposals(options.owner, states=states)
    return {"proposals": [_jsonable(proposal) for proposal in proposals]}


def _review_show(memory: Memory, options: argparse.Namespace) -> Document:
    return {"proposal": _jsonable(memory.proposal(options.id))}


def _review_decide(memory: Memory, options: argparse.Namespace) -> Document:
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


def _review_edit(memory: Memory, options: argparse.Namespace) -> Document:
    return {"proposal": _jsonable(memory.edit(options.id, options.text, actor=options.actor))}


def _review_undo(memory: Memory, options: argparse.Namespace) -> Document:
    return _jsonable_document(memory.undo(options.event, actor=options.actor))


def _history(memory: Memory, options: argparse.Namespace) -> Document:
    return {"events": [_jsonable(event) for event in memory.history(options.object, limit=options.limit)]}


def _export(memory: Memory, options: argparse.Namespace) -> Document:
    rows = memory.export(Path(options.to), format=options.format)
    return {"file": options.to, "format": options.format, "rows": rows}


def _import(memory: Memory, options: argparse.Namespace) -> Document:
    return {"file": options.file, "rows": memory.import_store(Path(options.file))}


def _doctor(memory: Memory, options: argparse.Namespace) -> Document:
    report = memory.doctor()
    return {"ok": report.ok, "checks": [asdict(check) for check in report.checks], "failed": not report.ok}


def _reembed(settings: Settings, options: argparse.Namespace) -> Document:
    return {"texts": reembed_store(settings), "embedding_model": settings.embedder}


def _opened(run: Callable[[Memory, argparse.Namespace], Document]) -> Command:
    """A command on an open store, which is closed when it is done."""

    def command(settings: Settings, options: argparse.Namespace) -> Document:
        with Memory(settings) as memory:
            return run(memory, options)

    return command


# --------------------------------------------------------------------------- what a person reads


def _show_search(document: Document) -> str:
    lines = []
    for place, result in enumerate(document["results"], start=1):
        parts = "  ".join(f"{name} {value:+.2f}" for name, value in result["components"].items() if value)
        lines.append(f"{place}. {_one_line(result['text'])}\n   score {result['score']:.2f}  ({parts})")
        for source in result["sources"]:
            where = f"{source['file']} {source['where']}"
            lines.append(f"   {source['speaker']}, {where}: “{_one_line(source['quote'])}”")
    return "\n".join(lines) or "nothing found"


def _show_ask(document: Document) -> str:
    answer = document["answer"] or "No language model is chosen; this is what one would be given:"
    return f"{answer}\n\n{document['context']}"


def _show_review(document: Document) -> str:
    lines = []
    for p in document["proposals"]:
        lines.append(
            f"{p['id']}  {p['operation']:<14} {p['state']:<9} risk {p['risk']:<6} {_one_line(p['reason'])}"
        )
        lines.append(f"    - {_one_line(p['before'])}")
        if p["after"] is not None:
            lines.append(f"    + {_one_line(p['after'])}")
    return "\n".join(lines) or "no proposals"


def _show_history(document: Document) -> str:
    lines = []
    for e in document["events"]:
        undo = f"  undoes {e['undo_of']}" if e["undo_of"] else ""
        lines.append(f"{e['id']}  {e['at'][:19]}  {e['actor']:<10} {e['kind']:<22} {e['object_id']}{undo}")
    return "\n".join(lines) or "nothing has happened yet"


def _show_doctor(document: Document) -> str:
    marks = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
    lines = []
    for check in document["checks"]:
        lines.append(f"{marks[check['state']]}  {check['name']}: {check['what']}")
        if check["fix"]:
            lines.append(f"      fix: {check['fix']}")
    return "\n".join(lines)


def _show_plain(document: Document) -> str:
    shown = {key: value for key, value in document.items() if key != "failed"}
    return json.dumps(shown, indent=2, ensure_ascii=False, default=str)


# --------------------------------------------------------------------------- plumbing


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="memcore", description="See, check and correct what an assistant remembers.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(
        name: str,
        run: Command,
        text: str,
        show: Callable[[Document], str] = _show_plain,
        under: Any = commands,
    ) -> argparse.ArgumentParser:
        sub: argparse.ArgumentParser = under.add_parser(name, help=text, description=text)
        sub.add_argument("--store", type=Path, default=None, metavar="DIR", help="the store's directory")
        sub.add_argument("--owner", default=DEFAULT_OWNER, metavar="NAME", help="whose memory (default: me)")
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.set_defaults(run=run, show=show)
        return sub

    ingest = command("ingest", _opened(_ingest), "Read conversation logs into memory.")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    ingest.add_argument("--recipe", default="memscope", choices=sorted(RECIPES))
    ingest.add_argument("--llm", choices=("none", "ollama", "openai"))
    ingest.add_argument("--format", default="auto", choices=("auto", *FORMATS))
    ingest.add_argument(
        "--base-date", metavar="D", help="date of messages whose log states none (2023-05-08)"
    )

    search = command("search", _opened(_search), "Find memories and the words they came from.", _show_search)
    search.add_argument("query")
    search.add_argument("-k", type=int, default=10)
    search.add_argument("--as-of", metavar="TIME", help="answer from what was valid then (2023-05-08)")
    search.add_argument("--explain", action="store_true", help="add the plan and each view's ranking")

    ask = command(
        "ask",
        _opened(_ask),
        "Assemble the context for a question; answer it if a model is chosen.",
        _show_ask,
    )
    ask.add_argument("query")
    ask.add_argument("--budget", type=int, default=2000, metavar="TOKENS")
    ask.add_argument("--as-of", metavar="TIME")
    ask.add_argument("--llm", choices=("none", "ollama", "openai"))

    consolidate = command(
        "consolidate", _opened(_consolidate), "Propose updates (nothing changes until approved)."
    )
    consolidate.add_argument("--llm", choices=("none", "ollama", "openai"))

    review = commands.add_parser("review", help="List, decide and undo proposals.")
    actions = review.add_subparsers(dest="action", required=True, parser_class=_Parser)
    listing = command("list", _opened(_review_list), "Proposals.", _show_review, actions)
    listing.add_argument(
        "--state",
        default="pending",
        choices=("pending", "approved", "rejected", "applied", "superseded", "all"),
    )
    command(
        "show", _opened(_review_show), "One proposal with diff and evidence.", under=actions
    ).add_argument("id")
    for action in ("approve", "reject"):
        decide = command(action, _opened(_review_decide), f"{action.capitalize()} proposals.", under=actions)
        decide.add_argument("ids", nargs="+", metavar="ID")
        decide.add_argument("--actor", default="person")
    edit = command("edit", _opened(_review_edit), "Change the text a proposal would store.", under=actions)
    edit.add_argument("id")
    edit.add_argument("--text", required=True)
    edit.add_argument("--actor", default="person")
    undo = command(
        "undo", _opened(_review_undo), "Undo an event and all that happened with it.", under=actions
    )
    undo.add_argument("event")
    undo.add_argument("--actor", default="person")

    history = command("history", _opened(_history), "What happened, newest last.", _show_history)
    history.add_argument("object", nargs="?")
    history.add_argument("--limit", type=_count, metavar="N", help="only the newest N")

    export = command("export", _opened(_export), "Write the whole store to a file.")
    export.add_argument("--to", required=True, metavar="FILE")
    export.add_argument("--format", default="jsonl", choices=("jsonl",))
    command("import", _opened(_import), "Read an exported store back.").add_argument("file")
    command("reembed", _reembed, "Move a store to the embedding model that is now active.")
    command(
        "doctor", _opened(_doctor), "What is installed, active, reachable; is the store sound.", _show_doctor
    )
    return parser


def _count(written: str) -> int:
    number = int(written)
    if number < 0:
        raise ValueError(written)
    return number


def _as_of(options: argparse.Namespace) -> datetime | None:
    """The last moment of the period named: `--as-of 2023-05` is what was valid as May ended."""
    return parse_when(options.as_of)[1] - timedelta(microseconds=1) if options.as_of else None


def _progress(stage: str, done: int, total: int) -> None:
    print(f"\r{stage}: {done}/{total}   ", end="", file=sys.stderr, flush=True)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _one_line(text: str) -> str:
    """A text of a log must not look like lines of ours."""
    return " ".join(text.split())


def _visible(text: str) -> str:
    """Control and direction characters in logs must not drive the terminal."""
    return "".join(c if c.isprintable() or c in "\n\u00a0" else f"⟨U+{ord(c):04X}⟩" for c in text)


def _tell(text: str) -> None:
    print(_visible(text), file=sys.stderr)


def _fail(cause: str, fix: str, *, as_json: bool) -> None:
    _tell(f"error: {cause}\nfix:   {fix}")
    if as_json:
        _print_json({"error": cause, "fix": fix})


def _jsonable(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _jsonable(asdict(value))
    if isinstance(value, dict):
        return {key: _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    return _iso(value) if isinstance(value, datetime) else value


def _jsonable_document(value: Any) -> Document:
    document: Document = _jsonable(value)
    return document


def _print_json(document: Document) -> None:
    shown = {key: value for key, value in document.items() if key != "failed"}
    json.dump(_jsonable(shown), sys.stdout, ensure_ascii=True)
    sys.stdout.write("\n")
