"""Messages that are not English: kept as they are, with speaker and date, never lost.

They are not analysed; they become statements of kind "statement".
"""

from __future__ import annotations

from memcore.domain.models import Message, Source
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose.sentences import split
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.statements.statement import Statement, day

LONGEST = 280
"""Characters of one statement; a longer message becomes several, divided between sentences."""
SHORTEST = 12


def statements(message: Message, prose: Aligned, turn: Turn) -> list[Statement]:
    """`Anna (8 May 2023): Ich habe einen Hund.` for each stretch of up to LONGEST characters."""
    label = f"{turn.speaker} ({day(message.said_at)})" if message.said_at else turn.speaker
    found: list[Statement] = []
    held: list[tuple[str, int, int]] = []

    def close() -> None:
        if held and sum(len(text) for text, _, _ in held) >= SHORTEST:
            text = " ".join(text for text, _, _ in held)
            source = Source(message.id, held[0][1], held[-1][2])
            found.append(Statement(f"{label}: {' '.join(text.split())}", "statement", (source,)))
        held.clear()

    for piece in split(prose):
        if piece.text.rstrip().endswith(("?", "\u061f", "\uff1f")):
            continue
        if sum(len(text) for text, _, _ in held) + len(piece.text) > LONGEST:
            close()
        held.append((piece.text, piece.start, piece.end))
    close()
    return found
