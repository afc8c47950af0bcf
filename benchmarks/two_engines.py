"""A dataset remembered, searched and scored in a directory and in PostgreSQL: is anything different?

    python -m benchmarks.two_engines FILE... [--dataset locomo] [--postgres postgresql://USER@HOST/EMPTY]

Compares what is remembered (memories, entities, triples, summaries), the results of every scored question
(ids and their order, scores to 1e-4), and the figures of `evaluate retrieval` (to 0.3 points). Without an
address, a server is started from the package that the tests use. Exits with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from memcore.evaluation.evaluating import evaluate_retrieval
from memcore.evaluation.retrieval_datasets import RetrievalDataset, read_retrieval_dataset
from memcore.evaluation.retrieval_result import RetrievalResult, score_blocks
from memcore.memory import Memory, open_memory

SCORES, POINTS = 1e-4, 0.3
"""How far the score of a result, and a figure in percent, may differ."""


def remembered(memory: Memory, owner: str) -> dict[str, list[Any]]:
    """What is remembered of an owner, without the ids of runs."""
    store = memory.store
    return {
        "memories": [replace(one, run_id="") for one in store.memories(owner, states=None)],
        "entities": store.entities(owner),
        "triples": store.triples(owner),
        "summaries": store.summaries(owner),
    }


def figures(block: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, float]]:
    """Every figure of a block by its name."""
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from figures(value, f"{name}{key} ")
        elif isinstance(value, int | float):
            yield f"{name}{key}", float(value)


def searched(result: RetrievalResult) -> list[list[tuple[str, float]]]:
    """The results of every question."""
    return [[(hit.id, hit.score) for hit in one.report.hits] for one in result.questions]


def compare(dataset: RetrievalDataset, embedded: Memory, served: Memory) -> int:
    """Print what is equal and what is not; 1 where anything is not."""
    results = []
    for name, memory in (("directory", embedded), ("PostgreSQL", served)):
        begun = time.perf_counter()
        results.append(evaluate_retrieval(dataset, memory))
        print(f"{name}: remembered, searched and scored in {time.perf_counter() - begun:.0f} s")
    wrong = 0
    for kind in ("memories", "entities", "triples", "summaries"):
        here, there = (
            [remembered(memory, owner)[kind] for owner in dataset.logs] for memory in (embedded, served)
        )
        wrong += here != there
        print(f"{kind}: {sum(map(len, here))} and {sum(map(len, there))}, equal: {here == there}")
    here_found, there_found = map(searched, results)
    same = sum(
        [key for key, _ in here] == [key for key, _ in there]
        for here, there in zip(here_found, there_found, strict=True)
    )
    far = max(
        abs(mine - theirs)
        for here, there in zip(here_found, there_found, strict=True)
        for (_, mine), (_, theirs) in zip(here, there, strict=False)
    )
    print(f"questions with the same results in the same order: {same} of {len(here_found)}")
    print(f"largest difference of a score at one rank: {far:.1e}")
    here_scored, there_scored = (dict(figures(score_blocks(result))) for result in results)
    apart = {name: abs(value - there_scored[name]) for name, value in here_scored.items()}
    worst = max(apart, key=lambda name: apart[name])
    print(f"figures compared: {len(apart)}; largest difference: {apart[worst]:.2f} points ({worst})")
    for name in ("overall turn_recall@10", "overall ndcg@10"):
        print(f"  {name}: {here_scored[name]:.2f} and {there_scored[name]:.2f}")
    return int(bool(wrong) or same < len(here_found) or far > SCORES or apart[worst] > POINTS)


def main() -> int:
    """Read the arguments and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--dataset", default="locomo")
    parser.add_argument("--postgres", help="the address of an empty database")
    asked = parser.parse_args()
    dataset = read_retrieval_dataset(asked.dataset, asked.files)
    with ExitStack() as stack:
        address = asked.postgres
        if address is None:
            from tests.postgres import new_database

            address = str(stack.enter_context(new_database()))
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="memscope-two-engines-"))
        embedded, served = (
            stack.enter_context(open_memory(place)) for place in (f"{directory}/store", address)
        )
        return compare(dataset, embedded, served)


if __name__ == "__main__":
    sys.exit(main())
