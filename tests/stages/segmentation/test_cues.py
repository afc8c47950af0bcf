"""What the words of one turn tell about topics."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.stages.segmentation.cues import turn_cues


def test_a_question_to_the_other_is_told_from_one_about_what_was_said():
    opening, following = turn_cues("Nice! Where do you work?"), turn_cues("Is that far from there?")
    assert (opening.asks, opening.asks_you, opening.referring) == (1.0, 1.0, 0.0)
    assert (following.asks, following.asks_you) == (1.0, 0.0)
    assert following.referring > 0


def test_a_question_in_the_middle_does_not_end_the_turn_asking():
    cues = turn_cues("Do you sail? I never learned it.")
    assert (cues.asks, cues.ends_asking) == (1.0, 0.0)


@pytest.mark.parametrize("text", ["By the way, is it late?", "I'm thinking of a trip.", "What about lunch?"])
def test_openings_of_something_new_are_known(text):
    assert turn_cues(text).opens == 1.0


def test_openings_count_at_the_beginning_only():
    assert turn_cues("We ate there, by the way.").opens == 0.0


def test_greetings_and_closings():
    assert turn_cues("Hello there!").greets == 1.0
    assert turn_cues("Thank you, that helps. Bye!").closes == 1.0
    assert turn_cues("History is dull.").greets == 0.0


def test_an_acknowledgement_is_a_first_sentence_of_nothing_else():
    assert turn_cues("Wow, cool! I have a boat.").acknowledges == 1.0
    assert turn_cues("Cool boats cost much.").acknowledges == 0.0


def test_content_is_stems_without_function_words():
    assert (
        turn_cues("The gardens and my gardener's roses").content
        == {"garden", "rose"} | turn_cues("gardeners").content
    )


def test_apostrophes_do_not_split_words():
    assert turn_cues("I don't").length == turn_cues("I don’t").length == math.log1p(2)


@pytest.mark.parametrize("text", ["", "   ", "?!", "🙂"])
def test_a_turn_without_words_has_no_cues(text):
    assert turn_cues(text) == turn_cues("")


@given(st.text(max_size=200))
def test_any_text_gives_finite_cues(text):
    cues = turn_cues(text)
    assert 0.0 <= cues.referring <= 1.0
    assert 0.0 <= cues.function <= 1.0
    assert math.isfinite(cues.length)
