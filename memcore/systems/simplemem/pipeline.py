"""SimpleMem: semantic structured compression, online synthesis, intent-aware retrieval planning.

    Simple1  windows of 40 dialogues, overlap 2, read in parallel; one call a window yields memory
             units {lossless restatement, keywords, time, place, people, entities, topic}, gated by
             density against what is known                                                  stage 1
    Simple2  related units of the session merge into one as they are written                stage 2
    Simple3  a plan drives semantic, lexical and symbolic views in parallel, with at most
             two rounds of reflection (`retrieval.simplemem`)                                stage 3

`read` makes windows; `remember` extracts, gates and synthesizes, because that needs to know what is there.
The language pipeline reads a window the same whatever is known, so without a model extraction runs ahead
in `read`. Without a model rules gate (`review.repetition`), merge and plan.

Deliberate differences from the paper. A window never spans sessions: times are resolved against the
session's own date, and synthesis is within the session. Windows of one step are read in parallel and
know nothing of each other: what two of them say is left to the rule gate and to synthesis. What a model
lets through although it is known already is skipped by the rule gate. Synthesis changes nothing that
is stored: with a unit of an earlier step it proposes the merge, and a merge that loses or invents a number
or a name, or joins different times, is refused. Nothing is ever ended: contradictions live side by side.

Differences from the published code. Units keep the messages and words they come from. The gate knows
the nearest active memories, not the first three units of the window before. Synthesis is a step of its
own, not left to the extraction prompt. The keyword index there never sees entries after the first insert;
here it follows the store. An answer that cannot be read is an error, and its window is read again by the
next run. SimpleMem has no graph and no session summaries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memcore.domain.errors import LlmReplyError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, SkippedText
from memcore.domain.models import Candidate, MemoryEntry, Proposal, now
from memcore.domain.protocols import Vectors
from memcore.review.decisions import Decision
from memcore.review.proposals import to_proposal
from memcore.stages.link import in_context, link
from memcore.systems.simplemem.repetition import RuleSynthesizer, gate, merge_problems
from memcore.systems.simplemem.synthesize import RELATED, LlmSynthesizer, Suggested, synthesize
from memcore.systems.simplemem.windows import windows
from memcore.systems.steps import SPOKEN, EmbedTrace, Known, Step, StepResult, Tools, Tracer, embedded

NAME = "simplemem"
WINDOW = 40
"""Dialogues a window (published default), of which ..."""
OVERLAP = 2
"""... so many stood in the window before (published default)."""
WINDOWS_A_STEP = 3
STEP_MESSAGES = WINDOW + (WINDOWS_A_STEP - 1) * (WINDOW - OVERLAP)
KNOWN_A_MESSAGE = 3
"""Of the memories nearest to each message of a window a model is told so many as known, ..."""
MOST_KNOWN = 12
"""... at most so many a window."""
COMPARED = 10
"""The rule gate compares a unit with so many of the nearest memories."""
MOST_RELATED = 50
"""Synthesis looks for units of the same session among so many of the nearest memories."""
UNREAD = "not said by a person or an assistant"


@dataclass(frozen=True, slots=True)
class WindowRead:
    """A window and what extraction made of it."""

    window: Buffer
    extraction: Extraction
    trace: ExtractionTrace


@dataclass(frozen=True, slots=True)
class WindowedStep:
    """One step divided into windows and, without a model, what was extracted from them with the texts'
    vectors; and the messages nobody reads."""

    step: Step
    windows: tuple[Buffer, ...]
    ahead: tuple[WindowRead, ...] | None
    vectors: Mapping[str, Vectors]
    unread: tuple[str, ...]
    tracer: Tracer


@dataclass(frozen=True, slots=True)
class Written:
    """What one session's windows added: units, their vectors, proposed merges, and by segment id what
    the gate skipped."""

    units: tuple[MemoryEntry, ...]
    vectors: Mapping[str, Vectors]
    proposals: tuple[Proposal, ...]
    gated: Mapping[str, list[SkippedText]]


def read(step: Step, tools: Tools) -> WindowedStep:
    """Simple1's windows; without a model, also what the language pipeline extracts from them."""
    tracer = Tracer(step)
    cut: list[Buffer] = []
    unread: list[str] = []
    for part in step.parts:
        said = [message for message in part.messages if message.role in SPOKEN]
        before = [message for message in part.before if message.role in SPOKEN]
        cut += windows(said, size=WINDOW, overlap=OVERLAP, recipe=NAME, before=before, people=part.people)
        skipped = tuple(
            SkippedText(m.id, 0, len(m.text), UNREAD) for m in part.messages if m.role not in SPOKEN
        )
        if skipped:
            tracer.add("extract", part.session.id, ExtractionTrace(part.session.id, NAME, skipped))
        unread += [row.message_id for row in skipped]
    ahead: tuple[WindowRead, ...] | None = None
    vectors: dict[str, Vectors] = {}
    if tools.llm is None:
        ahead = _extract(cut, tools, tracer)
        with tracer.timing("embed"):
            vectors = embedded([f.text for one in ahead for f in one.extraction.facts], tools.embedder)
    return WindowedStep(step, tuple(cut), ahead, vectors, tuple(unread), tracer)


def remember(prepared: WindowedStep, known: Known[None], tools: Tools) -> StepResult[None]:
    """Simple1's extraction and gate, then Simple2, session by session: a later one knows the earlier."""
    step, tracer = prepared.step, prepared.tracer
    extracted = prepared.ahead
    if extracted is None:
        extracted = _extract(_told_what_is_known(prepared.windows, known, tools, tracer), tools, tracer)
    errors = [one.trace.error for one in extracted if one.trace.error]
    done: list[WindowRead] = []
    written: list[Written] = []
    for session_id in dict.fromkeys(one.window.session_id for one in extracted):
        of_session = [one for one in extracted if one.window.session_id == session_id]
        own = [one for one in of_session if not one.trace.error]
        gated: Mapping[str, list[SkippedText]] = {}
        failed = ""
        try:
            made = _write(session_id, own, prepared, known, tools)
        except LlmReplyError as error:
            failed = str(error)
            errors.append(failed)
        else:
            written.append(made)
            done += own
            gated = made.gated
            known.near_memories.put(made.units, [made.vectors[unit.text] for unit in made.units])
        for one in of_session:
            rows = [row for segment in one.window.segments for row in gated.get(segment.id, [])]
            trace = replace(one.trace, skipped=(*one.trace.skipped, *rows))
            tracer.add("extract", session_id, replace(trace, error=trace.error or failed))
    vectors = {text: vector for made in written for text, vector in made.vectors.items()}
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, len(vectors), triples=0))
    return StepResult(
        segments=tuple(
            replace(segment, topic=one.extraction.topics.get(segment.id, ""))
            for one in done
            for segment in one.window.segments
        ),
        memories=tuple(unit for made in written for unit in made.units),
        proposals=tuple(proposal for made in written for proposal in made.proposals),
        embedding_model=tools.embedder.model_id,
        vectors=vectors,
        traces=tracer.traces(),
        processed=(*prepared.unread, *(message.id for one in done for message in one.window.messages)),
        errors=tuple(errors),
    )


def _told_what_is_known(
    cut: Sequence[Buffer], known: Known[None], tools: Tools, tracer: Tracer
) -> list[Buffer]:
    """Simple1, density gating: each window with the active memories nearest to what is said in it, those of
    the session's windows in earlier steps among them; none that was said only later."""
    with tracer.timing("embed"):
        vectors = embedded([message.text for window in cut for message in window.messages], tools.embedder)
    told: list[Buffer] = []
    for window in cut:
        until = window.messages[-1].said_at
        best: dict[str, float] = {}
        for message in window.messages:
            for memory, cosine in known.near_memories.search(vectors[message.text], KNOWN_A_MESSAGE):
                if until is None or memory.mentioned_at is None or memory.mentioned_at <= until:
                    best[memory.text] = max(cosine, best.get(memory.text, -1.0))
        nearest = sorted(best, key=lambda text: (-best[text], text))[:MOST_KNOWN]
        told.append(replace(window, known=tuple(nearest)))
    return told


def _extract(cut: Sequence[Buffer], tools: Tools, tracer: Tracer) -> tuple[WindowRead, ...]:
    """Simple1: one extraction a window, side by side; what failed says so in its trace."""
    with tracer.timing("extract"):
        results = tools.extractor.extract(cut)
    return tuple(WindowRead(window, *result) for window, result in zip(cut, results, strict=True))


def _write(
    session_id: str, extracted: Sequence[WindowRead], prepared: WindowedStep, known: Known[None], tools: Tools
) -> Written:
    """One session's units through the rule gate and synthesis (Simple2). Raises LlmError."""
    step, tracer = prepared.step, prepared.tracer
    with tracer.timing("link"):
        facts = in_context(
            [replace(fact, triples=()) for one in extracted for fact in one.extraction.facts],
            [message for one in extracted for message in one.window.messages],
            [
                replace(segment, topic=one.extraction.topics.get(segment.id, ""))
                for one in extracted
                for segment in one.window.segments
            ],
            owner=step.owner,
            recipe=NAME,
            run_id=step.run_id,
        )
        linked, trace = link(facts, embedding_model=tools.embedder.model_id, entities={}, triples={})
    tracer.add("link", session_id, trace)
    vectors = _embedded(linked.memories, prepared.vectors, tools, tracer)
    with tracer.timing("gate"):
        units, gated = gate(
            linked.memories,
            lambda unit: [m for m, _ in known.near_memories.search(vectors[unit.text], COMPARED)],
        )
    stored = _stored_near(session_id, units, vectors, known)
    vectors = {**vectors, **_embedded(stored, vectors, tools, tracer)}
    synthesizer = LlmSynthesizer(tools.llm) if tools.llm is not None else RuleSynthesizer()
    with tracer.timing("synthesis"):
        synthesis = synthesize(session_id, units, stored, vectors, synthesizer, merge_problems)
    tracer.add("synthesis", session_id, synthesis.trace)
    texts = _embedded(synthesis.units, vectors, tools, tracer)
    proposals = tuple(_proposal(one, step) for one in synthesis.suggested)
    return Written(synthesis.units, texts, proposals, gated)


def _stored_near(
    session_id: str, units: Sequence[MemoryEntry], vectors: Mapping[str, Vectors], known: Known[None]
) -> list[MemoryEntry]:
    """What earlier steps stored of the session that is related to a new unit: however long the session,
    only that is compared."""
    near = {
        memory.id
        for unit in units
        for memory, cosine in known.near_memories.search(vectors[unit.text], MOST_RELATED)
        if cosine >= RELATED
    }
    return [memory for memory in known.of_session(session_id) if memory.id in near] if near else []


def _embedded(
    memories: Sequence[MemoryEntry], at_hand: Mapping[str, Vectors], tools: Tools, tracer: Tracer
) -> dict[str, Vectors]:
    """The memories' vectors by text, from those at hand where they are."""
    texts = [memory.text for memory in memories]
    with tracer.timing("embed"):
        missing = embedded([text for text in texts if text not in at_hand], tools.embedder)
    return {text: missing[text] if text in missing else at_hand[text] for text in texts}


def _proposal(suggested: Suggested, step: Step) -> Proposal:
    """A merge with what an earlier step stored waits for a person."""
    decision = Decision(
        target=suggested.target,
        queue=tuple(Candidate(memory.id, cosine) for memory, cosine in suggested.others),
        action="merge",
        new_text=suggested.merge.text,
        reason=suggested.merge.reason,
        made_by=suggested.merge.made_by,
        risk="medium",
        against=tuple(memory.id for memory, _ in suggested.others),
    )
    memories = {memory.id: memory for memory in (suggested.target, *(m for m, _ in suggested.others))}
    return to_proposal(decision, memories, run_id=step.run_id, at=now())
