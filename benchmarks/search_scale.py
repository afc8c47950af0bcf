"""How fast is search in a large store, and what do its indexes cost? 10,000, 100,000 or 1,000,000 memories.

    python benchmarks/search_scale.py 100000 [--real]       build and measure in a temporary directory
    python benchmarks/search_scale.py build DIR 1000000     or in three steps, the store kept in DIR
    python benchmarks/search_scale.py index DIR
    python benchmarks/search_scale.py measure DIR [--real]

One owner and recipe; as many messages as memories, a fifth as many entities, 0.3 times as many triples. Words
follow Zipf's law over 50,000, vectors of 384 dimensions come in clusters of about fifty. The embedder of the
questions takes no time; with `--real` the embedded encoder is asked as well, for what a person waits. "All of
this" is what one hybrid search asks of the store, without what it computes itself.

Nearest neighbours are compared with numpy's exact search over the same vectors in the same run: the share of
the nearest that are found, and the time as a ratio. Memory is told apart: what is this process's alone, and
what files it maps.

At a million memories a graph holds a third of each vector, whole vectors, token codes and rows are read from
files by number, and ids and postings are arrays. Beyond that, in this order:
  1. Several graphs of one collection, by age: each made by a thread of its own, older ones never touched.
  2. PostgreSQL with pgvector, behind the same `Store`: one machine no longer has to hold it.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from os import getloadavg
from pathlib import Path
from typing import Protocol

import numpy as np
import psutil
from numpy.typing import NDArray

from memcore.domain.models import (
    Conversation,
    ConversationLog,
    Entity,
    MemoryEntry,
    Message,
    RawRef,
    Session,
    Source,
    Triple,
    text_hash,
    triple_text,
)
from memcore.domain.names import entity_key
from memcore.domain.protocols import Embedder, EncodedQuestion, EncodedText, SearchedKind, TokenCodes, Vectors
from memcore.retrieval.question import Question, SearchTools
from memcore.store import DuckStore, open_store
from memcore.store.duckdb.search_queries import CHANGED_VECTORS
from memcore.store.highest import highest
from memcore.systems.memscope.search import DEPTHS, RERANKED, hybrid

MODEL, DIMENSION = "benchmark", 384
STEP = 10_000
IN_SESSION, IN_CONVERSATION = 20, 1_000
QUESTIONS = 200
EXACT = 50
"""Questions that are also answered by exact search."""
BEGIN = datetime(2020, 1, 1)
RELATIONS = ("likes", "visited", "works_at", "owns", "knows")
SEMANTIC: tuple[SearchedKind, ...] = ("memory", "message", "triple")
LEXICAL: tuple[SearchedKind, ...] = ("memory", "message")


class Texts(Protocol):
    """What is said in a store, and what an encoder would make of it."""

    model_id: str

    def told(self, count: int) -> tuple[list[str], list[str]]:
        """So many messages, and what is remembered of each, without the name before it."""

    def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Of messages, memories, names and triples."""

    def codes(self, text: str) -> TokenCodes:
        """Of a message or memory."""

    def numbers(self, below: int, count: int) -> list[int]:
        """Whole numbers from 0 up to, not including, `below`."""


class Language:
    """Texts whose word frequencies follow Zipf's law, and the vectors that stand for them."""

    model_id = MODEL

    def __init__(self, memories: int, seed: int = 0) -> None:
        self._chance = np.random.default_rng(seed)
        ranks = np.arange(1, 50_001)
        self._cumulative = np.cumsum(1.0 / (ranks + 2.7))
        self._cumulative /= self._cumulative[-1]
        self._words = np.array([_word(int(rank)) for rank in ranks])
        topics = np.random.default_rng(1)
        self._codes = topics.integers(0, 256, (50_000, DIMENSION // 8), dtype=np.uint8)
        self._topics = topics.normal(size=(max(100, memories // 50), DIMENSION)).astype(np.float32)

    def texts(self, count: int, words: int) -> list[str]:
        """Sentences of this many words, words as frequent as in a real language."""
        picked = np.searchsorted(self._cumulative, self._chance.random((count, words)))
        return [" ".join(row) for row in self._words[picked]]

    def told(self, count: int) -> tuple[list[str], list[str]]:
        """What is said, and what is remembered."""
        return self.texts(count, 18), self.texts(count, 11)

    def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Any, as many as there are texts."""
        return self.vectors(len(texts))

    def vectors(self, count: int) -> Vectors:
        """Unit vectors that lie around topics."""
        noise = self._chance.standard_normal((count, DIMENSION), dtype=np.float32)
        rows = self._topics[self._chance.integers(0, len(self._topics), count)] + np.float32(0.7) * noise
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def codes(self, text: str) -> TokenCodes:
        """A code for each word, always the same for one word."""
        return self._codes[[zlib.crc32(word.encode()) % len(self._codes) for word in text.split()]]

    def numbers(self, below: int, count: int) -> list[int]:
        """Whole numbers from 0 up to, not including, `below`."""
        return [int(number) for number in self._chance.integers(0, below, count)]


def _word(rank: int) -> str:
    """A word of its own for each rank: common ones are short, as in language."""
    letters = []
    while rank:
        rank, letter = divmod(rank, 20)
        letters.append("bcdfghjklmnprstvwxyz"[letter] + "aeiou"[letter % 5])
    return "".join(letters)


def _name(number: int) -> str:
    return f"Nora {_word(number + 7).title()}"


class ZeroEmbedder:
    """Answers each question with its prepared vectors, in no time."""

    model_id, dimension = MODEL, DIMENSION

    def __init__(self, language: Language, questions: Sequence[str], vectors: Vectors) -> None:
        self._language = language
        self._readings = {q: _reading(language, q, v) for q, v in zip(questions, vectors, strict=True)}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors that were made up beforehand."""
        return np.stack([self._readings[text].vector for text in texts])

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """Made-up codes, as many as the text has words."""
        return [self._language.codes(text) for text in texts]

    def read_question(self, text: str) -> EncodedQuestion:
        """The reading that was made up beforehand."""
        return self._readings[text]

    def read_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        """The same, with made-up codes."""
        return [
            EncodedText(self._readings[text].vector, self._language.codes(text), self._readings[text].spans)
            for text in texts
        ]


def _reading(language: Language, question: str, vector: NDArray[np.float32]) -> EncodedQuestion:
    bits = np.unpackbits(language.codes(question), axis=-1).astype(np.float32)
    spans = tuple((found.start(), found.end()) for found in re.finditer(r"\S+", question))
    return EncodedQuestion(vector, (2 * bits - 1) / np.float32(DIMENSION**0.5), spans)


def opened(directory: Path, model: str = MODEL) -> DuckStore:
    """The store of this benchmark."""
    return open_store(directory, embedding_model=model, dimension=DIMENSION)


def build(directory: Path, memories: int, language: Texts) -> None:
    """Write the store in steps of 10,000 memories, opening it anew now and then: what DuckDB keeps in memory
    of what was written is given back."""
    begun = time.perf_counter()
    for opening in range(0, memories, 10 * STEP):
        with opened(directory, language.model_id) as store:
            for first in range(opening, min(memories, opening + 10 * STEP), STEP):
                _step(store, language, first, min(STEP, memories - first))
        print(f"  {first + STEP:,} {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    size = sum(path.stat().st_size for path in directory.iterdir() if path.is_file()) / 2**20
    print(f"built {memories:,} memories in {time.perf_counter() - begun:.0f} s, {size:,.0f} MiB on disk")


def _step(store: DuckStore, language: Texts, first: int, count: int) -> None:
    said, remembered = language.told(count)
    messages, sessions = [], {}
    for n in range(first, first + count):
        session = Session(f"ses{n // IN_SESSION}", f"con{n // IN_CONVERSATION}", n // IN_SESSION, _day(n))
        sessions[session.id] = session
        messages.append(
            Message(
                f"msg{text_hash(str(n))[:12]}",
                session.id,
                n % IN_SESSION,
                _name(n // IN_CONVERSATION * 2 + n % 2),
                "user",
                said[n - first],
                _day(n),
                "message",
                RawRef("log.json", f"line {n}"),
            )
        )
    named = [_name(number) for number in language.numbers(max(1, (first + count) // 5), 2 * count)]
    memories = [
        MemoryEntry(
            f"mem{text_hash(str(first + n))[:12]}",
            "me",
            f"{named[2 * n]} {text}",
            "fact",
            "memscope",
            "run",
            (Source(messages[n].id, 0, 20),),
            speaker=messages[n].speaker,
            mentioned_at=messages[n].said_at,
            event_at=messages[n].said_at if n % 3 == 0 else None,
            persons=(named[2 * n],),
            entities=(named[2 * n], named[2 * n + 1]),
            keywords=tuple(text.split()[:3]),
            valid_from=messages[n].said_at,
            embedding_model=language.model_id,
        )
        for n, text in enumerate(remembered)
    ]
    numbers = range(first // 5, (first + count) // 5)
    entities = [Entity(f"ent{n}", "me", _name(n), "PERSON", (f"{_name(n)} Jr.",)) for n in numbers]
    ends = language.numbers(max(1, (first + count) // 5), 2 * count)
    triples = [
        Triple(
            f"tri{first + n}",
            "me",
            f"ent{ends[2 * n]}",
            RELATIONS[n % 5],
            f"ent{ends[2 * n + 1]}",
            memories[n].sources,
            (memories[n].id,),
            valid_from=memories[n].mentioned_at,
        )
        for n in range(int(0.3 * count))
    ]
    texts = [
        *said,
        *(m.text for m in memories),
        *(e.name for e in entities),
        *(
            triple_text(_name(int(t.subject_id[3:])), t.relation, _name(int(t.object_id[3:])))
            for t in triples
        ),
    ]
    with store.write(actor="benchmark") as writer:
        for number in sorted({n // IN_CONVERSATION for n in range(first, first + count)}):
            conversation = Conversation(f"con{number}", "me", "log.json", "plain")
            theirs = {s.id: s for s in sessions.values() if s.conversation_id == conversation.id}
            spoken = tuple(m for m in messages if m.session_id in theirs)
            writer.add_log(ConversationLog(conversation, tuple(theirs.values()), spoken))
        writer.put_memories(memories)
        writer.put_entities(entities)
        writer.put_triples(triples)
        writer.add_embeddings(
            language.model_id,
            dict(zip(texts, language.vectors_of(texts), strict=True)),
            {text: language.codes(text) for text in texts[: 2 * count]},
        )


def _day(number: int) -> datetime:
    return BEGIN + timedelta(minutes=number)


# --------------------------------------------------------------------------- measuring


def index(directory: Path, model: str = MODEL) -> None:
    """Make every index from DuckDB, without files, and write the files."""
    shutil.rmtree(directory / "index", ignore_errors=True)
    with opened(directory, model) as store:
        memories = store.count_memories("me")
        print(f"{memories:,} memories; load {getloadavg()[0]:.1f}; {resident()} before any index")
        print("indexes made from DuckDB:")
        _first_searches(store)
        print(f"{resident()}; load {getloadavg()[0]:.1f}")
        begun = time.perf_counter()
    size = sum(path.stat().st_size for path in directory.glob("index/*")) / 2**20
    print(f"close and save {time.perf_counter() - begun:.1f} s, {size:,.0f} MiB of files")


def measure(directory: Path, real: bool) -> None:
    """Open the store with its index files and search."""
    with timed("open"):
        store = opened(directory)
    with store:
        print("indexes opened from files:")
        _first_searches(store)
        print(f"{resident()} with every index; load {getloadavg()[0]:.1f}")
        memories = store.count_memories("me")
        language = Language(memories, seed=2)
        numbers = language.numbers(max(1, memories // 5), QUESTIONS)
        questions = [
            f"What did {_name(number)} say about {text}?"
            for number, text in zip(numbers, language.texts(QUESTIONS, 5), strict=True)
        ]
        vectors = language.vectors(QUESTIONS)
        _views(store, questions, vectors)
        _against_exact(store, vectors[:EXACT])
        print(f"{resident()} with the rows that were read; load {getloadavg()[0]:.1f}")
        tools = SearchTools(ZeroEmbedder(language, questions, vectors))
        percentiles("whole search, embedder of 0 ms", [_asking(store, tools, q) for q in questions])
        _adding(store, tools, questions, vectors)
        if real:
            _with_encoder(store, questions)


def _first_searches(store: DuckStore) -> None:
    begun = time.perf_counter()
    with timed("  of memories, messages (vectors, words) and triples (vectors), side by side"):
        store.prepare("me", semantic=SEMANTIC, lexical=LEXICAL)
    with timed("  of entities (vectors)"):
        store.semantic("me", np.ones(DIMENSION, np.float32), 20, kind="entity")
    print(f"  together {time.perf_counter() - begun:.1f} s")


def _views(store: DuckStore, questions: Sequence[str], vectors: Vectors) -> None:
    """Each of what a search asks of the store, by itself."""
    for kind in SEMANTIC:
        percentiles(
            f"semantic {kind}",
            [partial(store.semantic, "me", v, DEPTHS[f"semantic {kind}"], kind=kind) for v in vectors],
        )
    for kind in LEXICAL:
        percentiles(
            f"lexical {kind}",
            [partial(store.lexical, "me", q, DEPTHS[f"lexical {kind}"], kind=kind) for q in questions],
        )
    near = [[key for key, _ in store.semantic("me", v, 400, kind="memory")] for v in vectors]
    said = [[key for key, _ in store.semantic("me", v, 400, kind="message")] for v in vectors]
    edges = [[key for key, _ in store.semantic("me", v, 200, kind="triple")] for v in vectors]
    named = [[entity_key(_name(n)), entity_key(_name(n + 1)), "nobody"] for n in range(QUESTIONS)]
    ends = [[f"ent{n}", f"ent{n + 1}", f"ent{n + 2}"] for n in range(QUESTIONS)]
    reads: dict[str, list[Callable[[], object]]] = {
        "400 memories by id": [partial(store.memories_by_id, ids) for ids in near],
        "400 messages by id": [partial(store.messages_by_id, ids) for ids in said],
        "memories of 400 messages": [
            partial(store.memories_of_messages, "me", ids, recipe="memscope") for ids in said
        ],
        "entities of 3 names": [
            partial(store.entities_named, "me", keys, recipe="memscope") for keys in named
        ],
        "200 triples by id": [partial(store.triples_by_id, ids) for ids in edges],
        "triples of 3 entities": [
            partial(store.triples_of_entities, "me", e, recipe="memscope") for e in ends
        ],
        "speakers": [partial(store.speakers, "me")] * QUESTIONS,
        "last said": [partial(store.last_said, "me")] * QUESTIONS,
    }
    for what, works in reads.items():
        percentiles(f"{what}, first", works[:20])
    for what, works in reads.items():
        for work in works:
            work()
        percentiles(f"{what}, read before", works)
    percentiles(
        "all of this for a question",
        [partial(_question, store, *q) for q in zip(questions, vectors, named, ends, strict=True)],
    )


def _against_exact(store: DuckStore, vectors: Vectors) -> None:
    """Recall of the nearest memories, and the time of finding them, beside numpy's exact search."""
    deepest = max(DEPTHS["semantic memory"], 10)
    best: list[list[tuple[float, str]]] = [[] for _ in vectors]
    exact = 0.0
    asked = {"owner": "me", "kind": "memory", "recipe": "memscope", "model": MODEL, "seen": -1}
    for ids, rows in store._database.vectors(CHANGED_VECTORS, asked):
        for number, vector in enumerate(vectors):
            begun = time.perf_counter()
            cosines = rows @ vector
            nearest = highest(cosines, deepest)
            exact += time.perf_counter() - begun
            best[number] += [(float(cosines[row]), ids[row]) for row in nearest]
    truth = [[key for _, key in sorted(found, reverse=True)[:deepest]] for found in best]
    for k in (10, deepest):
        begun, hits = time.perf_counter(), 0
        for vector, nearest_ids in zip(vectors, truth, strict=True):
            found = store.semantic("me", vector, k, kind="memory")
            hits += len({key for key, _ in found} & set(nearest_ids[:k]))
        taken = time.perf_counter() - begun
        print(
            f"the {k} nearest: {hits / len(vectors) / k:.3f} found, {1000 * taken / len(vectors):.2f} ms a "
            f"question, {taken / exact:.3f} of numpy's exact search ({1000 * exact / len(vectors):.1f} ms)"
        )


def _question(
    store: DuckStore, question: str, vector: Vectors, names: Sequence[str], ends: Sequence[str]
) -> None:
    """What one hybrid search asks of the store."""
    store.prepare("me", semantic=SEMANTIC, lexical=LEXICAL)
    store.speakers("me")
    store.last_said("me")
    store.entities_named("me", names, recipe="memscope")
    near = {
        kind: [key for key, _ in store.semantic("me", vector, DEPTHS[f"semantic {kind}"], kind=kind)]
        for kind in SEMANTIC
    }
    worded = {
        kind: [key for key, _ in store.lexical("me", question, DEPTHS[f"lexical {kind}"], kind=kind)]
        for kind in LEXICAL
    }
    edges = store.triples_by_id(near["triple"]) | store.triples_of_entities("me", ends, recipe="memscope")
    reached = {key for triple in edges.values() for key in triple.memory_ids}
    store.memories_by_id([*{*near["memory"], *worded["memory"], *reached}])
    store.neighbours("me", [*{*near["message"], *worded["message"]}])
    reranked = [*{*near["message"], *worded["message"]}][:RERANKED]
    turns = store.messages_by_id(reranked)
    said = store.memories_of_messages("me", reranked, recipe="memscope")
    store.token_codes("me", list(turns), kind="message")
    store.token_codes("me", list(said), kind="memory")


def _asking(store: DuckStore, tools: SearchTools, question: str) -> Callable[[], object]:
    return lambda: hybrid(store, tools, Question(question))


def _adding(store: DuckStore, tools: SearchTools, questions: Sequence[str], vectors: Vectors) -> None:
    """One memory more, and the search right after it."""
    writing, reading, searching, found = [], [], [], 0
    template = next(iter(store.memories("me", limit=1)))
    for number, vector in enumerate(Language(100, seed=time.time_ns()).vectors(40)):
        new = replace(template, id=f"new{time.time_ns()}", text=f"news {number} {time.time_ns()}")
        begun = time.perf_counter()
        with store.write(actor="benchmark") as writer:
            writer.put_memories([new])
            writer.add_embeddings(
                MODEL, {new.text: vector}, {new.text: np.zeros((4, DIMENSION // 8), np.uint8)}
            )
        writing.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        if number % 2:
            _question(store, questions[number], vectors[number], ["nobody"], ["ent1"])
            reading.append(time.perf_counter() - begun)
        else:
            hybrid(store, tools, Question(questions[number]))
            searching.append(time.perf_counter() - begun)
        found += store.semantic("me", vector, 1, kind="memory")[0][0] == new.id
    _show("adding one memory", writing)
    _show("all of this right after", reading)
    _show("whole search right after", searching)
    print(f"nearest to their own vector: {found} of {len(writing)} added")


def _with_encoder(store: DuckStore, questions: Sequence[str]) -> None:
    from memcore.nlp.encoder.minilm import load_minilm

    encoder: Embedder = load_minilm(threads=1)  # as `ChosenBackends.embedder` has it
    encoder.embed(["warm up"])
    percentiles("embedding a question", [partial(encoder.embed, [q + " Really?"]) for q in questions])
    tools = SearchTools(encoder)
    for question in questions:  # the first question of each length, and of a process, takes 5 ms more
        hybrid(store, tools, Question("So: " + question))
    percentiles("whole search, embedded encoder", [_asking(store, tools, q) for q in questions])


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long the block took, by the clock and of the processors."""
    begun, processor = time.perf_counter(), time.process_time()
    yield
    print(
        f"{what} {time.perf_counter() - begun:.2f} s, of processors {time.process_time() - processor:.2f} s",
        flush=True,
    )


def percentiles(what: str, works: Sequence[Callable[[], object]]) -> None:
    """Do each, and print how long they took."""
    taken, processor = [], []
    for work in works:
        begun, ran = time.perf_counter(), time.process_time()
        work()
        taken.append(time.perf_counter() - begun)
        processor.append(time.process_time() - ran)
    _show(what, taken, processor)


def _show(what: str, seconds: Sequence[float], processor: Sequence[float] = ()) -> None:
    """The processors' time tells what a search takes when others are at work too."""
    p50, p95 = np.percentile(np.array(seconds) * 1_000, (50, 95))
    line = f"{what:38} p50 {p50:8.2f} ms   p95 {p95:8.2f} ms"
    if processor:
        p50, p95 = np.percentile(np.array(processor) * 1_000, (50, 95))
        line += f"   (of processors {p50:.2f}, {p95:.2f})"
    print(line, flush=True)


def resident() -> str:
    """How much memory this process has."""
    memory = psutil.Process().memory_info()
    own = (memory.rss - memory.shared) / 2**20
    return f"{memory.rss / 2**20:,.0f} MiB resident, {own:,.0f} of them this process's alone"


def main(arguments: Sequence[str]) -> None:
    """Build, index or measure a store, or all three in a temporary one."""
    real = "--real" in arguments
    match [argument for argument in arguments if argument != "--real"]:
        case ["build", directory, memories]:
            build(Path(directory), int(memories), Language(int(memories)))
        case ["index", directory]:
            index(Path(directory))
        case ["measure", directory]:
            measure(Path(directory), real)
        case [memories]:
            with tempfile.TemporaryDirectory() as directory:
                build(Path(directory), int(memories), Language(int(memories)))
                index(Path(directory))
                measure(Path(directory), real)
        case _:
            print(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
