"""No match is lost because a text was not looked through: every match holds what its rule seeks it by."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.nlp.time_grammar.absolute import ABSOLUTE
from memcore.nlp.time_grammar.distances import DISTANCES
from memcore.nlp.time_grammar.holidays import HOLIDAYS
from memcore.nlp.time_grammar.relative import RELATIVE
from memcore.nlp.time_grammar.sought import first_of, small_letters
from memcore.nlp.time_grammar.unresolved import RECURRING, VAGUE

SOUGHT = [VAGUE, *(rule for rule, _ in (*DISTANCES, *HOLIDAYS, *ABSOLUTE, *RELATIVE))]
PATTERNS = [(one.pattern, one) for one in SOUGHT] + [
    (re.compile(source, re.IGNORECASE), RECURRING) for source, _ in RECURRING.sources
]
WHOLE = re.compile("|".join(source for source, _ in RECURRING.sources), re.IGNORECASE)

WORDS = (
    "on in at the a an every each last next this coming past other few several two three 5 7th 21st once "
    "twice times of or and from to for now ago back later earlier before after day days week weeks weekend "
    "weekends month year years Monday mondays Fri Saturday Sundays (Mon, Wed) May june Oct. March spring "
    "winter 2023 2023-05-07 7/5/2023 1990s morning night evenings tonight tomorrow yesterday daily weekly "
    "Christmas thanksgiving early mid end beginning , . - – ſunday January"
).split()
texts = st.lists(st.sampled_from(WORDS)).map(" ".join)


def spans(matches):
    return [match.span() for match in matches]


@pytest.mark.parametrize("place", range(len(PATTERNS)))
@given(data=st.data())
def test_every_match_of_a_rule_holds_what_it_is_sought_by(place, data):
    pattern, rule = PATTERNS[place]
    text = data.draw(st.from_regex(pattern))
    found = spans(rule.finditer(text, small_letters(text)))
    assert found or not pattern.search(text)


@given(texts)
def test_a_rule_that_is_sought_finds_what_its_pattern_finds(text):
    letters = small_letters(text)
    for rule in SOUGHT:
        assert spans(rule.finditer(text, letters)) == spans(rule.pattern.finditer(text))
    assert spans(RECURRING.finditer(text, letters)) == spans(WHOLE.finditer(text))


def test_of_alternatives_the_first_wins_however_many_are_left_out():
    rule = first_of((r"tea|teatime", "tea"), (r"teatime|\w+ cup", "time cup"))
    assert [match[0] for match in rule.finditer("teatime", "teatime")] == ["tea"]
    assert [match[0] for match in rule.finditer("my cup", "my cup")] == ["my cup"]
    assert [*rule.finditer("water", "water")] == []


@pytest.mark.parametrize("letter", ["İ", "ı", "ſ", "\u212a"])
def test_small_letters_are_those_of_a_pattern_that_ignores_case(letter):
    plain = small_letters(letter)
    assert plain.isascii()
    assert re.fullmatch(plain, letter, re.IGNORECASE)
