"""Bounds on how many tokens a text is for a model whose tokenizer we do not have.

Not a tokenizer: the server's own count is what the ledger keeps. The upper bound sizes a context
window, the lower bound tells a prompt that was read whole from one that was cut.
"""

from __future__ import annotations

import re

_PIECES = re.compile(r"[A-Za-z]+|\s+|.", re.DOTALL)
_LETTERS_A_TOKEN = 3  # English prose has about 4.5; names and misspellings have fewer


def estimate_tokens(text: str) -> int:
    """More than the text has, for every tokenizer in use: a third of its ASCII letters, one for
    each digit, mark and line break, one for each UTF-8 byte of everything else.

    >>> estimate_tokens("I adopted a dog on 7 May.")
    10
    """
    total = 0
    for match in _PIECES.finditer(text):
        piece = match.group()
        if piece.isspace():
            total += piece.count("\n") + len(piece.replace("\n", "")) // 4
        elif piece.isascii() and piece.isalpha():
            total += -(-len(piece) // _LETTERS_A_TOKEN)
        else:
            total += len(piece.encode("utf-8", "surrogatepass"))
    return total


def at_least_tokens(text: str) -> int:
    """Fewer than the text has: its words, since no tokenizer in use joins two words into a token."""
    return len(text.split())
