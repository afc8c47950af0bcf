"""Hasty English is read as it is meant, and keeps its place in the message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.nlp.language.prose.spelling import STEPS, spelled_out, words_of
from memcore.nlp.language.prose.text import Aligned, clean


def spelled(raw: str) -> str:
    return spelled_out(clean(raw)[0]).text


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("I'm gonna paint", "I am going to paint"),
        ("im off to town, cant wait", "I am off to town, can't wait"),
        ("u dont say", "you don't say"),
        ("ill be late", "I will be late"),
        ("id love to", "I'd love to"),
        ("its a kayak, its been fun", "it's a kayak, it's been fun"),
        ("ur going to like ur seat", "you are going to like your seat"),
        ("ya i left, o and i moved", "yeah I left, o and I moved"),
        ("w/ my gf, w/out the dog", " with my girlfriend, without the dog"),
        ("fish n chips cos i was hungry", "fish and chips because I was hungry"),
        ("since thurs, not on sat", "since Thursday, not on Saturday"),
        ("due by march 14, 2 april or 9 oct", "due by March 14, 2 April or 9 Oct"),
        ("Dont wait", "Don't wait"),
        ("3 wks until xmas", "3 weeks until Christmas"),
        ("I was thinkin' of it", "I was thinking of it"),
        (
            "the fee is due on thu, the bus gets in sat 10th",
            "the fee is due on Thursday, the bus gets in Saturday 10th",
        ),
        ("I sat 12 exams", "I sat 12 exams"),
        ("they are late so were doing it in May", "they are late so we are doing it in May"),
        ("the boats were drifting", "the boats were drifting"),
        ("started my biz alreddy", "started my business already"),
        ("since like tues, for like 3 weeks", "since Tuesday, for 3 weeks"),
        ("I ran about like a hare, for like minds", "I ran about like a hare, for like minds"),
    ],
)
def test_hasty_spelling_is_read_as_it_is_meant(raw, meant):
    assert spelled(raw) == meant


@pytest.mark.parametrize(
    "text",
    [
        "She is an RN at the BC clinic",
        "I was ill be that as it may",
        "The dog wagged its tail",
        "as is his wont",
        "my id have been checked",
        "I may march in a parade",
        "the cause of it was rain",
        "I saved it in `im here` at https://a.b/u/dont",
        "They set the record, satin and sun",
    ],
)
def test_what_may_mean_something_else_is_left_as_written(text):
    assert spelled(text) == text


@pytest.mark.parametrize("place", range(len(STEPS)))
@given(data=st.data())
def test_every_match_of_a_pattern_holds_a_word_it_is_sought_by(place, data):
    words, pattern, _ = STEPS[place]
    text = data.draw(st.from_regex(pattern))
    assert not words or words & words_of(text) or not pattern.search(text)


@given(st.text(alphabet="abdilmnorstuw &'/.,19 \n`<>", max_size=120))
def test_what_is_spelled_out_never_loses_its_place(raw):
    prose = spelled_out(Aligned.of(raw))
    assert len(prose.origin) == len(prose.text) + 1
    assert all(a <= b for a, b in zip(prose.origin, prose.origin[1:], strict=False))
    assert 0 <= prose.start <= prose.end <= len(raw)
