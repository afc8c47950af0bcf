"""What can be done about a statement whose words do not carry it: cite elsewhere, cut, or delete.

Most statements in doubt are right, said in other words than their source. So nothing is proposed that could
take a right one away; a person finds what is left in the list of what is in doubt. Citing the message that
the verdict names: in place of those cited only if these say nothing of the statement. Cutting what nobody
said in the whole conversation, or said otherwise, and no more: at most half of the words. Deleting what the
cited messages deny, or of which nobody said anything. Nothing where these are in a language that the rules
cannot read. Reads and stores nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memcore.domain.models import Grounding, Standing, Statement
from memcore.domain.protocols import Examiner, Judge, Shortener

ROUNDS = 3
"""Times that parts are left out, one after another, until what is left is supported."""


_HARDLY = 0.25
"""The share of its words that one message with the turns before it may say even so."""
_MOST = 0.6
"""The share of them that other cited messages must say."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way to put a statement right: cite the messages `cited`, say `text` instead (update), or delete
    it. `why` is the verdict in its own words, and what helps."""

    operation: Literal["cite", "update", "delete"]
    why: str
    text: str = ""
    cited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A statement, its verdict, and how it stands with its conversation."""

    statement: Statement
    found: Grounding
    stands: Standing

    @property
    def is_denied(self) -> bool:
        """Whether the cited messages say most of it, and something in it otherwise."""
        return self.found.verdict == "contradicted" and bool(self.stands.denied)

    @property
    def is_turned(self) -> bool:
        """Whether that is who did it, or that it was not done: nothing that can be cut."""
        return self.is_denied and bool(self.stands.denied & {"name", "negation"})

    @property
    def is_unsaid(self) -> bool:
        """Whether nobody said anything of it."""
        return self.found.verdict == "unsupported" and self.stands.most <= _HARDLY

    def to_do_without(self, now: Grounding) -> list[str]:
        """What has no support and can be left out: words that nobody said, and numbers and times that were
        said otherwise. Without its negation a statement says the opposite."""
        unheard = set(self.stands.unheard)
        without: list[str] = []
        for reason in now.reasons:
            if reason.kind in self.stands.denied and reason.kind in ("number", "date"):
                without.append(reason.words)
            elif reason.kind != "negation":
                without += [word for word in _WORD.findall(reason.words) if word in unheard]
        return list(dict.fromkeys(filter(None, without)))

    def keeps_enough(self, text: str) -> bool:
        """Whether what is left of it has half of its words, and all of those that somebody said."""
        left = Counter(_WORD.findall(text))
        said = Counter(part for word in self._said for part in _WORD.findall(word))
        return 2 * len(text.split()) >= len(self.statement.text.split()) and said <= left

    @property
    def _said(self) -> tuple[str, ...]:
        if not self.stands.denied & {"number", "date"}:
            return self.stands.heard
        otherwise = {word for reason in self.found.reasons for word in reason.words.split()}
        return tuple(word for word in self.stands.heard if word not in otherwise)


def find_remedies(
    judge: Judge,
    examiner: Examiner,
    shortener: Shortener,
    doubtful: Sequence[tuple[Statement, Grounding]],
) -> list[Remedy | None]:
    """A remedy for each statement with its verdict; None for one that is supported, or about which only a
    person can decide."""
    wrong = [one for one in doubtful if one[1].verdict != "supported"]
    examined = zip(wrong, examiner.standing([statement for statement, _ in wrong]), strict=True)
    known = [_Doubt(*one, stands) for one, stands in examined if stands is not None and stands.readable]
    remedies = {doubt.statement: _deleted(doubt) for doubt in known if doubt.is_turned}
    rest = [doubt for doubt in known if doubt.statement not in remedies]
    remedies |= _elsewhere(judge, examiner, rest)
    rest = [doubt for doubt in rest if doubt.statement not in remedies]
    remedies |= _shorter(judge, shortener, rest)
    rest = [doubt for doubt in rest if doubt.statement not in remedies]
    remedies |= {doubt.statement: _deleted(doubt) for doubt in rest if doubt.is_denied or doubt.is_unsaid}
    return [remedies.get(statement) for statement, _ in doubtful]


def _deleted(doubt: _Doubt) -> Remedy:
    because = "What it cites says otherwise." if doubt.is_denied else "Nobody said anything of it."
    return Remedy("delete", f"{_told(doubt.found)} {because}")


def _elsewhere(judge: Judge, examiner: Examiner, wrong: Sequence[_Doubt]) -> dict[Statement, Remedy]:
    """Those that are supported by the first citation that supports them and says most of their words."""
    tries = [(doubt, cited) for doubt in wrong for cited in _citations(doubt)]
    asked = [replace(doubt.statement, cited=cited) for doubt, cited in tries]
    judged = judge.judge(asked) if asked else []
    stands = examiner.standing(asked) if asked else []
    remedies: dict[Statement, Remedy] = {}
    for (doubt, cited), again, then in zip(tries, judged, stands, strict=True):
        helps = again is not None and again.verdict == "supported"
        if helps and then is not None and then.there >= _MOST and doubt.statement not in remedies:
            why = f"{_told(doubt.found)} With the other citation it is supported."
            remedies[doubt.statement] = Remedy("cite", why, cited=cited)
    return remedies


def _citations(doubt: _Doubt) -> Iterator[tuple[str, ...]]:
    cited = doubt.statement.cited
    named = dict.fromkeys([doubt.found.better, *(reason.message_id for reason in doubt.found.reasons)])
    others = [one for one in named if one and one not in cited]
    if not doubt.stands.there:
        yield from ((one,) for one in others)
    yield from ((*cited, one) for one in others)


def _shorter(judge: Judge, shortener: Shortener, rest: Sequence[_Doubt]) -> dict[Statement, Remedy]:
    """Those that are supported once parts that nobody said are left out: of what is then supported best, what
    keeps most."""
    remedies: dict[Statement, Remedy] = {}
    at_hand = [(doubt, doubt.statement.text, doubt.found) for doubt in rest]
    for _ in range(ROUNDS):
        left = shortener.shorter([(text, doubt.to_do_without(now)) for doubt, text, now in at_hand])
        tries = [
            (doubt, text)
            for (doubt, *_), texts in zip(at_hand, left, strict=True)
            for text in texts
            if doubt.keeps_enough(text)
        ]
        asked = [replace(doubt.statement, text=text) for doubt, text in tries]
        judged = judge.judge(asked) if asked else []
        nearest: dict[Statement, tuple[_Doubt, str, Grounding]] = {}
        best: dict[Statement, float] = {}
        for (doubt, text), again in zip(tries, judged, strict=True):
            if again is None:
                continue
            statement, score = doubt.statement, round(again.score, 1)
            if again.verdict == "supported" and score < best.get(statement, 1.0):
                best[statement] = score
                why = f"{_told(doubt.found)} Without that it is supported."
                remedies[statement] = Remedy("update", why, text)
            elif statement not in nearest or again.score < nearest[statement][2].score:
                nearest[statement] = (doubt, text, again)
        at_hand = [one for statement, one in nearest.items() if statement not in remedies]
    return remedies


def _told(found: Grounding) -> str:
    return " ".join(found.sentences)
