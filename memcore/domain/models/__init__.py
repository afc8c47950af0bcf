"""The domain of Memscope: what a conversation log, a memory and a change to a memory are.

Three layers, as in LiCoMemory's CogniGraph: evidence (conversations, sessions, messages, topic
segments: raw and immutable), semantic index (memories, entities, triples: each points at its
evidence) and summaries (session summaries: entry points).

Every class is a frozen dataclass; a change makes a new value and an `Event`. Times are naive
`datetime`s: for a message, the wall clock its log states (Unix epochs are read as UTC); for
what Memscope does itself (events, runs, decisions), UTC.
"""

from memcore.domain.models.evidence import (
    Conversation,
    ConversationLog,
    LogRead,
    Message,
    RawRef,
    Segment,
    Session,
    Skipped,
    Source,
    TopicCut,
)
from memcore.domain.models.grounding import (
    DOUBTFUL,
    SUPPORT,
    Grounding,
    Judged,
    Reason,
    ReasonKind,
    Standing,
    Statement,
    StatementKind,
    Support,
)
from memcore.domain.models.identity import (
    BY_PERSON,
    DEFAULT_OWNER,
    DEFAULT_RECIPE,
    PROPOSED,
    CallOutcome,
    CurationAct,
    Fault,
    MemoryState,
    Operation,
    ProposalState,
    Risk,
    RunKind,
    RunState,
    TimeSource,
    now,
    stable_id,
    text_hash,
    triple_text,
)
from memcore.domain.models.memories import Entity, Link, MemoryEntry, SessionSummary, Triple
from memcore.domain.models.people import EVERY_OWNER, Grant, Role
from memcore.domain.models.review import AskedQuestion, Candidate, Curation, Event, Proposal, RuleSwitch
from memcore.domain.models.work import Coverage, LlmCall, LlmCost, Run, StageTrace

__all__ = [
    "BY_PERSON",
    "DEFAULT_OWNER",
    "DEFAULT_RECIPE",
    "DOUBTFUL",
    "EVERY_OWNER",
    "PROPOSED",
    "SUPPORT",
    "AskedQuestion",
    "CallOutcome",
    "Candidate",
    "Conversation",
    "ConversationLog",
    "Coverage",
    "Curation",
    "CurationAct",
    "Entity",
    "Event",
    "Fault",
    "Grant",
    "Grounding",
    "Judged",
    "Link",
    "LlmCall",
    "LlmCost",
    "LogRead",
    "MemoryEntry",
    "MemoryState",
    "Message",
    "Operation",
    "Proposal",
    "ProposalState",
    "RawRef",
    "Reason",
    "ReasonKind",
    "Risk",
    "Role",
    "RuleSwitch",
    "Run",
    "RunKind",
    "RunState",
    "Segment",
    "Session",
    "SessionSummary",
    "Skipped",
    "Source",
    "StageTrace",
    "Standing",
    "Statement",
    "StatementKind",
    "Support",
    "TimeSource",
    "TopicCut",
    "Triple",
    "now",
    "stable_id",
    "text_hash",
    "triple_text",
]
