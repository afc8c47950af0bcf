"""Verdicts lie beside what they are about: written with it, gone with it, back with it, never out of date."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from memcore.domain.models import Grounding, Reason, SessionSummary, Source, Statement
from memcore.review.decide import undo
from memcore.review.erase import plan
from memcore.store import DuckStore, open_store
from memcore.store.duckdb import migrations
from memcore.store.duckdb.files import FILE_NAME
from memcore.store.duckdb.migrations import migrate
from tests.fakes import EMBEDDER
from tests.store.samples import entity, log, memory, put, triple

FIRST, SECOND = "a-s0-m0", "a-s0-m1"
OF_FIRST, OF_SECOND = Source(FIRST, 0, 3), Source(SECOND, 0, 3)


class Naming:
    """A `Judge` that finds unsupported what has one of its words, and remembers what it was asked."""

    def __init__(self, *words: str, version: str = "names 1") -> None:
        self.version = version
        self.asked: list[Statement] = []
        self._words = words

    def judge(self, statements: Sequence[Statement]) -> list[Grounding | None]:
        self.asked += statements
        return [self._one(statement) for statement in statements]

    def _one(self, statement: Statement) -> Grounding | None:
        if "later" in statement.text:
            return None
        found = [word for word in self._words if word in statement.text]
        reasons = tuple(Reason("name", word, f"{word} is not named there.", SECOND) for word in found)
        return Grounding("unsupported" if found else "supported", 0.9, reasons, "", self.version)


@pytest.fixture
def judge(store: DuckStore) -> Naming:
    found = Naming("dog")
    store.judge_with(found)
    with store.write(actor="test") as writer:
        writer.add_log(log("I have a cat.", "A fine cat!"))
    return found


def verdicts(store: DuckStore, *ids: str) -> dict[str, str]:
    return {key: found.verdict for key, found in store.groundings(ids).items()}


def test_what_is_written_is_judged_with_it(store: DuckStore, judge: Naming) -> None:
    with store.write(actor="test") as writer:
        writer.put_memories([memory("m1", "Ann has a dog", sources=(OF_FIRST, OF_SECOND))])
        writer.put_entities([entity("e1", "Ann"), entity("e2", "cat")])
        writer.put_triples([triple("t1", "e1", "have_a", "e2", sources=(OF_FIRST,))])
        writer.put_summaries([SessionSummary("sum1", "a-s0", "me", "They talk of a cat.")])
        assert store.groundings(["m1"]) == {}
    assert sorted((s.kind, s.object_id, s.text, s.cited) for s in judge.asked) == [
        ("memory", "m1", "Ann has a dog", (FIRST, SECOND)),
        ("summary", "sum1", "They talk of a cat.", ("a-s0",)),
        ("triple", "t1", "Ann have a cat", (FIRST,)),
    ]
    assert verdicts(store, "m1", "t1", "sum1", "e1") == {
        "m1": "unsupported",
        "t1": "supported",
        "sum1": "supported",
    }
    reason = Reason("name", "dog", "dog is not named there.", SECOND)
    assert store.groundings(["m1"])["m1"] == Grounding("unsupported", 0.9, (reason,), "", "names 1")


def test_only_other_words_and_citations_are_judged_again(store: DuckStore, judge: Naming) -> None:
    put(store, memory("m1", "Ann has a dog", sources=(OF_FIRST,)))
    put(store, memory("m1", "Ann has a dog", sources=(OF_FIRST,), state="superseded", persons=("Ann",)))
    assert len(judge.asked) == 1
    put(store, memory("m1", "Ann has a dog", sources=(OF_SECOND,)))
    put(store, memory("m1", "Ann has a cat", sources=(OF_SECOND,)))
    assert len(judge.asked) == 3
    assert verdicts(store, "m1") == {"m1": "supported"}


def test_a_name_is_in_every_triple_about_it(store: DuckStore, judge: Naming) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Ann"), entity("e2", "cat")])
        writer.put_triples([triple("t1", "e1", "has", "e2", sources=(OF_FIRST,))])
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e2", "dog")])
    assert verdicts(store, "t1") == {"t1": "unsupported"}


def test_a_verdict_is_undone_and_redone_with_its_words(store: DuckStore, judge: Naming) -> None:
    put(store, memory("m1", "Ann has a dog", sources=(OF_FIRST,)))
    put(store, memory("m1", "Ann has a cat", sources=(OF_FIRST,)))
    edited = store.last_event_of("m1")
    assert edited is not None
    undone = undo(store, edited.id, "ann")
    assert verdicts(store, "m1") == {"m1": "unsupported"}
    undo(store, undone.event_id, "ann")
    assert verdicts(store, "m1") == {"m1": "supported"}
    assert len(judge.asked) == 2
    assert all(event.object_type == "memory" for event in store.events(object_id="m1"))


def test_nothing_is_judged_where_nobody_judges_or_its_messages_are_not_there(
    store: DuckStore, judge: Naming
) -> None:
    put(store, memory("m1", "Ann knows it later", sources=(OF_FIRST,)))
    store.judge_with(None)
    put(store, memory("m2", "Ann has a cat", sources=(OF_FIRST,)))
    put(store, memory("m3", "Ann has a bird", sources=(OF_FIRST,), state="deleted"))
    assert verdicts(store, "m1", "m2", "m3") == {}
    assert {statement.object_id for statement in store.unjudged("me", "names 1")} == {"m1", "m2"}
    assert store.unjudged("you", "names 1") == []
    (grounding,) = [finding for finding in store.check() if finding.name == "grounding"]
    assert grounding.sound
    assert grounding.what.startswith("2 of 2 statements were not checked yet")
    assert "memcore ground" in grounding.fix


def test_what_other_rules_said_is_judged_again_and_shown_until_then(store: DuckStore, judge: Naming) -> None:
    put(store, memory("m1", "Ann has a dog", sources=(OF_FIRST,)))
    assert store.unjudged(None, "names 1") == []
    (statement,) = store.unjudged(None, "names 2", limit=5)
    assert verdicts(store, "m1") == {"m1": "unsupported"}
    with store.write(actor="grounding") as writer:
        writer.put_groundings([(statement, Grounding("supported", 0.1, made_by="names 2"))])
    assert verdicts(store, "m1") == {"m1": "supported"}
    assert store.unjudged(None, "names 2") == []


def test_memories_are_found_counted_and_ordered_by_verdict(store: DuckStore, judge: Naming) -> None:
    put(
        store,
        memory("m1", "Ann has a cat", sources=(OF_FIRST,)),
        memory("m2", "Ann has a dog", sources=(OF_FIRST,)),
        memory("m3", "Ann knows it later", sources=(OF_FIRST,)),
        memory("m4", "Ann had a dog", sources=(OF_FIRST,), state="superseded"),
    )
    assert [m.id for m in store.memories("me", unsupported_first=True, states=None)] == [
        "m2",
        "m4",
        "m1",
        "m3",
    ]
    assert [m.id for m in store.memories("me", unsupported_first=True, limit=1, offset=1)] == ["m1"]
    assert [m.id for m in store.memories("me", verdicts=["unsupported", "contradicted"])] == ["m2"]
    assert store.count_memories("me", verdicts=["unchecked"]) == 1
    assert store.verdicts("me", recipe="memscope") == {"supported": 1, "unsupported": 1, "unchecked": 1}
    assert store.verdicts("me", recipe="memscope", conversation_id="b") == {}
    assert sum(store.verdicts("me", recipe="memscope", conversation_id="a").values()) == 3


def test_an_export_carries_verdicts(store: DuckStore, judge: Naming, tmp_path: Path) -> None:
    put(store, memory("m1", "Ann has a dog", sources=(OF_FIRST,)))
    with (tmp_path / "all.jsonl").open("wb") as file:
        store.export_jsonl(file)
    with open_store(
        tmp_path / "copy", embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension
    ) as copy:
        assert copy.import_jsonl(tmp_path / "all.jsonl") > 0
        assert copy.groundings(["m1"]) == store.groundings(["m1"])
        assert copy.import_jsonl(tmp_path / "all.jsonl") == 0


def test_a_verdict_that_quotes_or_names_what_is_erased_goes(store: DuckStore, judge: Naming) -> None:
    put(store, memory("m1", "Ann has a dog", sources=(OF_FIRST,)))  # its reason names the second message
    put(store, memory("m2", "Ann has a cat", sources=(OF_FIRST,)))
    put(store, memory("m3", "It is a fine cat", sources=(OF_SECOND,)))
    store.erase(plan(store, "message", SECOND, "me"), actor="ann", keep=True)
    assert verdicts(store, "m1", "m2", "m3") == {"m2": "supported"}
    assert [statement.object_id for statement in store.unjudged("me", "names 1")] == ["m1"]
    store.erase(plan(store, "owner", "me", "me"), actor="ann", keep=True)
    assert store.groundings(["m2"]) == {}


def test_what_an_older_store_holds_is_not_checked_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before, duckdb.connect(str(tmp_path / FILE_NAME)) as old:
        before.setattr(migrations, "STEPS", migrations.STEPS[: migrations.STEPS.index(migrations.GROUNDING)])
        migrate(old)
        old.execute("insert into store values ('s', 'model', 3, now()::timestamp, 2)")
        old.execute(
            "insert into summaries values "
            "('sum1', 's1', 'me', 'They talk.', [], [], null, null, [], [], 'memscope')"
        )
    with open_store(tmp_path, embedding_model="model", dimension=3) as opened:
        assert opened.groundings(["sum1"]) == {}
        assert [statement.text for statement in opened.unjudged("me", "names 1")] == ["They talk."]
