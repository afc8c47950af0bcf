"""The language pipeline as an Extractor: buffers in, facts and a full account of the rest out."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from memcore.domain.errors import BackendError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, TripleDraft
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language import extractor as extract_language
from memcore.nlp.language.extractor import LanguageExtractor

pytestmark = pytest.mark.models

SAID = datetime(2023, 5, 8, 13, 56)


def message(
    number: int, speaker: str, text: str, role: str = "user", said_at: datetime | None = SAID
) -> Message:
    return Message(
        f"m{number}", "s", number, speaker, role, text, said_at, "message", RawRef("log", f"line {number}")
    )


def extract(
    *messages: Message,
    before: tuple[Message, ...] = (),
    people: tuple[str, ...] = (),
    summaries: dict[str, str] | None = None,
) -> tuple[Extraction, ExtractionTrace]:
    segment = Segment("g", "s", tuple(m.id for m in messages))
    buffer = Buffer("s", (segment,), messages, {}, before, people, summaries=summaries or {})
    return LanguageExtractor().extract([buffer])[0]


def texts(extraction: Extraction) -> list[str]:
    return [fact.text for fact in extraction.facts]


def test_event_time_is_that_of_the_main_clause():
    extraction, _ = extract(
        message(1, "Melanie", "I adopted a dog last week."),
        message(2, "Melanie", "I love the theater where I saw a play on 3 April 2023."),
        people=("Melanie", "Caroline"),
    )
    adopted, theater = extraction.facts
    assert (adopted.event_at, adopted.event_end) == (datetime(2023, 5, 1), datetime(2023, 5, 8))
    assert theater.event_at is None


def test_no_event_time_is_invented():
    extraction, _ = extract(message(1, "Melanie", "I adopted a dog."), people=("Melanie", "Caroline"))
    assert extraction.facts[0].event_at is None
    assert extraction.facts[0].kind == "event"


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("I adopted a dog last week.", ("Melanie", "adopt", "Melanie's dog")),
        ("I don't eat meat anymore.", ("Melanie", "not_eat", "meat")),
        ("I want to adopt a cat.", ("Melanie", "want_to_adopt", "cat")),
        ("I might move to Canada.", ("Melanie", "might_move_to", "Canada")),
        ("I used to play the violin.", ("Melanie", "used_to_play", "violin")),
        ("My sister Anna moved to Boston.", ("Melanie", "sister", "Anna")),
        ("My sister Anna moved to Boston.", ("Anna", "move_to", "Boston")),
        ("Oscar, my guinea pig, loves parsley.", ("Melanie", "guinea_pig", "Oscar")),
        ("I went to Paris and London.", ("Melanie", "go_to", "London")),
        ("I'm allergic to peanuts.", ("Melanie", "be_allergic_to", "peanuts")),
        ("I gave my brother's bike to you.", ("Melanie", "give_bike_to", "Caroline")),
        ("I have no pets in Leeds.", ("Melanie", "not_have", "pets")),
        ("I am hoping to attend a workshop in Leeds.", ("Melanie", "hope_to_attend", "workshop in Leeds")),
        ("I have been blogging about politics.", ("Melanie", "blog_about", "politics")),
        ("Dancing helps me de-stress.", ("Dancing", "help", "de-stress")),
        ('I loved "Becoming Nicole" by Amy.', ("Melanie", "love", "Becoming Nicole")),
        ("I want to try my hand at pottery.", ("Melanie", "want_to_try_hand_at", "pottery")),
        ("I'd like to buy a proper guitar.", ("Melanie", "want_to_buy", "proper guitar")),
        ("I started working at Google.", ("Melanie", "work_at", "Google")),
        ("I'm vegetarian.", ("Melanie", "be", "vegetarian")),
        ("I'm not a vegetarian any more.", ("Melanie", "not_be", "vegetarian")),
        ("My sister is a doctor in Oslo.", ("Melanie's sister", "be", "doctor")),
        ("My boss is called Ruth.", ("Melanie's boss", "be_called", "Ruth")),
        ("My cousin Maja is taking the flat over.", ("Melanie", "cousin", "Maja")),
        ("My brother Erik lives in Oslo, so he's flying in.", ("Erik", "live_in", "Oslo")),
        ("I look after ships' logbooks.", ("Melanie", "look_after", "ships' logbooks")),
        ("I bought a 5K run shirt.", ("Melanie", "buy", "Melanie's 5K run shirt")),
    ],
)
def test_triples_name_subject_relation_and_object(text, triple):
    extraction, _ = extract(message(1, "Melanie", text), people=("Melanie", "Caroline"))
    found = [(t.subject, t.relation, t.object) for fact in extraction.facts for t in fact.triples]
    assert triple in found


@pytest.mark.parametrize(
    "text",
    [
        "If I win the lottery, I will buy a house in Spain.",
        "I wish I had a dog with blue eyes.",
        "I don't think I'll go to college in Oslo.",
    ],
)
def test_what_is_not_so_yields_no_triple(text):
    extraction, _ = extract(message(1, "Melanie", text), people=("Melanie", "Caroline"))
    assert [fact.triples for fact in extraction.facts] == [()]


@pytest.mark.parametrize(
    "text",
    [
        "I plan to try to start learning to cook after the trip to Rome.",
        "I'm so excited about the concert in Oslo on Friday.",
        "My layout uses <div> elements on the web.",
        "I'm game for new art in Leeds.",
    ],
)
def test_chains_feelings_and_markup_yield_no_triple(text):
    extraction, _ = extract(message(1, "Melanie", text), people=("Melanie", "Caroline"))
    assert [fact.triples for fact in extraction.facts] == [()]


def test_triples_carry_types():
    extraction, _ = extract(
        message(1, "Melanie", "My sister Anna moved to Boston."), people=("Melanie", "Caroline")
    )
    assert TripleDraft("Anna", "move_to", "Boston", "PERSON", "PLACE") in extraction.facts[0].triples


def test_everything_that_gave_no_fact_is_accounted_for():
    text = "Hey Caroline! How are you? I bought it yesterday. I adopted a dog."
    extraction, trace = extract(message(1, "Melanie", text), people=("Melanie", "Caroline"))
    quoted = [text[p.start : p.end] for p in trace.skipped]
    assert texts(extraction) == ["Melanie adopted a dog."]
    assert quoted == ["Hey Caroline!", "How are you?", "I bought it yesterday."]
    assert all(p.reason for p in trace.skipped)


def test_merged_sentences_keep_all_their_sources():
    text = "I painted a lake last year. It hangs in my kitchen."
    extraction, _ = extract(message(1, "Melanie", text), people=("Melanie", "Caroline"))
    spans = [text[s.start : s.end] for s in extraction.facts[0].sources]
    assert spans == ["I painted a lake last year.", "It hangs in my kitchen."]


def test_context_before_the_buffer_answers_but_is_not_extracted_from():
    extraction, _ = extract(
        message(2, "Melanie", "Yes, two dogs."),
        before=(message(1, "Caroline", "I sold my boat. Do you have any pets?"),),
        people=("Melanie", "Caroline"),
    )
    assert texts(extraction) == [
        'Caroline asked Melanie: "Do you have any pets?" Melanie answered: "Yes, two dogs."'
    ]


def test_a_question_is_not_answered_by_another_session_of_the_buffer():
    """LightMem's buffers span sessions."""
    question = message(1, "Caroline", "Did you adopt a dog in Leeds?")
    answer = message(2, "Melanie", "Yes, on Monday.")

    def told(session_id: str) -> list[str]:
        segments = (Segment("g", "s", ("m1",)), Segment("h", session_id, ("m2",)))
        messages = (question, replace(answer, session_id=session_id, said_at=datetime(2023, 6, 7)))
        buffer = Buffer("s", segments, messages, people=("Melanie", "Caroline"))
        return texts(LanguageExtractor().extract([buffer])[0][0])

    assert len(told("s")) == 1
    assert told("another") == []


def test_with_three_speakers_you_is_only_who_is_named():
    people = ("Ann", "Bob", "Cid")
    named, _ = extract(message(1, "Ann", "Bob, I baked a cake for you."), people=people)
    unnamed, _ = extract(message(1, "Ann", "I baked a cake for you."), people=people)
    assert texts(named) == ["Ann baked a cake for Bob."]
    assert not any("Bob" in text or "Cid" in text for text in texts(unnamed))


def test_duplicates_within_a_buffer_are_kept_once_and_said():
    extraction, trace = extract(
        message(1, "Melanie", "I adopted a dog."),
        message(2, "Melanie", "I adopted a dog."),
        people=("Melanie", "Caroline"),
    )
    assert len(extraction.facts) == 1
    assert [p.message_id for p in trace.skipped] == ["m2"]


def test_code_and_system_prompts_yield_nothing():
    extraction, trace = extract(
        message(1, "System", "You are a helpful assistant who owns a dog in Oslo.", "system"),
        message(2, "User", "```\nI = my_dog(2023)\n```"),
    )
    assert extraction.facts == ()
    assert [p.reason for p in trace.skipped] == ["instructions to the assistant, not conversation"]


def test_a_pasted_document_is_not_taken_for_the_user():
    document = " ".join(
        f"The manager of branch {n} approved the annual budget of 20{n} dollars." for n in range(10, 50)
    )
    extraction, trace = extract(message(1, "User", f"Summarise this:\n{document}\n{document}"))
    assert extraction.facts == ()
    assert "a document pasted into the conversation" in {p.reason for p in trace.skipped}


def test_other_languages_fall_back_to_dated_statements():
    extraction, _ = extract(
        message(1, "Anna", "Ich habe einen Hund."), message(2, "Anna", "Ich wohne in Bonn.", said_at=None)
    )
    assert texts(extraction) == ["Anna (8 May 2023): Ich habe einen Hund.", "Anna: Ich wohne in Bonn."]
    assert {fact.kind for fact in extraction.facts} == {"statement"}


def test_without_a_date_relative_times_stay_as_said():
    extraction, _ = extract(message(1, "Melanie", "I adopted a dog last week.", said_at=None))
    assert texts(extraction) == ["Melanie adopted a dog last week."]
    assert extraction.facts[0].event_at is None


def test_topics_are_key_phrases_of_their_segment():
    first = message(1, "Melanie", "I joined a pottery class. The pottery class is in Leeds.")
    second = message(2, "Melanie", "Thanks!")
    segments = (Segment("a", "s", ("m1",)), Segment("b", "s", ("m2",)))
    buffer = Buffer("s", segments, (first, second), {}, (), ("Melanie", "Caroline"))
    extraction, _ = LanguageExtractor().extract([buffer])[0]
    assert extraction.topics["a"].startswith("pottery class")
    assert extraction.topics["b"] == "small talk"


def test_a_summary_is_made_of_the_buffer_s_own_facts():
    extraction, _ = extract(
        message(1, "Melanie", "I adopted a dog named Rex."),
        people=("Melanie", "Caroline"),
        summaries={"s": "Earlier."},
    )
    summary = extraction.summaries["s"]
    assert summary.text == "Melanie adopted a dog named Rex."
    assert len(summary.keywords) <= 5


def test_each_session_is_summarised_by_its_own_facts_and_silence_by_none():
    said = (
        message(1, "Melanie", "I adopted a dog named Rex."),
        replace(message(2, "Melanie", "I joined a pottery class in Leeds."), session_id="t"),
        replace(message(3, "Melanie", "Thanks!"), session_id="u"),
    )
    segments = tuple(Segment(m.id, m.session_id, (m.id,)) for m in said)
    buffer = Buffer("s", segments, said, people=("Melanie", "Caroline"))
    ((extraction, _),) = LanguageExtractor().extract([buffer])
    assert {i: draft.text for i, draft in extraction.summaries.items()} == {
        "s": "Melanie adopted a dog named Rex.",
        "t": "Melanie joined a pottery class in Leeds.",
    }
    assert "Rex" in " ".join(extraction.summaries["s"].keywords)
    assert "Rex" not in " ".join(extraction.summaries["t"].keywords)


def test_what_another_session_of_the_buffer_said_too_is_a_fact_of_its_own():
    again = replace(message(2, "Melanie", "I adopted a dog named Rex."), session_id="t")
    said = (message(1, "Melanie", "I adopted a dog named Rex."), again)
    segments = tuple(Segment(m.id, m.session_id, (m.id,)) for m in said)
    ((extraction, trace),) = LanguageExtractor().extract([Buffer("s", segments, said)])
    assert [fact.sources[0].message_id for fact in extraction.facts] == ["m1", "m2"]
    within = replace(again, session_id="s")
    extraction, trace = extract(said[0], within)
    assert [fact.sources[0].message_id for fact in extraction.facts] == ["m1"]
    assert [row.reason for row in trace.skipped] == [extract_language.DUPLICATE]


def test_results_are_the_same_every_time_and_in_any_batch():
    rows = [message(1, "Melanie", "I adopted a dog last week. It sleeps in my kitchen.")]
    alone = extract(*rows, people=("Melanie", "Caroline"))[0]
    segment = Segment("g", "s", ("m1",))
    buffer = Buffer("s", (segment,), tuple(rows), {}, (), ("Melanie", "Caroline"))
    noise = Buffer("t", (), (message(9, "Tom", "I sold seven boats in Oslo."),), {}, (), ("Tom", "Ann"))
    together = LanguageExtractor().extract([noise, buffer])[1][0]
    assert alone == together


def test_what_stands_in_another_buffer_of_the_session_does_not_change_how_one_is_read():
    people = ("Melanie", "Caroline")
    first = message(1, "Melanie", "I signed up for a pottery class in Leeds in May.")
    second = message(2, "Melanie", "I quit the class on Monday.")
    parts = [
        Buffer("s", (Segment(one.id, "s", (one.id,)),), (one,), {}, (), people) for one in (first, second)
    ]
    alone = [LanguageExtractor().extract([part])[0][0] for part in parts]
    assert [extraction for extraction, _ in LanguageExtractor().extract(parts)] == alone


def test_a_message_of_a_hundred_thousand_characters_is_read():
    text = "I adopted a dog last week. " + "word " * 20_000
    extraction, _ = extract(message(1, "Melanie", text), people=("Melanie", "Caroline"))
    assert extraction.facts[0].text == "Melanie adopted a dog in the week of 1 May 2023."


def test_no_buffers_no_results():
    assert LanguageExtractor().extract([]) == []


def buffers_of(*texts: str) -> list[Buffer]:
    people = ("Melanie", "Caroline")
    return [
        Buffer(f"s{n}", (), (message(n, "Melanie", text),), {}, (), people) for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("step", ["_opened", "_read"])
def test_a_buffer_that_fails_says_why_and_leaves_the_others_alone(monkeypatch, step):
    real = getattr(extract_language, step)

    def failing(given, *more):
        if "boat" in repr(given):
            raise RecursionError("too deep")
        return real(given, *more)

    monkeypatch.setattr(extract_language, step, failing)
    results = LanguageExtractor().extract(
        buffers_of("I adopted a dog.", "I sold my boat in Oslo.", "I adopted a cat.")
    )
    assert [texts(extraction) for extraction, _ in results] == [
        ["Melanie adopted a dog."],
        [],
        ["Melanie adopted a cat."],
    ]
    failed = results[1][1]
    assert failed.error.endswith("RecursionError: too deep")
    assert [bool(trace.error) for _, trace in results] == [False, True, False]


def test_a_missing_language_model_is_the_failure_of_all(monkeypatch):
    def missing(texts):
        raise BackendError("The model is not installed.", fix="Install it.")

    monkeypatch.setattr(extract_language.pipeline, "parse", missing)
    with pytest.raises(BackendError):
        LanguageExtractor().extract(buffers_of("I adopted a dog."))
