"""LoCoMo (Maharana et al., 2024) with its questions: what was said, and which turns answer what.

The official file is a list of samples; a single sample is read too. Evidence ids are written in several
ways (`D1:3`, `D1:03`, `D:1:3`, two in one string); those that name no turn are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memcore.domain.errors import LogError
from memcore.evaluation.dataset_files import DatasetFile, damaged, json_records, read_text

Place = tuple[int, int]
"""(session, turn), both counted from 1."""

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ANSWERED = frozenset({1, 2, 3, 4})
"""The categories with an answer: category 5 asks for what was never said."""

_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_SESSION = re.compile(r"session_\d+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the places of its evidence. `category`: see `CATEGORIES` (the `answer` of an
    adversarial one is empty)."""

    text: str
    answer: str
    category: int
    evidence: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class LocomoSample:
    """One conversation: the raw texts of its turns by place, its questions, and `document`, the sample
    as a log: nothing of it that exists for evaluation (`qa`, observations, summaries)."""

    turns: Mapping[Place, str]
    questions: tuple[Question, ...]
    document: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LocomoDataset:
    """The samples of one file."""

    name: str
    file: str
    samples: tuple[LocomoSample, ...]


def read_locomo(path: DatasetFile) -> LocomoDataset:
    """The samples of a file. Raises LogError for what is damaged or no LoCoMo."""
    samples = []
    for record in json_records(path, read_text(path)):
        match record.value:
            case {"conversation": dict() as conversation, "qa": [*questions]}:
                where = record.where or "the sample"
                samples.append(
                    LocomoSample(
                        _turns(path, where, conversation),
                        tuple(
                            _question(path, f"{where} question {number}", question)
                            for number, question in enumerate(questions, 1)
                        ),
                        {"sample_id": record.value.get("sample_id", ""), "conversation": conversation},
                    )
                )
            case _ if samples:
                raise damaged(path, record.where, "it is no sample with a `conversation` and `qa`")
            case _:
                break
    if not samples:
        raise LogError(
            f"{path} is no LoCoMo file.",
            "Give the official list of samples, or one sample, with `conversation` and `qa`.",
            file=path.name,
        )
    return LocomoDataset("locomo", str(path), tuple(samples))


def _turns(path: DatasetFile, where: str, conversation: Mapping[str, Any]) -> dict[Place, str]:
    found = {}
    for key, turns in conversation.items():
        if not _SESSION.fullmatch(key):
            continue
        if not isinstance(turns, list):
            raise damaged(path, f"{where} {key}", "it should be a list of turns")
        for number, turn in enumerate(turns, 1):
            match turn:
                case {"dia_id": str(name), "text": str(text)} if place := _EVIDENCE.fullmatch(name):
                    found[int(place[1]), int(place[2])] = text
                case _:
                    raise damaged(
                        path, f"{where} {key} turn {number}", "it needs a `dia_id` (D1:3) and a `text`"
                    )
    return found


def _question(path: DatasetFile, where: str, question: Any) -> Question:
    match question:
        case {"question": str(text), "category": int(category), "evidence": [*evidence]}:
            return Question(text, str(question.get("answer", "")), category, places(evidence))
        case _:
            raise damaged(path, where, "it needs `question`, `category` and `evidence`")


def place_of(where: str) -> Place | None:
    """The place that the log reader wrote into a message's `where`.

    >>> place_of("conv-26 D1:03"), place_of("conv-26 session 1 turn 3")
    ((1, 3), None)
    """
    named = _EVIDENCE.fullmatch(where.rpartition(" ")[2])
    return (int(named[1]), int(named[2])) if named else None


def places(evidence: Sequence[Any]) -> tuple[Place, ...]:
    """The places that evidence names, each once.

    >>> places(["D1:3; D2:04", "D1:3"])
    ((1, 3), (2, 4))
    """
    named = [place for written in evidence for place in _EVIDENCE.findall(str(written))]
    return tuple(dict.fromkeys((int(session), int(turn)) for session, turn in named))
