"""CSV: one message a row, in the columns it has."""

from datetime import datetime

import pytest

from memcore.domain.errors import LogError
from memcore.logs import columns_of
from tests.logs.reading import read, read_one, said


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_usual_columns_are_found_whatever_separates_them(separator):
    rows = [
        ("Timestamp", "Sender", "Message"),
        ("2024-03-05 18:30", "Ana", "hi"),
        ("1709663460", "Ben", "hey"),
    ]
    log = read_one("\n".join(separator.join(row) for row in rows))
    assert said(log) == [("Ana", "hi"), ("Ben", "hey")]
    assert [m.said_at for m in log.messages] == [datetime(2024, 3, 5, 18, 30), datetime(2024, 3, 5, 18, 31)]


def test_quoted_fields_keep_separators_quotes_and_line_breaks():
    log = read_one('speaker,text\nAna,"one, ""two""\nthree"\nBen,four\n')
    assert said(log) == [("Ana", 'one, "two"\nthree'), ("Ben", "four")]
    assert [m.raw_ref.where for m in log.messages] == ["line 2", "line 4"]


def test_a_role_column_names_the_speakers():
    log = read_one("role,content\nuser,hi\nassistant,hello\n")
    assert [(m.speaker, m.role) for m in log.messages] == [("User", "user"), ("Assistant", "assistant")]


def test_without_a_speaker_column_the_owner_speaks():
    assert said(read_one("time,note\n2024-03-05,planted beans\n", owner="ana")) == [("ana", "planted beans")]


def test_columns_can_be_named():
    text = "wann,wer,was\n2024-03-05,Ana,hallo\n"
    assert columns_of("log", text.encode()) == ("wann", "wer", "was")
    log = read_one(text, columns={"time": "wann", "speaker": "wer", "text": "was"})
    assert said(log) == [("Ana", "hallo")]
    assert log.messages[0].said_at == datetime(2024, 3, 5)


def test_a_missing_text_column_is_named_with_those_there_are():
    with pytest.raises(LogError, match="wann, wer, was"):
        read("wann,wer,was\n1,2,3\n", format="csv")


def test_an_unbalanced_quote_costs_its_row_only():
    found = read('speaker,text\nAna,one\nBen,"two\nAna,three\nBen,"four"\nAna,five\n')
    assert said(found.logs[0]) == [("Ana", "one"), ("Ana", "three"), ("Ben", "four"), ("Ana", "five")]
    assert [place.where for place in found.skipped] == ["line 3"]


@pytest.mark.parametrize("row", ["Ben,two,too,many", "Ben,", ",two"])
def test_a_bad_row_is_reported_with_its_line(row):
    found = read(f"speaker,text\nAna,one\n{row}\nAna,three\n")
    assert said(found.logs[0]) == [("Ana", "one"), ("Ana", "three")]
    assert [place.where for place in found.skipped] == ["line 3"]


def test_excels_separator_line_is_understood():
    assert said(read_one("sep=;\nspeaker;text\nAna;hi\n")) == [("Ana", "hi")]


def test_a_lone_carriage_return_in_the_header_is_no_accident():
    assert said(read_one("speaker,\rtext\nAna,hi\n")) == [("Ana", "hi")]
