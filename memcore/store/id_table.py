"""The ids of a collection by place and the places by id, in about 40 bytes an id and no Python object.

A string with its entries in a list and a dictionary takes several times that. Ids are found by a checksum and
then compared, so that two of one checksum are no mistake. Knows nothing of what stands at a place.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memcore.store.key_places import KeyPlaces


class IdTable:
    """Places are given in the order ids come and never moved; `kept` makes a table without those that are
    empty."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        """Of ids that are all different; several times as fast as appending one by one."""
        written = [_letters(key) for key in ids]
        self._letters = bytearray().join(written)
        self._ends = array("q", accumulate(map(len, written), initial=0))
        """Place p holds the letters from its p-th to its next."""
        self._checksums = array("I", map(crc32, written))
        self._by_checksum = KeyPlaces(np.array(self._checksums, dtype=np.uint32))
        self._gone: set[int] = set()

    def __len__(self) -> int:
        """How many places hold an id."""
        return self.places - len(self._gone)

    @property
    def places(self) -> int:
        """How many there are, the empty ones too."""
        return len(self._checksums)

    def append(self, key: str) -> int:
        """The new place of an id that has none."""
        letters = _letters(key)
        place, number = len(self._checksums), crc32(letters)
        self._letters += letters
        self._ends.append(len(self._letters))
        self._checksums.append(number)
        self._by_checksum.add(number, place)
        return place

    def find(self, keys: Sequence[str]) -> list[int | None]:
        """Where each id stands (None: nowhere). Asking for many at once is several times as fast."""
        written = [_letters(key) for key in keys]
        ends, letters, gone = self._ends, self._letters, self._gone
        found: list[int | None] = []
        for one, places in zip(written, self._by_checksum.at([crc32(one) for one in written]), strict=True):
            for place in places:
                if letters[ends[place] : ends[place + 1]] == one and place not in gone:
                    found.append(place)
                    break
            else:
                found.append(None)
        return found

    def place(self, key: str) -> int | None:
        """Where one id stands (None: nowhere)."""
        return self.find([key])[0]

    def forget(self, key: str) -> int | None:
        """Empty the place of an id, and say which it was."""
        place = self.place(key)
        if place is not None:
            self._gone.add(place)
        return place

    def stands(self, place: int) -> bool:
        """Whether the id that was put there stands there still."""
        return place not in self._gone

    def at(self, places: Sequence[int]) -> list[str]:
        """The ids that stand, or stood, at these places."""
        ends, letters = self._ends, self._letters
        return [letters[ends[p] : ends[p + 1]].decode("utf-8", "surrogatepass") for p in places]

    def standing(self) -> NDArray[np.bool_]:
        """By place, whether an id stands there."""
        found = np.ones(self.places, dtype=np.bool_)
        found[list(self._gone)] = False
        return found

    def kept(self) -> IdTable:
        """The ids that stand somewhere, in their order, without the empty places between them."""
        return self if not self._gone else IdTable(self.at(np.flatnonzero(self.standing()).tolist()))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Copies that `of_columns` makes an equal table of (views would stop this one growing).
        No place may be empty."""
        return {
            "id_letters": np.frombuffer(self._letters, dtype=np.uint8).copy(),
            "id_ends": np.array(self._ends, dtype=np.int64),
            "id_checksums": np.array(self._checksums, dtype=np.uint32),
        }

    @classmethod
    def of_letters(cls, ids: pa.Array) -> IdTable:
        """Of strings that are all different, no Python object each."""
        _, ends, letters = ids.cast(pa.large_string()).buffers()
        table = cls()
        if not len(ids):
            return table
        at = np.frombuffer(ends, dtype=np.int64)[ids.offset : ids.offset + len(ids) + 1]
        written = memoryview(letters)[at[0] : at[-1]] if letters else memoryview(b"")
        table._letters = bytearray(written)
        table._ends = array("q", (at - at[0]).tobytes())
        table._checksums = array("I", (crc32(written[begin:end]) for begin, end in pairwise(table._ends)))
        table._by_checksum = KeyPlaces(np.array(table._checksums, dtype=np.uint32))
        return table

    @classmethod
    def of_columns(cls, columns: Mapping[str, NDArray[Any]]) -> IdTable:
        """Raises KeyError or ValueError when the columns do not fit together."""
        letters, ends, checksums = columns["id_letters"], columns["id_ends"], columns["id_checksums"]
        if len(ends) != len(checksums) + 1 or ends[-1] != len(letters):
            raise ValueError("ids and their ends differ in number")
        table = cls()
        table._letters = bytearray(letters.tobytes())
        table._ends = array("q", ends.tobytes())
        table._checksums = array("I", checksums.tobytes())
        table._by_checksum = KeyPlaces(checksums)
        return table


def _letters(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")
