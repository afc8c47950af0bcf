"""Proposals about memories that their words do not carry, and what approving one does.

They wait, are edited, approved, rejected and undone as every proposal. An approval is a correction by the
person who approves (`review.curate`): what stood there was never true, and does not come back by itself. One
proposal is made for a memory's text and citations, whatever becomes of it; a memory that says or cites
something else by then has another one, and what waited about it is superseded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memcore.domain.models import (
    DOUBTFUL,
    Fault,
    Grounding,
    MemoryEntry,
    Proposal,
    Risk,
    Run,
    Source,
    Statement,
    now,
    stable_id,
    text_hash,
)
from memcore.domain.protocols import Cancelled, Examiner, Judge, Progress, Shortener, Store
from memcore.nlp.time_grammar.dates import find_times
from memcore.review.curate.acts import Act, CiteWords, EditMemories, EventTime, MarkWrong
from memcore.review.proposals import GROUNDING, corrects, enqueue
from memcore.review.remedies import Remedy, find_remedies

AT_ONCE = 50
"""Memories about which proposals are made and stored together."""
STAGE = "propose"
"""The stage that progress is told in."""

_RISK: Mapping[str, Risk] = {"cite": "low", "update": "medium", "delete": "high"}


@dataclass(frozen=True, slots=True)
class UnsupportedReport:
    """What one run did: how many doubtful memories it looked at, the new proposals, in all and by operation,
    and the earlier ones that were retired since their memory is another or is supported by now."""

    run_id: str
    memories: int
    proposals: int
    by_operation: dict[str, int]
    retired: int


def propose_corrections(
    store: Store,
    *,
    run: Run,
    judge: Judge,
    examiner: Examiner,
    shortener: Shortener,
    recipe: str | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> UnsupportedReport:
    """Propose what can be done about the active memories of `run.owner` (of one system, if one is named) that
    are partly supported, not supported or contradicted. Changes none. What was proposed before it was
    cancelled stays."""
    doubtful = store.memories(run.owner, recipe=recipe, verdicts=DOUBTFUL)
    retired = _retire(store, run, doubtful)
    made: Counter[str] = Counter()
    fresh = [memory for memory in doubtful if _is_open(store, proposal_id(memory))]
    for start in range(0, len(fresh), AT_ONCE):
        if cancelled is not None and cancelled():
            break
        chunk = fresh[start : start + AT_ONCE]
        found = store.groundings([memory.id for memory in chunk])
        judged = [(Statement.of_memory(memory), found[memory.id]) for memory in chunk if memory.id in found]
        remedies = find_remedies(judge, examiner, shortener, judged)
        by_id = {s.object_id: remedy for (s, _), remedy in zip(judged, remedies, strict=True) if remedy}
        made += _store(store, run, chunk, by_id, found)
        if progress is not None:
            progress(STAGE, start + len(chunk), len(fresh))
    return UnsupportedReport(run.id, len(doubtful), made.total(), dict(sorted(made.items())), retired)


def _store(
    store: Store,
    run: Run,
    chunk: Sequence[MemoryEntry],
    remedies: Mapping[str, Remedy],
    found: Mapping[str, Grounding],
) -> Counter[str]:
    """Let them wait, unless their memory has changed meanwhile."""
    cited = {i for remedy in remedies.values() for i in remedy.cited}
    lengths = {i: len(message.text) for i, message in store.messages_by_id(sorted(cited)).items()}
    with store.write(actor=GROUNDING, run_id=run.id) as writer:
        present = store.memories_by_id([memory.id for memory in chunk])
        proposals = [
            _proposal(memory, remedies[memory.id], found[memory.id], lengths, run)
            for memory in chunk
            if memory.id in remedies and present.get(memory.id) == memory
        ]
        made = enqueue(store, writer, run.owner, proposals, again=frozenset({"superseded"}))
    return Counter(proposal.operation for proposal in made)


def _proposal(
    memory: MemoryEntry, remedy: Remedy, found: Grounding, lengths: Mapping[str, int], run: Run
) -> Proposal:
    own = [source for source in memory.sources if source.message_id in remedy.cited]
    kept = {source.message_id for source in own}
    new = (Source(i, 0, lengths[i]) for i in remedy.cited if i not in kept)
    return Proposal(
        id=proposal_id(memory),
        owner=memory.owner,
        operation=remedy.operation,
        target_ids=(memory.id,),
        candidates=(),
        before=memory.text,
        after={"cite": memory.text, "update": remedy.text, "delete": None}[remedy.operation],
        reason=remedy.why,
        made_by=f"{GROUNDING} ({found.made_by})",
        risk=_RISK[remedy.operation],
        state="pending",
        created_at=now(),
        run_id=run.id,
        recipe=memory.recipe,
        sources=(*own, *new),
    )


def proposal_id(memory: MemoryEntry) -> str:
    """The id of the one proposal there can be about what a memory says and cites."""
    return stable_id("prop", GROUNDING, memory.id, text_hash(memory.text), *Statement.of_memory(memory).cited)


def correction_of(proposal: Proposal, memory: MemoryEntry) -> Act:
    """What a person does who approves such a proposal about this memory."""
    stage: Fault = "extraction" if memory.run_id else "other"
    if proposal.operation == "cite":
        return CiteWords(memory.id, proposal.sources)
    if proposal.operation == "delete":
        return MarkWrong((memory.id,), stage, proposal.reason)
    text = proposal.after or ""
    loses_time = _tells_time(memory.text, memory.mentioned_at) and not _tells_time(text, memory.mentioned_at)
    event = EventTime() if loses_time else None
    return EditMemories((memory.id,), text, event, stage=stage, reason=proposal.reason)


def _tells_time(text: str, said_at: datetime | None) -> bool:
    return bool(find_times(text, said_at))


def _is_open(store: Store, proposal_key: str) -> bool:
    known = store.proposal(proposal_key)
    return known is None or known.state == "superseded"


def _retire(store: Store, run: Run, doubtful: Sequence[MemoryEntry]) -> int:
    """Supersede what waits about something that is no longer so. What is doubtful in other systems stands."""
    standing = {proposal_id(memory) for memory in doubtful}
    waiting = [p for p in store.proposals(run.owner) if corrects(p) and p.id not in standing]
    about = store.memories_by_id([i for p in waiting for i in p.target_ids])
    verdicts = store.groundings(list(about))
    stale = []
    for proposal in waiting:
        memory = about.get(proposal.target_ids[0])
        found = verdicts.get(proposal.target_ids[0])
        same = memory is not None and memory.state == "active" and proposal_id(memory) == proposal.id
        if not same or (found is not None and found.verdict == "supported"):
            stale.append(replace(proposal, state="superseded", decided_at=now(), decided_by=GROUNDING))
    if stale:
        with store.write(actor=GROUNDING, run_id=run.id) as writer:
            writer.put_proposals(stale, kind="proposal.superseded")
    return len(stale)
