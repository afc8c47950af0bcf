"""How fast is search in a PostgreSQL store of many owners, cold, warm and by many at once?

    python -m benchmarks.sentences DIR TEXTS 30000                       read and encode distinct sentences
    python -m benchmarks.postgres_search build DIR ADDRESS 1000000 500   a store of that many memories, owners
    python -m benchmarks.postgres_search measure DIR ADDRESS
    python -m benchmarks.postgres_search cold DIR ADDRESS                each owner by a process of its own
    python -m benchmarks.postgres_search crowd DIR ADDRESS 16            so many searchers at once

One owner has 100,000 memories; of the others as many as possible 2,000 and the rest 1,000. Every
memory restates a message of its own; a message is a distinct sentence (within an owner, as far as there are
enough) with two words of others, so that no two texts are equal, and its vector that of the sentence with
noise (cosine about .98). A fifth as many entities, .3 times as many triples. Rows come by COPY and
without events, which no search reads.

Nearest neighbours are compared with the owner's exact `order by vector <=> question limit k` in the same run:
the share of the nearest that is found, and the time as a ratio.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from os import getloadavg
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import psutil
import psycopg

from benchmarks.postgres_rows import LARGE_OWNER, USUAL_OWNER, Rows, sizes
from benchmarks.sentences import Floats, Sentences, questions
from memcore.domain.protocols import SearchedKind
from memcore.domain.server_address import ServerAddress
from memcore.nlp.encoder.minilm import DIMENSION, MODEL_ID, load_minilm
from memcore.retrieval.question import Question, SearchTools
from memcore.store import SqlStore, open_store
from memcore.store.postgres.connecting import connect
from memcore.store.postgres.database import prepare
from memcore.store.postgres.indexing import Indexing
from memcore.store.postgres.transaction import PostgresTransaction
from memcore.systems.memscope.search import DEPTHS, hybrid

QUESTIONS = 100
EXACT = 30
"""Questions that are also answered by exact search."""
COLD = 5
"""Processes for each size of owner."""
EACH = 10
"""Searches of each of a crowd."""


# --------------------------------------------------------------------------- building


def build(directory: Path, address: ServerAddress, memories: int, owners: int) -> None:
    """Make the store and copy every owner's rows into it."""
    known = Sentences.kept_in(directory)
    with timed("build"):
        opened(address).close()
        with connect(address) as connection:
            prepare(connection)
            for done, (owner, count) in enumerate(sizes(memories, owners).items()):
                rows = Rows(owner, count, known)
                with connection.transaction(), connection.cursor() as cursor:
                    for table, columns, values in rows.tables():
                        with cursor.copy(f"copy {table} ({columns}) from stdin") as copy:
                            for row in values:
                                copy.write_row(row)
                    _copy_embeddings(cursor, rows)
                if done % 50 == 0:
                    print(f"  {done} owners, load {getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
            connection.execute("update store set generation = 1")
            connection.execute(
                "insert into written select name, 1 from unnest(array['conversations', 'sessions', "
                "'messages', 'memories', 'entities', 'triples', 'embeddings']) as t(name)"
            )
            connection.execute("vacuum analyze")
            print(f"  copied, load {getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
            with timed("of it, indexing"), connection.transaction():
                Indexing(PostgresTransaction(connection)).index_all()
            connection.execute("vacuum analyze")
    with connect(address) as connection:
        ((size,),) = connection.execute("select pg_size_pretty(pg_database_size(current_database()))")
        print(f"{memories:,} memories of {owners} owners, {size}; load {getloadavg()[0]:.1f}")


def _copy_embeddings(cursor: psycopg.Cursor[Any], rows: Rows) -> None:
    cursor.execute("create temporary table coming (like embeddings) on commit drop")
    with cursor.copy(
        "copy coming (text_hash, model_id, vector, token_codes, changed) from stdin binary"
    ) as copy:
        copy.set_types(["text", "text", "vector", "bytea", "int8"])
        for key, vector, codes in rows.embeddings():
            copy.write_row((key, MODEL_ID, vector, codes, 1))
    cursor.execute("insert into embeddings select * from coming on conflict do nothing")


def opened(address: ServerAddress) -> SqlStore:
    """The store of this benchmark."""
    return open_store(address, embedding_model=MODEL_ID, dimension=DIMENSION)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long the block took, by the clock and of this process's processors."""
    begun, processor = time.perf_counter(), time.process_time()
    yield
    here = time.process_time() - processor
    print(f"{what} {time.perf_counter() - begun:.2f} s, of processors here {here:.2f} s", flush=True)


# --------------------------------------------------------------------------- measuring


def measure(directory: Path, address: ServerAddress) -> None:
    """Searches one after the other, in one process that has seen the owner; and its parts."""
    encoder = load_minilm(threads=1)
    server = Server(address)
    known = Sentences.kept_in(directory)
    with opened(address) as store:
        tools = SearchTools(encoder)
        for owner in (USUAL_OWNER, LARGE_OWNER):
            print(f"{owner}: {store.count_memories(owner):,} memories; load {getloadavg()[0]:.1f}")
            asked = questions(known, store.speakers(owner), QUESTIONS)
            for question in asked[:5]:
                hybrid(store, tools, Question(f"So: {question}", owner=owner))
            _percentiles(
                server,
                "embedding a question",
                [partial(encoder.read_question, f"{q} Really?") for q in asked],
            )
            _percentiles(
                server,
                "whole search, embedded encoder",
                [partial(hybrid, store, tools, Question(q, owner=owner)) for q in asked],
            )
            _views(server, store, owner, asked, [encoder.read_question(q).vector for q in asked])
            _against_exact(store, address, owner, [encoder.read_question(q).vector for q in asked])
        chance = np.random.default_rng(4)
        others = [f"owner{n:03}" for n in chance.permutation(len(store.owners()) - 1)[:QUESTIONS].tolist()]
        works = [
            partial(hybrid, store, tools, Question(q, owner=owner))
            for q, owner in zip(asked, others, strict=False)
        ]
        _percentiles(server, f"whole search, {len(works)} owners never seen", works)
        print(f"{_resident():,.0f} MiB resident; load {getloadavg()[0]:.1f}")


def _views(
    server: Server, store: SqlStore, owner: str, asked: Sequence[str], vectors: Sequence[Floats]
) -> None:
    """What a search asks of the store, by itself."""
    meaning: tuple[SearchedKind, ...] = ("memory", "message", "triple")
    for kind in meaning:
        depth = DEPTHS[f"semantic {kind}"]
        _percentiles(
            server, f"semantic {kind}", [partial(store.semantic, owner, v, depth, kind=kind) for v in vectors]
        )
    for kind in meaning[:2]:
        depth = DEPTHS[f"lexical {kind}"]
        _percentiles(
            server, f"lexical {kind}", [partial(store.lexical, owner, q, depth, kind=kind) for q in asked]
        )
    near = [[key for key, _ in store.semantic(owner, v, 200, kind="message")] for v in vectors]
    memories = [[key for key, _ in store.semantic(owner, v, 200, kind="memory")] for v in vectors]
    _percentiles(server, "200 memories by id", [partial(store.memories_by_id, ids) for ids in memories])
    _percentiles(server, "200 messages by id", [partial(store.messages_by_id, ids) for ids in near])
    _percentiles(
        server,
        "memories of 200 messages",
        [partial(store.memories_of_messages, owner, ids, recipe="memscope") for ids in near],
    )
    _percentiles(
        server, "neighbours of 200 messages", [partial(store.neighbours, owner, ids) for ids in near]
    )
    _percentiles(
        server,
        "codes of 200 messages",
        [partial(store.token_codes, owner, ids, kind="message") for ids in near],
    )


_EXACT = """
select m.id from memories m join embeddings e on e.text_hash = m.text_hash and e.model_id = %s
where m.owner = %s order by e.vector <=> %s limit %s
"""


def _against_exact(store: SqlStore, address: ServerAddress, owner: str, vectors: Sequence[Floats]) -> None:
    """Recall of the nearest memories and the time of finding them, beside pgvector's exact search."""
    vectors = vectors[:EXACT]
    k = DEPTHS["semantic memory"]
    taken, exactly, hits, of_ten = 0.0, 0.0, 0, 0
    with connect(address) as connection:
        prepare(connection)
        for vector in vectors:
            begun = time.perf_counter()
            truth = [key for (key,) in connection.execute(_EXACT, (MODEL_ID, owner, vector, k))]
            exactly += time.perf_counter() - begun
            begun = time.perf_counter()
            found = [key for key, _ in store.semantic(owner, vector, k, kind="memory")]
            taken += time.perf_counter() - begun
            hits += len(set(truth) & set(found))
            of_ten += len(set(truth[:10]) & set(found[:10]))
    print(
        f"the {k} nearest: {hits / k / len(vectors):.4f} found, of the 10 nearest "
        f"{of_ten / 10 / len(vectors):.4f}; {1000 * taken / len(vectors):.1f} ms a question, "
        f"{taken / exactly:.3f} of the owner's exact search in SQL ({1000 * exactly / len(vectors):.1f} ms)",
        flush=True,
    )


def cold(directory: Path, address: ServerAddress) -> None:
    """The first search of an owner in a process that has its encoder but never saw the owner."""
    for owner in (USUAL_OWNER, *(f"owner{n:03}" for n in range(1, COLD)), *[LARGE_OWNER] * COLD):
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "benchmarks.postgres_search",
                "first",
                str(directory),
                str(address),
                owner,
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        print(ran.stdout.strip(), flush=True)


def first(directory: Path, address: ServerAddress, owner: str) -> None:
    """One of `cold`'s processes: open the store, then search once, and once more."""
    encoder = load_minilm(threads=1)
    encoder.read_question("What did she say about the weather?")
    asked = questions(Sentences.kept_in(directory), ["Nora"], 2)
    server = Server(address)
    begun = time.perf_counter()
    with opened(address) as store:
        ready = time.perf_counter()
        line = f"{owner}: open {1000 * (ready - begun):.0f} ms"
        for what, text in zip(("first", "second"), asked, strict=True):
            begun, ran, served = time.perf_counter(), time.process_time(), server.seconds()
            hybrid(store, SearchTools(encoder), Question(text, owner=owner))
            taken, ran = time.perf_counter() - begun, time.process_time() - ran
            line += f", {what} search {1000 * taken:.0f} ms"
            line += f" (of processors {1000 * ran:.0f} here, {1000 * (server.seconds() - served):.0f} there)"
        print(f"{line}; {_resident():,.0f} MiB resident, load {getloadavg()[0]:.1f}")


def crowd(directory: Path, address: ServerAddress, searchers: int) -> None:
    """So many threads of one process, which share its encoder, each asking owner after owner."""
    encoder = load_minilm(threads=1)
    known = Sentences.kept_in(directory)
    server = Server(address)
    with opened(address) as store:
        owners = store.owners()
        asked = questions(known, ["Nora"], searchers * EACH)
        tools = SearchTools(encoder)
        hybrid(store, tools, Question(asked[0], owner=USUAL_OWNER))
        taken: list[float] = []

        def search(number: int) -> None:
            for turn in range(EACH):
                place = number * EACH + turn
                begun = time.perf_counter()
                hybrid(store, tools, Question(asked[place], owner=owners[place * 7 % len(owners)]))
                taken.append(time.perf_counter() - begun)

        threads = [Thread(target=search, args=(number,)) for number in range(searchers)]
        begun, ran, served = time.perf_counter(), time.process_time(), server.seconds()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        whole = time.perf_counter() - begun
        ran, served = time.process_time() - ran, server.seconds() - served
        searches = searchers * EACH
        assert len(taken) == searches, "a searcher failed"
        p50, p95 = np.percentile(np.array(taken) * 1000, (50, 95))
        print(
            f"{searchers} searchers, {searches} searches of {len(owners)} owners: {searches / whole:.1f} a "
            f"second, p50 {p50:.0f} ms, p95 {p95:.0f} ms; of processors {1000 * ran / searches:.1f} ms a "
            f"search here, {1000 * served / searches:.1f} there; {_resident():,.0f} MiB resident; "
            f"load {getloadavg()[0]:.1f}"
        )


def _percentiles(server: Server, what: str, works: Sequence[Callable[[], object]]) -> None:
    taken, processor, served = [], [], server.seconds()
    for work in works:
        begun, ran = time.perf_counter(), time.process_time()
        work()
        taken.append(time.perf_counter() - begun)
        processor.append(time.process_time() - ran)
    p50, p95 = np.percentile(np.array(taken) * 1000, (50, 95))
    c50, c95 = np.percentile(np.array(processor) * 1000, (50, 95))
    there = 1000 * (server.seconds() - served) / len(works)
    print(
        f"{what:40} p50 {p50:7.1f} ms  p95 {p95:7.1f} ms   (of processors p50 {c50:.1f}, p95 {c95:.1f} here, "
        f"{there:.1f} there)",
        flush=True,
    )


class Server:
    """The server's processes, where they are on this machine."""

    def __init__(self, address: ServerAddress) -> None:
        with connect(address) as connection:
            backend = connection.info.backend_pid
            self._postmaster = psutil.Process(backend).parent()

    def seconds(self) -> float:
        """What they have used of processors."""
        found = 0.0
        if self._postmaster is not None:
            for process in (self._postmaster, *self._postmaster.children()):
                with suppress(psutil.Error):
                    times = process.cpu_times()
                    found += times.user + times.system + times.children_user + times.children_system
        return found


def _resident() -> float:
    return float(psutil.Process().memory_info().rss / 2**20)


def main(arguments: Sequence[str]) -> None:
    """One step of the above."""
    match arguments:
        case ["build", directory, address, memories, owners]:
            build(Path(directory), _address(address), int(memories), int(owners))
        case ["measure", directory, address]:
            measure(Path(directory), _address(address))
        case ["cold", directory, address]:
            cold(Path(directory), _address(address))
        case ["first", directory, address, owner]:
            first(Path(directory), _address(address), owner)
        case ["crowd", directory, address, searchers]:
            crowd(Path(directory), _address(address), int(searchers))
        case _:
            print(__doc__)


def _address(text: str) -> ServerAddress:
    address = ServerAddress.parse(text)
    assert address is not None, "postgresql://..."
    return address


if __name__ == "__main__":
    main(sys.argv[1:])
