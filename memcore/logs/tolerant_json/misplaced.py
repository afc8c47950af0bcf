"""Records that stray brackets have put where they do not belong, known by being like others.

A bracket too many closes a record, or the list it stands in, too early; one too few leaves it open, and what
follows seems to stand within it. Of damaged containers only: in sound ones everything is where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Set
from typing import Any

from memcore.logs.tolerant_json.values import LOST

MAX_DEPTH = 16
"""How deep within a damaged container misplaced records are looked for."""


def put_right(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A list or object out of a damaged text with every record where it belongs; changed in place."""
    if depth and isinstance(value, list):
        value[:] = [record for _origin, record in flattened(value)]
    elif depth and isinstance(value, dict):
        _regroup(value)
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children if depth else ():
        put_right(child, depth - 1)
    return value


def common_names(values: Iterable[Any]) -> frozenset[str]:
    """The names that all objects among these have."""
    names: frozenset[str] | None = None
    for value in values:
        if isinstance(value, dict):
            names = frozenset(value) if names is None else names & value.keys()
    return names or frozenset()


def share_names(one: Collection[str], other: Collection[str]) -> bool:
    """Whether these may be objects of one kind: half of the second one's names are also the first one's."""
    return 2 * len(set(one) & set(other)) >= len(other)


# ---------------------------------------------------------------- lists of records


def flattened(elements: list[Any]) -> Iterator[tuple[int, Any]]:
    """The elements of a list of records, each with the place in the list it was found in: those that a
    lost bracket had put into a list within another one stand behind that, those that a stray bracket had
    made a list of their own stand in this one."""
    like = _usual_names(elements)
    for place, element in enumerate(elements):
        if like and isinstance(element, list) and element and all(_is_like(one, like) for one in element):
            yield from ((place, one) for one in element)
            continue
        yield place, element
        inners = element.values() if isinstance(element, dict) and len(like) >= 2 else ()
        for inner in inners:
            if isinstance(inner, list) and inner and not _is_like(inner[0], like):
                own = next((at for at, one in enumerate(inner) if _is_like(one, like)), len(inner))
                yield from ((place, one) for one in inner[own:])
                del inner[own:]


def list_for(record: Any, other: Any) -> list[Any] | None:
    """The list within the other record that this one belongs into, if it is no record like that: stray
    brackets had closed both too early."""
    if not isinstance(record, dict) or not isinstance(other, dict) or share_names(record, other):
        return None
    for inner in other.values():
        if isinstance(inner, list) and len(like := common_names(inner)) >= 2 and like <= record.keys():
            return inner
    return None


def _usual_names(values: Iterable[Any]) -> frozenset[str]:
    """The names that most objects among these have."""
    objects = [value for value in values if isinstance(value, dict)]
    counts = Counter(name for value in objects for name in value)
    return frozenset(name for name, number in counts.items() if 2 * number > len(objects))


def _is_like(value: Any, like: frozenset[str]) -> bool:
    return isinstance(value, dict) and share_names(value, like)


# ---------------------------------------------------------------- objects of records


def _regroup(value: dict[str, Any]) -> None:
    """An object with objects of records by id in it: records that stand within another one, or beside the
    object they belong into, and members of this one that stand among the records, go where they belong."""
    for name, inner in list(value.items()):
        records = _unnested(inner) if isinstance(inner, dict) else {}
        like = common_names(records.values())
        if sum(isinstance(one, dict) for one in records.values()) < 2 or len(like) < 2:
            continue
        for other, one in list(value.items()):
            if other != name and isinstance(one, dict) and like <= one.keys():
                records[other] = value.pop(other)
        for other, one in list(records.items()):
            if not isinstance(one, dict) and one is not LOST and other not in value:
                value[other] = records.pop(other)
        value[name] = records


def _unnested(records: dict[str, Any]) -> dict[str, Any]:
    """The records, with those that stand in another one beside it: they are as it is, or as the others."""
    shapes = {frozenset(record) for record in records.values() if isinstance(record, dict)}
    flat: dict[str, Any] = {}
    for name, record in records.items():
        inside = _records_in(record, shapes) if isinstance(record, dict) else {}
        flat[name] = {key: one for key, one in record.items() if key not in inside} if inside else record
        flat.update(_unnested(inside))
    return flat


def _records_in(record: dict[str, Any], shapes: Set[frozenset[str]]) -> dict[str, Any]:
    return {
        key: one
        for key, one in record.items()
        if isinstance(one, dict)
        and one
        and (one.keys() <= record.keys() or frozenset(one) in shapes)
        and share_names(record, one)
    }
