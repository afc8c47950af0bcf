"""BM25 over stemmed words, one collection at a time, by rank-bm25.

BM25 as in Robertson & Zaragoza 2009 with the never-negative idf of BM25+ (Lv & Zhai 2011): the
classic idf is zero or less for a word that half of a small collection contains. Words are runs of
letters and digits of any script (characters of scripts written without spaces count singly);
stemming is Snowball's English, which leaves other scripts alone. Knows nothing of owners or DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import Stemmer
from rank_bm25 import BM25Plus

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


class _GrowingBm25(BM25Plus):  # type: ignore[misc]
    """rank-bm25's scores, with documents that may be added later.

    delta=0: rank-bm25 adds delta also for documents without the word, which changes no order."""

    def __init__(self, corpus: Sequence[list[str]]) -> None:
        self._document_counts: dict[str, int] = {}
        super().__init__(corpus, delta=0)

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self._document_counts = nd
        super()._calc_idf(nd)

    def extend(self, documents: Sequence[list[str]]) -> None:
        counts = self._document_counts
        for word, count in self._initialize(documents).items():
            counts[word] = counts.get(word, 0) + count
        self.avgdl = sum(self.doc_len) / self.corpus_size
        self._calc_idf(counts)


class Bm25Index:
    """Implements KeywordIndex. Not thread-safe: its owner holds a lock.

    New entries join the statistics at the next search; changed and removed ones, which are rare, make
    the statistics anew.
    """

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._words: dict[str, list[str]] = {}
        self._scorer: _GrowingBm25 | None = None
        self._scored: list[str] = []  # the ids in the scorer's order
        self._holders: dict[str, list[int]] = {}  # word -> places in `_scored`

    def __len__(self) -> int:
        return len(self._words)

    def put(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add objects, or give those already there another text."""
        for key, text in zip(ids, texts, strict=True):
            words = self.words(text)
            if self._words.get(key, words) != words:
                self._scorer = None
            self._words[key] = words

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        for key in ids:
            if self._words.pop(key, None) is not None:
                self._scorer = None

    def words(self, text: str) -> list[str]:
        """The stemmed words of a text, in order.

        >>> Bm25Index().words("Melanie's dogs — 2 adopted, Straße, 東京")
        ['melani', 's', 'dog', '2', 'adopt', 'strass', '東', '京']
        """
        return list(self._stemmer.stemWords(_WORD.findall(text.casefold())))

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k best objects that share a word with `query` as (id, score > 0), best first, equals by id."""
        if k <= 0 or not self._words:
            return []
        scorer = self._counted()
        asked = self.words(query)
        sharing = sorted({place for word in asked for place in self._holders.get(word, ())})
        if not sharing:
            return []
        scores = scorer.get_batch_scores(asked, sharing)
        found = [(self._scored[place], float(score)) for place, score in zip(sharing, scores, strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _counted(self) -> _GrowingBm25:
        """The statistics over everything there is. New ids stand last in `_words`: dicts keep the
        order of first insertion."""
        if self._scorer is None:
            self._scored, self._holders = [], {}
        ids = list(self._words)[len(self._scored) :]
        documents = [self._words[key] for key in ids]
        if self._scorer is None:
            self._scorer = _GrowingBm25(documents)
        elif ids:
            self._scorer.extend(documents)
        for place, document in enumerate(documents, start=len(self._scored)):
            for word in set(document):
                self._holders.setdefault(word, []).append(place)
        self._scored += ids
        return self._scorer
