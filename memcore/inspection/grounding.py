"""What a verdict says to a person: a label, the reasons as sentences, and of many how large each share is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memcore.domain.models import SUPPORT, Grounding, Support

Checked = Support | Literal["unchecked"]
LABELS: Mapping[str, str] = {
    "supported": "supported",
    "partly": "partly supported",
    "unsupported": "not supported",
    "contradicted": "contradicted",
    "unchecked": "not checked yet",
}
"""What each verdict is called on screen: whether the words that something cites carry it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict in words. `doubtful`: a person should look. `better` is the id of the message that carries it
    where the cited ones do not (empty: none known)."""

    checked: Checked
    label: str
    reasons: tuple[str, ...] = ()
    better: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether the cited words carry it not at all, or say something else."""
        return self.checked in ("unsupported", "contradicted")


def verdict_of(found: Grounding | None) -> Verdict:
    """A verdict in words; None: it was not checked yet.

    >>> from memcore.domain.models import Reason
    >>> verdict_of(Grounding("partly", 0.6, (Reason("number", "two", "two is not said."),)))
    Verdict(checked='partly', label='partly supported', reasons=('two is not said.',), better='')
    >>> verdict_of(None).label
    'not checked yet'
    """
    if found is None:
        return Verdict("unchecked", LABELS["unchecked"])
    return Verdict(found.verdict, LABELS[found.verdict], found.sentences, found.better)


def document(found: Grounding | None) -> dict[str, Any]:
    """The same as JSON."""
    told = verdict_of(found)
    return {
        "verdict": told.checked,
        "score": None if found is None else round(found.score, 4),
        "reasons": list(told.reasons),
        "better": told.better or None,
    }


def shares(counts: Mapping[str, int]) -> tuple[tuple[str, float], ...]:
    """Each verdict that occurs, in words, and its share in percent.

    >>> shares({"unchecked": 1, "supported": 3})
    (('supported', 75.0), ('not checked yet', 25.0))
    """
    total = sum(counts.values())
    every: tuple[Checked, ...] = (*SUPPORT, "unchecked")
    return tuple((LABELS[one], 100 * counts[one] / total) for one in every if counts.get(one))
