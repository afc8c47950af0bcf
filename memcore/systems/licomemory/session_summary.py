"""LiCoMemory's incremental session summary, where no model writes it; and what every version leaves behind.

Keep what is said, add what is new: each turn's own sentences (`extract_language`) follow those so far. What
would grow too long loses the sentences that tell least of what the whole session is about, never those of
the turn just read. Keywords and themes are counted anew. It ranks by counting only, and does not rephrase.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memcore.domain.extraction import SummaryDraft
from memcore.domain.models import MemoryEntry, SessionSummary
from memcore.nlp.language.words.keywords import topic_label
from memcore.stages.align import sentence_spans
from memcore.stages.reply_checks import MAX_SUMMARY

MOST_KEYWORDS = 5
MOST_THEMES = 3


@dataclass(frozen=True, slots=True)
class SummaryVersion:
    """The summary as one turn left it: after which segment, said when, and written by what."""

    segment_id: str
    said_at: datetime | None
    text: str
    keywords: tuple[str, ...]
    themes: tuple[str, ...]
    made_by: str


def continued(so_far: SessionSummary, added: SummaryDraft, memories: Iterable[MemoryEntry]) -> SummaryDraft:
    """The summary so far with what a turn adds; keywords and themes are counted in it and in `memories`, what
    the session left up to this turn."""
    names = [*so_far.keywords, *added.keywords]
    themes = Counter([*so_far.themes, *added.themes])
    for memory in memories:
        names += memory.entities
        themes[memory.category] += 1
    label = topic_label(names, most=MOST_KEYWORDS) if names else ""
    return SummaryDraft(
        text=_within(_sentences(so_far.text), _sentences(added.text), names),
        keywords=tuple(label.split(", ")) if label else (),
        themes=tuple(t for t, _ in themes.most_common() if t not in ("", "Other"))[:MOST_THEMES],
    )


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _within(old: Sequence[str], new: Sequence[str], names: Sequence[str]) -> str:
    """All sentences in order, without those of the old that tell least where all would be too long."""
    added = [sentence for sentence in new if sentence not in old]
    counts = Counter(name.casefold() for name in names)

    def tells(place: int) -> float:
        sentence = old[place].casefold()
        return sum(n for name, n in counts.items() if name in sentence) / (1 + len(sentence) / 120)

    kept = dict(enumerate(old))
    length = len(" ".join((*old, *added)))
    for place in sorted(kept, key=tells) if length > MAX_SUMMARY else ():
        del kept[place]
        if len(" ".join((*kept.values(), *added))) <= MAX_SUMMARY:
            break
    return " ".join((*kept.values(), *added))
