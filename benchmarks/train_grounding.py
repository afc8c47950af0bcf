"""Fit the weights of grounding (`memcore/stages/grounding/model.py`) to LoCoMo's observations.

An observation as it is counts as supported, made wrong by the rules of `memcore.evaluation.corruptions` as
not; what was put aside by `--leave-out` is never read. Every corruption counts the same in total, whatever
their number, and as much together as the sentences as they are. Logistic regression by Newton's method;
columns whose weight comes out below 0 are left out and the others fitted again.

    python -m benchmarks.train_grounding LOCOMO.json --leave-out conv-43 [--without WRONG.json] [--write]

Prints what is found at 5 % false alarms by weights fitted to the other conversations. `--without` names a
JSON list of sentences that a reader found wrong; they are left out, and with `--every N` all but one in N.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from memcore.evaluation.corruptions import change_date, change_number
from memcore.evaluation.grounding import AS_IT_IS, CORRUPTIONS, SEED, Case, auc, cases_of
from memcore.evaluation.observations import ObservedConversation, read_observed
from memcore.nlp.encoder.minilm import load_minilm
from memcore.stages.grounding.judge import Grounder
from memcore.stages.grounding.model import grounding_model
from memcore.stages.grounding.reading import read

WEIGHTS = Path(__file__).resolve().parent.parent / "memcore/stages/grounding/weights/grounding.json"
RIDGE = 1.0
STEPS = 60
VARIANTS = 4
"""In how many ways a number or a date is changed: few sentences have one."""

NAME = "name"
"""A corruption to learn from only: a name, of nobody who speaks, becomes one of another conversation."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A case's features, by `names`."""

    conversation: str
    case: Case
    features: dict[str, float]


def examples_of(conversations: Sequence[ObservedConversation]) -> list[Example]:
    """Every case of every conversation, more of those that few sentences have, and turns moved by little."""
    encoder = load_minilm()
    found = []
    for conversation in conversations:
        encoder.scored([message.text for message in conversation.messages])
        grounder = Grounder(conversation.messages, encoder)
        others = [other for other in conversations if other is not conversation]
        cases = [*cases_of(conversation, others), *_more(conversation, others)]
        for case in sorted(cases, key=lambda case: case.text):
            found.append(
                Example(conversation.name, case, dict(grounder.examine(case.text, case.cited).features))
            )
    return found


def _more(conversation: ObservedConversation, others: Sequence[ObservedConversation]) -> list[Case]:
    random = Random(SEED)
    foreign = sorted({name for other in others for one in other.observations for name in _names(one.text)})
    ids = [message.id for message in conversation.messages]
    cases = set()
    for one in conversation.observations:
        for _ in range(VARIANTS):
            for made, text in (
                ("number", change_number(one.text, random)),
                ("date", change_date(one.text, random)),
            ):
                if text is not None:
                    cases.add(Case(made, text, one.cited))
        for name in _names(one.text) - set(conversation.speakers):
            cases.add(Case(NAME, one.text.replace(name, random.choice(foreign)), one.cited))
        place = ids.index(one.cited[0]) + random.choice((-2, -1, 1, 2))
        if 0 <= place < len(ids) and ids[place] not in one.cited:
            cases.add(Case("moved_turn", one.text, (ids[place],)))
        cases.add(Case("moved_turn", one.text, (random.choice([i for i in ids if i not in one.cited]),)))
    return list(cases)


def _names(text: str) -> set[str]:
    return {word.text for word in read(text, None).words if word.is_name}


def fit(table: Floats, wrong: Floats, weight: Floats) -> Floats:
    """Weights of the columns, none below 0, and the bias last."""
    columns = np.arange(table.shape[1])
    while True:
        design = np.c_[table[:, columns], np.ones(len(table))]
        ridge = np.diag([RIDGE] * len(columns) + [1e-6])
        found = np.zeros(len(columns) + 1)
        for _ in range(STEPS):
            p = 1 / (1 + np.exp(-design @ found))
            slope = design.T @ (weight * (p - wrong)) + ridge @ found
            curve = (design * (weight * p * (1 - p))[:, None]).T @ design + ridge
            found = found - np.linalg.solve(curve, slope)
        if (found[:-1] >= 0).all():
            whole = np.zeros(table.shape[1] + 1)
            whole[columns], whole[-1] = found[:-1], found[-1]
            return whole
        columns = columns[found[:-1] >= 0]


def balanced(examples: Sequence[Example]) -> Floats:
    """Of each example its weight: the same in total for every corruption."""
    made = np.array([example.case.made for example in examples])
    right = float((made == AS_IT_IS).sum())
    weight = np.where(made == AS_IT_IS, 1.0, 0.0)
    for kind in (*CORRUPTIONS, NAME):
        count = int((made == kind).sum())
        if count:
            weight[made == kind] = right / ((len(CORRUPTIONS) + 1) * count)
    return weight


def _report(scores: Floats, made: NDArray[np.str_]) -> float:
    right = scores[made == AS_IT_IS]
    limit = float(np.quantile(right, 0.95))
    print(f"{len(right)} sentences, AUC {auc(right, scores[made != AS_IT_IS]):.4f}")
    for kind in (*CORRUPTIONS, NAME):
        wrong = scores[made == kind]
        share = 100 * (wrong > limit).mean()
        print(f"  {kind:20} {len(wrong):5} found {share:5.1f} %  AUC {auc(right, wrong):.3f}")
    return limit


def main() -> None:
    """Read, fit, print, and with `--write` keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--leave-out", nargs="*", default=[])
    parser.add_argument("--without", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th sentence")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    without = frozenset(json.loads(chosen.without.read_text("utf-8"))) if chosen.without else frozenset[str]()
    conversations = [
        replace(
            one, observations=tuple(o for o in one.observations[:: chosen.every] if o.text not in without)
        )
        for one in read_observed(chosen.locomo)
        if one.name not in chosen.leave_out
    ]
    examples = examples_of(conversations)
    names = list(examples[0].features)
    table = np.array([[example.features[name] for name in names] for example in examples])
    made = np.array([example.case.made for example in examples])
    wrong, weight = (made != AS_IT_IS).astype(float), balanced(examples)
    of = np.array([example.conversation for example in examples])
    scores = np.zeros(len(examples))
    for conversation in sorted(set(of)):
        out = of == conversation
        found = fit(table[~out], wrong[~out], weight[~out])
        scores[out] = table[out] @ found[:-1] + found[-1]
    _report(scores, made)
    found = fit(table, wrong, weight)
    limit = float(np.quantile((table @ found[:-1] + found[-1])[made == AS_IT_IS], 0.95))
    document = {
        "version": grounding_model().version,
        "provenance": {
            "made_by": "benchmarks/train_grounding.py",
            "data": f"LoCoMo observations of {', '.join(c.name for c in conversations)}, corrupted by rule",
            "sentences": f"one in {chosen.every}",
            "seed": SEED,
            "examples": len(examples),
        },
        "threshold": round(float(1 / (1 + np.exp(-limit))), 4),
        "bias": round(float(found[-1]), 3),
        "weights": {name: round(float(value), 3) for name, value in zip(names, found, strict=False)},
    }
    print(json.dumps(document, indent=1))
    if chosen.write:
        WEIGHTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
