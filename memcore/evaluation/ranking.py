"""What a ranking of hits is worth to a question whose evidence is known.

Figures are shares from 0 to 1. Hits are judged by the messages they quote, whatever they are (a memory, a
message, a summary), so that systems that remember differently are compared by the same evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal

from memcore.domain.models import Message
from memcore.evaluation.retrieval_datasets import AnnotatedQuestion
from memcore.retrieval.results import Hit

KS = (5, 10, 25, 50)
BUDGETS = (500, 1000, 2000, 4000)
"""Tokens of the contexts whose recall is reported."""
CURVE = (250, 500, 1000, 1500, 2000, 3000, 4000)
"""Tokens of the contexts that a curve of recall is drawn through."""

NDCG_AT = 10
NDCG = f"ndcg@{NDCG_AT}"
RECALL_AT_TOKENS = "recall_at_tokens"

Over = Literal["turns", "sessions"]

Scores = Mapping[str, float]
"""Figure → share. A figure that a question's evidence cannot give is absent, never 0 or 1."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The ks and token budgets of the figures, and what two of them are counted over. LongMemEval's ndcg
    is over sessions, as published; contexts are judged by turns wherever a dataset knows these."""

    ks: tuple[int, ...] = KS
    budgets: tuple[int, ...] = CURVE
    ndcg_over: Over = "turns"
    tokens_over: Over = "turns"


@dataclass(frozen=True, slots=True)
class Delivered:
    """The evidence in a context as an answerer gets it: the messages its citations quote, the sessions
    these are of, and the tokens of its text."""

    messages: frozenset[str]
    sessions: frozenset[str]
    tokens: int


def turn_ranking(hits: Sequence[Hit]) -> tuple[Message, ...]:
    """Messages in the order in which hits quote them, each at its first place. A hit that quotes several
    takes up several ranks: who returns long chunks is not given them for the price of one."""
    found: dict[str, Message] = {}
    for hit in hits:
        for quote in hit.quotes:
            found.setdefault(quote.message.id, quote.message)
    return tuple(found.values())


def session_ranking(turns: Sequence[Message]) -> tuple[str, ...]:
    """Session ids in the order in which they first appear in a ranking of turns."""
    return tuple(dict.fromkeys(message.session_id for message in turns))


def recall(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """The share of what is relevant that is among the first k.

    >>> recall(["a", "x", "b"], {"a", "b"}, 2)
    0.5
    """
    return len({*ranked[:k]} & {*relevant}) / len({*relevant})


def ndcg(ranked: Sequence[str], relevant: Collection[str], k: int = NDCG_AT) -> float:
    """Normalised discounted cumulative gain (Järvelin & Kekäläinen 2002) with binary relevance and the
    discount 1/log2(rank + 1); ideal are all that is relevant, or k of it, on the first ranks.

    >>> round(ndcg(["x", "a"], {"a"}), 4), ndcg(["a", "b", "x"], {"b", "a"})
    (0.6309, 1.0)
    """
    wanted = {*relevant}
    gain = sum(1 / log2(rank + 1) for rank, i in enumerate(ranked[:k], 1) if i in wanted)
    return gain / sum(1 / log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))


def at_tokens(budget: int) -> str:
    """The name of the figure for a context of so many tokens."""
    return f"{RECALL_AT_TOKENS} {budget}"


def scores_of(
    question: AnnotatedQuestion,
    turns: Sequence[Message],
    delivered: Mapping[int, Delivered],
    yardstick: Yardstick,
) -> Scores:
    """Every figure of one ranking. `turns`: `turn_ranking`; `delivered`: by budget.

    turn_recall@k      share of the evidence messages among the first k turns
    session_any@k      1 if one of the evidence's sessions is among the first k sessions
    session_all@k      1 if all of them are
    ndcg@10            over turns or over sessions, as the yardstick says
    recall_at_tokens   share of the evidence messages that a context of at most so many tokens quotes; or
                       of the evidence sessions of which it quotes something, where only these are known
    """
    ids = [message.id for message in turns]
    sessions = session_ranking(turns)
    scores: dict[str, float] = {}
    for k in yardstick.ks:
        if question.messages:
            scores[f"turn_recall@{k}"] = recall(ids, question.messages, k)
        found = recall(sessions, question.sessions, k)
        scores[f"session_any@{k}"] = float(found > 0)
        scores[f"session_all@{k}"] = float(found == 1)
    if yardstick.ndcg_over == "sessions":
        scores[NDCG] = ndcg(sessions, question.sessions)
    elif question.messages:
        scores[NDCG] = ndcg(ids, question.messages)
    for budget, context in delivered.items():
        if yardstick.tokens_over == "sessions":
            scores[at_tokens(budget)] = len(context.sessions & {*question.sessions}) / len(question.sessions)
        elif question.messages:
            scores[at_tokens(budget)] = len(context.messages & {*question.messages}) / len(question.messages)
    return scores
