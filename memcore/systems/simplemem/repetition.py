"""What says nothing new, by rule: repetitions to skip, and related units to make one (SimpleMem).

The rules of sleep-time update that need no judgement (a near-duplicate; one statement that says all the
other says) applied while units are written, so what they see is not stored twice. English only, but for
literal repetitions. `merge_problems` is what must not happen when several units become one, whoever wrote the
text. Nothing is stored here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from memcore.domain.extraction import SkippedText, already_known
from memcore.domain.models import MemoryEntry
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.wording import wording
from memcore.review.decide_llm import check_rewrite
from memcore.review.pairs import Finding, is_later, statement, times_overlap
from memcore.review.rules import near_duplicate, refinement
from memcore.systems.simplemem.synthesize import Group, Merge

SAID_TWICE = {
    "near-duplicate": "The same is said twice in one session.",
    "refinement": "One of them says all that is said, and more; the fuller text stays.",
}
_WORD = re.compile(r"\w+")


def repeats(known: MemoryEntry, new: MemoryEntry) -> bool:
    """Whether `known` says all that `new` says, and was said no later: density gating by rule."""
    if is_later(statement(known), statement(new)):
        return False
    finding = _said_twice(known, new)
    return finding is not None and (finding.rule == "near-duplicate" or finding.text == known.text)


def gate(
    units: Sequence[MemoryEntry], nearest: Callable[[MemoryEntry], Iterable[MemoryEntry]]
) -> tuple[list[MemoryEntry], dict[str, list[SkippedText]]]:
    """The units that say something new beside the `nearest` known memories; by segment id the words of
    the others, each with what says so already."""
    new: list[MemoryEntry] = []
    gated: dict[str, list[SkippedText]] = {}
    for unit in units:
        known = next((memory for memory in nearest(unit) if repeats(memory, unit)), None)
        if known is None:
            new.append(unit)
        else:
            reason = already_known(known.text)
            gated.setdefault(unit.segment_id or "", []).extend(
                SkippedText(source.message_id, source.start, source.end, reason) for source in unit.sources
            )
    return new, gated


class RuleSynthesizer:
    """A `Synthesizer` by rule: units of which one says all that the others say become that one."""

    name = "rules"

    def merges(self, groups: Sequence[Group]) -> tuple[list[Merge], list[str]]:
        """See `Synthesizer.merges`."""
        return [merge for group in groups for merge in _merges(group)], []


def merge_problems(parts: Sequence[MemoryEntry], text: str) -> list[str]:
    """What speaks against `text` in place of its parts: numbers and names lost or invented, someone who
    is no longer mentioned, times that cannot be the same."""
    found = [warning for part in parts for warning in check_rewrite(part, parts, text)[1]]
    folded = text.casefold()
    said = set(_WORD.findall(folded))
    for part in parts:
        people = [person for person in part.persons if person.casefold() in part.text.casefold()]
        wanted = {word for name in (wording(part.text).subject, *people) for word in _words(name)}
        # Chinese, Thai and others put no space around a name, so there it need be no word of its own.
        if lost := sorted(w for w in wanted - said if w.isascii() or w not in folded):
            found.append(f"the new text does not mention {', '.join(lost)}")
    dated = [part for part in parts if part.event_at is not None]
    if not all(times_overlap(one, other) for one, other in combinations(dated, 2)):
        found.append("they tell of different times")
    return list(dict.fromkeys(found))


def _said_twice(one: MemoryEntry, other: MemoryEntry) -> Finding | None:
    """Whichever says all that the other says, by the rules of sleep-time update; their order does not
    matter."""
    first, second = statement(one), statement(other)
    return near_duplicate(first, second) or refinement(first, second) or refinement(second, first)


def _merges(group: Group) -> list[Merge]:
    """Each unit joins the first before it with which it says the same; the fullest text stands for all."""
    found: list[tuple[MemoryEntry, tuple[str, ...], str]] = []
    for memory in group:
        for place, (fullest, units, _) in enumerate(found):
            if finding := _said_twice(fullest, memory):
                fuller = memory if finding.text == memory.text else fullest
                found[place] = fuller, (*units, memory.id), finding.rule
                break
        else:
            found.append((memory, (memory.id,), ""))
    return [
        Merge(units, fullest.text, SAID_TWICE[rule], f"rule: {rule}")
        for fullest, units, rule in found
        if len(units) > 1
    ]


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.casefold())) - lexicon.ARTICLES - {"s"}
