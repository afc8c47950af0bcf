"""Which dataclass lives in which table. The columns themselves are created in each engine's
`migrations`."""

from __future__ import annotations

from typing import Any

from memcore.domain.models import (
    AskedQuestion,
    Conversation,
    Curation,
    Entity,
    Event,
    Grant,
    Judged,
    LlmCall,
    MemoryEntry,
    Message,
    Proposal,
    RuleSwitch,
    Run,
    Segment,
    Session,
    SessionSummary,
    StageTrace,
    TopicCut,
    Triple,
)
from memcore.store.codec import Table

CONVERSATIONS = Table("conversations", Conversation)
SESSIONS = Table("sessions", Session)
MESSAGES = Table("messages", Message, hashed="text", stamped=True)
SEGMENTS = Table("segments", Segment)

MEMORIES = Table("memories", MemoryEntry, hashed="text", stamped=True)
ENTITIES = Table("entities", Entity, stamped=True)
TRIPLES = Table("triples", Triple, stamped=True)
SUMMARIES = Table("summaries", SessionSummary)
TOPIC_CUTS = Table("topic_cuts", TopicCut)
PROPOSALS = Table("proposals", Proposal)
RULE_SWITCHES = Table("rule_switches", RuleSwitch)
GRANTS = Table("grants", Grant)
CURATIONS = Table("curations", Curation)
EVENTS = Table("events", Event)
GROUNDINGS = Table("groundings", Judged)

RUNS = Table("runs", Run)
TRACES = Table("traces", StageTrace, key="run_id")
LLM_CALLS = Table("llm_calls", LlmCall)
QUESTIONS = Table("questions", AskedQuestion)

REVIEWABLE: dict[str, Table[Any]] = {
    "memory": MEMORIES,
    "entity": ENTITIES,
    "triple": TRIPLES,
    "summary": SUMMARIES,
    "topic_cut": TOPIC_CUTS,
    "proposal": PROPOSALS,
    "rule_switch": RULE_SWITCHES,
    "grant": GRANTS,
    "curation": CURATIONS,
}
"""Object types whose every change is an event, and the table that shows their current state."""

EVIDENCE: dict[str, Table[Any]] = {
    "conversation": CONVERSATIONS,
    "session": SESSIONS,
    "message": MESSAGES,
    "segment": SEGMENTS,
}
"""Insert-only: nothing but erasure updates or deletes a row of these tables."""
