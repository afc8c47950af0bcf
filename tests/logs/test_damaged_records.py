"""One damaged record costs one record: what stands around it is read as if it were whole."""

import json
import random

import pytest

from benchmarks.damaged_logs import RECORDS, damaged, harm, heard, logs
from memcore.logs import ReadOptions, read_bytes
from tests.logs.reading import read, said

LOGS = [log for indent in (None, 1) for log in logs(indent)]
GOOD = [
    {"role": "user", "content": [{"type": "text", "text": f"message {n}"}], "id": f"m{n}"} for n in range(6)
]


def names(log):
    return f"{log.format}, {log.pieces[0][:20]!r}"


@pytest.mark.parametrize("log", LOGS, ids=names)
def test_a_small_damage_to_a_record_costs_no_other_and_is_reported(log):
    whole = heard(read_bytes("log", log.text.encode(), ReadOptions(day_first=True)))
    assert whole.numbers == set(range(RECORDS))
    chance = random.Random(1)
    for _ in range(12):
        record = chance.randrange(RECORDS)
        text = damaged(log.text, *log.place(record), chance)
        assert harm(whole, record, text) == (0, ""), text


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"text": "message 2"}]', '"text": "message 2"}]]'),
        ('"text": "message 2"}]', '"text": "message 2"}'),
        ('"text": "message 2"}]', '"text": "message 2"]'),
        ('"text": "message 2"}]', '"text": "message 2}]'),
        ('"text": "message 2"}]', '"text": message 2"}]'),
        ('"id": "m2"}', '"id": "m2"},'),
        ('"id": "m2"}', '"id": "m2"'),
        ('"id": "m2"}', '"id": "m2"}}'),
        ('"id": "m2"}', '"id": "m2"}]'),
        ('"id": "m2"}', '"id": "m2}'),
        ('"id": "m2"}', '"id": "m2\\"}'),
        ('"id": "m2"}', '"id" "m2"}'),
        ('"id": "m2"}', '"id": "m2"}{'),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "whole", [GOOD, {"id": "x", "messages": GOOD, "title": "Talk"}, [{"messages": GOOD}]]
)
def test_quotes_and_brackets_of_one_record_close_or_open_no_other(was, becomes, indent, whole):
    text = json.dumps(whole, indent=indent)
    at = text.index('"message 2"')
    place = text.index(json.dumps("m2"), at) if '"id"' in was else at
    start = text.rindex('"id"' if '"id"' in was else '"text"', 0, place)
    compact = "".join(was.split())
    end = start
    while "".join(text[start:end].split()) != compact:
        end += 1
    found = read(text[:start] + becomes + text[end:])
    texts = [text for log in found.logs for _speaker, text in said(log)]
    assert [text for text in texts if text != "message 2"] == [f"message {n}" for n in (0, 1, 3, 4, 5)]
    assert found.skipped


def test_two_damaged_records_cost_two():
    text = (
        json.dumps({"messages": GOOD})
        .replace('"message 1"', '"message 1')
        .replace('"message 4"', "message 4")
    )
    found = read(text)
    assert [text for _speaker, text in said(found.logs[0])] == [f"message {n}" for n in (0, 2, 3, 5)]
    assert len(found.skipped) == 2


def test_a_record_whose_damaged_id_is_anothers_hides_neither():
    nodes = {
        f"m{n}": {
            "id": f"m{n}",
            "message": {
                "author": {"role": "user"},
                "content": {"content_type": "text", "parts": [f"said {n}"]},
            },
            "parent": f"m{n - 1}" if n else None,
            "children": [f"m{n + 1}"],
        }
        for n in range(4)
    }
    text = json.dumps([{"title": "Talk", "mapping": nodes, "current_node": "m3"}])
    found = read(text.replace('"m1": {', '"m2": {', 1))
    assert [text for _speaker, text in said(found.logs[0])] == [f"said {n}" for n in range(4)]
    assert "stands twice" in found.skipped[0].why


def test_a_list_that_has_lost_its_opening_bracket_is_read():
    found = read(json.dumps(GOOD)[1:])
    assert len(found.logs[0].messages) == len(GOOD)


@pytest.mark.parametrize("begins", ["[2024-03-05 9:02 Ben: lost", "2024-3-05 09:02] Ben: lost"])
def test_a_message_whose_beginning_is_damaged_does_not_become_part_of_the_one_before(begins):
    lines = ["[2024-03-05 09:00] Ana: hi", "[2024-03-05 09:01] Ben: ho", begins, "and more"]
    found = read("\n".join([*lines, "[2024-03-05 09:03] Ana: so"]))
    assert said(found.logs[0]) == [("Ana", "hi"), ("Ben", "ho"), ("Ana", "so")]
    assert [place.where for place in found.skipped] == ["line 3"]


def test_a_time_within_a_message_is_no_damaged_beginning():
    found = read(
        "[2024-03-05 09:00] Ana: meet at\n10:30 on 2024-03-09, all right?\n[2024-03-05 09:01] Ben: ho"
    )
    assert said(found.logs[0])[0] == ("Ana", "meet at\n10:30 on 2024-03-09, all right?")
    assert not found.skipped


def test_types_that_are_no_text_are_no_crash():
    found = read({"messages": [{"type": [], "text": "hi"}, {"role": "user", "content": "ho"}]})
    assert said(found.logs[0]) == [("User", "ho")]
    assert len(found.skipped) == 1
