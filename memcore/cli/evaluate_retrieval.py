"""`memcore evaluate retrieval`: a system's retrieval on LoCoMo or LongMemEval, beside baselines.

Memories are built in a store in the cache directory, where the next run finds them. The result is
kept where `--store` names a store.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from memcore.cli.kept import kept
from memcore.cli.logs import tell_skipped
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
    ranks,
    settings_of,
    tell_damaged,
)
from memcore.cli.output import Block, Document, Table, one_line, spaced, tell, write
from memcore.cli.progress import reported
from memcore.cli.sharing import opened_here
from memcore.cli.streams import streams
from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_RECIPE
from memcore.runtime.caller import here

if TYPE_CHECKING:
    from memcore.evaluation.detail import QuestionDetail
    from memcore.evaluation.retrieval_datasets import DatasetName, RetrievalDataset
    from memcore.runtime.config import Settings


def retrieval(
    paths: Paths,
    dataset: Dataset,
    recipe: Measured = DEFAULT_RECIPE,
    k: Annotated[
        Any,
        typer.Option("-k", metavar="K,K...", parser=ranks, help="Ranks to score at (default: 5,10,25,50)."),
    ] = None,
    limit: Questions = None,
    llm: Llm = None,
    record: Record = None,
    cache: Cache = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Build memories anew and keep none.")] = False,
    store: KeptIn = None,
    as_json: Json = False,
) -> None:
    """How well a system finds the evidence of annotated questions: LoCoMo, LongMemEval."""
    from memcore.evaluation.evaluating import evaluation_settings
    from memcore.evaluation.ranking import KS
    from memcore.evaluation.retrieval_datasets import read_retrieval_dataset

    if cache and no_cache:
        raise UsageError("--cache and --no-cache exclude each other.", "Leave one of them out.")
    settings = settings_of(store, llm=llm, record_to=record)
    read = read_retrieval_dataset(cast("DatasetName", dataset), [here(path) for path in paths], limit=limit)
    backends = make_backends()
    begun = time.perf_counter()
    if no_cache:
        with TemporaryDirectory(prefix="memscope-evaluation-") as directory:
            own = evaluation_settings(settings, Path(directory), backends=backends)
            document, questions = _evaluated(read, own, recipe, k or KS)
    else:
        own = evaluation_settings(settings, cache, backends=backends)
        document, questions = _evaluated(read, own, recipe, k or KS)
    if store is not None:
        seconds = time.perf_counter() - begun
        document = kept("retrieval", document, paths, settings, seconds, recipe=recipe, questions=questions)
    write(document, show_retrieval, as_json=as_json)


def _evaluated(
    dataset: RetrievalDataset, settings: Settings, recipe: str, ks: tuple[int, ...]
) -> tuple[Document, QuestionDetail]:
    """Its document, and its questions as they would be kept."""
    from memcore.evaluation.detail import trimmed
    from memcore.evaluation.evaluating import evaluate_retrieval
    from memcore.evaluation.missed import stand_ins
    from memcore.evaluation.retrieval_document import retrieval_document

    with opened_here(settings, make_backends()) as memory, reported() as progress:
        tell_damaged(settings)
        for log in dataset.logs.values():
            for skipped in log.skipped:
                tell_skipped(skipped)
        tell(f"memories are kept in {settings.store_dir}")
        result = evaluate_retrieval(
            dataset, memory, recipe=recipe, ks=ks, progress=progress, cancelled=streams().gone
        )
        questions = trimmed(result, stand_ins(memory.store, result))
    for error in result.construction.errors:
        tell(f"failed: {error}")
    return retrieval_document(result), questions


# --------------------------------------------------------------------------- for a person


def show_retrieval(document: Document) -> Sequence[Block]:
    """The recipe beside the baselines, then by category, with what it took."""
    files = ", ".join(map(one_line, document["files"]))
    left_out = "".join(f"; {count} left out, {why}" for why, count in document["excluded"].items())
    built, query = document["construction"], document["query_ms"]
    clusters = document["intervals"]["clusters"], document["intervals"]["clustered_by"]
    scored = f"{document['scored']} of {document['questions']} questions"
    parts: list[Sequence[Block]] = [
        [f"{document['dataset']} ({files}): {scored}{left_out}"],
        [_overall(document)],
        *(
            _category(document, name, kind)
            for name, kind in zip(document["by_category"], document["by_type"], strict=True)
        ),
    ]
    notes = [
        f"in percent; in brackets, {document['intervals']['percent']} % of {document['intervals']['draws']} "
        f"bootstrap draws of {clusters[0]} {clusters[1]}s; ndcg over {document['ndcg_over']}, tokens "
        f"({document['tokenizer']}) over {document['recall_at_tokens_over']}",
        f"built from {built['messages']} messages ({built['from_cache']} from the cache): "
        f"{built['memories']} memories in {built['seconds']:.0f} s, {built['llm_calls']} model calls, "
        f"{built['llm_tokens']} tokens",
        f"a search takes {query['p50']:.0f} ms (p95 {query['p95']:.0f} ms)",
        *document["notes"],
    ]
    return spaced([*parts, *([note] for note in notes)])


def _overall(document: Document) -> Table:
    systems = {document["recipe"]: document["overall"]} | {
        name: blocks["overall"] for name, blocks in document["baselines"].items()
    }
    return _compared(systems, document["intervals"]["overall"])


def _category(document: Document, name: str, kind: str) -> Sequence[Block]:
    block = document["by_category"][name]
    systems = {document["recipe"]: block} | {
        system: blocks["by_category"][name] for system, blocks in document["baselines"].items()
    }
    title = f"{name} {kind}" if kind != name else name
    return [
        f"{title}: {block['questions']} questions",
        _compared(systems, document["intervals"]["by_category"][name]),
    ]


def _compared(systems: dict[str, Document], intervals: Document) -> Table:
    """One row a figure, one column a system, the interval beside the first."""
    flat = {name: _flat(block) for name, block in systems.items()}
    bounds = _flat(intervals)
    rows = []
    for figure in next(iter(flat.values())):
        between = bounds.get(figure)
        rows.append(
            [
                figure,
                *(f"{figures[figure]:.1f}" for figures in list(flat.values())[:1]),
                f"[{between[0]:.1f}, {between[1]:.1f}]" if between else "",
                *(f"{figures[figure]:.1f}" for figures in list(flat.values())[1:]),
            ]
        )
    first, *others = flat
    return Table(["", first, "", *others], rows)


def _flat(block: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for figure, value in block.items():
        if isinstance(value, dict):
            found |= {f"recall at {int(budget):,} tokens": share for budget, share in value.items()}
        elif figure != "questions":
            found[figure] = value
    return found
