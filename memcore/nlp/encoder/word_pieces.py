"""Texts as the rows of ids that a BERT-like model reads. Knows the tokenizer and no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MAX_ROW = 512
_SURROGATES = re.compile("[\ud800-\udfff]")

Row = Sequence[int]


@dataclass(frozen=True, slots=True)
class WordPieces:
    """A tokenizer, and the ids that frame a row. Safe to use from several threads."""

    tokenizer: Tokenizer
    first: int
    last: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, first: int, last: int) -> WordPieces:
        """With a tokenizer that is nobody else's: it is set to neither cut nor fill up."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(tokenizer, first, last)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Word pieces with character offsets, without special tokens and without truncation."""
        readable = [_SURROGATES.sub("\ufffd", text) for text in texts]
        return list(self.tokenizer.encode_batch(readable, add_special_tokens=False))

    def row(self, pieces: Row) -> list[int]:
        """A row as the model was trained on: at most 510 pieces between [CLS] and [SEP]."""
        return [self.first, *pieces[: MAX_ROW - 2], self.last]
