"""The text that takes the place of an older statement: with what a newer one tells otherwise, or more."""

from __future__ import annotations

import re

from memcore.nlp.language.words.wording import contains_content, wording
from memcore.review.pairs import Statement

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def superseding_text(older: Statement, newer: Statement, changed: str) -> str:
    """The newer text, and after it the sentences of the older one that do not hold what has `changed` (part
    of its words) and are not said by the newer: only the value is new."""
    kept = [
        sentence
        for sentence in _SENTENCE.split(older.memory.text)
        if changed not in sentence
        and wording(sentence).subject
        and not contains_content(newer.memory.text, sentence)
    ]
    text = newer.memory.text.rstrip()
    if kept and not text.endswith((".", "!", "?")):
        text += "."
    return " ".join([text, *kept]) if kept else newer.memory.text
