"""Fit the weights of grounding (`memcore/stages/grounding/model.py`) to facts of LongMemEval's users.

    python -m benchmarks.train_grounding SESSIONS.jsonl.xz [--seed 16] [--check LOCOMO.json] [--write]

LongMemEval (MIT) has one user and an assistant; two people are made of it: the user turns of 15 sessions are
said by one person, those of 15 others by another, in turns, and each bears a name and a day that are drawn.
What the embedded language pipeline makes of them is supported, the same made wrong by the rules of
`memcore.evaluation.corruptions` is not. Every corruption counts the same in total, whatever their number, and
as much together as the facts as they are. Logistic regression by Newton's method; columns whose weight comes
out below 0 are left out and the others fitted again.

The pipeline keeps the words of its source, and whoever learnt from it would hold every paraphrase for wrong.
So the weights of `LIKENESS` are not learnt: each is 1, equal weights for figures that say much the same
(Dawes 1979, The robust beauty of improper linear models). The threshold lies above even odds: what language
models write lies further from its source than what the pipeline does.

Prints what is found at 5 % false alarms by weights fitted to the other conversations; `--check` prints the
same of LoCoMo, which is not learnt from.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, zip_longest
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from memcore.domain.extraction import Buffer
from memcore.domain.models import Message, RawRef, Segment
from memcore.evaluation.corruptions import change_date, change_number
from memcore.evaluation.grounding import AS_IT_IS, CORRUPTIONS, SEED, Case, auc, cases_of
from memcore.evaluation.observations import Observation, ObservedConversation, read_observed
from memcore.nlp.encoder.minilm import load_minilm
from memcore.nlp.language.extractor import LanguageExtractor
from memcore.stages.grounding.judge import Grounder
from memcore.stages.grounding.model import grounding_model
from memcore.stages.grounding.reading import read

WEIGHTS = Path(__file__).resolve().parent.parent / "memcore/stages/grounding/weights/grounding.json"
RIDGE = 1.0
STEPS = 60
THRESHOLD = 0.6
VARIANTS = 4
"""In how many ways a number or a date is changed: few sentences have one."""

LIKENESS = ("unsaid", "unlike", "distance", "missing")
"""How much of a statement was said in other words; each weighs 1."""

PEOPLE = (
    ("Nora", "Felix"),
    ("Ines", "Karl"),
    ("Maud", "Otto"),
    ("Petra", "Hugo"),
    ("Ruth", "Emil"),
)
SESSIONS, FACTS = 15, 80
"""Sessions of each person, and facts of each pair of people."""

NAME = "name"
"""A corruption to learn from only: a name, of nobody who speaks, becomes one of another conversation."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A case's features, by `names`."""

    conversation: str
    case: Case
    features: dict[str, float]


def conversations_of(path: Path, random: Random) -> list[ObservedConversation]:
    """Conversations of two people each, made of sessions that are drawn, and facts of them."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        sessions = [
            [turn["content"] for turn in session["turns"] if turn["role"] == "user"]
            for session in map(json.loads, file)
        ]
    drawn = iter(random.sample(sessions, 2 * SESSIONS * len(PEOPLE)))
    return [_conversation(people, list(islice(drawn, 2 * SESSIONS)), random) for people in PEOPLE]


def _conversation(
    people: tuple[str, str], sessions: Sequence[Sequence[str]], random: Random
) -> ObservedConversation:
    name = " and ".join(people)
    buffers = []
    for number, (ones, others) in enumerate(zip(sessions[::2], sessions[1::2], strict=True)):
        said_at = datetime(2023, 1, 1, 18) + timedelta(days=7 * number + random.randrange(7))
        session = f"{name} {number}"
        told = [pair for turns in zip_longest(ones, others) for pair in zip(people, turns, strict=True)]
        messages = tuple(
            Message(
                f"{session}:{at}", session, at, speaker, "user", text, said_at, "session", RawRef("", str(at))
            )
            for at, (speaker, text) in enumerate((who, text) for who, text in told if text)
        )
        segment = Segment(session, session, tuple(message.id for message in messages))
        buffers.append(Buffer(session, (segment,), messages, people=people))
    facts = [
        fact
        for made, _ in LanguageExtractor().extract(buffers)
        for fact in made.facts
        if fact.kind != "statement" and fact.speaker in fact.text
    ]
    observations = tuple(
        Observation(fact.text, fact.speaker, tuple(dict.fromkeys(s.message_id for s in fact.sources)))
        for fact in random.sample(facts, min(FACTS, len(facts)))
    )
    return ObservedConversation(name, tuple(m for buffer in buffers for m in buffer.messages), observations)


def examples_of(conversations: Sequence[ObservedConversation], seed: int) -> list[Example]:
    """Every case of every conversation, more of those that few sentences have, and turns moved by little."""
    encoder = load_minilm()
    found = []
    for conversation in conversations:
        encoder.scored([message.text for message in conversation.messages])
        grounder = Grounder(conversation.messages, encoder)
        others = [other for other in conversations if other is not conversation]
        cases = [*cases_of(conversation, others, seed), *_more(conversation, others, seed)]
        for case in sorted(cases, key=lambda case: (case.text, case.made, case.cited)):
            found.append(
                Example(conversation.name, case, dict(grounder.examine(case.text, case.cited).features))
            )
    return found


def _more(
    conversation: ObservedConversation, others: Sequence[ObservedConversation], seed: int
) -> list[Case]:
    random = Random(seed)
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
        for name in sorted(_names(one.text) - set(conversation.speakers)):
            cases.add(Case(NAME, one.text.replace(name, random.choice(foreign)), one.cited))
        place = ids.index(one.cited[0]) + random.choice((-2, -1, 1, 2))
        if 0 <= place < len(ids) and ids[place] not in one.cited:
            cases.add(Case("moved_turn", one.text, (ids[place],)))
        cases.add(Case("moved_turn", one.text, (random.choice([i for i in ids if i not in one.cited]),)))
    return list(cases)


def _names(text: str) -> set[str]:
    return {word.text for word in read(text, None).words if word.is_name}


def fit(table: Floats, given: Floats, wrong: Floats, weight: Floats) -> Floats:
    """Weights of the columns, none below 0, and the bias last; `given` are log odds that stand already."""
    columns = np.arange(table.shape[1])
    while True:
        design = np.c_[table[:, columns], np.ones(len(table))]
        ridge = np.diag([RIDGE] * len(columns) + [1e-6])
        found = np.zeros(len(columns) + 1)
        for _ in range(STEPS):
            p = 1 / (1 + np.exp(-design @ found - given))
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


def _report(scores: Floats, made: NDArray[np.str_]) -> None:
    right = scores[made == AS_IT_IS]
    limit = float(np.quantile(right, 0.95))
    print(f"{len(right)} sentences, AUC {auc(right, scores[made != AS_IT_IS]):.4f}")
    print(f"  not supported: {100 * (right > np.log(THRESHOLD / (1 - THRESHOLD))).mean():.1f} %")
    for kind in sorted(set(made) - {AS_IT_IS}):
        wrong = scores[made == kind]
        share = 100 * (wrong > limit).mean()
        print(f"  {kind:20} {len(wrong):5} found {share:5.1f} %  AUC {auc(right, wrong):.3f}")


def table_of(examples: Sequence[Example], names: Sequence[str]) -> Floats:
    """The features of examples, of shape (examples, names)."""
    return np.array([[example.features[name] for name in names] for example in examples])


def cross_validated(examples: Sequence[Example], learnt: Sequence[str]) -> Iterator[tuple[Example, float]]:
    """Each example and its log odds by weights fitted to the other conversations."""
    for conversation in sorted({example.conversation for example in examples}):
        found = fitted([one for one in examples if one.conversation != conversation], learnt)
        out = [one for one in examples if one.conversation == conversation]
        yield from zip(out, odds(out, learnt, found), strict=True)


def fitted(examples: Sequence[Example], learnt: Sequence[str]) -> Floats:
    """The weights of `learnt`, and the bias last."""
    wrong = np.array([example.case.made != AS_IT_IS for example in examples], dtype=float)
    given = table_of(examples, LIKENESS).sum(axis=1)
    return fit(table_of(examples, learnt), given, wrong, balanced(examples))


def odds(examples: Sequence[Example], learnt: Sequence[str], found: Floats) -> Floats:
    """The log odds of each example that it is not supported."""
    likeness = table_of(examples, LIKENESS).sum(axis=1)
    total: Floats = table_of(examples, learnt) @ found[:-1] + found[-1] + likeness
    return total


def main() -> None:
    """Read, fit, print, and with `--write` keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sessions", type=Path, help="LongMemEval sessions, .jsonl.xz")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--check", type=Path, help="a LoCoMo file, to measure on only")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    conversations = conversations_of(chosen.sessions, Random(chosen.seed))
    examples = examples_of(conversations, chosen.seed)
    learnt = [name for name in examples[0].features if name not in LIKENESS]
    validated = list(cross_validated(examples, learnt))
    _report(np.array([score for _, score in validated]), np.array([one.case.made for one, _ in validated]))
    found = fitted(examples, learnt)
    document = {
        "version": grounding_model().version,
        "provenance": {
            "made_by": "benchmarks/train_grounding.py",
            "data": "facts of LongMemEval user turns, corrupted by rule",
            "by_hand": list(LIKENESS),
            "seed": chosen.seed,
            "sessions": 2 * SESSIONS * len(PEOPLE),
            "facts": sum(len(one.observations) for one in conversations),
            "examples": len(examples),
        },
        "threshold": THRESHOLD,
        "bias": round(float(found[-1]), 3),
        "weights": dict.fromkeys(LIKENESS, 1.0)
        | {name: round(float(value), 3) for name, value in zip(learnt, found, strict=False)},
    }
    print(json.dumps(document, indent=1))
    if chosen.write:
        WEIGHTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if chosen.check:
        tested = examples_of(read_observed(chosen.check), chosen.seed)
        _report(odds(tested, learnt, found), np.array([one.case.made for one in tested]))


if __name__ == "__main__":
    main()
