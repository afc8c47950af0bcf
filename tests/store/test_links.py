"""References both ways: what refers to a key, as it came, whatever changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from memcore.store.links import Links

NAMES = st.sampled_from(["a", "b", "c", "ä"])


@given(st.lists(st.tuples(NAMES, st.lists(NAMES, unique=True).map(tuple))))
def test_links_hold_what_dictionaries_would(changes: list[tuple[str, tuple[str, ...]]]) -> None:
    links, keys_of = Links(), dict[str, tuple[str, ...]]()
    for name, keys in changes:
        links.refer(name, keys)
        if keys_of.get(name, ()) != keys:  # what changed comes last
            keys_of.pop(name, None)
            keys_of |= {name: keys} if keys else {}
    for key in ("a", "b", "c", "ä", "nobody"):
        assert links.holders([key]) == [name for name, keys in keys_of.items() if key in keys]
    several = links.holders(["c", "nobody", "a", "c"])
    assert several == list(dict.fromkeys([*links.holders(["c"]), *links.holders(["a"])]))
    assert_same(links, Links.of_columns(*columns(keys_of)))


@given(st.dictionaries(st.text("abcä", max_size=3), st.lists(NAMES)), st.booleans())
def test_links_of_columns_hold_what_was_noted_one_by_one(keys_of: dict[str, list[str]], up: bool) -> None:
    links, key = Links(), str.upper if up else str
    for name, keys in keys_of.items():
        links.refer(name, tuple(dict.fromkeys(map(key, keys))))
    assert_same(links, Links.of_columns(*columns(keys_of), key if up else None), *("ABCÄ" if up else ()))


def columns(keys_of: Mapping[str, Sequence[str]]) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """As a database gives them, in more than one part."""
    rows = list(keys_of.items())
    parts = [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
    objects = pa.chunked_array([[name for name, _ in part] for part in parts], pa.string())
    return objects, pa.chunked_array(
        [[list(keys) for _, keys in part] for part in parts], pa.list_(pa.string())
    )


def assert_same(links: Links, at_once: Links, *further: str) -> None:
    """Both hold the same, and go on alike."""
    for change in (None, ("b", ("a", "nobody")), ("z", ("ä",)), ("a", ())):
        if change:
            links.refer(*change)
            at_once.refer(*change)
        for key in ("a", "b", "c", "ä", "nobody", *further):
            assert links.holders([key]) == at_once.holders([key])
