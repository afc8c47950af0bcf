"""Reading ahead spares a parse and changes nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event

import pytest
from spacy.tokens import Doc

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, ReadsAhead
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language import pipeline
from memcore.nlp.language.extractor import LanguageExtractor

pytestmark = pytest.mark.models

TEXTS = (
    "Ada: Went rowing on the lake with my sister! Did you see the photos?",
    "Ben: I did. The lake looked cold, but I have never been a swimmer.",
    "Ada: Been planning a trip to Bergen. I'll book the trip in May, and it costs 400 pounds.",
)
MESSAGES = tuple(
    Message(f"m{n}", "s", n, text[:3], "user", text[5:], None, "none", RawRef("log", f"line {n}"))
    for n, text in enumerate(TEXTS)
)
PEOPLE = ("Ada", "Ben")
BUFFER = Buffer("s", (Segment("g", "s", ("m0", "m1", "m2")),), MESSAGES, people=PEOPLE)
UNSORTED = [Buffer("s", (), MESSAGES, people=PEOPLE)]
"""The same messages before it is known which buffers they go into."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that spaCy was given, in order."""
    given: list[str] = []
    real = pipeline.parse

    def parse(texts: Sequence[str]) -> list[Doc]:
        given.extend(texts)
        return real(texts)

    monkeypatch.setattr(pipeline, "parse", parse)
    return given


def told(read: Callable[[], list[tuple[Extraction, ExtractionTrace]]]) -> object:
    [(extraction, trace)] = read()
    return extraction, replace(trace, milliseconds=0.0)


def test_what_was_read_ahead_is_told_as_if_it_had_not_been(parsed: list[str]) -> None:
    plain = told(lambda: LanguageExtractor().extract([BUFFER]))
    without = sorted(parsed)
    parsed.clear()

    extractor = LanguageExtractor()
    assert isinstance(extractor, ReadsAhead)
    extractor.begin(UNSORTED)
    assert told(lambda: extractor.extract([BUFFER])) == plain
    assert sorted(parsed) == without  # each sentence once, ahead or not


def test_what_was_read_ahead_is_handed_out_once(parsed: list[str]) -> None:
    extractor = LanguageExtractor()
    extractor.begin(UNSORTED)
    extractor.extract([BUFFER])
    parsed.clear()
    extractor.extract([BUFFER])
    assert "went rowing on the lake with my sister!" in " ".join(parsed).lower()


def test_reading_ahead_makes_nobody_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, real = Event(), pipeline.parse

    def parse(texts: Sequence[str]) -> list[Doc]:
        assert go_on.wait(60)
        return real(texts)

    monkeypatch.setattr(pipeline, "parse", parse)
    extractor = LanguageExtractor()
    extractor.begin(UNSORTED)
    go_on.set()  # only now: `begin` came back before anything was parsed
    [(extraction, _)] = extractor.extract([BUFFER])
    assert extraction.facts


def test_a_sentence_that_cannot_be_parsed_costs_itself_alone_ahead_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = pipeline.parse

    def parse(texts: Sequence[str]) -> list[Doc]:
        if any("swimmer" in text for text in texts):
            raise IndexError("no such neighbour")
        return real(texts)

    monkeypatch.setattr(pipeline, "parse", parse)
    plain = told(lambda: LanguageExtractor().extract([BUFFER]))
    extractor = LanguageExtractor()
    extractor.begin(UNSORTED)
    assert told(lambda: extractor.extract([BUFFER])) == plain
    assert "no such neighbour" in str(plain)
    assert "Bergen" in str(plain)
