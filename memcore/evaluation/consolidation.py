"""Whether consolidation sees that an answer changed: LongMemEval's knowledge-update questions.

Each question has two sessions that answer it, an older and a newer one, whose turns with the answer are
marked (`has_answer`). Both are remembered, with some other sessions of its haystack, under an owner of their
own, and consolidated as a person's memory is. Counted is whether a proposal sets the older evidence against
the newer one, and what searching finds before any decision and once everything was approved. The marks only
score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from itertools import islice
from typing import Protocol

import numpy as np

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import LogRead, MemoryEntry, Operation, Proposal
from memcore.domain.protocols import Cancelled, Progress, Store
from memcore.evaluation.building import EvaluatedMemory, stopped, with_its_model
from memcore.evaluation.dataset_files import DatasetFile
from memcore.evaluation.haystacks import SESSION_FILES
from memcore.evaluation.longmemeval import HaystackQuestion, read_longmemeval
from memcore.evaluation.ranking import recall, turn_ranking
from memcore.evaluation.retrieval_datasets import last_said, log_of
from memcore.review.compare import of_assistant

KNOWLEDGE_UPDATE = "knowledge-update"
DISTRACTORS = 4
LINKING: tuple[Operation, ...] = ("update", "invalidate", "merge")
"""Operations that set an older memory against a newer one."""
K = 10
DEPTH = 50
"""How far down the older and the newer evidence are looked for."""
CONSOLIDATE = "consolidate"
"""The stage that progress is told in: questions consolidated and asked."""

NO_OLDER = "the older answer is no memory"
NO_NEWER = "the newer answer is no memory"
NEITHER = "neither answer is a memory"
TOO_UNLIKE = "both are memories, too unlike to be compared"
UNSEEN = "both are memories and were compared; no change was seen"


@dataclass(frozen=True, slots=True)
class UpdateQuestion:
    """A question whose answer changed: the log of its owner, the messages with the older and the newer
    answer, and when it is asked."""

    id: str
    text: str
    answer: str
    owner: str
    log: LogRead
    older: frozenset[str]
    newer: frozenset[str]
    asked_at: datetime | None


@dataclass(frozen=True, slots=True)
class UpdateDataset:
    """The questions that can be scored; `excluded` says why others are not, and how many."""

    files: tuple[str, ...]
    scored: tuple[UpdateQuestion, ...]
    excluded: Mapping[str, int]


def read_updates(
    paths: Sequence[DatasetFile], *, distractors: int = DISTRACTORS, limit: int | None = None
) -> UpdateDataset:
    """The knowledge-update questions of LongMemEval's files, each with its answer sessions and the first
    `distractors` others of its haystack; of each file, only the first `limit`. Raises LogError for what is
    damaged, UsageError where nothing can be scored."""
    sessions = [path for path in paths if fnmatch(path.name, SESSION_FILES)]
    files = [path for path in paths if path not in sessions]
    scored: list[UpdateQuestion] = []
    excluded: Counter[str] = Counter()
    for path in files:
        asked = (one for one in read_longmemeval(path, sessions) if one.type == KNOWLEDGE_UPDATE)
        for record in islice(asked, limit):
            question = _update_question(path, record, distractors)
            if isinstance(question, str):
                excluded[question] += 1
            else:
                scored.append(question)
    if not scored:
        raise UsageError(
            f"{', '.join(map(str, paths))}: no knowledge-update question that can be scored.",
            "Give LongMemEval questions of the type knowledge-update, with their sessions.",
        )
    return UpdateDataset(tuple(map(str, files)), tuple(scored), dict(excluded))


def _update_question(path: DatasetFile, record: HaystackQuestion, distractors: int) -> UpdateQuestion | str:
    if record.abstains:
        return "_abs: asks for what was never said"
    answering = record.marked_sessions()
    others = [place for place in range(len(record.session_ids)) if place not in answering]
    small = record.only({*answering, *others[:distractors]})
    owner, log = log_of(path, "longmemeval", record.id, small.document())
    started = {
        s.id: (s.started_at is None, s.started_at, s.position) for one in log.logs for s in one.sessions
    }
    said = [message for one in log.logs for message in one.messages]
    evidence: dict[str, set[str]] = {}
    for message in said:
        if small.is_evidence(message):
            evidence.setdefault(message.session_id, set()).add(message.id)
    if len(evidence) < 2:
        return "its older and newer answer are not both marked"
    first, *_, last = sorted(evidence, key=started.__getitem__)
    return UpdateQuestion(
        record.id,
        record.text,
        record.answer,
        owner,
        log,
        frozenset(evidence[first]),
        frozenset(evidence[last]),
        record.asked_at or last_said(log),
    )


# --------------------------------------------------------------------------- measuring


class ConsolidatingMemory(EvaluatedMemory, Protocol):
    """What is measured: a memory that consolidates and applies what was proposed."""

    def consolidate(self, *, owner: str, recipe: str | None, cancelled: Cancelled | None) -> object:
        """Propose updates for the owner's memories."""
        ...

    def approve(self, proposal_ids: Sequence[str], *, owner: str, actor: str) -> object:
        """Apply proposals, each on top of those before it."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """What searching for a question finds of its evidence: the share among the first `K` messages, and
    whether the newer comes before the older."""

    recall: float
    newest_first: bool


@dataclass(frozen=True, slots=True)
class QuestionUpdated:
    """What consolidation made of one question's memory. `links` are the proposals that set the older evidence
    against the newer; where there is none, `why` says why, and `nearest` are the two memories of the evidence
    that are most alike, with their cosine. `about_assistant` counts proposals whose targets are all of an
    assistant's words."""

    question: UpdateQuestion
    memories: int
    proposals: tuple[Proposal, ...]
    about_assistant: int
    links: tuple[Proposal, ...]
    why: str
    nearest: tuple[MemoryEntry, MemoryEntry, float] | None
    before: Asked
    after_all: Asked


@dataclass(frozen=True, slots=True)
class ConsolidationResult:
    """Every question's result, in the order of the files."""

    dataset: UpdateDataset
    recipe: str
    questions: tuple[QuestionUpdated, ...]


def measure_consolidation(
    dataset: UpdateDataset,
    memory: ConsolidatingMemory,
    *,
    recipe: str,
    threshold: float,
    progress: Progress = lambda stage, done, total: None,
    cancelled: Cancelled = lambda: False,
) -> ConsolidationResult:
    """Consolidate what `memory` remembers for every question's owner, and approve all of it: give it a copy
    of a store. `threshold` is the cosine from which memories are compared. Raises CancelledError between
    questions, and whatever search, consolidate and approve raise."""
    found = []
    for question in dataset.scored:
        if cancelled():
            raise stopped()
        found.append(_measured(question, memory, recipe, threshold, cancelled))
        progress(CONSOLIDATE, len(found), len(dataset.scored))
    return ConsolidationResult(dataset, recipe, tuple(found))


def _measured(
    question: UpdateQuestion,
    memory: ConsolidatingMemory,
    recipe: str,
    threshold: float,
    cancelled: Cancelled,
) -> QuestionUpdated:
    owner, store = question.owner, memory.store
    before = _asked(question, memory, recipe)
    memories = store.memories(owner, recipe=recipe)
    memory.consolidate(owner=owner, recipe=recipe, cancelled=cancelled)
    proposals = tuple(p for p in store.proposals(owner) if p.recipe == recipe)
    links = tuple(p for p in proposals if _links(p, question, store))
    nearest = None if links else _nearest(question, memories, memory)
    about_assistant = _about_assistant(store, proposals)
    if proposals:
        with suppress(ConflictError):  # none of them can be applied: nothing changes
            memory.approve([one.id for one in proposals], owner=owner, actor="evaluation")
    return QuestionUpdated(
        question=question,
        memories=len(memories),
        proposals=proposals,
        about_assistant=about_assistant,
        links=links,
        why="" if links else _why(question, memories, nearest, threshold),
        nearest=nearest,
        before=before,
        after_all=_asked(question, memory, recipe),
    )


def _asked(question: UpdateQuestion, memory: ConsolidatingMemory, recipe: str) -> Asked:
    report = with_its_model(
        memory.search(question.text, k=DEPTH, owner=question.owner, asked_at=question.asked_at, recipe=recipe)
    )
    ranked = [message.id for message in turn_ranking(report.hits)]
    first = {message: rank for rank, message in reversed([*enumerate(ranked)])}
    older, newer = (
        min((first.get(i, DEPTH) for i in ids), default=DEPTH) for ids in (question.older, question.newer)
    )
    return Asked(recall(ranked, question.older | question.newer, K), newer < older)


def _links(proposal: Proposal, question: UpdateQuestion, store: Store) -> bool:
    """Whether it sets a memory of the older evidence against one of the newer."""
    if proposal.operation not in LINKING:
        return False
    targets = store.memories_by_id(proposal.target_ids).values()
    candidates = store.memories_by_id([c.memory_id for c in proposal.candidates]).values()
    return any(_cites(m, question.older) for m in targets) and any(
        _cites(m, question.newer) for m in candidates
    )


def _cites(memory: MemoryEntry, messages: frozenset[str]) -> bool:
    return any(source.message_id in messages for source in memory.sources)


def _about_assistant(store: Store, proposals: Sequence[Proposal]) -> int:
    targets = store.memories_by_id([i for proposal in proposals for i in proposal.target_ids])
    theirs = of_assistant(store, targets.values())
    return sum(bool(p.target_ids) and theirs.issuperset(p.target_ids) for p in proposals)


def _nearest(
    question: UpdateQuestion, memories: Sequence[MemoryEntry], memory: ConsolidatingMemory
) -> tuple[MemoryEntry, MemoryEntry, float] | None:
    """The memories of the older and of the newer evidence that are most alike."""
    older = [m for m in memories if _cites(m, question.older)]
    newer = [m for m in memories if _cites(m, question.newer)]
    if not older or not newer:
        return None
    embedder = memory.backends.embedder()
    alike = embedder.embed([m.text for m in older]) @ embedder.embed([m.text for m in newer]).T
    row, column = np.unravel_index(int(alike.argmax()), alike.shape)
    return older[row], newer[column], float(alike[row, column])


def _why(
    question: UpdateQuestion,
    memories: Sequence[MemoryEntry],
    nearest: tuple[MemoryEntry, MemoryEntry, float] | None,
    threshold: float,
) -> str:
    if nearest is not None:
        return UNSEEN if nearest[2] >= threshold else TOO_UNLIKE
    older, newer = (
        any(_cites(m, evidence) for m in memories) for evidence in (question.older, question.newer)
    )
    return NO_NEWER if older else NO_OLDER if newer else NEITHER
