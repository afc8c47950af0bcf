"""A file of recorded replies: what models answered to which requests, a line each, only ever appended to.

A line is a `RequestLine` and an `AnswerLine` in one object. One that has `about` and no request is a note for
whoever reads the file. A request that was answered several times has its replies in the order they were
given. Retries stand beside what they correct, since what is wrong with a reply is part of the next request.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from memcore.domain import private_files
from memcore.domain.errors import UsageError
from memcore.llm.chat import ChatCompletion, ChatRequest
from memcore.llm.requests import (
    MOST_BYTES,
    MOST_OF_A_LINE,
    AnswerLine,
    DamagedLine,
    RequestLine,
    answer_document,
    as_line,
    checked_request,
    fit_to_show,
    lines_of,
    parsed,
    read_as,
    request_document,
)

WHAT = "recorded replies (JSON Lines, as --record writes it; to begin one, an empty file)"
_VERSION = re.compile(r"[-_/ ]?v?\d+$")
_MOST_NAMED = 3


class _ReplyLine(RequestLine, AnswerLine):
    pass


@dataclass(frozen=True, slots=True)
class Recording:
    """What a file holds: by the hash of a request its replies in order, how many of which prompt version,
    and the lines that could not be read. `name` is the model's, as it is shown and recorded."""

    path: Path
    name: str
    replies: Mapping[str, tuple[ChatCompletion, ...]] = field(default_factory=dict)
    prompts: Mapping[str, int] = field(default_factory=dict)
    damaged: tuple[DamagedLine, ...] = ()

    def why_not(self, prompt_version: str) -> str:
        """Why there is no reply to a request with this prompt that is not among them."""
        if known := self.prompts.get(prompt_version):
            return (
                f"{self.path.name} has {known} replies to this prompt, all to other requests (another log, "
                "other settings, or another reply before it)"
            )
        name = prompt_name(prompt_version)
        if others := [version for version in self.prompts if prompt_name(version) == name]:
            named = ", ".join(others[:_MOST_NAMED])
            return f"{self.path.name} is recorded for {named}, asked is {prompt_version}"
        return f"{self.path.name} has no reply to this prompt"


def prompt_name(prompt_version: str) -> str:
    """The prompt's name without its version.

    >>> prompt_name("simplemem_plan_v1")
    'simplemem_plan'
    """
    return _VERSION.sub("", prompt_version)


def read_recording(path: Path) -> Recording:
    """What a file of recorded replies holds; an empty file holds none. Raises UsageError for what is no such
    file, or of which no line can be read."""
    try:
        found = path.stat()
    except OSError:
        return _read(path)
    return _kept(path, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4)
def _kept(path: Path, inode: int, size: int, changed: int) -> Recording:
    """As it was read, for as long as the file stays as it is."""
    return _read(path)


def _read(path: Path) -> Recording:
    replies: dict[str, list[ChatCompletion]] = {}
    prompts: dict[str, int] = {}
    models: dict[str, None] = {}
    dates: set[str] = set()
    damaged: list[DamagedLine] = []
    notes = 0
    for number, text in lines_of(path, WHAT):
        try:
            line = _line(text)
        except ValueError as error:
            damaged.append(DamagedLine(number, str(error)))
            continue
        if line is None:
            notes += 1
            continue
        replies.setdefault(line.request, []).append(line.completion)
        prompt = fit_to_show(line.prompt)
        prompts[prompt] = prompts.get(prompt, 0) + 1
        models[line.model_name] = None
        dates.add(line.date)
    if damaged and not replies and not notes:
        raise _no_recording(path, damaged[0])
    return Recording(
        path,
        _named([*models], sorted(dates)),
        {digest: tuple(ordered) for digest, ordered in replies.items()},
        prompts,
        tuple(damaged),
    )


def _require_recording(path: Path) -> None:
    """Raise UsageError for a file without one line of a recording; an empty file may become one."""
    first: DamagedLine | None = None
    for number, text in lines_of(path, WHAT):
        try:
            _line(text)
        except ValueError as error:
            first = first or DamagedLine(number, str(error))
        else:
            return
    if first is not None:
        raise _no_recording(path, first)


def _no_recording(path: Path, first: DamagedLine) -> UsageError:
    return UsageError(
        f"{path} is no file of recorded replies: line {first.number}: {first.why}.",
        f"Name the file of {WHAT}.",
    )


def _line(text: bytes | None) -> _ReplyLine | None:
    """A reply, or None for a note. Raises ValueError."""
    found = parsed(text)
    if isinstance(found, dict) and isinstance(found.get("about"), str) and "request" not in found:
        return None
    line = read_as(_ReplyLine, found)
    checked_request(line)
    return line


def _named(models: list[str], dates: list[str]) -> str:
    """As in `recorded: qwen3:8b (2026-11-24)`."""
    if not models:
        return "recorded: no replies yet"
    more = len(models) - _MOST_NAMED
    shown = ", ".join(models[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"recorded: {shown} ({when})"


class Recorder:
    """Appends replies to a file, which is made readable for its owner alone if it is not there. Safe to use
    from several threads and processes: a line is written at once. Raises UsageError for a file of
    something else, and where it cannot be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        if path.exists():
            _require_recording(path)  # never a line into somebody's notes
        try:
            private_files.make_directory(path.parent)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, private_files.FILE))
        except OSError as error:
            raise self._unwritable(error) from error

    def append(
        self,
        request: ChatRequest,
        completion: ChatCompletion,
        *,
        model: str,
        milliseconds: float | None,
        date: str,
        tokens_by: str = "",
    ) -> None:
        """Keep one reply, exactly as it came."""
        answer = answer_document(
            completion,
            model=model,
            milliseconds=milliseconds,
            date=date,
            tokens_by=tokens_by,
        )
        self._write({**request_document(request), **answer})

    def _write(self, document: dict[str, Any]) -> None:
        line = as_line(document)
        try:
            with self._lock, self.path.open("ab+") as file:
                end = file.seek(0, os.SEEK_END)
                if len(line) > MOST_OF_A_LINE or end + len(line) > MOST_BYTES:
                    raise UsageError(
                        f"A reply does not fit into the recording {self.path}: it would have more than "
                        f"{MOST_BYTES // 2**20} MiB, or a line of more than {MOST_OF_A_LINE // 2**20}.",
                        "Record into a new file.",
                    )
                if end and file.seek(-1, os.SEEK_END) and file.read(1) != b"\n":
                    line = b"\n" + line  # the last one was cut off; this must not be lost with it
                file.write(line)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> UsageError:
        return UsageError(
            f"The recording {self.path} cannot be written: {error.strerror or error}.",
            "Choose a place you may write to, with free disk space.",
        )
