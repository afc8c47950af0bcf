"""Lines that are calls of mem0's `add`, here taken by a double with the signature of mem0's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memcore.domain.errors import UsageError
from memcore.exporting import exported
from memcore.store import DuckStore
from tests.exporting.scene import HOSTILE
from tests.store.samples import memory, put

OF_MEM0_ITSELF = {"data", "hash", "updated_at", "user_id", "agent_id", "run_id", "actor_id", "role"}
"""What mem0 writes into a payload beside the metadata."""


class Mem0:
    """`mem0.Memory` as far as `add(..., infer=False)` goes (mem0/memory/main.py)."""

    def __init__(self) -> None:
        self.payloads: list[dict[str, Any]] = []

    def add(
        self,
        messages: list[dict[str, str]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> None:
        assert not infer and user_id and not any(c.isspace() for c in user_id)
        assert metadata is not None and not metadata.keys() & OF_MEM0_ITSELF
        for message in messages:
            known = {"data": message["content"], "role": message["role"], "user_id": user_id}
            actor = {"actor_id": message["name"]} if "name" in message else {}
            self.payloads.append({**metadata, **known, **actor})


def stored(data: bytes) -> list[dict[str, Any]]:
    mem0 = Mem0()
    for line in data.decode().splitlines():
        mem0.add(**json.loads(line))
    return mem0.payloads


def test_mem0_stores_every_memory_that_holds_with_what_is_known_of_it(store: DuckStore) -> None:
    payloads = stored(exported(store, "mem0"))
    assert [p["memscope_id"] for p in payloads] == ["m2", "m3", "m5", "m6", "y1"]
    assert payloads[0] == {
        "data": "Ann moved to Lisbon",
        "role": "user",
        "user_id": "me",
        "actor_id": "Ann",
        "memscope_id": "m2",
        "owner": "me",
        "recipe": "memscope",
        "created_at": "2023-05-08T13:56:00+00:00",
        "event_at": "2023-05-01T00:00:00+00:00",
        "event_end": "2023-05-08T00:00:00+00:00",
        "kind": "fact",
        "category": "life",
        "subcategory": "home",
        "topic": "Moving",
        "location": "Lisbon",
        "keywords": "move; city",
        "said": "I moved to Lisbon.",
        "place": "a.json line 1",
    }
    assert payloads[2]["data"] == HOSTILE
    assert payloads[3] == {
        "data": "- 1. no source",
        "role": "user",
        "user_id": "me",
        "memscope_id": "m6",
        "owner": "me",
        "recipe": "memscope",
        "kind": "fact",
    }
    assert payloads[4]["user_id"] == "you"


def test_names_with_spaces_stay_apart_and_are_kept(empty: DuckStore) -> None:
    owners = ("Ann B", "Ann\u00a0B", "Ann%20B", "Ann_B")
    put(empty, *(memory(f"m{n}", f"fact {n}", owner=owner) for n, owner in enumerate(owners)))
    payloads = stored(exported(empty, "mem0"))
    assert {p["owner"]: p["user_id"] for p in payloads} == {
        "Ann B": "Ann%20B",
        "Ann\u00a0B": "Ann%C2%A0B",
        "Ann%20B": "Ann%2520B",
        "Ann_B": "Ann_B",
    }


def test_what_two_recipes_remember_of_the_same_words_is_not_stored_twice(store: DuckStore) -> None:
    put(store, memory("l1", "Ann waves", recipe="lightmem"))
    with pytest.raises(UsageError, match=r"Several recipes.*--recipe"):
        exported(store, "mem0")
    assert [p["data"] for p in stored(exported(store, "mem0", recipe="lightmem"))] == ["Ann waves"]
