"""Sleep-time decisions by a language model: one call an update queue (LightMem section 3.3).

LightMem's actions are update, delete and ignore, and it has a prompt of its own with these three. The
prompt here, which systems share, tells `merge` from `update` (the same thing said twice, against a
refinement) and `invalidate` from `delete` (was true and is no longer, against was never right), because a
person reviews them differently and history keeps them differently. The published code applies decisions
at once; here a decision only becomes a proposal. A new text is checked against what it
was made from: names and numbers that were lost or invented raise its risk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.domain.models import Candidate, MemoryEntry, Risk
from memcore.domain.prompts import PromptText, fenced, one_line
from memcore.domain.protocols import Llm
from memcore.review.decisions import Decision, UpdateQueue
from memcore.review.prompts import DECIDE
from memcore.stages.log_lines import dated, said_on

STAGE = "update"  # LightMem's name in its token statistics
MAX_TEXT = 1200
MAX_REASON = 400
_DETAIL = re.compile(r"\d+|\w+")


class DecideReply(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["update", "merge", "invalidate", "delete", "ignore"]
    new_memory: str | None
    because_of: list[int]
    reason: str


class LlmDecider:
    """A `Decider` that asks `llm`, `workers` queues at a time. A queue whose answer stays unusable
    yields an `ignore` with its `error`; the others are unaffected. A system with actions of its own gives
    the `prompt` that offers them and the `reply` that allows them."""

    def __init__(
        self,
        llm: Llm,
        *,
        workers: int = 2,
        prompt: PromptText = DECIDE,
        reply: type[DecideReply] = DecideReply,
    ) -> None:
        self.name = f"{llm.model_id} ({prompt.version})"
        self._llm = llm
        self._workers = workers
        self._prompt = prompt
        self._reply = reply

    def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
        """See `Decider.decide`. A queue without candidates is ignored without asking. Raises
        LlmUnavailableError: a server that is down has decided nothing."""
        if not queues:
            return []
        with ThreadPoolExecutor(min(self._workers, len(queues)), "decide") as pool:
            futures = [pool.submit(self._one, queue) for queue in queues]
            try:
                return [future.result() for future in futures]
            except LlmUnavailableError:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _one(self, queue: UpdateQueue) -> Decision:
        if not queue.candidates:
            return self._ignored(queue, "no similar later memory")
        try:
            reply = self._llm.ask(
                stage=STAGE,
                prompt_version=self._prompt.version,
                place=f"memory {queue.target.id}",
                system=self._prompt.text,
                user=_user_prompt(queue),
                schema=self._reply,
            ).data
            return self._decision(queue, reply)
        except LlmReplyError as error:
            return self._ignored(queue, "not decided", error=str(error))

    def _decision(self, queue: UpdateQueue, reply: DecideReply) -> Decision:
        reason = one_line(reply.reason)[:MAX_REASON]
        if reply.action == "ignore":
            return self._ignored(queue, reason)
        unknown = [n for n in reply.because_of if not 1 <= n <= len(queue.candidates)]
        if unknown or not reply.because_of:
            raise self._useless(
                f"it rests on candidates that do not exist: {unknown}"
                if unknown
                else "it rests on no candidate"
            )
        based_on = [queue.candidates[n - 1][0] for n in dict.fromkeys(reply.because_of)]
        new_text: str | None = None
        risk: Risk = "high"
        if reply.action in ("update", "merge"):
            new_text = one_line(reply.new_memory or "")
            if not new_text or len(new_text) > MAX_TEXT:
                raise self._useless(f"its new memory has {len(new_text)} characters")
            risk, warnings = check_rewrite(queue.target, based_on, new_text)
            reason = "; ".join((reason, *warnings))
        return Decision(
            target=queue.target,
            queue=_scored(queue),
            action=reply.action,
            new_text=new_text,
            reason=reason,
            made_by=self.name,
            risk=risk,
            against=tuple(memory.id for memory in based_on),
        )

    def _ignored(self, queue: UpdateQueue, reason: str, error: str = "") -> Decision:
        return Decision(queue.target, _scored(queue), "ignore", None, reason, self.name, "low", error=error)

    def _useless(self, why: str) -> LlmReplyError:
        return LlmReplyError(
            f"{self.name}'s decision cannot be used: {why}.", "Consolidate again, or choose another model."
        )


def check_rewrite(
    target: MemoryEntry, based_on: Sequence[MemoryEntry], new_text: str
) -> tuple[Risk, list[str]]:
    """The risk of a rewritten text, and what a reviewer should look at: numbers and names that the
    target had and the new text lacks, or that the new text has and nothing it rests on does."""
    said = set(_DETAIL.findall(new_text))
    known = {word for memory in (target, *based_on) for word in _DETAIL.findall(memory.text)}
    lost, invented = sorted(_details(target.text) - said), sorted(_details(new_text) - known)
    warnings = []
    if lost:
        warnings.append(f"the new text no longer says {', '.join(lost)}")
    if invented:
        warnings.append(f"no source says {', '.join(invented)}")
    return ("high" if warnings else "medium"), warnings


def _details(text: str) -> set[str]:
    """Numbers, and capitalised words that do not begin a sentence."""
    return {
        match.group()
        for match in _DETAIL.finditer(text)
        if match.group()[0].isdigit()
        or (match.group()[0].isupper() and text[: match.start()].rstrip()[-1:] not in ("", ".", "!", "?"))
    }


def _user_prompt(queue: UpdateQueue) -> str:
    lines = (
        f"{number}. [{said_on(memory)}, {score:.2f}] {one_line(memory.text)}"
        for number, (memory, score) in enumerate(queue.candidates, start=1)
    )
    return fenced("target", dated(queue.target)) + "\n\n" + fenced("candidates", "\n".join(lines))


def _scored(queue: UpdateQueue) -> tuple[Candidate, ...]:
    return tuple(Candidate(memory.id, score) for memory, score in queue.candidates)
