"""Whether what search reads is what there is to be found: for `doctor`. Repairs nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from memcore.domain.names import entity_key
from memcore.store.bm25 import Stems
from memcore.store.postgres.database import PostgresDatabase
from memcore.store.postgres.packed import CHUNK, EMPTY, packed_postings, standing_postings, unpacked_lengths
from memcore.store.postgres.transaction import PostgresTransaction
from memcore.store.sql.integrity import Finding, finding

_OBJECTS = """
select d.kind || ' ' || d.id || ' is not found by its present text'
from documents d
left join collections c on c.kind = d.kind and c.owner = d.owner and c.recipe = d.recipe
left join indexed i on i.collection = c.number and i.id = d.id
where not d.gone and i.text_hash is distinct from d.text_hash
union all
select coalesce(c.kind, 'object') || ' ' || i.id || ' is found but not there'
from indexed i left join collections c on c.number = i.collection
left join documents d on d.kind = c.kind and d.id = i.id and d.owner = c.owner and d.recipe = c.recipe
where d.gone is distinct from false
"""
_VECTORS = """
select 'object ' || i.id || ' is compared by another vector than its text has'
from indexed i left join embeddings e
on e.text_hash = i.text_hash and e.model_id = (select embedding_model from store)
where (i.half is null) <> (e.vector is null)
   or l2_distance(i.half, l2_normalize(e.vector)::halfvec) > 0.01
"""
_TEXTS = """
select i.place, d.text from documents d join indexed i on i.collection = $number and i.id = d.id
where d.kind = '{kind}' and d.owner = $owner and d.recipe = $recipe order by i.place
"""
_ORPHANS = """
select 'collection ' || collection || ' is named by nothing' from (
    select collection from indexed union select collection from postings
    union select collection from document_lengths) there
where collection not in (select number from collections)
"""


def check_search(database: PostgresDatabase) -> Finding:
    """Whether every object is found by its words, its vector and its names, and nothing else is."""
    with database.transaction() as moment:
        problems = [what for sql in (_OBJECTS, _VECTORS, _ORPHANS) for (what,) in moment.query(sql)]
        problems += [*_words(moment), *_names(moment)]
    return finding(
        "search",
        sorted(problems),
        "everything is found by its words, its vector and its names, and nothing else is",
        "Carry the store over into a new database, which makes what search reads anew: "
        f"python -m memcore move {database.name} postgresql://...",
    )


def _words(moment: PostgresTransaction) -> Iterator[str]:
    """Collections whose postings or lengths are not those of their texts."""
    stems = Stems()
    collections = "select number, kind, owner, recipe, places, entries from collections order by number"
    for number, kind, owner, recipe, places, entries in moment.query(collections):
        of = {"number": number, "owner": owner, "recipe": recipe}
        texts = moment.query(_TEXTS.format(kind=kind), of)
        words_at = [(place, stems.of(text)) for place, text in texts]
        lengths = np.full(places, EMPTY, dtype=np.int32)
        for place, words in words_at:
            lengths[place : place + 1] = len(words)
        rows = moment.query("select chunk, lengths from document_lengths where collection = ?", [number])
        if entries != len(texts) or not np.array_equal(unpacked_lengths(rows), lengths):
            yield f"the lengths of the {kind} texts of {owner} are not those of their words"
        held = moment.query(
            "select word, chunk, held from postings where collection = ?", [number], binary=True
        )
        there = {
            (word, chunk): standing
            for word, chunk, packed in held
            if (standing := standing_postings(packed, lengths[chunk * CHUNK :] != EMPTY))
        }
        if there != packed_postings(words_at):
            yield f"the postings of the {kind} texts of {owner} are not those of their words"


def _names(moment: PostgresTransaction) -> Iterator[str]:
    """Entities that are looked up by other names than they have."""
    named: dict[str, set[str]] = {}
    for entity_id, key in moment.query("select entity_id, key from entity_names"):
        named.setdefault(entity_id, set()).add(key)
    entities = "select id, array_prepend(name, aliases) from entities where merged_into is null"
    for entity_id, names in moment.query(entities):
        if named.pop(entity_id, set()) != set(map(entity_key, names)):
            yield f"entity {entity_id} is looked up by other names than it has"
    yield from (f"entity {entity_id} is looked up but not there" for entity_id in named)
