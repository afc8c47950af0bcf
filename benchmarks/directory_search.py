"""How fast is search in a directory's store of one owner with a million memories, cold and warm?

    python -m benchmarks.sentences SENTENCES TEXTS 30000
    python -m benchmarks.directory_search build DIR SENTENCES 1000000
    python -m benchmarks.directory_search cold DIR               each first search in a process of its own
    python -m benchmarks.directory_search warm DIR SENTENCES

`build` writes the store of `benchmarks.search_scale`, with real sentences instead of made-up words: a message
is a sentence with two words of others, so that no two texts are equal, and its vector that of the sentence
with noise (cosine about .98); every memory restates a message of its own. Then all indexes are made and
written. Searches are `Memory.search` with the embedded encoder, as every caller's. `cold` is asked with the
store's files in the system's cache, and with them put out of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from os import getloadavg
from pathlib import Path

import numpy as np
import psutil

from benchmarks.search_scale import build, index, percentiles, resident, timed
from benchmarks.sentences import Sentences, noisy, questions
from memcore.domain.protocols import TokenCodes, Vectors
from memcore.memory import Memory, open_memory
from memcore.nlp.encoder.minilm import MODEL_ID

QUESTIONS = 200
ROUNDS = 3


class RealLanguage:
    """As `search_scale.Language`, of real sentences."""

    model_id = MODEL_ID

    def __init__(self, known: Sentences) -> None:
        self._known = known
        self._chance = np.random.default_rng(0)
        self._sentence_of: dict[str, int] = {}

    def told(self, count: int) -> tuple[list[str], list[str]]:
        """What is said, and what is remembered of it."""
        which = self.numbers(len(self._known.texts), count)
        words = self._chance.integers(0, len(self._known.words), (count, 2)).tolist()
        said = [
            f"{self._known.texts[s]} {self._known.words[one]} {self._known.words[other]}"
            for s, (one, other) in zip(which, words, strict=True)
        ]
        self._sentence_of = dict(zip(said, which, strict=True))
        return said, [f"said: {text}" for text in said]

    def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Those of their sentences with noise; of what has none, of any."""
        others = self.numbers(len(self._known.texts), len(texts))
        which = [
            other if (of := self._of(text)) is None else of for text, other in zip(texts, others, strict=True)
        ]
        return noisy(self._chance, self._known.vectors[which])

    def codes(self, text: str) -> TokenCodes:
        """Those of its sentence."""
        sentence = self._of(text)
        assert sentence is not None, "codes are of what is said and remembered"
        return self._known.codes[sentence]

    def _of(self, text: str) -> int | None:
        return self._sentence_of.get(text.partition(" said: ")[2] or text, self._sentence_of.get(text))

    def numbers(self, below: int, count: int) -> list[int]:
        """Whole numbers from 0 up to, not including, `below`."""
        return [int(number) for number in self._chance.integers(0, below, count)]


def warm(directory: Path, known: Sentences) -> None:
    """Searches one after the other, in one process."""
    with open_memory(directory, serve=False) as memory:
        asked = questions(known, memory.store.speakers("me"), QUESTIONS)
        print(f"{memory.store.count_memories('me'):,} memories; load {getloadavg()[0]:.1f}")
        encoder = memory.backends.embedder()
        for question in asked[:5]:
            memory.search(f"So: {question}")
        percentiles("reading a question", [partial(encoder.read_question, f"{q} Really?") for q in asked])
        for turn in range(ROUNDS):
            works = [partial(memory.search, f"{'Again: ' * turn}{question}") for question in asked]
            percentiles(f"search, round {turn + 1}", works)
        print(f"{resident()}; load {getloadavg()[0]:.1f}")


def cold(directory: Path) -> None:
    """First searches, by processes of their own."""
    for turn in range(2 * ROUNDS):
        if turn < ROUNDS:
            _put_out_of_cache(directory)
        print("files not in the system's cache" if turn < ROUNDS else "files in the system's cache")
        command = [sys.executable, "-m", "benchmarks.directory_search", "first", str(directory)]
        subprocess.run([*command, str(turn)], check=True)


def _put_out_of_cache(directory: Path) -> None:
    for path in directory.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def first(directory: Path, turn: str) -> None:
    """One of `cold`'s processes: open the store, search, and search once more."""
    with timed("  open"):
        memory = open_memory(directory, serve=False)
    with memory:
        with timed("  encoder"):
            memory.backends.embedder().read_question("What did she say about the weather?")
        with timed("  first search"):
            _asked(memory, f"What did Nora say about the trip in {turn} days?")
        since = time.time() - psutil.Process().create_time()
        with timed("  second search"):
            _asked(memory, f"Who likes to cook {turn} times a week?")
        print(
            f"  first answer {since:.2f} s after the process began; {resident()}; load {getloadavg()[0]:.1f}"
        )


def _asked(memory: Memory, question: str) -> None:
    assert memory.search(question).hits, "something is found"


def main(arguments: Sequence[str]) -> None:
    """One step of the above."""
    match arguments:
        case ["build", directory, sentences, memories]:
            language = RealLanguage(Sentences.kept_in(Path(sentences)))
            build(Path(directory), int(memories), language)
            index(Path(directory), MODEL_ID)
        case ["cold", directory]:
            cold(Path(directory))
        case ["first", directory, turn]:
            first(Path(directory), turn)
        case ["warm", directory, sentences]:
            warm(Path(directory), Sentences.kept_in(Path(sentences)))
        case _:
            print(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
