"""From numbers of 32 bits to the places they stand for, in 8 bytes an entry.

A dictionary of Python numbers takes ten times as much, which at a million entries is a hundred megabytes a
dictionary. Sorted arrays hold almost everything; what came last waits in a small dictionary until it is worth
sorting in. A key may have several places: what it was made of tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RECENT = 4_096
"""Entries that are always few enough to wait; of many, a quarter of those sorted in."""


class KeyPlaces:
    """Places by key. `keys`: those of the places 0, 1, 2 and so on."""

    def __init__(self, keys: NDArray[np.uint32] | None = None) -> None:
        keys = np.zeros(0, np.uint32) if keys is None else keys
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._places = order.astype(np.int32)
        self._recent: dict[int, list[int]] = {}
        self._waiting = 0

    def add(self, key: int, place: int) -> None:
        """`place` is higher than all that were added before."""
        self._recent.setdefault(key, []).append(place)
        self._waiting += 1
        if self._waiting > max(RECENT, len(self._keys) // 4):
            self._sort_in()

    def at(self, keys: Sequence[int]) -> list[list[int]]:
        """For each key its places, ascending. Asking for many at once is several times as fast."""
        asked = np.array(keys, dtype=np.uint32)
        begins = self._keys.searchsorted(asked)
        ends = self._keys.searchsorted(asked, side="right")
        found = []
        for key, begin, end in zip(keys, begins.tolist(), ends.tolist(), strict=True):
            places = self._places[begin:end].tolist() if begin < end else []
            recent = self._recent.get(key)
            found.append(places if recent is None else places + recent)
        return found

    def _sort_in(self) -> None:
        keys = np.array([key for key, places in self._recent.items() for _ in places], dtype=np.uint32)
        places = np.array([place for places in self._recent.values() for place in places], dtype=np.int32)
        keys, places = np.concatenate([self._keys, keys]), np.concatenate([self._places, places])
        order = np.argsort(keys, kind="stable")
        self._keys, self._places = keys[order], places[order]
        self._recent, self._waiting = {}, 0
