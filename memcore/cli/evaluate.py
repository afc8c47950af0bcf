"""`memcore evaluate`: measurements on annotated datasets. Needs no store and makes none;
where `--store` names one, the result is kept there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from memcore.cli.evaluate_consolidation import consolidation
from memcore.cli.evaluate_grounding import grounding
from memcore.cli.evaluate_oversight import oversight
from memcore.cli.evaluate_retrieval import retrieval
from memcore.cli.help import Repeating, command, group
from memcore.cli.kept import kept
from memcore.cli.names import METHOD, one_of
from memcore.cli.options import Json, KeptIn, Paths, make_backends, settings_of, several, share
from memcore.cli.output import Block, Document, Table, one_line, spaced, tell, write
from memcore.cli.progress import reported
from memcore.inspection.shares import in_percent
from memcore.runtime.caller import here

app = group("Measure on annotated datasets.")
HEADING = "Commands"

command(
    app,
    "retrieval",
    "evaluate retrieval LOCOMO.json --dataset locomo",
    "evaluate retrieval QUESTIONS.json SESSIONS.jsonl.xz --dataset longmemeval --recipe naive_rag --limit 20",
    heading=HEADING,
)(retrieval)
command(
    app,
    "consolidation",
    "evaluate consolidation LONGMEMEVAL.json",
    "evaluate consolidation QUESTIONS.json SESSIONS.jsonl.xz --distractors 8 --limit 20",
    heading=HEADING,
)(consolidation)
command(
    app,
    "grounding",
    "evaluate grounding LOCOMO.json",
    heading=HEADING,
)(grounding)
command(
    app,
    "oversight",
    "evaluate oversight LOCOMO.json --llm recorded:talk.jsonl --dated dated.json --decisions decided.json",
    heading=HEADING,
)(oversight)


@command(
    app,
    "segmentation",
    "evaluate segmentation TIAGE.json LONGMEMEVAL.json",
    "evaluate segmentation LONGMEMEVAL.json --method intersection --turns 100 --limit 20",
    heading=HEADING,
)
def segmentation(
    paths: Paths,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar=METHOD, parser=one_of(METHOD), help="Only this one (repeatable; default: all)."),
    ] = None,
    turns: Annotated[
        int | None,
        typer.Option(metavar="N", parser=several, help="Turns of each LongMemEval haystack (default: 60)."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "--streams",
            metavar="N",
            parser=several,
            help="Only the first N streams of each dataset.",
        ),
    ] = None,
    store: KeptIn = None,
    as_json: Json = False,
) -> None:
    """Topic boundaries against known ones: TIAGE, DialSeg711, LongMemEval."""
    from memcore.evaluation.segmentation import evaluate_segmentation
    from memcore.evaluation.topic_datasets import STREAM_TURNS, read_topic_datasets
    from memcore.systems.registry import SEGMENT_METHODS

    begun, settings = time.perf_counter(), settings_of(store)
    datasets = read_topic_datasets([here(path) for path in paths], turns=turns or STREAM_TURNS, limit=limit)
    backends = make_backends()(settings)
    embedder, compressor = backends.embedder(), backends.compressor()
    with reported() as progress:
        results = [
            evaluate_segmentation(
                dataset,
                embedder=embedder,
                compressor=compressor,
                attention=backends.attention(),
                rate=settings.compression_rate,
                methods=method or tuple(SEGMENT_METHODS),
                progress=progress,
            )
            for dataset in datasets
        ]
    document = _one_or_several([asdict(result) for result in results])
    if store is not None:
        document = kept("segmentation", document, paths, settings, time.perf_counter() - begun)
    write(document, show_segmentation, as_json=as_json)


@command(
    app,
    "compression",
    "evaluate compression LOCOMO.json",
    "evaluate compression LOCOMO.json --rate 0.8 0.5",
    heading=HEADING,
    cls=Repeating,
)
def compression(
    paths: Paths,
    rate: Annotated[
        list[float] | None,
        typer.Option(metavar="R...", parser=share, help="Shares of tokens to keep (default: 0.8 0.6 0.4)."),
    ] = None,
    store: KeptIn = None,
    as_json: Json = False,
) -> None:
    """What survives compression of what LoCoMo asks for."""
    from memcore.evaluation.compression import RATES, compared_compressors, evaluate_compression
    from memcore.evaluation.locomo import read_locomo

    begun, settings = time.perf_counter(), settings_of(store)
    backends = make_backends()(settings)
    datasets = [read_locomo(here(path)) for path in paths]
    compressors, unavailable = compared_compressors(backends)
    for name, why in unavailable.items():
        tell(f"{name} is unavailable: {why}")
    with reported() as progress:
        results = [
            evaluate_compression(
                dataset,
                compressors,
                rate or RATES,
                count_tokens=backends.token_counter(),
                progress=progress,
            )
            for dataset in datasets
        ]
    document = _one_or_several([{**asdict(result), "unavailable": unavailable} for result in results])
    if store is not None:
        document = kept("compression", document, paths, settings, time.perf_counter() - begun)
    write(document, show_compression, as_json=as_json)


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


def show_segmentation(document: Document) -> Sequence[Block]:
    """A table of methods for each dataset, the default marked."""
    return spaced(_segmentation_table(one) for one in document.get("datasets", [document]))


def _segmentation_table(document: Document) -> Sequence[Block]:
    costs = ", ".join(
        f"{what.replace('_', ' ')} {ms:.1f} ms" for what, ms in document["milliseconds_a_turn"].items()
    )
    return [
        f"{document['dataset']} ({one_line(document['file'])}): {document['streams']} streams, "
        f"{document['turns']} turns, {document['boundaries']} boundaries",
        _by_method(document["methods"], document["default"]),
        f"in percent; of pk and windowdiff less is better; a turn takes: {costs}",
    ]


def show_compression(document: Document) -> Sequence[Block]:
    """A table of methods for each dataset and rate, the default marked."""
    return spaced(part for one in document.get("datasets", [document]) for part in _compression_tables(one))


def _compression_tables(document: Document) -> Iterator[Sequence[Block]]:
    yield [
        f"{document['dataset']} ({one_line(document['file'])}): {document['answers']} answers in "
        f"{document['turns']} turns"
    ]
    for rate, methods in document["rates"].items():
        kept = ", ".join(
            f"{kind} {in_percent(share, 1)}" for kind, share in document["must_keep"][rate].items()
        )
        yield [
            f"rate {rate}; kept of all turns by the default: {kept}",
            _by_method(methods, document["default"]),
        ]
    yield [
        f"the default reads {document['tokens_per_second']:.0f} tokens a second",
        *(f"{name} is unavailable: {why}" for name, why in document["unavailable"].items()),
    ]


def _by_method(methods: dict[str, dict[str, float]], default: str) -> Table:
    """One row a method; the columns are the figures' own names."""
    figures = list(next(iter(methods.values())))
    rows = [
        [f"{'*' if name == default else ' '} {name}", *(f"{scores[figure]:.2f}" for figure in figures)]
        for name, scores in methods.items()
    ]
    return Table(["  method", *(figure.replace("_", " ") for figure in figures)], rows)
