"""How a person reads each command's document: lines anywhere, tables on a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memcore.cli.output import Block, Document, Table, one_line


def show_search(document: Document) -> Sequence[Block]:
    """Ranked memories, each with its score parts and the words it came from."""
    lines = []
    for place, result in enumerate(document["results"], start=1):
        parts = "  ".join(f"{name} {value:+.2f}" for name, value in result["components"].items() if value)
        lines.append(f"{place}. {one_line(result['text'])}\n   score {result['score']:.2f}  ({parts})")
        lines += [f"   {line}" for line in _doubts(result["grounding"])]
        for source in result["sources"]:
            where = f"{source['file']} {source['where']}"
            lines.append(f"   {source['speaker']}, {where}: “{one_line(source['quote'])}”")
    blocks = [*document["warnings"], "\n".join(lines) or "nothing found", *_asked(document)]
    if missed := document.get("why_not"):
        blocks.append(_why_not(missed))
    return blocks


def _doubts(grounding: Document | None) -> list[str]:
    """Why its words do not carry a result; nothing where they do, or nobody checked it."""
    if grounding is None or grounding["verdict"] in ("supported", "unchecked"):
        return []
    return [f"{grounding['verdict']}: {one_line(reason)}" for reason in grounding["reasons"]]


def _asked(document: Document) -> list[str]:
    """When the question counted as asked, where any message says when it was said."""
    asked = document["asked"]
    return [f"asked: {asked['said']}"] if asked["at"] else []


def _why_not(missed: Document) -> str:
    """Where what should have been found ranked, and why."""
    said = missed["memories"] or missed["messages"]
    lines = [f"{missed['id']}: {one_line(said[0]['text'])}" if said else missed["id"]]
    rank = missed["rank"]
    lines.append(f"   rank {rank}" if rank else "   not returned")
    lines += [f"   {one_line(reason)}" for reason in missed["why"]]
    for one in missed["views"]:
        place = f"rank {one['rank']}" if one["rank"] else f"not among the first {one['listed']}"
        lines.append(f"   {one['view']}: {place}")
    return "\n".join(lines)


def show_ask(document: Document) -> Sequence[Block]:
    """The answer, or why there is none, above the context it was given."""
    answer = document["answer"] or "No language model is chosen; this is what one would be given:"
    if failure := document["failure"]:
        answer = f"No answer: {failure['cause']} {failure['fix']}\nThis is what the model was to be given:"
    said = "\n".join([answer, *document["warnings"]])
    return [f"{said}\n\n{document['context']}", *_asked(document)]


def show_review(document: Document) -> Sequence[Block]:
    """Proposals: a row each, or two or three lines each."""
    if not (proposals := document["proposals"]):
        return ["no proposals"]
    lines, rows = [], []
    for p in proposals:
        reason, before = one_line(p["reason"]), f"- {one_line(p['before'])}"
        after = [] if p["after"] is None else [f"+ {one_line(p['after'])}"]
        lines.append(
            f"{p['id']}  {p['recipe']:<10} {p['operation']:<14} {p['state']:<9} risk {p['risk']:<6} {reason}"
        )
        lines += [f"    {text}" for text in (before, *after)]
        rows.append(
            [p["id"], p["recipe"], p["operation"], p["state"], p["risk"], "\n".join([reason, before, *after])]
        )
    header = ["proposal", "system", "operation", "state", "risk", "reason and change"]
    return [Table(header, rows, left=len(header), lines="\n".join(lines))]


def show_history(document: Document) -> Sequence[Block]:
    """Events, a line each."""
    if not (events := document["events"]):
        return ["nothing has happened yet"]
    rows = [[event["id"], event["line"]] for event in events]
    return [Table(["event", "what happened"], rows, left=2, lines="\n".join("  ".join(row) for row in rows))]


def show_curation(document: Document) -> Sequence[Block]:
    """What a change by hand would do to objects and to the answers of recent questions."""
    lines = []
    for one in document["objects"]:
        lines.append(f"{one['part']:<8} {one['object_type']} {one['object_id']}")
        texts = (("-", one["before"]), ("+", one["after"])) if one["before"] != one["after"] else ()
        lines += [f"    {sign} {one_line(text)}" for sign, text in texts if text]
        lines += [f"    {c['field']}: {c['before']} → {c['after']}" for c in one["changes"]]
    asked = document["questions_asked"]
    lines.append(f"{len(document['questions'])} of {asked} recent questions would be answered differently")
    for question in document["questions"]:
        lines.append(f"    {one_line(question['question'])}")
        for sign, hits in (("-", question["leave"]), ("+", question["enter"])):
            lines += [f"      {sign} {hit['rank']}. {one_line(hit['text'])}" for hit in hits]
        for was, now in question["reword"]:
            lines += [f"      - {one_line(was)}", f"      + {one_line(now)}"]
        lines += [f"      {key}: {was} → {now}" for key, (was, now) in question["move"].items()]
    return ["\n".join(lines)]


def show_mistakes(document: Document) -> Sequence[Block]:
    """What people found wrong, a row each."""
    if not (found := document["wrong"]):
        return ["nothing was marked wrong"]
    header = ["stage", "system", "object", "it said", "reason"]
    rows = [
        [row["stage"], row["recipe"], row["object_id"], one_line(row["text"]), one_line(row["reason"])]
        for row in found
    ]
    return [Table(header, rows, left=len(header))]


def show_doctor(document: Document) -> Sequence[Block]:
    """Findings, with the fix under those that need one."""
    marks = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
    lines, rows = [], []
    for check in document["checks"]:
        mark, fix = marks[check["state"]], [f"fix: {check['fix']}"] if check["fix"] else []
        lines += [f"{mark}  {check['name']}: {check['what']}", *(f"      {text}" for text in fix)]
        rows.append([mark.strip(), check["name"], "\n".join([check["what"], *fix])])
    return [Table(["", "checked", "found"], rows, left=3, lines="\n".join(lines))]


def show_plain(document: Document) -> Sequence[Block]:
    """Any other document, indented."""
    shown = {key: value for key, value in document.items() if key != "failed"}
    return [json.dumps(shown, indent=2, ensure_ascii=False, default=str)]
