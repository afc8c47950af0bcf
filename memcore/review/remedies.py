"""What can be done about a statement whose words do not carry it: cite elsewhere, cut, or delete.

In this order, and only what the judge then calls supported: citing the message that the verdict names (alone,
else beside those cited); leaving out the parts that have no support, at most half of the words; and where
neither helps, deleting what nothing supports. A partly supported statement is never deleted. Reads and stores
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memcore.domain.models import Grounding, Statement
from memcore.domain.protocols import Judge, Shortener

ROUNDS = 3
"""Times that parts are left out, one after another, until what is left is supported."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way to put a statement right: cite the messages `cited`, say `text` instead (update), or delete
    it. `why` is the verdict in its own words, and what helps."""

    operation: Literal["cite", "update", "delete"]
    why: str
    text: str = ""
    cited: tuple[str, ...] = ()


def find_remedies(
    judge: Judge, shortener: Shortener, doubtful: Sequence[tuple[Statement, Grounding]]
) -> list[Remedy | None]:
    """A remedy for each statement with its verdict; None for one that is supported, or partly and nothing can
    be done about it."""
    wrong = [(one, found) for one, found in doubtful if found.verdict != "supported"]
    elsewhere = _elsewhere(judge, wrong)
    rest = [(one, found) for one, found in wrong if one not in elsewhere]
    remedies = elsewhere | _shorter(judge, shortener, rest)
    for statement, found in rest:
        if statement not in remedies and found.verdict != "partly":
            remedies[statement] = Remedy("delete", f"{_told(found)} Nothing said there or nearby carries it.")
    return [remedies.get(statement) for statement, _ in doubtful]


def _elsewhere(judge: Judge, wrong: Sequence[tuple[Statement, Grounding]]) -> dict[Statement, Remedy]:
    """Those that are supported by the first citation that supports them."""
    tries = [
        (statement, found, cited) for statement, found in wrong for cited in _citations(statement, found)
    ]
    asked = [replace(statement, cited=cited) for statement, _, cited in tries]
    judged = judge.judge(asked) if asked else []
    remedies: dict[Statement, Remedy] = {}
    for (statement, found, cited), again in zip(tries, judged, strict=True):
        if again is not None and again.verdict == "supported" and statement not in remedies:
            why = f"{_told(found)} With the other citation it is supported."
            remedies[statement] = Remedy("cite", why, cited=cited)
    return remedies


def _citations(statement: Statement, found: Grounding) -> Iterator[tuple[str, ...]]:
    named = dict.fromkeys([found.better, *(reason.message_id for reason in found.reasons)])
    others = [one for one in named if one and one not in statement.cited]
    yield from ((one,) for one in others)
    yield from ((*statement.cited, one) for one in others)


def _shorter(
    judge: Judge, shortener: Shortener, rest: Sequence[tuple[Statement, Grounding]]
) -> dict[Statement, Remedy]:
    """Those that are supported once parts without support are left out: of what is then supported best, what
    keeps most."""
    remedies: dict[Statement, Remedy] = {}
    at_hand = [(statement, found, statement.text, found) for statement, found in rest if statement.cited]
    for _ in range(ROUNDS):
        left = shortener.shorter([(text, _words(now)) for _, _, text, now in at_hand])
        tries = [
            (*one, text)
            for one, texts in zip(at_hand, left, strict=True)
            for text in texts
            if _keeps_enough(one[0].text, text)
        ]
        asked = [replace(statement, text=text) for statement, *_, text in tries]
        judged = judge.judge(asked) if asked else []
        nearest: dict[Statement, tuple[Statement, Grounding, str, Grounding]] = {}
        best: dict[Statement, float] = {}
        for (statement, found, _, _, text), again in zip(tries, judged, strict=True):
            if again is None:
                continue
            score = round(again.score, 1)
            if again.verdict == "supported" and score < best.get(statement, 1.0):
                best[statement] = score
                why = f"{_told(found)} Without that it is supported."
                remedies[statement] = Remedy("update", why, text)
            elif statement not in nearest or again.score < nearest[statement][3].score:
                nearest[statement] = (statement, found, text, again)
        at_hand = [one for statement, one in nearest.items() if statement not in remedies]
    return remedies


def _keeps_enough(text: str, left: str) -> bool:
    return 2 * len(left.split()) >= len(text.split())


def _words(found: Grounding) -> list[str]:
    """The words that have no support and can be left out: without its negation a statement says the
    opposite."""
    return [reason.words for reason in found.reasons if reason.words and reason.kind != "negation"]


def _told(found: Grounding) -> str:
    return " ".join(found.sentences)
