"""`python -m memcore evaluate`: measurements on annotated datasets. Needs no store and makes none."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memcore.cli.text import Document, one_line, progress, table, tell
from memcore.evaluation.compression import RATES, evaluate_compression
from memcore.evaluation.locomo import read_locomo
from memcore.evaluation.segmentation import evaluate_segmentation
from memcore.evaluation.topic_datasets import read_topic_datasets
from memcore.runtime import backends
from memcore.runtime.config import Settings
from memcore.stages.segmentation.scores import METHODS


def segmentation(settings: Settings, options: argparse.Namespace) -> Document:
    """Every method's boundaries against known topic shifts."""
    datasets = read_topic_datasets(
        [Path(path) for path in options.paths], turns=options.turns, limit=options.limit
    )
    embedder, compressor = backends.embedder(settings), backends.compressor(settings)
    results = [
        evaluate_segmentation(
            dataset,
            embedder=embedder,
            compressor=compressor,
            attention=backends.turn_attention(),
            rate=settings.compression_rate,
            methods=options.method or tuple(METHODS),
            progress=progress,
        )
        for dataset in datasets
    ]
    print(file=sys.stderr)
    return _one_or_several([asdict(result) for result in results])


def compression(settings: Settings, options: argparse.Namespace) -> Document:
    """What survives compression, by rate and method."""
    datasets = [read_locomo(Path(path)) for path in options.paths]
    compressors, unavailable = backends.compared_compressors(settings)
    for name, why in unavailable.items():
        tell(f"{name} is unavailable: {why}")
    results = [
        evaluate_compression(
            dataset,
            compressors,
            options.rate or RATES,
            count_tokens=backends.token_counter(),
            progress=progress,
        )
        for dataset in datasets
    ]
    print(file=sys.stderr)
    return _one_or_several([{**asdict(result), "unavailable": unavailable} for result in results])


def _one_or_several(documents: list[Document]) -> Document:
    rounded: list[Document] = _as_json(documents)
    return rounded[0] if len(rounded) == 1 else {"datasets": rounded}


def _as_json(value: Any) -> Any:
    """As JSON has it: keys are texts (rates are not), figures have three decimals."""
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


# --------------------------------------------------------------------------- for a person


def show_segmentation(document: Document) -> str:
    """A table of methods for each dataset, the default marked."""
    return "\n\n".join(map(_segmentation_table, document.get("datasets", [document])))


def _segmentation_table(document: Document) -> str:
    costs = ", ".join(
        f"{what.replace('_', ' ')} {ms:.1f} ms" for what, ms in document["milliseconds_a_turn"].items()
    )
    return (
        f"{document['dataset']} ({one_line(document['file'])}): {document['streams']} streams, "
        f"{document['turns']} turns, {document['boundaries']} boundaries\n"
        f"{_by_method(document['methods'], document['default'])}\n"
        f"in percent; of pk and windowdiff less is better; a turn takes: {costs}"
    )


def show_compression(document: Document) -> str:
    """A table of methods for each dataset and rate, the default marked."""
    return "\n\n".join(map(_compression_tables, document.get("datasets", [document])))


def _compression_tables(document: Document) -> str:
    title = (
        f"{document['dataset']} ({one_line(document['file'])}): {document['answers']} answers in "
        f"{document['turns']} turns"
    )
    tables = [
        f"rate {rate}; kept of all turns by the default: "
        + ", ".join(f"{kind} {kept:.1f} %" for kind, kept in document["must_keep"][rate].items())
        + f"\n{_by_method(methods, document['default'])}"
        for rate, methods in document["rates"].items()
    ]
    missing = [f"{name} is unavailable: {why}" for name, why in document["unavailable"].items()]
    speed = f"the default reads {document['tokens_per_second']:.0f} tokens a second"
    return "\n\n".join([title, *tables, "\n".join([speed, *missing])])


def _by_method(methods: dict[str, dict[str, float]], default: str) -> str:
    """One row a method; the columns are the figures' own names."""
    figures = list(next(iter(methods.values())))
    rows = [
        [f"{'*' if name == default else ' '} {name}", *(f"{scores[figure]:.2f}" for figure in figures)]
        for name, scores in methods.items()
    ]
    return table(["  method", *(figure.replace("_", " ") for figure in figures)], rows)
