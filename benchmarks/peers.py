"""Our retrieval and others' in one run: same questions, texts, embeddings and machine, no language model.

    python -m benchmarks.peers ../shared/data/locomo/locomo_dev4.json --dataset locomo
    python -m benchmarks.peers ../shared/data/longmemeval/*dev60* --dataset longmemeval --limit 10 --json

Peers are packages that install from PyPI (benchmarks/requirements-peers.txt: in an environment of its own,
beside requirements.txt, with which it does not conflict). One that is not installed is reported as missing.

Fairness rules
- Everybody is scored by the code of `evaluate retrieval`: rankings are of turns, contexts are `assemble`d
  from them within the same budgets, intervals are of the same questions.
- Everybody reads the same texts: "Speaker: text" (`turn_text`), the text alone where a role is the speaker.
  A peer that has a field for speaker or time is given it, too.
- Everybody has the same vectors, of our embedder. Turns are embedded once for all, in batches; that time is
  part of the building time of each peer that uses vectors. A question is embedded anew by everyone who asks
  for its vector, within its search.
- Everybody is asked once a question, for the same number of results (as many as the largest context is
  chosen from), in each question's own conversation. mem0 weighs four times as many candidates as it is asked
  for, so that this is in its favour.
- A peer's imports and models are loaded before its time is taken, and each conversation is asked something
  before its questions. (Recipes are asked that, too, but load their models while they build.)
- Everything else of a peer is its default. What had to be set, and why, is said in the peer's module.
- Our recipe was developed on the development splits, no peer was set for them: there the differences are on
  the high side, and only a split that nobody has looked at says by how much. LoCoMo dev has four
  conversations, so that its intervals are themselves uncertain.
- A peer that tries to reach another host ends the run. (Python's sockets are watched; LanceDB's Rust is not.)

What is compared
- `mem0`: mem0ai with its hybrid search (`peer_mem0`). A plain `pip install mem0ai` lacks fastembed and
  spaCy's model, and then ranks by cosine alone, as `dense` does (down to its threshold of 0.1).
- `simplemem`: SimpleMem's package; without a language model a search by vectors (`peer_simplemem`).
- `rank-bm25`: over words cut at spaces, as most tutorials do, and over our stemmed words (`peer_bm25`).
- `lightmem recipe`, `simplemem recipe`: our own implementations of the published searches, over what our
  language pipeline extracts for them; for LightMem it has to stand in for the package. `lightmem` on PyPI
  is the authors' (its metadata names zjunlp/LightMem) but a placeholder: version 0.0.0 of July 2025 installs
  without dependencies, its `search` is `pass`, and it cannot be imported (lightmem/memory/lightmem.py has an
  IndentationError in line 128, and lightmem.pre_settings.base imports a package that is not in the wheel).
- `dense`, `bm25`, `z-sum`, `random` and `oracle` are the baselines of `evaluate retrieval`. They are not
  timed: they are ranked together.

Each recipe is measured in a process of its own, so that none finds a question's vector that another asked
for.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peer_bm25 import at_spaces, rank_bm25, stemmed
from benchmarks.peer_mem0 import PACKAGES as MEM0_PACKAGES
from benchmarks.peer_mem0 import mem0
from benchmarks.peer_model import Peer, SharedVectors, missing_packages, no_connections
from benchmarks.peer_report import Timed, peers_document, show_peers
from benchmarks.peer_simplemem import PACKAGES as SIMPLEMEM_PACKAGES
from benchmarks.peer_simplemem import simplemem
from memcore.cli.output import tell
from memcore.cli.progress import reported
from memcore.domain.errors import MemcoreError
from memcore.domain.models import DEFAULT_RECIPE, Message, RawRef
from memcore.domain.protocols import Embedder
from memcore.evaluation.evaluating import evaluate_retrieval, evaluation_settings
from memcore.evaluation.ranking import BUDGETS
from memcore.evaluation.retrieval import Contexts
from memcore.evaluation.retrieval_baselines import turn_text
from memcore.evaluation.retrieval_datasets import (
    DATASETS,
    AnnotatedQuestion,
    RetrievalDataset,
    read_retrieval_dataset,
)
from memcore.evaluation.retrieval_result import RankedQuestion, RetrievalResult
from memcore.memory import open_settings
from memcore.retrieval.context import results_for
from memcore.retrieval.hits import message_hit
from memcore.runtime.backends import MakeBackends
from memcore.runtime.chosen import EMBEDDED_ENCODER, ChosenBackends
from memcore.runtime.config import Settings, load_settings
from memcore.systems.registry import SYSTEMS

PEERS = (
    Peer("mem0", MEM0_PACKAGES, True, "cosine, BM25 of lemmas; infer=False", mem0),
    Peer("simplemem", SIMPLEMEM_PACKAGES, True, "vectors; planning off", simplemem),
    Peer("rank-bm25", ("rank-bm25",), False, "words cut at spaces", rank_bm25(at_spaces)),
    Peer("rank-bm25 stems", ("rank-bm25",), False, "our stemmed words", rank_bm25(stemmed)),
)
RECIPES_BESIDE = ("lightmem", "simplemem")
FIRST_QUESTION = "What was this conversation about?"
"""Asked before the questions of a conversation, and not timed."""

Key = tuple[str, str]
"""Owner and id of a question."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One system: what each of its rankings is worth, and what it took (milliseconds: a search each)."""

    ranked: Mapping[Key, RankedQuestion]
    timed: Timed


def measure_peer(
    peer: Peer, dataset: RetrievalDataset, vectors: SharedVectors, contexts: Contexts, k: int
) -> Measured:
    """Every conversation indexed by the peer, every question asked. Raises RuntimeError if it tries to
    reach another host, and whatever it raises."""
    ranked: dict[Key, RankedQuestion] = {}
    milliseconds: list[float] = []
    seconds = 0.0
    with no_connections() as tried, reported() as progress:
        _load(peer, vectors)
        for owner, log in dataset.logs.items():
            said = [message for one in log.logs for message in one.messages]
            with TemporaryDirectory(prefix="memscope-peer-") as directory:
                begun = time.perf_counter()
                with peer.open(said, vectors, Path(directory)) as search:
                    seconds += time.perf_counter() - begun
                    search(FIRST_QUESTION, k)
                    for question in (one for one in dataset.scored if one.owner == owner):
                        begun = time.perf_counter()
                        found = search(question.text, k)
                        milliseconds.append((time.perf_counter() - begun) * 1000)
                        ranked[owner, question.id] = _judged(found, said, question, contexts)
                        progress(peer.name, len(ranked), len(dataset.scored))
    if tried:
        raise RuntimeError(f"{peer.name} tried to reach {', '.join(sorted({*tried}))}")
    return Measured(ranked, Timed(seconds, tuple(milliseconds)))


def _load(peer: Peer, vectors: SharedVectors) -> None:
    """Let the peer import and load what it works with, on a conversation of two turns."""
    said = [
        Message(f"turn {n}", "session", n, "Ann", "person", text, None, "none", RawRef("", ""))
        for n, text in enumerate(("I planted quinces in Bergen.", "They froze."))
    ]
    with (
        TemporaryDirectory(prefix="memscope-peer-") as directory,
        peer.open(said, vectors, Path(directory)) as search,
    ):
        search(FIRST_QUESTION, 1)


def _judged(
    found: Sequence[str], said: Sequence[Message], question: AnnotatedQuestion, contexts: Contexts
) -> RankedQuestion:
    by_id = {message.id: message for message in said}
    return contexts.ranked(question, [[message_hit(by_id[i], {}) for i in found]])


def beside(result: RetrievalResult, systems: Mapping[str, Mapping[Key, RankedQuestion]]) -> RetrievalResult:
    """The result with other systems among its baselines, so that all figures and intervals are the same."""
    return replace(
        result,
        questions=tuple(
            replace(
                one,
                baselines={
                    **{name: ranked[one.question.owner, one.question.id] for name, ranked in systems.items()},
                    **one.baselines,
                },
            )
            for one in result.questions
        ),
    )


def measure_recipe(
    dataset: RetrievalDataset, settings: Settings, recipe: str, backends: MakeBackends
) -> RetrievalResult:
    """`evaluate retrieval` in a process of its own. What led to the hits is left behind there."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_evaluated, dataset, settings, recipe, backends).result()


def _evaluated(
    dataset: RetrievalDataset, settings: Settings, recipe: str, backends: MakeBackends
) -> RetrievalResult:
    with open_settings(settings, backends) as memory, reported() as progress:
        result = evaluate_retrieval(dataset, memory, recipe=recipe, budgets=BUDGETS, progress=progress)
    return replace(
        result,
        questions=tuple(
            replace(one, report=replace(one.report, trace=replace(one.report.trace, views=(), candidates=())))
            for one in result.questions
        ),
    )


def compare(
    dataset: RetrievalDataset,
    settings: Settings,
    recipe: str,
    others: Sequence[str],
    peers: Sequence[Peer] = PEERS,
    *,
    backends: MakeBackends = ChosenBackends,
) -> tuple[RetrievalResult, dict[str, Timed]]:
    """The recipe's result with every other recipe and every installed peer among its baselines, and what
    each of them took."""
    names = dict.fromkeys((recipe, *others))
    results = {name: measure_recipe(dataset, settings, name, backends) for name in names}
    ours = results.pop(recipe)
    timed = {recipe: _timed(ours)}
    ranked: dict[str, Mapping[Key, RankedQuestion]] = {}
    for name, result in results.items():
        timed[f"{name} recipe"] = _timed(result)
        ranked[f"{name} recipe"] = {
            (one.question.owner, one.question.id): one.recipe for one in result.questions
        }
    contexts = Contexts(backends(settings).token_counter(), results_for, ours.yardstick)
    vectors = SharedVectors(_forgetful_embedder(settings))
    vectors.learn([turn_text(m) for log in dataset.logs.values() for one in log.logs for m in one.messages])
    for peer in peers:
        if not missing_packages(peer):
            measured = measure_peer(peer, dataset, vectors, contexts, ours.search_k)
            embedding = vectors.seconds if peer.embeds else 0.0
            timed[peer.name] = replace(measured.timed, seconds=measured.timed.seconds + embedding)
            ranked[peer.name] = measured.ranked
    return beside(ours, ranked), timed


def _timed(result: RetrievalResult) -> Timed:
    return Timed(result.construction.seconds, tuple(one.milliseconds for one in result.questions))


def _forgetful_embedder(settings: Settings) -> Embedder:
    """The settings' embedder, remembering nothing: the embedded one would give a question that one peer asked
    to the next for nothing."""
    if settings.embedder != EMBEDDED_ENCODER:
        return ChosenBackends(settings).embedder()
    from memcore.nlp.encoder.checkpoint import embedded_numpy_model, minilm_directory
    from memcore.nlp.encoder.llmlingua2 import load_embedded
    from memcore.nlp.encoder.minilm import MiniLM

    small = partial(embedded_numpy_model, minilm_directory())
    return MiniLM(partial(load_embedded, threads=1), small, remembered=0)


def main() -> None:
    """Compare our systems with the installed peers and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--dataset", required=True, choices=DATASETS)
    parser.add_argument("--recipe", default=DEFAULT_RECIPE, choices=sorted(SYSTEMS), help="ours")
    parser.add_argument(
        "--beside",
        nargs="*",
        default=RECIPES_BESIDE,
        choices=sorted(SYSTEMS),
        metavar="RECIPE",
        help="other recipes to measure, too (default: lightmem simplemem)",
    )
    parser.add_argument("--limit", type=int, help="only the first questions of each file")
    parser.add_argument("--cache", type=Path, help="where memories are kept (default: the cache directory)")
    parser.add_argument("--json", action="store_true", help="one JSON document in place of the tables")
    options = parser.parse_args()
    try:
        dataset = read_retrieval_dataset(options.dataset, options.paths, limit=options.limit)
        settings = evaluation_settings(load_settings(), options.cache)
        result, timed = compare(dataset, settings, options.recipe, options.beside)
    except MemcoreError as error:
        sys.exit(f"error: {error.cause}\nfix:   {error.fix}")
    tell("")
    document = peers_document(result, timed, PEERS)
    print(json.dumps(document, indent=2) if options.json else show_peers(document))


if __name__ == "__main__":
    main()
