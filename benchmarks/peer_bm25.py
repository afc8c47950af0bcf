"""rank-bm25 as people use it: BM25Okapi over the words of every turn, of words cut in two ways.

Every turn is ranked; those without a word of the question come last, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.peer_model import Embed, OpenPeer, Search
from memcore.domain.models import Message
from memcore.evaluation.retrieval_baselines import turn_text
from memcore.store.bm25 import Stems


def at_spaces(text: str) -> list[str]:
    """As rank-bm25's own README and most tutorials cut words: case and punctuation stay.

    >>> at_spaces("When did Melanie's dog run?")
    ['When', 'did', "Melanie's", 'dog', 'run?']
    """
    return text.split(" ")


stemmed = Stems().of
"""Our own words: case folded, cut at what is no letter or digit, stemmed."""


def rank_bm25(words: Callable[[str], list[str]]) -> OpenPeer:
    """BM25Okapi with its default k1, b and epsilon."""

    @contextmanager
    def opened(messages: Sequence[Message], embed: Embed, directory: Path) -> Iterator[Search]:
        from rank_bm25 import BM25Okapi

        ids = [message.id for message in messages]
        index = BM25Okapi([words(turn_text(message)) for message in messages])

        def search(question: str, k: int) -> list[str]:
            order = np.argsort(-index.get_scores(words(question)), kind="stable")
            return [ids[place] for place in order[:k]]

        yield search

    return opened
