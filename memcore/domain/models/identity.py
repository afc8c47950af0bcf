"""What names things: ids, hashes, the words for states and kinds, and the defaults."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Literal

TimeSource = Literal["message", "session", "asked", "none"]
MemoryState = Literal["active", "superseded", "invalidated", "deleted"]
Operation = Literal["add", "update", "merge", "cite", "delete", "invalidate", "merge_entities"]
ProposalState = Literal["pending", "approved", "rejected", "applied", "superseded"]
Risk = Literal["low", "medium", "high"]
Fault = Literal["", "extraction", "time", "person", "merge", "graph", "other"]
"""The stage at which something wrong came about (empty: nobody said)."""
CurationAct = Literal[
    "added", "edited", "wrong", "ended", "merged", "split", "deleted", "cited", "renamed", "retyped"
]
RunKind = Literal[
    "ingest", "resegment", "consolidate", "names", "propose", "decide", "ground", "search", "ask", "import"
]
RunState = Literal["running", "finished", "cancelled", "failed"]
CallOutcome = Literal["ok", "invalid_json", "truncated", "error", "unanswered"]
"""`unanswered`: no model was asked, and the recording has no reply."""

DEFAULT_OWNER = "me"
DEFAULT_RECIPE = "memscope"
BY_PERSON = "person"
"""`Segment.boundary["method"]` of a segment whose boundary a person set."""
PROPOSED = "proposed"
"""`Conversation.format` of words that another program proposed to remember (`review.additions`): evidence of
the memory that a person approves, and until then nothing. No recipe reads them and no search finds them on
their own."""


def stable_id(prefix: str, *parts: object) -> str:
    """A short id that is the same whenever the parts are: resuming a step can never duplicate.

    >>> stable_id("mem", "a", 1) == stable_id("mem", "a", 1)
    True
    """
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).hexdigest()
    return f"{prefix}_{digest[:16]}"


def text_hash(text: str) -> str:
    """The key under which a text's embedding is cached: sha256 of its UTF-8, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def triple_text(subject: str, relation: str, object_: str) -> str:
    """A triple as the sentence that is embedded (Mem0-graph's semantic triplet).

    >>> triple_text("Melanie", "go_to", "support group")
    'Melanie go to support group'
    """
    return f"{subject} {relation.replace('_', ' ')} {object_}"


def now() -> datetime:
    """The present, as the naive UTC time that events, runs and decisions carry."""
    return datetime.now(UTC).replace(tzinfo=None)
