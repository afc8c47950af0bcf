"""A second opinion of a language model on what the model-free judge does not call supported.

One request a statement, with the cited messages and the turns before them. A reply is believed only as far as
it can be checked: words that it finds unsupported must stand in the statement. Whatever cannot be used leaves
the verdict that is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memcore.domain.errors import LlmError, LlmReplyError
from memcore.domain.models import Grounding, Message, Reason, Statement
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.log_lines import stamp
from memcore.stages.prompts import GROUND
from memcore.stages.reply_checks import StrictReply
from memcore.stages.side_by_side import ask_side_by_side

STAGE = "ground"
MOST_CHARACTERS = 8_000
"""Of the messages that one request holds. A statement that cites more is not asked about."""
_LONGEST_REASON = 300
_SCORES = {"supported": 0.0, "partly": 0.5, "unsupported": 1.0, "contradicted": 1.0}
"""A model gives no probability: what it says is taken as certain."""


class GroundReply(StrictReply):
    """What the model is asked for."""

    verdict: Literal["supported", "partly", "unsupported", "contradicted"]
    reason: str
    unsupported_words: list[str]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A statement, what the model-free judge `found`, the messages it cites and those before them."""

    statement: Statement
    found: Grounding
    cited: tuple[Message, ...]
    before: tuple[Message, ...]

    @property
    def fits(self) -> bool:
        """Whether a request can hold what it cites."""
        return bool(self.cited) and sum(len(m.text) for m in (*self.cited, *self.before)) <= MOST_CHARACTERS


class LlmJudge:
    """Asks `llm`, `workers` statements at a time."""

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({GROUND.version})"
        self._llm = llm
        self._workers = workers

    def judge(self, doubts: Sequence[Doubt]) -> list[Grounding | LlmError]:
        """A verdict each, or why there is none. After a server that is down no other is asked."""
        return ask_side_by_side(doubts, self._one, workers=self._workers, name="ground")

    def _one(self, doubt: Doubt) -> Grounding:
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=GROUND.version,
            place=f"{doubt.statement.kind} {doubt.statement.object_id}",
            system=GROUND.text,
            user=_user_prompt(doubt),
            schema=GroundReply,
        ).data
        return self._verdict(doubt, reply)

    def _verdict(self, doubt: Doubt, reply: GroundReply) -> Grounding:
        words = [self._words_of(doubt.statement.text, said) for said in reply.unsupported_words]
        if words and reply.verdict == "supported":
            raise self._useless("it calls supported what has words without support")
        made_by = f"{doubt.found.made_by}, {self.name}"
        if reply.verdict == "supported":
            return Grounding("supported", _SCORES["supported"], made_by=made_by)
        why = one_line(reply.reason)[:_LONGEST_REASON] or "The model gives no reason."
        contradicts = reply.verdict == "contradicted"
        reasons = tuple(Reason("content", one, why, contradicts=contradicts) for one in words or [""])
        return Grounding(reply.verdict, _SCORES[reply.verdict], reasons, doubt.found.better, made_by)

    def _words_of(self, text: str, said: str) -> str:
        """The words as they stand in the statement. Raises LlmReplyError where they do not."""
        wanted = said.strip()
        at = text.casefold().find(wanted.casefold())
        if not wanted or at < 0:
            raise self._useless(f"its words “{one_line(said)[:80]}” are not in the memory")
        return text[at : at + len(wanted)]

    def _useless(self, why: str) -> LlmReplyError:
        return LlmReplyError(
            f"{self.name}'s verdict cannot be used: {why}.",
            "The verdict without a model stands. Check again, or choose another model.",
        )


def _user_prompt(doubt: Doubt) -> str:
    parts = [fenced("memory", one_line(doubt.statement.text))]
    for tag, messages in (("before", doubt.before), ("cited", doubt.cited)):
        if messages:
            lines = (f"{stamp(m)} {one_line(m.speaker)}: {one_line(m.text)}" for m in messages)
            parts.append(fenced(tag, "\n".join(lines)))
    return "\n\n".join(parts)
