"""Technical terms on screen, and what each says at a hover: one table for HTML, charts and widgets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import wrap

from markupsafe import Markup

from ui.shell.marked import Mark, marked
from ui.shell.text import charted

TERMS: Mapping[str, str] = {
    "M[i, i−1]": "How much turn i attends to the turn just before it, from the attention of the encoder. "
    "High where a turn goes on with what was said",
    "B1 ∩ B2": "Only the gaps that both rules find: a local maximum of attention (B1) where similarity is "
    "low (B2)",
    "B1": "LightMem’s first rule: a topic starts where M[i, i−1] has a local maximum",
    "B2": "LightMem’s second rule: a topic starts where the embeddings of neighbouring turns are less "
    "similar than τ",
    "τ": "The similarity (cosine) below which two neighbouring turns count as different topics",
    "TextTiling depth": "How far the similarity of what is said before and after a gap dips (Hearst 1997)",
    "TextTiling": "Hearst 1997: a topic starts where the similarity of what is said before and after dips "
    "deeply",
    "topic shift": "The probability, trained on conversations, that a new topic starts",
    "random": "The turns in random order: the mean of three draws",
    "z-sum": "The turns ranked by the sum of BM25 and cosine, each as its distance from the mean in standard "
    "deviations",
    "z-scores": "A score as standard deviations from the mean of all scores",
    "BM25": "The usual ranking by words: rare words count more, long texts less",
    "dense": "By the cosine between the embeddings of question and turn",
    "oracle": "A ranking that knows the evidence and puts it first; nobody can do better",
    "ndcg": "Normalised discounted cumulative gain: 100 when all evidence comes first; evidence further "
    "down counts less, by the logarithm of its rank",
    "bootstrap": "Drawn again with replacement many times: how far the figure moves is its interval",
    "cl100k": "The tokenizer that counts these tokens (OpenAI’s vocabulary of 100,000)",
    "cosine": "Similarity of two embeddings: 1 for the same direction, 0 for unrelated",
    "p95": "95 of 100 searches took no longer",
}
_LONGEST_FIRST = sorted(TERMS, key=len, reverse=True)
_FOUND = re.compile("|".join(rf"(?<!\w){re.escape(term)}(?!\w)" for term in _LONGEST_FIRST))
_WIDTH = 70


def explained(text: str) -> Markup:
    """A text whose terms say what they are at a hover, each where it stands first.

    >>> print(explained("by BM25 <b>"))
    by <abbr title="The usual ranking by words: rare words count more, long texts less">BM25</abbr> &lt;b&gt;
    """
    first = {found[0]: found for found in reversed(list(_FOUND.finditer(text)))}
    marks = [Mark(found.start(), found.end(), "abbr", title=TERMS[term]) for term, found in first.items()]
    return marked(text, marks, cap=len(text))


def told(text: str) -> list[str]:
    """The terms of a text, each with what it is: for the hover of a chart and the help of a widget.

    >>> told("below τ = 0.4")
    ['τ: The similarity (cosine) below which two neighbouring turns count as different topics']
    """
    return [f"{term}: {TERMS[term]}" for term in dict.fromkeys(_FOUND.findall(text))]


def in_chart(text: str) -> str:
    """`told` as lines of a hover in a chart, which neither wraps nor escapes; empty without a term."""
    lines = [line for one in told(text) for line in wrap(one, _WIDTH)]
    return "".join(f"<br>{charted(line)}" for line in lines)
