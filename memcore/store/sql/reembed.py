"""Moving a store to another embedding model: the way on after EmbeddingMismatchError."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import StoreBusyError
from memcore.domain.models import text_hash
from memcore.domain.protocols import Embedder
from memcore.store.sql.database import Database
from memcore.store.sql.query import Select
from memcore.store.sql.tables import MEMORIES
from memcore.store.sql.writer import Writer, embedding_rows

BATCH = 512


class Shared(Database, Protocol):
    """A database of which this process may have several handles."""

    handles: int


def reembed(database: Shared, embedder: Embedder) -> int:
    """Embed every memory, message and triple of the store anew and close it; returns the number of texts.

    One transaction: the store is wholly of the old model or wholly of the new. The memories' new model
    is an event like any change. Raises StoreBusyError while the store is open here.
    """
    try:
        if database.handles > 1:
            raise StoreBusyError(
                f"The store {database.name} is in use in this program.", "Close it first, then re-embed."
            )
        with database.exclusive():
            texts = [text for (text,) in database.query("select distinct text from documents order by text")]
            vectors: dict[str, NDArray[np.float32]] = {}
            token_codes: dict[str, bytes] = {}
            for start in range(0, len(texts), BATCH):
                batch = texts[start : start + BATCH]
                hashes = [text_hash(text) for text in batch]
                vectors.update(zip(hashes, embedder.embed(batch), strict=True))
                codes = [found.tobytes() for found in embedder.token_codes(batch)]
                token_codes.update(zip(hashes, codes, strict=True))
            writer = Writer(database, actor="reembed", run_id="")
            memories = Select(MEMORIES).order("id").all(database)
            writer.put_memories(
                [replace(memory, embedding_model=embedder.model_id) for memory in memories],
                kind="memory.reembedded",
            )
            with database.transaction() as transaction:
                generation = writer.write_to(transaction)
                transaction.query("delete from embeddings")
                transaction.query(
                    "update store set embedding_model = ?, dimension = ?",
                    [embedder.model_id, embedder.dimension],
                )
                if vectors:
                    transaction.insert(
                        "embeddings", embedding_rows(vectors, token_codes, embedder.model_id, generation)
                    )
            database.embedding_model, database.dimension = embedder.model_id, embedder.dimension
        return len(texts)
    finally:
        database.close()
