"""What the pieces of a streamed answer make, as servers differ in cutting it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memcore.llm.chat import ConnectionLostError
from memcore.llm.pieces import put_together


def events(*chunks: dict[str, Any], end: str = "\n\n") -> bytes:
    written = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks] + ["[DONE]"]
    return "".join(f"data: {one}{end}" for one in written).encode()


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def part(index: int | None, name: str | None, arguments: str) -> dict[str, Any]:
    called = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return called if index is None else called | {"index": index}


def calls_in(body: bytes) -> list[tuple[str, str]]:
    calls = put_together(body)["choices"][0]["message"]["tool_calls"]
    return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]


def test_the_tokens_are_counted_in_a_piece_of_their_own_or_in_the_last() -> None:
    counted = {"prompt_tokens": 9, "completion_tokens": 2}
    apart = events(piece(content="Oscar"), piece("stop"), {"choices": [], "usage": counted})
    within = events(piece(content="Oscar"), piece("stop") | {"usage": counted})
    assert put_together(apart) == put_together(within)
    assert put_together(apart)["usage"] == counted


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\n\n: still here\n\n"], ids=["lf", "crlf", "remarks"])
def test_lines_end_as_the_server_ends_them_and_texts_keep_their_own_separators(end: str) -> None:
    text = "first\u2028second\x85third"
    body = events(piece(content=text), piece("stop"), end=end)
    assert put_together(body)["choices"][0]["message"]["content"] == text


def test_the_parts_of_a_tool_call_belong_together_by_index() -> None:
    body = events(
        piece(tool_calls=[part(0, "Adopt", "")]),
        piece(tool_calls=[part(0, None, '{"name": ')]),
        piece(tool_calls=[part(1, "Leave", "{}")]),
        piece(tool_calls=[part(0, None, '"Oscar"}')]),
        piece("tool_calls"),
    )
    assert calls_in(body) == [("Adopt", '{"name": "Oscar"}'), ("Leave", "{}")]


def test_a_call_without_an_index_came_whole() -> None:
    body = events(
        piece(tool_calls=[part(None, "Adopt", '{"name": "Oscar"}')]),
        piece("tool_calls", tool_calls=[part(None, "Leave", "{}")]),
    )
    assert calls_in(body) == [("Adopt", '{"name": "Oscar"}'), ("Leave", "{}")]


def test_an_answer_without_an_end_is_none() -> None:
    with pytest.raises(ConnectionLostError, match="without saying that it was done"):
        put_together(events(piece(content="Osc")))


def test_an_error_amid_the_pieces_is_all_there_is() -> None:
    assert put_together(events(piece(content="Osc"), {"error": "no memory"})) == {"error": "no memory"}
