"""Looking for updates to propose: `consolidate`, and with `--dry-run` what it would propose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.cli.help import command
from memcore.cli.options import Json, Llm, OnlySystem, Owner, Record, Store, asking
from memcore.cli.output import Document, jsonable, write
from memcore.cli.progress import reported
from memcore.cli.review import HEADING
from memcore.cli.shows import show_plain
from memcore.cli.streams import streams
from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.review.consolidate import ConsolidationReport
    from memcore.runs.dry_run import ConsolidationPreview

app = typer.Typer()


@command(
    app,
    "consolidate",
    "consolidate --store out",
    "consolidate --store out --dry-run --questions questions.txt",
    heading=HEADING,
)
def consolidate(
    llm: Llm = None,
    record: Record = None,
    recipe: OnlySystem = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be proposed; store not even that.")
    ] = False,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --dry-run: which of these would retrieve differently (a line each, or a JSON list).",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", metavar="N", show_default=True, help="With --questions: results compared.")
    ] = 10,
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Propose updates (nothing changes until approved)."""
    with asking(store, llm, record) as memory:
        if dry_run:
            asked = read_questions(here(questions)) if questions else []
            with reported() as progress:
                preview = memory.review.preview_consolidation(
                    asked,
                    owner=owner,
                    recipe=recipe,
                    k=k,
                    progress=progress,
                    cancelled=streams().gone,
                )
            document = _preview_document(preview)
        elif questions:
            raise UsageError("--questions needs --dry-run.", "Add --dry-run, or leave --questions out.")
        else:
            with reported() as progress:
                report = memory.consolidate(
                    owner=owner, recipe=recipe, progress=progress, cancelled=streams().gone
                )
            document = _report_document(report)
    write(document, show_plain, as_json=as_json)


def _report_document(report: ConsolidationReport) -> Document:
    return {
        "run": report.run_id,
        "proposals": report.proposals,
        "by_operation": report.by_operation,
        "cycles": jsonable(report.cycles),
        "errors": list(report.errors),
        "failed": bool(report.errors),
    }


def _preview_document(preview: ConsolidationPreview) -> Document:
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
