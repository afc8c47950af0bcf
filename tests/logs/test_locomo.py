"""LoCoMo: sessions of two people, and nothing that exists for evaluation."""

from dataclasses import asdict
from datetime import datetime

from memcore.logs import read_log
from tests.logs.reading import DATA, read, read_one

TINY = DATA / "locomo_tiny.json"


def test_sessions_come_in_number_order_with_their_times():
    nested, flat = read_log(TINY).logs
    assert [s.started_at for s in nested.sessions] == [
        datetime(2023, 5, 8, 13, 56), datetime(2023, 5, 9, 0, 30), datetime(2023, 6, 1, 9, 5),
    ]  # fmt: skip
    assert {m.time_source for m in nested.messages} == {"session"}
    assert nested.messages[0].said_at == datetime(2023, 5, 8, 13, 56)
    assert nested.messages[0].raw_ref.where == "tiny-1 D1:1"
    assert [m.text for m in flat.messages] == ["I bought a kite yesterday."]


def test_what_an_image_shows_is_a_last_line_of_the_message():
    assert read_log(TINY).logs[0].messages[1].text == "Show me!\n[shared image: a red kite over a beach]"


def test_nothing_made_for_evaluation_is_read():
    assert "SECRET" not in str([asdict(log) for log in read_log(TINY).logs])


def test_samples_that_say_the_same_do_not_collide():
    logs = read_log(TINY).logs
    assert logs[0].messages[0].text == logs[1].messages[0].text
    ids = [item.id for log in logs for item in (log.conversation, *log.sessions, *log.messages)]
    assert len(set(ids)) == len(ids)


def test_a_single_sample_reads_like_a_list():
    sample = {"sample_id": "s", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]}
    assert read_one(sample).messages == read_one([sample]).messages


def test_broken_turns_and_dates_are_reported_with_their_place():
    turns = [
        {"speaker": "A", "dia_id": "D1:1", "text": "x"},
        {"text": "who?"},
        {"speaker": "B", "dia_id": "D1:3", "text": None},
    ]
    found = read([{"sample_id": "s", "conversation": {"session_1": turns, "session_1_date_time": "once"}}])
    assert [place.where for place in found.skipped] == [
        "s session_1_date_time",
        "s session 1 turn 2",
        "s D1:3",
    ]
    assert [m.time_source for m in found.logs[0].messages] == ["none"]
