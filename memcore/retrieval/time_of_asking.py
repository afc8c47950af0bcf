"""When a question is asked: what "yesterday" and "10 days ago" in it count from.

It chooses no memory and leaves none out; that is what `as_of` does. A memory that is written to is asked
now. A log that ended long ago is asked as if its last message had just been said: who tries "last week" on
last year's chat means the chat's last week.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from memcore.domain.models import now
from memcore.domain.protocols import Store
from memcore.retrieval.question import Question
from memcore.retrieval.results import TimeOfAsking

RECENT = timedelta(days=30)
"""A memory whose newest message is at most this old is one that is written to."""

_AHEAD = timedelta(days=1)
"""Logs carry the time of where they were written, which may be ahead of ours."""


def time_of_asking(store: Store, question: Question) -> TimeOfAsking:
    """The time of asking that was given, else the moment asked about (`as_of`), else the default."""
    if question.asked_at is not None:
        return TimeOfAsking(question.asked_at, "given")
    if question.as_of is not None:
        return TimeOfAsking(question.as_of, "as of")
    return usual_time_of_asking(store.last_said(question.owner))


def usual_time_of_asking(last_said: datetime | None) -> TimeOfAsking:
    """The default: now, if the newest message is recent; else when that was said."""
    if last_said is None:
        return TimeOfAsking(None, "unknown")
    present = now()
    if present - RECENT <= last_said <= present + _AHEAD:
        return TimeOfAsking(present, "now")
    return TimeOfAsking(last_said, "newest message")


def in_words(asked: TimeOfAsking) -> str:
    """The time of asking for a person, and why it is this one.

    >>> in_words(TimeOfAsking(datetime(2023, 5, 7), "newest message"))
    '7 May 2023, when the newest message was said'
    """
    if asked.at is None:
        return "unknown, since no message has a time"
    if asked.origin == "now":
        return "now"
    why = {"as of": ", the time it asks about", "newest message": ", when the newest message was said"}
    return f"{asked.at.day} {asked.at:%b %Y}{why.get(asked.origin, '')}"
