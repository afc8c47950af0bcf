"""Conflict detection and the update resolver of Mem0-graph (section 2.2): which relations a new one
makes obsolete.

Compared with a new relation are the most similar relations of the same subject that still hold, and were
stated before it. A model is shown them in one call a message pair; without a model, the rules of `endings`
judge each pair of statements (one residence at a time, a move ends living somewhere,
what is denied no longer holds). Either way a decision is about memories, as every relation is stated by
one, and only becomes a proposal: what a person approves ends the memories that state the relation, and
with the last of them the relation (`review.apply`). Nothing is removed.

Deliberate differences. Published code asks over every edge of every similar node; here relations must
share the subject. Integers stand for relations, instead of names that a model must repeat exactly; one
that stands for nothing is a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memcore.domain.models import Candidate, MemoryEntry
from memcore.domain.prompts import fenced
from memcore.domain.protocols import Llm
from memcore.review.decisions import Decision
from memcore.review.endings import denied_habit, ended_state, new_value
from memcore.review.pairs import Finding, Rule, said_later, statement
from memcore.review.rules import RuleDecider
from memcore.stages.log_lines import cited_by, dated
from memcore.stages.reply_checks import StrictReply, cleaned
from memcore.systems.mem0_graph.prompts import MEM0_GRAPH_CONFLICTS

STAGE = "conflicts"
MOST_SIMILAR = 10
"""Relations of its subject that a new relation is compared with by a model: Mem0's s."""
MAX_REASON = 400
RULES: tuple[Rule, ...] = (new_value, ended_state, denied_habit)
"""Those of the rules for endings that a relation without its sentence says enough for."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A triple as memories state it: `memories` are its active ones, oldest first, at least one."""

    triple_id: str
    memories: tuple[MemoryEntry, ...]

    @property
    def newest(self) -> MemoryEntry:
        """The memory that states it last."""
        return self.memories[-1]

    def newest_is_later_than(self, memory: MemoryEntry) -> bool:
        """Whether it is known to have been stated after a memory was said."""
        return said_later(self.newest, memory)


@dataclass(frozen=True, slots=True)
class Similar:
    """A relation, and the highest cosine of a memory that states it to the one it is compared with."""

    relation: Relation
    cosine: float


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation that `memory` states, and the most similar of its subject that still hold and were stated
    before."""

    relation: Relation
    memory: MemoryEntry
    others: tuple[Similar, ...]


def turned_round(relation: Relation, later: Similar) -> Stated:
    """The comparison of a relation with one that was stated `later`, as that one was stated first then."""
    memories = later.relation.memories
    first = next(place for place, memory in enumerate(memories) if said_later(memory, relation.newest))
    until = Relation(later.relation.triple_id, memories[: first + 1])
    return Stated(until, memories[first], (Similar(relation, later.cosine),))


@dataclass(frozen=True, slots=True)
class Obsolete:
    """One finding: the memory whose relation no longer holds, the one that says so, and why."""

    memory: str
    because_of: str
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True)
class ConflictTrace:
    """The conflict detection of one message pair (`segment_id`): how many pairs of relations were
    compared, by what, and what was found. `notes` are things a model returned that stand for nothing;
    `error` is its failure, which leaves the whole pair unprocessed."""

    segment_id: str
    made_by: str
    compared: int
    obsolete: tuple[Obsolete, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""


class ObsoleteReply(StrictReply):
    existing: int
    new: int
    reason: str


class ConflictsReply(StrictReply):
    """What the resolver is asked for."""

    obsolete: list[ObsoleteReply]


def resolve(
    stated: Sequence[Stated], *, segment_id: str, llm: Llm | None
) -> tuple[list[Decision], ConflictTrace]:
    """An `invalidate` for each relation that is obsolete now, and the trace. Raises LlmError."""
    if llm is None:
        return _by_rule(stated, segment_id)
    return _by_model(stated, segment_id, llm)


def made_by(llm: Llm | None) -> str:
    """Who decides, for the proposal: the model with its prompt's version, or the rules."""
    return RuleDecider.name if llm is None else f"{llm.model_id} ({MEM0_GRAPH_CONFLICTS.version})"


def _by_rule(stated: Sequence[Stated], segment_id: str) -> tuple[list[Decision], ConflictTrace]:
    decisions: dict[str, Decision] = {}
    for one in stated:
        newer = statement(one.memory)
        for similar in one.others:
            other = similar.relation
            if other.triple_id in decisions or _seen_together(one, other):
                continue
            older = statement(other.newest)
            finding = next((found for rule in RULES if (found := rule(older, newer)) is not None), None)
            if finding is not None:
                decisions[other.triple_id] = _decision(other, one.memory, similar.cosine, finding)
    return _result(decisions.values(), segment_id, None, sum(len(one.others) for one in stated), ())


def _seen_together(stated: Stated, other: Relation) -> bool:
    """Whether the relation was stated before, but after the other one: then they were compared then."""
    earlier = (m for m in stated.relation.memories if m.id != stated.memory.id)
    return any(said_later(m, other.newest) for m in earlier)


def _by_model(stated: Sequence[Stated], segment_id: str, llm: Llm) -> tuple[list[Decision], ConflictTrace]:
    shown: dict[str, Relation] = {}
    compared: dict[tuple[str, str], float] = {}
    for one in stated:
        for similar in one.others:
            shown[similar.relation.triple_id] = similar.relation
            compared[similar.relation.triple_id, one.memory.id] = similar.cosine
    if not shown:
        return _result((), segment_id, llm, 0, ())
    existing = dict(enumerate(shown.values(), start=1))
    said = {one.memory.id: one.memory for one in stated if one.others}
    new = dict(enumerate(said.values(), start=len(existing) + 1))
    reply = llm.ask(
        stage=STAGE,
        prompt_version=MEM0_GRAPH_CONFLICTS.version,
        place=cited_by(said.values()),
        system=MEM0_GRAPH_CONFLICTS.text,
        user="\n\n".join(
            (
                fenced("existing", _lines((n, relation.newest) for n, relation in existing.items())),
                fenced("new", _lines(new.items())),
            )
        ),
        schema=ConflictsReply,
    ).data
    decisions: dict[str, Decision] = {}
    notes: list[str] = []
    for told in reply.obsolete:
        old, because_of = existing.get(told.existing), new.get(told.new)
        reason = cleaned(told.reason)[:MAX_REASON]
        if old is None or because_of is None:
            what = [f"existing {told.existing}"] if old is None else []
            what += [f"new {told.new}"] if because_of is None else []
            notes.append(f"{' and '.join(what)} does not exist; left out: {reason!r}")
        elif (score := compared.get((old.triple_id, because_of.id))) is None:
            notes.append(f"{told.existing} and {told.new} were not to be compared; left out: {reason!r}")
        elif old.triple_id in decisions:
            notes.append(f"{told.existing} was named twice; left out: {reason!r}")
        else:
            found = Finding("", "invalidate", None, reason, "high")
            decisions[old.triple_id] = _decision(old, because_of, score, found, made_by(llm))
    return _result(decisions.values(), segment_id, llm, len(compared), notes)


def _lines(numbered: Iterable[tuple[int, MemoryEntry]]) -> str:
    return "\n".join(f"{number}. {dated(memory)}" for number, memory in numbered)


def _decision(
    old: Relation, because_of: MemoryEntry, score: float, finding: Finding, decided_by: str = ""
) -> Decision:
    """All memories that state the old relation end together."""
    *others, target = old.memories
    return Decision(
        target=target,
        queue=(Candidate(because_of.id, score),),
        action=finding.action,
        new_text=None,
        reason=finding.reason,
        made_by=decided_by or f"rule: {finding.rule}",
        risk=finding.risk,
        against=(because_of.id,),
        together=tuple(memory.id for memory in others),
    )


def _result(
    decisions: Iterable[Decision], segment_id: str, llm: Llm | None, compared: int, notes: Sequence[str]
) -> tuple[list[Decision], ConflictTrace]:
    found = list(decisions)
    obsolete = tuple(
        Obsolete(d.target.id, candidate.memory_id, candidate.score, d.reason)
        for d in found
        for candidate in d.queue
    )
    return found, ConflictTrace(segment_id, made_by(llm), compared, obsolete, tuple(notes))
