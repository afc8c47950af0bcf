"""Real sentences with what the encoder makes of them, of which benchmarks make large stores.

    python -m benchmarks.sentences DIR TEXTS 30000

`TEXTS` is a file of one text a line; its sentences are kept in DIR with the embedded encoder's vectors and
token codes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memcore.nlp.encoder.minilm import load_minilm

NOISE = 0.2

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Sentences:
    """Real sentences, what the encoder makes of them, and the words in them."""

    texts: list[str]
    vectors: Floats
    codes: list[NDArray[np.uint8]]
    words: list[str]

    @classmethod
    def kept_in(cls, directory: Path) -> Sentences:
        """As `sentences` wrote them."""
        texts = json.loads((directory / "sentences.json").read_text())
        with np.load(directory / "sentences.npz") as kept:
            codes = np.split(kept["codes"], np.cumsum(kept["lengths"])[:-1])
            vectors = kept["vectors"]
        words = [word for text in texts for word in re.findall(r"[a-z]{3,}", text)]
        return cls(texts, vectors, codes, words)


def noisy(chance: np.random.Generator, vectors: Floats) -> Floats:
    """Unit vectors near those (cosine about .98)."""
    noise = chance.standard_normal(vectors.shape, dtype=np.float32)
    noise *= NOISE / np.sqrt(vectors.shape[1])
    return np.asarray((vectors + noise) / np.linalg.norm(vectors + noise, axis=1, keepdims=True), np.float32)


def questions(known: Sentences, speakers: Sequence[str], count: int) -> list[str]:
    """What one may ask: of a speaker, and some words that were said by somebody."""
    chance = np.random.default_rng(3)
    found = []
    for n, sentence in enumerate(chance.integers(0, len(known.texts), count).tolist()):
        words = known.texts[sentence].split()
        begin = int(chance.integers(0, max(1, len(words) - 5)))
        found.append(
            f"What did {speakers[n % len(speakers)]} say about {' '.join(words[begin : begin + 5])}?"
        )
    return found


def sentences(directory: Path, source: Path, count: int) -> None:
    """Read `count` distinct sentences, chosen by chance, with the embedded encoder."""
    found: dict[str, None] = {}
    for line in source.read_text().splitlines():
        for sentence in re.split(r"(?<=[.!?])\s+", line):
            text = " ".join(sentence.split()).strip("*-# ")
            if 20 <= len(text) <= 220 and text.count(" ") >= 3:
                found.setdefault(text)
    everything = list(found)
    chosen = [everything[n] for n in np.random.default_rng(0).permutation(len(everything))[:count]]
    chosen.sort(key=len)  # what is read together is then of one length
    encoder = load_minilm(threads=1)
    read = [
        one for first in range(0, len(chosen), 64) for one in encoder.read_texts(chosen[first : first + 64])
    ]
    directory.mkdir(parents=True, exist_ok=True)
    np.savez(
        directory / "sentences.npz",
        vectors=np.stack([one.vector for one in read]),
        codes=np.concatenate([one.codes for one in read]),
        lengths=np.array([len(one.codes) for one in read]),
    )
    (directory / "sentences.json").write_text(json.dumps(chosen))
    print(f"{len(chosen):,} of {len(everything):,} distinct sentences")


if __name__ == "__main__":
    sentences(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
