"""Bodies of Ollama's `/api/chat`: requests, responses, streamed or whole, as JSON Lines, an array or one.

A request repeats the whole conversation so far: where it goes on from one that was already read, only what
it adds is new, otherwise it starts a conversation. A response belongs to the request before it; the pieces
of a streamed one are put together. Requests state no time: what an answer answers has the answer's time.
Ollama's thinking is left out. Messages themselves are those of OpenAI.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from memcore.domain.models import stable_id
from memcore.logs.assemble import clean
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.fields import text_of
from memcore.logs.formats.openai_messages import turn_of
from memcore.logs.roles import first_text
from memcore.logs.tolerant_json.records import Record

OWN_SETTINGS = frozenset(("options", "keep_alive", "think"))
"""What only a request to Ollama states."""

OPENAI_SETTINGS = frozenset(
    ("temperature", "top_p", "n", "max_tokens", "max_completion_tokens", "response_format", "stream_options",
     "store", "user", "tool_choice", "presence_penalty", "frequency_penalty", "logprobs", "seed", "stop")
)  # fmt: skip
"""What only a request to an OpenAI server states beside the messages; Ollama has it under `options`."""


def matches(content: Content) -> bool:
    """Whether one of the first records is a body that only Ollama reads or writes."""
    return any(_is_response(value) or (_is_request(value) and _is_ollamas(value)) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation for each history that requests repeat."""
    exchange = _Exchange()
    for body in _bodies(content):
        if isinstance(body, _Answer):
            if turn := _answer_turn(content, body):
                exchange.answer(turn)
        else:
            place = f"{body.where}, message".removeprefix(", ")
            messages = enumerate(body.value["messages"], 1)
            read = (turn_of(content, message, f"{place} {number}") for number, message in messages)
            exchange.ask([turn for turn in read if turn])
    for conversation in exchange.conversations:
        yield ConversationDraft([SessionDraft(conversation.turns)], split_at_gaps=True)


def _is_request(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else None
    return isinstance(messages, list) and any(isinstance(said, dict) and "role" in said for said in messages)


def _is_ollamas(request: dict[str, Any]) -> bool:
    if not isinstance(request.get("model"), str):
        return False
    return not OWN_SETTINGS.isdisjoint(request) or (
        not {"stream", "format"}.isdisjoint(request) and OPENAI_SETTINGS.isdisjoint(request)
    )


def _is_response(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("message"), dict)
        and "role" in value["message"]
        and ("done" in value or {"model", "created_at"} <= value.keys())
    )


@dataclass(slots=True)
class _Answer:
    """A response: its pieces, of which a whole one has one. `where` is the place of the first."""

    where: str
    pieces: list[dict[str, Any]]


def _bodies(content: Content) -> Iterator[Record | _Answer]:
    """The requests, and the answers put together."""
    answer: _Answer | None = None
    for record in content.records():
        value = record.value
        if _is_response(value):
            answer = answer or _Answer(record.where, [])
            answer.pieces.append(value)
            if value.get("done") is not False:
                yield answer
                answer = None
            continue
        if answer:
            yield _broken_off(content, answer)
            answer = None
        if _is_request(value):
            yield record
        elif isinstance(value, dict) and (error := first_text(value, "error")):
            content.skip(record.where, f"Ollama answered with an error: {error[:100]}")
        else:
            content.skip(record.where, "neither a request (`messages`) nor a response (`message`, `done`)")
    if answer:
        yield _broken_off(content, answer)


def _broken_off(content: Content, answer: _Answer) -> _Answer:
    content.skip(answer.where, "the answer breaks off; what there is of it was kept")
    return answer


def _answer_turn(content: Content, answer: _Answer) -> MessageDraft | None:
    """The answer as a turn; None (reported) when it says nothing."""
    messages = [piece["message"] for piece in answer.pieces]
    calls = (message.get("tool_calls") for message in messages)
    whole = {
        "role": messages[0]["role"],
        "content": "".join(text_of(message.get("content")) for message in messages),
        "tool_calls": [call for listed in calls if isinstance(listed, list) for call in listed],
        "created_at": answer.pieces[0].get("created_at"),
    }
    return turn_of(content, whole, answer.where)


@dataclass(slots=True)
class _Conversation:
    """What was said, and a key of all of it, by which a request that repeats it is recognised."""

    turns: list[MessageDraft] = field(default_factory=list)
    key: str = ""


class _Exchange:
    """Requests and answers in the order of the log, as the conversations they make."""

    def __init__(self) -> None:
        self.conversations: list[_Conversation] = []
        self._by_key: dict[str, _Conversation] = {}
        self._asked: _Conversation | None = None

    def ask(self, turns: list[MessageDraft]) -> None:
        """A request: it goes on from the longest conversation that it repeats, or starts one."""
        key, known = "", 0
        self._asked = None
        for number, turn in enumerate(turns, 1):
            key = _grown(key, turn)
            if key in self._by_key:
                known, self._asked = number, self._by_key[key]
        for turn in turns[known:]:
            self._add(turn)

    def answer(self, turn: MessageDraft) -> None:
        """An answer: to the last request, if there was one; what was asked last has its time."""
        turns = self._asked.turns if self._asked else []
        for at in range(len(turns) - 1, -1, -1):
            if turns[at].said_at or turns[at].role == "assistant":
                break
            turns[at] = replace(turns[at], said_at=turn.said_at)
        self._add(turn)

    def _add(self, turn: MessageDraft) -> None:
        if self._asked is None:
            self._asked = _Conversation()
            self.conversations.append(self._asked)
        conversation = self._asked
        if self._by_key.get(conversation.key) is conversation:
            del self._by_key[conversation.key]
        conversation.turns.append(turn)
        conversation.key = _grown(conversation.key, turn)
        self._by_key[conversation.key] = conversation


def _grown(key: str, turn: MessageDraft) -> str:
    return stable_id("said", key, turn.role, clean(turn.text).strip())
