"""The seams: what the stages, retrieval and review need from models, servers and storage.

Implementations live in `nlp`, `llm` and `store`; tests inject small fakes. Sequences in and out
have equal length and order unless a docstring says otherwise.
"""

from memcore.domain.protocols.grounding import Examiner, Judge, Shortener
from memcore.domain.protocols.indexes import (
    KeywordIndex,
    MakeIndex,
    Metadata,
    SearchedKind,
    SearchIndex,
    VectorIndex,
)
from memcore.domain.protocols.inference import (
    Compressed,
    Compressor,
    Embedder,
    EncodedQuestion,
    EncodedText,
    ScoredText,
    ScoringCompressor,
    TokenCodes,
    TurnAttention,
    Vectors,
    WordScore,
    sign_codes,
)
from memcore.domain.protocols.llm import Ledger, Llm, LlmReply, Reply
from memcore.domain.protocols.progress import Cancelled, Progress
from memcore.domain.protocols.store import MemoryFilter, Store, StoreWriter

__all__ = [
    "Cancelled",
    "Compressed",
    "Compressor",
    "Embedder",
    "EncodedQuestion",
    "EncodedText",
    "Examiner",
    "Judge",
    "KeywordIndex",
    "Ledger",
    "Llm",
    "LlmReply",
    "MakeIndex",
    "MemoryFilter",
    "Metadata",
    "Progress",
    "Reply",
    "ScoredText",
    "ScoringCompressor",
    "SearchIndex",
    "SearchedKind",
    "Shortener",
    "Store",
    "StoreWriter",
    "TokenCodes",
    "TurnAttention",
    "VectorIndex",
    "Vectors",
    "WordScore",
    "sign_codes",
]
