"""A conversation of our own, and the judge of statements about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memcore.domain.models import Message, RawRef

SAID_AT = datetime(2024, 3, 13, 10, 0)  # a Wednesday

TOLD = (
    ("Nora", "Hi Felix! How was your week?"),
    ("Felix", "Busy! Last Friday I moved into a flat in Leipzig with my two cats, Biscuit and Tofu."),
    ("Nora", "Congratulations! Do you like your new neighbours?"),
    ("Felix", "They are kind. The old lady upstairs bakes bread every morning and gave me a loaf."),
    ("Nora", "Lovely. I never eat bread, my stomach can't take gluten."),
    ("Felix", "Oh no. Did you see a doctor about that?"),
    ("Nora", "Yes, I saw one three weeks ago. She told me to keep a food diary."),
    ("Felix", "You are so disciplined, you will manage that easily."),
    ("Nora", "I start a pottery course next month and hope to make a teapot for my mother."),
    ("Felix", "That sounds great! I ran the Dresden marathon in 2022 and still have to frame the medal."),
)


def message(place: int, speaker: str, text: str, session: str = "one") -> Message:
    return Message(
        f"m{place}", session, place, speaker, "person", text, SAID_AT, "message", RawRef("log", str(place))
    )


def conversation(told: Sequence[tuple[str, str]] = TOLD) -> list[Message]:
    return [message(place, *one) for place, one in enumerate(told)]
