"""Evaluation of retrieval on a memory of its own: which store it is, and the backends that measuring uses.

An evaluation's memories are kept in an ordinary store in the cache directory, under a name made from all
that memories depend on: the code that makes them, the settings, the models and packages. Whatever of it
changes, another store is begun, and no figure rests on memories that today's code would not make. Several
datasets and recipes live in one; what a stopped evaluation built is gone on with. It may be deleted at
any time. The app and the command line both evaluate through `evaluate_retrieval`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from memcore.domain.errors import StoreError
from memcore.domain.models import DEFAULT_RECIPE
from memcore.domain.protocols import Cancelled, Embedder, Progress, Store, Vectors
from memcore.evaluation.building import EvaluatedMemory
from memcore.evaluation.ranking import CURVE, KS, Yardstick
from memcore.evaluation.retrieval import Measuring, measure_retrieval
from memcore.evaluation.retrieval_datasets import RetrievalDataset
from memcore.evaluation.retrieval_result import RetrievalResult
from memcore.nlp.encoder.cl100k import TOKENIZER
from memcore.retrieval.context import results_for
from memcore.runtime.backends import MakeBackends
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings, cache_directory
from memcore.runtime.doctor import check_packages
from memcore.store import Bm25Index
from memcore.systems.registry import SYSTEMS
from memcore.systems.settings import described

_PACKAGE = Path(__file__).parents[1]
_NOT_MAKING = ("retrieval", "evaluation", "cli", "server", "__pycache__")
"""Beginnings of what has no part in making memories; all else in the package has, whatever it is."""

_WITHOUT_INFLUENCE = {
    "store_dir", "database", "openai_api_key", "llm_timeout_s", "llm_workers", "queue_top_k", "queue_keep",
    "queue_threshold", "serve",
}  # fmt: skip


def evaluation_settings(
    settings: Settings, cache: Path | None = None, *, backends: MakeBackends = ChosenBackends
) -> Settings:
    """The settings with the store in which evaluations keep memories made by them, in `cache` (None: the
    cache directory)."""
    directory = (cache or cache_directory()) / "evaluation" / memories_digest(settings, backends)
    return replace(settings, store_dir=directory, database=None)


@dataclass(frozen=True, slots=True)
class KeptEvaluations:
    """The stores that evaluations keep in `directory`, which need not exist, and their size in bytes."""

    directory: Path
    stores: tuple[Path, ...]
    bytes: int


_STORE = re.compile(r"[0-9a-f]{16}")
"""A store's name is its digest: what else may lie beside them is not ours."""


def kept_evaluations(cache: Path | None = None) -> KeptEvaluations:
    """What evaluations keep in `cache` (None: the cache directory)."""
    directory = (cache or cache_directory()) / "evaluation"
    found = sorted(directory.iterdir()) if directory.is_dir() else []
    stores = tuple(path for path in found if path.is_dir() and _STORE.fullmatch(path.name))
    return KeptEvaluations(directory, stores, sum(map(_size, stores)))


def _size(directory: Path) -> int:
    """Bytes of all files in it; a file that an evaluation removes meanwhile has none."""
    size = 0
    for file in directory.rglob("*"):
        with suppress(FileNotFoundError):
            size += file.lstat().st_size if not file.is_dir() else 0
    return size


def delete_evaluations(cache: Path | None = None) -> None:
    """Delete these stores and nothing else. Raises StoreError for what cannot be deleted; none of them may
    be open."""
    for path in kept_evaluations(cache).stores:
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise StoreError(
                f"{path} cannot be deleted: {error.strerror or error}.", "Delete it by hand."
            ) from error


def memories_digest(settings: Settings, backends: MakeBackends = ChosenBackends) -> str:
    """The same for two settings, versions of this package and environments if they make the same memories."""
    without = _WITHOUT_INFLUENCE | _only_search()
    influence = {name: value for name, value in settings.flat().items() if name not in without}
    if settings.llm in ("none", "recorded"):
        influence = {k: v for k, v in influence.items() if not k.startswith(("ollama", "openai"))}
    influence |= {"recording": _recorded(settings), "repeats": settings.repeats}
    model_id, _ = backends(settings).embedding_space()
    packages = [check.what for check in check_packages()]
    said = json.dumps([_sources_digest(), model_id, packages, influence], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _recorded(settings: Settings) -> str:
    """What the recording in use says by now, wherever it lies; one that is missing is told of when it is
    asked."""
    file = Path(settings.recording)
    if settings.llm != "recorded" or settings.unpermitted_recording is not None or not file.is_file():
        return ""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _only_search() -> set[str]:
    """Settings of systems that change how memories are found and none of them."""
    return {
        f"{name}_{its}"
        for name, system in SYSTEMS.items()
        for its, (words, _) in described(system.settings).items()
        if words.only_search
    }


@cache
def _sources_digest() -> str:
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(_PACKAGE)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for path in sorted(_PACKAGE.rglob("*")):
        parts = path.relative_to(_PACKAGE).parts
        if path.is_file() and not parts[0].startswith(_NOT_MAKING) and "__pycache__" not in parts:
            yield path


def evaluate_retrieval(
    dataset: RetrievalDataset,
    memory: EvaluatedMemory,
    *,
    recipe: str = DEFAULT_RECIPE,
    ks: Sequence[int] = KS,
    budgets: Sequence[int] = CURVE,
    progress: Progress = lambda stage, done, total: None,
    cancelled: Cancelled = lambda: False,
) -> RetrievalResult:
    """Measure a recipe on a dataset with `memory`, which keeps what is built (open it with
    `evaluation_settings`, or its conversations become owners in a person's own store). Raises
    UsageError for an unknown recipe, CancelledError, and as `Memory.ingest` and `Memory.search`."""
    embedder = memory.backends.embedder()
    measuring = Measuring(
        embedder=embedder,
        embed_turns=partial(_stored_vectors, memory.store, embedder),
        count_tokens=memory.backends.token_counter(),
        tokenizer=TOKENIZER,
        make_keywords=Bm25Index,
        results_for=results_for,
    )
    return measure_retrieval(
        dataset,
        memory,
        measuring,
        recipe=recipe,
        ranking_depends_on_k=recipe in SYSTEMS and SYSTEMS[recipe].ranking_depends_on_k,
        yardstick=Yardstick(
            ks=tuple(ks),
            budgets=tuple(budgets),
            ndcg_over="sessions" if dataset.name == "longmemeval" else "turns",
            tokens_over="turns" if dataset.has_turns else "sessions",
        ),
        progress=progress,
        cancelled=cancelled,
    )


def _stored_vectors(store: Store, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The unit vectors of turns. Most were embedded when they were read; the others are now, and kept."""
    found = store.embeddings(embedder.model_id, texts)
    if missing := [text for text in dict.fromkeys(texts) if text not in found]:
        made = dict(zip(missing, embedder.embed(missing), strict=True))
        with store.write(actor="evaluation") as writer:
            writer.add_embeddings(embedder.model_id, made)
        found |= made
    return np.stack([found[text] for text in texts])
