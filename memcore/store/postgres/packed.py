"""How the keyword index lies in PostgreSQL's rows: postings and lengths of a chunk of documents together.

A document of a collection has a place, counted from 0. One row holds which of `CHUNK` documents have a word,
and how often each does, in four bytes a document; another how many words each of them has. A row grows at its
end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.store.postings import Held

CHUNK = 8_192
EMPTY = -1
"""The length where a document is gone: its place stays empty, and what postings say of it counts nothing."""

_ENTRY = np.dtype([("offset", "<u2"), ("count", "<u2")])
_MOST = 65_535
"""More often than this a word counts as this often: BM25 no longer tells the difference."""
_LENGTH = np.dtype("<i4")


def packed_postings(words_at: Iterable[tuple[int, Sequence[str]]]) -> dict[tuple[str, int], bytes]:
    """What documents, by place in ascending order, add to each row of postings, by word and chunk."""
    entries: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for place, words in words_at:
        chunk, offset = divmod(place, CHUNK)
        for word, count in Counter(words).items():
            entries[word, chunk] += (offset, min(count, _MOST))
    return {row: np.array(pairs, dtype="<u2").tobytes() for row, pairs in entries.items()}


def unpacked_postings(rows: Iterable[tuple[int, bytes]]) -> Held:
    """Places and counts of one word, of its rows by chunk."""
    found = [(chunk, np.frombuffer(held, dtype=_ENTRY)) for chunk, held in sorted(rows)]
    if not found:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    places = [entries["offset"].astype(np.int32) + np.int32(chunk * CHUNK) for chunk, entries in found]
    return np.concatenate(places), np.concatenate([entries["count"].astype(np.int32) for _, entries in found])


def standing_postings(held: bytes, there: NDArray[np.bool_]) -> bytes:
    """A row without the documents that are gone. `there`: by place from the first of the chunk. A row that
    knows places which never were stays as it is."""
    entries = np.frombuffer(held, dtype=_ENTRY)
    if len(entries) and int(entries["offset"].max()) >= len(there):
        return held
    return bytes(entries[there[entries["offset"]]].tobytes())


def unpacked_lengths(rows: Iterable[tuple[int, bytes]]) -> NDArray[np.int32]:
    """The lengths of all documents by place, of all rows by chunk."""
    found = [np.frombuffer(lengths, dtype=_LENGTH) for _, lengths in sorted(rows)]
    return np.concatenate(found).astype(np.int32) if found else np.zeros(0, np.int32)


def with_lengths(chunk: int, lengths: bytes, changed: Mapping[int, int]) -> bytes:
    """A row of lengths with those of some places, which are of this chunk, set; it grows as far as needed."""
    kept = np.frombuffer(lengths, dtype=_LENGTH)
    end = max([len(kept), *(place - chunk * CHUNK + 1 for place in changed)])
    found = np.full(end, EMPTY, dtype=_LENGTH)
    found[: len(kept)] = kept
    for place, length in changed.items():
        found[place - chunk * CHUNK] = length
    return found.tobytes()
