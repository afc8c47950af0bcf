"""What an evaluation of retrieval found: every question's figures, and their means with intervals.

Results keep the questions, so that a page can open any that was missed and say where its evidence ranked.
Blocks hold percentages, as the command line prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore.evaluation.bootstrap import Interval, intervals
from memcore.evaluation.ranking import BUDGETS, RECALL_AT_TOKENS, Scores, Yardstick, at_tokens
from memcore.evaluation.retrieval_datasets import AnnotatedQuestion, RetrievalDataset
from memcore.retrieval.results import SearchReport

Block = dict[str, Any]
"""Figure → percentage; `recall_at_tokens` → token budget → percentage; `questions`: how many it is of."""

_WHOLE = "overall"


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """One system's answer to one question: its figures, the first message ids of its ranking, the rank
    (from 1) of each evidence message that it ranked at all, and the tokens of its context by budget."""

    scores: Scores
    turns: tuple[str, ...]
    evidence_ranks: Mapping[str, int]
    tokens: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question: what the recipe and each baseline made of it, the recipe's search (with its first hits
    only and, of what it ranked, the first and what stands for evidence) and how many milliseconds that
    took, the question's embedding included (unless the process has embedded the same words before). Of a
    baseline of several draws, the figures and tokens are means and the ranking is the first draw's."""

    question: AnnotatedQuestion
    recipe: RankedQuestion
    baselines: Mapping[str, RankedQuestion]
    report: SearchReport
    milliseconds: float

    def by_system(self, system: str | None) -> RankedQuestion:
        """A baseline's, or (None) the recipe's."""
        return self.recipe if system is None else self.baselines[system]


@dataclass(frozen=True, slots=True)
class Construction:
    """What building the memories took, when they were built: from the runs' own records. `from_cache`
    messages were there already. `unrecorded_runs` were killed: what they took is not in these figures.
    `errors` are what extraction failed on now; these messages are not remembered."""

    messages: int
    memories: int
    llm_calls: int
    llm_tokens: int
    seconds: float
    from_cache: int
    unrecorded_runs: int
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """A recipe and the baselines on one dataset. `search_k` results were asked for at once, of which the
    figures take the first; `first_search_ms` is each conversation's first search, which loads its
    indexes and is not among the questions' milliseconds."""

    dataset: RetrievalDataset
    recipe: str
    yardstick: Yardstick
    questions: tuple[QuestionResult, ...]
    construction: Construction
    search_k: int
    first_search_ms: tuple[float, ...]
    tokenizer: str

    @property
    def baselines(self) -> tuple[str, ...]:
        """Names of the plain rankings that were scored beside the system."""
        return tuple(self.questions[0].baselines)

    def categories(self) -> dict[str, list[QuestionResult]]:
        """Questions by category, in the categories' order."""
        return grouped(self.questions, lambda one: one.question.category)

    def types(self) -> dict[str, list[QuestionResult]]:
        """Questions by type, in the categories' order."""
        in_order = [one for questions in self.categories().values() for one in questions]
        return grouped(in_order, lambda one: one.question.type, in_order=False)

    def clusters(self) -> list[str]:
        """Whose luck each question shares: its conversation's."""
        return [one.question.owner for one in self.questions]


def grouped(
    questions: Iterable[QuestionResult], key: Callable[[QuestionResult], str], *, in_order: bool = True
) -> dict[str, list[QuestionResult]]:
    """Questions by a key: keys in alphabetical order, or as they come."""
    found: dict[str, list[QuestionResult]] = {}
    for one in questions:
        found.setdefault(key(one), []).append(one)
    return {name: found[name] for name in (sorted(found) if in_order else found)}


def figure_names(result: RetrievalResult) -> list[str]:
    """Every figure that some question has, but for the curve's own budgets, in the order of the reports."""
    reported = {at_tokens(budget) for budget in result.yardstick.budgets if budget in BUDGETS}
    names = dict.fromkeys(name for one in result.questions for name in one.recipe.scores)
    kinds = ("turn_recall", "session_any", "session_all", "ndcg", RECALL_AT_TOKENS)
    known = [name for name in names if not name.startswith(RECALL_AT_TOKENS) or name in reported]
    return sorted(known, key=lambda name: next(i for i, kind in enumerate(kinds) if name.startswith(kind)))


def nested(figures: Mapping[str, Any]) -> Block:
    """Flat figures as documents have them: those at token budgets under one key."""
    block: Block = {}
    for name, value in figures.items():
        kind, _, budget = name.partition(" ")
        if budget:
            block.setdefault(kind, {})[budget] = value
        else:
            block[name] = value
    return block


def score_block(result: RetrievalResult, system: str | None, questions: Sequence[QuestionResult]) -> Block:
    """The means over the questions that have the figure; a figure that none has is left out."""
    found: dict[str, float] = {}
    for name in figure_names(result):
        shares = [s for one in questions if (s := one.by_system(system).scores.get(name)) is not None]
        if shares:
            found[name] = 100 * sum(shares) / len(shares)
    return {"questions": len(questions), **nested(found)}


def score_blocks(result: RetrievalResult, system: str | None = None) -> Block:
    """`overall`, `by_type` and `by_category` of the recipe or of a baseline."""

    def each(groups: Mapping[str, list[QuestionResult]]) -> Block:
        return {name: score_block(result, system, questions) for name, questions in groups.items()}

    return {
        _WHOLE: score_block(result, system, result.questions),
        "by_type": each(result.types()),
        "by_category": each(result.categories()),
    }


def interval_blocks(result: RetrievalResult) -> Block:
    """95 % intervals of the recipe's figures and of their differences to each baseline's: [low, high] in
    percentage points, null where there are too few clusters."""
    return {
        **_interval_block(result, lambda one, name: one.recipe.scores.get(name)),
        "difference": {
            system: _interval_block(result, partial(_difference, system)) for system in result.baselines
        },
    }


def _difference(system: str, one: QuestionResult, name: str) -> float | None:
    mine, theirs = one.recipe.scores.get(name), one.baselines[system].scores.get(name)
    return None if mine is None or theirs is None else mine - theirs


def _interval_block(result: RetrievalResult, value: Callable[[QuestionResult, str], float | None]) -> Block:
    names = figure_names(result)
    values = np.array(
        [[np.nan if (v := value(one, name)) is None else v for name in names] for one in result.questions]
    )
    clusters = result.clusters()
    category = np.array([one.question.category for one in result.questions])
    return {
        _WHOLE: _named(names, intervals(values, clusters)),
        "by_category": {
            name: _named(names, intervals(_only(values, category == name), clusters))
            for name in result.categories()
        },
    }


def _only(values: NDArray[np.float64], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The same questions in the same clusters, with the values of some only."""
    return np.where(rows[:, None], values, np.nan)


def _named(names: Sequence[str], found: Sequence[Interval | None]) -> Block:
    return nested(
        {
            name: None if interval is None else [100 * interval[0], 100 * interval[1]]
            for name, interval in zip(names, found, strict=True)
        }
    )


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Contexts of one budget: the mean tokens that were delivered, and the mean recall in percent."""

    budget: int
    tokens: float
    recall: float


def token_curve(
    result: RetrievalResult, system: str | None, questions: Sequence[QuestionResult]
) -> tuple[CurvePoint, ...]:
    """Recall against the tokens delivered, of the recipe (None) or a baseline, over some questions."""
    points = []
    for budget in result.yardstick.budgets:
        having = [one.by_system(system) for one in questions]
        having = [one for one in having if at_tokens(budget) in one.scores]
        if having:
            points.append(
                CurvePoint(
                    budget,
                    sum(one.tokens[budget] for one in having) / len(having),
                    100 * sum(one.scores[at_tokens(budget)] for one in having) / len(having),
                )
            )
    return tuple(points)
