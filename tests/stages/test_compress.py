"""The compression stage: what is handed to the compressor, and what its trace says."""

import json

import pytest
from pydantic import TypeAdapter

from memcore.models import Message, RawRef
from memcore.protocols import Compressed, WordScore
from memcore.stages.compress import CompressionTrace, compress, compression_trace


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


@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_a_message_that_cannot_fit_the_window_ends_the_trying(rate):
    names = " ".join(["Ada"] * 50)
    result, _ = compress([message(names)], rate, HalfCompressor(), window=10)
    assert result["m1"].tokens_after == 50


def test_no_messages_leave_an_empty_trace():
    result, trace = compress([], 0.6, HalfCompressor())
    assert result == {}
    assert (trace.messages, trace.achieved_rate) == ((), 1.0)


def test_the_trace_of_one_session_can_be_taken_out_of_a_batch():
    messages = [message("a b c d", "1"), message("e f", "2")]
    result, _ = compress(messages, 0.5, HalfCompressor())
    trace = compression_trace(messages[1:], result, 0.5, "half")
    assert [row.message_id for row in trace.messages] == ["2"]
    assert (trace.tokens_before, trace.tokens_after) == (2, 1)


def test_the_trace_survives_json():
    _, trace = compress([message("one Two three")], 0.5, HalfCompressor())
    adapter = TypeAdapter(CompressionTrace)
    assert adapter.validate_python(json.loads(adapter.dump_json(trace))) == trace
