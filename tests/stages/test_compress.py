"""The compression stage: what is handed to the compressor, and what its trace says."""

import json
from functools import partial
from types import SimpleNamespace

import pytest
from pydantic import TypeAdapter

from memcore.domain.errors import BackendError
from memcore.domain.models import Message, RawRef
from memcore.domain.protocols import Compressed, WordScore
from memcore.stages.compress import CompressionTrace, compress


def message(text: str, name: str = "m1") -> Message:
    return Message(name, "s1", 0, "Ada", "user", text, None, "none", RawRef("f", "line 1"))


class HalfCompressor:
    """Keeps the first `rate` of the words, forces capitalised ones; a token is a word."""

    name = "half"

    def __init__(self):
        self.asked = []

    def compress(self, texts, rate):
        self.asked.append((list(texts), rate))
        return [self._one(text, rate) for text in texts]

    def _one(self, text, rate):
        words, at = [], 0
        parts = text.split()
        for i, part in enumerate(parts):
            start = text.index(part, at)
            at = start + len(part)
            early = i < rate * len(parts)
            words.append(
                WordScore(
                    start,
                    at,
                    keep=0.98765 if early else 0.1,
                    kept=early or part.istitle(),
                    forced=part.istitle(),
                )
            )
        kept = [text[w.start : w.end] for w in words if w.kept]
        return Compressed(" ".join(kept), tuple(words), len(parts), len(kept))


def test_each_message_gets_its_compressed_text_and_the_speaker_is_not_part_of_it():
    compressor = HalfCompressor()
    result, _ = compress([message("one two three four", "a"), message("five six", "b")], 0.5, compressor)
    assert {name: compressed.text for name, compressed in result.items()} == {"a": "one two", "b": "five"}
    assert compressor.asked == [(["one two three four", "five six"], 0.5)]


def test_the_trace_points_at_the_raw_words_and_says_what_became_of_each():
    text = "one two three Ada"
    _, trace = compress([message(text)], 0.5, HalfCompressor())
    (row,) = trace.messages
    assert [text[a:b] for a, b in zip(row.starts, row.ends, strict=True)] == text.split()
    assert row.marks == "KKDF"
    assert row.scores == (0.988, 0.988, 0.1, 0.1)
    assert (row.tokens_before, row.tokens_after, row.rate) == (4, 3, 0.5)


def test_the_trace_sums_tokens_and_states_the_achieved_rate():
    _, trace = compress([message("a b c d", "1"), message("e f", "2")], 0.5, HalfCompressor())
    assert (trace.compressor, trace.requested_rate) == ("half", 0.5)
    assert (trace.tokens_before, trace.tokens_after, trace.achieved_rate) == (6, 3, 0.5)


def test_a_message_longer_than_the_window_is_compressed_again_from_its_raw_text():
    long = " ".join(f"w{i}" for i in range(100))
    compressor = HalfCompressor()
    result, trace = compress([message(long, "long"), message("a b", "short")], 0.5, compressor, window=20)
    assert result["long"].tokens_after <= 20
    assert [asked for asked, _ in compressor.asked[1:]] == [[long], [long]]
    assert [row.rate for row in trace.messages] == [0.125, 0.5]


class ScoringHalf(HalfCompressor):
    """Its scores do not depend on the rate."""

    def __init__(self):
        super().__init__()
        self.read = []

    def scored(self, texts):
        self.read += texts
        return [SimpleNamespace(at=partial(self._one, text)) for text in texts]


def test_a_message_is_read_once_for_all_rates_where_scores_do_not_depend_on_them():
    said = [message(" ".join(f"w{i}" for i in range(100)), "long"), message("a b", "short")]
    scoring = ScoringHalf()
    assert compress(said, 0.5, scoring, window=20) == compress(said, 0.5, HalfCompressor(), window=20)
    assert scoring.read == [one.text for one in said]


@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_a_message_that_cannot_fit_the_window_ends_the_trying(rate):
    compressor = HalfCompressor()
    said = [message(" ".join(["Ada"] * 50), "names"), message(" ".join(["word"] * 50), "words")]
    result, _ = compress(said, rate, compressor, window=10)
    assert result["names"].tokens_after == 50
    assert result["words"].tokens_after <= 10
    asked_of_names = [asked for asked, _ in compressor.asked if said[0].text in asked]
    assert len(asked_of_names) == 2, "a lower rate changed nothing, so none is tried after it"


def test_no_messages_leave_an_empty_trace():
    result, trace = compress([], 0.6, HalfCompressor())
    assert result == {}
    assert (trace.messages, trace.achieved_rate) == ((), 1.0)


def test_the_trace_of_one_session_can_be_taken_out_of_a_batch():
    messages = [message("a b c d", "1"), message("e f", "2")]
    _, whole = compress(messages, 0.5, HalfCompressor())
    trace = whole.of(messages[1:])
    assert [row.message_id for row in trace.messages] == ["2"]
    assert (trace.tokens_before, trace.tokens_after) == (2, 1)


def test_the_trace_survives_json():
    _, trace = compress([message("one Two three")], 0.5, HalfCompressor())
    adapter = TypeAdapter(CompressionTrace)
    assert adapter.validate_python(json.loads(adapter.dump_json(trace))) == trace


# ---------------------------------------------------------------- one message that cannot be compressed


class Choking(HalfCompressor):
    """Fails, as a batch and alone, on any text with the word `bad`."""

    def compress(self, texts, rate):
        if any("bad" in text.split() for text in texts):
            raise IndexError("list index out of range")
        return super().compress(texts, rate)


def test_an_error_in_one_message_does_not_leave_later_ones_uncompressed():
    """Published code stops compressing at the first message that fails."""
    said = [message("a b c d", "1"), message("bad words!", "2"), message("e f", "3")]
    result, trace = compress(said, 0.5, Choking())

    assert {name: compressed.text for name, compressed in result.items()} == {
        "1": "a b",
        "2": "bad words!",
        "3": "e",
    }
    assert [row.error for row in trace.messages] == [
        "",
        "kept raw: the compressor failed on it (IndexError: list index out of range)",
        "",
    ]
    assert (trace.messages[1].marks, trace.messages[1].tokens_after) == ("KKK", 3)


def test_a_message_that_fails_when_compressed_again_to_fit_is_kept_raw():
    class TiresOfIt(HalfCompressor):
        def compress(self, texts, rate):
            if rate < 0.5 and texts[0].startswith("long"):
                raise RuntimeError("enough")
            return super().compress(texts, rate)

    text = "long " * 40
    result, trace = compress([message(text, "1"), message("a b", "2")], 0.5, TiresOfIt(), window=10)
    assert result["1"].text == text
    assert "enough" in trace.messages[0].error


def test_a_single_message_that_fails_is_not_taken_for_a_broken_compressor():
    result, _ = compress([message("bad")], 0.5, Choking())
    assert result["m1"].text == "bad"


@pytest.mark.parametrize(
    "error", [BackendError("No weights.", "Install them."), RuntimeError("out of memory")]
)
def test_a_compressor_that_fails_on_everything_is_an_error(error):
    class Broken(HalfCompressor):
        def compress(self, texts, rate):
            raise error

    with pytest.raises(type(error), match=str(error)):
        compress([message("a b", "1"), message("c d", "2")], 0.5, Broken())
