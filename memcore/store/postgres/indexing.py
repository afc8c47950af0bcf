"""Keeping what search reads: before a transaction commits, what it changed is indexed in it.

A collection (one owner's objects of one kind and recipe) has a number. `indexed` holds its objects, each with
its place and the half-precision unit vector of its text; `postings` and `document_lengths` hold its keyword
index (`packed`). An object whose text changed gets another place. When more places are empty than not, and
after erasure, so that no word is left, a collection is made anew, under another number: who was reading it by
the old one notices. Of a large one the database keeps a graph (HNSW) of its vectors. Nothing here is the
truth: all of it is made of `documents` and `embeddings`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any

from memcore.domain.names import entity_key
from memcore.domain.protocols import SearchedKind
from memcore.store.bm25 import Stems
from memcore.store.postgres.packed import CHUNK, EMPTY, packed_postings, with_lengths
from memcore.store.postgres.transaction import PostgresTransaction
from memcore.store.sql.collections import TABLES, CollectionKey

LARGE = 20_000
"""Objects from which a collection has a graph, as in the embedded engine."""
BATCH = 5_000
"""Objects indexed at once."""

_DOCUMENTS = "select owner, recipe, id, text, text_hash, gone from documents where kind = '{kind}'"
_STAMPED = "and changed = $generation"
_OF_TRIPLES = """and id in (
    select id from triples where changed = $generation
    union select t.id from entities e join triples t on t.subject_id = e.id where e.changed = $generation
    union select t.id from entities e join triples t on t.object_id = e.id where e.changed = $generation)"""
_BY_COLLECTION = "order by owner, recipe, changed, id"

_LOST = """
select distinct i.collection from indexed i join collections c on c.number = i.collection
where c.kind = '{kind}' and not exists (select 1 from documents d where d.kind = '{kind}' and d.id = i.id)
"""
_PUT = """
insert into indexed (collection, id, place, text_hash, half)
select $collection, new.id, new.place, new.text_hash, l2_normalize(e.vector)::halfvec
from unnest($ids::text[], $places::integer[], $hashes::text[]) as new(id, place, text_hash)
left join embeddings e on e.text_hash = new.text_hash and e.model_id = (select embedding_model from store)
"""
_PUT_POSTINGS = """
insert into postings select $collection, new.* from unnest($words::text[], $chunks::integer[], $held::bytea[])
as new(word, chunk, held)
on conflict (collection, word, chunk) do update set held = postings.held || excluded.held
"""
_VECTORS_CAME = """
update indexed i set half = l2_normalize(e.vector)::halfvec from embeddings e
where e.changed = $generation and e.model_id = (select embedding_model from store)
  and i.text_hash = e.text_hash and i.half is null
"""

_OTHER_VECTORS = """
update indexed i set half = (
    select l2_normalize(e.vector)::halfvec from embeddings e
    where e.text_hash = i.text_hash and e.model_id = (select embedding_model from store))
"""

_NAMES = """
select id, owner, recipe, array_prepend(name, aliases) from entities where merged_into is null
"""


@dataclass(frozen=True, slots=True)
class Document:
    """An object that can be searched. `gone`: it is to be found no more."""

    id: str
    text: str
    text_hash: str
    gone: bool


@dataclass(frozen=True, slots=True)
class _Collection:
    """As its row says: the next place, how many places hold an object, and whether it has a graph."""

    number: int
    places: int
    entries: int
    graph: bool


class Indexing:
    """Of one transaction, which must hold the right to write."""

    def __init__(self, transaction: PostgresTransaction) -> None:
        self._transaction = transaction
        self._stems = Stems()
        self._outdated: list[int] = []  # graphs of numbers that no collection has any more

    def take(self, generation: int, tables: set[str]) -> None:
        """Index what the transaction of this generation wrote to these tables."""
        for kind, made_of in TABLES.items():
            if tables.intersection(made_of):
                for of, documents in self._documents(kind, _changed(kind), {"generation": generation}):
                    self._put(of, documents)
        if "entities" in tables:
            self._name_changed(generation)
        if "embeddings" in tables:
            self._transaction.query(_VECTORS_CAME, {"generation": generation})
        self._make_graphs()

    def forget_erased(self, generation: int) -> None:
        """After erasure: make every collection anew in which a word of what went may be left: objects went or
        changed, or places are empty."""
        touched = {
            number
            for (number,) in self._transaction.query("select number from collections where places > entries")
        }
        for kind in TABLES:
            for (number,) in self._transaction.query(_LOST.format(kind=kind)):
                touched.add(number)
            for of, _ in self._documents(kind, _changed(kind), {"generation": generation}):
                touched.update(one.number for one in self._known(of))
        for number in sorted(touched):
            self._make_anew(number)
        self._transaction.query("delete from entity_names where entity_id not in (select id from entities)")
        self._name_changed(generation)
        self._make_graphs()

    def index_all(self) -> None:
        """Index everything, of a store of which nothing is."""
        for kind in TABLES:
            select = f"{_DOCUMENTS.format(kind=kind)} and not gone"
            for of, documents in self._documents(kind, select, {}):
                self._put(of, documents)
        self._put_names(self._transaction.stream(_NAMES))
        self._make_graphs()

    def compare_anew(self) -> None:
        """Take the vectors of another model, in place of those there are."""
        self._transaction.query("select drop_graph(number) from collections where graph")
        self._transaction.query("update collections set graph = false where graph")
        self._transaction.query(_OTHER_VECTORS)
        self._make_graphs()

    def _name_changed(self, generation: int) -> None:
        asked = {"generation": generation}
        self._transaction.query(
            "delete from entity_names where entity_id in "
            "(select id from entities where changed = $generation)",
            asked,
        )
        self._put_names(self._transaction.query(" ".join((_NAMES, "and changed = $generation")), asked))

    def _put_names(self, entities: Iterable[tuple[Any, ...]]) -> None:
        """Note by which keys entities (id, owner, recipe, name and aliases) are named."""
        entities = iter(entities)
        while batch := list(islice(entities, BATCH)):
            rows = [
                (entity_id, key, owner, recipe)
                for entity_id, owner, recipe, names in batch
                for key in dict.fromkeys(map(entity_key, names))
            ]
            self._transaction.query(
                "insert into entity_names "
                "select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])",
                [list(column) for column in zip(*rows, strict=True)],
            )

    def _documents(
        self, kind: SearchedKind, select: str, asked: dict[str, object]
    ) -> Iterator[tuple[CollectionKey, list[Document]]]:
        """The selected objects, those of a collection one batch after the other."""
        rows = self._transaction.stream(f"{select} {_BY_COLLECTION}", parameters=asked)
        for (owner, recipe), group in groupby(rows, key=lambda row: (row[0], row[1])):
            while batch := [Document(*row[2:]) for row in islice(group, BATCH)]:
                yield CollectionKey(owner, kind, recipe), batch

    def _known(self, of: CollectionKey) -> list[_Collection]:
        rows = self._transaction.query(
            "select number, places, entries, graph from collections "
            "where kind = $kind and owner = $owner and recipe = $recipe",
            of.asked,
        )
        return [_Collection(*row) for row in rows]

    def _put(self, of: CollectionKey, documents: Sequence[Document]) -> None:
        """Have the collection hold these texts of these objects, or none of those that are gone."""
        if not (known := self._known(of)):
            if all(one.gone for one in documents):
                return
            self._transaction.query(
                "insert into collections (kind, owner, recipe) values ($kind, $owner, $recipe)", of.asked
            )
            known = self._known(of)
        (collection,) = known
        number = collection.number
        held = {
            key: (place, text)
            for key, place, text in self._transaction.query(
                "select id, place, text_hash from indexed where collection = ? and id = any(?)",
                [number, [one.id for one in documents]],
            )
        }
        changed = [
            one for one in documents if one.gone or one.id not in held or held[one.id][1] != one.text_hash
        ]
        left = [one.id for one in changed if one.id in held]  # their places become empty
        new = [one for one in changed if not one.gone]
        if not left and not new:
            return
        if left:
            self._transaction.query(
                "delete from indexed where collection = ? and id = any(?)", [number, left]
            )
        after = replace(
            collection,
            places=collection.places + len(new),
            entries=collection.entries + len(new) - len(left),
        )
        if after.places > 2 * after.entries:
            self._make_anew(number)
            return
        self._add(number, collection.places, new, {held[key][0]: EMPTY for key in left})
        self._note(after)

    def _add(self, number: int, first: int, new: Sequence[Document], lengths: dict[int, int]) -> None:
        """Put objects at the places from `first`, and set the lengths of these and of others."""
        places = range(first, first + len(new))
        words_at = [(place, self._stems.of(one.text)) for place, one in zip(places, new, strict=True)]
        self._transaction.query(
            _PUT,
            {
                "collection": number,
                "ids": [one.id for one in new],
                "places": list(places),
                "hashes": [one.text_hash for one in new],
            },
        )
        postings = packed_postings(words_at)
        self._transaction.query(
            _PUT_POSTINGS,
            {
                "collection": number,
                "words": [word for word, _ in postings],
                "chunks": [chunk for _, chunk in postings],
                "held": list(postings.values()),
            },
        )
        self._set_lengths(number, lengths | {place: len(words) for place, words in words_at})

    def _set_lengths(self, number: int, lengths: dict[int, int]) -> None:
        by_chunk: dict[int, dict[int, int]] = {}
        for place, length in lengths.items():
            by_chunk.setdefault(place // CHUNK, {})[place] = length
        kept = dict(
            self._transaction.query(
                "select chunk, lengths from document_lengths where collection = ? and chunk = any(?)",
                [number, list(by_chunk)],
            )
        )
        for chunk, of_chunk in by_chunk.items():
            self._transaction.query(
                "insert into document_lengths values (?, ?, ?) "
                "on conflict (collection, chunk) do update set lengths = excluded.lengths",
                [number, chunk, with_lengths(chunk, kept.get(chunk, b""), of_chunk)],
            )

    def _note(self, collection: _Collection) -> None:
        self._transaction.query(
            "update collections set places = ?, entries = ? where number = ?",
            [collection.places, collection.entries, collection.number],
        )

    def _make_graphs(self) -> None:
        """For collections that outgrew being compared as a whole: once all of them is there, which is faster
        than adding to a graph."""
        self._transaction.query(
            "select make_graph(number, (select dimension from store)) from collections "
            "where entries >= ? and not graph",
            [LARGE],
        )
        for number in self._outdated:  # last: from now on until the commit nobody can search
            self._transaction.query("select drop_graph(?)", [number])

    def _make_anew(self, number: int) -> None:
        ((owner, kind, recipe, graph),) = self._transaction.query(
            "delete from collections where number = ? returning owner, kind, recipe, graph", [number]
        )
        for table in ("indexed", "postings", "document_lengths"):
            self._transaction.query(" ".join(("delete from", table, "where collection = ?")), [number])
        if graph:
            self._outdated.append(number)
        select = f"{_DOCUMENTS.format(kind=kind)} and owner = $owner and recipe = $recipe and not gone"
        for of, documents in self._documents(kind, select, {"owner": owner, "recipe": recipe}):
            self._put(of, documents)


def _changed(kind: SearchedKind) -> str:
    """The objects that a generation changed. Triples say the names of their entities."""
    return " ".join((_DOCUMENTS.format(kind=kind), _OF_TRIPLES if kind == "triple" else _STAMPED))


def index_changes(transaction: PostgresTransaction) -> None:
    """Before a commit: have search find what the transaction changed."""
    if not transaction.generation:
        return
    indexing = Indexing(transaction)
    ((store_id, model),) = transaction.query("select id, embedding_model from store")
    was, model_was = transaction.store_before
    if model != model_was:
        indexing.compare_anew()
    if store_id != was:  # something was erased
        indexing.forget_erased(transaction.generation)
    else:
        indexing.take(transaction.generation, transaction.written)
