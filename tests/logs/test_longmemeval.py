"""LongMemEval: haystacks, inline or joined from a sessions file, with no hint of the answers."""

import io
import json
import lzma
import shutil
import zipfile
from dataclasses import asdict, replace
from datetime import datetime

import pytest

from memcore.domain.errors import LogError
from memcore.logs import read_bytes, read_log
from tests.logs.reading import DATA, read

QUESTIONS = DATA / "questions_tiny.json"
SESSIONS = DATA / "sessions_tiny.jsonl"


def inline():
    """The same haystacks in the official form."""
    turns = {item["id"]: item["turns"] for item in map(json.loads, SESSIONS.read_text().splitlines())}
    questions = json.loads(QUESTIONS.read_text())
    return [{**q, "haystack_sessions": [turns[s] for s in q["haystack_session_ids"]]} for q in questions]


def evidence(logs):
    """Everything but the file's name."""
    return [[replace(m, raw_ref=replace(m.raw_ref, file="")) for m in log.messages] for log in logs]


def test_each_haystack_is_a_conversation_with_its_sessions_in_order_of_time():
    first, second = read_log(QUESTIONS).logs
    assert [s.started_at for s in first.sessions] == [
        datetime(2023, 1, 11, 23, 15), datetime(2023, 1, 20, 7, 30), datetime(2023, 2, 2, 8),
    ]  # fmt: skip
    assert first.messages[0].text == second.messages[0].text == "My boat is called Marigold."
    assert first.messages[0].raw_ref.where == "q1 session 2 turn 1"
    assert {m.id for m in first.messages}.isdisjoint(m.id for m in second.messages)


def test_inline_and_joined_haystacks_are_the_same_evidence():
    assert evidence(read(inline()).logs) == evidence(read_log(QUESTIONS).logs)


def test_session_ids_and_answer_marks_change_nothing():
    plain = json.loads(
        json.dumps(inline()).replace("answer_b", "s_b").replace('"has_answer": true', '"x": 1')
    )
    assert evidence(read(plain).logs) == evidence(read(inline()).logs)


def test_nothing_made_for_evaluation_is_read():
    stored = str([asdict(log) for log in read_log(QUESTIONS).logs])
    assert not any(word in stored for word in ("SECRET", "answer_", "has_answer"))


def test_sessions_may_be_packed_with_xz(tmp_path):
    shutil.copy(QUESTIONS, tmp_path)
    (tmp_path / "sessions_x.jsonl.xz").write_bytes(lzma.compress(SESSIONS.read_bytes()))
    assert evidence(read_log(tmp_path / QUESTIONS.name).logs) == evidence(read_log(QUESTIONS).logs)
    assert len(read_log(tmp_path / "sessions_x.jsonl.xz").logs[0].sessions) == 3


def test_both_files_in_one_archive_are_joined():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.write(SESSIONS, SESSIONS.name)
        archive.write(QUESTIONS, QUESTIONS.name)
    assert evidence(read_bytes("both.zip", data.getvalue()).logs) == evidence(read_log(QUESTIONS).logs)


def test_questions_without_their_sessions_say_what_is_missing():
    with pytest.raises(LogError, match=r"sessions\*\.jsonl\*"):
        read(QUESTIONS.read_bytes())


def test_a_missing_session_and_an_unreadable_date_cost_only_themselves():
    questions = inline()
    questions[0]["haystack_sessions"][0] = None
    questions[0]["haystack_dates"][1] = "long ago"
    found = read(questions)
    assert [place.where for place in found.skipped] == ["q1 session 1", "q1 session 2"]
    assert [len(log.messages) for log in found.logs] == [4, 2]
