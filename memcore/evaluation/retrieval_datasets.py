"""Questions with known evidence, each with the conversation it is asked of: LoCoMo and LongMemEval.

What a system is given is a log with nothing of the annotation in it: it is read, by the reader that
reads logs, from a document that holds the conversation alone. Questions, answers, evidence, `has_answer`
and LongMemEval's session ids (gold ones begin with `answer_`) stay on this side. Each conversation has an
owner of its own, named after its content, so that a store that holds many of them never mixes two, nor
an older version of one with a newer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from itertools import islice
from typing import Any, Literal

from memcore.domain.errors import LogError, UsageError
from memcore.domain.models import LogRead, Message
from memcore.evaluation.dataset_files import DatasetFile, read_text
from memcore.evaluation.haystacks import SESSION_FILES
from memcore.evaluation.locomo import ANSWERED, CATEGORIES, LocomoSample, place_of, read_locomo
from memcore.evaluation.longmemeval import HaystackQuestion, read_longmemeval
from memcore.logs import ReadOptions, read_bytes

DatasetName = Literal["locomo", "longmemeval"]
DATASETS: tuple[DatasetName, ...] = ("locomo", "longmemeval")

_SIGNS: Mapping[DatasetName, str] = {
    "locomo": r'"(?:qa|conversation|sample_id)"\s*:',
    "longmemeval": r'"(?:question_id|question_type|answer_session_ids|haystack_\w+)"\s*:',
}
"""The keys by which a dataset's records are known (within a text, their quotes would be escaped)."""

ADVERSARIAL = "category 5 (adversarial): asks for what was never said"
OTHER_CATEGORY = "a category other than 1 to 5"
NO_EVIDENCE = "no evidence that can be found in the conversation"
ABSTENTION = "_abs: asks for what was never said"


@dataclass(frozen=True, slots=True)
class AnnotatedQuestion:
    """A question to the conversation of `owner`, and the ids of the messages and sessions that answer it.
    `messages` is empty where a dataset says only in which sessions the evidence is; `asked_at` is when it is
    asked, as the dataset says or else as the conversation ends, so that no figure depends on today."""

    id: str
    text: str
    answer: str
    type: str
    category: str
    owner: str
    messages: tuple[str, ...]
    sessions: tuple[str, ...]
    asked_at: datetime | None


@dataclass(frozen=True, slots=True)
class RetrievalDataset:
    """Questions that can be scored, and the log of each owner among them. `questions` were read (with a
    limit, not all there are), `excluded` says why some of these are not scored, and how many."""

    name: DatasetName
    files: tuple[str, ...]
    logs: Mapping[str, LogRead]
    scored: tuple[AnnotatedQuestion, ...]
    questions: int
    excluded: Mapping[str, int]

    @property
    def has_turns(self) -> bool:
        """Whether any question's evidence is known to the turn."""
        return any(question.messages for question in self.scored)


_Read = tuple[AnnotatedQuestion | str, LogRead]
"""A question, or the reason why it is not scored, and the log it is asked of."""


def dataset_of(files: Sequence[DatasetFile]) -> DatasetName:
    """Which dataset these files are of, from their contents, which are not checked any further. Raises
    LogError for a file of neither, UsageError for files of both or for sessions without questions."""
    found: dict[DatasetName, DatasetFile] = {}
    for file in files:
        if fnmatch(file.name, SESSION_FILES):
            continue
        text = read_text(file)
        first = {name: sign.start() for name, keys in _SIGNS.items() if (sign := re.search(keys, text))}
        if not first:
            raise LogError(
                f"{file} is neither a LoCoMo nor a LongMemEval file.",
                "Give a list of LoCoMo samples with `conversation` and `qa`, or LongMemEval's questions.",
                file=file.name,
            )
        found[min(first, key=first.__getitem__)] = file
    match list(found):
        case [name]:
            return name
        case []:
            raise UsageError("There are no questions in these files.", "Give the questions file, too.")
    raise UsageError(
        f"{found['locomo']} is of LoCoMo, {found['longmemeval']} of LongMemEval.",
        "Evaluate one dataset at a time.",
    )


def read_retrieval_dataset(
    name: DatasetName, paths: Sequence[DatasetFile], *, limit: int | None = None
) -> RetrievalDataset:
    """The files as one dataset; of each, only the first `limit` questions and their conversations.
    LongMemEval's session files belong to the questions files beside them. Raises LogError for what is
    damaged or of another format, UsageError where nothing can be scored."""
    sessions = [path for path in paths if name == "longmemeval" and fnmatch(path.name, SESSION_FILES)]
    files = [path for path in paths if path not in sessions]
    logs: dict[str, LogRead] = {}
    scored: list[AnnotatedQuestion] = []
    excluded: Counter[str] = Counter()
    for path in files:
        found = _locomo(path) if name == "locomo" else _longmemeval(path, sessions)
        for question, log in islice(found, limit):
            if isinstance(question, str):
                excluded[question] += 1
            else:
                scored.append(question)
                logs[question.owner] = log
    if not scored:
        raise UsageError(
            f"{', '.join(map(str, paths))}: no question that can be scored"
            + "".join(f"; {count} with {why}" for why, count in excluded.items())
            + ".",
            "Give a file with questions whose evidence is in it.",
        )
    return RetrievalDataset(
        name=name,
        files=tuple(map(str, files)),
        logs=logs,
        scored=tuple(scored),
        questions=len(scored) + sum(excluded.values()),
        excluded=dict(excluded),
    )


def log_of(
    path: DatasetFile, name: DatasetName, native_id: str, document: Mapping[str, Any]
) -> tuple[str, LogRead]:
    """A conversation as the log reader reads it, and its owner."""
    data = json.dumps([document]).encode()
    owner = f"{name} {native_id} {hashlib.sha256(data).hexdigest()[:12]}"
    return owner, read_bytes(path.name, data, ReadOptions(owner=owner, format=name))


def last_said(log: LogRead) -> datetime | None:
    """When a conversation's newest message was said."""
    return max((message.said_at for message in _messages(log) if message.said_at), default=None)


def _messages(log: LogRead) -> tuple[Message, ...]:
    return tuple(message for one in log.logs for message in one.messages)


# --------------------------------------------------------------------------- LoCoMo


def _locomo(path: DatasetFile) -> Iterator[_Read]:
    for number, sample in enumerate(read_locomo(path).samples, 1):
        yield from _of_sample(path, str(sample.document["sample_id"] or f"sample {number}"), sample)


def _of_sample(path: DatasetFile, name: str, sample: LocomoSample) -> Iterator[_Read]:
    owner, log = log_of(path, "locomo", name, sample.document)
    by_place = {place_of(message.raw_ref.where): message for message in _messages(log)}
    ended = last_said(log)
    for number, question in enumerate(sample.questions, 1):
        evidence = [by_place[place] for place in question.evidence if place in by_place]
        if question.category not in CATEGORIES:
            yield OTHER_CATEGORY, log
        elif question.category not in ANSWERED:
            yield ADVERSARIAL, log
        elif not evidence:
            yield NO_EVIDENCE, log
        else:
            yield (
                AnnotatedQuestion(
                    id=f"{name} question {number}",
                    text=question.text,
                    answer=question.answer,
                    type=CATEGORIES[question.category],
                    category=str(question.category),
                    owner=owner,
                    messages=tuple(message.id for message in evidence),
                    sessions=_sessions_of(evidence),
                    asked_at=ended,
                ),
                log,
            )


def _sessions_of(messages: Sequence[Message]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(message.session_id for message in messages))


# --------------------------------------------------------------------------- LongMemEval


def _longmemeval(path: DatasetFile, session_files: Sequence[DatasetFile]) -> Iterator[_Read]:
    for record in read_longmemeval(path, session_files):
        yield _of_haystack(path, record)


def _of_haystack(path: DatasetFile, record: HaystackQuestion) -> _Read:
    if record.abstains:
        return ABSTENTION, LogRead(())
    owner, log = log_of(path, "longmemeval", record.id, record.document())
    in_gold = [m for m in _messages(log) if record.session_id(m) in record.answer_sessions]
    sessions = _sessions_of(in_gold)
    if not sessions:
        return NO_EVIDENCE, log
    question = AnnotatedQuestion(
        id=record.id,
        text=record.text,
        answer=record.answer,
        type=record.type,
        category=record.type,
        owner=owner,
        messages=tuple(message.id for message in in_gold if record.is_evidence(message)),
        sessions=sessions,
        asked_at=record.asked_at or last_said(log),
    )
    return question, log
