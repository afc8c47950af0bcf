"""What holds for every format: ids that last, sessions by silence, times with their origin."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.logs import ReadOptions, missing_times, read_bytes, read_log
from memcore.logs.times import parse_clock, parse_time
from tests.logs.reading import SAMPLES, read, read_one

SAMPLE_LOGS = sorted(path for path in SAMPLES.iterdir() if path.is_file() and path.name != "README.md")


def messages(*texts, **more):
    return [{"role": "user", "content": text, **more} for text in texts]


def ids(found):
    return [message.id for log in found.logs for message in log.messages]


@pytest.mark.parametrize("path", SAMPLE_LOGS, ids=lambda path: path.name)
def test_samples_read_and_reading_again_under_another_name_gives_the_same_ids(path):
    found = read_log(path)
    again = read_bytes("another name", path.read_bytes())
    assert ids(found) == ids(again)
    assert len(set(ids(found))) == len(ids(found)) > 3


@pytest.mark.parametrize("path", SAMPLE_LOGS, ids=lambda path: path.name)
def test_positions_count_from_zero_within_each_session(path):
    for log in read_log(path).logs:
        for session in log.sessions:
            inside = [message.position for message in log.messages if message.session_id == session.id]
            assert inside == list(range(len(inside)))
            assert inside


def test_a_grown_log_keeps_the_ids_it_had():
    before = read(messages("a", "b", "c", "c"))
    after = read(messages("a", "b", "c", "c", "c", "d"))
    assert ids(after)[:4] == ids(before)
    assert len(set(ids(after))) == 6


def test_a_repaired_record_moves_no_other_id():
    broken = read([*messages("a", "b", "c"), 7, *messages("e")])
    repaired = read(messages("a", "b", "c", "d", "e"))
    assert set(ids(broken)) < set(ids(repaired))


def test_conversations_that_begin_alike_do_not_collide():
    found = read([{"messages": messages("hi", "there", "friend", end)} for end in ("x", "y")])
    assert len(set(ids(found))) == 8
    assert len({log.conversation.id for log in found.logs}) == 2


def test_owners_share_no_ids():
    assert set(ids(read(messages("a"), owner="ana"))).isdisjoint(ids(read(messages("a"), owner="ben")))


def test_a_base_date_is_used_only_where_the_log_has_no_time_and_changes_no_id():
    log = messages("a") + messages("b", timestamp="2024-01-01T10:00:00")
    base = datetime(2024, 5, 1)
    assert [m.time_source for m in read_one(messages("a"), base_date=base).messages] == ["asked"]
    assert read_one(messages("a", "b"), base_date=base).messages[1].said_at == base
    assert [m.said_at for m in read_one(log, base_date=base).messages] == [datetime(2024, 1, 1, 10)] * 2
    assert ids(read(messages("a", "b"), base_date=base)) == ids(read(messages("a", "b")))


def test_missing_times_are_counted():
    assert missing_times(read(messages("a", "b"))) == 2
    assert missing_times(read(messages("a", "b"), base_date=datetime(2024, 5, 1))) == 0


@pytest.mark.parametrize(("hours", "sessions"), [(6, 1), (6.01, 2)])
def test_more_than_six_hours_of_silence_start_a_session(hours, sessions):
    start = datetime(2024, 1, 1)
    stamps = (start, start + timedelta(hours=hours))
    log = read_one([{"role": "user", "content": "x", "timestamp": stamp.isoformat()} for stamp in stamps])
    assert len(log.sessions) == sessions


def test_text_is_kept_exactly_except_what_cannot_be_stored():
    odd = "  <script>alert(1)</script> \u202egpj.exe \u200b\r\n\tü "
    log = read_one(b'[{"role": "user", "content": "a\\ud800b\\u0000c"}]')
    assert log.messages[0].text == "a\ufffdb\ufffdc"
    assert read_one(messages(odd)).messages[0].text == odd


def test_a_message_of_100_000_characters_is_kept():
    long = "word " * 20_000
    for log in (messages(long), f"speaker,text\nAna,{long}\n", f"Ana: {long}\nBen: hi\n"):
        assert len(read_one(log).messages[0].text) >= len(long) - 1


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:05 am on 1 June, 2023", datetime(2023, 6, 1, 0, 5)),
        ("2023/01/11 (Wed) 23:15", datetime(2023, 1, 11, 23, 15)),
        ("2024-03-05T18:30:00+02:00", datetime(2024, 3, 5, 18, 30)),
        ("2024-03-05T18:30:00.123Z", datetime(2024, 3, 5, 18, 30)),
        ("Tuesday, March 5th, 2024 at 6:30 PM", datetime(2024, 3, 5, 18, 30)),
        ("5 Sept 2024", datetime(2024, 9, 5)),
        ("31.12.2024, 23:59", datetime(2024, 12, 31, 23, 59)),
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20)),
        (1_700_000_000_000, datetime(2023, 11, 14, 22, 13, 20)),
        ("1700000000", datetime(2023, 11, 14, 22, 13, 20)),
        ("03/04/2024", None), ("30 February 2024", None), ("yesterday", None), ("2024", None),
        (True, None), (float("nan"), None), (10**400, None), (3, None), (None, None), ([], None),
    ],
)  # fmt: skip
def test_times_are_read_or_left_alone(written, meant):
    read_time = parse_time(written)
    assert (read_time and read_time.replace(microsecond=0)) == meant


@given(st.datetimes(min_value=datetime(1980, 1, 1), max_value=datetime(2090, 1, 1)))
def test_iso_times_survive(moment):
    assert parse_time(moment.isoformat()) in (moment, moment.replace(microsecond=0))


@given(st.text() | st.integers() | st.floats())
def test_reading_a_time_never_fails(value):
    assert parse_time(value) is None or isinstance(parse_time(value), datetime)
    if isinstance(value, str):
        parse_clock(value)


def test_options_default_to_the_owner_me():
    assert read_bytes("x", b"Ana: hi\nBen: ho\n", ReadOptions()).logs[0].conversation.owner == "me"
