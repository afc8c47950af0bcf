"""What counts as surviving compression, and what the runner compares."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import LogError
from memcore.domain.protocols import Compressed, WordScore
from memcore.evaluation.compression import evaluate_compression
from memcore.evaluation.locomo import LocomoDataset, LocomoSample, Question
from memcore.evaluation.survivors import must_keep, verbatim_answers
from memcore.evaluation.word_baselines import random_drop, stop_word_drop, truncation
from tests.pipeline import WholeCompressor

OSLO = "Well, I didn't stay: I moved to the old port of Oslo in 1999."
BASELINES = {"random drop", "stop-word drop", "truncation"}


def words(text):
    return len(text.split())


def sample(*asked, turns=None):
    questions = tuple(
        Question("?", answer, category, ((1, 1),)) for answer, category in asked or [("the old port", 4)]
    )
    return LocomoSample(turns or {(1, 1): OSLO}, questions)


def dataset(*samples):
    return LocomoDataset("locomo", "some/locomo.json", samples)


class DroppingCompressor:
    """Drops the given words."""

    name = "drops"

    def __init__(self, *dropped):
        self.dropped = dropped

    def compress(self, texts, rate):
        return [self._one(text) for text in texts]

    def _one(self, text):
        found = [(m[0] not in self.dropped, *m.span()) for m in re.finditer(r"[\w']+|[^\w\s]", text)]
        scored = tuple(WordScore(start, end, float(kept), kept) for kept, start, end in found)
        left = " ".join(text[word.start : word.end] for word in scored if word.kept)
        return Compressed(left, scored, words(text), words(left))


def survival(*dropped, of=None):
    result = evaluate_compression(
        dataset(of or sample()), {"it": DroppingCompressor(*dropped)}, (0.6,), count_tokens=words
    )
    return result.rates[0.6]["it"]


# ---------------------------------------------------------------- answers


def test_an_answer_is_found_word_for_word_in_its_evidence_whatever_its_case_and_marks():
    (answer,) = verbatim_answers([sample(("The OLD port!", 4))])
    assert [OSLO[start:end] for start, end in answer.every] == ["the", "old", "port"]
    assert [OSLO[start:end] for start, end in answer.content] == ["old", "port"]


@pytest.mark.parametrize(
    ("answer", "category"),
    [("the new port", 4), ("port old", 4), ("the old port", 5), ("", 4), ("port in", 1), ("slo", 1)],
)
def test_other_answers_are_not_measured(answer, category):
    assert verbatim_answers([sample((answer, category))]) == []


def test_an_answer_counts_once_in_every_evidence_turn_that_has_it():
    both = LocomoSample(
        {(1, 1): "Oslo, Oslo!", (1, 2): "In Oslo", (1, 3): "Oslo too"},
        (Question("?", "Oslo", 1, ((1, 1), (1, 2), (9, 9))),),
    )
    assert [answer.turn for answer in verbatim_answers([both])] == ["Oslo, Oslo!", "In Oslo"]
    assert [answer.every for answer in verbatim_answers([both])] == [((0, 4),), ((3, 7),)]


# ---------------------------------------------------------------- what must be kept


def test_negations_numbers_and_names_are_found_without_the_rules_that_protect_them():
    found = {kind: [OSLO[a:b] for a, b in spans] for kind, spans in must_keep(OSLO).items()}
    assert found == {"negations": ["didn't"], "numbers": ["1999"], "names": ["Oslo"]}


def test_the_first_word_of_a_sentence_is_not_taken_for_a_name():
    assert must_keep("Never. Ask Ann. Then I'm off")["names"] == [(11, 14)]


# ---------------------------------------------------------------- the runner


def test_survival_counts_answer_tokens_with_and_without_stop_words():
    kept = survival("the", "port")
    assert kept.answer_tokens_kept == 50, "old, of old and port"
    assert kept.with_stop_words == pytest.approx(100 / 3)
    assert kept.mean == pytest.approx((50 + 100 / 3) / 2)


def test_words_elsewhere_do_not_matter_to_answers_but_to_the_rate():
    whole, shorter = survival(), survival("Oslo", "in")
    assert (whole.mean, shorter.mean) == (100, 100)
    assert shorter.achieved_rate < whole.achieved_rate


def test_a_token_survives_only_with_every_part_of_it():
    """`didn't` is one token; a compressor that splits it must keep both parts."""

    class Splitting(DroppingCompressor):
        def _one(self, text):
            spans = [m.span() for m in re.finditer(r"didn|'t|[\w']+|[^\w\s]", text)]
            scored = tuple(WordScore(a, b, 1.0, text[a:b] != "'t") for a, b in spans)
            return Compressed(text, scored, 1, 1)

    result = evaluate_compression(
        dataset(sample(("didn't", 1))), {"s": Splitting()}, (0.6,), count_tokens=words
    )
    assert result.rates[0.6]["s"].with_stop_words == 0
    assert result.must_keep[0.6]["negations"] == 0


def test_must_keep_is_measured_in_all_turns_and_of_the_first_compressor():
    turns = {(1, 1): OSLO, (1, 2): "He said No to Ben", (2, 1): "We met Ann and 2 cats"}
    result = evaluate_compression(
        dataset(sample(turns=turns)),
        {"first": DroppingCompressor("Ann", "No"), "second": DroppingCompressor("Oslo")},
        (0.6,),
        count_tokens=words,
    )
    assert result.default == "first"
    # names: Oslo, No, Ben, Ann; negations: didn't, No
    assert result.must_keep == {0.6: {"negations": 50, "numbers": 100, "names": 50}}


def test_every_rate_has_every_method_and_baselines_never_more_tokens_than_the_default():
    compressors = {"default": DroppingCompressor("the", "of", "moved", "to"), "whole": WholeCompressor()}
    result = evaluate_compression(dataset(sample()), compressors, (0.8, 0.4), count_tokens=words)
    assert list(result.rates) == [0.8, 0.4]
    for methods in result.rates.values():
        assert {*methods} == {"default", "whole"} | BASELINES
        rate = methods["default"].achieved_rate
        assert all(methods[name].achieved_rate <= rate < methods["whole"].achieved_rate for name in BASELINES)
    assert (result.answers, result.turns) == (1, 1)
    assert result.tokens_per_second > 0


def test_the_same_samples_give_the_same_figures():
    compressors = {"default": DroppingCompressor("the", "old", "I")}
    one, other = (
        evaluate_compression(dataset(sample()), compressors, (0.6,), count_tokens=words).rates
        for _ in range(2)
    )
    assert one == other


def test_samples_without_a_verbatim_answer_are_refused():
    with pytest.raises(LogError, match=r"some/locomo\.json has no answer"):
        evaluate_compression(
            dataset(sample(("in Bergen", 1))), {"whole": WholeCompressor()}, (0.6,), count_tokens=words
        )


# ---------------------------------------------------------------- baselines


def test_truncation_keeps_the_beginning():
    assert truncation(words)(OSLO, 4).text == "Well, I didn't stay:"


def test_stop_words_and_marks_go_first_and_from_the_end():
    shorten = stop_word_drop(words)
    assert shorten("We met in the garden of the museum", 3).text == "met garden museum"
    assert shorten("We met in the garden of the museum", 5).text == "We met in garden museum"
    assert shorten("We met in the garden of the museum", 2).text == "met garden"


def test_random_drop_keeps_other_words_each_time():
    shorten = random_drop(words, random.Random(3))
    assert len({shorten(OSLO, 4).text for _ in range(10)}) > 1


@given(st.text(max_size=60), st.integers(0, 12), st.integers())
def test_baselines_keep_words_of_the_text_in_order_and_at_most_so_many_tokens(text, room, seed):
    for shorten in (random_drop(words, random.Random(seed)), stop_word_drop(words), truncation(words)):
        made = shorten(text, room)
        assert words(made.text) <= room
        assert made.tokens_after == words(made.text)
        kept = "".join(text[word.start : word.end] for word in made.words if word.kept)
        assert "".join(made.text.split()) == kept
