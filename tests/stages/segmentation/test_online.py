"""The default method is local: what lies far from a gap changes nothing, and a log read turn by turn
gives the boundaries of the whole log."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.errors import UsageError
from memcore.stages.segmentation.features import LEFT, RIGHT
from memcore.stages.segmentation.model import gap_model, judge, parse_model
from memcore.stages.segmentation.online import DELAY, TopicStream
from memcore.stages.segmentation.reasons import _REASONS, reasons
from memcore.stages.segmentation.scores import METHODS, score_gaps

TEXTS = (
    "Hello! How are you?",
    "I am thinking of buying a boat.",
    "Which boat do you like?",
    "That one, it is cheap.",
    "",
    "By the way, what do you do for a living?",
    "Yes.",
    "A long answer about gardens, roses and tulips, and how they grow in spring, and more of the same. " * 4,
)

turns = st.lists(st.tuples(st.sampled_from(TEXTS), st.integers(0, 6)), min_size=1, max_size=60)


def vectors_of(kinds):
    """Unit vectors: axes, mixtures of axes, and no meaning at all."""
    random = np.random.default_rng(7)
    table = random.normal(size=(7, 12)).astype(np.float32)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    table[0] = 0.0
    return table[list(kinds)]


def whole(said):
    texts, vectors = [text for text, _ in said], vectors_of(kind for _, kind in said)
    return METHODS["topic_shift"](score_gaps(texts, vectors)).at


def streamed(said):
    """(boundary, turns read when it was given) of every boundary."""
    stream, found = TopicStream(), []
    for read, ((text, _), vector) in enumerate(
        zip(said, vectors_of(kind for _, kind in said), strict=True), start=1
    ):
        found += [(boundary, read) for boundary in stream.add(text, vector)]
    return found + [(boundary, len(said)) for boundary in stream.close()]


@settings(max_examples=200)
@given(turns)
def test_a_stream_finds_exactly_the_boundaries_of_the_whole_log(said):
    assert tuple(boundary for boundary, _ in streamed(said)) == whole(said)


@given(turns)
def test_a_boundary_is_given_as_soon_as_it_is_final_and_never_later(said):
    for boundary, read in streamed(said):
        assert read == min(boundary + DELAY + 1, len(said))


@given(turns, turns)
def test_boundaries_never_change_when_more_is_said(said, more):
    final = len(said) - DELAY
    assert [i for i in whole(said) if i < final] == [i for i in whole(said + more) if i < final]


@given(turns, turns, turns)
def test_a_gap_sees_only_the_turns_within_reach(before, around, after):
    """Turns in the middle score the same, whatever stands far before and far behind them."""
    texts = [text for text, _ in around]
    kinds = [kind for _, kind in around]
    alone = score_gaps(texts, vectors_of(kinds)).shift
    said = before + around + after
    within = score_gaps([text for text, _ in said], vectors_of(kind for _, kind in said)).shift
    inner = range(LEFT, len(around) - RIGHT)
    assert [alone[i] for i in inner] == [within[len(before) + i] for i in inner]


def test_a_stream_that_heard_nothing_has_no_boundaries():
    assert TopicStream().close() == ()


def test_a_closed_stream_takes_no_more_turns():
    stream = TopicStream()
    stream.close()
    with pytest.raises(UsageError, match="closed"):
        stream.add("Hello", np.ones(3, dtype=np.float32))


# --------------------------------------------------------------------------- the model


def test_the_weights_cover_the_features_and_name_their_origin():
    from importlib.resources import files

    document = json.loads(
        files("memcore.stages.segmentation").joinpath("weights/topic_shift.json").read_text("utf-8")
    )
    model = parse_model(document)
    assert len(model.names) == len(set(model.names)) == 33
    assert len(model.manner) == len(set(model.manner)) == 9
    of_features, of_manner = (
        (model.mean, model.scale, model.weight),
        (model.manner_mean, model.manner_scale, model.manner_weight),
    )
    for columns, shape in ((of_features, (33,)), (of_manner, (9,)), ((model.by,), (9, 33))):
        for column in columns:
            assert column.shape == shape
            assert np.isfinite(column).all()
    assert (model.scale > 0).all()
    assert (model.manner_scale > 0).all()
    assert 0 < model.threshold < 1
    assert document["provenance"]["made_by"] == "benchmarks/train_segmentation.py"
    assert "TIAGE train (MIT)" in document["provenance"]["data"]


def test_every_feature_belongs_to_one_reason():
    named = [name for reason in _REASONS for name in reason.features]
    assert sorted(named) == sorted(gap_model().names)


def test_reasons_are_what_adds_most_strongest_first():
    model = gap_model()
    contributions = np.zeros(33)
    contributions[model.names.index("wide")] = 0.5
    contributions[model.names.index("greets_here")] = 2.0
    contributions[model.names.index("asks_here")] = -3.0
    values = model.mean.copy()
    values[model.names.index("greets_here")] = 1.0
    assert reasons(contributions, values, model) == ("it greets", "little in common with the turns before")


def test_what_is_missing_is_taken_as_average():
    model = gap_model()
    names, average = (*model.names, *model.manner), (*model.mean, *model.manner_mean)
    known = {name: np.array([np.nan, value]) for name, value in zip(names, average, strict=True)}
    missing = {name: np.full(2, np.nan) for name in names}
    assert judge(known, model).probability[1] == judge(missing, model).probability[1]


def test_standing_out_from_the_gaps_around_it_counts_less_where_people_tell_of_themselves():
    model = gap_model()
    average = dict(zip((*model.names, *model.manner), (*model.mean, *model.manner_mean), strict=True))

    def standing_out_adds(share_of_oneself: float) -> float:
        gap = {**average, "wide_margin": 0.2, "talk_of_oneself": share_of_oneself}
        judged = judge({name: np.array([np.nan, value]) for name, value in gap.items()}, model)
        return float(judged.contributions[1, model.names.index("wide_margin")])

    assert standing_out_adds(0.3) > standing_out_adds(0.8) + 0.25


@pytest.mark.models
def test_three_clear_topics_of_a_real_dialogue_are_found():
    from memcore.nlp.encoder.minilm import load_minilm

    said = [
        "I planted tomatoes on the balcony last week.",
        "How much sun do tomatoes get on your balcony?",
        "Six hours or so, and I water the tomatoes every evening.",
        "Good. Tomatoes like warm soil, so wait with the next seedlings until June.",
        "By the way, can you help me tune my old guitar?",
        "Sure. Start with the low E string and work up to the thin strings.",
        "The B string always sounds flat on this guitar.",
        "Old strings go flat. Put on a fresh set and stretch them before you tune.",
        "I need a train from Lyon to Geneva on Friday morning.",
        "There is a direct train at 8:34 that arrives in Geneva at 10:26.",
        "How much is a second class ticket on that train?",
        "29 euros if you book the train today.",
    ]
    found = METHODS["topic_shift"](score_gaps(said, load_minilm(threads=1).embed(said)))
    assert found.at == (4, 8)
