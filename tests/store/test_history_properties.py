"""For any sequence of changes and undos: current state is what the events say."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.store import DuckStore, open_store
from memcore.store.sql.integrity import Replay
from memcore.store.sql.tables import REVIEWABLE
from tests.store.samples import EMBEDDER, MAY_8, entity, memory, proposal, triple

ANY_TEXT = st.text(max_size=12) | st.sampled_from(["", "\ud800", "a\x00b", "'; drop"])
KEYS = st.sampled_from(["1", "2", "3"])

put_memory = st.builds(
    lambda key, text, state, words: (
        "put_memories",
        memory(f"m{key}", text, state=state, keywords=tuple(words)),
    ),
    KEYS,
    ANY_TEXT,
    st.sampled_from(["active", "superseded", "deleted"]),
    st.lists(ANY_TEXT, max_size=2),
)
put_entity = st.builds(lambda key, name: ("put_entities", entity(f"e{key}", name)), KEYS, ANY_TEXT)
put_triple = st.builds(
    lambda key, n, moment: (
        "put_triples",
        triple(f"t{key}", "e1", "knows", "e2", mentions=n, invalidated_at=moment),
    ),
    KEYS,
    st.integers(0, 3),
    st.none() | st.just(MAY_8),
)
put_proposal = st.builds(
    lambda key, state, after: ("put_proposals", proposal(f"p{key}", "m1", state=state, after=after)),
    KEYS,
    st.sampled_from(["pending", "applied", "rejected"]),
    st.none() | ANY_TEXT,
)
undo = st.tuples(st.just("undo"), st.integers(0, 30))
change = st.one_of(put_memory, put_entity, put_triple, put_proposal, undo)
blocks = st.lists(st.lists(change, min_size=1, max_size=4), max_size=6)


def snapshots(store: DuckStore) -> dict[tuple[str, str], dict[str, Any]]:
    current = [
        *(("memory", item) for item in store.memories("me", states=None)),
        *(("entity", item) for item in store.entities("me")),
        *(("triple", item) for item in store.triples("me")),
        *(("proposal", item) for item in store.proposals("me", states=None)),
    ]
    return {(kind, item.id): REVIEWABLE[kind].snapshot(item) for kind, item in current}


def undo_event(store: DuckStore, writer: Any, number: int) -> None:
    events = store.events()
    if events:
        event = events[number % len(events)]
        writer.restore(event.object_type, event.object_id, event.before, undo_of=event.id)


@settings(max_examples=25)
@given(blocks)
def test_state_is_what_the_events_say(changes: list[list[tuple[str, Any]]]) -> None:
    with (
        tempfile.TemporaryDirectory() as directory,
        open_store(Path(directory), embedding_model=EMBEDDER.model_id, dimension=32) as store,
    ):
        for block in changes:
            with store.write(actor="test") as writer:
                for name, value in block:
                    if name == "undo":
                        undo_event(store, writer, value)
                    else:
                        getattr(writer, name)([value])
        replay = Replay().follow(store.events())
        assert replay.problems == []
        assert replay.state == snapshots(store)
        assert all(event.before != event.after for event in store.events() if event.undo_of is None)


@settings(max_examples=25)
@given(st.lists(st.one_of(put_memory, put_triple, put_proposal), min_size=1, max_size=5))
def test_undoing_an_undo_restores(changes: list[tuple[str, Any]]) -> None:
    with (
        tempfile.TemporaryDirectory() as directory,
        open_store(Path(directory), embedding_model=EMBEDDER.model_id, dimension=32) as store,
    ):
        with store.write(actor="test") as writer:
            for name, value in changes:
                getattr(writer, name)([value])
        before = snapshots(store)
        for _ in range(2):
            batch = store.events(batch=store.events(newest_first=True, limit=1)[0].batch)
            with store.write(actor="person") as writer:
                for event in reversed(batch):
                    writer.restore(event.object_type, event.object_id, event.before, undo_of=event.id)
        assert snapshots(store) == before
        assert Replay().follow(store.events()).problems == []


def test_replay_names_a_break_in_the_chain(tmp_path: Path) -> None:
    with open_store(tmp_path, embedding_model=EMBEDDER.model_id, dimension=32) as store:
        for text in ("one", "two", "three"):
            with store.write(actor="test") as writer:
                writer.put_memories([memory("m1", text)])
        first, second, third = store.events()
    assert Replay().follow([first, second, third]).problems == []
    assert len(Replay().follow([first, third]).problems) == 2
    assert len(Replay().follow([first, replace(second, before=None), third]).problems) == 1
