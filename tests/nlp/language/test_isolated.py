"""One bad sentence costs one sentence: the rest of its message, and of its buffer, is read as without it."""

from __future__ import annotations

import random
import string
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace
from memcore.domain.models import Message, RawRef, Segment
from memcore.logs import read_log
from memcore.nlp.language import extractor as extract_language
from memcore.nlp.language.extractor import LanguageExtractor
from memcore.nlp.language.prose import framing, screening
from memcore.nlp.language.statements import discourse, form, parsing
from tools.serving import ROOT

pytestmark = pytest.mark.models

PEOPLE = ("Ada", "Ben")


def extract(*texts: str, role: str = "user") -> tuple[Extraction, ExtractionTrace]:
    messages = tuple(
        Message(f"m{n}", "s", n, PEOPLE[n % 2], role, text, None, "none", RawRef("log", f"line {n}"))
        for n, text in enumerate(texts)
    )
    segment = Segment("g", "s", tuple(m.id for m in messages))
    return LanguageExtractor().extract([Buffer("s", (segment,), messages, people=PEOPLE)])[0]


def failing(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, word: str) -> None:
    """From now on a rule fails on whatever has this word in what it is given first."""
    real = getattr(module, name)

    def rule(given: Any, *others: Any, **named: Any) -> Any:
        if word in repr(given):
            raise IndexError("no such neighbour")
        return real(given, *others, **named)

    monkeypatch.setattr(module, name, rule)


@pytest.mark.parametrize(
    "text", ["Good, mine is in June", "Mine", "mine is", "This", "I like this", "My", "Me", "our", "the"]
)
def test_words_without_neighbours_fail_no_rule(text):
    _, trace = extract("When is your birthday?", text)
    assert trace.error == ""
    assert not [one.reason for one in trace.skipped if "failed" in one.reason]


SENTENCES = [
    (framing, "without_framing"),
    (screening, "before_parsing"),
    (screening, "after_parsing"),
    (parsing, "filled"),
    (parsing, "_assess"),
    (discourse, "single"),
    (extract_language, "_fact"),
    (extract_language, "triples"),
]


@pytest.mark.parametrize(("module", "name"), SENTENCES, ids=lambda one: getattr(one, "__name__", one))
def test_a_rule_that_fails_on_a_sentence_costs_that_sentence_alone(monkeypatch, module, name):
    failing(monkeypatch, module, name, "boat")
    said = "I adopted a dog in Leeds. I sold my boat in Oslo. I bought a cat in Rome."
    extraction, trace = extract(said, "I moved to Madrid.")
    assert [fact.text for fact in extraction.facts] == [
        "Ada adopted a dog in Leeds.",
        "Ada bought a cat in Rome.",
        "Ben moved to Madrid.",
    ]
    (skipped,) = trace.skipped
    assert (skipped.message_id, said[skipped.start : skipped.end].rstrip(".")) == (
        "m0",
        "I sold my boat in Oslo",
    )
    assert skipped.reason.endswith("failed on it: IndexError: no such neighbour")
    assert trace.error == ""


@pytest.mark.parametrize("name", ["open_message", "_statements"])
def test_a_step_that_fails_on_a_whole_message_costs_that_message_alone(monkeypatch, name):
    failing(monkeypatch, extract_language, name, "boat")
    extraction, trace = extract("I adopted a dog in Leeds.", "I sold my boat in Oslo.", "I bought a cat.")
    assert [fact.text for fact in extraction.facts] == ["Ada adopted a dog in Leeds.", "Ada bought a cat."]
    assert [(one.message_id, one.start, one.end) for one in trace.skipped] == [("m1", 0, 23)]
    assert "failed on it: IndexError" in trace.skipped[0].reason


def test_a_sentence_that_the_parser_fails_on_is_named(monkeypatch):
    failing(monkeypatch, extract_language.pipeline, "parse", "boat")
    extraction, trace = extract("I adopted a dog in Leeds. I sold my boat in Oslo.")
    assert [fact.text for fact in extraction.facts] == ["Ada adopted a dog in Leeds."]
    assert [one.reason for one in trace.skipped] == [
        "the rule parsing._parsed failed on it: IndexError: no such neighbour"
    ]


def test_key_phrases_that_fail_leave_the_fact_and_a_note(monkeypatch):
    real = extract_language.keywords.key_phrases
    calls = iter(range(100))

    def once(doc, turn):
        if next(calls) == 0:
            raise IndexError("no such neighbour")
        return real(doc, turn)

    monkeypatch.setattr(extract_language.keywords, "key_phrases", once)
    extraction, trace = extract("I adopted a dog in Leeds.")
    assert [fact.text for fact in extraction.facts] == ["Ada adopted a dog in Leeds."]
    assert [note.split(":")[0] for note in trace.notes] == ["No key phrases of a sentence of m0"]


def test_a_check_of_form_that_fails_leaves_the_fact_and_a_note(monkeypatch):
    def fail(texts):
        raise IndexError("no such neighbour")

    monkeypatch.setattr(form, "pipeline", SimpleNamespace(parse=fail))
    extraction, trace = extract("I adopted a dog in Leeds.")
    assert [fact.text for fact in extraction.facts] == ["Ada adopted a dog in Leeds."]
    assert [note.split(":")[0] for note in trace.notes] == ["No check of the statements' form"]


# --------------------------------------------------------------------------- any words at all

WORDS = (
    "i me my mine myself we our ours you your yours this that it its he she they them one others there "
    "not n't never 's - — , . ; : ? ! ( ) \" ' … / % $400,000 3 10th 2023 May Monday yesterday ago last next "
    "in on at of to from with for Ada Ben Oslo dog cats sister bought sells is was am been going do did have "
    "has had who which where when because if and or but so very Good Yes No well please the a an \u202e "
    "🐶 \n ``` *"
).split(" ")


def real_sentences() -> list[str]:
    """Every message of our own sample logs."""
    logs = [read_log(ROOT / "sample_data" / name) for name in ("two_friends.json", "new_city.txt")]
    return [message.text for read in logs for log in read.logs for message in log.messages]


def mutated(rng: random.Random, texts: list[str]) -> str:
    """A real text with some words left out, doubled, exchanged, cut in two or made up."""
    words = rng.choice(texts).split()[: rng.randint(1, 40)]
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(words)) if words else 0
        act = rng.randrange(6)
        if act == 0 and words:
            del words[place]
        elif act == 1 and words:
            words[place] = words[place][: rng.randint(0, len(words[place]))]
        elif act == 2 and words:
            words[place] = rng.choice((str.upper, str.lower, str.title))(words[place])
        elif act == 3:
            words[place:place] = rng.choices(WORDS, k=rng.randint(1, 4))
        elif act == 4:
            words = words[place:] if rng.random() < 0.5 else words[: place + 1]
        else:
            words.insert(place, "".join(rng.choices(string.printable, k=rng.randint(1, 5))))
    return " ".join(words)


def failures(texts: list[str]) -> list[str]:
    """What rules failed on these messages."""
    extraction, trace = extract(*texts)
    assert trace.error == ""
    for fact in extraction.facts:
        assert all(0 <= s.start < s.end <= len(texts[int(s.message_id[1:])]) for s in fact.sources)
    return [one.reason for one in trace.skipped if "failed on it" in one.reason] + list(trace.notes)


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), min_size=1, max_size=8))
def test_no_rule_fails_on_any_words(texts):
    assert failures(texts) == []


@settings(max_examples=20)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=8))
def test_no_rule_fails_on_any_characters(texts):
    assert failures(texts) == []


@pytest.mark.parametrize("number", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_rule_fails_on_mutated_real_sentences(number):
    rng, texts = random.Random(number), real_sentences()
    found = [one for _ in range(number // 100) for one in failures([mutated(rng, texts) for _ in range(100)])]
    assert found == []
