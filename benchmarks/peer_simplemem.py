"""SimpleMem's own package: its vector store (LanceDB) and `HybridRetriever.retrieve`, over turns verbatim.

The package on PyPI (0.1.0) is the authors'. What is its own: the table, the search in it, the merging of
results. What is set otherwise, and why:

- Each turn is stored as a memory unit as it was said, with its speaker among `persons` and its time:
  making restatements needs a language model.
- `enable_planning=False`: plan and reflection need a language model. Where one does not answer, the package
  falls back to the same: a search for the question itself.
- `semantic_top_k` is how many results everybody is asked for (default 25).
- The embedder is the comparison's.

So what is measured is a search by vectors alone. The package has keyword and metadata searches, too, but in
0.1.0 nothing calls them (`_keyword_search`, `_structured_search`), with a model or without. The three views
of the paper are in our own recipe `simplemem`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.peer_model import Embed, Search
from memcore.domain.models import Message
from memcore.domain.protocols import Vectors
from memcore.evaluation.retrieval_baselines import turn_text

PACKAGES = ("simplemem", "lancedb")
FAILED = ("Error during", "Warning: Failed to parse")
"""How SimpleMem prints that it failed and goes on with nothing."""

T = TypeVar("T")


class Embedding:
    """As much of SimpleMem's EmbeddingModel as its vector store calls."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self.dimension = int(embed(["?"]).shape[1])

    def encode_documents(self, texts: list[str]) -> Vectors:
        """Shape (texts, dimension)."""
        return self._embed(texts)

    def encode_single(self, text: str, is_query: bool = False) -> Vectors:
        """Shape (dimension,)."""
        vector: Vectors = self._embed([text])[0]
        return vector


def as_unit(message: Message) -> dict[str, Any]:
    """A turn as the fields of a memory unit."""
    return {
        "entry_id": message.id,
        "lossless_restatement": turn_text(message),
        "persons": [message.speaker],
        "timestamp": message.said_at.isoformat() if message.said_at else None,
    }


def told(call: Callable[[], T]) -> T:
    """What the call returns. Raises RuntimeError where SimpleMem only prints that it failed."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        result = call()
    for line in printed.getvalue().splitlines():
        if line.startswith(FAILED):
            raise RuntimeError(f"SimpleMem: {line}")
    return result


@contextmanager
def simplemem(messages: Sequence[Message], embed: Embed, directory: Path) -> Iterator[Search]:
    """One conversation as one table."""
    from simplemem.core.hybrid_retriever import HybridRetriever
    from simplemem.database.vector_store import VectorStore
    from simplemem.models.memory_entry import MemoryEntry

    store = told(lambda: VectorStore(str(directory), Embedding(embed)))
    told(lambda: store.add_entries([MemoryEntry(**as_unit(message)) for message in messages]))

    def search(question: str, k: int) -> list[str]:
        retriever = HybridRetriever(None, store, semantic_top_k=k, enable_planning=False)
        return [entry.entry_id for entry in told(lambda: retriever.retrieve(question))]

    yield search
