"""One encoder with three uses: what is read once is not read again; and the real model's promises."""

import json
import random
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcore.domain.errors import BackendError, UsageError
from memcore.domain.protocols import Compressed
from memcore.nlp.encoder.minilm import DIMENSION, EMBEDDED_PIECES, MiniLM
from memcore.nlp.encoder.token_model import RowOutput, TokenModel
from memcore.nlp.encoder.words import word_spans

SAMPLE = Path(__file__).parents[3] / "sample_data" / "two_friends.json"


class FakeModel:
    """A piece per word; a text's vector points along its number of words. Counts what it reads."""

    def __init__(self):
        self.rows_read = 0

    def encode(self, texts):
        class Encoding:
            def __init__(self, text):
                self.ids = list(range(1, len(text.split()) + 1))
                self.offsets = [(0, 1)] * len(self.ids)

        return [Encoding(text) for text in texts]

    def row(self, ids):
        return [0, *ids, 0]

    def states(self, row):
        self.rows_read += 1
        return np.ones((len(row), DIMENSION), np.float32)

    def read(self, rows):
        self.rows_read += len(rows)
        return [
            RowOutput(
                np.ones(len(row), np.float32),
                np.eye(DIMENSION, dtype=np.float32)[len(row) - 2],
                np.arange(len(row), dtype=np.uint8)[:, None],
            )
            for row in rows
        ]


@dataclass
class Words:
    text: str

    def at(self, rate):
        return Compressed(self.text, (), 1, 1)


class FakeCompressor:
    name = "fake"

    def __init__(self, model=None, *, protect=True):
        self.model = model or FakeModel()
        self.protect = protect

    def unprotected(self):
        return FakeCompressor(self.model, protect=False)

    def scored_with_rows(self, texts):
        rows = [self.model.row(encoding.ids) for encoding in self.model.encode(texts)]
        readings = self.model.read(rows)
        return [
            (Words(text if self.protect else ""), [(row, reading)])
            for text, row, reading in zip(texts, rows, readings, strict=True)
        ]


def minilm(compressor, **options) -> MiniLM:
    return MiniLM(lambda: compressor, lambda: compressor.model, **options)


def test_embedding_what_was_just_compressed_reads_nothing():
    compressor = FakeCompressor()
    encoder = minilm(compressor)
    encoder.compress(["one", "two words"], 0.5)
    vectors = encoder.embed(["two words", "one", "two words"])
    assert compressor.model.rows_read == 2
    assert vectors.argmax(axis=1).tolist() == [2, 1, 2]


def test_without_protection_nothing_is_loaded_or_read_twice():
    compressor = FakeCompressor()
    encoder = minilm(compressor)
    assert encoder.unprotected().compress(["one"], 0.5)[0].text == ""
    assert encoder.compress(["two words"], 0.5)[0].text == "two words"
    assert encoder.embed(["one", "two words"]).argmax(axis=1).tolist() == [1, 2]
    assert compressor.model.rows_read == 2


def test_equal_texts_are_read_once():
    compressor = FakeCompressor()
    minilm(compressor).embed(["same", "same", "same"])
    assert compressor.model.rows_read == 1


def test_a_text_longer_than_the_embedder_reads_is_embedded_from_its_beginning():
    compressor = FakeCompressor()
    encoder = minilm(compressor)
    long = "w " * 300
    encoder.compress([long], 0.5)
    assert encoder.embed([long]).argmax() == EMBEDDED_PIECES
    assert compressor.model.rows_read == 2


def test_only_so_many_vectors_are_remembered_and_the_oldest_forgotten():
    compressor = FakeCompressor()
    encoder = minilm(compressor, remembered=2)
    encoder.embed(["a", "b b", "c c c"])
    encoder.embed(["b b", "c c c"])
    assert compressor.model.rows_read == 3
    encoder.embed(["a"])
    assert compressor.model.rows_read == 4


def test_embedding_more_texts_at_once_than_are_remembered_works():
    vectors = minilm(FakeCompressor(), remembered=1).embed(["a", "b b", "a"])
    assert vectors.argmax(axis=1).tolist() == [1, 2, 1]


def test_no_texts_give_no_vectors():
    assert minilm(FakeCompressor()).embed([]).shape == (0, DIMENSION)


def test_questions_are_read_without_the_full_model_until_that_is_there():
    full, small = FakeCompressor(), FakeModel()
    encoder = MiniLM(lambda: full, lambda: small)
    encoder.read_question("a b")
    assert (small.rows_read, full.model.rows_read) == (1, 0)
    encoder.embed(["a"])
    encoder.read_question("a b")
    assert (small.rows_read, full.model.rows_read) == (1, 2)


def test_whoever_goes_on_asking_is_soon_answered_by_the_full_model():
    full, small = FakeCompressor(), FakeModel()
    encoder = MiniLM(lambda: full, lambda: small)
    deadline = time.monotonic() + 10
    while not full.model.rows_read and time.monotonic() < deadline:
        encoder.read_question("a")
    assert full.model.rows_read
    assert small.rows_read > 4


def test_a_full_model_that_cannot_be_loaded_leaves_the_small_one_and_is_told_to_who_needs_it():
    def missing():
        raise BackendError("torch is not installed.", "Run: pip install torch")

    small = FakeModel()
    encoder = MiniLM(missing, lambda: small)
    for _ in range(60):
        encoder.read_question("a")
    assert small.rows_read == 60
    with pytest.raises(BackendError, match="not installed"):
        encoder.compress(["a"], 0.5)


# --------------------------------------------------------------------------- the real model


@pytest.fixture(scope="module")
def sample_texts() -> list[str]:
    (sample,) = json.loads(SAMPLE.read_text(encoding="utf-8"))
    sessions = [value for value in sample["conversation"].values() if isinstance(value, list)]
    return [turn["text"] for session in sessions for turn in session]


@pytest.fixture(scope="module")
def encoder() -> MiniLM:
    from memcore.nlp.encoder.minilm import load_minilm

    return load_minilm(threads=1)


@pytest.fixture(scope="module")
def prompt_compressor() -> Any:
    """llmlingua's own. What its model answers does not depend on the rate, so the same rows, padded to 512,
    are computed once."""
    from memcore.nlp.encoder.checkpoint import embedded_checkpoint
    from memcore.nlp.encoder.llmlingua2 import load_prompt_compressor

    theirs = load_prompt_compressor(str(embedded_checkpoint()))
    forward, answers = theirs.model.forward, {}

    def once(input_ids, attention_mask):
        rows = (input_ids.numpy().tobytes(), attention_mask.numpy().tobytes())
        if rows not in answers:
            answers[rows] = forward(input_ids=input_ids, attention_mask=attention_mask)
        return answers[rows]

    theirs.model.forward = once
    return theirs


@pytest.mark.models
def test_vectors_are_those_of_sentence_transformers(encoder, sample_texts):
    from memcore.nlp.encoder.checkpoint import minilm_directory
    from memcore.nlp.encoder.sentence_embedder import load_sentence_embedder

    texts = [*sample_texts, " ".join(sample_texts), "", "¿Qué?", "日本語"]
    expected = load_sentence_embedder(str(minilm_directory()), threads=1).embed(texts)
    encoder.compress(texts, 0.6)
    assert (encoder.embed(texts) * expected).sum(axis=1).min() >= 0.9999


@pytest.mark.models
def test_a_sentence_transformers_model_reads_questions_and_pieces_as_the_embedded_encoder_does(encoder):
    from memcore.nlp.encoder.checkpoint import minilm_directory
    from memcore.nlp.encoder.sentence_embedder import load_sentence_embedder

    theirs = load_sentence_embedder(str(minilm_directory()), threads=1)
    long = "She painted the lake at sunrise. " * 60
    for text in ("When did Zoë go hiking?", "¿Qué?", long):
        own, other = encoder.read_question(text), theirs.read_question(text)
        assert other.spans == own.spans
        assert (other.pieces * own.pieces).sum(axis=1).min() >= 0.999
        assert other.vector @ own.vector >= 0.9999
        assert other.vector.tolist() == pytest.approx(theirs.embed([text])[0].tolist(), abs=1e-6)
    texts = ["Thanks!", long, "日本語 and English"]
    for text, own, other in zip(texts, encoder.token_codes(texts), theirs.token_codes(texts), strict=True):
        assert other.shape == own.shape, text
        assert np.unpackbits(other ^ own).mean() < 0.02


@pytest.mark.slow
@pytest.mark.models
def test_on_words_both_split_alike_what_prompt_compressor_keeps_scores_above_what_it_drops(
    sample_texts, prompt_compressor
):
    """Plain lower-case words, which llmlingua neither splits nor rewrites; in its own precision."""
    import torch

    from memcore.nlp.encoder.cl100k import count_tokens
    from memcore.nlp.encoder.llmlingua2 import LLMLingua2, of_prompt_compressor

    theirs = prompt_compressor
    ours = LLMLingua2(
        of_prompt_compressor(theirs), name="ours", threads=1, protect=False, dtype=torch.float32
    )
    # a word's tokens are counted in context here and alone there: take words where that is the same
    plain = [
        " ".join(w for w in re.findall("[a-z]+", text.lower()) if count_tokens(w) == count_tokens(" " + w))
        for text in sample_texts
    ]
    plain = [text for text in plain if len(text.split()) > 2]
    plain = plain[:32]
    assert len(plain) >= 30
    found = ours.compress(plain, 0.5)
    for rate in (0.6, 0.4):
        answer = theirs.compress_prompt(
            plain, rate=rate, return_word_label=True, word_sep="|", use_context_level_filter=False
        )
        labels = iter(answer["fn_labeled_original_prompt"].split("|"))
        for text, compressed in zip(plain, found, strict=True):
            scores: dict[str, list[float]] = {"0": [], "1": []}
            for word in compressed.words:
                expected, label = next(labels).rsplit(" ", 1)
                assert text[word.start : word.end] == expected
                scores[label].append(word.keep)
            assert min(scores["1"], default=1.0) > max(scores["0"], default=0.0)


@pytest.mark.slow
@pytest.mark.models
def test_on_llmlinguas_own_words_the_labels_are_prompt_compressors(sample_texts, prompt_compressor):
    """Any text: our forward pass in its precision, its threshold on the words that its merging makes."""
    import torch

    from memcore.nlp.encoder.cl100k import count_tokens
    from memcore.nlp.encoder.llmlingua2 import of_prompt_compressor
    from memcore.nlp.encoder.token_model import TokenModel

    theirs = prompt_compressor
    model = TokenModel(of_prompt_compressor(theirs), threads=1, dtype=torch.float32)
    texts = [text for text in sample_texts if len(text) > 40][:32]
    assert len(texts) >= 30
    encodings = model.encode(texts)
    readings = model.read([model.row(encoding.ids) for encoding in encodings])
    merged = []
    for encoding, reading in zip(encodings, readings, strict=True):
        words, scores, _ = theirs._PromptCompressor__merge_token_to_word(
            encoding.tokens, list(reading.keep[1:-1]), [], {}, False
        )
        merged.append((words, theirs._PromptCompressor__token_prob_to_word_prob(scores)))
    for rate in (0.6, 0.4):
        labelled = []
        for words, scores in merged:
            by_token = np.repeat(scores, [count_tokens(word) for word in words])
            threshold = np.percentile(by_token, int(100 * (1 - rate) + 1))
            labelled += [(word, bool(score > threshold)) for word, score in zip(words, scores, strict=True)]
        answer = theirs.compress_prompt(
            texts, rate=rate, return_word_label=True, use_context_level_filter=False
        )
        expected = [line.rsplit(" ", 1) for line in answer["fn_labeled_original_prompt"].split("\t\t|\t\t")]
        assert labelled == [(word, label == "1") for word, label in expected]


@pytest.mark.models
def test_compression_keeps_about_the_rate_and_everything_protected(encoder, sample_texts):
    from memcore.nlp.encoder.words import protected_words

    for rate in (0.8, 0.6, 0.4):
        found = encoder.compress(sample_texts, rate)
        before, after = sum(c.tokens_before for c in found), sum(c.tokens_after for c in found)
        assert rate - 0.06 < after / before < rate + 0.06
        for text, compressed in zip(sample_texts, found, strict=True):
            must = protected_words(text, word_spans(text))
            assert all(word.kept for word, protected in zip(compressed.words, must, strict=True) if protected)


@pytest.mark.models
@pytest.mark.parametrize("text", ["Hi", "😀", "ꦏꦧ", "?!"])
def test_nothing_compresses_to_nothing(encoder, text):
    assert encoder.compress([text], 0.4)[0].text == text


@pytest.mark.models
@pytest.mark.parametrize(
    "text", ["", "  \n", "a\ud800b", "[SEP] [CLS] <|endoftext|> ##s", "x" * 5000, "a," * 2000]
)
def test_odd_texts_are_compressed_like_any_other(encoder, text):
    (compressed,) = encoder.compress([text], 0.5)
    assert [(word.start, word.end) for word in compressed.words] == word_spans(text)
    assert bool(compressed.text) == bool(text.strip())


@pytest.mark.models
def test_a_message_of_many_windows_is_compressed_whole(encoder, sample_texts):
    text = " ".join(sample_texts * 5)
    (compressed,) = encoder.compress([text], 0.5)
    assert 0.44 < compressed.tokens_after / compressed.tokens_before < 0.56
    late = [word for word in compressed.words if word.start > 0.9 * len(text)]
    assert 0.2 < sum(word.kept for word in late) / len(late) < 0.8


@pytest.mark.models
def test_a_message_of_many_windows_is_embedded_by_the_pass_that_compressed_it(
    encoder, sample_texts, monkeypatch
):
    texts = [" ".join(sample_texts[:count]) for count in (20, 40, 60)]
    expected = encoder.embed([text + "." for text in texts])  # cut off, or hardly heard
    encoder.compress(texts, 0.5)
    monkeypatch.setattr(TokenModel, "read", lambda _, rows: [] if not rows else pytest.fail())
    found = encoder.embed(texts)
    assert (found * expected).sum(axis=1).min() > 0.999
    assert all(len(codes) == EMBEDDED_PIECES for codes in encoder.token_codes(texts))


@pytest.mark.models
def test_letters_the_model_does_not_know_are_kept(encoder):
    (compressed,) = encoder.compress(["so then we said ꦏꦧꦂ to all of the people there"], 0.4)
    assert "ꦏꦧꦂ" in compressed.text


@pytest.mark.models
@pytest.mark.parametrize("rate", [0.0, -0.5, 1.5])
def test_a_rate_that_is_no_share_is_refused(encoder, rate):
    with pytest.raises(UsageError):
        encoder.compress(["text"], rate)


@pytest.mark.models
def test_turn_attention_prefers_no_future_and_sums_to_one(encoder, sample_texts):
    matrix = encoder.turn_attention(sample_texts[:30])
    assert matrix.shape == (30, 30)
    assert np.allclose(np.triu(matrix), 0)
    assert np.allclose(matrix.sum(axis=1)[1:], 1, atol=1e-4)


@pytest.mark.models
def test_loading_disturbs_neither_randomness_nor_threads():
    import torch

    from memcore.nlp.encoder.checkpoint import embedded_checkpoint
    from memcore.nlp.encoder.llmlingua2 import load_embedded, load_prompt_compressor

    random.seed(5), np.random.seed(5), torch.manual_seed(5)
    expected = (random.random(), np.random.rand(), torch.rand(1).item())
    random.seed(5), np.random.seed(5), torch.manual_seed(5)
    threads = torch.get_num_threads()
    load_prompt_compressor(str(embedded_checkpoint()))
    load_embedded(threads=1).compress(["one more text"], 0.5)
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == expected
    assert torch.get_num_threads() == threads


@pytest.mark.models
def test_an_embedding_model_that_is_not_here_is_an_error_with_the_fix():
    from memcore.nlp.encoder.sentence_embedder import load_sentence_embedder

    with pytest.raises(BackendError, match="hf download"):
        load_sentence_embedder("/nowhere/at-all")


@pytest.mark.models
def test_the_doctor_names_what_the_encoder_computes_with(encoder):
    from memcore.runtime.chosen import ChosenBackends
    from memcore.runtime.config import Settings
    from memcore.runtime.examine import check_models

    found = {check.name: check.what for check in check_models(ChosenBackends(Settings()))}
    assert encoder.runtime in {"torch bfloat16", "torch float32"}
    assert encoder.runtime in found["model encoder"]
    assert encoder.runtime in found["model compressor"]
    assert "torch" not in found["model language pipeline"]
