"""Compression by self-information: words that a small language model could have guessed are dropped.

Li et al. 2023, "Compressing Context to Enhance Inference Efficiency of Large Language Models" (Selective
Context), which LightMem offers as `entropy_compress`: the self-information of a token is -log p(token |
tokens before it), that of a unit the sum over its tokens. Deliberate differences from Selective Context:
the unit is a word or mark of `nlp.encoder.words` (theirs: the phrase), and words are kept until the rate's
share of cl100k tokens is full, as in `nlp.encoder.llmlingua2` (theirs: above a percentile of the units).
From LightMem's published code, which takes the mean over a word's tokens, never judges the first token,
breaks words where GPT-2's tokenizer continues them, and counts the rate in words.

Surprising is not the same as worth keeping: the embedded keep head keeps more of what questions ask for,
and reads faster. Each text is read alone, without the messages before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Compressed
from memcore.nlp.encoder.causal_model import EMBEDDED, CausalModel, Surprise, load_causal_model
from memcore.nlp.encoder.selection import ScoredWords, require_rate
from memcore.nlp.encoder.words import Span, protected_words, word_spans


def load_entropy(
    model: str = EMBEDDED, *, threads: int | None = None, protect: bool = True
) -> EntropyCompressor:
    """Self-information by the embedded SmolLM2, or by the causal language model of this name or path (see
    `load_causal_model`). Raises BackendError."""
    loaded = load_causal_model(model, threads=threads)
    return EntropyCompressor(loaded, name=f"self-information by {model}", protect=protect)


class EntropyCompressor:
    """A Compressor that keeps the words its model finds least predictable. `protect` forces numbers,
    negations, times and capitalised names to be kept; they count towards the rate like any other word.

    A word's `keep` is its percentile rank: the share of the text's words that are more predictable
    (equal ones count half). It compares words of one text, not texts.
    """

    def __init__(self, model: CausalModel, *, name: str, protect: bool = True) -> None:
        self.name = name
        self.protect = protect
        self._model = model

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        """See `memcore.domain.protocols.Compressor`. Raises UsageError for a rate outside (0, 1]."""
        require_rate(rate)
        return [scored.at(rate) for scored in self.scored(texts)]

    def scored(self, texts: Sequence[str]) -> list[ScoredWords]:
        """See `memcore.domain.protocols.ScoringCompressor`."""
        found = []
        for text, surprise in zip(texts, self._model.surprise(texts), strict=True):
            spans = word_spans(text)
            ranks = percentile_ranks(word_information(spans, surprise))
            forced = protected_words(text, spans) if self.protect else [False] * len(spans)
            found.append(ScoredWords(text, spans, ranks, forced))
        return found


def word_information(spans: Sequence[Span], surprise: Surprise) -> NDArray[np.float64]:
    """Self-information of each word in nats, shape (len(spans),): the sum over its tokens. A token of
    space belongs to the word it precedes, one that reaches into two words to both. Infinite for a word
    of which the tokenizer made no token: what a model cannot read it cannot guess."""
    words = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    previous_ends = np.concatenate([[0], words[:, 1]])[:-1]
    first = np.searchsorted(surprise.ends, previous_ends, side="right")
    beyond = np.searchsorted(surprise.starts, words[:, 1], side="left")
    total = np.concatenate([[0.0], np.cumsum(surprise.information, dtype=np.float64)])
    return np.where(beyond > first, total[np.maximum(beyond, first)] - total[first], np.inf)


def percentile_ranks(values: Sequence[float] | NDArray[np.float64]) -> list[float]:
    """For each value the share of all that are smaller, equal ones (itself among them) counting half.

    >>> percentile_ranks([3.0, 1.0, 3.0, 9.0])
    [0.5, 0.125, 0.5, 0.875]
    """
    ordered = np.sort(values)
    smaller = np.searchsorted(ordered, values, side="left")
    not_larger = np.searchsorted(ordered, values, side="right")
    ranks: list[float] = ((smaller + not_larger) / (2 * max(len(ordered), 1))).tolist()
    return ranks
