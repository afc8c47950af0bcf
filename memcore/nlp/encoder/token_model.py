"""One forward pass over token rows: keep probabilities, sentence vectors, token states, attention.

Runs a token-classification model by `bert_encoder`, in the fastest precision this CPU has, so there is one
copy of the weights for all four uses. Where llmlingua pads every row to 512, rows are sorted by length here
and padded to the longest of their batch, which gives the same numbers but for rounding. Knows rows of token
ids; words, rates and turns are its callers' business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import sign_codes
from memcore.nlp.encoder.bert_encoder import BertEncoder
from memcore.nlp.encoder.bert_layers import bert_layers
from memcore.nlp.encoder.bert_weights import BertWeights, Linear
from memcore.nlp.encoder.torch_runtime import side_by_side, torch_threads
from memcore.nlp.encoder.word_pieces import Row, WordPieces

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding, Tokenizer

_BATCH_TOKENS = 512  # measured: more padded positions a batch leave the CPU caches and are slower


@dataclass(frozen=True, slots=True)
class RowOutput:
    """What one pass says of one row: `keep`, the keep probability of each id, shape (len(row),),
    `vector`, the unit-length mean of the last hidden states, shape (hidden size,), and `codes`, the signs of
    those states, shape (len(row), hidden size / 8). All with the framing ids'."""

    keep: NDArray[np.float32]
    vector: NDArray[np.float32]
    codes: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TokenClassifier:
    """A model that says of every word piece whether it is kept, as it is loaded: the encoder's weights, the
    linear layer (weight, bias) on them, the tokenizer, the ids that frame a row, and the unknown piece's."""

    weights: BertWeights
    keep: Linear
    tokenizer: Tokenizer
    first: int
    last: int
    unknown: int


class TokenModel:
    """A loaded model at work. Safe to call from several threads, whose passes run side by side, as do the
    batches of one; `threads` is how many torch computes with in each, `runtime` names what computes."""

    def __init__(self, loaded: TokenClassifier, *, threads: int, dtype: torch.dtype | None = None) -> None:
        """`dtype` of the products: float32, or None for the fastest here."""
        from tokenizers import Tokenizer

        self._weights = loaded.weights
        self._encoder = BertEncoder(loaded.weights, dtype)
        self._keep = loaded.keep
        self.runtime = self._encoder.runtime
        self.threads = threads
        # a copy, because transformers sets truncation and padding on the shared one as it goes
        own = Tokenizer.from_str(loaded.tokenizer.to_str())
        self._pieces = WordPieces.of(own, loaded.first, loaded.last)
        self.unknown_id = loaded.unknown
        vocabulary = self._pieces.tokenizer.get_vocab()
        self.alphanumeric: NDArray[np.bool_] = np.zeros(max(vocabulary.values()) + 1, dtype=np.bool_)
        for token, i in vocabulary.items():
            self.alphanumeric[i] = any(char.isalnum() for char in token)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """As `WordPieces.encode`."""
        return self._pieces.encode(texts)

    def row(self, pieces: Row) -> list[int]:
        """As `WordPieces.row`."""
        return self._pieces.row(pieces)

    def read(self, rows: Sequence[Row]) -> list[RowOutput]:
        """One output per row, in order."""
        outputs: list[RowOutput | None] = [None] * len(rows)

        def one(batch: list[int]) -> None:
            ids, mask = _padded([rows[i] for i in batch])
            last = self._encoder.states(ids, mask)
            keep, vectors = (one.numpy() for one in bert_layers().outputs(last, mask, *self._keep))
            codes = sign_codes(last.numpy())
            for place, i in enumerate(batch):
                length = len(rows[i])
                outputs[i] = RowOutput(
                    keep[place, :length].copy(), vectors[place].copy(), codes[place, :length].copy()
                )

        side_by_side(self._batches(rows), one, threads=self.threads)
        return [output for output in outputs if output is not None]

    def _batches(self, rows: Sequence[Row]) -> list[list[int]]:
        return list(batches([len(row) for row in rows], _BATCH_TOKENS))

    def states(self, row: Row) -> NDArray[np.float32]:
        """The last hidden states of one row, shape (len(row), hidden size), in float32 on every CPU; their
        mean is its vector but for its length and, where `read` multiplies bfloat16, rounding."""
        import torch

        with torch_threads(self.threads), torch.inference_mode():
            ids = torch.tensor([row])
            found: NDArray[np.float32] = self._exact.states(ids, torch.ones_like(ids, dtype=torch.bool))[
                0
            ].numpy()
        return found

    @cached_property
    def _exact(self) -> BertEncoder:
        import torch

        exact = self._encoder.dtype is torch.float32
        return self._encoder if exact else BertEncoder(self._weights, torch.float32)

    def attention(self, rows: Sequence[Row]) -> list[NDArray[np.float32]]:
        """Per row, the attention of each position (first axis) to each (second), averaged over all
        heads of the upper half of the layers, shape (len(row), len(row))."""
        found: list[NDArray[np.float32] | None] = [None] * len(rows)

        def one(batch: list[int]) -> None:
            ids, mask = _padded([rows[i] for i in batch])
            paid = self._encoder.attention(ids, mask).numpy()
            for place, i in enumerate(batch):
                found[i] = paid[place, : len(rows[i]), : len(rows[i])]

        side_by_side(self._batches(rows), one, threads=self.threads)
        return [matrix for matrix in found if matrix is not None]


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices grouped by similar length, so that a batch padded to its longest row has at most
    `budget` positions (a longer row is a batch of its own).

    >>> list(batches([5, 2, 9, 2], 10))
    [[1, 3], [0], [2]]
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batch and (len(batch) + 1) * lengths[i] > budget:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _padded(rows: Sequence[Row]) -> tuple[Any, Any]:
    import torch

    width = max(len(row) for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.bool_)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = True
    return torch.from_numpy(ids), torch.from_numpy(mask)
