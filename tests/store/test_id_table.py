"""A table of ids finds each where it stands, whatever its letters, also when hashes agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.store import id_table, key_places
from memcore.store.id_table import IdTable

IDS = st.text(max_size=3)


@given(st.lists(st.tuples(st.booleans(), IDS)))
def test_it_holds_what_a_dictionary_would(steps: list[tuple[bool, str]]) -> None:
    table, known = IdTable(), dict[str, int]()
    for add, key in steps:
        if not add:
            assert table.forget(key) == known.pop(key, None)
        elif key not in known:
            known[key] = table.append(key)
    assert len(table) == len(known)
    assert {key: table.place(key) for key in {key for _, key in steps}} == {
        key: known.get(key) for _, key in steps
    }
    assert table.at(list(known.values())) == list(known)
    again = IdTable.of_columns(table.kept().columns()) if known else IdTable()
    assert again.at(range(len(again))) == sorted(known, key=lambda key: known[key])
    assert all(again.place(key) is not None for key in known)


def test_ids_of_one_checksum_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(id_table, "crc32", lambda letters: 7)
    monkeypatch.setattr(key_places, "RECENT", 2)  # some are sorted in, some wait
    table = IdTable(f"id{number}" for number in range(10))
    assert [table.place(f"id{number}") for number in range(11)] == [*range(10), None]


def test_columns_that_do_not_fit_together_are_refused() -> None:
    columns = IdTable(["a", "b"]).columns()
    with pytest.raises(ValueError):
        IdTable.of_columns(columns | {"id_ends": columns["id_ends"][:-1]})
    with pytest.raises(ValueError):
        IdTable.of_columns(columns | {"id_letters": columns["id_letters"][:-1]})
