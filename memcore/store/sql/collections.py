"""What is searched together, and taking over the texts of it that changed into a keyword index."""

from __future__ import annotations

from dataclasses import dataclass

from memcore.domain.protocols import KeywordIndex, SearchedKind
from memcore.store.sql.database import Database


@dataclass(frozen=True)
class CollectionKey:
    """What a collection holds: one owner's objects of one kind and recipe (none, for messages)."""

    owner: str
    kind: SearchedKind
    recipe: str

    @property
    def asked(self) -> dict[str, str]:
        """As parameters of the queries below."""
        return {"owner": self.owner, "kind": self.kind, "recipe": self.recipe}


TABLES: dict[SearchedKind, tuple[str, ...]] = {
    "memory": ("memories",),
    "message": ("messages",),
    "triple": ("triples", "entities"),
    "entity": ("entities",),
}
"""What the texts of a kind are made of."""

CHANGED_TEXTS = """
select id, case when gone then null else text end as text
from documents where kind = $kind and owner = $owner and recipe = $recipe and changed > $seen
order by changed, id
"""


def collection_key(owner: str, kind: SearchedKind, recipe: str) -> CollectionKey:
    """The collection that a search asks for."""
    return CollectionKey(owner, kind, "" if kind == "message" else recipe)


def take_changed_texts(database: Database, index: KeywordIndex, of: CollectionKey, seen: int) -> int:
    """Give the index what changed after generation `seen`; returns how many texts did. It then holds what
    was the newest generation before the call; what is read twice does no harm."""
    changed = database.query(CHANGED_TEXTS, of.asked | {"seen": seen})
    index.remove([key for key, text in changed if text is None])
    present = [(key, text) for key, text in changed if text is not None]
    index.put([key for key, _ in present], [text for _, text in present])
    return len(changed)
