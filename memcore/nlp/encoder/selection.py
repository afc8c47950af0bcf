"""Which words of a text a compressor keeps: the best ones, as many as the rate has room for.

The same for every compressor that scores words (LLMLingua-2's keep probability, self-information). Knows
no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from memcore.domain.errors import UsageError
from memcore.domain.protocols import Compressed, WordScore
from memcore.nlp.encoder.cl100k import count_tokens, tokens_in_prompt
from memcore.nlp.encoder.words import Span


def fill(scores: Sequence[float], sizes: Sequence[int], forced: Sequence[bool], room: int) -> list[bool]:
    """Which words are kept: the forced ones, then from the best score down (of equal ones the first) each
    that fits into what is left of `room` tokens; the best one where that would keep none.

    >>> fill([0.9, 0.8, 0.5, 0.2], [1, 4, 1, 1], [False, False, False, True], room=3)
    [True, False, True, True]
    """
    kept = list(forced)
    best_first = sorted(range(len(scores)), key=lambda i: -scores[i])
    room -= sum(size for size, must in zip(sizes, forced, strict=True) if must)
    for i in best_first:
        if not kept[i] and sizes[i] <= room:
            kept[i] = True
            room -= sizes[i]
    if best_first and not any(kept):
        kept[best_first[0]] = True
    return kept


@dataclass(frozen=True)
class ScoredWords:
    """A text's words with a score each, and which of them are kept whatever their score; see
    `memcore.domain.protocols.ScoredText`. What does not depend on the rate is counted once."""

    text: str
    spans: Sequence[Span]
    scores: Sequence[float]
    forced: Sequence[bool]

    def at(self, rate: float) -> Compressed:
        """The best words within `rate` of the tokens, see `fill`. Raises UsageError for a rate outside
        (0, 1]."""
        asked = int(require_rate(rate) * self.tokens + 1e-9)
        room = asked if rate < 1.0 else sum(self.sizes)
        while True:
            kept = fill(self.scores, self.sizes, self.forced, room)
            shortened = _joined(
                self.text, [span for span, stays in zip(self.spans, kept, strict=True) if stays]
            )
            after = tokens_in_prompt(shortened)
            # words may need more tokens beside their new neighbours than they did beside the old ones
            if rate == 1.0 or after <= asked or kept == list(self.forced) or sum(kept) <= 1:
                break
            room -= after - asked
        words = tuple(
            WordScore(start, end, keep=score, kept=stays, forced=must)
            for (start, end), score, stays, must in zip(
                self.spans, self.scores, kept, self.forced, strict=True
            )
        )
        return Compressed(shortened, words, self.tokens, after)

    @cached_property
    def tokens(self) -> int:
        """Of the whole text."""
        return tokens_in_prompt(self.text)

    @cached_property
    def sizes(self) -> list[int]:
        """Tokens of each word as it counts in the compressed text, where the space before it is part of its
        first token."""
        text = self.text
        return [
            count_tokens(
                text[start:end] if start and not text[start - 1].isspace() else " " + text[start:end]
            )
            for start, end in self.spans
        ]


def require_rate(rate: float) -> float:
    """The rate, if it is one. Raises UsageError."""
    if not 0.0 < rate <= 1.0:
        raise UsageError(f"The compression rate {rate} is not a share of the tokens.", "Use 0 < rate <= 1.")
    return rate


def joined(text: str, words: Sequence[WordScore]) -> str:
    """The kept words in order, with one space wherever anything lay between them in the text."""
    return _joined(text, [(word.start, word.end) for word in words if word.kept])


def _joined(text: str, kept: Sequence[Span]) -> str:
    parts: list[str] = []
    last_end = -1
    for start, end in kept:
        parts += [" "] * (bool(parts) and start > last_end) + [text[start:end]]
        last_end = end
    return "".join(parts)
