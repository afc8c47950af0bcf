"""Small stand-ins for models, for tests that are about something else.

`ScriptedLlm` answers from a queue and remembers what it was asked, like the mock model of
simonw/llm's test suite. `HashingEmbedder` gives the same unit vectors on every machine: texts that
share words are near, texts that share none are orthogonal up to hash collisions.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel

from memcore.domain.models import LlmCall
from memcore.domain.protocols import (
    EncodedQuestion,
    EncodedText,
    LlmReply,
    Reply,
    TokenCodes,
    Vectors,
    sign_codes,
)


@dataclass(frozen=True)
class Asked:
    """One call a test can look at: `ask` (with its schema), `call` (with its tools) or `write`."""

    stage: str
    prompt_version: str
    system: str
    user: str
    schema: type[BaseModel] | None
    tools: tuple[type[BaseModel], ...] = ()


Answer = str | Exception | Callable[[Asked], str]
"""The reply's text (for `ask`: JSON, for `call`: {"name": TOOL, "arguments": {...}}), or an exception to
raise, or a function of the call."""


class ScriptedLlm:
    """An `Llm` that gives its answers in order; a call without an answer left fails the test."""

    model_id = "scripted"

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self.answers: list[Answer] = list(answers)
        self.history: list[Asked] = []
        self._lock = threading.Lock()

    def enqueue(self, answer: Answer) -> None:
        self.answers.append(answer)

    def ask(
        self,
        *,
        stage: str,
        prompt_version: str,
        system: str,
        user: str,
        schema: type[Reply],
        place: str = "",
    ) -> LlmReply[Reply]:
        text = self._next(Asked(stage, prompt_version, system, user, schema))
        return LlmReply(schema.model_validate_json(text), text, len(user.split()), len(text.split()), 0.0)

    def call(
        self,
        *,
        stage: str,
        prompt_version: str,
        system: str,
        user: str,
        tools: Sequence[type[BaseModel]],
        place: str = "",
    ) -> LlmReply[BaseModel]:
        text = self._next(Asked(stage, prompt_version, system, user, None, tuple(tools)))
        called = json.loads(text)
        tool = next(tool for tool in tools if tool.__name__ == called["name"])
        data = tool.model_validate(called["arguments"])
        return LlmReply(data, text, len(user.split()), len(text.split()), 0.0)

    def write(self, *, stage: str, prompt_version: str, system: str, user: str, place: str = "") -> str:
        return self._next(Asked(stage, prompt_version, system, user, None))

    def _next(self, call: Asked) -> str:
        with self._lock:
            self.history.append(call)
            assert self.answers, f"the script has no answer left for {call.stage}: {call.user[:80]!r}"
            answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else answer(call)


class ListLedger:
    """A `Ledger` that keeps the calls in a list."""

    def __init__(self) -> None:
        self.calls: list[LlmCall] = []

    def record(self, call: LlmCall) -> None:
        self.calls.append(call)


class HashingEmbedder:
    """An `Embedder`: each word and each pair of neighbouring words adds a signed hash bucket."""

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.model_id = f"hashing-{dimension}"
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            words = re.findall(r"\w+", text.lower()) or [""]
            for feature in [*words, *(" ".join(pair) for pair in itertools.pairwise(words))]:
                digest = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
                vectors[row, digest % self.dimension] += 1.0 if digest >> 63 else -1.0
            if not vectors[row].any():  # features cancelled out: still a unit vector
                vectors[row, 0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        return [sign_codes(self._pieces(text)[0]) for text in texts]

    def read_question(self, text: str) -> EncodedQuestion:
        return EncodedQuestion(self.embed([text])[0], *self._pieces(text))

    def read_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        read = zip(texts, self.embed(texts), strict=True)
        return [
            EncodedText(vector, sign_codes(pieces), spans)
            for text, vector in read
            for pieces, spans in [self._pieces(text)]
        ]

    def _pieces(self, text: str) -> tuple[Vectors, tuple[tuple[int, int], ...]]:
        """One piece a word: a random direction that is the word's own."""
        words = list(re.finditer(r"\w+", text.lower()))
        seeds = [hashlib.blake2b(word[0].encode(), digest_size=8).digest() for word in words]
        states = np.stack(
            [np.random.default_rng(list(seed)).normal(size=self.dimension) for seed in seeds]
            or [np.zeros(self.dimension)]
        ).astype(np.float32)[: len(words)]
        spans = tuple(word.span() for word in words)
        return states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12), spans


EMBEDDER = HashingEmbedder(64)
