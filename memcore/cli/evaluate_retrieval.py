"""`python -m memcore evaluate retrieval`: a recipe's retrieval on LoCoMo or LongMemEval, beside baselines.

Memories are built in a store in the cache directory, where the next run finds them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memcore.cli.text import Document, one_line, progress, table, tell
from memcore.evaluation.evaluating import evaluate_retrieval, evaluation_settings
from memcore.evaluation.retrieval_datasets import RetrievalDataset, read_retrieval_dataset
from memcore.evaluation.retrieval_document import retrieval_document
from memcore.memory import Memory
from memcore.runtime.config import Settings


def retrieval(settings: Settings, options: argparse.Namespace) -> Document:
    """Build what is not in the cache, ask every question, and score what was found."""
    dataset = read_retrieval_dataset(
        options.dataset, [Path(path) for path in options.paths], limit=options.limit
    )
    for log in dataset.logs.values():
        for skipped in log.skipped:
            tell(f"skipped {skipped.file} {skipped.where}: {skipped.why}")
    if not options.no_cache:
        return _evaluated(dataset, evaluation_settings(settings, options.cache), options)
    with TemporaryDirectory(prefix="memscope-evaluation-") as directory:
        return _evaluated(dataset, evaluation_settings(settings, Path(directory)), options)


def _evaluated(dataset: RetrievalDataset, settings: Settings, options: argparse.Namespace) -> Document:
    tell(f"memories are kept in {settings.store_dir}")
    with Memory(settings) as memory:
        result = evaluate_retrieval(dataset, memory, recipe=options.recipe, ks=options.k, progress=progress)
    print(file=sys.stderr)
    for error in result.construction.errors:
        tell(f"failed: {error}")
    return retrieval_document(result)


# --------------------------------------------------------------------------- for a person


def show_retrieval(document: Document) -> str:
    """The recipe beside the baselines, then by category, with what it took."""
    files = ", ".join(map(one_line, document["files"]))
    left_out = "".join(f"; {count} left out, {why}" for why, count in document["excluded"].items())
    built, query = document["construction"], document["query_ms"]
    clusters = document["intervals"]["clusters"], document["intervals"]["clustered_by"]
    parts = [
        f"{document['dataset']} ({files}): {document['scored']} of {document['questions']} questions"
        f"{left_out}",
        _overall(document),
        *(
            _category(document, name, kind)
            for name, kind in zip(document["by_category"], document["by_type"], strict=True)
        ),
        f"in percent; in brackets, {document['intervals']['percent']} % of {document['intervals']['draws']} "
        f"bootstrap draws of {clusters[0]} {clusters[1]}s; ndcg over {document['ndcg_over']}, tokens "
        f"({document['tokenizer']}) over {document['recall_at_tokens_over']}",
        f"built from {built['messages']} messages ({built['from_cache']} from the cache): "
        f"{built['memories']} memories in {built['seconds']:.0f} s, {built['llm_calls']} model calls, "
        f"{built['llm_tokens']} tokens",
        f"a search takes {query['p50']:.0f} ms (p95 {query['p95']:.0f} ms)",
        *document["notes"],
    ]
    return "\n\n".join(parts)


def _overall(document: Document) -> str:
    systems = {document["recipe"]: document["overall"]} | {
        name: blocks["overall"] for name, blocks in document["baselines"].items()
    }
    return _compared(systems, document["intervals"]["overall"])


def _category(document: Document, name: str, kind: str) -> str:
    block = document["by_category"][name]
    systems = {document["recipe"]: block} | {
        system: blocks["by_category"][name] for system, blocks in document["baselines"].items()
    }
    title = f"{name} {kind}" if kind != name else name
    return f"{title}: {block['questions']} questions\n" + _compared(
        systems, document["intervals"]["by_category"][name]
    )


def _compared(systems: dict[str, Document], intervals: Document) -> str:
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
    return table(["", first, "", *others], rows)


def _flat(block: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for figure, value in block.items():
        if isinstance(value, dict):
            found |= {f"recall at {int(budget):,} tokens": share for budget, share in value.items()}
        elif figure != "questions":
            found[figure] = value
    return found
