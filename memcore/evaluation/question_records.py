"""Every question's figures as plain records, for files that other programs read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcore.evaluation.missed import by_id, evidence_of
from memcore.evaluation.ranking import Scores
from memcore.evaluation.retrieval_result import RetrievalResult, nested


def question_records(result: RetrievalResult) -> list[dict[str, Any]]:
    """One record a question: its evidence by place in the file and rank (None: not returned), the figures
    of the recipe and the baselines in percent, the tokens of its contexts, and the first hits."""
    return [
        {
            "id": name,
            "category": one.question.category,
            "type": one.question.type,
            "question": one.question.text,
            "answer": one.question.answer,
            "evidence": [
                {"where": each.messages[0].raw_ref.where, "of": each.of, "rank": each.rank}
                for each in evidence_of(one, result.dataset.logs[one.question.owner])
            ],
            "recipe": result.recipe,
            "figures": _percent(one.recipe.scores),
            "tokens": {str(budget): tokens for budget, tokens in one.recipe.tokens.items()},
            "baselines": {system: _percent(ranked.scores) for system, ranked in one.baselines.items()},
            "milliseconds": round(one.milliseconds, 2),
            "hits": [
                {
                    "kind": hit.kind,
                    "text": hit.text,
                    "score": round(hit.score, 4),
                    "where": [quote.message.raw_ref.where for quote in hit.quotes],
                }
                for hit in one.report.hits[:_HITS]
            ],
        }
        for name, one in by_id(result).items()
    ]


_HITS = 10


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as a row of a table: without hits and baselines, several pieces of evidence in one cell."""
    evidence = record["evidence"]
    row = {name: record[name] for name in ("id", "category", "type", "question", "answer")}
    row["evidence"] = "; ".join(each["where"] for each in evidence)
    row["ranks"] = "; ".join("-" if each["rank"] is None else str(each["rank"]) for each in evidence)
    for figure, value in record["figures"].items():
        if isinstance(value, Mapping):
            row |= {f"{figure} {budget}": share for budget, share in value.items()}
        else:
            row[figure] = value
    return row | {"milliseconds": record["milliseconds"]}


def _percent(scores: Scores) -> dict[str, Any]:
    return nested({name: round(100 * share, 2) for name, share in scores.items()})
