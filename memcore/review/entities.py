"""Which entity names are one entity: proposals to merge, by rule.

Two rules, both cautious, because two people merged into one are hard to tell apart again:

* the same name up to case, spaces, punctuation and (for things, not for people, whose names may end
  in s) the plural: "LGBTQ support-group" and "LGBTQ Support Groups";
* a first name when exactly one known full name begins with it: "Caroline" and "Caroline Smith".

Knows names only; what two entities have in common in the graph plays no part.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime

from memcore.domain.models import Candidate, Entity, Proposal, Risk, stable_id

NAMES_RULE = "rule: same name"
FIRST_NAME_RULE = "rule: first name"
# Separators say nothing, except between digits ("2.5" is not "25"); other signs do ("C", "C++").
_SEPARATOR = re.compile(r"(?<!\d)[\s_.,;:!?\"()\[\]/–—-]+|[\s_.,;:!?\"()\[\]/–—-]+(?!\d)")
_ARTICLE = re.compile(r"^(?:the|a|an) (?=.)")


def folded_name(name: str, type_: str = "THING") -> str:
    """The form in which two spellings of one name are equal.

    >>> folded_name("The Support-Groups") == folded_name("support group")
    True
    >>> folded_name("Williams", "PERSON") == folded_name("William", "PERSON")
    False
    """
    spelled = unicodedata.normalize("NFKC", name).casefold().strip().replace("'", "").replace("’", "")
    spelled = _ARTICLE.sub("", spelled)
    if type_ != "PERSON":
        spelled = _singular(spelled)
    return _SEPARATOR.sub("", spelled)


def entity_merges(
    entities: Sequence[Entity], mentions: Mapping[str, int], *, run_id: str, at: datetime
) -> list[Proposal]:
    """One proposal per group of entities that should be one; the first target survives.

    `mentions` counts the triples of each entity: the most connected one of a group keeps its name.
    """
    living = [entity for entity in entities if not entity.merged_into]
    proposals = []
    grouped: set[str] = set()
    for group in _same_name(living):
        group = sorted(group, key=lambda e: (-mentions.get(e.id, 0), -len(e.name), e.id))
        grouped |= {entity.id for entity in group}
        names = ", ".join(f"“{entity.name}”" for entity in group[1:])
        reason = f"{names} and “{group[0].name}” differ only in case, spacing, punctuation or number."
        proposals.append(_proposal(group, reason, NAMES_RULE, "low", run_id, at))
    for short, full in _first_names(living):
        if short.id in grouped or full.id in grouped:
            continue  # settle the spelling first; the next consolidation sees the survivor
        grouped |= {short.id, full.id}
        reason = f"“{full.name}” is the only known full name that begins with “{short.name}”."
        proposals.append(_proposal([full, short], reason, FIRST_NAME_RULE, "medium", run_id, at))
    return proposals


def _same_name(entities: Sequence[Entity]) -> list[list[Entity]]:
    by_name: dict[tuple[str, bool], list[Entity]] = {}
    for entity in entities:
        key = folded_name(entity.name, entity.type)
        if key:
            by_name.setdefault((key, entity.type == "PERSON"), []).append(entity)
    return [group for group in by_name.values() if len(group) > 1]


def _first_names(entities: Sequence[Entity]) -> list[tuple[Entity, Entity]]:
    people = [entity for entity in entities if entity.type == "PERSON"]
    full_names: dict[str, list[Entity]] = {}
    for person in people:
        words = person.name.casefold().split()
        if len(words) > 1:
            full_names.setdefault(words[0], []).append(person)
    pairs = []
    for person in people:
        fitting = full_names.get(person.name.casefold(), [])
        if len(fitting) == 1:
            pairs.append((person, fitting[0]))
    return pairs


def _proposal(
    group: Sequence[Entity], reason: str, rule: str, risk: Risk, run_id: str, at: datetime
) -> Proposal:
    survivor, *others = group
    ids = tuple(entity.id for entity in group)
    return Proposal(
        id=stable_id("prop", "merge_entities", *sorted(ids)),
        owner=survivor.owner,
        operation="merge_entities",
        target_ids=ids,
        candidates=tuple(Candidate(entity.id, 1.0) for entity in others),
        before=", ".join(entity.name for entity in others),
        after=survivor.name,
        reason=reason,
        made_by=rule,
        risk=risk,
        state="pending",
        created_at=at,
        run_id=run_id,
        recipe=survivor.recipe,
    )


def _singular(name: str) -> str:
    if not re.search(r"[^\W\d_]{4,}$", name):
        return name  # too short to tell, or a number ("1960s")
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("ches", "shes", "sses", "xes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name[:-1]
    return name
