"""LoCoMo (Maharana et al., 2024): two people over many dated sessions.

The official file is a list of samples; a single sample and the flat form, with the sessions beside
`sample_id` instead of under `conversation`, are read too. A message has its session's time. What an
image shows (`blip_caption`) was seen by both, so it counts as message text, on a last line of its own.
Never reads what exists for evaluation or was added afterwards: questions, answers, observations,
summaries, and the `query` an image was searched with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import first_text
from memcore.logs.times import parse_time

_SESSION = re.compile(r"session_(\d{1,6})")


def matches(content: Content) -> bool:
    """Whether one of the first records has sessions of turns with speakers."""
    return any(_sessions(value) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per sample."""
    for record in content.records():
        if sessions := _sessions(record.value):
            yield _conversation(content, record.value, record.where, sessions)
        else:
            content.skip(record.where, "not a LoCoMo sample: it has no `session_1` with turns")


def _body(sample: Any) -> dict[str, Any]:
    if not isinstance(sample, dict):
        return {}
    nested = sample.get("conversation")
    return nested if isinstance(nested, dict) else sample


def _sessions(sample: Any) -> list[tuple[int, str]]:
    """(number, key) of the sessions that hold turns, by number."""
    found = (
        (int(match[1]), key)
        for key, turns in _body(sample).items()
        if (match := _SESSION.fullmatch(key)) and isinstance(turns, list) and any(map(_is_turn, turns))
    )
    return sorted(found)


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and "speaker" in value and ("text" in value or "dia_id" in value)


def _conversation(
    content: Content, sample: dict[str, Any], where: str, sessions: list[tuple[int, str]]
) -> ConversationDraft:
    body = _body(sample)
    sample_id = first_text(sample, "sample_id")
    people = [name for name in (first_text(body, "speaker_a"), first_text(body, "speaker_b")) if name]
    return ConversationDraft(
        [_session(content, body, sample_id or where, number, key) for number, key in sessions],
        native_id=sample_id,
        title=" and ".join(people) or sample_id,
    )


def _session(content: Content, body: dict[str, Any], sample: str, number: int, key: str) -> SessionDraft:
    stated = body.get(f"{key}_date_time")
    started_at = parse_time(stated)
    if stated is not None and started_at is None:
        content.skip(
            f"{sample} {key}_date_time".strip(), "not a date; its messages have no time of their own"
        )
    turns = (
        _turn(content, turn, f"{sample} session {number} turn {position}".strip(), sample)
        for position, turn in enumerate(body[key], 1)
    )
    return SessionDraft([turn for turn in turns if turn], started_at, native_id=key)


def _turn(content: Content, turn: Any, where: str, sample: str) -> MessageDraft | None:
    if not isinstance(turn, dict) or not (speaker := first_text(turn, "speaker")):
        content.skip_record(where, turn, "not a turn: it needs a `speaker` and a `text`")
        return None
    dia_id = first_text(turn, "dia_id")
    where = f"{sample} {dia_id}".strip() if dia_id else where
    caption = first_text(turn, "blip_caption").strip()
    shared = f"[shared image: {caption}]" if caption else ""
    text = "\n".join(part for part in (first_text(turn, "text"), shared) if part)
    if not text:
        content.skip(where, "a turn without text")
        return None
    return MessageDraft(speaker, "person", text, where, native_id=dia_id)
