"""Context assembly: the best hits as numbered lines within a token budget, ready to be cited.

Each line is `[n] (date) memory — "source words"`. Hits that do not fit are left out whole; the
budget counts cl100k tokens of exactly the text returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memcore.errors import UsageError
from memcore.retrieval.results import Citation, Hit, SearchTrace

LONGEST_QUOTE = 400


@dataclass(frozen=True, slots=True)
class Context:
    """The text handed to an answerer, its size in tokens, and what each [n] stands for."""

    text: str
    tokens: int
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The context found for a question, and how it was found."""

    query: str
    context: Context
    trace: SearchTrace


def assemble(hits: Sequence[Hit], budget: int, count_tokens: Callable[[str], int]) -> Context:
    """Fill `budget` tokens with hits in order. Raises UsageError for a budget below 50 tokens."""
    if budget < 50:
        raise UsageError(f"A budget of {budget} tokens holds no memory.", "Allow at least 50 tokens.")
    lines: list[str] = []
    citations: list[Citation] = []
    used = 0
    quoted: set[tuple[str, int, int]] = set()
    for hit in hits:
        line = _line(len(citations) + 1, hit, quoted)
        size = count_tokens(line + "\n")
        if used + size > budget:
            continue
        used += size
        lines.append(line)
        citations.append(Citation(len(citations) + 1, hit))
        quoted.update((q.message.id, q.start, q.end) for q in hit.quotes)
    text = "\n".join(lines)
    return Context(text, count_tokens(text), tuple(citations))


def _line(number: int, hit: Hit, quoted: set[tuple[str, int, int]]) -> str:
    when = f"({hit.mentioned_at:%d %b %Y}) " if hit.mentioned_at else ""
    new = [q for q in hit.quotes if (q.message.id, q.start, q.end) not in quoted]
    if hit.kind == "message" or not new:
        return f"[{number}] {when}{_one_line(hit.text)}"
    words = " … ".join(_one_line(q.text) for q in new)
    return f'[{number}] {when}{_one_line(hit.text)} — {new[0].message.speaker}: "{words[:LONGEST_QUOTE]}"'


def _one_line(text: str) -> str:
    return " ".join(text.split())
