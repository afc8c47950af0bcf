"""Any sentence-transformers model, by name or path, in place of the embedded encoder.

Only the embeddings: compression and attention stay with the embedded encoder. Nothing is downloaded
behind a person's back: a name must already be in the local Hugging Face cache.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.domain.errors import BackendError
from memcore.domain.protocols import EncodedQuestion, EncodedText, TokenCodes, Vectors, sign_codes
from memcore.nlp.encoder.torch_runtime import spare_threads, torch_threads

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceEmbedder:
    """An Embedder over a loaded sentence-transformers model. Safe to call from several threads."""

    def __init__(self, model: SentenceTransformer, *, model_id: str, threads: int) -> None:
        self.model_id = model_id
        self.dimension = _dimension(model, model_id)
        self._model = model
        self._threads = threads
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `memcore.domain.protocols.Embedder`."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock, torch_threads(self._threads):
            found = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(found, dtype=np.float32)

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """See `memcore.domain.protocols.Embedder`. Reads every text again."""
        return [sign_codes(states) for _, states, _ in self._read(texts)]

    def read_question(self, text: str) -> EncodedQuestion:
        """See `memcore.domain.protocols.Embedder`."""
        [(vector, states, spans)] = self._read([text])
        return EncodedQuestion.of(vector, states, spans)

    def read_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        """See `memcore.domain.protocols.Embedder`. Reads every text again."""
        return [
            EncodedText(vector, sign_codes(states), tuple(spans))
            for vector, states, spans in self._read(texts)
        ]

    def _read(self, texts: Sequence[str]) -> list[tuple[Vectors, Vectors, list[tuple[int, int]]]]:
        """Each text's unit vector, the hidden states of its pieces and their characters. Raises BackendError
        for a model without a tokenizer that tells characters."""
        pieces = [self._pieces(text) for text in texts]
        with self._lock, torch_threads(self._threads):
            read: Any = self._model.encode(
                list(texts), output_value=None, normalize_embeddings=True, show_progress_bar=False
            )
        return [
            (one["sentence_embedding"].float().numpy(), one["token_embeddings"].float().numpy()[own], spans)
            for one, (own, spans) in zip(read, pieces, strict=True)
        ]

    def _pieces(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Which rows of the hidden states are of the text itself, and their characters."""
        tokenizer = self._model.tokenizer
        if not getattr(tokenizer, "is_fast", False):
            raise BackendError(
                f"The tokenizer of {self.model_id!r} does not tell which characters its pieces stand for.",
                "Use a model with a fast tokenizer (tokenizer.json).",
            )
        read = tokenizer(
            text,
            truncation=True,
            max_length=self._model.max_seq_length,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        own = [place for place, special in enumerate(read["special_tokens_mask"]) if not special]
        return own, [read["offset_mapping"][place] for place in own]


_loading = threading.Lock()


def load_sentence_embedder(name_or_path: str, threads: int | None = None) -> SentenceEmbedder:
    """The model, loaded once per process. Raises BackendError when it is not on this machine."""
    with _loading:
        return _load_once(name_or_path, threads)


@cache
def _load_once(name_or_path: str, threads: int | None) -> SentenceEmbedder:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise BackendError(
            "The package sentence-transformers is not installed.", "Run: pip install -r requirements.txt"
        ) from error
    try:
        model = SentenceTransformer(name_or_path, device="cpu", local_files_only=True)
    except (OSError, ValueError) as error:
        raise BackendError(
            f"The embedding model {name_or_path!r} is not on this machine or is damaged "
            f"({str(error).splitlines()[0]}).",
            f"Download it once where there is a network (hf download {name_or_path}), give the path of a "
            "sentence-transformers directory, or choose the embedded all-MiniLM-L6-v2.",
        ) from error
    return SentenceEmbedder(model, model_id=name_or_path, threads=threads or spare_threads())


def _dimension(model: SentenceTransformer, model_id: str) -> int:
    dimension = model.get_embedding_dimension()
    if dimension is None:
        raise BackendError(
            f"The embedding model {model_id!r} does not state its dimension.",
            "Use a model whose pooling layer does.",
        )
    return int(dimension)
