"""What refers to what, asked of the server: nothing is read of an owner that is not asked for.

The embedded engine keeps maps of these in memory (`sql.references`, `sql.neighbours`), since a column store
would read every row. Here each is an index. Names, whose equality SQL cannot tell (`names.entity_key`), are
kept in a table by their keys (`indexing`). Who speaks and how names are spelled is kept in memory here, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import MemoryEntry
from memcore.store.sql.database import Database
from memcore.store.sql.references import ReferenceMaps
from memcore.store.sql.tables import MEMORIES

# One message after the other (`offset 0` keeps the owner out of it): asked for all at once, the planner
# expects to find most memories there are, and reads every one of the owner's.
_OF_MESSAGES = """
from unnest($keys::text[]) with ordinality as asked(key, place) cross join lateral (
    select * from memories where cited(sources) @> array[asked.key] offset 0) memories
where owner = $owner and recipe = $recipe order by place, changed, id
"""
_CITED = """
select id, cited(sources) from memories
where id = any($ids::text[]) and recipe = $recipe and state <> 'deleted'
"""
_TRIPLES_OF_ENTITIES = """
select id, array[subject_id, object_id] from triples
where owner = $owner and recipe = $recipe
  and (subject_id = any($keys::text[]) or object_id = any($keys::text[]))
order by changed, id
"""
_ENTITIES_BY_NAME = """
select n.entity_id, array[n.key] from entity_names n join entities e on e.id = n.entity_id
where n.owner = $owner and n.recipe = $recipe and n.key = any($keys::text[]) order by e.changed, e.id
"""
_ENTITIES_BY_SURVIVOR = """
select id, array[merged_into] from entities
where owner = $owner and recipe = $recipe and merged_into = any($keys::text[]) order by changed, id
"""
_NEIGHBOURS = """
select m.id, coalesce(before.id, ''), coalesce(after.id, '')
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
left join lateral (
    select b.id from messages b where b.session_id = m.session_id and (b.position, b.id) < (m.position, m.id)
    order by b.position desc, b.id desc limit 1) before on true
left join lateral (
    select a.id from messages a where a.session_id = m.session_id and (a.position, a.id) > (m.position, m.id)
    order by a.position, a.id limit 1) after on true
where c.owner = $owner and m.id = any($keys::text[])
"""


def memories_of_messages(
    database: Database, owner: str, message_ids: Sequence[str], *, recipe: str
) -> dict[str, MemoryEntry]:
    """As `Store.memories_of_messages`: in the order asked, then as they came."""
    asked = {"owner": owner, "recipe": recipe, "keys": list(dict.fromkeys(message_ids))}
    rows = database.query(" ".join(["select", MEMORIES.columns, _OF_MESSAGES]), asked)
    id_at = MEMORIES.fields.index(MEMORIES.key)
    first = {row[id_at]: row for row in reversed(rows)}
    return {key: MEMORIES.from_row(first[key]) for key in dict.fromkeys(row[id_at] for row in rows)}


def cited_by(database: Database, memory_ids: Sequence[str], *, recipe: str) -> dict[str, tuple[str, ...]]:
    """As `Store.cited_by`."""
    rows = database.query(_CITED, {"ids": list(memory_ids), "recipe": recipe})
    found = {key: tuple(dict.fromkeys(messages)) for key, messages in rows}
    return {key: found[key] for key in memory_ids if key in found}


class ServerReferences(ReferenceMaps):
    """As `ReferenceMaps`, of which only speakers and spellings are read as a whole. Memories of messages are
    not asked of it, but read at once (`memories_of_messages`)."""

    def triples_of(self, owner: str, recipe: str, entity_ids: Sequence[str]) -> list[str]:
        """The triples, whether they hold or not, with any of these entities at either end."""
        return self._holders(_TRIPLES_OF_ENTITIES, owner, recipe, entity_ids)

    def _named(self, owner: str, recipe: str, keys: Sequence[str]) -> list[str]:
        return self._holders(_ENTITIES_BY_NAME, owner, recipe, keys)

    def _merged_into(self, owner: str, recipe: str, entity_ids: Sequence[str]) -> list[str]:
        return self._holders(_ENTITIES_BY_SURVIVOR, owner, recipe, entity_ids)

    def _holders(self, select: str, owner: str, recipe: str, keys: Sequence[str]) -> list[str]:
        """The ids that refer to any of `keys`: in the order asked, then as they came; each once."""
        if not keys:
            return []
        place = {key: number for number, key in reversed(list(enumerate(keys)))}
        rows = self._database.query(select, {"owner": owner, "recipe": recipe, "keys": list(place)})
        rows.sort(key=lambda row: min(place[key] for key in row[1] if key in place))
        return list(dict.fromkeys(object_id for object_id, _ in rows))


class ServerNeighbours:
    """Implements `Store.neighbours`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, owner: str, message_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """By message id; ids that are not the owner's are left out."""
        rows = self._database.query(_NEIGHBOURS, {"owner": owner, "keys": list(message_ids)})
        found = {key: (before, after) for key, before, after in rows}
        return {key: found[key] for key in message_ids if key in found}
