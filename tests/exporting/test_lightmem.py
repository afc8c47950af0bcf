"""Points as LightMem's published code stores them in Qdrant."""

from __future__ import annotations

import json
import uuid
from typing import Any

import numpy as np
import pytest

from memcore.domain.errors import StoreError, UsageError
from memcore.exporting import exported
from memcore.exporting.lightmem import point_id
from memcore.store import DuckStore
from tests.exporting.scene import HOSTILE
from tests.store.samples import memory, put, vector


def points(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().split("\n") if line]


def test_each_memory_that_holds_is_a_point_with_its_vector(store: DuckStore) -> None:
    made = points(exported(store, "lightmem", owner="me"))
    assert [point["id"] for point in made] == [point_id(i) for i in ("m2", "m3", "m5", "m6")]
    assert all(set(point) == {"id", "vector", "payload"} for point in made)
    for point in made:
        assert str(uuid.UUID(point["id"])) == point["id"], "Qdrant takes no other text"
        expected = vector(point["payload"]["memory"])
        np.testing.assert_array_equal(np.array(point["vector"], dtype=np.float32), expected)


def test_the_payload_has_the_published_names_and_types(store: DuckStore) -> None:
    payloads = [point["payload"] for point in points(exported(store, "lightmem", owner="me"))]
    assert payloads[0] == {
        "time_stamp": "2023-05-08T13:56:00.000",
        "float_time_stamp": 1683554160.0,
        "weekday": "Mon",
        "topic_id": 0,
        "topic_summary": "Moving",
        "category": "life",
        "subcategory": "home",
        "memory_class": "fact",
        "memory": "Ann moved to Lisbon",
        "original_memory": "I moved to Lisbon. Sunny!",
        "compressed_memory": "moved Lisbon",
        "speaker_id": 0,
        "speaker_name": "Ann",
        "update_queue": [],
        "consolidated": False,
    }
    assert [(p["topic_id"], p["speaker_id"]) for p in payloads] == [(0, 0), (1, 0), (1, 1), (None, None)]
    assert (payloads[2]["memory"], payloads[2]["original_memory"]) == (HOSTILE, HOSTILE)
    undated = payloads[3]
    assert (undated["time_stamp"], undated["float_time_stamp"], undated["weekday"]) == (None, None, "")


def test_the_published_update_compares_what_consolidation_compared(store: DuckStore) -> None:
    """LightMem.offline_update_all_entries asks for every entry whose update_queue names this one."""
    made = points(exported(store, "lightmem", owner="me"))
    compared = {
        entry["id"]: {
            other["id"]: candidate["score"]
            for other in made
            for candidate in other["payload"]["update_queue"]
            if candidate["id"] == entry["id"]
        }
        for entry in made
    }
    m2, m3, m5, m6 = map(point_id, ("m2", "m3", "m5", "m6"))
    assert compared == {m2: {m3: 0.75, m5: 0.5}, m3: {m5: 0.9}, m5: {}, m6: {}}
    scores = [c["score"] for c in made[2]["payload"]["update_queue"]]
    assert scores == sorted(scores, reverse=True) == [0.9, 0.5]


def test_two_owners_or_two_recipes_are_never_one_collection(store: DuckStore) -> None:
    with pytest.raises(UsageError, match="several owners: me, you"):
        exported(store, "lightmem")
    put(store, memory("l1", "Ann waves", recipe="lightmem"))
    with pytest.raises(UsageError, match=r"Several recipes.*lightmem, memscope.*--recipe"):
        exported(store, "lightmem", owner="me")
    (point,) = points(exported(store, "lightmem", owner="me", recipe="lightmem"))
    assert point["payload"]["memory"] == "Ann waves"


def test_a_memory_without_a_vector_is_an_error_with_the_fix(empty: DuckStore) -> None:
    put(empty, memory("m1", "never embedded"), embedded=False)
    with pytest.raises(StoreError, match=r"'m1' has no vector.*memcore reembed"):
        exported(empty, "lightmem")
