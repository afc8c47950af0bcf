"""LongMemEval (Wu et al., 2025): questions, each with a haystack of dated chat sessions.

Read are the official JSON (a list with `haystack_sessions`), a questions file whose
`haystack_session_ids` point into `sessions*.jsonl[.xz]` files beside it ({"id", "turns"} a line), and such
a sessions file alone (one conversation, without times). One conversation per haystack, its sessions in
order of time; `where` counts them as the haystack lists them (`ed4ddc30 session 3 turn 5`, from 1).

Answers are not part of the log: `has_answer`, the question, and what session ids reveal (gold ones begin
with `answer_`) reach neither ids nor texts nor order.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memcore.domain.errors import LogError
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import SPEAKERS, as_id, first_text, role_of, shown
from memcore.logs.times import parse_time

SESSION_FILES = "sessions*.jsonl*"


def matches(content: Content) -> bool:
    """Whether one of the first records is a haystack or a session of one."""
    return any(_is_haystack(value) or _is_session(value) for value in content.head)


def read(content: Content, _options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation per question, or one for a sessions file alone."""
    to_join: list[tuple[str, dict[str, Any]]] = []
    alone: list[SessionDraft] = []
    for record in content.records():
        value = record.value
        if not (_is_haystack(value) or _is_session(value)):
            content.skip(record.where, "neither a haystack (`haystack_sessions`) nor a session (`turns`)")
        elif _is_session(value):
            turns = _turns(content, value["turns"], record.where)
            alone.append(SessionDraft(turns, native_id=as_id(value.get("id"))))
        elif isinstance(value.get("haystack_sessions"), list):
            yield _conversation(content, value, record.where, value["haystack_sessions"])
        else:
            to_join.append((record.where, value))
    if alone:
        yield ConversationDraft(alone)
    if to_join:
        sessions = _sessions_beside(
            content, {as_id(session) for _, value in to_join for session in value["haystack_session_ids"]}
        )
        for where, value in to_join:
            found = [sessions.get(as_id(session)) for session in value["haystack_session_ids"]]
            yield _conversation(content, value, where, found)


def _is_haystack(value: Any) -> bool:
    return isinstance(value, dict) and (
        isinstance(value.get("haystack_sessions"), list)
        or isinstance(value.get("haystack_session_ids"), list)
    )


def _is_session(value: Any) -> bool:
    turns = value.get("turns") if isinstance(value, dict) else None
    return isinstance(turns, list) and any(isinstance(turn, dict) and "role" in turn for turn in turns)


def _sessions_beside(content: Content, wanted: set[str]) -> dict[str, Any]:
    """The wanted sessions' turns by id. Raises LogError when there is no sessions file."""
    found: dict[str, Any] = {}
    any_file = False
    for file in content.neighbours(SESSION_FILES):
        any_file = True
        for record in file.records():
            if _is_session(record.value) and (session := as_id(record.value.get("id"))) in wanted:
                found.setdefault(session, record.value["turns"])
        content.skipped.extend(file.skipped)
        if len(found) == len(wanted):
            break
    if not any_file:
        raise LogError(
            f"{content.name} refers to sessions that it does not contain.",
            f"Put the {SESSION_FILES} file with them into the same folder, or both files into one ZIP.",
            file=content.name,
        )
    return found


def _conversation(
    content: Content, haystack: dict[str, Any], where: str, sessions: list[Any]
) -> ConversationDraft:
    question_id = first_text(haystack, "question_id")
    dates = haystack.get("haystack_dates")
    dates = dates if isinstance(dates, list) else []
    drafts: list[SessionDraft] = []
    for number, turns in enumerate(sessions, 1):
        place = f"{question_id or where} session {number}".strip()
        if not isinstance(turns, list):
            content.skip_record(place, turns, "its turns are missing")
            continue
        stated = dates[number - 1] if number <= len(dates) else None
        if (started_at := parse_time(stated)) is None:
            content.skip(
                place, f"no date that can be read in `haystack_dates` ({shown(stated)}); kept without"
            )
        drafts.append(SessionDraft(_turns(content, turns, place), started_at, native_id=str(number)))
    if all(draft.started_at for draft in drafts):
        drafts.sort(key=lambda draft: draft.started_at or datetime.min)
    return ConversationDraft(drafts, native_id=question_id, title=question_id)


def _turns(content: Content, turns: list[Any], where: str) -> list[MessageDraft]:
    read: list[MessageDraft] = []
    for number, turn in enumerate(turns, 1):
        place = f"{where} turn {number}".strip()
        role = first_text(turn, "role") if isinstance(turn, dict) else ""
        if not role:
            content.skip_record(place, turn, "not a turn: it needs a `role` and a `content`")
        elif not (text := first_text(turn, "content")):
            content.skip(place, "a turn without text")
        else:
            known = role_of(role)
            read.append(MessageDraft(SPEAKERS.get(known, role), known, text, place))
    return read
