"""Which objects refer to which keys, both ways, in arrays and no Python object a reference."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from memcore.store.id_table import IdTable
from memcore.store.key_places import KeyPlaces


class Links:
    """References by object and by key. An object that is changed comes last among those of its keys."""

    def __init__(self) -> None:
        self._objects = IdTable()
        self._keys = IdTable()
        self._ends = array("q", [0])  # the references of the object at place p: from its p-th to its next
        self._key_of = array("i")  # by reference
        self._object_of = array("i")  # by reference
        self._of_key = KeyPlaces()  # from a key's place to references

    @classmethod
    def of_columns(
        cls, objects: pa.ChunkedArray, references: pa.ChunkedArray, key: Callable[[str], str] | None = None
    ) -> Links:
        """Of objects that are all different (a column of strings), and what each refers to (a column of lists
        of strings), each reference made a key by `key`."""
        lists = references.combine_chunks()
        numbers = np.diff(np.from_dlpack(lists.offsets))  # to_numpy, and pa.array, would import pandas
        encoded = lists.flatten().dictionary_encode()
        key_of = np.from_dlpack(encoded.indices).astype(np.int64)
        links = cls()
        if key is None:
            links._keys = IdTable.of_letters(encoded.dictionary)
        else:
            place_of: dict[str, int] = {}
            keys = [key(one) for one in encoded.dictionary.to_pylist()]
            key_of = np.array([place_of.setdefault(one, len(place_of)) for one in keys], np.int64)[key_of]
            links._keys = IdTable(place_of)
        object_of = np.repeat(np.arange(np.count_nonzero(numbers)), numbers[numbers > 0])
        first = np.unique(object_of * len(links._keys) + key_of, return_index=True)[1]
        first.sort()  # each reference once
        key_of, object_of = key_of[first].astype(np.int32), object_of[first].astype(np.int32)
        links._objects = IdTable.of_letters(
            objects.combine_chunks().filter(lists.value_lengths().cast(pa.bool_()))
        )
        links._key_of, links._object_of = array("i", key_of.tobytes()), array("i", object_of.tobytes())
        links._ends.frombytes(np.cumsum(np.bincount(object_of)).tobytes())
        links._of_key = KeyPlaces(key_of.astype(np.uint32))
        return links

    def refer(self, object_id: str, keys: tuple[str, ...]) -> None:
        """Note all that an object refers to now, in place of what it did."""
        place = self._objects.place(object_id)
        if place is not None:
            if self._keys.at(self._key_of[self._ends[place] : self._ends[place + 1]]) == list(keys):
                return
            self._objects.forget(object_id)
        if not keys:
            return
        place = self._objects.append(object_id)
        for key in keys:
            known = self._keys.place(key)
            key_place = self._keys.append(key) if known is None else known
            self._of_key.add(key_place, len(self._key_of))
            self._key_of.append(key_place)
            self._object_of.append(place)
        self._ends.append(len(self._key_of))

    def holders(self, keys: Sequence[str]) -> list[str]:
        """The objects that refer to any of these keys: in the order asked, then as they came; each once."""
        places = [place for place in self._keys.find(keys) if place is not None]
        objects = dict.fromkeys(self._object_of[n] for numbers in self._of_key.at(places) for n in numbers)
        return self._objects.at([one for one in objects if self._objects.stands(one)])
