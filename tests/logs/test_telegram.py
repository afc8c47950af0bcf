"""Telegram: one chat or a whole export, text in pieces, service messages left out."""

import json
from datetime import datetime

import pytest

from tests.logs.reading import read, read_one, said


def message(number, text, who="Nora", **more):
    return {
        "id": number,
        "type": "message",
        "date": f"2024-01-02T10:0{number}:00",
        "date_unixtime": str(1704186000 + 60 * number),
        "from": who,
        "from_id": f"user{who}",
        "text": text,
        **more,
    }


def chat(*messages, **more):
    return {"name": "Ben", "type": "personal_chat", "id": 4815, "messages": list(messages), **more}


def test_a_chat_is_a_conversation_named_after_it():
    log = read_one(chat(message(1, "I moved."), message(2, "Where to?", "Ben")))
    assert log.conversation.format == "telegram"
    assert log.conversation.title == "Ben"
    assert said(log) == [("Nora", "I moved."), ("Ben", "Where to?")]
    assert [m.raw_ref.where for m in log.messages] == ["Ben, message 1", "Ben, message 2"]


def test_the_wall_clock_is_read_and_the_epoch_where_it_is_missing():
    second = message(2, "b")
    del second["date"]
    log = read_one(chat(message(1, "a"), second))
    assert [m.said_at for m in log.messages] == [datetime(2024, 1, 2, 10, 1), datetime(2024, 1, 2, 9, 2)]


def test_text_in_pieces_is_joined():
    pieces = [
        "See ", {"type": "link", "text": "https://a.org"}, ", ", {"type": "mention", "text": "@ben"},
        {"type": "bold", "text": "!"}, {"type": "custom_emoji"}, 7,
    ]  # fmt: skip
    assert said(read_one(chat(message(1, pieces)))) == [("Nora", "See https://a.org, @ben!")]


def test_a_full_export_holds_several_chats_also_those_one_has_left():
    export = {
        "about": "Here is the data you requested.",
        "chats": {"list": [chat(message(1, "a")), chat(message(1, "b"), id=2), chat(id=3)]},
        "left_chats": {"list": [chat(message(1, "c"), id=5)]},
    }
    found = read(export)
    assert [said(log) for log in found.logs] == [[("Nora", text)] for text in "abc"]
    assert not found.skipped


def test_service_messages_were_not_said_and_media_is_counted():
    joined = {"id": 8, "type": "service", "date": "2024-01-02T10:00:00", "actor": "Ben", "action": "joined"}
    found = read(
        chat(
            joined, message(1, "", photo="a.jpg"), message(2, "look", photo="b.jpg"), message(3, "", file="c")
        )
    )
    assert said(found.logs[0]) == [("Nora", "look")]
    assert [place.where for place in found.skipped] == ["Ben, message 1 and 1 more"]


def test_someone_whose_account_is_deleted_still_speaks():
    assert said(read_one(chat(message(1, "bye", None)))) == [("Deleted account", "bye")]


@pytest.mark.parametrize("broken", [7, {"id": 2}, {"id": 2, "type": "message", "text": "x"}])
def test_a_broken_message_is_reported_with_its_place(broken):
    found = read(chat(message(1, "a"), broken, message(3, "c")))
    assert [text for _, text in said(found.logs[0])] == ["a", "c"]
    assert [place.where for place in found.skipped] == [
        "Ben, message number 2" if broken == 7 else "Ben, message 2"
    ]


def test_an_export_that_begins_later_shares_the_ids_of_its_messages():
    old = [{**message(n, f"old {n}"), "date": f"2024-01-01T0{n}:00:00"} for n in range(1, 4)]
    new = [message(n, f"new {n}") for n in range(4, 7)]
    whole, part = read_one(chat(*old, *new)), read_one(chat(*new))
    assert {m.id for m in part.messages} < {m.id for m in whole.messages}


def test_broken_json_in_one_message_costs_that_message():
    text = json.dumps(chat(message(1, "a"), message(2, "b"), message(3, "c")), indent=1)
    found = read(text.replace('"text": "b"', '"text": b'))
    assert said(found.logs[0]) == [("Nora", "a"), ("Nora", "c")]
    assert "not valid JSON at line 22" in found.skipped[0].why
