"""Mem0's conversation summary S: what the whole conversation was about, refreshed in the background.

Every so many message pairs a refresh begins, from S and the pairs since the refresh before; extraction
goes on meanwhile with the S there is, and takes the new one over exactly one period later. What a pair is
read with therefore follows from the conversation alone, never from how fast a model answers. A refresh
that fails leaves S as it is, and its pairs are in the next one. Without a model S is the extractor's own
drafts, the newest where all would be too long.

It knows no store: whoever goes on after an interruption replays the pairs that the stored S does not
cover yet (`uncovered`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby

from memcore.domain.errors import LlmError, LlmReplyError
from memcore.domain.models import Message, Segment, SessionSummary
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.align import sentence_spans
from memcore.stages.log_lines import place_of
from memcore.stages.pairs import as_segment, message_pairs
from memcore.stages.reply_checks import StrictReply, cleaned
from memcore.systems.mem0.extract import transcript
from memcore.systems.mem0.prompts import MEM0_SUMMARY

STAGE = "summary"
METHOD = "message pair"
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class SaidPair:
    """A message pair as S will tell of it; `draft` is what the extractor has to say, if anything. `waits`:
    its extraction failed, so that its segment is not stored until it is read again."""

    segment: Segment
    messages: tuple[Message, ...]
    draft: str = ""
    waits: bool = False


Refresh = Callable[[str, Sequence[SaidPair]], str]
"""S so far and the pairs that followed → S. Raises LlmError."""


@dataclass(frozen=True, slots=True)
class Refreshing:
    """A refresh in the background: the pairs it adds, and S as it will be."""

    pairs: tuple[SaidPair, ...]
    summary: Future[str]


@dataclass(frozen=True, slots=True)
class RunningSummary:
    """S as extraction sees it, the pairs said since the last refresh began, and that refresh."""

    text: str = ""
    since: tuple[SaidPair, ...] = ()
    refreshing: Refreshing | None = None


@dataclass(frozen=True, slots=True)
class SummaryTrace:
    """A refresh taken over: the segments it added, how S reads now, and after which segment that was
    ("": at the end). `error`: it failed, and S is what it was."""

    session_id: str
    made_by: str
    added: tuple[str, ...]
    text: str
    taken_over_after: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What a refresh that was waited for added, and its failure if it failed."""

    pairs: tuple[SaidPair, ...]
    error: str = ""


def said(
    summary: RunningSummary, pair: SaidPair, *, every: int, refresh: Refresh
) -> tuple[RunningSummary, TakenOver | None]:
    """S after one more pair. At the end of a period the refresh begun a period ago is taken over, and
    the next one begins."""
    summary = replace(summary, since=(*summary.since, pair))
    if len(summary.since) < every:
        return summary, None
    summary, taken = take_over(summary)
    background = ThreadPoolExecutor(1, STAGE)
    future = background.submit(refresh, summary.text, summary.since)
    background.shutdown(wait=False)
    return RunningSummary(summary.text, (), Refreshing(summary.since, future)), taken


def take_over(summary: RunningSummary) -> tuple[RunningSummary, TakenOver | None]:
    """S with the refresh that is under way, if there is one, which is waited for."""
    under_way = summary.refreshing
    if under_way is None:
        return summary, None
    try:
        text = under_way.summary.result()
    except LlmError as error:
        since = (*under_way.pairs, *summary.since)
        return RunningSummary(summary.text, since), TakenOver(under_way.pairs, str(error))
    return RunningSummary(text, summary.since), TakenOver(under_way.pairs)


def uncovered(before: Sequence[Message], stored: SessionSummary | None, recipe: str) -> list[SaidPair]:
    """Of the messages just before those to be read, the pairs that S as `stored` (None: no S) does not
    cover: those after the last of its segments. None where that is too far back to be found."""
    messages = list(before)
    if stored is not None:
        ends = (
            end
            for end in range(len(before), 0, -1)
            for size in (2, 1)
            if size <= end and as_segment(before[end - size : end], recipe, METHOD).id in stored.segment_ids
        )
        messages = messages[next(ends, len(messages)) :]
    return [
        SaidPair(as_segment(pair, recipe, METHOD), pair)
        for _, group in groupby(messages, key=lambda message: message.session_id)
        for pair in message_pairs(list(group))
    ]


class _SummaryReply(StrictReply):
    summary: str


def made_by(llm: Llm | None) -> str:
    """What writes S, by name."""
    return "the extractor's drafts" if llm is None else f"{llm.model_id} ({MEM0_SUMMARY.version})"


def refresh_by_model(llm: Llm) -> Refresh:
    """S written anew by a model, from S and the messages since."""

    def refresh(so_far: str, pairs: Sequence[SaidPair]) -> str:
        messages = [message for pair in pairs for message in pair.messages]
        reply = llm.ask(
            stage=STAGE,
            prompt_version=MEM0_SUMMARY.version,
            place=place_of(messages),
            system=MEM0_SUMMARY.text,
            user=fenced("summary", one_line(so_far)) + "\n\n" + fenced("messages", transcript(messages)),
            schema=_SummaryReply,
        ).data
        text = cleaned(reply.summary)
        if not text or len(text) > LONGEST:
            raise LlmReplyError(
                f"{made_by(llm)} gave a summary of {len(text)} characters; 1 to {LONGEST} can be used.",
                "Choose a model that follows the prompt; until then the summary before it is in use.",
            )
        return text

    return refresh


def refresh_by_drafts(so_far: str, pairs: Sequence[SaidPair]) -> str:
    """S with the drafts of the pairs added, without its oldest sentences where it would be too long."""
    text = " ".join(part for part in (so_far, *(pair.draft for pair in pairs)) if part)
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    while len(" ".join(sentences)) > LONGEST:
        del sentences[0]
    return " ".join(sentences)


def as_session_summary(
    text: str, pairs: Sequence[SaidPair], *, owner: str, recipe: str, before: SessionSummary | None
) -> SessionSummary:
    """S as the summary of the session of the last of `pairs`, which it tells of now; `before` is what
    that session had. Its segments are those added last, after which S is replayed (`uncovered`)."""
    session_id = pairs[-1].segment.session_id
    times = [m.said_at for pair in pairs for m in pair.messages if m.said_at is not None]
    if before is not None and before.started_at is not None:
        times.append(before.started_at)
    return SessionSummary(
        id=SessionSummary.id_for(session_id, recipe),
        session_id=session_id,
        owner=owner,
        text=text,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        segment_ids=tuple(pair.segment.id for pair in pairs if not pair.waits),
        recipe=recipe,
    )
