"""Plainer rankings of the same turns, to see a recipe's figures beside: at random, by words alone, by
meaning alone, both added, and the evidence first.

All rank messages as they were said, in memory, with the recipe's own embedder; nothing is extracted,
planned or reranked. What is ranked is the text with its speaker's name before it (`turn_text`): without it,
meaning alone finds a third less on LoCoMo, and a baseline should be as good as it is plain.

`oracle` is the ceiling for whoever delivers turns verbatim (in contexts too, for it begins with the
shortest evidence); memories that say the same in fewer tokens may pass it there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import Message
from memcore.domain.protocols import Embedder, KeywordIndex, Vectors
from memcore.evaluation.retrieval_datasets import AnnotatedQuestion
from memcore.retrieval.hits import message_hit
from memcore.retrieval.results import Hit

RANDOM, BM25, DENSE, Z_SUM, ORACLE = "random", "bm25", "dense", "z-sum", "oracle"
RANDOM_DRAWS = 3
"""Random rankings a question, whose figures are averaged."""
_SEED = 5

Ranking = list[Hit]


def turn_text(message: Message) -> str:
    """A message as the baselines read it. A role that chats share (user, assistant) names nobody."""
    return f"{message.speaker}: {message.text}" if message.role == "person" else message.text


class TurnBaselines:
    """The baselines over one conversation. `vectors`: the embedding of each message's `turn_text`;
    `embedder` embeds questions; `keywords` is an empty index, which is filled."""

    def __init__(
        self, messages: Sequence[Message], vectors: Vectors, embedder: Embedder, keywords: KeywordIndex
    ) -> None:
        self._messages = messages
        self._hits = [message_hit(message, {}) for message in messages]
        self._place = {message.id: place for place, message in enumerate(messages)}
        self._by_length = sorted(range(len(messages)), key=lambda place: len(messages[place].text))
        self._vectors = vectors
        self._embedder = embedder
        self._keywords = keywords
        keywords.put(list(self._place), [turn_text(message) for message in messages])

    def rankings(self, question: AnnotatedQuestion, k: int) -> dict[str, list[Ranking]]:
        """By baseline, its k first messages: once, or in several draws. What shares no word with the
        question is no result of a search for words; other rankings hold everything."""
        words = self._by_words(question.text)
        meaning = (self._vectors @ self._embedder.embed([question.text])[0]).astype(np.float64)
        matching = [place for place in _best_first(words) if words[place] > 0]
        orders = {
            RANDOM: [self._at_random(question, draw) for draw in range(RANDOM_DRAWS)],
            BM25: [matching],
            DENSE: [_best_first(meaning)],
            Z_SUM: [_best_first(_standardised(words) + _standardised(meaning))],
            ORACLE: [self._evidence_first(question)],
        }
        return {
            name: [[self._hits[place] for place in order[:k]] for order in draws]
            for name, draws in orders.items()
        }

    def _by_words(self, text: str) -> NDArray[np.float64]:
        scores = np.zeros(len(self._messages))
        for key, score in self._keywords.search(text, len(self._messages)):
            scores[self._place[key]] = score
        return scores

    def _at_random(self, question: AnnotatedQuestion, draw: int) -> list[int]:
        chance = random.Random(f"{_SEED} {draw} {question.owner} {question.id}")
        return chance.sample(range(len(self._messages)), len(self._messages))

    def _evidence_first(self, question: AnnotatedQuestion) -> list[int]:
        """The evidence, shortest first; of a session whose evidence is not known to the turn, its shortest
        message; then the rest."""
        first = [place for place in self._by_length if self._messages[place].id in question.messages]
        open_sessions = {*question.sessions} - {self._messages[place].session_id for place in first}
        for place in self._by_length:
            if (session := self._messages[place].session_id) in open_sessions:
                open_sessions.remove(session)
                first.append(place)
        return list(dict.fromkeys([*first, *range(len(self._messages))]))


def _best_first(scores: NDArray[np.float64]) -> list[int]:
    """Places by score, equals as they were said."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def _standardised(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread else np.zeros_like(scores)
