"""A session part by part, for systems without topics: what each part was, what was remembered from it,
and the system's own steps at it, as it draws them.

It weighs nothing: what no trace says is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import MemoryEntry, Message, Segment
from memcore.inspection.objects import SessionView
from memcore.systems.drawings import Drawing
from ui.buffers.drawing import CAP, Named, below, folded, memory, step
from ui.components import erase
from ui.components.evidence import tag
from ui.components.segments import skipped
from ui.shell.marked import block
from ui.shell.templates import joined, render
from ui.shell.text import clock, shorten

MOST_MESSAGES = 6
"""Messages of a part that are shown at once; the others wait behind "Show more"."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What the traces of one session say of its parts, each kind oldest first."""

    extractions: Sequence[ExtractionTrace]
    drawings: Sequence[Drawing]

    def memory_ids(self, segments: Sequence[Segment]) -> list[str]:
        """The memories that the steps of these parts name."""
        ids = {segment.id for segment in segments}
        return list(dict.fromkeys(i for d in self.drawings if d.segment_id in ids for i in d.memory_ids()))

    def failures(self, segments: Sequence[Segment]) -> list[str]:
        """The errors of what is none of these parts: what fails leaves no part behind."""
        ids = {segment.id for segment in segments}
        told = [drawing for drawing in self.drawings if not drawing.late]
        shown_there = {error for one in told if one.segment_id in ids for error in one.failures()}
        found = [trace.error for trace in self.extractions if trace.error not in shown_there]
        found += [error for one in told if one.segment_id not in ids for error in one.failures()]
        return [error for error in dict.fromkeys(found) if error]

    def notes(self) -> list[str]:
        """What extraction corrected or could not use."""
        return list(dict.fromkeys(note for trace in self.extractions for note in trace.notes))


def part(segment: Segment, number: int, view: SessionView, steps: Steps, named: Named) -> Markup:
    """One part: its messages, what was remembered, what was skipped, and the system's own steps.
    `named` are the memories of `Steps.memory_ids`."""
    places = {message.id: (n, message) for n, message in enumerate(view.messages, start=1)}
    inside = {i: places[i] for i in segment.message_ids if i in places}
    method = str(segment.boundary.get("method", "")) or "part"
    topic = f" · {shorten(segment.topic)}" if segment.topic else ""
    pieces = (
        folded([_said(n, message) for n, message in inside.values()], MOST_MESSAGES),
        _remembered(view.memories_of(segment)),
        below("Skipped", _skipped(inside, steps)),
        *(step(drawing, named) for drawing in steps.drawings if drawing.segment_id == segment.id),
    )
    title = f"{number}. {shorten(method, 40)}{topic}"
    return render("buffers.part", title=title, body=joined(pieces))


def outside(view: SessionView, steps: Steps) -> Markup:
    """What was passed over in messages that stand in no part; empty when there is nothing of the kind."""
    inside = {i for segment in view.segments for i in segment.message_ids}
    others = {m.id: (n, m) for n, m in enumerate(view.messages, start=1) if m.id not in inside}
    return below("Skipped, in no part", skipped(others, steps.extractions))


def late(view: SessionView, steps: Steps) -> Markup:
    """The steps that belong to none of the parts and are shown behind them."""
    ids = {segment.id for segment in view.segments}
    return joined(step(one, {}) for one in steps.drawings if one.late and one.segment_id not in ids)


def _said(number: int, message: Message) -> Markup:
    return render(
        "buffers.said",
        number=number,
        who=shorten(message.speaker, 60),
        text=block(message.text, CAP),
        when=clock(message.said_at),
        erase=erase.address(message.id),
    )


def _skipped(inside: Mapping[str, tuple[int, Message]], steps: Steps) -> Markup:
    """Of a part of many messages (a window) behind "Show"."""
    table = skipped(inside, steps.extractions)
    if len(inside) <= MOST_MESSAGES or not table:
        return table
    return render("buffers.folded", first=Markup(), summary="Show what and why", rest=table)


def _remembered(memories: Sequence[MemoryEntry]) -> Markup:
    if not memories:
        return below("Remembered", render("shell.meta", text="nothing"))
    rows = [render("buffers.line", body=_with_state(one)) for one in memories]
    return below("Remembered", render("shell.text", text=folded(rows, 2 * MOST_MESSAGES)))


def _with_state(one: MemoryEntry) -> Markup:
    link = memory(one.id, one.text)
    return link if one.state == "active" else render("buffers.ended", link=link, tag=tag(one.state, "warn"))
