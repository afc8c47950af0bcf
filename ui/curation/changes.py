"""What an act changes, drawn: each object as a word diff, and the questions that are answered otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcore.memory.curation import Preview
from memcore.review.curate.showing import ObjectChange
from memcore.runs.dry_run import QuestionPreview
from ui.components.diff import diff_html
from ui.shell import links
from ui.shell.frame import meta
from ui.shell.templates import draw, show
from ui.shell.text import count, label, shorten

PARTS = {"chosen": "", "made": "new: ", "follows": "with it: "}
NAMES = {"memory": "memory", "entity": "entity", "triple": "relation"}
FIELDS = {
    "event_at": "happened",
    "event_end": "happened until",
    "valid_from": "holds from",
    "valid_to": "held until",
    "invalidated_at": "held until",
    "superseded_by": "replaced by",
    "merged_into": "merged into",
    "memory_ids": "stated in",
    "subject_id": "subject",
    "object_id": "object",
}
MOST_OBJECTS = 8
_TIME = re.compile(r"^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}.*)?$")


def objects(objects: Sequence[ObjectChange]) -> None:
    """Every object as it was and as it becomes."""
    for one in objects[:MOST_OBJECTS]:
        gone = "" if one.after else ", no longer found"
        meta(f"{PARTS[one.part]}{NAMES[one.object_type]}{gone}")
        show(diff_html(one.diff))
        rows = [
            (FIELDS.get(change.field, change.field), f"{_value(change.before)} → {_value(change.after)}")
            for change in one.changes
        ]
        if rows and not gone:
            draw("shell.pairs", rows=rows)
    if len(objects) > MOST_OBJECTS:
        meta(f"and {count(len(objects) - MOST_OBJECTS, 'further object')}")


def questions(preview: Preview) -> None:
    """Which of the recent questions would be answered differently, and how."""
    asked, changed = len(preview.questions), preview.affected
    if not asked:
        meta("No question has been asked lately; ask some to see here which ones this would change.")
        return
    meta(f"{len(changed)} of {count(asked, 'recent question')} would be answered differently.")
    for question in changed:
        links.link("Ask", label(question.question, 90), q=question.question)
        results(question)


def results(question: QuestionPreview) -> None:
    """Which results of a question leave, come, read otherwise or move."""
    lines = [f"− {hit.rank}. {shorten(hit.text, 120)}" for hit in question.dropped]
    lines += [f"+ {hit.rank}. {shorten(hit.text, 120)}" for hit in question.entered]
    for before, after in question.reworded:
        lines += [
            f"− {before.rank}. {shorten(before.text, 120)}",
            f"+ {after.rank}. {shorten(after.text, 120)}",
        ]
    if question.moved:
        lines.append(f"{count(len(question.moved), 'other result')} at another place")
    draw("shell.metas", lines=lines)


def _value(value: object) -> str:
    if value is None or value == "" or value == []:
        return "nothing"
    if isinstance(value, list):
        return shorten(", ".join(map(str, value)), 120)
    return shorten(_TIME.sub(_day_or_time, str(value)), 120)


def _day_or_time(written: re.Match[str]) -> str:
    return written[1] if written[2] == "00:00" else f"{written[1]} {written[2]}"
