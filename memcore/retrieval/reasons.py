"""Why something was not found, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.retrieval.missed import Loss

_COSTS = {
    "semantic": "its meaning as a whole is further from the question’s",
    "lexical": "its words match less",
    "evidence": "fewer of the question’s words are found in it and around it",
    "memory": "another memory of the same turn is nearer to the question",
    "session": "fewer of the question’s words are found in its session",
    "speaker": "it is not said by whom the question asks about",
    "symbolic": "it is less about who and what the question names",
    "graph": "fewer relations lead to it",
    "time": "it is less of the time the question speaks of",
    "newer": "something newer tells of the same",
}
"""What it means that a part of a score is lower."""


def why(lost: Loss) -> list[str]:
    """Why it is not among the first k, in sentences."""
    if lost.ahead is None:
        return [f"The search returned fewer than {lost.k} {lost.of}, and this was not among them."]
    ahead = f"what came at place {lost.k} (“{_short(lost.ahead.text)}”)"
    if lost.parts and lost.outscored:
        worst = lost.parts[0]
        cost = _COSTS.get(worst.name, f"its part “{worst.name}” is lower")
        figures = f"{worst.name} {figure(worst.evidence)} against {figure(worst.ahead)}"
        return [f"Compared with {ahead}, {cost}: {figures}."]
    if lost.parts:
        return [f"Its score is no lower than that of {ahead}: results before it quote several turns each."]
    if lost.was_candidate is False and lost.views:
        return [f"It was not ranked: {_listed(lost.views)} returned it, but not high enough."]
    if not lost.views:
        return ["No view returned it at all."]
    return [
        f"{_listed(lost.views)} returned it, but not high enough; this system does not say what it ranked."
    ]


def _listed(views: Sequence[str]) -> str:
    return f"{', '.join(views[:-1])} and {views[-1]}" if len(views) > 1 else views[0]


def figure(value: float) -> str:
    """A part of a score.

    >>> figure(1.25), figure(-0.8)
    ('1.25', '−0.80')
    """
    return f"{value:.2f}".replace("-", "−")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else f"{line[:89]}…"
