"""What measuring oversight is given beside a dataset: dated questions and decisions, as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from memcore.domain.errors import UsageError
from memcore.evaluation.oversight import DatedQuestion, PersonsDecision
from memcore.nlp.time_grammar.dates import parse_when

_T = TypeVar("_T", bound=BaseModel)


class _Dated(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question: str
    as_of: str
    answer: str
    otherwise: str


class _Decision(BaseModel):
    model_config = ConfigDict(extra="ignore")
    operation: str
    before: str
    after: str | None = None
    decision: str


def read_dated(path: Path) -> list[DatedQuestion]:
    """The questions of a file: a list of {"question", "as_of": "2024-02", "answer", "otherwise"}. Asked is as
    of the end of that period. Raises UsageError, which names the place."""
    return [
        DatedQuestion(one.question, parse_when(one.as_of)[1], one.answer, one.otherwise)
        for one in _read(path, _Dated)
    ]


def read_decisions(path: Path) -> list[PersonsDecision]:
    """The decisions of a file: a list of {"operation", "before", "after", "decision": "approve" or "reject"},
    and what else a person noted. Raises UsageError, which names the place."""
    found = []
    for number, one in enumerate(_read(path, _Decision), 1):
        if one.decision not in ("approve", "reject"):
            raise UsageError(
                f"{path}, entry {number}: {one.decision[:40]!r} is no decision.", "Write approve or reject."
            )
        approve = one.decision == "approve"
        found.append(PersonsDecision(one.operation, one.before, one.after, approve))
    return found


def _read(path: Path, of: type[_T]) -> list[_T]:
    try:
        return TypeAdapter(list[of]).validate_python(json.loads(path.read_text("utf-8")))  # type: ignore[valid-type]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.", "Name a file.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = " ".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}, {place}: {first['msg']}.", "Mend the entry.") from error
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}.", "Give a list of entries.") from error
