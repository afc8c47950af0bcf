"""What should have been found: its words, where it ranked in each view, and what its score lacked. What is
rendered of `memcore.retrieval.missed`, for questions of an evaluation and for a person's own."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from memcore.domain.models import Message
from memcore.retrieval.missed import Loss, ViewPlace
from memcore.retrieval.reasons import figure
from ui.components import erase
from ui.shell import templates
from ui.shell.marked import block
from ui.shell.text import clock, shorten


def outcome(strong: str, text: str, css: str) -> None:
    """What came of it, in a line."""
    templates.draw("components.outcome", strong=strong, text=text, css=css)


def said(messages: Sequence[Message], *, stored: bool) -> None:
    """Messages as they were said, with the way to erase them if they are in the person's own store."""
    templates.draw("components.said_there", messages=[_said(message, stored) for message in messages])


def _said(message: Message, stored: bool) -> tuple[str, str, Markup, str]:
    """Who said it, when and where, what, and where it is erased."""
    place = f"{message.raw_ref.file}, {message.raw_ref.where}"
    way = erase.address(message.id) if stored else ""
    return message.speaker, f"{clock(message.said_at)} · {place}", block(message.text, 600), way


def lost_by(lost: Loss) -> None:
    """The parts of its score beside those of what came at the k-th place, if they are known."""
    if lost.parts:
        templates.draw("components.score_parts", k=lost.k, rows=_parts(lost))


def views(places: Sequence[ViewPlace]) -> None:
    """Where it came in each view."""
    templates.draw("components.view_places", rows=[_view(place) for place in places])


def _view(place: ViewPlace) -> dict[str, object]:
    """A row of the table of views."""
    if place.rank is None or place.score is None:
        said = f"not among the first {place.listed:,}" if place.listed else "it returned nothing"
        return {"view": place.view, "rank": "–", "found": False, "through": said}
    if place.through is None:
        through = "the turn itself"
    elif place.through.kind == "session":
        through = "its session"
    else:
        kind = "memory" if place.through.kind == "memory" else "relation"
        through = f"{kind}: {shorten(place.through.text, 110)}"
    return {
        "view": place.view,
        "rank": f"{place.rank:,}",
        "found": True,
        "score": figure(place.score),
        "through": through,
    }


def _parts(lost: Loss) -> list[tuple[str, str, str, str, bool]]:
    """Each part of the score: of the evidence, of what came ahead, the difference, and whether it decided."""
    mine, ahead = sum(p.evidence for p in lost.parts), sum(p.ahead for p in lost.parts)
    rows = [
        (
            part.name,
            figure(part.evidence),
            figure(part.ahead),
            figure(part.difference),
            place == 0 and lost.outscored,
        )
        for place, part in enumerate(lost.parts)
    ]
    return [*rows, ("in all", figure(mine), figure(ahead), figure(mine - ahead), False)]
