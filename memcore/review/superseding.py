"""The text that takes the place of an older statement: with what a newer one tells otherwise, or more."""

from __future__ import annotations

import re

from memcore.nlp.language.words.told_in import note_of, without_note
from memcore.nlp.language.words.wording import SPOKEN, contains_content, wording
from memcore.review.pairs import Statement

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_CLAUSE = re.compile(
    r";\s+|\s[-\u2013\u2014]\s|,\s+which\s+means\s+(?:that\s+)?"
    r"|,?\s+(?:and|but)\s+(?=(?:[A-Z][\w'’-]*|the|their|his|her)\s)"
)
_STANDS_ALONE = re.compile(
    r"(?:[A-Z][\w-]*|[Tt]he|[A-Z][\w-]*['’]s?|[Tt]heir) (?:[\w-]+(?:,\d+)* ){0,4}?(?:\([^()]*\) )?"
    r"(?:is|are|was|were|has|have|had|\w+s|\w+ed)\b"
)


def superseding_text(
    older: Statement, newer: Statement, changed: str, *, over: re.Pattern[str] | None = None
) -> str:
    """The newer text, and after it the sentences of the older one, or their clauses that stand by themselves,
    that do not hold what has `changed` (part of its words) and are not said by the newer: only the value is
    new. In which conversation the older one was told is left behind. `over`: what in them says that they are
    over with it."""
    changed = _SENTENCE.split(without_note(changed))[0].rstrip(".")
    kept = [
        part
        for sentence in _SENTENCE.split(older.told)
        for part in _unchanged(sentence, changed)
        if not contains_content(newer.memory.text, part) and not (over and over.search(part))
    ]
    if not kept:
        return newer.memory.text
    text = newer.told
    if not text.endswith((".", "!", "?")):
        text += "."
    return " ".join([text, *kept, note_of(newer.memory.text)]).rstrip()


def _unchanged(sentence: str, changed: str) -> list[str]:
    """The sentence, where it does not hold what has changed; else the clauses of it that do not."""
    if changed not in sentence:
        return [sentence] if wording(sentence).subject else []
    clauses = [clause.strip(" .") for clause in _CLAUSE.split(sentence)]
    return [
        f"{clause[0].upper()}{clause[1:]}."
        for clause in clauses
        if clause and changed not in clause and clause not in changed and _stands_alone(clause)
    ]


def _stands_alone(clause: str) -> bool:
    return _STANDS_ALONE.match(SPOKEN.sub("", clause)) is not None
