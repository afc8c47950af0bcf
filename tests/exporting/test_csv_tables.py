"""CSV that Python's csv module and spreadsheets read: every value back, no text a formula."""

from __future__ import annotations

import csv
import io
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from memcore.exporting import exported
from memcore.exporting.csv_file import csv_file
from memcore.store import DuckStore
from tests.exporting.scene import HOSTILE


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def said(row: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if value}


def test_each_memory_is_a_row_whatever_became_of_it(store: DuckStore) -> None:
    table = rows(exported(store, "csv"))
    assert [(row["id"], row["owner"], row["recipe"], row["state"]) for row in table] == [
        ("m1", "me", "memscope", "superseded"),
        ("m2", "me", "memscope", "active"),
        ("m3", "me", "memscope", "active"),
        ("m4", "me", "memscope", "deleted"),
        ("m5", "me", "memscope", "active"),
        ("m6", "me", "memscope", "active"),
        ("y1", "you", "mem0", "active"),
    ]
    assert said(table[0])["superseded_by"] == "m3"
    assert said(table[1]) == {
        "id": "m2",
        "owner": "me",
        "recipe": "memscope",
        "state": "active",
        "text": "Ann moved to Lisbon",
        "kind": "fact",
        "category": "life",
        "subcategory": "home",
        "speaker": "Ann",
        "mentioned_at": "2023-05-08 13:56:00",
        "event_at": "2023-05-01 00:00:00",
        "event_end": "2023-05-08 00:00:00",
        "topic": "Moving",
        "keywords": "move; city",
        "location": "Lisbon",
        "said": "I moved to Lisbon.",
        "place": "a.json line 1",
    }


def test_text_that_would_be_a_formula_has_an_apostrophe_and_is_else_exact(store: DuckStore) -> None:
    hostile = rows(exported(store, "csv", owner="me"))[4]
    assert (hostile["text"], hostile["said"]) == (f"'{HOSTILE}", f"'{HOSTILE}")
    assert hostile["place"] == "'=a.json line 4"
    assert rows(exported(store, "csv", owner="me"))[5]["text"] == "'- 1. no source"


@given(st.text(st.sampled_from("=+-@\t\r\n'\" ,;|a＝\u202e\x00")))
def test_no_text_begins_as_a_formula_and_none_is_changed_otherwise(text: str) -> None:
    ((cell, number),) = csv.reader(io.StringIO(csv_file([text, -1], []).decode("utf-8-sig"), newline=""))
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
    assert cell in (text, f"'{text}")
    assert number == "-1"


def test_the_zip_has_memories_triples_and_messages(store: DuckStore) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(store, "csv-zip"))) as archive:
        assert archive.testzip() is None
        tables = {name: rows(archive.read(name)) for name in archive.namelist()}
    assert list(tables) == ["memories.csv", "triples.csv", "messages.csv"]
    assert tables["memories.csv"] == rows(exported(store, "csv"))
    assert [said(row) for row in tables["triples.csv"]] == [
        {
            "id": "t1",
            "owner": "me",
            "recipe": "memscope",
            "subject": "Ann",
            "relation": "live_in",
            "object": "Lisbon",
            "valid_from": "2023-05-08 13:56:00",
            "invalidated_at": "2023-06-01 00:00:00",
            "mentions": "1",
            "subject_id": "e1",
            "object_id": "e2",
            "memories": "m1",
            "said": "I moved to Lisbon.",
            "place": "a.json line 1",
        },
        {
            "id": "t2",
            "owner": "me",
            "recipe": "memscope",
            "subject": "Ann",
            "relation": "'=say",
            "object": f"'{HOSTILE}",
            "mentions": "1",
            "subject_id": "e1",
            "object_id": "e3",
        },
    ]
    messages = tables["messages.csv"]
    assert [row["id"] for row in messages] == [*(f"a-s0-m{n}" for n in range(4)), "b-s0-m0"]
    assert said(messages[1]) == {
        "id": "a-s0-m1",
        "owner": "me",
        "conversation": "a",
        "session": "Moving * house",
        "position": "1",
        "said_at": "2023-05-08 13:57:00",
        "time_source": "message",
        "speaker": "Bob",
        "role": "user",
        "text": "Write to ann@example.com",
        "file": "a.json",
        "place": "line 2",
    }


def test_equal_stores_give_equal_files(store: DuckStore) -> None:
    assert exported(store, "csv-zip") == exported(store, "csv-zip")


def test_an_empty_store_gives_a_table_of_no_rows(empty: DuckStore) -> None:
    assert exported(empty, "csv").decode("utf-8-sig").startswith("id,owner,recipe,state,text")
    assert rows(exported(empty, "csv")) == []
