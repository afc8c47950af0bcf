"""A session part by part, for systems without topics: what each part was, what was remembered from it,
and the steps of Mem0, Mem0-graph and LiCoMemory at it, as their traces tell them.

What is rendered, no Streamlit state. It draws no conclusions: what no trace says is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

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
from ui.shell.templates import joined, render
from ui.shell.text import clock, count, shorten

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
) -> Markup:
    """One part: its messages, what was remembered, what was skipped, and the system's own steps.
    `named` are the memories of `Steps.memory_ids`."""
    places = {message.id: (n, message) for n, message in enumerate(view.messages, start=1)}
    inside = {i: places[i] for i in segment.message_ids if i in places}
    method = str(segment.boundary.get("method", "")) or "part"
    pieces = (
        _folded([_said(n, message) for n, message in inside.values()], MOST_MESSAGES),
        _remembered(view.memories_of(segment)),
        _step("Skipped", _skipped(inside, steps)),
        *(_dedupe(trace) for trace in steps.dedupes if trace.segment_id == segment.id),
        *(_match(trace) for trace in steps.matches if trace.segment_id == segment.id),
        *(_conflicts(trace, named) for trace in steps.conflicts if trace.segment_id == segment.id),
        *(_update(trace, named) for trace in steps.updates if trace.segment_id == segment.id),
        *(_version(trace) for trace in steps.versions if trace.segment_id == segment.id),
        *(_refresh(trace) for trace in steps.refreshes if trace.taken_over_after == segment.id),
    )
    method = shorten(method, 40)
    topic = shorten(segment.topic)
    return render("buffers.part", number=number, method=method, topic=topic, pieces=pieces)


def outside(view: SessionView, steps: Steps) -> Markup:
    """What was skipped in messages that stand in no part; empty when there is nothing of the kind."""
    inside = {i for segment in view.segments for i in segment.message_ids}
    others = {m.id: (n, m) for n, m in enumerate(view.messages, start=1) if m.id not in inside}
    return _step("Skipped, in no part", skipped(others, steps.extractions))


def late_refreshes(view: SessionView, steps: Steps) -> Markup:
    """The refreshes of Mem0's S that were taken over after none of the parts: at the end of the
    conversation, or after messages that could not be read."""
    ids = {segment.id for segment in view.segments}
    return joined(
        _refresh(trace, ", after a part that is not here" if trace.taken_over_after else ", at the end")
        for trace in steps.refreshes
        if trace.taken_over_after not in ids
    )


# --------------------------------------------------------------------------- of every system


def _said(number: int, message: Message) -> Markup:
    return render(
        "buffers.said",
        number=number,
        speaker=shorten(message.speaker, 60),
        text=block(message.text, CAP),
        when=clock(message.said_at),
    )


def _skipped(inside: Mapping[str, tuple[int, Message]], steps: Steps) -> Markup:
    """Of a part of many messages (a window) behind "Show"."""
    table = skipped(inside, steps.extractions)
    if len(inside) <= MOST_MESSAGES or not table:
        return table
    return render("buffers.why_behind", table=table)


def _remembered(memories: Sequence[MemoryEntry]) -> Markup:
    if not memories:
        return _step("Remembered", _small("nothing"))
    rows = [
        render(
            "buffers.remembered",
            memory=_memory(memory.id, memory.text),
            state="" if memory.state == "active" else memory.state,
        )
        for memory in memories
    ]
    return _step("Remembered", render("shell.text", text=_folded(rows, 2 * MOST_MESSAGES)))


# --------------------------------------------------------------------------- Mem0


def _update(trace: UpdateTrace, named: Mapping[str, MemoryEntry]) -> Markup:
    rows = [
        (
            tag(one.operation, "strong"),
            block(one.fact, CAP),
            _named(one.memory_id, named) if one.memory_id else "none",
            _compared(one, named),
            _why(one.reason, one.made_by),
        )
        for one in trace.decisions
    ]
    heads = ("operation", "fact", "about", "compared with", "why")
    return _step("Update", _table(heads, rows, "candidate fact"), _failed(trace.error))


def _compared(one: TracedVerdict, named: Mapping[str, MemoryEntry]) -> Markup | str:
    rows = [
        render("buffers.compared", score=c.score, memory=_named(c.memory_id, named)) for c in one.compared
    ]
    return _folded(rows, MOST_COMPARED) if rows else "none"


def _refresh(trace: SummaryTrace, when: str = "") -> Markup:
    done = "not added" if trace.error else "added"
    told = f"{count(len(trace.added), 'pair')} {done}{when}; by {shorten(trace.made_by)}"
    text = render("shell.text", text=block(trace.text, 2 * CAP)) if trace.text else Markup()
    return _step("Summary S from here on", text, _small(told), _failed(trace.error))


# --------------------------------------------------------------------------- Mem0-graph


def _match(trace: MatchTrace) -> Markup:
    rows = [
        (_end(one.subject), block(one.relation, CAP), _end(one.object), CREATED[one.created])
        for one in trace.relations
    ]
    table = _table(("subject", "relation", "object", "created"), rows, "relation")
    return _step(f"Node matching (t = {trace.threshold:g})", table)


def _end(end: EndTrace) -> Markup:
    if end.created:
        how = "new node"
    elif end.similarity is None:
        how = f"found by name: {shorten(end.node)}"
    else:
        how = f"found at {end.similarity:.2f}: {shorten(end.node)}"
    apart = [
        render(
            "buffers.apart",
            text=f"kept apart from {shorten(other.node)} ({other.similarity:.2f}): "
            f"{shorten(other.reason, CAP)}",
        )
        for other in end.apart
    ]
    return render("buffers.node", name=block(end.name, CAP), how=how, apart=_folded(apart, MOST_COMPARED))


def _conflicts(trace: ConflictTrace, named: Mapping[str, MemoryEntry]) -> Markup:
    rows = [
        (
            _named(one.memory, named),
            _named(one.because_of, named),
            f"{one.similarity:.2f}",
            block(one.reason, CAP),
        )
        for one in trace.obsolete
    ]
    table = _table(("obsolete", "because of", "cosine", "why"), rows, "", numbers=(2,))
    compared = (
        f"{count(trace.compared, 'pair')} of relations compared, {len(trace.obsolete):,} obsolete; "
        f"by {shorten(trace.made_by)}"
    )
    notes = [render("shell.meta", text=block(note, CAP)) for note in trace.notes]
    return _step("Conflicts", table, _small(compared), *notes, _failed(trace.error))


# --------------------------------------------------------------------------- LiCoMemory


def _dedupe(trace: DedupeTrace) -> Markup:
    rows = [
        (block(one.name, CAP), shorten(one.type), block(one.entity, CAP), f"{one.overlap:.0%}")
        for one in trace.equal
    ]
    table = render(
        "shell.table", heads=("name", "type", "is the entity", "words shared"), rows=rows, numbers=(3,)
    )
    return _step("Found equal", table, _small(f"{len(trace.equal):,} of {count(trace.names, 'name')}"))


def _version(trace: SummaryVersion) -> Markup:
    tags = [shorten(word) for word in (*trace.themes, *trace.keywords)]
    text = render("shell.text", text=block(trace.text, 2 * CAP)) if trace.text else _small("no summary")
    made_by = render("buffers.made_by", tags=tags, by=shorten(trace.made_by))
    return _step("Summary after this turn", text, made_by)


# --------------------------------------------------------------------------- pieces


def _step(title: str, *pieces: Markup) -> Markup:
    """A step under its title; nothing where it has no content."""
    return render("buffers.step", title=title, pieces=pieces) if any(pieces) else Markup()


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[Markup | str]], none: str, numbers: Sequence[int] = ()
) -> Markup:
    """The rows; where there are none, that there is no such thing (`none`), or nothing."""
    if rows:
        return render("shell.table", heads=heads, rows=rows, numbers=numbers)
    return _small(f"no {none}") if none else Markup()


def _small(text: str) -> Markup:
    return render("shell.meta", text=text)


def _failed(error: str) -> Markup:
    return render("buffers.failed", text=block(error)) if error else Markup()


def _why(reason: str, made_by: str) -> Markup:
    return render("buffers.with_small", text=block(reason, CAP), small=shorten(made_by))


def _named(memory_id: str, named: Mapping[str, MemoryEntry]) -> Markup | str:
    memory = named.get(memory_id)
    return _memory(memory_id, memory.text) if memory else f"{memory_id} (no longer stored)"


def _memory(memory_id: str, text: str) -> Markup:
    return render("buffers.memory", link=links.href("Memories", memory=memory_id), text=shorten(text, CAP))


def _folded(rows: Sequence[Markup], shown: int) -> Markup:
    """The first rows; the others wait behind "Show"."""
    if len(rows) <= shown + 1:
        return joined(rows)
    return render("buffers.folded", shown=rows[:shown], rest=rows[shown:])
