"""The rows of many owners' stores, made of real sentences: what `postgres_search` measures with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from psycopg.types.json import Jsonb

from benchmarks.sentences import Floats, Sentences, noisy
from memcore.domain.models import text_hash, triple_text
from memcore.nlp.encoder.minilm import MODEL_ID

LARGE, USUAL, SMALL = 100_000, 2_000, 1_000
IN_SESSION, IN_CONVERSATION = 20, 1_000
BEGIN = datetime(2020, 1, 1)
RELATIONS = ("likes", "visited", "works_at", "owns", "knows")
LARGE_OWNER, USUAL_OWNER = "large", "owner000"


def sizes(memories: int, owners: int) -> dict[str, int]:
    """How many memories each owner has."""
    rest = memories - LARGE
    usual = max(0, (rest - SMALL * (owners - 1)) // (USUAL - SMALL))
    each = {f"owner{n:03}": USUAL if n < usual else SMALL for n in range(owners - 1)}
    return {LARGE_OWNER: LARGE, **each}


class Rows:
    """The rows of one owner's store."""

    def __init__(self, owner: str, count: int, known: Sentences) -> None:
        self._chance = np.random.default_rng(int(text_hash(owner)[:8], 16))
        self._known = known
        self._owner = owner
        self._count = count
        chosen = [self._chance.permutation(len(known.texts)) for _ in range(-(-count // len(known.texts)))]
        self._which = np.concatenate(chosen)[:count].tolist()
        words = self._chance.integers(0, len(known.words), (count, 2))
        self._added = [f"{known.words[one]} {known.words[other]}" for one, other in words.tolist()]
        self._speakers = [
            name(int(n)) for n in self._chance.integers(0, 50_000, 2 * -(-count // IN_CONVERSATION))
        ]
        self.messages = [
            f"{known.texts[s]} {added}" for s, added in zip(self._which, self._added, strict=True)
        ]
        self.memories = [f"{self.speaker(n)} said: {text}" for n, text in enumerate(self.messages)]
        self.entities = [name(int(n)) for n in self._chance.integers(0, 50_000, max(2, count // 5))]
        self.ends = self._chance.integers(0, len(self.entities), (int(0.3 * count), 2)).tolist()

    def speaker(self, n: int) -> str:
        """Who says the n-th message."""
        return self._speakers[n // IN_CONVERSATION * 2 + n % 2]

    def key(self, kind: str, n: int) -> str:
        """An id."""
        return f"{kind}_{text_hash(f'{self._owner} {kind} {n}')[:16]}"

    def said(self, n: int) -> datetime:
        """When the n-th message was said."""
        return BEGIN + timedelta(minutes=n)

    def tables(self) -> Iterator[tuple[str, str, Iterable[Sequence[Any]]]]:
        """Table, columns and rows."""
        numbers, me = range(self._count), self._owner
        conversations, sessions = (range(-(-self._count // of)) for of in (IN_CONVERSATION, IN_SESSION))
        yield (
            "conversations",
            "id, owner, source_file, format, title",
            ((self.key("con", n), me, "log.json", "plain", "") for n in conversations),
        )
        yield (
            "sessions",
            "id, conversation_id, position, started_at, title",
            (
                (
                    self.key("ses", n),
                    self.key("con", n * IN_SESSION // IN_CONVERSATION),
                    n,
                    self.said(n * IN_SESSION),
                    "",
                )
                for n in sessions
            ),
        )
        session_of = [self.key("ses", n) for n in sessions]
        message = [self.key("msg", n) for n in numbers]
        memory = [self.key("mem", n) for n in numbers]
        entity = [self.key("ent", n) for n in range(len(self.entities))]
        yield (
            "messages",
            "id, session_id, position, speaker, role, text, said_at, time_source, raw_ref, text_hash, "
            "changed",
            (
                (
                    message[n],
                    session_of[n // IN_SESSION],
                    n % IN_SESSION,
                    self.speaker(n),
                    "user",
                    self.messages[n],
                    self.said(n),
                    "message",
                    Jsonb({"file": "log.json", "where": f"line {n}"}),
                    text_hash(self.messages[n]),
                    1,
                )
                for n in numbers
            ),
        )
        yield (
            "memories",
            "id, owner, text, kind, recipe, run_id, sources, category, subcategory, speaker, mentioned_at, "
            "event_at, topic, keywords, persons, entities, location, compressed_source, valid_from, state, "
            "embedding_model, text_hash, changed",
            (
                (
                    memory[n],
                    me,
                    self.memories[n],
                    "fact",
                    "memscope",
                    "run",
                    Jsonb([{"message_id": message[n], "start": 0, "end": 20}]),
                    "",
                    "",
                    self.speaker(n),
                    self.said(n),
                    self.said(n) if n % 3 == 0 else None,
                    "",
                    self._added[n].split(),
                    [self.speaker(n)],
                    [self.entities[n % len(self.entities)]],
                    "",
                    "",
                    self.said(n),
                    "active",
                    MODEL_ID,
                    text_hash(self.memories[n]),
                    1,
                )
                for n in numbers
            ),
        )
        yield (
            "entities",
            "id, owner, name, type, aliases, recipe, changed",
            (
                (entity[n], me, called, "PERSON", [f"{called} Jr."], "memscope", 1)
                for n, called in enumerate(self.entities)
            ),
        )
        yield (
            "triples",
            "id, owner, subject_id, relation, object_id, sources, memory_ids, valid_from, mentions, recipe, "
            "changed",
            (
                (
                    self.key("tri", n),
                    me,
                    entity[one],
                    RELATIONS[n % 5],
                    entity[other],
                    Jsonb([{"message_id": message[n], "start": 0, "end": 20}]),
                    [memory[n]],
                    self.said(n),
                    1,
                    "memscope",
                    1,
                )
                for n, (one, other) in enumerate(self.ends)
            ),
        )

    def embeddings(self) -> Iterator[tuple[str, Floats, bytes | None]]:
        """Text hash, vector, token codes."""
        for texts in (self.messages, self.memories):
            for first in range(0, self._count, 1_000):
                which = self._which[first : first + 1_000]
                vectors = noisy(self._chance, self._known.vectors[which])
                for text, vector, of in zip(texts[first : first + 1_000], vectors, which, strict=True):
                    yield text_hash(text), vector, self._known.codes[of].tobytes()
        names = [
            *self.entities,
            *(
                triple_text(self.entities[one], RELATIONS[n % 5], self.entities[other])
                for n, (one, other) in enumerate(self.ends)
            ),
        ]
        which = self._chance.integers(0, len(self._known.texts), len(names))
        vectors = noisy(self._chance, self._known.vectors[which])
        for text, vector in zip(names, vectors, strict=True):
            yield text_hash(text), vector, None


def name(number: int) -> str:
    """A made-up name, one for each number."""
    letters = []
    number += 7
    while number:
        number, letter = divmod(number, 20)
        letters.append("bcdfghjklmnprstvwxyz"[letter] + "aeiou"[letter % 5])
    return "Nora " + "".join(letters).title()
