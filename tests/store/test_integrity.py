"""Every kind of damage has its finding. Damage is done behind the store's back, in SQL."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from memcore.domain.models import Segment, SessionSummary, Source, triple_text
from memcore.store import DuckStore, Finding
from memcore.store.duckdb.files import FILE_NAME
from tests.pipeline import open_with
from tests.store.samples import (
    EMBEDDER,
    add_vectors,
    entity,
    log,
    memory,
    proposal,
    run,
    topic_cut,
    triple,
)


def open_at(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A sound store with one of everything."""
    with open_at(tmp_path) as store, store.write(actor="test") as writer:
        writer.add_log(log("👩‍👩‍👧‍👦 I have a dog", "Really?"))
        writer.add_segments([Segment("seg", "a-s0", ("a-s0-m0", "a-s0-m1"))])
        text = "👩‍👩‍👧‍👦 I have a dog"
        writer.put_memories(
            [
                memory("m1", sources=(Source("a-s0-m0", 0, len(text)),), segment_id="seg"),
                memory("m2", "old", state="superseded", superseded_by="m1"),
            ]
        )
        writer.put_entities([entity("e1", "Ann"), entity("e2", "dog"), entity("e3", "A.", merged_into="e1")])
        writer.put_triples(
            [triple("t1", "e1", "has", "e2", memory_ids=("m1",), sources=(Source("a-s0-m0", 0, 3),))]
        )
        writer.put_summaries(
            [SessionSummary("sum1", "a-s0", "me", "A dog.", triple_ids=("t1",), segment_ids=("seg",))]
        )
        writer.put_proposals([proposal("p1", "m1"), proposal("p2", "e1", operation="merge_entities")])
        writer.put_topic_cuts([topic_cut("a-s0", "seg")])
        writer.mark_processed("memscope", ["a-s0-m0"], "run1")
        writer.put_run(run("run1"))
        add_vectors(writer, memory("m1").text, triple_text("Ann", "has", "dog"))
    return tmp_path


def unsound(directory: Path) -> list[Finding]:
    with open_at(directory) as store:
        return [finding for finding in store.check() if not finding.sound]


def test_a_sound_store_has_no_fault(filled: Path) -> None:
    assert unsound(filled) == []
    with open_at(filled) as store:
        assert len({finding.name for finding in store.check()}) == len(store.check())


def test_an_empty_store_is_sound(tmp_path: Path) -> None:
    assert unsound(tmp_path) == []


@pytest.mark.parametrize(
    ("damage", "name", "said"),
    [
        ("update memories set text = 'Ann has a cat' where id = 'm1'", "history", "memory m1"),
        ("delete from memories where id = 'm2'", "history", "memory m2"),
        ("update proposals set state = 'applied' where id = 'p1'", "history", "proposal p1"),
        ("delete from events where seq = 2", "history", "in place 2"),
        ("update events set before = after where seq = 1", "history", "another state"),
        ("delete from sessions", "evidence", "message a-s0-m0"),
        ("delete from conversations", "evidence", "session a-s0"),
        ("delete from messages where id = 'a-s0-m1'", "evidence", "segment seg"),
        ("delete from messages where id = 'a-s0-m0'", "memories", "memory m1"),
        ("delete from segments", "memories", "memory m1"),
        ("delete from memories where id = 'm1'", "memories", "memory m2"),
        ("delete from segments", "topics", "cut "),
        ("update segments set session_id = 'other'", "topics", "cut "),
        ("delete from entities where id = 'e2'", "graph", "triple t1"),
        ("delete from entities where id = 'e1'", "graph", "entity e3"),
        ("delete from triples", "graph", "summary of a-s0"),
        ("delete from memories where id = 'm1'", "proposals", "proposal p1"),
        ("delete from messages where id = 'a-s0-m0'", "work", "message a-s0-m0"),
        (
            "update memories set sources = [{'message_id': 'a-s0-m0', 'start': 0, 'end': 99}]",
            "quotes",
            "0:99 of message a-s0-m0",
        ),
        ("delete from embeddings", "embeddings", "memory m1"),
    ],
)
def test_damage_is_found_and_named(filled: Path, damage: str, name: str, said: str) -> None:
    with duckdb.connect(str(filled / FILE_NAME)) as connection:
        connection.execute(damage)
    found = {finding.name: finding for finding in unsound(filled)}
    assert name in found
    assert said in found[name].what
    assert found[name].fix


def test_unfinished_runs_are_named_without_being_a_fault(filled: Path) -> None:
    with open_at(filled) as store:
        with store.write(actor="test") as writer:
            writer.put_run(run("run2", state="running"))
        (finding,) = [finding for finding in store.check() if finding.name == "runs"]
    assert finding.sound
    assert "ingest run2" in finding.what
    assert "again" in finding.fix


def test_many_faults_are_counted_and_a_few_named(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        with store.write(actor="test") as writer:
            writer.put_memories([memory(f"m{number:02d}", f"fact {number}") for number in range(12)])
        (finding,) = [finding for finding in store.check() if not finding.sound]
    assert finding.name == "embeddings"
    assert "and 7 more" in finding.what
