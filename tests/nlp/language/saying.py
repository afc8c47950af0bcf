"""What the language pipeline makes of a few messages of one person."""

from __future__ import annotations

from datetime import datetime

from memcore.domain.extraction import Buffer, TripleDraft
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language.extractor import LanguageExtractor


def drafts(*texts: str) -> list[TripleDraft]:
    """The triples of messages that Melanie writes to Caroline."""
    said = tuple(
        Message(
            f"m{n}", "s", n, "Melanie", "user", text, datetime(2023, 5, 8), "message", RawRef("log", f"{n}")
        )
        for n, text in enumerate(texts, 1)
    )
    segment = Segment("g", "s", tuple(message.id for message in said))
    buffer = Buffer("s", (segment,), said, people=("Melanie", "Caroline"))
    extraction, _ = LanguageExtractor().extract([buffer])[0]
    return [triple for fact in extraction.facts for triple in fact.triples]


def nodes(*texts: str) -> set[str]:
    """The names in those triples that the entity graph shows, without the speaker's."""
    told = [triple for triple in drafts(*texts) if triple.telling]
    return {name for triple in told for name in (triple.subject, triple.object)} - {"Melanie"}
