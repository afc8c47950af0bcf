"""Which objects refer to which keys, both ways, in arrays and no Python object a reference."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

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
    def of(cls, objects: Iterable[tuple[str, tuple[str, ...]]]) -> Links:
        """Of objects that are all different with what each refers to; several times as fast as noting them
        one by one."""
        referring = [(object_id, keys) for object_id, keys in objects if keys]
        numbers = np.array([len(keys) for _, keys in referring], dtype=np.int64)
        place_of: dict[str, int] = {}
        links = cls()
        links._key_of = array(
            "i", (place_of.setdefault(key, len(place_of)) for _, keys in referring for key in keys)
        )
        links._object_of = array("i", np.repeat(np.arange(len(numbers), dtype=np.int32), numbers).tobytes())
        links._ends.frombytes(np.cumsum(numbers).tobytes())
        links._of_key = KeyPlaces(np.array(links._key_of, dtype=np.uint32))
        links._objects, links._keys = IdTable(object_id for object_id, _ in referring), IdTable(place_of)
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
