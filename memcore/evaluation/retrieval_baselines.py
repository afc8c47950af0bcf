"""Plainer rankings of the same turns, to see a recipe's figures beside: at random, by words alone, by
meaning alone, both added, and the evidence first.

All rank messages as they were said, in memory, with the recipe's own embedder; nothing is extracted,
planned or weighed. `oracle` is the ceiling for whoever delivers turns verbatim (in contexts too, for it
begins with the shortest evidence); memories that say the same in fewer tokens may pass it there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.evaluation.retrieval_datasets import AnnotatedQuestion
from memcore.models import Message
from memcore.protocols import Embedder, KeywordIndex, Vectors

RANDOM, BM25, DENSE, Z_SUM, ORACLE = "random", "bm25", "dense", "z-sum", "oracle"
BASELINES = (RANDOM, BM25, DENSE, Z_SUM, ORACLE)
RANDOM_DRAWS = 5
"""Random rankings a question, whose figures are averaged."""
_SEED = 5


class TurnBaselines:
    """The baselines over one conversation. `vectors`: the embedding of each message's text; `embedder`
    embeds questions; `keywords` is an empty index, which is filled."""

    def __init__(
        self, messages: Sequence[Message], vectors: Vectors, embedder: Embedder, keywords: KeywordIndex
    ) -> None:
        self._messages = tuple(messages)
        self._embedder = embedder
        self._place = {message.id: place for place, message in enumerate(self._messages)}
        self._vectors = vectors
        self._keywords = keywords
        keywords.put(list(self._place), [f"{message.speaker}: {message.text}" for message in self._messages])

    def rankings(self, question: AnnotatedQuestion) -> dict[str, list[list[Message]]]:
        """By baseline, its rankings of the conversation's messages: one, or several draws."""
        words = self._by_words(question.text)
        meaning = (self._vectors @ self._embedder.embed([question.text])[0]).astype(np.float64)
        return {
            RANDOM: [self._at_random(question, draw) for draw in range(RANDOM_DRAWS)],
            BM25: [self._ranked(words, np.flatnonzero(words))],
            DENSE: [self._ranked(meaning)],
            Z_SUM: [self._ranked(_standardised(words) + _standardised(meaning))],
            ORACLE: [self._evidence_first(question)],
        }

    def _by_words(self, text: str) -> NDArray[np.float64]:
        scores = np.zeros(len(self._messages))
        for key, score in self._keywords.search(text, len(self._messages)):
            scores[self._place[key]] = score
        return scores

    def _ranked(self, scores: NDArray[np.float64], places: NDArray[np.intp] | None = None) -> list[Message]:
        """Best first, equals as they were said; with `places`, only these: what shares no word with a
        question is no result of a search for words."""
        order = np.argsort(-scores, kind="stable")
        allowed = None if places is None else {*places.tolist()}
        return [self._messages[i] for i in order.tolist() if allowed is None or i in allowed]

    def _at_random(self, question: AnnotatedQuestion, draw: int) -> list[Message]:
        chance = random.Random(f"{_SEED} {draw} {question.owner} {question.id}")
        return chance.sample(self._messages, len(self._messages))

    def _evidence_first(self, question: AnnotatedQuestion) -> list[Message]:
        """The evidence, shortest first; of a session whose evidence is not known to the turn, its shortest
        message; then the rest."""
        by_length = sorted(self._messages, key=lambda message: len(message.text))
        evidence = [message for message in by_length if message.id in question.messages]
        open_sessions = {*question.sessions} - {message.session_id for message in evidence}
        shortest: dict[str, Message] = {}
        for message in by_length:
            if message.session_id in open_sessions:
                shortest.setdefault(message.session_id, message)
        first = [*evidence, *shortest.values()]
        taken = {message.id for message in first}
        return [*first, *(message for message in self._messages if message.id not in taken)]


def _standardised(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread else np.zeros_like(scores)
