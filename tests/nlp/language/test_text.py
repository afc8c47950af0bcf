"""The parts of the language pipeline that need no parser: cleaning, sentences, names, languages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.nlp.language.people import Turn, called
from memcore.nlp.language.prose.sentences import LONGEST, read
from memcore.nlp.language.prose.spelling import spelled_out
from memcore.nlp.language.prose.text import Aligned, clean
from memcore.nlp.language.words.english import is_english
from memcore.nlp.language.words.inflection import third_person
from memcore.nlp.language.words.keywords import topic_label

TURN = Turn("Melanie", "Caroline", ("Melanie", "Caroline"))


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in read("m", spelled_out(clean(text)[0]), TURN)]


@pytest.mark.parametrize(
    ("raw", "prose"),
    [
        ("**Bold** and `my code`", "Bold and `my code`"),
        (
            "I signed it with <script>alert(1)</script> and left",
            "I signed it with <script>alert(1)</script> and left",
        ),
        ("I adopted a \U0001f436 named Rex \U0001f60d", "I adopted a \U0001f436 named Rex"),
        ("I found <i class=x> in https://a.b/i c", "I found <i class=x> in https://a.b/i c"),
        ("Before\n```python\nx = 1\n```\nafter", "Before\n\n\nafter"),
        ("<b>Hi</b> there", "Hi  there"),
        ("So fun \U0001f60d!", "So fun  !"),
        ("So fun \U0001f60d We swam", "So fun \n We swam"),
        ("“Dune”", '"Dune"'),
    ],
)
def test_markup_is_cleaned(raw, prose):
    assert clean(raw)[0].text == prose


@pytest.mark.parametrize(
    "caption_line", ["[shared image: a red car]", "[shares a photo: a red car]", "[Shared Image: a red car]"]
)
def test_caption_of_a_shared_image_is_set_aside_with_its_place(caption_line):
    raw = f"Look!\n{caption_line}"
    prose, images = clean(raw)
    assert prose.text == "Look!"
    assert [image.caption for image in images] == ["a red car"]
    assert raw[images[0].start : images[0].end] == caption_line


@given(st.text(max_size=300))
def test_cleaned_text_never_loses_its_place_in_the_message(raw):
    prose, _ = clean(raw)
    assert len(prose.origin) == len(prose.text) + 1
    assert all(a <= b for a, b in zip(prose.origin, prose.origin[1:], strict=False))
    assert 0 <= prose.start <= prose.end <= len(raw)


def test_substitution_points_inserted_characters_at_the_match():
    aligned = Aligned.of("gonna go").sub(re.compile("gonna"), "going to")
    assert aligned.text == "going to go"
    assert aligned.span(0, 8) == (0, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Dr. Smith at 5 p.m. in St. Louis.", ["I met Dr. Smith at 5 p.m. in St. Louis."]),
        ("I don't. But I ran.", ["I don't.", "I ran."]),
        ("Hey Caroline, I ran.", ["I ran."]),
        ("I ran, Caro!", ["I ran"]),
        ("I ran - it was hot.", ["I ran - it was hot."]),
        ("I ran ten miles - it was hot.", ["I ran ten miles", "it was hot."]),
        ("Well, by the way, I ran.", ["I ran."]),
        ("So far I ran ten miles.", ["So far I ran ten miles."]),
        ("Since we last talked, I ran.", ["I ran."]),
        ("i ran\nshe swam", ["I ran", "she swam"]),
        ("I ran lol, and fell btw.", ["I ran, and fell."]),
        ("Can you find me a gym, I moved to Leeds?", ["Can you find me a gym?", "I moved to Leeds"]),
        ("What is a good pan, since my wife is vegan?", ["What is a good pan?", "my wife is vegan"]),
        ("How do I tell my mom, my dad and Ann?", ["How do I tell my mom, my dad and Ann?"]),
        ("Should I lose it, I would move.", ["Should I lose it, I would move."]),
        ("Confession, I ran. Update: I swam!", ["I ran.", "I swam!"]),
        ("News of it made me run.", ["News of it made me run."]),
        ("The race is on Sunday isn't it.", ["The race is on Sunday."]),
        ("I asked if it is fun or is not.", ["I asked if it is fun or is not."]),
    ],
)
def test_sentences_are_divided_and_freed_of_openers_and_address(text, expected):
    assert sentences(text) == expected


def test_question_marks_make_a_question():
    assert [s.asks for s in read("m", clean("Do you run? I do.")[0], TURN)] == [True, False]


def test_sentence_span_is_the_raw_words():
    raw = "Hey Caroline! I'm gonna run."
    last = read("m", clean(raw)[0], TURN)[-1]
    assert raw[last.start : last.end] == "I'm gonna run."


def test_sentences_inside_a_longer_quotation_are_marked():
    text = 'She wrote: "I am moving to Oslo. I sold my car." I am sad.'
    assert [s.quoted for s in read("m", clean(text)[0], TURN)] == [True, True, False]


def test_a_run_without_an_end_is_cut():
    found = read("m", clean("word " * 20_000)[0], TURN)
    assert max(len(s.text) for s in found) <= LONGEST
    assert sum(len(s.text.split()) for s in found) == 20_000


@pytest.mark.parametrize(
    ("word", "names", "person"),
    [
        ("Mel", ("Melanie", "Caroline"), "Melanie"),
        ("Melanie", ("Melanie", "Melany"), "Melanie"),
        ("Jo", ("Joanna", "John"), None),
        ("mel", ("Melanie",), None),
        ("Gabby", ("Gabriela", "Tom"), None),
        ("Johnny", ("John", "Tim"), None),
        ("Tim", ("Timothy", "Tom"), "Timothy"),
    ],
)
def test_short_forms_name_the_only_participant_they_fit(word, names, person):
    assert called(word, names) == person


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("I have a dog", True),
        ("Ok", True),
        ("Go get 'em, Jon!", True),
        ("", True),
        ("Ich habe einen Hund und eine Katze.", False),
        ("Ayer compré una casa en la playa.", False),
        ("Dice que si no vienes, no te lo perdona nunca.", False),
        ("J'ai adopté un chat hier avec ma soeur.", False),
        ("昨日、犬を飼いました。", False),
        ("Вчера я купил машину.", False),
    ],
)
def test_english_is_told_from_other_languages(text, english):
    assert is_english(text) is english


@pytest.mark.parametrize(
    ("verb", "third"),
    [("try", "tries"), ("play", "plays"), ("watch", "watches"), ("'m", "is"), ("were", "was")],
)
def test_third_person_endings(verb, third):
    assert third_person(verb) == third


def test_topic_of_nothing_is_small_talk():
    assert topic_label([]) == "small talk"
