"""The figures of a kept evaluation by name, and two evaluations of one kind side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memcore.evaluation.records import EvaluationRecord

_FIRST = ("turn_recall@10", "session_all@5", "linked", "f1", "answer_tokens_kept")
"""The figure that stands for an evaluation in a list, whichever of these it has."""


_OF_CONSOLIDATION = ("linked", "about_person", "about_assistant", "evidence_recall@10", "newest_first")


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A figure of two evaluations; None where one does not have it."""

    name: str
    mine: float | None
    other: float | None

    @property
    def difference(self) -> float | None:
        """How much higher the first one's is."""
        return None if self.mine is None or self.other is None else self.mine - self.other


_OF_OVERSIGHT = {
    "recall_at_k": "recall@10",
    "recall_at_budget": "recall in 1,000 tokens",
    "unsupported": "unsupported",
}


def figures_of(record: EvaluationRecord) -> dict[str, float]:
    """Its figures: of retrieval and consolidation over all questions, else of the default method on each
    dataset."""
    if record.kind == "retrieval":
        return _flat(record.document["overall"])
    if record.kind == "consolidation":
        return _flat({name: record.document[name] for name in _OF_CONSOLIDATION})
    if record.kind == "oversight":
        return {
            f"{words} {arm['name']}": 100 * float(arm[share])
            for arm in record.document["arms"]
            for share, words in _OF_OVERSIGHT.items()
        }
    found: dict[str, float] = {}
    several = len(record.datasets) > 1
    for document in record.datasets:
        of = f"{document['dataset']} " if several else ""
        blocks = {"": document["methods"]} if record.kind == "segmentation" else document["rates"]
        for rate, methods in blocks.items():
            at = f"rate {rate} " if rate else ""
            own = _flat(methods[document["default"]]) if document["default"] in methods else {}
            found |= {f"{of}{at}{name}": value for name, value in own.items()}
    return found


def _flat(block: Mapping[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in block.items():
        if isinstance(value, Mapping):
            found |= {f"{name} {budget}": float(share) for budget, share in value.items()}
        elif name != "questions":
            found[name] = float(value)
    return found


def headline(record: EvaluationRecord) -> tuple[str, float] | None:
    """The figure to tell it by in a list, with its name; None where it has none that can be read."""
    try:
        figures = figures_of(record)
    except (KeyError, TypeError, AttributeError, ValueError):
        return None  # opening it tells what is wrong with it
    for wanted in _FIRST:
        if named := next((name for name in figures if name.endswith(wanted)), None):
            return named, figures[named]
    return next(iter(figures.items()), None)


def side_by_side(one: EvaluationRecord, other: EvaluationRecord) -> list[ComparedFigure]:
    """Every figure that either has."""
    mine, theirs = figures_of(one), figures_of(other)
    return [
        ComparedFigure(name, mine.get(name), theirs.get(name)) for name in dict.fromkeys([*mine, *theirs])
    ]


def differing(one: EvaluationRecord, other: EvaluationRecord) -> list[tuple[str, str, str]]:
    """What was not the same: the system, the files by their content, versions, models and settings."""
    pairs = [
        ("system", one.recipe, other.recipe),
        ("files", _files(one), _files(other)),
        ("version", f"{one.version} ({one.code})", f"{other.version} ({other.code})"),
        ("embedding model", one.embedding_model, other.embedding_model),
    ]
    pairs += [
        (name, str(one.settings.get(name, "–")), str(other.settings.get(name, "–")))
        for name in dict.fromkeys([*one.settings, *other.settings])
    ]
    return [(name, mine, theirs) for name, mine, theirs in pairs if mine != theirs]


def _files(record: EvaluationRecord) -> str:
    return ", ".join(f"{file.name} ({file.sha256[:12]})" for file in record.files)
