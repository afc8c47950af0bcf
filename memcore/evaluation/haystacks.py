"""LongMemEval's haystacks (Wu et al., 2025): sessions inside a question's record, or beside it in files
of their own, {"id", "turns"} a line, joined by `haystack_session_ids`. Knows no question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memcore.domain.errors import LogError
from memcore.evaluation.dataset_files import DatasetFile, damaged, json_records, read_text

SESSION_FILES = "sessions*.jsonl*"
"""Files with the sessions that LongMemEval's questions files refer to by id."""


@dataclass(frozen=True, slots=True)
class HaystackSession:
    """One session as its file has it, and where it stands."""

    id: str
    turns: list[Any]
    file: DatasetFile
    where: str


def has(value: Any, **fields: type) -> bool:
    """Whether a record is an object with these fields, each of its type."""
    return isinstance(value, dict) and all(isinstance(value.get(name), kind) for name, kind in fields.items())


def haystack_sessions(path: DatasetFile, given: Sequence[DatasetFile]) -> Iterator[HaystackSession]:
    """The sessions of the `given` files or, if none is given, of those beside the questions file `path`.
    Raises LogError for what is missing or damaged."""
    beside = sorted(path.parent.glob(SESSION_FILES)) if isinstance(path, Path) else []
    files = list(given) or beside
    if not files:
        raise LogError(
            f"{path} refers to sessions that it does not contain.",
            f"Put the {SESSION_FILES} file with them into the same directory, or give it too.",
            file=path.name,
        )
    for file in files:
        for record in json_records(file, read_text(file)):
            if not has(record.value, id=str, turns=list):
                raise damaged(file, record.where, "it is no session with an `id` and `turns`")
            yield HaystackSession(record.value["id"], record.value["turns"], file, record.where)
