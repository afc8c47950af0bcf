"""The runner: what each method is given, and that figures are of all streams together."""

from __future__ import annotations

import pytest

from memcore.domain.protocols import Compressed
from memcore.evaluation.segmentation import ONLINE, evaluate_segmentation
from memcore.evaluation.topic_datasets import Stream, TopicDataset
from memcore.stages.segmentation.scores import DEFAULT_METHOD, METHODS, NEEDS_ATTENTION, Boundaries
from tests.evaluation.test_topic_baselines import GOALS, TEA
from tests.fakes import HashingEmbedder
from tests.pipeline import EvenAttention, WholeCompressor

BASELINES = {"texttiling, lexical", "random", "every 6", "none"}
DATASET = TopicDataset("tiage", "a.json", (Stream(TEA + GOALS, (6,)), Stream(GOALS + TEA, (6,))))


class HalvingCompressor:
    """Says what it was asked; keeps one word of a text."""

    name = "halves"

    def __init__(self):
        self.asked = []

    def compress(self, texts, rate):
        self.asked.append((tuple(texts), rate))
        return [Compressed(text.split()[0], (), 2, 1) for text in texts]


class WatchedAttention(EvenAttention):
    def __init__(self):
        self.read = []

    def turn_attention(self, turns):
        self.read.append(tuple(turns))
        return super().turn_attention(turns)


def run(dataset=DATASET, **changes):
    models = {
        "embedder": HashingEmbedder(64),
        "compressor": WholeCompressor(),
        "attention": EvenAttention(),
        "rate": 0.6,
    }
    return evaluate_segmentation(dataset, **(models | changes))


def test_every_named_method_stands_beside_the_baselines():
    result = run()
    assert {*METHODS} | BASELINES <= {*result.methods}
    assert result.default == DEFAULT_METHOD and result.default in result.methods
    assert (result.dataset, result.file) == ("tiage", "a.json")
    assert (result.streams, result.turns, result.boundaries) == (2, 24, 2)


def test_precision_recall_and_f1_count_over_all_streams_and_window_errors_are_means(monkeypatch):
    """A method that finds the shift of the first stream, and two false ones in the second."""
    found = iter([Boundaries((6,)), Boundaries((1, 2))])
    monkeypatch.setitem(METHODS, "scripted", lambda scores: next(found))
    scores = run(methods=("scripted",)).methods["scripted"]
    assert scores.precision == pytest.approx(100 / 3)
    assert scores.recall == pytest.approx(50)
    # windows of 3 in 12 turns: of 9, those from 3, 4, 5 hold the true boundary, those from 0, 1 a false one
    assert scores.pk == pytest.approx(100 * (0 + 5 / 9) / 2)
    assert scores.windowdiff == pytest.approx(100 * (0 + 5 / 9) / 2)


def test_a_perfect_method_is_perfect(monkeypatch):
    monkeypatch.setitem(METHODS, "all-knowing", lambda scores: Boundaries((6,)))
    scores = run(methods=("all-knowing",)).methods["all-knowing"]
    assert (scores.precision, scores.recall, scores.f1, scores.pk, scores.windowdiff) == (100, 100, 100, 0, 0)


def test_the_default_is_also_fed_one_turn_at_a_time(monkeypatch):
    """What it finds then is measured apart: here, a shift where a topic's first turn follows another."""

    class Stream(list):
        def add(self, turn, vector):
            self.append(turn)
            return (len(self) - 1,) if turn in (TEA[0], GOALS[0]) and len(self) > 1 else ()

        def close(self):
            return ()

    monkeypatch.setattr("memcore.evaluation.segmentation.TopicStream", Stream)
    result = run()
    assert result.methods[ONLINE].f1 == 100
    assert ONLINE not in run(methods=("similarity",)).methods


def test_baselines_are_what_they_claim():
    methods = run().methods
    assert methods["texttiling, lexical"].f1 == 100
    assert methods["every 6"].f1 == 100, "both topics have six turns"
    assert methods["none"].recall == 0
    assert 0 < methods["random"].f1 < 100, "a mean of several draws"


def test_embeddings_are_of_raw_turns_and_attention_of_compressed_ones():
    embedder, compressor, attention = HashingEmbedder(64), HalvingCompressor(), WatchedAttention()
    run(embedder=embedder, compressor=compressor, attention=attention, rate=0.4)
    assert compressor.asked == [(stream.turns, 0.4) for stream in DATASET.streams]
    assert embedder.embedded == [turn for stream in DATASET.streams for turn in stream.turns]
    assert attention.read == [tuple(t.split()[0] for t in stream.turns) for stream in DATASET.streams]


def test_only_chosen_methods_are_run_and_attention_is_read_only_for_those_that_need_it():
    attention, compressor = WatchedAttention(), HalvingCompressor()
    result = run(methods=("similarity",), attention=attention, compressor=compressor)
    assert {*result.methods} == {"similarity"} | BASELINES
    assert (attention.read, compressor.asked) == ([], [])
    run(methods=tuple(sorted(NEEDS_ATTENTION))[:1], attention=attention)
    assert len(attention.read) == len(DATASET.streams)


def test_progress_counts_streams():
    told = []
    run(progress=lambda stage, done, total: told.append((stage, done, total)))
    assert told == [("tiage", 0, 2), ("tiage", 1, 2), ("tiage", 2, 2)]


def test_streams_of_one_or_two_turns_are_measured_too():
    short = TopicDataset("tiage", "b.json", (Stream(("a",), ()), Stream(("a", "b"), (1,))))
    assert {*METHODS} <= {*run(short).methods}
