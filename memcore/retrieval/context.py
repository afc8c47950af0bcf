"""Context assembly: the best hits as numbered lines within a token budget, ready to be cited.

Each line is `[n] (date) memory — speaker: "source words"`, without words that the memory itself repeats. Hits
that do not fit are left out whole; the budget counts cl100k tokens of exactly the text returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from memcore.domain.errors import UsageError
from memcore.retrieval.results import Citation, Hit, Quote, SearchTrace

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


def assemble(
    hits: Sequence[Hit], budget: int, count_tokens: Callable[[str], int], *, newest_first: bool = False
) -> Context:
    """Fill `budget` tokens with hits in order; those that came `newest_first` are told oldest first.
    Raises UsageError for a budget below 50 tokens."""
    if budget < 50:
        raise UsageError(f"A budget of {budget} tokens holds no memory.", "Allow at least 50 tokens.")
    chosen: list[tuple[Hit, str]] = []
    used = 0
    quoted: set[tuple[str, int, int]] = set()
    for hit in hits:
        line = _line(hit, quoted)
        size = count_tokens(f"[{len(chosen) + 1}] {line}\n")
        if used + size > budget:
            continue
        used += size
        chosen.append((hit, line))
        quoted.update((q.message.id, q.start, q.end) for q in hit.quotes)
    if newest_first:
        chosen.reverse()
    text = "\n".join(f"[{number}] {line}" for number, (_, line) in enumerate(chosen, start=1))
    citations = tuple(Citation(number, hit) for number, (hit, _) in enumerate(chosen, start=1))
    return Context(text, count_tokens(text), citations)


def _line(hit: Hit, quoted: set[tuple[str, int, int]]) -> str:
    when = f"({hit.mentioned_at:%d %b %Y}) " if hit.mentioned_at else ""
    said = ("Summary of the session: " if hit.kind == "summary" else "") + _one_line(hit.text)
    new = [q for q in hit.quotes if (q.message.id, q.start, q.end) not in quoted]
    shown = [q for q in new if _one_line(q.text) not in said]
    if hit.kind == "message" or not shown:
        return f"{when}{said}"
    return f"{when}{said} — {_in_words(shown)}"


def _in_words(quotes: Sequence[Quote]) -> str:
    """Who said what, in order."""
    said: list[str] = []
    left = LONGEST_QUOTE
    for speaker, theirs in groupby(quotes, key=lambda quote: quote.message.speaker):
        words = " … ".join(_one_line(quote.text) for quote in theirs)[:left]
        if words:
            said.append(f'{speaker}: "{words}"')
            left -= len(words)
    return " ".join(said)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def results_for(budget: int) -> int:
    """How many results a context of so many tokens is chosen from."""
    return max(10, budget // 20)
