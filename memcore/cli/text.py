"""What the command line prints: one JSON document, or text for a person.

Texts of logs and models are data here: control and direction characters are made visible, and a
text of several lines cannot look like lines of ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

Document = dict[str, Any]

PROGRESS_WIDTH = 60
"""Columns of a progress line: a shorter one covers the longer one that it is written over."""


def show_search(document: Document) -> str:
    """Ranked memories, each with its score parts and the words it came from."""
    lines = []
    for place, result in enumerate(document["results"], start=1):
        parts = "  ".join(f"{name} {value:+.2f}" for name, value in result["components"].items() if value)
        lines.append(f"{place}. {one_line(result['text'])}\n   score {result['score']:.2f}  ({parts})")
        for source in result["sources"]:
            where = f"{source['file']} {source['where']}"
            lines.append(f"   {source['speaker']}, {where}: “{one_line(source['quote'])}”")
    return "\n".join(lines) or "nothing found"


def show_ask(document: Document) -> str:
    """The answer, or why there is none, above the context it was given."""
    answer = document["answer"] or "No language model is chosen; this is what one would be given:"
    return f"{answer}\n\n{document['context']}"


def show_review(document: Document) -> str:
    """Proposals, two or three lines each."""
    lines = []
    for p in document["proposals"]:
        lines.append(
            f"{p['id']}  {p['recipe']:<10} {p['operation']:<14} {p['state']:<9} risk {p['risk']:<6} "
            f"{one_line(p['reason'])}"
        )
        lines.append(f"    - {one_line(p['before'])}")
        if p["after"] is not None:
            lines.append(f"    + {one_line(p['after'])}")
    return "\n".join(lines) or "no proposals"


def show_history(document: Document) -> str:
    """Events, a line each."""
    lines = [f"{event['id']}  {event['line']}" for event in document["events"]]
    return "\n".join(lines) or "nothing has happened yet"


def show_doctor(document: Document) -> str:
    """Findings, with the fix under those that need one."""
    marks = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
    lines = []
    for check in document["checks"]:
        lines.append(f"{marks[check['state']]}  {check['name']}: {check['what']}")
        if check["fix"]:
            lines.append(f"      fix: {check['fix']}")
    return "\n".join(lines)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first to the left and the others to the right.

    >>> print(table(["name", "f1"], [["every 4", "9.5"], ["none", "0"]]))
    name      f1
    every 4  9.5
    none       0
    """
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = [
        [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        for row in [header, *rows]
    ]
    return "\n".join("  ".join(line) for line in lines)


def show_plain(document: Document) -> str:
    """Any other document, indented."""
    shown = {key: value for key, value in document.items() if key != "failed"}
    return json.dumps(shown, indent=2, ensure_ascii=False, default=str)


def iso(moment: datetime | None) -> str | None:
    """ISO 8601, or None for an unknown time."""
    return moment.isoformat() if moment else None


def one_line(text: str) -> str:
    """A text of a log must not look like lines of ours."""
    return " ".join(text.split())


def visible(text: str) -> str:
    """Control and direction characters in logs must not drive the terminal."""
    return "".join(c if c.isprintable() or c in "\n\u00a0" else f"⟨U+{ord(c):04X}⟩" for c in text)


def tell(text: str) -> None:
    """A line on stderr, beside the document."""
    print(visible(text), file=sys.stderr)


def fail(cause: str, fix: str, *, as_json: bool) -> None:
    """An error's cause and fix on stderr, and as the document with `--json`."""
    tell(f"error: {cause}\nfix:   {fix}")
    if as_json:
        print_json({"error": cause, "fix": fix})


def progress(stage: str, done: int, total: int) -> None:
    """The state of long work, on one line of stderr that is written over."""
    line = f"{stage}: {done}/{total}"
    print(f"\r{line:<{PROGRESS_WIDTH}}", end="", file=sys.stderr, flush=True)


def jsonable(value: Any) -> Any:
    """Dataclasses, tuples and times as what JSON has."""
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    if isinstance(value, dict):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return iso(value) if isinstance(value, datetime) else value


def print_json(document: Document) -> None:
    """The one document on stdout."""
    shown = {key: value for key, value in document.items() if key != "failed"}
    json.dump(jsonable(shown), sys.stdout, ensure_ascii=True)
    sys.stdout.write("\n")
