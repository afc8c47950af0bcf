"""`memcore llm`: the requests that recorded replies lack, to a file, and answers to them back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from memcore.cli.help import command, group
from memcore.cli.options import Json, Llm, Owner, Store, make_backends, opened
from memcore.cli.output import Document, tell, write
from memcore.domain.models import DEFAULT_OWNER
from memcore.runtime.caller import here

HEADING = "The store"
COMMANDS = "Commands"
app = group("Recorded replies: what is missing in them, and how it is added.")


@command(
    app,
    "pending",
    "llm pending --store out --llm recorded:talk.jsonl --out wanted.jsonl",
    "llm pending --store out --run run_1f3a --out wanted.jsonl",
    heading=COMMANDS,
)
def pending(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    llm: Llm = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Only what this run asked (all runs).")
    ] = None,
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Write the requests that no recorded reply answered."""
    from memcore.llm.unanswered import write_requests
    from memcore.runtime.language_model import require_permission

    with opened(store, llm=llm) as memory:
        recording = None
        if memory.settings.llm == "recorded":
            require_permission(memory.settings)
            recording = Path(memory.settings.recording)
        found = memory.runs.unanswered(owner=owner, run_id=run, recording=recording)
    write_requests(here(out), found.values())
    prompts: dict[str, int] = {}
    for request in found.values():
        prompts[request.prompt_version] = prompts.get(request.prompt_version, 0) + 1
    document = {"file": str(out), "requests": len(found), "by_prompt": prompts}
    write(document, _show_pending, as_json=as_json)


@command(app, "answer", "llm answer answers.jsonl --into talk.jsonl --store out", heading=COMMANDS)
def answer(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help='A line an answer: {"request": HASH, "reply": TEXT, "model": NAME}, the text exactly as it '
            "came.",
        ),
    ],
    into: Annotated[
        Path, typer.Option("--into", metavar="RECORDING", help="The recorded replies; made if new.")
    ],
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Add answers to pending requests to a recording."""
    from memcore.llm.recording import Recorder
    from memcore.llm.unanswered import add_answers
    from memcore.nlp.encoder.cl100k import TOKENIZER

    with opened(store) as memory:
        waiting = memory.runs.unanswered(owner=owner, recording=here(into))
    done = add_answers(
        here(file),
        waiting,
        Recorder(here(into)),
        count_tokens=make_backends()(memory.settings).token_counter(),
        tokenizer=TOKENIZER,
    )
    for line in done.refused:
        tell(f"{file} line {line.number} is left out: {line.why}")
    document = {
        "recording": str(into),
        "added": done.added,
        "pending": len(done.left),
        "refused": [asdict(line) for line in done.refused],
        "failed": bool(done.refused),
    }
    write(document, _show_answer, as_json=as_json)


def _show_pending(document: Document) -> list[str]:
    lines = [f"{name}: {number}" for name, number in document["by_prompt"].items()]
    return [f"{document['requests']} unanswered requests are in {document['file']}", *lines]


def _show_answer(document: Document) -> list[str]:
    return [
        f"{document['added']} answers added to {document['recording']}; {document['pending']} requests still "
        "wait. Run what asked them again: it asks what rests on these answers."
    ]
