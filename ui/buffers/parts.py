"""A session part by part, for systems that cut no topics: what each part was, what was remembered from it,
and the steps of Mem0, Mem0-graph and LiCoMemory at it, as their traces tell them.

HTML strings; no Streamlit state. It weighs nothing: what no trace says is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import MemoryEntry, Message, Segment
from memcore.inspection.objects import SessionView
from memcore.systems.licomemory.dedupe_entities import DedupeTrace
from memcore.systems.licomemory.session_summary import SummaryVersion
from memcore.systems.mem0.conversation_summary import SummaryTrace
from memcore.systems.mem0.update import TracedVerdict, UpdateTrace
from memcore.systems.mem0_graph.conflicts import ConflictTrace
from memcore.systems.mem0_graph.match_nodes import EndTrace, MatchTrace
from ui.components.evidence import tag
from ui.components.segments import skipped
from ui.shell import links
from ui.shell.marked import block
from ui.shell.text import clock, count, safe, shorten

MOST_MESSAGES = 6
"""Messages of a part that are shown at once; the others wait behind "Show all"."""
MOST_COMPARED = 2
"""As `MOST_MESSAGES`, of the memories a fact was compared with."""
CAP = 300
CREATED = {"both": "both nodes are new", "one": "one node is new", "none": "both nodes were known"}


@dataclass(frozen=True, slots=True)
class Steps:
    """What the traces of one session say of its parts, each kind oldest first."""

    extractions: Sequence[ExtractionTrace]
    updates: Sequence[UpdateTrace]
    refreshes: Sequence[SummaryTrace]
    matches: Sequence[MatchTrace]
    conflicts: Sequence[ConflictTrace]
    dedupes: Sequence[DedupeTrace]
    versions: Sequence[SummaryVersion]

    def memory_ids(self, segments: Sequence[Segment]) -> list[str]:
        """The memories that the steps of these parts name."""
        ids = {segment.id for segment in segments}
        decisions = [one for trace in self.updates if trace.segment_id in ids for one in trace.decisions]
        obsolete = [one for trace in self.conflicts if trace.segment_id in ids for one in trace.obsolete]
        named = [i for one in decisions for i in (one.memory_id, *(c.memory_id for c in one.compared)) if i]
        named += [i for one in obsolete for i in (one.memory, one.because_of)]
        return list(dict.fromkeys(named))

    def failures(self, segments: Sequence[Segment]) -> list[str]:
        """The errors of what is none of these parts: what fails leaves no part behind."""
        ids = {segment.id for segment in segments}
        named = [(trace.segment_id, trace.error) for trace in self.updates]
        named += [(trace.segment_id, trace.error) for trace in self.conflicts]
        shown_there = {error for segment_id, error in named if segment_id in ids}
        found = [trace.error for trace in self.extractions if trace.error not in shown_there]
        found += [error for segment_id, error in named if segment_id not in ids]
        return [error for error in dict.fromkeys(found) if error]

    def notes(self) -> list[str]:
        """What extraction corrected or could not use."""
        return list(dict.fromkeys(note for trace in self.extractions for note in trace.notes))


def part(
    segment: Segment, number: int, view: SessionView, steps: Steps, named: Mapping[str, MemoryEntry]
) -> str:
    """One part: its messages, what was remembered, what was passed over, and the system's own steps.
    `named` are the memories of `Steps.memory_ids`."""
    places = {message.id: (n, message) for n, message in enumerate(view.messages, start=1)}
    inside = {i: places[i] for i in segment.message_ids if i in places}
    method = str(segment.boundary.get("method", "")) or "part"
    topic = f" · {safe(shorten(segment.topic))}" if segment.topic else ""
    pieces = (
        f"<h3>{number}. {safe(shorten(method, 40))}{topic}</h3>",
        _folded([_said(n, message) for n, message in inside.values()], MOST_MESSAGES),
        _remembered(view.memories_of(segment)),
        _step("Passed over", _skipped(inside, steps)),
        *(_dedupe(trace) for trace in steps.dedupes if trace.segment_id == segment.id),
        *(_match(trace) for trace in steps.matches if trace.segment_id == segment.id),
        *(_conflicts(trace, named) for trace in steps.conflicts if trace.segment_id == segment.id),
        *(_update(trace, named) for trace in steps.updates if trace.segment_id == segment.id),
        *(_version(trace) for trace in steps.versions if trace.segment_id == segment.id),
        *(_refresh(trace) for trace in steps.refreshes if trace.taken_over_after == segment.id),
    )
    return f'<div class="ms-part">{"".join(pieces)}</div>'


def outside(view: SessionView, steps: Steps) -> str:
    """What was passed over in messages that stand in no part; empty when there is nothing of the kind."""
    inside = {i for segment in view.segments for i in segment.message_ids}
    others = {m.id: (n, m) for n, m in enumerate(view.messages, start=1) if m.id not in inside}
    return _step("Passed over, in no part", skipped(others, steps.extractions))


def late_refreshes(view: SessionView, steps: Steps) -> str:
    """The refreshes of Mem0's S that were taken over after none of the parts: at the end of the
    conversation, or after messages that could not be read."""
    ids = {segment.id for segment in view.segments}
    return "".join(
        _refresh(trace, ", after a part that is not here" if trace.taken_over_after else ", at the end")
        for trace in steps.refreshes
        if trace.taken_over_after not in ids
    )


# --------------------------------------------------------------------------- of every system


def _said(number: int, message: Message) -> str:
    return (
        f'<div class="ms-turn" style="padding:.1rem 0"><div class="ms-no">{number}</div>'
        f'<div class="ms-text"><span class="ms-who">{safe(shorten(message.speaker, 60))}</span>: '
        f'{block(message.text, CAP)} <span class="ms-meta">{safe(clock(message.said_at))}</span></div></div>'
    )


def _skipped(inside: Mapping[str, tuple[int, Message]], steps: Steps) -> str:
    """Of a part of many messages (a window) behind "Show"."""
    table = skipped(inside, steps.extractions)
    if len(inside) <= MOST_MESSAGES or not table:
        return table
    return f'<details><summary class="ms-more">Show what and why</summary>{table}</details>'


def _remembered(memories: Sequence[MemoryEntry]) -> str:
    if not memories:
        return _step("Remembered", '<div class="ms-meta">nothing</div>')
    rows = [f"<div>{_memory(memory.id, memory.text)}{_ended(memory)}</div>" for memory in memories]
    return _step("Remembered", f'<div class="ms-text">{_folded(rows, 2 * MOST_MESSAGES)}</div>')


# --------------------------------------------------------------------------- Mem0


def _update(trace: UpdateTrace, named: Mapping[str, MemoryEntry]) -> str:
    rows = "".join(
        f"<tr><td>{tag(one.operation, 'strong')}</td><td>{block(one.fact, CAP)}</td>"
        f"<td>{_named(one.memory_id, named) if one.memory_id else 'none'}</td>"
        f"<td>{_compared(one, named)}</td><td>{_why(one.reason, one.made_by)}</td></tr>"
        for one in trace.decisions
    )
    head = "<th>operation</th><th>fact</th><th>about</th><th>compared with</th>"
    table = f'<table class="ms"><tr>{head}<th>why</th></tr>{rows}</table>' if rows else _no("candidate fact")
    return _step("Update", table + _failed(trace.error))


def _compared(one: TracedVerdict, named: Mapping[str, MemoryEntry]) -> str:
    rows = [f"<div>{c.score:.2f} {_named(c.memory_id, named)}</div>" for c in one.compared]
    return _folded(rows, MOST_COMPARED) if rows else "none"


def _refresh(trace: SummaryTrace, when: str = "") -> str:
    done = "not added" if trace.error else "added"
    told = f"{count(len(trace.added), 'pair')} {done}{when}; by {safe(shorten(trace.made_by))}"
    text = f'<div class="ms-text">{block(trace.text, 2 * CAP)}</div>' if trace.text else ""
    return _step("Summary S from here on", f'{text}<div class="ms-meta">{told}</div>{_failed(trace.error)}')


# --------------------------------------------------------------------------- Mem0-graph


def _match(trace: MatchTrace) -> str:
    rows = "".join(
        f"<tr><td>{_end(one.subject)}</td><td>{block(one.relation, CAP)}</td><td>{_end(one.object)}</td>"
        f"<td>{CREATED[one.created]}</td></tr>"
        for one in trace.relations
    )
    head = "<tr><th>subject</th><th>relation</th><th>object</th><th>created</th></tr>"
    table = f'<table class="ms">{head}{rows}</table>' if rows else _no("relation")
    return _step(f"Node matching (t = {trace.threshold:g})", table)


def _end(end: EndTrace) -> str:
    if end.created:
        how = "new node"
    elif end.similarity is None:
        how = f"found by name: {safe(shorten(end.node))}"
    else:
        how = f"found at {end.similarity:.2f}: {safe(shorten(end.node))}"
    apart = [
        f"<div>kept apart from {safe(shorten(other.node))} ({other.similarity:.2f}): "
        f"{safe(shorten(other.reason, CAP))}</div>"
        for other in end.apart
    ]
    return f'{block(end.name, CAP)}<div class="ms-meta">{how}{_folded(apart, MOST_COMPARED)}</div>'


def _conflicts(trace: ConflictTrace, named: Mapping[str, MemoryEntry]) -> str:
    rows = "".join(
        f"<tr><td>{_named(one.memory, named)}</td><td>{_named(one.because_of, named)}</td>"
        f'<td class="num">{one.similarity:.2f}</td><td>{block(one.reason, CAP)}</td></tr>'
        for one in trace.obsolete
    )
    head = '<th>obsolete</th><th>because of</th><th class="num">cosine</th><th>why</th>'
    table = f'<table class="ms"><tr>{head}</tr>{rows}</table>' if rows else ""
    compared = (
        f"{count(trace.compared, 'pair')} of relations compared, {len(trace.obsolete):,} obsolete; "
        f"by {safe(shorten(trace.made_by))}"
    )
    notes = "".join(f'<div class="ms-meta">{block(note, CAP)}</div>' for note in trace.notes)
    return _step("Conflicts", f'{table}<div class="ms-meta">{compared}</div>{notes}{_failed(trace.error)}')


# --------------------------------------------------------------------------- LiCoMemory


def _dedupe(trace: DedupeTrace) -> str:
    rows = "".join(
        f"<tr><td>{block(one.name, CAP)}</td><td>{safe(shorten(one.type))}</td>"
        f'<td>{block(one.entity, CAP)}</td><td class="num">{one.overlap:.0%}</td></tr>'
        for one in trace.equal
    )
    head = '<th>name</th><th>type</th><th>is the entity</th><th class="num">words shared</th>'
    told = f'<div class="ms-meta">{len(trace.equal):,} of {count(trace.names, "name")}</div>'
    return _step("Found equal", f'<table class="ms"><tr>{head}</tr>{rows}</table>{told}')


def _version(trace: SummaryVersion) -> str:
    tags = "".join(tag(shorten(word)) for word in (*trace.themes, *trace.keywords))
    text = f'<div class="ms-text">{block(trace.text, 2 * CAP)}</div>' if trace.text else _no("summary")
    return _step(
        "Summary after this turn",
        f'{text}<div class="ms-meta">{tags} by {safe(shorten(trace.made_by))}</div>',
    )


# --------------------------------------------------------------------------- pieces


def _step(title: str, body: str) -> str:
    return f'<div class="ms-step">{safe(title)}</div>{body}' if body else ""


def _no(what: str) -> str:
    return f'<div class="ms-meta">no {what}</div>'


def _failed(error: str) -> str:
    return f'<div class="ms-note ms-error">{block(error)}</div>' if error else ""


def _why(reason: str, made_by: str) -> str:
    return f'{block(reason, CAP)}<div class="ms-meta">{safe(shorten(made_by))}</div>'


def _named(memory_id: str, named: Mapping[str, MemoryEntry]) -> str:
    memory = named.get(memory_id)
    return _memory(memory_id, memory.text) if memory else f"{safe(memory_id)} (no longer stored)"


def _memory(memory_id: str, text: str) -> str:
    return (
        f'<a href="{safe(links.href("Memories", memory=memory_id))}" target="_self">'
        f"{safe(shorten(text, CAP))}</a>"
    )


def _ended(memory: MemoryEntry) -> str:
    return "" if memory.state == "active" else f" {tag(memory.state, 'warn')}"


def _folded(rows: Sequence[str], shown: int) -> str:
    """The first rows; the others wait behind "Show all"."""
    if len(rows) <= shown + 1:
        return "".join(rows)
    return (
        f'{"".join(rows[:shown])}<details><summary class="ms-more">Show {len(rows) - shown:,} more</summary>'
        f"{''.join(rows[shown:])}</details>"
    )
