"""Online synthesis (SimpleMem, stage 2): related units of one session become one as they are written.

Fragments of one thing (wants coffee, prefers oat milk, likes it hot) merge into one unit with the union
of their sources, before anything is stored; the fragments stay in the trace. What an earlier step has
stored is not touched: a merge with it is only suggested. A merge that would lose or invent something is
refused, with the reason, and its fragments stay as they are.

The published settings name no threshold for relatedness; ours is named here. A model or rules say what
to merge (`Synthesizer`), the caller what speaks against it. It stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol

import numpy as np

from memcore.domain.models import MemoryEntry
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm, Vectors
from memcore.stages.link import memory_id
from memcore.stages.log_lines import cited_by
from memcore.stages.reply_checks import MAX_FACT, MAX_NAME, StrictReply, cleaned
from memcore.systems.simplemem.prompts import SIMPLEMEM_SYNTHESIS

STAGE = "synthesis"
RELATED = 0.6
"""Cosine from which two units of a session are related (all-MiniLM-L6-v2; DESIGN section 5)."""
MAX_REASON = 300

Group = tuple[MemoryEntry, ...]
"""Related units of one session, at least two, those stored by earlier steps first."""

MergeProblems = Callable[[Sequence[MemoryEntry], str], list[str]]
"""What speaks against writing a text in place of memories, in words; nothing: it may be done."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Units, by id, that should become one of this text."""

    units: tuple[str, ...]
    text: str
    reason: str
    made_by: str


class Synthesizer(Protocol):
    """Says which related units should become one, and what it said that cannot be used (in words)."""

    name: str

    def merges(self, groups: Sequence[Group]) -> tuple[list[Merge], list[str]]:
        """What becomes one, and notes on what was refused."""
        ...


@dataclass(frozen=True, slots=True)
class Suggested:
    """A merge with something stored: its target, and the other members with their cosine to it."""

    merge: Merge
    target: MemoryEntry
    others: tuple[tuple[MemoryEntry, float], ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A unit that was to become part of another, and whether it was stored already."""

    id: str
    text: str
    stored: bool


@dataclass(frozen=True, slots=True)
class SynthesisRow:
    """One merge and what became of it: done (`unit` is the new unit's id), proposed or refused."""

    outcome: Literal["merged", "proposed", "refused"]
    fragments: tuple[Fragment, ...]
    text: str
    reason: str
    made_by: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class SynthesisTrace:
    """The synthesis of one session's new units: how many there were before and after, how many of them
    and of those stored were related, every merge, and what a model said that could not be used."""

    session_id: str
    made_by: str
    threshold: float
    before: int
    related: int
    after: int
    rows: tuple[SynthesisRow, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The units to store, in order, and the merges with stored ones that a person must decide about."""

    units: tuple[MemoryEntry, ...]
    suggested: tuple[Suggested, ...]
    trace: SynthesisTrace


def synthesize(
    session_id: str,
    units: Sequence[MemoryEntry],
    stored: Sequence[MemoryEntry],
    vectors: Mapping[str, Vectors],
    synthesizer: Synthesizer,
    merge_problems: MergeProblems,
) -> Synthesis:
    """Merge new `units` of a session, in log order, among each other, and suggest merges with `stored`
    ones of the same session. `vectors` are by text. Raises LlmError when a model cannot say."""
    groups = related_units(units, stored, vectors)
    merges, notes = synthesizer.merges(groups) if groups else ([], [])
    members = {memory.id: memory for group in groups for memory in group}
    is_stored = {memory.id for memory in stored}
    remaining = {unit.id: unit for unit in units}
    taken: set[str] = set()
    suggested: list[Suggested] = []
    rows: list[SynthesisRow] = []
    for merge in merges:
        parts = [members[i] for i in merge.units]
        fragments = tuple(Fragment(part.id, part.text, part.id in is_stored) for part in parts)
        row = SynthesisRow("merged", fragments, merge.text, merge.reason, merge.made_by)
        against = merge_problems(parts, merge.text)
        if again := taken.intersection(merge.units):
            against.insert(0, f"{len(again)} of them were in another merge already")
        if is_stored.issuperset(merge.units):
            against.insert(0, "none of them is new")
        if against:
            rows.append(replace(row, outcome="refused", reason="; ".join(against)))
            continue
        taken.update(merge.units)
        if is_stored.isdisjoint(merge.units):
            unit = merged(parts, merge.text)
            for part in parts:
                del remaining[part.id]
            remaining[unit.id] = unit
            rows.append(replace(row, unit=unit.id))
        else:
            suggested.append(_suggested(merge, parts, is_stored, vectors))
            rows.append(replace(row, outcome="proposed"))
    trace = SynthesisTrace(
        session_id,
        synthesizer.name,
        RELATED,
        before=len(units),
        related=len(members),
        after=len(remaining),
        rows=tuple(rows),
        notes=tuple(notes),
    )
    return Synthesis(tuple(remaining.values()), tuple(suggested), trace)


def related_units(
    units: Sequence[MemoryEntry], stored: Sequence[MemoryEntry], vectors: Mapping[str, Vectors]
) -> list[Group]:
    """The units in groups within which each is near another, directly or over others. Two stored ones
    are never related by themselves."""
    everything = [*stored, *units]
    if not units or len(everything) < 2:
        return []
    matrix = np.stack([vectors[memory.text] for memory in everything])
    near = np.triu(matrix @ matrix.T >= RELATED, k=1)
    near[:, : len(stored)] = False
    group_of = {memory.id: {memory.id} for memory in everything}
    for one, other in np.argwhere(near):
        united = group_of[everything[one].id] | group_of[everything[other].id]
        for member in united:
            group_of[member] = united
    found: dict[frozenset[str], list[MemoryEntry]] = {}
    for memory in everything:
        found.setdefault(frozenset(group_of[memory.id]), []).append(memory)
    return [tuple(group) for group in found.values() if len(group) > 1]


def merged(parts: Sequence[MemoryEntry], text: str) -> MemoryEntry:
    """One unit in place of its fragments, which are in log order. It was said in full when the first that
    says all of it was, or else the last of them; it tells of the time that the most exactly dated one
    tells of."""
    full = next((part for part in parts if part.text == text), parts[-1])
    sources = tuple(dict.fromkeys(source for part in (full, *parts) for source in part.sources))
    dated = min(parts, key=_vagueness)
    return replace(
        full,
        id=memory_id(full.owner, full.recipe, text, sources),
        text=text,
        sources=sources,
        event_at=dated.event_at,
        event_end=dated.event_end,
        keywords=_united(part.keywords for part in parts),
        persons=_united(part.persons for part in parts),
        entities=_united(part.entities for part in parts),
        location=next((part.location for part in reversed(parts) if part.location), ""),
    )


class MergeReply(StrictReply):
    units: list[int]
    text: str
    reason: str


class SynthesisReply(StrictReply):
    """What the model is asked for."""

    merges: list[MergeReply]


class LlmSynthesizer:
    """A `Synthesizer` that asks `llm`: one call for all groups of a session."""

    def __init__(self, llm: Llm) -> None:
        self.name = f"{llm.model_id} ({SIMPLEMEM_SYNTHESIS.version})"
        self._llm = llm

    def merges(self, groups: Sequence[Group]) -> tuple[list[Merge], list[str]]:
        """See `Synthesizer.merges`. Raises LlmError."""
        numbers: dict[int, tuple[int, str]] = {}
        lines: list[str] = []
        for place, group in enumerate(groups, start=1):
            lines.append(f"--- Group {place} ---")
            for memory in group:
                number = len(numbers) + 1
                numbers[number] = place, memory.id
                lines.append(f"{number}. [{_when(memory)}] {one_line(memory.text)}")
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=SIMPLEMEM_SYNTHESIS.version,
            place=cited_by(memory for group in groups for memory in group),
            system=SIMPLEMEM_SYNTHESIS.text,
            user=fenced("units", "\n".join(lines)),
            schema=SynthesisReply,
        ).data
        merges: list[Merge] = []
        notes: list[str] = []
        for one in reply.merges:
            text = cleaned(one.text)
            told = sorted(set(one.units))
            unknown = [number for number in told if number not in numbers]
            if unknown:
                notes.append(f"units {unknown} do not exist; merge left out: {text[:MAX_NAME]!r}")
            elif len(told) < 2 or len({numbers[number][0] for number in told}) > 1:
                notes.append(f"units {told} are not several of one group; left out: {text[:MAX_NAME]!r}")
            elif not 0 < len(text) <= MAX_FACT:
                notes.append(f"a merged text of {len(text)} characters was left out: {text[:MAX_NAME]!r}")
            else:
                ids = tuple(numbers[number][1] for number in told)
                merges.append(Merge(ids, text, cleaned(one.reason)[:MAX_REASON], self.name))
        return merges, notes


def _suggested(
    merge: Merge, parts: Sequence[MemoryEntry], stored: set[str], vectors: Mapping[str, Vectors]
) -> Suggested:
    target = next(part for part in parts if part.id in stored)
    others = [part for part in parts if part is not target]
    scores = [float(vectors[target.text] @ vectors[other.text]) for other in others]
    return Suggested(merge, target, tuple(zip(others, scores, strict=True)))


def _vagueness(memory: MemoryEntry) -> timedelta:
    """How long the time lasts that a unit tells of; no time is the vaguest."""
    if memory.event_at is None:
        return timedelta.max
    return (memory.event_end or datetime.max) - memory.event_at


def _united(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def _when(memory: MemoryEntry) -> str:
    return memory.mentioned_at.isoformat(timespec="minutes") if memory.mentioned_at else "time unknown"
