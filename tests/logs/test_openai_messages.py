"""OpenAI messages in every wrapping they come in."""

import json
from datetime import datetime

import pytest

from tests.logs.reading import read, read_one, said

HELLO = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi, how can I help?"}]
LINES = "\n".join(json.dumps(message) for message in HELLO)


@pytest.mark.parametrize(
    "log",
    [
        HELLO,
        {"messages": HELLO},
        [{"messages": HELLO}],
        LINES,
        json.dumps({"messages": HELLO}) + "\n",
        [HELLO],
    ],
    ids=["array", "object", "array of objects", "lines", "line of messages", "array of arrays"],
)
def test_every_wrapping_reads_the_same(log):
    conversation = read_one(log)
    assert conversation.conversation.format == "openai"
    assert said(conversation) == [("User", "Hello"), ("Assistant", "Hi, how can I help?")]
    assert [message.role for message in conversation.messages] == ["user", "assistant"]


def test_lines_that_hold_messages_are_a_conversation_each():
    lines = "\n".join(
        json.dumps({"messages": [{"role": "user", "content": text}]}) for text in ("one", "two")
    )
    found = read(lines)
    assert [said(log) for log in found.logs] == [[("User", "one")], [("User", "two")]]
    assert found.logs[1].messages[0].raw_ref.where == "line 2, message 1"


def test_text_parts_are_joined_and_images_left_out():
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "nice?"},
    ]
    assert said(read_one([{"role": "user", "content": parts}])) == [("User", "Look:\nnice?")]


def test_system_and_tool_messages_are_kept_with_their_role():
    log = read_one(
        [
            {"role": "developer", "content": "Be brief."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"function": {"name": "weather", "arguments": '{"city": "Rome"}'}}],
            },
            {"role": "tool", "name": "weather", "content": "21 degrees"},
        ]
    )
    assert [(m.role, m.speaker, m.text) for m in log.messages] == [
        ("system", "System", "Be brief."),
        ("assistant", "Assistant", '[calls weather: {"city": "Rome"}]'),
        ("tool", "weather", "21 degrees"),
    ]


def test_a_name_is_the_speaker_and_an_unknown_role_is_a_person():
    log = read_one([{"role": "user", "name": "Ana", "content": "Hi"}, {"role": "Ben", "content": "Hey"}])
    assert [(m.speaker, m.role) for m in log.messages] == [("Ana", "user"), ("Ben", "person")]


def test_times_someone_added_are_read_and_a_long_silence_starts_a_session():
    stamps = [1_700_000_000, "2023-11-15T04:13:20Z", "2023-11-15T10:13:21+00:00"]
    log = read_one([{"role": "user", "content": str(stamp), "timestamp": stamp} for stamp in stamps])
    assert log.messages[0].said_at == datetime(2023, 11, 14, 22, 13, 20)
    assert {message.time_source for message in log.messages} == {"message"}
    assert [[m.position for m in log.messages if m.session_id == s.id] for s in log.sessions] == [[0, 1], [0]]


@pytest.mark.parametrize(
    "bad",
    [
        7,
        None,
        "text",
        {"role": 3, "content": "x"},
        {"role": "user", "content": None},
        {"role": "user", "content": 5},
        {"content": "x"},
        {"role": "user", "content": [None, 4]},
    ],
)
def test_a_message_of_wrong_types_costs_only_itself(bad):
    found = read({"messages": [HELLO[0], bad, HELLO[1]]})
    assert said(found.logs[0]) == [("User", "Hello"), ("Assistant", "Hi, how can I help?")]
    assert [place.where for place in found.skipped] == ["message 2"]


def test_a_time_that_cannot_be_read_is_reported_and_the_message_kept():
    found = read([{"role": "user", "content": "x", "timestamp": "soonish"}])
    assert found.logs[0].messages[0].time_source == "none"
    assert "soonish" in found.skipped[0].why
