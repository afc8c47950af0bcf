"""References both ways: what refers to a key, as it came, whatever changed since."""

from __future__ import annotations

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
    assert_same(links, Links.of(keys_of.items()))


def assert_same(links: Links, at_once: Links) -> None:
    """What was noted at once and what one by one hold the same, and go on alike."""
    for change in (None, ("b", ("a", "nobody")), ("z", ("ä",))):
        if change:
            links.refer(*change)
            at_once.refer(*change)
        for key in ("a", "b", "c", "ä", "nobody"):
            assert links.holders([key]) == at_once.holders([key])
