"""Kept evaluations: written whole, read as written, listed, deleted, put back, and damaged ones told."""

from __future__ import annotations

import gzip
import json
import stat
from dataclasses import replace

import pytest

from memcore.domain.errors import NotFoundError, StoreError
from memcore.evaluation import detail, records
from memcore.evaluation.dataset_files import GivenFile
from memcore.evaluation.evaluating import evaluate_retrieval
from memcore.evaluation.missed import by_id, evidence_of, ranks_of, stand_ins
from memcore.evaluation.question_records import question_records
from memcore.evaluation.records import Evaluations, evaluated_files, new_record
from memcore.evaluation.retrieval_datasets import read_retrieval_dataset
from memcore.evaluation.retrieval_document import retrieval_document
from memcore.memory import Memory
from memcore.retrieval.missed import loss_of, view_places
from memcore.runtime.config import Settings
from memcore.store import open_store
from tests.evaluation.annotated import HARBOUR, QUESTION, inline
from tests.pipeline import FakeBackends

FILE = GivenFile("harbour.json", json.dumps([HARBOUR]).encode())
UNMARKED = GivenFile("q.json", json.dumps([inline(QUESTION, annotated=False)]).encode())


@pytest.fixture(scope="module", params=["turns", "sessions"])
def evaluated(request, tmp_path_factory):
    """A result, and what was made of its evidence."""
    name, file = ("locomo", FILE) if request.param == "turns" else ("longmemeval", UNMARKED)
    dataset = read_retrieval_dataset(name, [file])
    backends = FakeBackends(Settings(store_dir=tmp_path_factory.mktemp("memories")))
    model_id, dimension = backends.embedding_space()
    store = open_store(backends.settings.store_dir, embedding_model=model_id, dimension=dimension)
    with Memory(store, backends) as memory:
        result = evaluate_retrieval(dataset, memory)
        return result, stand_ins(memory.store, result)


@pytest.fixture
def kept(tmp_path):
    return Evaluations(tmp_path / "store")


def record(at=None, **more):
    made = new_record(
        "retrieval",
        {"dataset": "locomo", "overall": {"ndcg@10": 80.0}},
        files=evaluated_files([FILE]),
        settings=Settings(openai_api_key="sk-secret"),
        embedding_model="fake@1",
        by="a test",
        seconds=1.5,
        recipe="memscope",
    )
    return replace(made, **({"at": at} if at else {}), **more)


def shown(result, made):
    """What the page says of every question."""
    return [
        (
            name,
            ranks_of(one),
            [
                (piece, loss_of(piece, one.report, k, made), view_places(piece, one.report, made))
                for piece in evidence_of(one, result.dataset.logs[one.question.owner])
                for k in result.yardstick.ks
            ],
        )
        for name, one in by_id(result).items()
    ]


def test_a_result_comes_back_as_it_was_kept(kept, evaluated):
    trimmed = detail.trimmed(*evaluated)
    document = retrieval_document(evaluated[0])
    written = kept.keep(record(document=document), trimmed)
    again = Evaluations(kept.directory.parent)
    assert again.get(written.id) == written
    assert again.questions(written.id) == trimmed


def test_what_is_kept_shows_what_the_result_showed(evaluated):
    result, made = evaluated
    again = detail.from_json(detail.to_json(detail.trimmed(result, made)))
    assert shown(again.result, again.made) == shown(result, made)
    assert question_records(again.result) == question_records(result)
    assert retrieval_document(again.result) == retrieval_document(result)


def test_no_more_of_the_conversations_is_kept_than_evidence_and_results(evaluated, monkeypatch):
    monkeypatch.setattr(detail, "SHOWN_HITS", 0)
    monkeypatch.setattr(detail, "SHOWN_TURNS", 0)
    monkeypatch.setattr(detail, "_LABEL", 0)
    result, made = evaluated
    said = detail.to_json(detail.trimmed(result, made)).decode()
    evidence = {i for one in result.questions for i in one.question.messages}
    texts = [m for log in result.dataset.logs.values() for part in log.logs for m in part.messages]
    assert {m.id for m in texts if m.text in said} == evidence


def test_it_says_what_was_evaluated_with_what_and_keeps_no_key(kept):
    one = kept.keep(record())
    text = (kept.directory / f"{one.id}.json").read_text()
    assert "sk-secret" not in text
    assert [file.name for file in one.files] == ["harbour.json"]
    assert len(one.files[0].sha256) == 64
    assert one.settings["compression_rate"] == 0.6
    assert one.code and one.version and one.embedding_model == "fake@1"


def test_only_this_user_may_read_it(kept):
    one = kept.keep(record())
    assert stat.S_IMODE((kept.directory / f"{one.id}.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.directory.stat().st_mode) == 0o700


def test_they_are_listed_newest_first_and_a_damaged_one_hides_no_other(kept):
    first, second = record(), record()
    for one in (first, second):
        kept.keep(one)
    (kept.directory / "0123456789ab.json").write_text('{"id": "0123456789ab"')
    (kept.directory / f"{first.id}.questions.gz").write_bytes(b"no gzip")
    listed = kept.all()
    assert [one.id for one in listed.records] == [second.id, first.id]
    assert listed.unreadable == ("0123456789ab.json",)
    with pytest.raises(StoreError, match="cannot be used"):
        kept.get("0123456789ab")
    with pytest.raises(StoreError, match="cannot be used"):
        kept.questions(first.id)


@pytest.mark.parametrize("wrong", ["", "nope", "../../etc/passwd", "0123456789AB", "0" * 13])
def test_an_id_names_nothing_but_a_kept_evaluation(kept, wrong):
    kept.keep(record())
    for ask in (kept.get, kept.questions, kept.remove):
        with pytest.raises(NotFoundError):
            ask(wrong)


def test_deleting_is_undone_by_what_it_hands_over(kept, evaluated):
    trimmed = detail.trimmed(*evaluated)
    one = kept.keep(record(), trimmed)
    removed = kept.remove(one.id)
    assert [*kept.directory.iterdir()] == []
    with pytest.raises(NotFoundError):
        kept.get(one.id)
    kept.restore(removed)
    assert kept.get(one.id) == one
    assert kept.questions(one.id) == trimmed


def test_questions_beyond_the_limit_are_left_out_and_it_is_said(kept, evaluated, monkeypatch):
    monkeypatch.setattr(records, "MOST_BYTES_OF_QUESTIONS", 100)
    one = kept.keep(record(), detail.trimmed(*evaluated))
    assert "at most" in kept.get(one.id).without_questions
    assert kept.questions(one.id) is None


def test_a_file_that_unpacks_to_more_than_the_limit_is_not_unpacked(kept, monkeypatch):
    one = kept.keep(record())
    (kept.directory / f"{one.id}.questions.gz").write_bytes(gzip.compress(b" " * 10_000))
    monkeypatch.setattr(records, "MOST_BYTES_OF_QUESTIONS", 100)
    with pytest.raises(StoreError, match="cannot be used"):
        kept.questions(one.id)


def test_where_nothing_can_be_written_it_is_said_with_a_way_on(tmp_path):
    (tmp_path / "store").write_text("a file, no directory")
    with pytest.raises(StoreError, match="cannot be kept"):
        Evaluations(tmp_path / "store").keep(record())
