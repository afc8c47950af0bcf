"""Text of logs and models within a Markdown document of ours: it shows what it says and does nothing.

It can become no heading, list, table, emphasis, link, image or HTML, in CommonMark nor in what
GitHub and most editors read beyond it (bare addresses that become links). Knows nothing of the document.
"""

from __future__ import annotations

import re

from memcore.review.diff import show_hidden

_ADDRESS = re.compile(r"@|//|www\.", re.IGNORECASE)
_MARK = re.compile(r"[\\`*_{}\[\]<>&#!|~$^]|\.(?=[^\W\d])")
_BLOCK = re.compile(r"^([-+=:]|\d+(?=[.)]))")


def inline(text: str) -> str:
    """The text on one line. Words that a program would make a link of are code, in which nothing is read as
    anything else; hidden characters are made visible.

    >>> print(inline("# 1 < 2\\n*so* see http://a.example, pay\\u202epal"))
    \\# 1 \\< 2 \\*so\\* see `http://a.example,` pay⟨U+202E⟩pal
    >>> print(inline("1. Buy milk"), inline("- and eggs"))
    1\\. Buy milk \\- and eggs
    """
    line = " ".join(
        code(word) if _ADDRESS.search(word) else _MARK.sub(r"\\\g<0>", word)
        for word in _one_line(text).split(" ")
    )
    return _BLOCK.sub(_not_a_block, line)


def code(text: str) -> str:
    """The text as code on one line, for names of files.

    >>> print(code("notes.md"), code("a`b"))
    `notes.md` ``a`b``
    """
    line = _one_line(text)
    longest = max(map(len, re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def _one_line(text: str) -> str:
    return show_hidden(" ".join(text.split()))


def _not_a_block(found: re.Match[str]) -> str:
    """A list item, or the line under a heading, begins so."""
    start = found[0]
    return f"{start}\\" if start.isdigit() else f"\\{start}"
