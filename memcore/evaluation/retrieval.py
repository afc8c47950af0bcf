"""A recipe's retrieval measured on questions with known evidence, beside plain rankings of the same turns.

Every conversation is remembered by the recipe under an owner of its own, every question asked of its own
conversation, through the same `ingest` and `search` that a person uses, at the time the dataset says it is
asked (relative times count from it; it leaves nothing out). Nothing is tuned to a dataset and no question's
words or date reach anything but the search. Knows no dataset's format and no store.

One search a question asks for as many results as the largest figure needs; ranks are of this one. A context
is `assemble`d from as many results as `ask` searches for with its budget: the first of these or, for a
recipe whose results depend on how many are asked for, those of a search of their own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from statistics import fmean
from types import MappingProxyType

from memcore.domain.models import LogRead
from memcore.domain.protocols import Cancelled, Embedder, KeywordIndex, Progress, Vectors
from memcore.evaluation.building import EvaluatedMemory, remembered, stopped, with_its_model
from memcore.evaluation.ranking import Delivered, Yardstick, scores_of, turn_ranking
from memcore.evaluation.retrieval_baselines import TurnBaselines, turn_text
from memcore.evaluation.retrieval_datasets import AnnotatedQuestion, RetrievalDataset
from memcore.evaluation.retrieval_result import QuestionResult, RankedQuestion, RetrievalResult
from memcore.retrieval.context import assemble
from memcore.retrieval.results import Hit, SearchReport

SEARCH = "search"
"""The stage that progress is told in while questions are asked."""

KEPT_HITS = 50
"""Hits, places of a ranking, and candidates that stand for no evidence, kept with each question."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """What measuring itself works with: the embedder of the baselines (which may keep the turns' vectors,
    so they come by a way of their own), tokens of contexts and by which tokenizer, an empty keyword
    index, and how many results `ask` searches for with a budget."""

    embedder: Embedder
    embed_turns: Callable[[Sequence[str]], Vectors]
    count_tokens: Callable[[str], int]
    tokenizer: str
    make_keywords: Callable[[], KeywordIndex]
    results_for: Callable[[int], int]


def measure_retrieval(
    dataset: RetrievalDataset,
    memory: EvaluatedMemory,
    measuring: Measuring,
    *,
    recipe: str,
    ranking_depends_on_k: bool,
    yardstick: Yardstick,
    progress: Progress,
    cancelled: Cancelled,
) -> RetrievalResult:
    """Build what the memory lacks, then ask every question. `ranking_depends_on_k`: see `System`. Raises
    CancelledError between steps and questions (what was built is kept), and whatever ingest and search
    raise."""
    construction = remembered(dataset.logs, memory, recipe, progress, cancelled)
    contexts = Contexts(measuring.count_tokens, measuring.results_for, yardstick)
    k = max(*yardstick.ks, *map(measuring.results_for, yardstick.budgets))
    measuring.embedder.embed([_FIRST_QUESTION])  # loads the model
    first_searches: list[float] = []
    results: list[QuestionResult] = []
    for owner, questions in _by_owner(dataset.scored).items():
        first_searches.append(_search(memory, _FIRST_QUESTION, k, owner, recipe).milliseconds)
        searches = []
        for question in questions:
            if cancelled():
                raise stopped()
            searches.append(_search(memory, question.text, k, owner, recipe, question.asked_at))
            progress(SEARCH, len(results) + len(searches), len(dataset.scored))
        baselines = _baselines(dataset.logs[owner], measuring)
        for question, search in zip(questions, searches, strict=True):
            if cancelled():
                raise stopped()
            report = search.report
            own = {
                depth: _search(memory, question.text, depth, owner, recipe, question.asked_at).report.hits
                for depth in map(measuring.results_for, yardstick.budgets if ranking_depends_on_k else ())
            }
            results.append(
                QuestionResult(
                    question,
                    contexts.ranked(question, [report.hits], own, newest_first=report.newest_first),
                    {
                        name: contexts.ranked(question, draws)
                        for name, draws in baselines.rankings(question, k).items()
                    },
                    _kept(report, _evidence(question, dataset.logs[owner])),
                    search.milliseconds,
                )
            )
    return RetrievalResult(
        dataset=dataset,
        recipe=recipe,
        yardstick=yardstick,
        questions=tuple(results),
        construction=construction,
        search_k=k,
        first_search_ms=tuple(first_searches),
        tokenizer=measuring.tokenizer,
    )


def _evidence(question: AnnotatedQuestion, log: LogRead) -> frozenset[str]:
    """The messages that are evidence; where only sessions are known, all of theirs."""
    said = [message for one in log.logs for message in one.messages]
    in_sessions = (message.id for message in said if message.session_id in question.sessions)
    return frozenset(question.messages or in_sessions)


def _kept(report: SearchReport, evidence: frozenset[str]) -> SearchReport:
    """What tells why evidence was found or not; all that a search ranked would fill the memory."""
    candidates = [
        candidate
        for place, candidate in enumerate(report.trace.candidates)
        if place < KEPT_HITS or not evidence.isdisjoint(candidate.message_ids)
    ]
    trace = replace(report.trace, candidates=tuple(candidates))
    return replace(report, hits=report.hits[:KEPT_HITS], trace=trace)


def _by_owner(questions: Sequence[AnnotatedQuestion]) -> dict[str, list[AnnotatedQuestion]]:
    """Together what is asked of one conversation, so that its indexes are loaded once."""
    found: dict[str, list[AnnotatedQuestion]] = {}
    for question in questions:
        found.setdefault(question.owner, []).append(question)
    return found


def _baselines(log: LogRead, measuring: Measuring) -> TurnBaselines:
    said = [message for one in log.logs for message in one.messages]
    vectors = measuring.embed_turns([turn_text(message) for message in said])
    return TurnBaselines(said, vectors, measuring.embedder, measuring.make_keywords())


_FIRST_QUESTION = "What was this conversation about?"
"""Asked of each conversation before it is timed: what loads its indexes is no question's cost."""


@dataclass(frozen=True, slots=True)
class _Search:
    report: SearchReport
    milliseconds: float


def _search(
    memory: EvaluatedMemory, query: str, k: int, owner: str, recipe: str, asked_at: datetime | None = None
) -> _Search:
    """A whole search as a person's is, the question's embedding included, and its wall time. Raises as
    `with_its_model`."""
    begun = time.perf_counter()
    report = with_its_model(memory.search(query, k=k, owner=owner, asked_at=asked_at, recipe=recipe))
    return _Search(report, (time.perf_counter() - begun) * 1000)


# --------------------------------------------------------------------------- rankings and contexts


class Contexts:
    """Judges rankings of hits, whoever ranked them, by what is in their first places and in the contexts
    made of them. `results_for`: how many results a context of a budget is chosen from."""

    def __init__(
        self, count_tokens: Callable[[str], int], results_for: Callable[[int], int], yardstick: Yardstick
    ) -> None:
        self._results_for = results_for
        self._count = by_line(count_tokens)
        self._yardstick = yardstick

    def ranked(
        self,
        question: AnnotatedQuestion,
        draws: Sequence[Sequence[Hit]],
        own: Mapping[int, Sequence[Hit]] = MappingProxyType({}),
        *,
        newest_first: bool = False,
    ) -> RankedQuestion:
        """The figures of a ranking, or the means over several draws of it. `own`: how many results a
        context is made from → these results, where they are not the first of the ranking."""
        found = [self._one(question, hits, own, newest_first) for hits in draws]
        if len(found) == 1:
            return found[0]
        return replace(
            found[0],
            scores={name: fmean(one.scores[name] for one in found) for name in found[0].scores},
            tokens={budget: fmean(one.tokens[budget] for one in found) for budget in found[0].tokens},
        )

    def _one(
        self,
        question: AnnotatedQuestion,
        hits: Sequence[Hit],
        own: Mapping[int, Sequence[Hit]],
        newest_first: bool,
    ) -> RankedQuestion:
        turns = turn_ranking(hits)
        delivered = {}
        for budget in self._yardstick.budgets:
            depth = self._results_for(budget)
            delivered[budget] = self._delivered(own.get(depth, hits[:depth]), budget, newest_first)
        place = {message.id: rank for rank, message in enumerate(turns, 1)}
        return RankedQuestion(
            scores=scores_of(question, turns, delivered, self._yardstick),
            turns=tuple(message.id for message in turns[:KEPT_HITS]),
            evidence_ranks={i: place[i] for i in question.messages if i in place},
            tokens={budget: float(context.tokens) for budget, context in delivered.items()},
        )

    def _delivered(self, hits: Sequence[Hit], budget: int, newest_first: bool) -> Delivered:
        context = assemble(hits, budget, self._count, newest_first=newest_first)
        quoted = [quote.message for cited in context.citations for quote in cited.hit.quotes]
        return Delivered(
            frozenset(message.id for message in quoted),
            frozenset(message.session_id for message in quoted),
            context.tokens,
        )


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NUMBER = re.compile(r"^\[\d{1,3}\]")


def by_line(count_tokens: Callable[[str], int]) -> Callable[[str], int]:
    """The same counts for contexts, with each line read once, whatever its number: a line's tokens end
    with its newline and numbers of up to three digits are one token, so lines add up."""
    counted = cache(count_tokens)

    def count(text: str) -> int:
        return sum(counted(_NUMBER.sub("[1]", line)) for line in _LINE.findall(text))

    return count
