"""Whether the words that a statement cites carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Support = Literal["supported", "partly", "unsupported", "contradicted"]
ReasonKind = Literal["name", "number", "date", "negation", "content"]


@dataclass(frozen=True, slots=True)
class Reason:
    """What in a statement has no support: its `kind`, the `words` of the statement it is about (empty: the
    whole), and `why`, a sentence for a person. `message_id` is the message that supports it better than the
    cited ones (empty: none known); `contradicts` where the cited words say something else."""

    kind: ReasonKind
    words: str
    why: str
    message_id: str = ""
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class Grounding:
    """The verdict on a statement. `score` is the probability, 0 to 1, that the cited words do not carry it;
    `better` the id of the message that carries it where the cited one does not (empty: none known);
    `made_by` the version of the rules, or a model."""

    verdict: Support
    score: float
    reasons: tuple[Reason, ...] = ()
    better: str = ""
    made_by: str = ""
