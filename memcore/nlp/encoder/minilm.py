"""all-MiniLM-L6-v2 as one encoder with four uses: embeddings, token codes, keep scores, turn attention.

The encoder is all-MiniLM-L6-v2 with our keep head on it, in one copy. `compress` reads each message once and
remembers the sentence vectors and token codes of that pass, so that embedding the same raw texts afterwards
costs nothing. Vectors are those of sentence-transformers: mean over the pieces, unit length, and of a text
with more than 254 word pieces only the beginning (compression reads all of it, in windows).

Questions are read in float32 on every CPU, by numpy until something loads torch (`numpy_model`): a process
that only searches never does, and the same question gives the same scores whoever reads it. What is stored,
torch reads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import BackendError
from memcore.domain.models import text_hash
from memcore.domain.protocols import Compressed, EncodedQuestion, EncodedText, TokenCodes, Vectors
from memcore.nlp.encoder.checkpoint import BODY_SHA256, embedded_numpy_model, minilm_directory
from memcore.nlp.encoder.llmlingua2 import EMBEDDED_NAME, EMBEDDED_WINDOW, LLMLingua2, load_embedded
from memcore.nlp.encoder.numpy_model import NumpyModel
from memcore.nlp.encoder.selection import ScoredWords, require_rate
from memcore.nlp.encoder.token_model import RowOutput, TokenModel
from memcore.nlp.encoder.turn_attention import turn_attention_matrix

MODEL_ID = f"sentence-transformers/all-MiniLM-L6-v2@{BODY_SHA256[:8]}"
DIMENSION = 384
EMBEDDED_PIECES = EMBEDDED_WINDOW
"""sentence-transformers cuts at 256 pieces, [CLS] and [SEP] included."""

_REMEMBERED = 20_000  # 30 MB of vectors, up to 240 MB of codes (48 bytes a piece)

_MANY_QUESTIONS = 20
"""Whoever asks so often goes on asking, and then torch's import pays."""


@dataclass(frozen=True, slots=True)
class _CachedText:
    """What is remembered of a text."""

    vector: NDArray[np.float32]
    codes: TokenCodes


class _Models:
    """The encoder's two forms, each loaded when it is first asked for: `load` gives the one that does all,
    `load_small` the one that reads questions without torch. Safe to use from several threads."""

    def __init__(self, load: Callable[[], LLMLingua2], load_small: Callable[[], NumpyModel]) -> None:
        self._load, self._loading = load, threading.Lock()
        self._load_small, self._loading_small = load_small, threading.Lock()
        self._full: LLMLingua2 | None = None
        self._small: NumpyModel | None = None
        self._questions = 0

    def full(self) -> LLMLingua2:
        """The one that does all. Raises BackendError."""
        with self._loading:
            if self._full is None:
                self._full = self._load()
                self._small = None
            return self._full

    def of_questions(self) -> TokenModel | NumpyModel:
        """What reads a question soonest. Raises BackendError."""
        if self._full is not None:
            return self._full.model
        with self._loading_small:
            small = self._small = self._small or self._load_small()
            self._questions += 1
            if self._questions == _MANY_QUESTIONS:
                threading.Thread(target=self._load_beside, name="load encoder").start()
            return small

    def _load_beside(self) -> None:
        with suppress(BackendError):  # whoever needs this form is told
            self.full()


class MiniLM:
    """Embedder, Compressor and TurnAttention at once. Safe to call from several threads."""

    model_id = MODEL_ID
    dimension = DIMENSION
    name = EMBEDDED_NAME

    def __init__(
        self,
        load: Callable[[], LLMLingua2],
        load_small: Callable[[], NumpyModel],
        *,
        remembered: int = _REMEMBERED,
    ) -> None:
        self._models = _Models(load, load_small)
        self._protects = True
        self._cache: OrderedDict[str, _CachedText] = OrderedDict()
        self._remembered = remembered
        self._lock = threading.Lock()

    @property
    def runtime(self) -> str:
        """What computes here: torch in bfloat16 on a CPU that multiplies it, else in float32. The vectors of
        both are of one model (cosine at least 0.9999)."""
        return self._models.full().model.runtime

    def unprotected(self) -> MiniLM:
        """The same models and remembered vectors; what it compresses, it protects nothing in."""
        twin = copy(self)
        twin._protects = False
        return twin

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        """See `memcore.domain.protocols.Compressor`. Raises UsageError for a rate outside (0, 1]."""
        require_rate(rate)
        return [words.at(rate) for words in self.scored(texts)]

    def scored(self, texts: Sequence[str]) -> list[ScoredWords]:
        """See `memcore.domain.protocols.ScoringCompressor`."""
        compressor = self._models.full()
        found = (compressor if self._protects else compressor.unprotected()).scored_with_rows(texts)
        for text, (_, read) in zip(texts, found, strict=True):
            if read and len(read[0][0]) <= EMBEDDED_PIECES + 2:
                self._remember(text_hash(text), read[0][1])
        return [words for words, _ in found]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `memcore.domain.protocols.Embedder`. Reads only texts that are not remembered."""
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, known in enumerate(self._read(texts)):
            found[place] = known.vector
        return found

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """See `memcore.domain.protocols.Embedder`. Reads only texts that are not remembered."""
        return [known.codes for known in self._read(texts)]

    def read_question(self, text: str) -> EncodedQuestion:
        """See `memcore.domain.protocols.Embedder`."""
        model = self._models.of_questions()
        [encoding] = model.encode([text])
        states = model.states(model.row(encoding.ids[:EMBEDDED_PIECES]))
        return EncodedQuestion.of(states.mean(axis=0), states[1:-1], encoding.offsets[:EMBEDDED_PIECES])

    def read_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        """See `memcore.domain.protocols.Embedder`. Reads only texts that are not remembered."""
        model = self._models.full().model
        spans = [found.offsets[:EMBEDDED_PIECES] for found in model.encode(texts)]
        read = zip(self._read(texts), spans, strict=True)
        return [EncodedText(known.vector, known.codes, tuple(places)) for known, places in read]

    def _read(self, texts: Sequence[str]) -> list[_CachedText]:
        keys = [text_hash(text) for text in texts]
        known = {key: self._recall(key) for key in keys}
        unread = {key: text for key, text in zip(keys, texts, strict=True) if known[key] is None}
        model = self._models.full().model
        rows = [model.row(encoding.ids[:EMBEDDED_PIECES]) for encoding in model.encode(list(unread.values()))]
        for key, output in zip(unread, model.read(rows), strict=True):
            known[key] = self._remember(key, output)
        return [found for key in keys if (found := known[key]) is not None]

    def turn_attention(self, turns: Sequence[str]) -> NDArray[np.float32]:
        """See `memcore.domain.protocols.TurnAttention`; hand in compressed turns, as LightMem does."""
        model = self._models.full().model
        pieces = [encoding.ids for encoding in model.encode(turns)]
        return turn_attention_matrix(pieces, lambda rows: model.attention([model.row(row) for row in rows]))

    def _recall(self, key: str) -> _CachedText | None:
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
            return self._cache.get(key)

    def _remember(self, key: str, output: RowOutput) -> _CachedText:
        """Its vector and the codes of its pieces, without the two framing ones."""
        known = _CachedText(output.vector, output.codes[1:-1])
        with self._lock:
            self._cache[key] = known
            while len(self._cache) > self._remembered:
                self._cache.popitem(last=False)
        return known


_loading = threading.Lock()


def load_minilm(threads: int | None = None, *, same_everywhere: bool = False) -> MiniLM:
    """The encoder, one per process and argument. Its weights are read when they are needed: for a question
    within a fifth of a second, for all else within about 2, most of it the import of torch.

    `threads` for torch; None takes the cores that are free at load time. `same_everywhere`: in float32 on
    every CPU, so that what lies near a threshold or a tie falls as it does on another machine. Raises
    BackendError where the weights are missing or damaged.
    """
    with _loading:
        return _load_once(threads, same_everywhere)


@cache
def _load_once(threads: int | None, same_everywhere: bool) -> MiniLM:
    body = minilm_directory()

    def load() -> LLMLingua2:
        import torch

        return load_embedded(threads=threads, dtype=torch.float32 if same_everywhere else None)

    return MiniLM(load, partial(embedded_numpy_model, body))
