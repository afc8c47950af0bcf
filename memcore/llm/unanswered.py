"""Requests that no recording had a reply to: out of the ledger into a file, and answers to them back.

A run whose model is a recording leaves in the ledger, whole, what it could not have answered. Somebody
answers the file's requests, one reply each, and the answers are appended to the recording; then the run is
repeated, and asks what rests on them: round after round, until nothing is left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

from memcore.domain import private_files
from memcore.domain.errors import StoreError, UsageError
from memcore.domain.models import LlmCall
from memcore.llm.chat import ChatCompletion, ChatRequest
from memcore.llm.recording import Recorder, read_recording
from memcore.llm.requests import (
    DATE,
    AnswerLine,
    DamagedLine,
    RequestLine,
    as_line,
    checked_request,
    lines_of,
    parsed,
    read_as,
    request_document,
)

WHAT = 'answers (JSON Lines: {"request": HASH, "reply": TEXT, "model": NAME, "date": "2026-11-24"})'


class _GivenAnswer(AnswerLine):
    """An answer somebody gives now, unless it says when."""

    date: str = Field(default_factory=lambda: datetime.now(UTC).date().isoformat(), pattern=DATE)


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a file of answers: how many were added, the hashes of requests that still wait, and the
    lines that were not taken, with why."""

    added: int
    left: tuple[str, ...]
    refused: tuple[DamagedLine, ...]


def unanswered(calls: Iterable[LlmCall], recording: Path | None = None) -> dict[str, ChatRequest]:
    """By hash, the requests among `calls` that stayed unanswered, each once, in the order they were first
    asked, but for those that the recording (None, or no file yet: none) has a reply to by now."""
    known = read_recording(recording).replies if recording is not None and recording.exists() else {}
    waiting = (call for call in calls if call.outcome == "unanswered" and call.request)
    found: dict[str, ChatRequest] = {}
    for call in sorted(waiting, key=lambda call: (call.at, call.id)):
        try:
            asked = checked_request(read_as(RequestLine, parsed(call.request)))
        except ValueError as error:
            raise StoreError(
                f"The unanswered request of call {call.id} cannot be read: {error}.",
                "Run what asked it again, and name that run with --run.",
            ) from error
        if asked.digest not in known:
            found.setdefault(asked.digest, asked)
    return found


def write_requests(path: Path, requests: Iterable[ChatRequest]) -> None:
    """A file of requests, readable for its owner alone, in the place of what is there."""
    try:
        private_files.replace(path, b"".join(as_line(request_document(one)) for one in requests))
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}.", "Choose a place you may write to."
        ) from error


def add_answers(
    path: Path,
    waiting: Mapping[str, ChatRequest],
    recorder: Recorder,
    *,
    count_tokens: Callable[[str], int],
    tokenizer: str,
) -> Answered:
    """Append to a recording what the lines of a file answer to the requests that wait, exactly as it was
    said, whether or not it obeys the schema. What was asked is taken from `waiting`, not from the file.
    Where an answer does not say its tokens, those of the texts are counted, and the recording names the
    tokenizer. Raises UsageError for a file that cannot be read."""
    added = 0
    answered: set[str] = set()
    refused: list[DamagedLine] = []
    for number, text in lines_of(path, WHAT):
        try:
            line = read_as(_GivenAnswer, parsed(text))
            if (request := waiting.get(line.request)) is None:
                raise ValueError(f"no request with the hash {line.request[:12]!r} waits for an answer")
            if not line.reply and not line.calls:
                raise ValueError("it has no reply and no calls")
        except ValueError as error:
            refused.append(DamagedLine(number, str(error)))
            continue
        completion, tokens_by = _counted(line, request, count_tokens, tokenizer)
        recorder.append(
            request,
            completion,
            model=line.model_name,
            milliseconds=line.milliseconds,
            date=line.date,
            tokens_by=tokens_by,
        )
        added += 1
        answered.add(line.request)
    left = tuple(digest for digest in waiting if digest not in answered)
    return Answered(added, left, tuple(refused))


def _counted(
    line: AnswerLine, request: ChatRequest, count_tokens: Callable[[str], int], tokenizer: str
) -> tuple[ChatCompletion, str]:
    """The answer with its tokens, and who counted them."""
    completion = replace(line.completion, mode=line.mode)
    if line.prompt_tokens is not None and line.completion_tokens is not None:
        return completion, line.tokens_by
    document = request_document(request)
    form = [json.dumps(document[name]) for name in ("schema", "tools") if document[name]]
    counted = replace(
        completion,
        prompt_tokens=sum(map(count_tokens, (request.system, request.user, *form))),
        completion_tokens=count_tokens(completion.said),
    )
    return counted, tokenizer
