"""Reranking turns: what each says for being the answer, part by part.

Late interaction compares the question's words with the words of a turn and of the turns around it, and with
its whole session, in which words of one topic gather; the views add meaning and exact words, the plan whose
words and which time are asked for. Which memory stands for a turn is decided by late interaction, too. No
part is learned, none knows another question. Finding turns is the views' work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import MemoryEntry
from memcore.domain.names import entity_key
from memcore.domain.protocols import Embedder, EncodedQuestion, Store, TokenCodes
from memcore.retrieval.question import Question
from memcore.retrieval.results import QueryPlan
from memcore.retrieval.views import overlaps
from memcore.systems.memscope.fuse import Weights
from memcore.systems.memscope.late_interaction import (
    beyond_length,
    in_context,
    nearest,
    piece_weights,
)
from memcore.systems.memscope.told_anew import AMONG, told_anew
from memcore.systems.memscope.turns import AroundTurns, CandidateScores, CandidateTurn

OF_BEFORE, OF_AFTER = 0.8, 0.6
"""What a word counts that is found in the turn before, and in the turn after."""

UNASKED = -0.5
"""Of an assistant's turn where nobody asks what it said: it says the words of the one it answers again."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RerankedTurn:
    """A turn and the weighted parts of its score, and its memories, here and in it the nearest first, each
    with what it loses for being further from the question than the nearest, be that one that has ended (0 or
    less; 0 where nobody compared them: far below the k best turns)."""

    turn: CandidateTurn
    components: dict[str, float]
    score: float
    memories: tuple[tuple[MemoryEntry, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Interaction:
    """A question's word pieces, unit vectors of shape (pieces, dimension), looking for their nearest piece in
    texts of a store. `counts`: what each counts, shape (pieces,); those that count nothing are left out."""

    store: Store
    embedder: Embedder
    question: Question
    around: AroundTurns
    pieces: Floats
    counts: Floats

    @classmethod
    def of(
        cls,
        store: Store,
        embedder: Embedder,
        question: Question,
        encoded: EncodedQuestion,
        plan: QueryPlan,
        around: AroundTurns,
    ) -> Interaction:
        """With what each piece counts among the owner's messages; one of a time that was understood, nothing:
        the time counts for itself."""

        def rarity(words: Sequence[str]) -> list[float]:
            return store.rarity(question.owner, words, kind="message")

        counts = piece_weights(plan.words, encoded, rarity)
        counting = counts > 0
        return cls(store, embedder, question, around, encoded.pieces[counting], counts[counting])

    def with_memories(self, texts: Mapping[str, str]) -> Floats:
        """As `with_texts`, of memories."""
        owner, recipe = self.question.owner, self.question.recipe
        codes = self.store.token_codes(owner, list(texts), kind="memory", recipe=recipe)
        return self.with_texts(texts, codes)

    def with_texts(self, texts: Mapping[str, str], codes: Mapping[str, TokenCodes]) -> Floats:
        """What each piece finds in each text (by id, in order) beyond what its length gives, shape (texts,
        pieces). Texts whose codes were never stored (of older stores, or imported) are read now."""
        if unread := [i for i in texts if i not in codes]:
            read = self.embedder.token_codes([texts[i] for i in unread])
            codes = {**codes, **dict(zip(unread, read, strict=True))}
        read_as = [codes[i] for i in texts]
        return beyond_length(nearest(self.pieces, read_as), read_as)

    def with_turns(self, turns: Sequence[CandidateTurn]) -> tuple[Floats, Floats, Floats]:
        """What each piece finds in each turn, in the one before it and in the one after, all of shape (turns,
        pieces): nothing in one that is not among them (reading these, too, took twice the time and found no
        more on LoCoMo). A memory without evidence is its own."""
        said = {turn.id: turn.message.text for turn in turns if turn.message}
        alone = {turn.id: turn.memories[0].text for turn in turns if not turn.message}
        nothing = np.zeros((1, len(self.counts)), dtype=np.float32)
        found = np.concatenate(
            [self.with_texts(said, self.around.codes.of(said)), self.with_memories(alone), nothing]
        )
        row_of = {i: row for row, i in enumerate((*said, *alone))}
        around = self.around.neighbours.of(said)
        nowhere = ("", "")
        own = [row_of[turn.id] for turn in turns]
        before = [row_of.get(around.get(turn.id, nowhere)[0], -1) for turn in turns]
        after = [row_of.get(around.get(turn.id, nowhere)[1], -1) for turn in turns]
        return found[own], found[before], found[after]


def rerank(
    interaction: Interaction,
    plan: QueryPlan,
    turns: Sequence[CandidateTurn],
    scores: CandidateScores,
    weights: Weights,
) -> list[RerankedTurn]:
    """The turns, best first, equals by id. A turn whose cosine no view gave gets the least that was given."""
    if not turns:
        return []
    store, question, counts = interaction.store, interaction.question, interaction.counts
    own, before, after = interaction.with_turns(turns)
    least = min(scores.meaning.values(), default=0.0)
    parts = {
        "evidence": in_context(own, before, after, of_before=OF_BEFORE, of_after=OF_AFTER) @ counts,
        "session": _by_session(turns, own) @ counts,
        "semantic": [scores.meaning.get(turn.id, least) for turn in turns],
        "lexical": [scores.wording.get(turn.id, 0.0) for turn in turns],
        "speaker": _of_speaker(plan, turns, store.speakers(question.owner) if plan.persons else ()),
        "time": [_of_time(plan, turn) for turn in turns],
        "newer": [0.0 for _ in turns],
    }
    table = np.stack([getattr(weights, name) * np.asarray(values) for name, values in parts.items()], axis=1)
    found = [
        RerankedTurn(
            turn, dict(zip(parts, row, strict=True)), sum(row), tuple([(m, 0.0) for m in turn.memories])
        )
        for turn, row in zip(turns, table.tolist(), strict=True)
    ]
    found.sort(key=_best_first)
    among = max(2 * question.k, AMONG) if plan.asks_now else 2 * question.k
    found = _memories_compared(interaction, found[:among], weights) + found[among:]
    return _newer_first(interaction, found, weights) if plan.asks_now else found


def _memories_compared(
    interaction: Interaction, found: Sequence[RerankedTurn], weights: Weights
) -> list[RerankedTurn]:
    """The turns in their order, the memories of each in that of their nearness."""
    several = [one for one in found if len(_of(one.turn)) > 1]
    texts = {memory.id: memory.text for one in several for memory in _of(one.turn)}
    heights = weights.memory * (interaction.with_memories(texts) @ interaction.counts)
    nearness = dict(zip(texts, heights.tolist(), strict=True))
    return [_nearest_first(one, nearness) if len(_of(one.turn)) > 1 else one for one in found]


def _best_first(reranked: RerankedTurn) -> tuple[float, str]:
    return -reranked.score, reranked.turn.id


def _newer_first(
    interaction: Interaction, found: Sequence[RerankedTurn], weights: Weights
) -> list[RerankedTurn]:
    """With what the best turns gain for being newer than others that tell of the same, best first."""
    best, others = found[:AMONG], found[AMONG:]
    gained = told_anew(interaction.store, interaction.embedder, [one.turn for one in best])
    newer = [_with(one, "newer", weights.newer * share) for one, share in zip(best, gained, strict=True)]
    return sorted([*newer, *others], key=_best_first)


def _with(reranked: RerankedTurn, name: str, gain: float) -> RerankedTurn:
    components = {**reranked.components, name: gain}
    return replace(reranked, components=components, score=reranked.score + gain)


def _of(turn: CandidateTurn) -> tuple[MemoryEntry, ...]:
    """A turn's memories, those that have ended among them."""
    return (*turn.memories, *turn.ended)


def _nearest_first(reranked: RerankedTurn, nearness: Mapping[str, float]) -> RerankedTurn:
    turn = reranked.turn
    memories = tuple(sorted(turn.memories, key=lambda m: (-nearness[m.id], m.id)))
    most = max(nearness[memory.id] for memory in _of(turn))
    losses = tuple((m, nearness[m.id] - most) for m in memories)
    return replace(reranked, turn=replace(turn, memories=memories), memories=losses)


def _by_session(turns: Sequence[CandidateTurn], own: Floats) -> Floats:
    """What each piece finds in any of the turns of the same session."""
    sessions = [turn.message.session_id if turn.message else turn.id for turn in turns]
    names, place = np.unique(sessions, return_inverse=True)
    best = np.zeros((len(names), own.shape[1]), dtype=np.float32)
    np.maximum.at(best, place, own)
    return best[place]


def _of_speaker(plan: QueryPlan, turns: Sequence[CandidateTurn], speakers: Sequence[str]) -> list[float]:
    """1 for a turn of the one who is asked about, less where several are; below 0 for an assistant's that is
    not asked about."""
    people = {entity_key(person) for person in plan.persons} & {entity_key(name) for name in speakers}
    asked = max(1, len(people) + len(plan.roles))

    def share(turn: CandidateTurn) -> float:
        if turn.message is None:
            return len(people & {entity_key(turn.memories[0].speaker)}) / asked
        named = entity_key(turn.message.speaker) in people
        if turn.message.role == "assistant" and "assistant" not in plan.roles and not named:
            return UNASKED
        return (named + (turn.message.role in plan.roles)) / asked

    return [share(turn) for turn in turns]


def _of_time(plan: QueryPlan, turn: CandidateTurn) -> float:
    """1 if the turn was said in the time asked, or tells of something that falls into it."""
    if plan.time_from is None or plan.time_to is None:
        return 0.0
    said = turn.message.said_at if turn.message else None
    return float(
        overlaps(said, None, plan.time_from, plan.time_to)
        or any(overlaps(m.event_at, m.event_end, plan.time_from, plan.time_to) for m in turn.memories)
    )
