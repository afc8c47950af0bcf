"""Sliding windows over one session's dialogues (SimpleMem, stage 1).

A window holds `size` dialogues, the first `overlap` of which the window before has read already; they
come along as context, so that each dialogue is read once and a window is a segment of its own. Knows no
model.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.extraction import Buffer
from memcore.domain.models import Message
from memcore.stages.pairs import as_segment


def windows(
    messages: Sequence[Message],
    *,
    size: int,
    overlap: int,
    recipe: str,
    before: Sequence[Message] = (),
    people: Sequence[str] = (),
) -> list[Buffer]:
    """Neighbouring messages of one session in windows; what went before them fills the first one's
    overlap.

    >>> from memcore.domain.models import RawRef
    >>> said = [Message(str(i), "s", i, "A", "person", "", None, "none", RawRef("", "")) for i in range(9)]
    >>> [("".join(m.id for m in w.before), "".join(m.id for m in w.messages))
    ...  for w in windows(said, size=4, overlap=1, recipe="r")]
    [('', '0123'), ('3', '456'), ('6', '78')]
    """
    cut: list[Buffer] = []
    said = [*before, *messages]
    first = len(before)
    while first < len(said):
        context = said[max(0, first - overlap) : first]
        new = tuple(said[first : first + size - len(context)])
        cut.append(
            Buffer(
                session_id=new[0].session_id,
                segments=(as_segment(new, recipe, f"window of {size} dialogues, overlap {overlap}"),),
                messages=new,
                before=tuple(context),
                people=tuple(people),
            )
        )
        first += len(new)
    return cut
