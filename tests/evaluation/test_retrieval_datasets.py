"""Questions with their evidence as message ids, and logs that hold none of the annotation."""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest

from memcore.domain.errors import LogError, UsageError
from memcore.evaluation import retrieval_datasets as datasets
from memcore.evaluation.dataset_files import GivenFile
from memcore.evaluation.retrieval_datasets import dataset_of, read_retrieval_dataset
from tests.evaluation.annotated import (
    ABSTAINING,
    HARBOUR,
    QUESTION,
    SESSIONS,
    inline,
    packed_sessions,
    second_sample,
)


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return to


def texts(dataset, question):
    """The evidence of a question, by its words."""
    said = {m.id: m.text for log in dataset.logs[question.owner].logs for m in log.messages}
    return [said[i] for i in question.messages]


def everything_given(dataset):
    """All that a system is handed, as one text."""
    return " ".join(repr(log) for read in dataset.logs.values() for log in read.logs)


# --------------------------------------------------------------------------- LoCoMo


def test_locomo_questions_name_the_messages_that_their_evidence_ids_stand_for(write):
    dataset = read_retrieval_dataset("locomo", [write("a.json", [HARBOUR])])
    where, what, _when = dataset.scored
    assert texts(dataset, where) == ["Moored the sloop beside lighthouse."]
    assert texts(dataset, what) == ["Moored the sloop beside lighthouse.", "Repainted the sloop crimson."]
    assert (len(where.sessions), len(what.sessions)) == (1, 2)
    assert [(q.category, q.type) for q in dataset.scored] == [
        ("4", "single-hop"), ("1", "multi-hop"), ("2", "temporal"),
    ]  # fmt: skip
    assert (where.id, where.text) == ("harbour question 1", "Where is the sloop moored?")


def test_what_is_not_scored_is_counted_with_its_reason(write):
    dataset = read_retrieval_dataset("locomo", [write("a.json", [HARBOUR])])
    assert (dataset.questions, len(dataset.scored)) == (5, 3)
    assert dataset.excluded == {datasets.ADVERSARIAL: 1, datasets.NO_EVIDENCE: 1}


@pytest.mark.parametrize("content", [[HARBOUR, second_sample()], HARBOUR], ids=["list", "single sample"])
def test_each_conversation_has_an_owner_of_its_own(write, content):
    dataset = read_retrieval_dataset("locomo", [write("a.json", content)])
    assert len(dataset.logs) == (2 if isinstance(content, list) else 1)
    for owner, read in dataset.logs.items():
        assert [log.conversation.owner for log in read.logs] == [owner]


def test_an_owner_is_named_after_the_content_so_that_a_changed_file_is_another(write):
    changed = json.loads(json.dumps(HARBOUR))
    changed["conversation"]["session_1"][1]["text"] = "Baked eighteen rhubarb pies."
    first, again, other = (
        next(iter(read_retrieval_dataset("locomo", [write(name, sample)]).logs))
        for name, sample in (("a.json", HARBOUR), ("b.json", [HARBOUR]), ("c.json", changed))
    )
    assert first == again != other


def test_no_annotation_of_locomo_reaches_a_log_and_captions_do(write):
    given = everything_given(read_retrieval_dataset("locomo", [write("a.json", [HARBOUR])]))
    assert not re.findall("SECRETWORD|ANSWERWORD|OBSERVATIONWORD|bees", given)
    assert "a heron on a jetty" in given


def test_files_are_one_dataset_and_a_limit_is_of_each_ones_questions(write):
    paths = [write("a.json", [HARBOUR]), write("b.json", second_sample())]
    dataset = read_retrieval_dataset("locomo", paths)
    assert (dataset.files, dataset.questions) == (tuple(map(str, paths)), 6)
    limited = read_retrieval_dataset("locomo", paths, limit=3)
    assert (limited.questions, len(limited.scored), len(limited.logs)) == (4, 3, 2)


def test_conversations_that_no_question_within_the_limit_asks_of_are_left_out(write):
    limited = read_retrieval_dataset("locomo", [write("a.json", [HARBOUR, second_sample()])], limit=2)
    assert len(limited.logs) == 1


def test_a_file_without_anything_to_score_is_refused(write):
    with pytest.raises(UsageError, match="1 with no evidence"):
        read_retrieval_dataset("locomo", [write("a.json", HARBOUR | {"qa": HARBOUR["qa"][4:]})])


# --------------------------------------------------------------------------- LongMemEval


@pytest.fixture(params=["inline", "sessions beside", "sessions given"])
def longmemeval(request, write, tmp_path):
    """The same two questions in each of the ways in which files have them."""
    if request.param == "inline":
        return [write("longmemeval_s.json", [inline(QUESTION), inline(ABSTAINING)])]
    questions = write("questions.json", [QUESTION, ABSTAINING])
    if request.param == "sessions beside":
        write("sessions_a.jsonl.xz", packed_sessions())
        return [questions]
    (tmp_path / "elsewhere").mkdir()
    return [write("elsewhere/sessions.jsonl.xz", packed_sessions()), questions]


def test_longmemeval_evidence_is_known_to_the_session_and_where_marked_to_the_turn(longmemeval):
    dataset = read_retrieval_dataset("longmemeval", longmemeval)
    (question,) = dataset.scored
    assert dataset.excluded == {datasets.ABSTENTION: 1}
    assert texts(dataset, question) == ["Bought a kayak on Tuesday.", "Sold that kayak today."]
    (read,) = dataset.logs.values()
    (log,) = read.logs
    gold = [session.id for session in log.sessions if session.started_at.month == 5][:2]
    assert [*question.sessions] == gold, "sorted by date, the filler comes last"
    assert question.type == question.category == "knowledge-update"
    assert dataset.has_turns


def test_a_question_is_asked_when_its_record_says_else_as_its_conversation_ends(write):
    undated = {key: value for key, value in QUESTION.items() if key != "question_date"}
    for asked, at in ((QUESTION, datetime(2023, 4, 1)), (undated, datetime(2023, 5, 20, 2, 21))):
        dataset = read_retrieval_dataset("longmemeval", [write("a.json", [inline(asked)])])
        assert dataset.scored[0].asked_at == at
    locomo = read_retrieval_dataset("locomo", [write("locomo.json", HARBOUR)])
    ended = max(m.said_at for log in locomo.logs.values() for one in log.logs for m in one.messages)
    assert {question.asked_at for question in locomo.scored} == {ended}


@pytest.mark.parametrize("date", ["soon", "03/04/2023", ["2023/04/01"], {"day": 1}, True])
def test_a_time_of_asking_that_cannot_be_read_is_damage_with_its_place(write, date):
    path = write("a.json", [inline(QUESTION | {"question_date": date})])
    with pytest.raises(LogError, match=r"record 1: its `question_date` .* is no date that can be read"):
        read_retrieval_dataset("longmemeval", [path])


def test_files_that_mark_no_turns_have_sessions_only(write):
    path = write("a.json", [inline(QUESTION, annotated=False)])
    dataset = read_retrieval_dataset("longmemeval", [path])
    (question,) = dataset.scored
    assert (question.messages, len(question.sessions), dataset.has_turns) == ((), 2, False)


def test_no_annotation_of_longmemeval_reaches_a_log(longmemeval):
    given = everything_given(read_retrieval_dataset("longmemeval", longmemeval))
    assert not re.findall("ANSWERWORD|answer_7|has_answer|2023/04/01|still own|knowledge-update", given)
    assert "Bought a kayak" in given


def test_marks_change_nothing_of_what_a_system_is_given(write):
    marked = read_retrieval_dataset("longmemeval", [write("a.json", [inline(QUESTION)])])
    plain = read_retrieval_dataset("longmemeval", [write("a.json", [inline(QUESTION, annotated=False)])])
    assert marked.logs == plain.logs


def test_evidence_that_is_not_in_the_haystack_is_no_question(write):
    lost = QUESTION | {"question_id": "q9", "answer_session_ids": ["answer_9"]}
    path = write("a.json", [inline(QUESTION), inline(lost)])
    assert read_retrieval_dataset("longmemeval", [path]).excluded == {datasets.NO_EVIDENCE: 1}


def test_a_turn_without_text_moves_no_evidence(write, monkeypatch):
    monkeypatch.setitem(SESSIONS, "answer_7_1", [{"role": "user", "content": ""}, *SESSIONS["answer_7_1"]])
    dataset = read_retrieval_dataset("longmemeval", [write("a.json", [inline(QUESTION)])])
    assert texts(dataset, dataset.scored[0]) == ["Bought a kayak on Tuesday.", "Sold that kayak today."]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("longmemeval", [], "no LongMemEval file"),
        ("longmemeval", [{"question": "?"}], "record 1"),
        ("longmemeval", [{k: v for k, v in QUESTION.items() if "haystack" not in k}], "haystack_session_ids"),
        ("longmemeval", [QUESTION], "sessions that it does not contain"),
        ("longmemeval", [HARBOUR], "damaged"),
        ("locomo", [inline(QUESTION)], "no LoCoMo file"),
    ],
)
def test_what_is_damaged_or_another_dataset_is_refused(write, name, content, message):
    with pytest.raises(LogError, match=message):
        read_retrieval_dataset(name, [write("a.json", content)])


def test_a_haystack_with_a_session_that_no_file_has_is_damaged(write):
    write("sessions.jsonl.xz", packed_sessions())
    path = write("questions.json", [QUESTION | {"haystack_session_ids": ["answer_7_1", "gone"]}])
    with pytest.raises(LogError, match="'gone'"):
        read_retrieval_dataset("longmemeval", [path])


# --------------------------------------------------------------------------- files that were handed over


def given(name, *records):
    return GivenFile(name, json.dumps(records).encode())


def test_uploaded_files_are_read_as_files_on_disk_are(tmp_path):
    path = tmp_path / "harbour.json"
    path.write_text(json.dumps([HARBOUR]))
    on_disk = read_retrieval_dataset("locomo", [path])
    uploaded = read_retrieval_dataset("locomo", [given("harbour.json", HARBOUR)])
    assert uploaded.files == ("harbour.json",)
    assert (uploaded.scored, uploaded.logs) == (on_disk.scored, on_disk.logs)


def test_uploaded_sessions_belong_to_uploaded_questions():
    files = [given("questions.json", QUESTION), GivenFile("sessions_all.jsonl.xz", packed_sessions())]
    assert dataset_of(files) == "longmemeval"
    assert len(read_retrieval_dataset("longmemeval", files).scored) == 1
    with pytest.raises(LogError, match="refers to sessions that it does not contain"):
        read_retrieval_dataset("longmemeval", files[:1])


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (HARBOUR, "locomo"),
        ({"qa": [], "conversation": {}}, "locomo"),
        (QUESTION, "longmemeval"),
        (inline(QUESTION), "longmemeval"),
        (inline(QUESTION) | {"question": 'what does "qa": mean?'}, "longmemeval"),
    ],
)
def test_the_dataset_is_known_from_its_content(record, name):
    assert dataset_of([given("a.json", record)]) == name


@pytest.mark.parametrize(
    ("files", "error", "says"),
    [
        ([given("chat.json", {"role": "user"})], LogError, "chat.json is neither a LoCoMo nor a LongMemEval"),
        ([given("a.json", HARBOUR), given("b.json", QUESTION)], UsageError, "a.json is of LoCoMo, b.json of"),
        ([given("sessions.jsonl", {"id": "s", "turns": []})], UsageError, "no questions in these files"),
        ([], UsageError, "no questions in these files"),
    ],
)
def test_files_of_no_one_dataset_are_refused(files, error, says):
    with pytest.raises(error, match=says):
        dataset_of(files)
