"""`memcore evaluate oversight`: a memory left alone, with all that was proposed applied, and as decided.

Memories are built in a store in the cache directory, where the next run finds them; what is decided is
decided on copies. The result is kept where `--store` names a store; the Compare page shows it there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from memcore.cli.kept import kept
from memcore.cli.options import (
    Cache,
    Dataset,
    Json,
    KeptIn,
    Llm,
    Measured,
    Paths,
    Questions,
    make_backends,
    settings_of,
)
from memcore.cli.output import Block, Document, Table, write
from memcore.cli.trials import copy_of, remembering
from memcore.domain.models import DEFAULT_RECIPE
from memcore.inspection.shares import figure
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.evaluation.retrieval_datasets import DatasetName


def oversight(
    paths: Paths,
    dataset: Dataset = "locomo",
    dated: Annotated[
        Path | None,
        typer.Option(
            "--dated", metavar="FILE", help="Questions as of a date: question, as_of, answer, otherwise."
        ),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions",
            metavar="FILE",
            help="What a person decided: operation, before, after, decision (approve or reject).",
        ),
    ] = None,
    recipe: Measured = DEFAULT_RECIPE,
    limit: Questions = None,
    llm: Llm = None,
    cache: Cache = None,
    store: KeptIn = None,
    as_json: Json = False,
) -> None:
    """What oversight is worth: no consolidation, all applied automatically, reviewed."""
    from memcore.evaluation.evaluating import evaluation_settings
    from memcore.evaluation.oversight import measure_oversight
    from memcore.evaluation.oversight_files import read_dated, read_decisions
    from memcore.evaluation.retrieval_datasets import read_retrieval_dataset
    from memcore.systems.registry import system_named

    begun, settings = time.perf_counter(), settings_of(store, llm=llm)
    read = read_retrieval_dataset(cast("DatasetName", dataset), [here(path) for path in paths], limit=limit)
    asked = read_dated(here(dated)) if dated else []
    decided = read_decisions(here(decisions)) if decisions else None
    building = evaluation_settings(settings, cache, backends=make_backends())
    with remembering(read.logs, building, recipe) as (memory, _):
        result = measure_oversight(
            read,
            asked,
            decided,
            partial(copy_of, memory),
            recipe=recipe,
            sleeps=system_named(recipe).sleep_time,
        )
    document: Document = {"dataset": read.name, "files": list(read.files), **asdict(result)}
    if store is not None:
        seconds = time.perf_counter() - begun
        document = kept("oversight", document, paths, settings, seconds, recipe=recipe)
    write(document, show_oversight, as_json=as_json)


def show_oversight(document: Document) -> Sequence[Block]:
    """A row a way."""
    rows = [
        [
            str(arm["name"]),
            f"{arm['approved']} of {arm['proposals']}",
            str(arm["active"]),
            str(arm["past"]),
            figure(100 * arm["unsupported"], 1),
            f"{100 * arm['recall_at_k']:.1f}",
            f"{100 * arm['recall_at_budget']:.1f}",
            f"{arm['dated_right']} of {document['dated']}",
        ]
        for arm in document["arms"]
    ]
    head = [
        "", "applied", "memories", "past", "% unsupported", "recall@10", "recall in 1,000 tokens",
        "right as of a date",
    ]  # fmt: skip
    undecided = sum(arm["undecided"] for arm in document["arms"])
    notes = [f"{undecided} proposals have no decision in the file"] if undecided else []
    return [f"{document['recipe']}: {document['questions']} questions", Table(head, rows), *notes]
