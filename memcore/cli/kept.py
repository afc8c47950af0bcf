"""Keeping what `memcore evaluate` measured, where `--store` names a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcore.cli.options import make_backends
from memcore.cli.output import Document, tell
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.evaluation.detail import QuestionDetail
    from memcore.evaluation.records import Kind
    from memcore.runtime.config import Settings


def kept(
    kind: Kind,
    document: Document,
    paths: Sequence[str],
    settings: Settings,
    seconds: float,
    *,
    recipe: str = "",
    questions: QuestionDetail | None = None,
) -> Document:
    """Keep an evaluation in the store that was named; returns the document with its id."""
    from memcore.evaluation.records import Evaluations, evaluated_files, new_record

    evaluations = Evaluations(settings.store_dir)
    record = new_record(
        kind,
        document,
        files=evaluated_files([here(path) for path in paths]),
        settings=settings,
        embedding_model=make_backends()(settings).embedding_space()[0],
        by="command line",
        seconds=seconds,
        recipe=recipe,
    )
    record = evaluations.keep(record, questions)
    tell(f"kept as {record.id} in {evaluations.directory}; the Evaluate page shows it")
    if record.without_questions:
        tell(record.without_questions)
    return {**document, "evaluation": record.id}
