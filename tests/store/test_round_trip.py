"""A whole store through jsonl and back: every row of every table is the same, whatever is in it."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.models import (
    AskedQuestion,
    Curation,
    Grant,
    Grounding,
    Reason,
    RuleSwitch,
    Segment,
    SessionSummary,
    Source,
    StageTrace,
    Statement,
    TopicCut,
)
from memcore.review import decide
from memcore.store import DuckStore
from memcore.store.sql.writer import Writer
from tests.pipeline import open_with
from tests.store.samples import (
    EMBEDDER,
    MAY_8,
    call,
    entity,
    log,
    memory,
    proposal,
    run,
    triple,
    vector,
)
from tests.store.test_history_properties import blocks, undo_event

ODD = 'nul\x00 \u202e \U0010fffe0 👩‍👩‍👧‍👦 \u2028 \\ " \r\n end'
OF_ITS_OWN = {"store", "migrations"}
"""Tables about the database itself; and `changed`, in all others, numbers its own commits."""


def opened(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


def everything(store: DuckStore) -> dict[str, list[tuple[Any, ...]]]:
    """All rows by table, as the database has them; the bytes of vectors instead of their numbers."""
    query = store._database.query
    names = [name for (name,) in query("select table_name from duckdb_tables() where not internal")]
    rows = {}
    for name in sorted({*names} - OF_ITS_OWN):
        columns = [column for (column,) in query("select column_name from duckdb_columns() where "
                                                 "table_name = ? order by column_index", [name])]  # fmt: skip
        kept = ", ".join(f'"{column}"' for column in columns if column != "changed")
        found = query(f"select {kept} from {name}")  # noqa: S608  # names that the database gave
        rows[name] = sorted((tuple(map(_exact, row)) for row in found), key=repr)
    return rows


def _exact(cell: Any) -> Any:
    return (
        cell.hex() if isinstance(cell, float) else [*map(_exact, cell)] if isinstance(cell, tuple) else cell
    )


def copied(store: DuckStore, directory: Path) -> DuckStore:
    """A new store that a jsonl export of this one was read into."""
    file = directory / "store.jsonl"
    with file.open("wb") as to:
        rows = store.export_jsonl(to)
    copy = opened(directory / "copy")
    assert copy.import_jsonl(file) == rows
    return copy


def live(store: DuckStore) -> None:
    """Two owners, three recipes, and everything that can happen to a memory."""
    with store.write(actor="test", run_id="run-me") as writer:
        put_evidence(writer, "me", "a")
        put_evidence(writer, "you", "b")
        for owner, name, recipe in (("me", "a", "memscope"), ("me", "a", "lightmem"), ("you", "b", "mem0")):
            put_made(writer, owner, name, recipe)
        writer.add_traces([StageTrace("run-me", "s", unit, 0, 0.25, {"p": ODD}) for unit in ("z", "a", "m")])
        writer.put_topic_cuts([TopicCut("cut", "me", "a-s0", "memscope", ("seg-memscope-me",))])
        writer.put_rule_switches([RuleSwitch("switch", "me", "duplicates", True)])
        writer.put_grants([Grant.of(ODD, "me", "review"), Grant.of("ben", "", None)])
        writer.put_curations(
            [Curation("cur", "me", "memory", "m1-memscope-me", "wrong", ODD, MAY_8, "time", ODD)]
        )
        writer.add_question(AskedQuestion("que", "me", "memscope", ODD, MAY_8, ("m1-memscope-me",)), keep=5)
    with store.write(actor="consolidation") as writer:
        targets = {"risk": "high", "candidates": ()}
        writer.put_proposals(
            [
                proposal("p-approved", "m1-memscope-me", after=f"Ann has two dogs {ODD}", **targets),
                proposal("p-undone", "m2-memscope-me", operation="delete", after=None, before="it rains"),
                proposal("p-rejected", "m1-memscope-me", **targets),
                proposal("p-pending", "m1-memscope-me", **targets),
                proposal("p-merge", "e1-memscope-me", "e2-memscope-me", operation="merge_entities",
                         before="Ann", after="Ann"),
            ]
        )  # fmt: skip
    decide.edit(store, "p-rejected", "other words", "person")
    decide.reject(store, ["p-rejected"], "person")
    undone = decide.approve(store, EMBEDDER, ["p-undone"], "person")
    decide.undo(store, undone.event_id, "person")
    for one in ("p-merge", "p-approved"):
        (outcome,) = decide.approve(store, EMBEDDER, [one], "person").outcomes
        assert not outcome.conflict
    store.record(call("c1", prompt=ODD, prompt_tokens=None))
    store.record(call("c2", run_id="run-you", outcome="error", error=ODD))


def put_evidence(writer: Writer, owner: str, name: str) -> None:
    writer.add_log(log(ODD, "Really?", name=name, owner=owner))
    writer.put_run(run(f"run-{owner}", owner=owner, settings={"x": [1.5, None, ODD]}, totals={"n": 1}))


def put_made(writer: Writer, owner: str, name: str, recipe: str) -> None:
    key, source = f"{recipe}-{owner}", Source(f"{name}-s0-m0", 0, 3)
    mine = {"owner": owner, "recipe": recipe}
    segment = Segment(f"seg-{key}", f"{name}-s0", (f"{name}-s0-m0",), ODD, {"score": 0.1}, recipe)
    writer.add_segments([segment])
    texts = (f"Ann has a dog {key}", f"it rains {key}")
    writer.put_memories(
        [
            memory(f"m{n}-{key}", text, sources=(source,), keywords=(ODD,), segment_id=segment.id, **mine)
            for n, text in enumerate(texts, start=1)
        ]
    )
    writer.put_entities(
        [
            entity(f"e{n}-{key}", ann, aliases=(ODD,), first_seen=MAY_8, **mine)
            for n, ann in ((1, "Ann"), (2, "Anne"))
        ]
    )
    writer.put_triples([triple(f"t-{key}", f"e2-{key}", "is", f"e1-{key}", sources=(source,), **mine)])
    writer.put_summaries([SessionSummary(f"sum-{key}", f"{name}-s0", owner, ODD, (ODD,), recipe=recipe)])
    judged = Statement("memory", f"m1-{key}", owner, texts[0], (f"{name}-s0-m0",))
    writer.put_groundings(
        [(judged, Grounding("partly", 0.6, (Reason("name", "Ann", ODD),), made_by="rules"))]
    )
    writer.mark_processed(recipe, [f"{name}-s0-m0"], f"run-{owner}")
    codes = dict(zip(texts[:1], EMBEDDER.token_codes(texts[:1]), strict=True))
    writer.add_embeddings(EMBEDDER.model_id, {text: vector(text) for text in texts}, codes)


def test_a_store_with_everything_in_it_comes_back_row_by_row(tmp_path: Path) -> None:
    with opened(tmp_path / "one") as one:
        live(one)
        before = everything(one)
        assert [name for name, rows in before.items() if not rows] == [], "a table that nothing shows"
        with copied(one, tmp_path) as two:
            assert everything(two) == before
            assert two.events() == one.events()
            assert [finding for finding in two.check() if not finding.sound] == []
            (merged,) = [e for e in two.entities("me") if e.merged_into]
            assert (merged.id, merged.merged_into) == ("e2-memscope-me", "e1-memscope-me")
            searched = ["Ann has a dog mem0-you"]
            for how in ("semantic", "lexical"):
                asked = vector(searched[0]) if how == "semantic" else searched[0]
                found = [getattr(s, how)("you", asked, 5, kind="memory", recipe="mem0") for s in (one, two)]
                assert found[0] == found[1] != []
            decide.undo(two, two.last_event_of("p-approved").id, "person")
            assert two.memory("m1-memscope-me").text == "Ann has a dog memscope-me"


numbers = st.floats(allow_nan=False, allow_infinity=False)
payloads = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
left_behind = st.lists(
    st.tuples(st.text(), numbers, st.dictionaries(st.text(), payloads, max_size=3), st.datetimes()),
    max_size=3,
)


@settings(max_examples=20)
@given(blocks, left_behind)
def test_any_store_comes_back_row_by_row(
    changes: list[list[tuple[str, Any]]], work: list[tuple[str, float, dict[str, Any], datetime]]
) -> None:
    with tempfile.TemporaryDirectory() as name, opened(Path(name) / "one") as one:
        for block in changes:
            with one.write(actor="test") as writer:
                for kind, value in block:
                    if kind == "undo":
                        undo_event(one, writer, value)
                    else:
                        getattr(writer, kind)([value])
        with one.write(actor="test") as writer:
            for n, (text, number, payload, moment) in enumerate(work):
                writer.add_log(log(text, "", name=f"log{n}", owner=f"o{n}"))
                writer.put_run(run(f"run{n}", settings=payload, finished_at=moment, error=text))
                writer.add_traces([StageTrace(f"run{n}", "s", text, n, number, payload)])
                writer.add_embeddings(EMBEDDER.model_id, {f"{n}{text}": vector(text)})
        with copied(one, Path(name)) as two:
            assert everything(two) == everything(one)
