"""One pass over rows: what it hands out, and that the fast encoder computes what transformers computes."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.nlp.encoder.token_model import TokenModel, batches
from memcore.nlp.encoder.word_pieces import MAX_ROW

SAID = (
    "I adopted a dog last week.",
    "What is its name?",
    "Rex! He is three years old, and he likes the sea as much as I do.",
    " ".join(["We walked along the river until it got dark, and then we took the bus home."] * 20),
)


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 200))
def test_batches_hold_every_row_once_and_no_more_positions_than_the_budget(lengths, budget):
    found = list(batches(lengths, budget))
    assert sorted(i for batch in found for i in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) * max(lengths[i] for i in batch) <= budget or len(batch) == 1


@pytest.fixture(scope="module")
def loaded():
    from memcore.nlp.encoder.checkpoint import embedded_checkpoint
    from memcore.nlp.encoder.llmlingua2 import load_prompt_compressor

    return load_prompt_compressor(str(embedded_checkpoint()))


def model(loaded, precision) -> TokenModel:
    import torch

    from memcore.nlp.encoder.llmlingua2 import of_prompt_compressor

    return TokenModel(of_prompt_compressor(loaded), threads=1, dtype=getattr(torch, precision))


def rows_of(model: TokenModel, texts=SAID) -> list[list[int]]:
    return [model.row(encoding.ids) for encoding in model.encode(texts)]


@pytest.mark.models
@pytest.mark.parametrize(
    ("precision", "rounding"), [("float32", 1e-4), pytest.param("bfloat16", 0.05, marks=pytest.mark.slow)]
)
def test_states_scores_and_attention_are_those_of_the_transformers_model(loaded, precision, rounding):
    import torch

    ours = model(loaded, precision)
    rows = rows_of(ours)
    for row, read, paid in zip(rows, ours.read(rows), ours.attention(rows), strict=True):
        with torch.inference_mode():
            theirs = loaded.model(
                input_ids=torch.tensor([row]), output_hidden_states=True, output_attentions=True
            )
        assert np.abs(ours.states(row) - theirs.hidden_states[-1][0].numpy()).max() < rounding
        assert np.abs(read.keep - theirs.logits.softmax(-1)[0, :, 1].numpy()).max() < rounding
        upper = theirs.attentions[len(theirs.attentions) // 2 :]
        expected = torch.stack(upper).mean((0, 2))[0].numpy()
        assert np.abs(paid - expected).max() < rounding
        assert paid.sum(axis=1) == pytest.approx(1, abs=rounding)


@pytest.mark.models
def test_the_mean_of_a_rows_states_is_its_vector_and_their_signs_are_its_codes(loaded):
    ours = model(loaded, "float32")
    rows = rows_of(ours)
    for row, read in zip(rows, ours.read(rows), strict=True):
        states = ours.states(row)
        assert states.shape == (len(row), len(read.vector))
        assert (np.unpackbits(read.codes, axis=1) == (states > 0)).mean() > 0.999
        mean = states.mean(axis=0)
        assert mean / np.linalg.norm(mean) == pytest.approx(read.vector, abs=1e-5)


@pytest.mark.models
@pytest.mark.parametrize(
    ("precision", "rounding"), [("float32", 1e-4), pytest.param("bfloat16", 0.01, marks=pytest.mark.slow)]
)
def test_a_row_read_alone_is_the_same_as_among_longer_ones(precision, rounding):
    """Alone it is read a layer a step (in float32), beside longer ones with its padding hidden from it."""
    import torch

    from memcore.nlp.encoder.llmlingua2 import load_embedded

    ours = load_embedded(threads=1, dtype=getattr(torch, precision)).model
    rows = rows_of(ours)
    alone = [ours.read([row])[0] for row in rows]
    for one, beside in zip(alone, ours.read(rows), strict=True):
        assert one.vector == pytest.approx(beside.vector, abs=rounding)
        assert one.keep == pytest.approx(beside.keep, abs=10 * rounding)
    mean = ours.states(rows[0]).mean(axis=0)
    assert mean / np.linalg.norm(mean) == pytest.approx(alone[0].vector, abs=rounding)


@pytest.mark.models
def test_bfloat16_vectors_and_scores_are_nearly_those_of_float32(loaded):
    exact, fast = model(loaded, "float32"), model(loaded, "bfloat16")
    rows = rows_of(exact)
    for expected, found in zip(exact.read(rows), fast.read(rows), strict=True):
        assert expected.vector @ found.vector > 0.9995
        assert np.abs(expected.keep - found.keep).max() < 0.03


@pytest.mark.models
def test_the_active_precision_is_named(loaded):
    assert model(loaded, "float32").runtime == "torch float32"
    assert model(loaded, "bfloat16").runtime == "torch bfloat16"


@pytest.mark.models
def test_a_row_holds_no_more_than_the_model_reads(loaded):
    assert len(model(loaded, "float32").row(range(1000))) == MAX_ROW


@pytest.mark.models
def test_the_model_read_from_its_file_is_the_one_that_prompt_compressor_loads(loaded):
    import torch

    from memcore.nlp.encoder.checkpoint import embedded_classifier

    theirs = model(loaded, "float32")
    ours = TokenModel(embedded_classifier(), threads=1, dtype=torch.float32)
    texts = [*SAID, "Zoë’s café — naïve? 日本語 C++ don't 🙂", "", "[UNK] x"]
    assert [e.ids for e in ours.encode(texts)] == [e.ids for e in theirs.encode(texts)]
    assert [e.offsets for e in ours.encode(texts)] == [e.offsets for e in theirs.encode(texts)]
    rows = rows_of(ours, texts)
    for row, own, other in zip(rows, ours.read(rows), theirs.read(rows), strict=True):
        assert np.abs(own.keep - other.keep).max() < 1e-5
        assert own.vector @ other.vector > 0.99999
        assert np.abs(ours.states(row) - theirs.states(row)).max() < 1e-4


@pytest.mark.models
def test_numpy_reads_what_torch_reads():
    import torch

    from memcore.nlp.encoder.checkpoint import (
        embedded_classifier,
        embedded_numpy_model,
        minilm_directory,
    )

    full = TokenModel(embedded_classifier(), threads=1, dtype=torch.float32)
    small = embedded_numpy_model(minilm_directory())
    texts = [*SAID, "Zoë’s café — naïve? 日本語 C++ don't 🙂", "", "[UNK] x", "the dog was here " * 200]
    rows = rows_of(full, texts)
    assert rows_of(small, texts) == rows
    for row in rows:
        assert np.abs(small.states(row) - full.states(row)).max() < 1e-4


@pytest.mark.models
def test_a_question_is_read_in_float32_where_all_else_is_not():
    import torch

    from memcore.nlp.encoder.checkpoint import embedded_classifier

    fast = TokenModel(embedded_classifier(), threads=1, dtype=torch.bfloat16)
    exact = TokenModel(embedded_classifier(), threads=1, dtype=torch.float32)
    for row in rows_of(fast, SAID):
        assert np.abs(fast.states(row) - exact.states(row)).max() < 1e-5


@pytest.mark.models
@pytest.mark.parametrize(
    ("reading", "unneeded"),
    [
        ("read_question('Who has a dog?')", "torch llmlingua transformers nltk sklearn"),
        ("embed(['a', 'b', 'c', 'd', 'e'])", "llmlingua transformers nltk sklearn"),
    ],
)
def test_reading_loads_no_library_that_it_does_not_need(reading, unneeded):
    """Their imports take longer than everything else that a question needs."""
    asked = (
        "import sys; from memcore.nlp.encoder.minilm import load_minilm; "
        f"load_minilm(threads=1).{reading}; "
        f"print([name for name in '{unneeded}'.split() if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
