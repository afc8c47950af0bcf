"""A BERT encoder in numpy: what reads a question where nothing has loaded torch yet.

Importing torch takes longer than everything else that a question from the command line needs. Computes what
`bert_encoder` computes in float32, equal but for rounding, a row at a time. One thread multiplies: two of
OpenBLAS, where other programs keep the cores busy, wait for each other for up to seconds.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memcore.nlp.encoder.word_pieces import Row, WordPieces

if TYPE_CHECKING:
    from tokenizers import Encoding

_Array = NDArray[np.float32]


class NumpyModel:
    """One encoder. Its weights are never changed: safe to use from several threads."""

    def __init__(
        self, tensors: Mapping[str, _Array], pieces: WordPieces, *, heads: int, epsilon: float
    ) -> None:
        """`tensors` of a BertModel, by the names transformers gives them; `epsilon` is that of its layer
        norms."""
        from threadpoolctl import ThreadpoolController

        self._tensors = tensors
        self._pieces = pieces
        self._heads = heads
        self._epsilon = np.float32(epsilon)
        self._layers = sorted({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
        self._threads = ThreadpoolController()
        self._one_at_a_time = threading.Lock()  # what is set is the whole process's number of threads

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """As `WordPieces.encode`."""
        return self._pieces.encode(texts)

    def row(self, pieces: Row) -> list[int]:
        """As `WordPieces.row`."""
        return self._pieces.row(pieces)

    def states(self, row: Row) -> _Array:
        """As `TokenModel.states`."""
        words = self._tensors["embeddings.word_embeddings.weight"][list(row)]
        places = self._tensors["embeddings.position_embeddings.weight"][: len(row)]
        first_sentence = self._tensors["embeddings.token_type_embeddings.weight"][0]
        states = self._normalised(words + first_sentence + places, "embeddings.LayerNorm")
        with self._one_at_a_time, self._threads.limit(limits=1, user_api="blas"):
            for layer in self._layers:
                states = self._layer(f"encoder.layer.{layer}", states)
        return states

    def _layer(self, name: str, states: _Array) -> _Array:
        query, key, value = (
            self._by_head(self._linear(f"{name}.attention.self.{part}", states))
            for part in ("query", "key", "value")
        )
        paid = _softmax(query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(query.shape[-1])))
        context = (paid @ value).transpose(1, 0, 2).reshape(states.shape)
        attended = self._linear(f"{name}.attention.output.dense", context)
        states = self._normalised(states + attended, f"{name}.attention.output.LayerNorm")
        wide = _gelu(self._linear(f"{name}.intermediate.dense", states))
        return self._normalised(
            states + self._linear(f"{name}.output.dense", wide), f"{name}.output.LayerNorm"
        )

    def _by_head(self, states: _Array) -> _Array:
        """Of shape (heads, width, hidden / heads)."""
        return states.reshape(len(states), self._heads, -1).transpose(1, 0, 2)

    def _linear(self, name: str, states: _Array) -> _Array:
        product: _Array = states @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]
        return product

    def _normalised(self, states: _Array, name: str) -> _Array:
        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + self._epsilon)
        found: _Array = centred / spread * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]
        return found


def _softmax(scores: _Array) -> _Array:
    raised: _Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: _Array = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _gelu(states: _Array) -> _Array:
    found: _Array = states * np.float32(0.5) * (1 + _error_function(states * np.float32(math.sqrt(0.5))))
    return found


_SERIES = tuple(
    np.float32(one) for one in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)


def _error_function(numbers: _Array) -> _Array:
    """Within 1.5e-7, where float32 itself ends: Abramowitz and Stegun 1964, formula 7.1.26."""
    sizes = np.abs(numbers)
    place = 1 / (1 + np.float32(0.3275911) * sizes)
    series = np.zeros_like(place)
    for factor in _SERIES:
        series = (series + factor) * place
    found: _Array = np.copysign(1 - series * np.exp(-sizes * sizes), numbers)
    return found
