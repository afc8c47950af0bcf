"""What a comparison with peers found: one JSON document, and tables of it.

The document is that of `evaluate retrieval`, in which every system is a baseline, with `systems` (what each
is, and what it took) and `missing` beside.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.peer_model import INSTALL, Peer, installed, missing_packages
from memcore.cli.output import Document, plain_table
from memcore.evaluation.ranking import BUDGETS, KS, NDCG, RECALL_AT_TOKENS
from memcore.evaluation.retrieval_document import retrieval_document
from memcore.evaluation.retrieval_result import RetrievalResult

BY_CATEGORY = "turn_recall@10"
DIFFERENCES = (
    *(f"turn_recall@{k}" for k in KS),
    f"{RECALL_AT_TOKENS} 1000",
    NDCG,
    "session_any@5",
    "session_all@5",
)
"""Figures whose intervals are in the tables; the document has all."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What a system took: seconds to build what it searches, of all conversations together, and the
    milliseconds of each search."""

    seconds: float
    milliseconds: tuple[float, ...]


def peers_document(result: RetrievalResult, timed: Mapping[str, Timed], peers: Sequence[Peer]) -> Document:
    """`result` has every system but the recipe among its baselines; `timed` those that were timed."""
    found = retrieval_document(result)
    found["machine"] = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }
    by_name = {peer.name: peer for peer in peers}
    found["systems"] = {
        name: {**_package(by_name.get(name)), **_took(timed.get(name))}
        for name in (result.recipe, *result.baselines)
    }
    found["missing"] = {
        peer.name: {"packages": list(missing), "install": INSTALL}
        for peer in peers
        if (missing := missing_packages(peer))
    }
    return found


def _package(peer: Peer | None) -> Document:
    if peer is None:
        return {"package": None, "how": ""}
    package = installed(peer.packages[0])
    return {"package": asdict(package) if package else None, "how": peer.how}


def _took(timed: Timed | None) -> Document:
    if timed is None:
        return {"build_seconds": None, "query_ms": None}
    p50, p95 = np.percentile(timed.milliseconds, [50, 95])
    return {
        "build_seconds": round(timed.seconds, 2),
        "query_ms": {"p50": round(float(p50), 2), "p95": round(float(p95), 2)},
    }


# --------------------------------------------------------------------------- for a person


def show_peers(document: Document) -> str:
    """Figures a system a row, the differences with their intervals, what each system is, what is missing."""
    intervals, machine = document["intervals"], document["machine"]
    parts = [
        f"{document['dataset']}: {document['scored']} questions, "
        f"{document['construction']['messages']} turns, {document['search_k']} results a search; "
        f"{machine['cores']} cores, load {', '.join(map(str, machine['load']))}",
        _figures(document),
        f"{document['recipe']} less the other, and {intervals['percent']} % of {intervals['draws']} "
        f"bootstrap draws of {intervals['clusters']} {intervals['clustered_by']}s\n" + _differences(document),
        _systems(document),
        *(
            f"MISSING: {name} (no {', '.join(one['packages'])}); run: {one['install']}"
            for name, one in document["missing"].items()
        ),
        f"in percent; R@k: turn_recall@k; c: {BY_CATEGORY} by category; t: recall at so many tokens "
        f"({document['tokenizer']}, over {document['recall_at_tokens_over']}); ndcg@10 over "
        f"{document['ndcg_over']}; any, all: session_any@5, session_all@5; build s: with embedding and "
        "extraction, where there is any; ms: a search, the question's embedding included",
        *document["notes"],
    ]
    return "\n\n".join(parts)


def _blocks(document: Document) -> dict[str, Document]:
    """Score blocks by system, the recipe first."""
    ours = {part: document[part] for part in ("overall", "by_category")}
    return {document["recipe"]: ours, **document["baselines"]}


def _figures(document: Document) -> str:
    categories = list(document["by_category"])
    header = [
        "",
        *(f"R@{k}" for k in KS),
        *(f"c {name}" for name in categories),
        *(f"{budget} t" for budget in BUDGETS),
        "ndcg",
        "any",
        "all",
        "build s",
        "p50 ms",
        "p95 ms",
    ]
    rows = []
    for name, block in _blocks(document).items():
        took = document["systems"][name]
        times = took["query_ms"] or {}
        rows.append(
            [
                name,
                *(_number(figure(block["overall"], f"turn_recall@{k}")) for k in KS),
                *(_number(figure(block["by_category"][one], BY_CATEGORY)) for one in categories),
                *(_number(figure(block["overall"], f"{RECALL_AT_TOKENS} {budget}")) for budget in BUDGETS),
                _number(figure(block["overall"], NDCG)),
                _number(figure(block["overall"], "session_any@5")),
                _number(figure(block["overall"], "session_all@5")),
                _number(took["build_seconds"]),
                _number(times.get("p50")),
                _number(times.get("p95")),
            ]
        )
    return plain_table(header, rows)


def _differences(document: Document) -> str:
    blocks = _blocks(document)
    ours = blocks.pop(document["recipe"])["overall"]
    rows = []
    for name, block in blocks.items():
        bounds = document["intervals"]["difference"][name]["overall"]
        cells = []
        for one in DIFFERENCES:
            mine, theirs = figure(ours, one), figure(block["overall"], one)
            between = figure(bounds, one)
            difference = "-" if mine is None or theirs is None else f"{mine - theirs:+.1f}"
            cells.append(f"{difference} [{between[0]:+.1f}, {between[1]:+.1f}]" if between else difference)
        rows.append([name, *cells])
    return plain_table(["", *(one.replace(RECALL_AT_TOKENS, "recall, tokens") for one in DIFFERENCES)], rows)


def _systems(document: Document) -> str:
    lines = []
    for name, one in document["systems"].items():
        if one["package"]:
            package = one["package"]
            lines.append(
                f"{name}: {package['name']} {package['version']}, {package['licence']}; {one['how']}"
            )
    return "\n".join(lines)


def figure(block: Document, name: str) -> Any:
    """A figure of a block, or its bounds, or None where it has none: those at token budgets stand together.

    >>> figure({"recall_at_tokens": {"500": 61.2}}, "recall_at_tokens 500")
    61.2
    """
    kind, _, budget = name.partition(" ")
    found = block.get(kind)
    return found.get(budget) if budget and found else found


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
