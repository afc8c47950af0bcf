"""What refers to what, kept in memory: which memories came from a message, which triples end at an
entity, which entities have a name, who speaks for an owner.

A column store would read every row to answer any of these. Each map is read when first asked and then takes
over only what newer commits changed. Knows ids and names; the objects themselves are `query.Objects`' matter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from memcore.domain.names import entity_key
from memcore.store.links import Links
from memcore.store.sql.database import Database, Following

Scope = tuple[str, str]
"""An owner and a recipe."""


class References:
    """For one owner and recipe, from what is referred to (a key) to the ids that refer to it.

    `select` gives (id, references) of what changed in `table` after generation $seen, all it has now;
    `key` turns a reference into what it is asked for by."""

    def __init__(
        self, database: Database, table: str, select: str, scope: Scope, key: Callable[[str], str]
    ) -> None:
        self._database = database
        self._select = select
        self._asked = {"owner": scope[0], "recipe": scope[1]}
        self._key = key
        self._following = Following(database, table, forget=self._forget)
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._links = Links()

    def holders(self, keys: Iterable[str]) -> list[str]:
        """The ids that refer to any of `keys`: in the order asked, then as they came; each once."""
        with self._lock:
            self._follow()
            return self._links.holders(list(keys))

    def _follow(self) -> None:
        newest = self._following.newest()
        if newest == self._following.seen:
            return
        if self._following.seen < 0:
            self._links = self._read_all()
        else:
            self._note(self._links)
        self._following.seen = newest

    def _read_all(self) -> Links:
        """All there are, which nothing is noted of yet."""
        links = Links()
        self._note(links)
        return links

    def _note(self, links: Links) -> None:
        """Take over what changed."""
        asked = self._asked | {"seen": self._following.seen}
        for object_id, references in self._database.query(self._select, asked):
            links.refer(object_id, tuple(dict.fromkeys(map(self._key, references))))


_MEMORIES_OF_MESSAGES = """
select id, cited(sources) from memories
where owner = $owner and recipe = $recipe and changed > $seen order by changed, id
"""
_TRIPLES_OF_ENTITIES = """
select id, array[subject_id, object_id] from triples
where owner = $owner and recipe = $recipe and changed > $seen order by changed, id
"""
_ENTITIES_BY_NAME = """
select id, case when merged_into is null then array_prepend(name, aliases) else array[]::text[] end
from entities
where owner = $owner and recipe = $recipe and changed > $seen order by changed, id
"""
_ENTITIES_BY_SURVIVOR = """
select id, case when merged_into is null then array[]::text[] else array[merged_into] end from entities
where owner = $owner and recipe = $recipe and changed > $seen order by changed, id
"""
_SPELLINGS = """
select distinct unnest(persons || entities || keywords || array[speaker, location]) from memories
where owner = $owner and recipe = $recipe and changed > $seen
"""
_SPEAKERS = """
select m.speaker, max(m.said_at) from messages m join sessions s on s.id = m.session_id
join conversations c on c.id = s.conversation_id
where c.owner = $owner and c.format != 'proposed' and m.changed > $seen group by m.speaker
"""


class ReferenceMaps:
    """Every map of one store, made when first asked for. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._maps: dict[tuple[str, Scope], References] = {}
        self._speakers: dict[str, Speakers] = {}
        self._spellings: dict[Scope, Spellings] = {}
        self._lock = threading.Lock()

    def memories_of(self, owner: str, recipe: str, message_ids: Sequence[str]) -> list[str]:
        """The memories, in whatever state, that came from any of these messages."""
        return self._map("memories", _MEMORIES_OF_MESSAGES, (owner, recipe)).holders(message_ids)

    def triples_of(self, owner: str, recipe: str, entity_ids: Sequence[str]) -> list[str]:
        """The triples, whether they hold or not, with any of these entities at either end."""
        return self._map("triples", _TRIPLES_OF_ENTITIES, (owner, recipe)).holders(entity_ids)

    def entities_named(self, owner: str, recipe: str, keys: Iterable[str]) -> list[str]:
        """The standing entities whose name or alias is, as `entity_key`, among `keys`, and everything
        that was merged into them."""
        newest = self._named(owner, recipe, list(keys))
        found = dict.fromkeys(newest)
        while newest:
            newest = [i for i in self._merged_into(owner, recipe, newest) if i not in found]
            found |= dict.fromkeys(newest)
        return list(found)

    def _named(self, owner: str, recipe: str, keys: Sequence[str]) -> list[str]:
        return self._map("entities", _ENTITIES_BY_NAME, (owner, recipe), entity_key).holders(keys)

    def _merged_into(self, owner: str, recipe: str, entity_ids: Sequence[str]) -> list[str]:
        return self._map("entities", _ENTITIES_BY_SURVIVOR, (owner, recipe)).holders(entity_ids)

    def spellings(self, owner: str, recipe: str, keys: Iterable[str]) -> dict[str, list[str]]:
        """How memories, in whatever state, spell or once spelled these names; those they never name are
        left out."""
        with self._lock:
            spellings = self._spellings.setdefault(
                (owner, recipe), Spellings(self._database, (owner, recipe))
            )
        return spellings.of(keys)

    def speakers(self, owner: str) -> dict[str, datetime | None]:
        """Everyone who speaks in the owner's conversations, and when they last did."""
        with self._lock:
            speakers = self._speakers.setdefault(owner, Speakers(self._database, owner))
        return speakers.last_said()

    def _map(self, table: str, select: str, scope: Scope, key: Callable[[str], str] = str) -> References:
        with self._lock:
            found = self._maps.get((select, scope))
            if found is None:
                found = self._maps[select, scope] = self._references(table, select, scope, key)
            return found

    def _references(self, table: str, select: str, scope: Scope, key: Callable[[str], str]) -> References:
        return References(self._database, table, select, scope, key)


class Speakers:
    """Who speaks in one owner's conversations, and when each last did (None: no message has a time)."""

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._last: dict[str, datetime | None] = {}
        self._following = Following(database, "messages", forget=self._last.clear)
        self._lock = threading.Lock()

    def last_said(self) -> dict[str, datetime | None]:
        """Every speaker of this owner with the time of their newest dated message (None: none is dated)."""
        with self._lock:
            newest = self._following.newest()
            if newest != self._following.seen:
                asked: dict[str, Any] = {"owner": self._owner, "seen": self._following.seen}
                for speaker, moment in self._database.query(_SPEAKERS, asked):
                    known = self._last.get(speaker)
                    self._last[speaker] = max((t for t in (known, moment) if t is not None), default=None)
                self._following.seen = newest
            return dict(self._last)


class Spellings:
    """Every way in which the memories of one owner and recipe spell a name in their metadata, by
    `entity_key`."""

    def __init__(self, database: Database, scope: Scope) -> None:
        self._database = database
        self._asked = {"owner": scope[0], "recipe": scope[1]}
        self._of: dict[str, dict[str, None]] = {}
        self._following = Following(database, "memories", forget=self._of.clear)
        self._lock = threading.Lock()

    def of(self, keys: Iterable[str]) -> dict[str, list[str]]:
        """The spellings of those of the names that there are."""
        with self._lock:
            newest = self._following.newest()
            if newest != self._following.seen:
                asked = self._asked | {"seen": self._following.seen}
                for (name,) in self._database.query(_SPELLINGS, asked):
                    if key := entity_key(name):
                        self._of.setdefault(key, {})[name] = None
                self._following.seen = newest
            return {key: list(self._of[key]) for key in keys if key in self._of}
