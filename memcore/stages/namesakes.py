"""Pets that share a name: "Max" of one family is not "Max" of another.

The first pet of a name has the name for itself. One that somebody else is said to have ("my dog Max") is an
entity of its own, called "Andrew's Max"; from then on the bare name means the pet of who speaks or of who is
named beside it, and where that tells nothing the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memcore.domain.extraction import TripleDraft
from memcore.domain.models import Entity, MemoryEntry, Triple
from memcore.domain.names import MAX_NAME, entity_key, shown_name
from memcore.nlp.language.words import graph_words, lexicon

_PETS = lexicon.ANIMAL | graph_words.SPECIES.keys()


class Namesakes:
    """Whose pets have which names; `id_of` makes the id of a name's entity. `known` are entities and triples
    by id, as linking goes on with them."""

    def __init__(
        self, entities: Mapping[str, Entity], triples: Iterable[Triple], id_of: Callable[..., str]
    ) -> None:
        self.id_of = id_of
        self._pets: dict[str, dict[str, str]] = {}
        for triple in triples:
            pet = entities.get(triple.object_id)
            if pet is not None and pet.type == "ANIMAL" and _is_pet(triple.relation):
                for name in (pet.name, *pet.aliases):
                    owners = self._pets.setdefault(entity_key(name), {})
                    owners.setdefault(triple.subject_id, pet.id)

    def learn(self, drafts: Iterable[TripleDraft], memory: MemoryEntry) -> dict[str, str]:
        """Take over whose pets `drafts` name. The result is how new ones are called, by id, that somebody
        else's pet has the name of."""
        called: dict[str, str] = {}
        for draft in drafts:
            if draft.object_type != "ANIMAL" or not _is_pet(draft.relation):
                continue
            key, whose = entity_key(draft.object[:MAX_NAME]), entity_key(draft.subject[:MAX_NAME])
            owner = self.id_of(memory.owner, memory.recipe, whose)
            owners = self._pets.setdefault(key, {})
            if owner in owners:
                continue
            if not owners:
                owners[owner] = self.id_of(memory.owner, memory.recipe, key)
                continue
            owners[owner] = self.id_of(memory.owner, memory.recipe, whose, key)
            called[owners[owner]] = f"{shown_name(draft.subject)}'s {shown_name(draft.object)}"
        return called

    def meant(self, key: str, draft: TripleDraft, memory: MemoryEntry) -> str | None:
        """The id of the pet that a name stands for in a memory; None where it is nobody's in particular."""
        owners = self._pets.get(key)
        if not owners:
            return None
        for names in ((draft.subject,), (memory.speaker,), memory.persons):
            ids = {self.id_of(memory.owner, memory.recipe, entity_key(name)) for name in names}
            mine = {owners[i] for i in ids if i in owners}
            if len(mine) == 1:
                return mine.pop()
        return None


@dataclass(frozen=True, slots=True)
class Names:
    """Which entities names stand for: `nodes` and `ids` as `link` is given them, then the pets of one name;
    `called` says by id how a new pet is called that has a namesake."""

    nodes: Mapping[str, str]
    ids: Mapping[tuple[str, str], str]
    pets: Namesakes
    called: Mapping[str, str]

    def id_of(self, key: str, kind: str, draft: TripleDraft, memory: MemoryEntry) -> str:
        """The id of the entity, new or known."""
        given = self.ids.get((key, kind)) or self.nodes.get(key) or self.pets.meant(key, draft, memory)
        return given or self.pets.id_of(memory.owner, memory.recipe, key)


def _is_pet(relation: str) -> bool:
    return relation.rsplit("_", 1)[-1] in _PETS
