"""What the language pipeline makes of short conversations: one row a rule, in the words of the result.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from memcore.models import Message, RawRef, Segment
from memcore.stages.extract_language import LanguageExtractor
from memcore.stages.facts import TopicBuffer

pytestmark = pytest.mark.models

SAID = datetime(2024, 1, 12, 19, 42)
PEOPLE = ("Ada", "Ben")

FRAMED: list[tuple[list[str], list[str]]] = [
    (["Ada: Remember that I'm a vegan, so no cheese this time."], ["Ada is a vegan."]),
    (["Ada: And you remember I'm diabetic, so leave the cake at home."], ["Ada is diabetic."]),
    (
        ["Ada: You know that my brother Karl lives in Oslo, so he's flying from there."],
        ["Ada's brother Karl lives in Oslo, so he's flying from there."],
    ),
    (["Ada: I've told them twice that I'm allergic to nuts."], ["Ada is allergic to nuts."]),
    (["Ada: I told Tom that I'm allergic to nuts."], ["Ada told Tom that Ada is allergic to nuts."]),
    (["Ada: I have to admit that I sold the piano."], ["Ada sold the piano."]),
    (["Ada: I live in Genoa now, can you believe it?"], ["Ada lives in Genoa now."]),
    (["Ada: I sold my old kayak, remember?"], ["Ada sold Ada's old kayak."]),
    (["Ada: Is the kayak sold, can you believe it?"], []),
    (
        ["Ada: No, perfect, I just got home from a long shift."],
        ["Ada just got home from a long shift."],
    ),
    (["Ada: Plus, I bought a kayak in May."], ["Ada bought a kayak in May 2023."]),
    (["Ada: Now, I work at a bakery."], ["Ada works at a bakery."]),
    (["Ada: My cousin is moving in with Maja, actually."], ["Ada's cousin is moving in with Maja."]),
    (["Ada: I'm lying down."], []),
    (
        ["Ada: I'm on a bus to work, my aunt joined a choir."],
        ["Ada's aunt joined a choir."],
    ),
    (["Ada: I'm waiting for a kidney transplant."], ["Ada is waiting for a kidney transplant."]),
]


def facts(lines: list[str]) -> list[str]:
    spoken = [line.split(": ", 1) for line in lines]
    messages = tuple(
        Message(f"m{n}", "s", n, who, "user", text, SAID, "message", RawRef("log", f"line {n}"))
        for n, (who, text) in enumerate(spoken)
    )
    segment = Segment("g", "s", tuple(m.id for m in messages))
    buffer = TopicBuffer("s", (segment,), messages, people=PEOPLE)
    return [fact.text for fact in LanguageExtractor().extract([buffer])[0][0].facts]


def named(rows: list[tuple[list[str], list[str]]]) -> list[str]:
    return [" / ".join(lines)[:80] for lines, _ in rows]


@pytest.mark.parametrize(("lines", "expected"), FRAMED, ids=named(FRAMED))
def test_statement_is_freed_of_what_frames_it(lines, expected):
    assert facts(lines) == expected
