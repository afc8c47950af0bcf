"""Transcripts: the ways in which people write down who said what."""

from datetime import datetime

import pytest

from memcore.domain.errors import LogError
from tests.logs.reading import read, read_one, said

TALK = [("Ana", "hi there"), ("Ben", "hello")]


@pytest.mark.parametrize(
    "text",
    [
        "Ana: hi there\nBen: hello\n",
        "[2024-03-05 18:30] Ana: hi there\n[2024-03-05 18:31] Ben: hello",
        "2024-03-05 18:30 Ana: hi there\n2024-03-05T18:31:00Z Ben: hello",
        "(Mar 5, 2024, 6:30 PM) Ana: hi there\n(Mar 5, 2024, 6:31 PM) Ben: hello",
        "Ana [18:30]: hi there\nBen [18:31]: hello",
        "**Ana:** hi there\n\n**Ben**: hello",
        "- **Ana** (18:30): hi there\n- **Ben** (18:31): hello",
        "# Title\n\n## Ana\n\nhi there\n\n## Ben\n\nhello\n",
        "Ana: hi there\r\nBen: hello\r\n",
    ],
)
def test_each_way_of_writing_it_down_is_read(text):
    log = read_one(text)
    assert log.conversation.format == "transcript"
    assert said(log) == TALK


def test_a_message_goes_on_until_the_next_one_starts():
    log = read_one("Ana: first\nsecond\n\n  third\nBen: hello\nAna: bye\n\n---\n")
    assert said(log) == [("Ana", "first\nsecond\n\n  third"), ("Ben", "hello"), ("Ana", "bye")]
    assert [message.raw_ref.where for message in log.messages] == ["line 1", "line 5", "line 6"]


def test_a_label_in_a_message_is_no_speaker():
    log = read_one("Ana: the plan\nNote: bring shoes\nhttp://example.org\nBen: fine\nAna: good\nBen: bye")
    assert said(log)[0] == ("Ana", "the plan\nNote: bring shoes\nhttp://example.org")


def test_bold_labels_and_headings_of_an_assistant_are_no_speakers():
    answer = "**Serves:** 2\n\n**Serves:** 4\n\n## Method\n\n## Method\n\nstir"
    log = read_one(f"## User\n\nA recipe?\n\n## Assistant\n\n{answer}\n\n## User\n\nThanks")
    assert said(log) == [("User", "A recipe?"), ("Assistant", answer), ("User", "Thanks")]


def test_dates_start_sessions_and_date_the_clock_times_below():
    log = read_one(
        "## 5 March 2024\n\n[18:30] Ana: hi\n\n--- 2024-03-08 ---\n\n[09:00] Ben: morning\nAna: hm\n"
    )
    assert [m.said_at for m in log.messages] == [
        datetime(2024, 3, 5, 18, 30), datetime(2024, 3, 8, 9), datetime(2024, 3, 8, 9),
    ]  # fmt: skip
    assert [m.time_source for m in log.messages] == ["message", "message", "session"]
    assert [session.started_at for session in log.sessions] == [
        datetime(2024, 3, 5, 18, 30),
        datetime(2024, 3, 8, 9),
    ]


def test_numbered_sessions_are_sessions():
    log = read_one("## Session 1\n\nAna: a\nBen: b\n\n## Session 2 (5 March 2024, 18:30)\n\nAna: c\nBen: d\n")
    assert [session.title for session in log.sessions] == ["Session 1", "Session 2 (5 March 2024, 18:30)"]
    assert [m.said_at for m in log.messages] == [
        None,
        None,
        datetime(2024, 3, 5, 18, 30),
        datetime(2024, 3, 5, 18, 30),
    ]


def test_clock_times_pass_midnight_and_count_from_the_base_date():
    text = "[23:50] Ana: late\n[00:10] Ben: later"
    assert [m.said_at for m in read_one(text).messages] == [None, None]
    log = read_one(text, base_date=datetime(2024, 3, 5))
    assert [m.said_at for m in log.messages] == [datetime(2024, 3, 5, 23, 50), datetime(2024, 3, 6, 0, 10)]
    assert {m.time_source for m in log.messages} == {"asked"}


def test_day_and_month_are_read_when_the_file_shows_their_order():
    log = read_one("[03/04/2024 10:00] Ana: hi\n[13/04/2024 10:00] Ben: hello")
    assert log.messages[0].said_at == datetime(2024, 4, 3, 10)


def test_day_and_month_that_could_be_either_are_asked_for_not_guessed():
    text = "[03/04/2024 10:00] Ana: hi\n[05/04/2024 10:00] Ben: hello"
    found = read(text)
    assert found.logs[0].messages[0].said_at is None
    assert "day or the month" in found.skipped[0].why
    assert read_one(text, day_first=False).messages[0].said_at == datetime(2024, 3, 4, 10)


def test_text_before_the_first_speaker_is_reported():
    found = read("Exported yesterday\nAna: hi\nBen: hello\nAna: bye\nBen: bye")
    assert [(place.where, place.why) for place in found.skipped] == [
        ("line 1", "text before the first speaker")
    ]


@pytest.mark.parametrize(
    "prose", ["It was a dark night.\nNothing was said.\n", "<html><body>Ana: hi</body></html>", "12:30"]
)
def test_prose_is_no_transcript(prose):
    with pytest.raises(LogError, match="no conversation log"):
        read(prose)
