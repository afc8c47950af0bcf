"""What an index asks of the store: which vectors and token codes of a collection changed since a generation,
and how many there are.

Knows no index and runs nothing.
"""

from __future__ import annotations

LOST_VECTORS = """
select d.id
from documents d left join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and d.changed > $seen
and (d.gone or e.text_hash is null)
"""

# The recent objects are found first: a join of everything would read every vector there is.
CHANGED_VECTORS = """
with recent as (
    select id, text_hash, changed from documents
    where kind = $kind and owner = $owner and recipe = $recipe and not gone
    and (changed > $seen or text_hash in (
        select text_hash from embeddings where model_id = $model and changed > $seen))
)
select recent.id, e.vector
from recent join embeddings e on e.text_hash = recent.text_hash and e.model_id = $model
order by recent.changed, recent.id
"""

WAITING = """
select d.id, d.text_hash
from documents d left join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and not d.gone and e.text_hash is null
"""

RECENT_OBJECTS = """
select id, text_hash, gone from documents
where kind = $kind and owner = $owner and recipe = $recipe and changed > $seen
order by changed, id
"""

RECENT_VECTORS = "select text_hash, vector from embeddings where model_id = $model and changed > $seen"

# The rows are found first, by the column of hashes alone: a filter beside the vectors reads every vector.
VECTORS_OF = """
select text_hash, vector from embeddings where rowid in (
    select rowid from embeddings
    where model_id = $model and text_hash in (select unnest($hashes::text[])))
"""

COUNT_TEXTS = """
select count(*) from documents where kind = $kind and owner = $owner and recipe = $recipe and not gone
"""

COUNT_VECTORS = """
select count(*) from documents d join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and not d.gone
"""

CHANGED_CODES = """
with recent as (
    select id, text_hash, gone from documents
    where kind = $kind and owner = $owner and recipe = $recipe
    and (changed > $seen or text_hash in (
        select text_hash from embeddings where model_id = $model and changed > $seen))
)
select recent.id, case when recent.gone then null else e.token_codes end
from recent left join embeddings e on e.text_hash = recent.text_hash and e.model_id = $model
"""

COUNT_CODES = """
select count(*) from documents d join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and not d.gone and e.token_codes is not null
"""
