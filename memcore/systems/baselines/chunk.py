"""Chunks as plain retrieval-augmented generation cuts a log: whole neighbouring messages up to a size.

Nothing overlaps and no message is cut: one that alone exceeds the size is a chunk alone. Knows no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcore.domain.models import Message


def spoken_line(message: Message) -> str:
    """A message as it was said: who, and the words."""
    return f"{message.speaker}: {message.text}"


def chunks(
    messages: Sequence[Message], most: int, count_tokens: Callable[[str], int]
) -> list[tuple[Message, ...]]:
    """One session's messages in chunks of at most `most` tokens, in order; each is in exactly one.

    >>> from memcore.domain.models import RawRef
    >>> said = [Message(str(i), "s", i, "Ann", "person", "word " * n, None, "none", RawRef("", ""))
    ...         for i, n in enumerate((2, 2, 9, 1))]
    >>> [[m.id for m in chunk] for chunk in chunks(said, 6, lambda text: len(text.split()))]
    [['0', '1'], ['2'], ['3']]
    """
    made: list[tuple[Message, ...]] = []
    held = 0
    for message in messages:
        tokens = count_tokens(spoken_line(message))
        if made and held + tokens <= most:
            made[-1] = (*made[-1], message)
            held += tokens
        else:
            made.append((message,))
            held = tokens
    return made
