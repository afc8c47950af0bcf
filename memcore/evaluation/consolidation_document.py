"""A result of evaluating consolidation as one JSON document (DESIGN section 6): shares in percent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memcore.domain.models import Proposal
from memcore.evaluation.consolidation import LINKING, ConsolidationResult, K, QuestionUpdated


def consolidation_document(result: ConsolidationResult) -> dict[str, Any]:
    """What `evaluate consolidation` prints; beside the figures, every question's proposals or why it has
    none, to be read."""
    asked = result.questions
    proposals = [proposal for one in asked for proposal in one.proposals]
    about_assistant = sum(one.about_assistant for one in asked)
    memories = sum(one.memories for one in asked)
    operations = Counter(operation for one in asked for operation in {p.operation for p in one.links})
    return {
        "dataset": "longmemeval",
        "files": list(result.dataset.files),
        "recipe": result.recipe,
        "questions": len(asked),
        "excluded": dict(result.dataset.excluded),
        "linked": _share([bool(one.links) for one in asked]),
        "linked_by_operation": {name: _percent(operations[name], len(asked)) for name in LINKING},
        "proposals": len(proposals),
        "about_person": _percent(len(proposals) - about_assistant, len(proposals)),
        "about_assistant": _percent(about_assistant, len(proposals)),
        "memories": memories,
        "per_1000_memories": round(1000 * len(proposals) / memories, 2) if memories else 0.0,
        f"evidence_recall@{K}": {
            "before": _mean([one.before.recall for one in asked]),
            "after_all": _mean([one.after_all.recall for one in asked]),
        },
        "newest_first": {
            "before": _share([one.before.newest_first for one in asked]),
            "after_all": _share([one.after_all.newest_first for one in asked]),
        },
        "missed": [_missed(one) for one in asked if not one.links],
        "found": [_found(one) for one in asked if one.links],
    }


def _missed(one: QuestionUpdated) -> dict[str, Any]:
    record: dict[str, Any] = {**_question(one), "why": one.why}
    if one.nearest is not None:
        older, newer, cosine = one.nearest
        record |= {"older": older.text, "newer": newer.text, "cosine": round(cosine, 3)}
    return record


def _found(one: QuestionUpdated) -> dict[str, Any]:
    return {**_question(one), "proposals": [_proposal(proposal) for proposal in one.links]}


def _question(one: QuestionUpdated) -> dict[str, Any]:
    return {"question_id": one.question.id, "question": one.question.text, "answer": one.question.answer}


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "operation": proposal.operation,
        "before": proposal.before,
        "after": proposal.after,
        "reason": proposal.reason,
        "made_by": proposal.made_by,
    }


def _share(held: Sequence[bool]) -> float:
    return _percent(sum(held), len(held))


def _mean(shares: Sequence[float]) -> float:
    return round(100 * sum(shares) / len(shares), 2)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
