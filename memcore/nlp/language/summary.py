"""What a session told in a buffer, in short: a few of its own facts, its topics and its themes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memcore.domain.extraction import Buffer, Fact, SummaryDraft
from memcore.nlp.language.words import keywords

SUMMARY_FACTS = 4
SUMMARY_CHARS = 900


def summaries(
    buffer: Buffer, facts: Sequence[Fact], phrases: Mapping[str, Sequence[str]]
) -> dict[str, SummaryDraft]:
    """By session id, of each session that told something; `phrases` are by message id."""
    session_of = {message.id: message.session_id for message in buffer.messages}
    drafts = {
        session_id: _summary(
            [fact for fact in facts if session_of[fact.sources[0].message_id] == session_id],
            [phrase for i, found in phrases.items() if session_of[i] == session_id for phrase in found],
        )
        for session_id in buffer.session_ids
    }
    return {session_id: draft for session_id, draft in drafts.items() if draft is not None}


def _summary(facts: Sequence[Fact], phrases: Sequence[str]) -> SummaryDraft | None:
    """Extractive: of one session's facts in the buffer those with its most mentioned phrases. It does not
    repeat the summary so far, so it is the same wherever an earlier run was interrupted."""
    if not facts:
        return None
    counts = Counter(phrase.lower() for phrase in phrases)

    def weight(place: int) -> float:
        fact = facts[place]
        score = sum(counts[word.lower()] for word in fact.keywords) + (1.0 if fact.event_at else 0.0)
        return score / (1 + len(fact.text) / 120)

    best = sorted(range(len(facts)), key=lambda place: (-weight(place), place))[:SUMMARY_FACTS]
    chosen: list[str] = []
    for place in sorted(best):
        if sum(map(len, chosen)) + len(facts[place].text) <= SUMMARY_CHARS:
            chosen.append(facts[place].text)
    label = keywords.topic_label(phrases, most=5)
    themes = Counter(fact.category for fact in facts if fact.category not in {"", "Other"})
    return SummaryDraft(
        " ".join(chosen),
        tuple(label.split(", ")) if label != "small talk" else (),
        tuple(name for name, _ in themes.most_common(3)),
    )
