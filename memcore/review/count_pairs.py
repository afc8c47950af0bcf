"""Two counts of one kind in an older and a newer statement: whether they count the same, by weights.

`new_quantity` asks that the words beside both numbers are the same. People word it anew: "on two trips with
Ann's camera", "had Ann's Fuji with Ann on four trips". What the words alone do not tell is weighed here: how
alike the two memories are, what both name and what only one of them does, whether the newer is told as what
it has come to. A logistic regression of few weights, fitted by `benchmarks/train_changes.py` to invented
pairs and to pairs of LongMemEval (MIT); it only speaks up where it is nearly sure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import Quantity, alike, quantities
from memcore.nlp.language.words.wording import wording
from memcore.review.pairs import Finding, Statement, is_later, on, person
from memcore.review.relations import real_moods
from memcore.review.superseding import superseding_text

MOST_WORDS = 4
"""Words beyond which more of them say no more."""
_UNREAL = frozenset({"plan", "condition", "formerly", "able"})
_UNITS = frozenset(map(stem, lexicon.TEMPORAL)) | set("$ € £ % minut hour time km mile kg pound".split())
_VAGUE = frozenset(
    alike(word)
    for word in "have get take make do be go use now just already currently far only still also more".split()
)


@dataclass(frozen=True, slots=True)
class CountModel:
    """The constants. Counts whose probability is above `threshold` are of the same."""

    weights: Mapping[str, float]
    bias: float
    threshold: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Of counting the same, 0 to 1."""
        odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + exp(-odds))


@dataclass(frozen=True, slots=True)
class CountPair:
    """What is counted in both, with another number in each, and what speaks for its being the same."""

    was: Quantity
    now: Quantity
    features: Mapping[str, float]


@cache
def count_model() -> CountModel:
    """The weights that come with the package."""
    path = files("memcore.review").joinpath("weights/counts.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    return CountModel(document["weights"], document["bias"], document["threshold"])


def counted_anew(older: Statement, newer: Statement, cosine: float) -> Finding | None:
    """The same is counted again in other words and comes to another number; `cosine`: of the memories."""
    model = count_model()
    likely = [
        (probability, pair)
        for pair in count_pairs(older, newer, cosine)
        if (probability := model.probability(pair.features)) >= model.threshold
    ]
    if not likely:
        return None
    probability, pair = max(likely, key=lambda one: one[0])
    reason = (
        f"“{pair.was.clause}”{on(older)}; “{pair.now.clause}”{on(newer)}: {pair.was.value}, then "
        f"{pair.now.value}, of what is the same by {probability:.0%}."
    )
    text = superseding_text(older, newer, pair.was.clause)
    return Finding("counted anew", "update", text, reason, "high", ends=True)


def count_pairs(older: Statement, newer: Statement, cosine: float) -> Iterator[CountPair]:
    """The numbers of one kind that both tell of one person as real, and that differ."""
    who = person(older)
    if not (who and who == person(newer) and is_later(newer, older)):
        return
    if "statement" in (older.memory.kind, newer.memory.kind) or "plan" in (
        older.memory.kind,
        newer.memory.kind,
    ):
        return
    before, after = quantities(older.memory.text, who), quantities(newer.memory.text, who)
    said_again = {(one.counted, one.value) for one in before} & {(one.counted, one.value) for one in after}
    known = {counted for counted, _ in said_again}
    for was in before:
        for now in after:
            if (
                was.counted == now.counted
                and was.counted not in known | {""}
                and _is_real(was) == _is_real(now)
            ):
                yield CountPair(was, now, _features(was, now, older, newer, cosine))


def _is_real(quantity: Quantity) -> tuple[frozenset[str], bool]:
    said = wording(quantity.clause)
    return real_moods(said) & _UNREAL, bool(said.negations)


def _features(
    was: Quantity, now: Quantity, older: Statement, newer: Statement, cosine: float
) -> dict[str, float]:
    own, others = was.words - _VAGUE, now.words - _VAGUE
    shared = own & others
    fewer = min(len(own), len(others))
    a, b = older.memory, newer.memory
    subjects = (wording(q.clause).subject.partition("'s ")[2] for q in (was, now))
    kin = [thing for thing in subjects if thing in lexicon.PERSON]
    return {
        "alike": cosine,
        "shared": min(len(shared), MOST_WORDS) / MOST_WORDS,
        "shared part": len(shared) / fewer if fewer else 0.0,
        "nothing beside": float(not fewer),
        "names shared": float(bool(was.names & now.names)),
        "names of each": float(bool(was.names - now.names and now.names - was.names)),
        "words of each": min(len(own - others), len(others - own), MOST_WORDS) / MOST_WORDS,
        "told as of now": float(now.told_now or now.nth),
        "both as of now": float((now.told_now or now.nth) and (was.told_now or was.nth)),
        "both standing": float(was.standing and now.standing),
        "of other days": float(
            a.event_at is not None and b.event_at is not None and a.event_at != b.event_at
        ),
        "both past": float(older.said.past and newer.said.past),
        "one past": float(older.said.past != newer.said.past),
        "of another": float(len(kin) == 1 or len(set(kin)) > 1),
        "unit": float(was.counted in _UNITS),
        "elapsed": float(was.elapsed or now.elapsed),
    }
