"""How well grounding tells sentences that their cited turns carry from the same sentences made wrong.

LoCoMo's observations, as they are, stand for what is supported (a few are not: a language model wrote them),
and made wrong by rule for what is not. `other_conversation` takes a sentence of another conversation, about
the people of this one; `moved_turn` cites another turn of the same session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from memcore.domain.models import Grounding
from memcore.domain.protocols import Embedder, Progress
from memcore.evaluation.corruptions import change_date, change_number, flip_negation, swap_person
from memcore.evaluation.observations import Observation, ObservedConversation
from memcore.stages.grounding.judge import Grounder

AS_IT_IS = "as_it_is"
CORRUPTIONS = ("person", "number", "date", "negation", "other_conversation", "moved_turn")
FALSE_ALARMS = 0.05
SEED = 16


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, the messages it cites, and what was done to it (`AS_IT_IS` or one of `CORRUPTIONS`)."""

    made: str
    text: str
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A case of a conversation, and its verdict."""

    conversation: str
    case: Case
    grounding: Grounding


def cases_of(
    conversation: ObservedConversation, others: Sequence[ObservedConversation], seed: int = SEED
) -> Iterator[Case]:
    """Every observation as it is and in each way that it can be made wrong."""
    for number, observation in enumerate(conversation.observations):
        yield Case(AS_IT_IS, observation.text, observation.cited)
        random = Random(f"{seed} {conversation.name} {number}")
        if moved := _another_turn(conversation, observation, random):
            yield Case("moved_turn", observation.text, (moved,))
        for made, text in _made_wrong(conversation, observation, others, random):
            if text is not None and text != observation.text:
                yield Case(made, text, observation.cited)


def _made_wrong(
    conversation: ObservedConversation,
    observation: Observation,
    others: Sequence[ObservedConversation],
    random: Random,
) -> Iterator[tuple[str, str | None]]:
    people = conversation.speakers
    if len(people) == 2:
        yield "person", swap_person(observation.text, *people)
    yield "number", change_number(observation.text, random)
    yield "date", change_date(observation.text, random)
    yield "negation", flip_negation(observation.text, people)
    if others:
        other = random.choice(others)
        yield "other_conversation", _told_of(people, observation.speaker, other, random)


def _told_of(people: Sequence[str], speaker: str, other: ObservedConversation, random: Random) -> str | None:
    """A sentence of another conversation with these people in it: its speaker for that one's."""
    foreign = random.choice(other.observations)
    here = sorted(people, key=lambda name: name != speaker)
    there = sorted(other.speakers, key=lambda name: name != foreign.speaker)
    names = dict(zip(there, here, strict=False))
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    return pattern.sub(lambda match: names[match[0]], foreign.text)


def _another_turn(conversation: ObservedConversation, observation: Observation, random: Random) -> str:
    [session] = {m.session_id for m in conversation.messages if m.id == observation.cited[0]}
    turns = [
        message.id
        for message in conversation.messages
        if message.session_id == session and message.id not in observation.cited
    ]
    return random.choice(turns) if turns else ""


def judge_observations(
    conversations: Sequence[ObservedConversation],
    embedder: Embedder,
    *,
    seed: int = SEED,
    progress: Progress = lambda _stage, _done, _total: None,
) -> list[Judged]:
    """The verdict on every case."""
    judged: list[Judged] = []
    done, total = 0, sum(len(conversation.observations) for conversation in conversations)
    for conversation in conversations:
        grounder = Grounder(conversation.messages, embedder)
        others = [other for other in conversations if other is not conversation]
        for case in cases_of(conversation, others, seed):
            judged.append(Judged(conversation.name, case, grounder.judge(case.text, case.cited)))
            if case.made == AS_IT_IS:
                done += 1
                progress("ground", done, total)
    return judged


def auc(supported: Sequence[float], others: Sequence[float]) -> float:
    """The area under the ROC curve: how often one of `others` scores higher, ties counted half.

    >>> auc([0.1, 0.2], [0.2, 0.9])
    0.875
    """
    low, high = np.asarray(supported)[:, None], np.asarray(others)[None, :]
    return float(((high > low) + 0.5 * (high == low)).mean())


def grounding_document(judged: Sequence[Judged]) -> dict[str, Any]:
    """What `evaluate grounding` prints: AUC over all corruptions; of each how many sentences could be made
    so, and the share in percent that scores above 95 % of the sentences as they are; and the verdicts."""
    scores = {
        made: [one.grounding.score for one in judged if one.case.made == made]
        for made in (AS_IT_IS, *CORRUPTIONS)
    }
    right = scores[AS_IT_IS]
    wrong = [score for made in CORRUPTIONS for score in scores[made]]
    limit = float(np.quantile(right, 1 - FALSE_ALARMS))
    return {
        "dataset": "locomo",
        "sentences": len(right),
        "auc": round(auc(right, wrong), 4) if wrong else None,
        "found_at_5_percent_false_alarms": {
            made: _percent(sum(score > limit for score in scores[made]), len(scores[made]))
            for made in CORRUPTIONS
        },
        "corrupted": {made: len(scores[made]) for made in CORRUPTIONS},
        "auc_by_corruption": {
            made: round(auc(right, scores[made]), 4) if scores[made] else None for made in CORRUPTIONS
        },
        "verdicts": {made: _verdicts(judged, made) for made in (AS_IT_IS, *CORRUPTIONS)},
        "made_by": judged[0].grounding.made_by,
    }


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def _verdicts(judged: Sequence[Judged], made: str) -> dict[str, float | None]:
    counts = Counter(one.grounding.verdict for one in judged if one.case.made == made)
    return {
        verdict: _percent(counts[verdict], counts.total())
        for verdict in ("supported", "partly", "unsupported", "contradicted")
    }
