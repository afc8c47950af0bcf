"""`memcore evaluate consolidation`: whether changed answers become proposals, on LongMemEval.

Memories are built in a store in the cache directory, where the next run finds them; consolidation and
approval happen on a copy. The result is kept where `--store` names a store.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

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
    Record,
    make_backends,
    none_or_several,
    settings_of,
)
from memcore.cli.output import Block, Document, Table, one_line, spaced, write
from memcore.cli.trials import copy_of, remembering
from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_RECIPE
from memcore.inspection.shares import in_percent
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.evaluation.consolidation import UpdateDataset
    from memcore.runtime.config import Settings


def consolidation(
    paths: Paths,
    dataset: Dataset = "longmemeval",
    distractors: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=none_or_several,
            help="Other sessions beside the two that answer (default: 4).",
        ),
    ] = None,
    recipe: Measured = DEFAULT_RECIPE,
    limit: Questions = None,
    llm: Llm = None,
    record: Record = None,
    cache: Cache = None,
    store: KeptIn = None,
    as_json: Json = False,
) -> None:
    """Whether consolidation proposes the change of an answer: LongMemEval's knowledge updates."""
    from memcore.evaluation.consolidation import DISTRACTORS, read_updates
    from memcore.evaluation.evaluating import evaluation_settings

    if dataset != "longmemeval":
        raise UsageError(
            f"{dataset} has no questions whose answer changes.", "Give LongMemEval's knowledge updates."
        )
    settings = settings_of(store, llm=llm, record_to=record)
    others = DISTRACTORS if distractors is None else distractors
    read = read_updates([here(path) for path in paths], distractors=others, limit=limit)
    begun = time.perf_counter()
    document = _evaluated(read, evaluation_settings(settings, cache, backends=make_backends()), recipe)
    if store is not None:
        seconds = time.perf_counter() - begun
        document = kept("consolidation", document, paths, settings, seconds, recipe=recipe)
    write(document, show_consolidation, as_json=as_json)


def _evaluated(dataset: UpdateDataset, settings: Settings, recipe: str) -> Document:
    from memcore.evaluation.consolidation import measure_consolidation
    from memcore.evaluation.consolidation_document import consolidation_document

    logs = {question.owner: question.log for question in dataset.scored}
    with remembering(logs, settings, recipe) as (memory, progress), copy_of(memory) as copy:
        result = measure_consolidation(
            dataset, copy, recipe=recipe, threshold=settings.queue_threshold, progress=progress
        )
    return consolidation_document(result)


# --------------------------------------------------------------------------- for a person


def show_consolidation(document: Document) -> Sequence[Block]:
    """The figures, then every question that was missed, and why."""
    left_out = "".join(f"; {count} left out, {why}" for why, count in document["excluded"].items())
    files = ", ".join(map(one_line, document["files"]))
    operations = [f"{name} {in_percent(share, 1)}" for name, share in document["linked_by_operation"].items()]
    recall, first = document["evidence_recall@10"], document["newest_first"]
    figures = Table(
        ["", "%", "after approving all"],
        [
            ["changes proposed", f"{document['linked']:.1f}", ""],
            ["proposals about a person", f"{document['about_person']:.1f}", ""],
            ["proposals about an assistant's words", f"{document['about_assistant']:.1f}", ""],
            ["evidence recall@10", f"{recall['before']:.1f}", f"{recall['after_all']:.1f}"],
            ["newest answer first", f"{first['before']:.1f}", f"{first['after_all']:.1f}"],
        ],
    )
    missed = [
        [one_line(str(one["question_id"])), one_line(str(one["question"])), str(one["why"])]
        for one in document["missed"]
    ]
    parts: list[Sequence[Block]] = [
        [f"{document['dataset']} ({files}): {document['questions']} questions{left_out}"],
        [figures],
        [
            f"changes proposed as: {', '.join(operations)}",
            f"{document['proposals']} proposals of {document['memories']} memories "
            f"({document['per_1000_memories']:.1f} per 1,000)",
        ],
    ]
    if missed:
        parts.append(["missed:", Table(["question", "", "why"], missed)])
    return spaced(parts)
