"""LongMemEval's questions (Wu et al., 2025), each with the haystack it is asked of and where its evidence is.

What a system is given is `document`: the conversation alone. `has_answer`, the answer and session ids (gold
ones begin with `answer_`) stay on this side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice, repeat
from typing import Any

from memcore.domain.errors import LogError
from memcore.domain.models import Message
from memcore.evaluation.dataset_files import DatasetFile, damaged, json_records, read_text
from memcore.evaluation.haystacks import SESSION_FILES, has, haystack_sessions
from memcore.logs.roles import shown
from memcore.logs.times import parse_time


@dataclass(frozen=True, slots=True)
class HaystackQuestion:
    """A question and the sessions of its haystack, in their order, with ids and dates in the same order.
    `answer_sessions` are the ids of those that answer it, `asked_at` is its `question_date` (None: it has
    none)."""

    id: str
    text: str
    answer: str
    type: str
    answer_sessions: frozenset[str]
    session_ids: tuple[str, ...]
    dates: tuple[Any, ...] | None
    sessions: tuple[Any, ...]
    asked_at: datetime | None = None

    @property
    def abstains(self) -> bool:
        """Whether it asks for what was never said."""
        return self.id.endswith("_abs")

    def marked_sessions(self) -> frozenset[int]:
        """The places of the sessions that have a turn marked as having the answer. (Session ids may have been
        made anonymous, the marks not.)"""
        return frozenset(
            place
            for place, session in enumerate(self.sessions)
            if isinstance(session, list) and any(map(_answers, session))
        )

    def only(self, places: Collection[int]) -> HaystackQuestion:
        """The same question with these sessions of its haystack alone, by place."""
        kept = sorted(places)
        return HaystackQuestion(
            self.id,
            self.text,
            self.answer,
            self.type,
            self.answer_sessions,
            tuple(self.session_ids[place] for place in kept),
            None if self.dates is None else tuple(self.dates[place] for place in kept),
            tuple(self.sessions[place] for place in kept),
            self.asked_at,
        )

    def document(self) -> Mapping[str, Any]:
        """The conversation as a LongMemEval log without its annotation."""
        return {
            "question_id": self.id,
            "haystack_dates": None if self.dates is None else list(self.dates),
            "haystack_sessions": [_spoken(session) for session in self.sessions],
        }

    def session_id(self, message: Message) -> str:
        """The haystack's own id of the session that a message of `document` is in."""
        return self.session_ids[_place(message)[0] - 1]

    def is_evidence(self, message: Message) -> bool:
        """Whether a message of `document` is marked as having the answer."""
        session, number = _place(message)
        return _answers(self.sessions[session - 1][number - 1])


def read_longmemeval(path: DatasetFile, session_files: Sequence[DatasetFile]) -> Iterator[HaystackQuestion]:
    """The questions of a file, one after the other; `session_files` as `haystack_sessions` takes them. Raises
    LogError for what is damaged or of another format."""
    beside: dict[str, list[Any]] | None = None
    empty = True
    for record in json_records(path, read_text(path)):
        value, empty = record.value, False
        if not (has(value, question_id=str, question=str, question_type=str, answer_session_ids=list)):
            raise damaged(
                path,
                record.where,
                "it needs `question_id`, `question`, `question_type` and `answer_session_ids`",
            )
        if has(value, haystack_sessions=list, haystack_session_ids=list):
            haystack = value["haystack_sessions"]
        elif has(value, haystack_session_ids=list):
            if beside is None:
                beside = {one.id: one.turns for one in haystack_sessions(path, session_files)}
            if unknown := [i for i in value["haystack_session_ids"] if i not in beside]:
                raise damaged(path, record.where, f"no {SESSION_FILES} file has the session {unknown[0]!r}")
            haystack = [beside[i] for i in value["haystack_session_ids"]]
        else:
            raise damaged(path, record.where, "it has no `haystack_session_ids`")
        if len(haystack) != len(value["haystack_session_ids"]):
            raise damaged(path, record.where, "it has not one `haystack_session_ids` a session")
        yield _question(value, haystack, _asked_at(path, record.where, value))
    if empty:
        raise LogError(
            f"{path} is no LongMemEval file.",
            "Give its questions (a list of records with `question` and a haystack).",
            file=path.name,
        )


def _asked_at(path: DatasetFile, where: str, value: Mapping[str, Any]) -> datetime | None:
    """When the question is asked; None where the record does not say."""
    stated = value.get("question_date")
    if stated is None:
        return None
    if (moment := parse_time(stated)) is None:
        raise damaged(path, where, f"its `question_date` {shown(stated)} is no date that can be read")
    return moment


def _question(
    value: Mapping[str, Any], haystack: Sequence[Any], asked_at: datetime | None
) -> HaystackQuestion:
    dates = value.get("haystack_dates")
    return HaystackQuestion(
        id=value["question_id"],
        text=value["question"],
        answer=str(value.get("answer", "")),
        type=value["question_type"],
        answer_sessions=frozenset(map(str, value["answer_session_ids"])),
        session_ids=tuple(map(str, value["haystack_session_ids"])),
        dates=tuple(islice(chain(dates, repeat(None)), len(haystack))) if isinstance(dates, list) else None,
        sessions=tuple(haystack),
        asked_at=asked_at,
    )


def _answers(turn: Any) -> bool:
    return isinstance(turn, dict) and turn.get("has_answer") is True


def _spoken(session: Any) -> Any:
    """A session's turns without their annotation."""
    if not isinstance(session, list):
        return session
    return [
        {key: turn[key] for key in ("role", "content") if key in turn} if isinstance(turn, dict) else turn
        for turn in session
    ]


def _place(message: Message) -> tuple[int, int]:
    """(session, turn) as the haystack lists them, from 1; the log reader ends `where` with them."""
    words = message.raw_ref.where.split()
    return int(words[-3]), int(words[-1])
