"""A chat request and what was answered to it, as JSON: a line of a recording, of a file of unanswered
requests, of a file of answers.

The three share their names. `request` is the hash of what the model reads, and is checked: a line whose
texts were changed is damaged. What is read here was written by anybody: it is data, of bounded size.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memcore.domain.errors import UsageError
from memcore.llm.chat import ChatCompletion, ChatRequest
from memcore.llm.tool_calls import ToolCall

MOST_BYTES = 512 * 1024 * 1024
MOST_OF_A_LINE = 16 * 1024 * 1024
DATE = r"^\d{4}-\d\d-\d\d$"
_MOST_TOKENS = 10**12

Line = TypeVar("Line", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that could not be read, by its number from 1, and why. It costs itself alone."""

    number: int
    why: str


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class RequestLine(_Strict):
    """Exactly what was asked, or would be. `prompt` is the prompt's name and version."""

    request: str
    prompt: str = Field(max_length=200)
    place: str = ""
    system: str
    user: str
    schema_: dict[str, Any] | None = Field(None, alias="schema")
    tools: list[dict[str, Any]] = []

    @property
    def asked(self) -> ChatRequest:
        """The request, without the room that an answer may take: the same question has many."""
        return ChatRequest(
            self.system, self.user, self.schema_, 0, tuple(self.tools), self.prompt, self.place
        )


class _Call(_Strict):
    name: str
    arguments: str


class AnswerLine(_Strict):
    """What was answered to the request with a hash: text as it came, tool calls, or both. Tokens are the
    server's own count, or that of the tokenizer `tokens_by` names (None: nobody counted)."""

    request: str
    reply: str = ""
    calls: list[_Call] = []
    cut: Literal["", "answer", "prompt"] = ""
    context: int | None = Field(None, ge=0, le=_MOST_TOKENS)
    widest: bool = False
    mode: str = Field("", max_length=200)
    model: str = Field(min_length=1, max_length=200)
    prompt_tokens: int | None = Field(None, ge=0, le=_MOST_TOKENS)
    completion_tokens: int | None = Field(None, ge=0, le=_MOST_TOKENS)
    tokens_by: str = Field("", max_length=100)
    milliseconds: float | None = Field(None, ge=0, le=1e12, allow_inf_nan=False)
    date: str = Field(pattern=DATE)

    @property
    def completion(self) -> ChatCompletion:
        """The same as a server's answer: of the model that gave it, at the price of then."""
        modes = (self.mode, f"tokens by {self.tokens_by}" if self.tokens_by else "")
        return ChatCompletion(
            text=self.reply,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cut=self.cut,
            context=self.context,
            widest=self.widest,
            mode=fit_to_show(", ".join(mode for mode in modes if mode)),
            calls=tuple(ToolCall(call.name, call.arguments) for call in self.calls),
            model=f"recorded: {self.model_name} ({self.date})",
            milliseconds=self.milliseconds or 0.0,
        )

    @property
    def model_name(self) -> str:
        """The model's name, fit to be shown."""
        return fit_to_show(self.model)


def request_document(request: ChatRequest) -> dict[str, Any]:
    """What was asked, as `RequestLine` reads it."""
    return {
        "request": request.digest,
        "prompt": request.prompt_version,
        "place": request.place,
        "system": request.system,
        "user": request.user,
        "schema": request.schema,
        "tools": list(request.tools),
    }


def answer_document(
    completion: ChatCompletion,
    *,
    model: str,
    milliseconds: float | None,
    date: str,
    tokens_by: str = "",
) -> dict[str, Any]:
    """What was answered, as `AnswerLine` reads it; what is as usual is left out."""
    unusual = {
        "calls": [{"name": call.name, "arguments": call.arguments} for call in completion.calls],
        "cut": completion.cut,
        "context": completion.context if completion.cut else None,
        "widest": completion.widest if completion.cut else False,
        "mode": completion.mode,
        "tokens_by": tokens_by,
    }
    return {
        "reply": completion.text,
        **{name: value for name, value in unusual.items() if value},
        "model": model,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "milliseconds": milliseconds,
        "date": date,
    }


def as_text(request: ChatRequest) -> str:
    """The request as one line of ASCII, for the ledger."""
    return json.dumps(request_document(request))


def as_line(document: dict[str, Any]) -> bytes:
    """A line of a file. Half of a surrogate pair, which UTF-8 cannot hold, is written as JSON's escape."""
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def checked_request(line: RequestLine) -> ChatRequest:
    """What a line says was asked. Raises ValueError where that has another hash than it says."""
    asked = line.asked
    if asked.digest != line.request:
        raise ValueError("its hash is not that of what it says was asked")
    return asked


def parsed(text: bytes | str | None) -> Any:
    """The JSON of one line. Raises ValueError, which says what is wrong without repeating it."""
    if text is None:
        raise ValueError(f"it is longer than {MOST_OF_A_LINE // 2**20} MiB")
    try:
        return json.loads(text.decode("utf-8") if isinstance(text, bytes) else text)
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON, or was cut off") from error


def read_as(kind: type[Line], found: Any) -> Line:
    """What a line holds as `kind`. Raises ValueError, as `parsed`."""
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        raise ValueError(violations(error)[:300]) from error


def violations(error: ValidationError) -> str:
    """What is wrong and where, without repeating what was read."""
    details = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, d['loc']))}: {d['msg']}" if d["loc"] else d["msg"] for d in details)


def lines_of(path: Path, what: str) -> Iterator[tuple[int, bytes | None]]:
    """Number and content of each line that holds something (None: it is too long to be read). Raises
    UsageError for what is no file, cannot be read or is too large; `what` is what it should be."""
    fix = f"Name the file of {what}."
    try:
        if not path.is_file():
            raise UsageError(f"There is no file {path}.", fix)
        if (size := path.stat().st_size) > MOST_BYTES:
            raise UsageError(
                f"{path} has {size // 2**20} MiB; at most {MOST_BYTES // 2**20} are read.", "Divide it."
            )
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MOST_OF_A_LINE + 1):
                number += 1
                whole = len(line) <= MOST_OF_A_LINE
                while not line.endswith(b"\n") and (rest := file.readline(MOST_OF_A_LINE)):
                    line = rest
                if not whole:
                    yield number, None
                elif line.strip():
                    yield number, line
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.", fix) from error


def fit_to_show(name: str) -> str:
    """A name from a file, on one line and with nothing invisible.

    >>> fit_to_show("qwen3\\u202e:8b\\n")
    'qwen3 :8b'
    """
    return " ".join("".join(one if one.isprintable() else " " for one in name).split())
