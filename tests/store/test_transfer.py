"""A whole store as JSON lines: out, back in, and what a damaged file does (nothing)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcore.domain.errors import ConflictError, EmbeddingMismatchError, LogError
from memcore.domain.models import Curation, Grant, RuleSwitch, Segment, SessionSummary, Source, StageTrace
from memcore.store import DuckStore
from memcore.store.sql import transfer
from tests.pipeline import open_with
from tests.store.samples import (
    EMBEDDER,
    MAY_8,
    call,
    entity,
    log,
    memory,
    proposal,
    put,
    run,
    topic_cut,
    triple,
    vector,
)

ODD = 'nul\x00 \u202e 👩‍👩‍👧‍👦 \u2028 \\ " \r\n end'


def open_at(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


def fill(store: DuckStore, name: str = "a") -> None:
    with store.write(actor="test", run_id=f"run-{name}") as writer:
        writer.add_log(log(ODD, "Really?", name=name))
        writer.add_segments([Segment(f"seg-{name}", f"{name}-s0", (f"{name}-s0-m0",), "x", {"score": 0.1})])
        source = Source(f"{name}-s0-m0", 0, 3)
        writer.put_memories([memory(f"m-{name}", f"{ODD}{name}", sources=(source,), keywords=(ODD,))])
        writer.put_entities([entity(f"e-{name}", "Ann", aliases=(ODD,), first_seen=MAY_8)])
        writer.put_triples([triple(f"t-{name}", f"e-{name}", "is", f"e-{name}", sources=(source,))])
        writer.put_summaries([SessionSummary(f"sum-{name}", f"{name}-s0", "me", "They talk.")])
        writer.put_proposals([proposal(f"p-{name}", f"m-{name}", after=None)])
        writer.put_topic_cuts([topic_cut(f"{name}-s0", f"seg-{name}")])
        writer.put_rule_switches([RuleSwitch(f"sw-{name}", "me", f"rule {name}", True)])
        writer.put_grants([Grant.of(f"{name}@example.org", "me", "read")])
        writer.put_curations([Curation(f"cu-{name}", "me", "memory", f"m-{name}", "wrong", ODD, MAY_8)])
        writer.put_run(run(f"run-{name}", settings={"x": [1.5, None, ODD]}))
        writer.add_traces(
            [StageTrace(f"run-{name}", "s", unit, 0, 0.25, {"p": 1}) for unit in ("z", "a", "m")]
        )
        writer.mark_processed("memscope", [f"{name}-s0-m0"], f"run-{name}")
        text = f"{ODD}{name}"
        codes = dict(zip([text], EMBEDDER.token_codes([text]), strict=True))
        writer.add_embeddings(EMBEDDER.model_id, {text: vector(text)}, codes)
    with store.write(actor="person") as writer:
        writer.put_memories([memory(f"m-{name}", "changed", state="superseded")], kind="memory.edited")
    store.record(call(f"c-{name}", prompt=ODD))


def export(store: DuckStore, path: Path) -> int:
    with path.open("wb") as file:
        return store.export_jsonl(file)


def rows(store: DuckStore, path: Path) -> list[str]:
    """All rows of an export, without the header (which carries the time)."""
    export(store, path)
    return path.read_text().splitlines()[1:]


def test_a_store_imported_into_an_empty_one_is_the_same_row_by_row(tmp_path: Path) -> None:
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        fill(one, "z")
        fill(one, "a")
        exported = export(one, tmp_path / "export.jsonl")
        assert two.import_jsonl(tmp_path / "export.jsonl") == exported
        assert rows(two, tmp_path / "2.jsonl") == rows(one, tmp_path / "1.jsonl")
        assert two.conversations() == one.conversations()
        assert two.events() == one.events()
        assert two.topic_cut("a-s0", "memscope") == topic_cut("a-s0", "seg-a")
        assert two.rule_switches("me") == one.rule_switches("me") != []
        assert two.grants() == one.grants() != []
        assert two.curations("me") == one.curations("me") != []
        assert two.traces() == one.traces()
        assert two.memories("me", states=None) == one.memories("me", states=None)
        assert two.pending_messages("memscope", "me") == one.pending_messages("memscope", "me")
        np.testing.assert_array_equal(
            two.embeddings(EMBEDDER.model_id, [f"{ODD}a"])[f"{ODD}a"], vector(f"{ODD}a")
        )
        assert two.lexical("me", "changed", 5, kind="memory") == one.lexical(
            "me", "changed", 5, kind="memory"
        )


def test_token_codes_go_along_and_an_export_without_them_is_read(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    with open_at(tmp_path / "one") as one:
        fill(one)
        export(one, file)
    told = [json.loads(line) for line in file.read_bytes().split(b"\n") if line]
    (embedding,) = [line["value"] for line in told if line.get("type") == "embedding"]
    assert base64.b64decode(embedding["token_codes"]) == EMBEDDER.token_codes([f"{ODD}a"])[0].tobytes()
    del embedding["token_codes"]
    file.write_text("\n".join(map(json.dumps, told)))
    with open_at(tmp_path / "two") as two:
        two.import_jsonl(file)
        assert f"{ODD}a" in two.embeddings(EMBEDDER.model_id, [f"{ODD}a"])
    embedding["token_codes"] = base64.b64encode(b"abc").decode()
    file.write_text("\n".join(map(json.dumps, told)))
    with open_at(tmp_path / "three") as three, pytest.raises(LogError, match="token codes"):
        three.import_jsonl(file)


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    with open_at(tmp_path / "one") as one:
        fill(one)
        before = rows(one, tmp_path / "export.jsonl")
        assert one.import_jsonl(tmp_path / "export.jsonl") == 0
        assert rows(one, tmp_path / "again.jsonl") == before


def test_stores_with_different_ids_merge_and_stay_sound(tmp_path: Path) -> None:
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        fill(one, "a")
        fill(two, "b")
        export(one, tmp_path / "export.jsonl")
        two.import_jsonl(tmp_path / "export.jsonl")
        assert [event.seq for event in two.events()] == list(range(1, len(two.events()) + 1))
        assert {m.id for m in two.memories("me", states=None)} == {"m-a", "m-b"}
        assert [finding for finding in two.check() if not finding.sound] == []


def test_an_id_that_means_something_else_here_stops_the_import(tmp_path: Path) -> None:
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        put(one, memory("m0", "first"), memory("m1", "one thing"))
        put(two, memory("m1", "another thing"))
        export(one, tmp_path / "export.jsonl")
        with pytest.raises(ConflictError, match="'m1'"):
            two.import_jsonl(tmp_path / "export.jsonl")
        assert two.memories("me") == [memory("m1", "another thing")]


def test_bad_lines_are_named_by_number_and_nothing_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        put(one, *(memory(f"m{number}", f"fact {number}") for number in range(5)))
        export(one, path)
        lines = path.read_text().splitlines()
        lines[2] = lines[2][:-5]
        lines[3] = json.dumps({"type": "dragon", "value": {}})
        lines[4] = json.dumps({"type": "memory", "value": {"id": "m9"}})
        lines[5] = '"text"'
        path.write_text("\n".join(lines))
        with pytest.raises(LogError) as caught:
            two.import_jsonl(path)
        assert all(f"line {number}: " in caught.value.cause for number in (3, 4, 5, 6))
        assert "line 2:" not in caught.value.cause
        assert caught.value.where == "line 3"
        assert two.memories("me") == two.events() == []


def test_a_file_cut_off_between_lines_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        put(one, memory("m1"), memory("m2"))
        export(one, path)
        for kept in (1, 3):
            path.write_text("\n".join(path.read_text().splitlines()[:kept]) + "\n")
            with pytest.raises(LogError, match="ends here"):
                two.import_jsonl(path)
            export(one, path)
        assert two.memories("me") == []


@pytest.mark.parametrize(
    "header",
    [b"", b"[]", b"{}", b'{"role": "user"}', b"\xff\xfe\x00"],
    ids=["empty", "list", "bare", "log", "bytes"],
)
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, header: bytes) -> None:
    (tmp_path / "x.jsonl").write_bytes(header)
    with open_at(tmp_path / "store") as store, pytest.raises(LogError) as caught:
        store.import_jsonl(tmp_path / "x.jsonl")
    assert caught.value.where == "line 1"
    assert "ingest" in caught.value.fix


def test_an_export_of_another_model_or_program_or_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    header = {"memscope": 1, "embedding_model": "another", "dimension": 3}
    with open_at(tmp_path / "store") as store:
        path.write_text(json.dumps(header))
        with pytest.raises(EmbeddingMismatchError, match="another"):
            store.import_jsonl(path)
        path.write_text(json.dumps(header | {"memscope": transfer.FORMAT + 1}))
        with pytest.raises(LogError, match=f"format {transfer.FORMAT + 1}"):
            store.import_jsonl(path)
        with pytest.raises(LogError, match="cannot be read"):
            store.import_jsonl(tmp_path / "nowhere.jsonl")


def test_an_export_from_before_graphs_had_a_recipe_keeps_everything_and_its_history(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    summary = SessionSummary("a-s0", "a-s0", "me", "They talk.", ("dog",))
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        with one.write(actor="test") as writer:
            writer.add_log(log("Hi", name="a"))
            writer.put_entities([entity("e1", "Ann")])
            writer.put_triples([triple("t1", "e1", "is", "e1")])
            writer.put_summaries([summary])
            writer.put_memories([memory("m1"), memory("m2", "Ann rides", recipe="lightmem")])
            writer.put_proposals([proposal("p1", "m1"), proposal("p2", "m2", recipe="lightmem")])
        with one.write(actor="person") as writer:
            rejected = proposal("p2", "m2", recipe="lightmem", state="rejected")
            writer.put_proposals([rejected], kind="proposal.rejected")
        exported = export(one, path)
        header, *lines = (json.loads(line) for line in path.read_text().splitlines())
        old = [header | {"memscope": 1}, *map(in_format_1, lines)]
        path.write_text("\n".join(map(json.dumps, old)))
        assert two.import_jsonl(path) == exported
        again = [json.loads(row) for row in rows(two, tmp_path / "again.jsonl")]
        assert again == lines
        assert two.summaries("me") == [summary]
        assert two.proposals("me", states=None, recipe="lightmem") == [rejected]


def in_format_1(row: dict[str, Any]) -> dict[str, Any]:
    """The row as an export had it when entities, triples, summaries and proposals knew no recipe."""

    def without(kind: str, value: dict[str, Any] | None) -> dict[str, Any] | None:
        lacking = {"recipe"} if kind in ("entity", "triple", "summary", "proposal") else set()
        lacking |= {"id"} if kind == "summary" else set()
        return value and {name: one for name, one in value.items() if name not in lacking}

    value = row["value"]
    if row["type"] == "event":
        kind = value["object_type"]
        return row | {"value": value | {m: without(kind, value[m]) for m in ("before", "after")}}
    return row | {"value": without(row["type"], value)}


def test_large_stores_go_through_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "CHUNK", 3)
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        for number in range(4):
            put(one, *(memory(f"m{number}{n}", f"fact {number} {n}") for n in range(5)))
        export(one, tmp_path / "export.jsonl")
        two.import_jsonl(tmp_path / "export.jsonl")
        assert rows(two, tmp_path / "2.jsonl") == rows(one, tmp_path / "1.jsonl")
