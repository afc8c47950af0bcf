"""A document to read and keep, in which no text of a log is more than text. Read back by a parser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcore.exporting import exported
from memcore.exporting.markdown_text import code, inline
from memcore.review.diff import show_hidden
from memcore.store import DuckStore
from tests.exporting.scene import HOSTILE

markdown_it = pytest.importorskip("markdown_it")

PARSER = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
OURS = {"paragraph", "bullet_list", "list_item", "heading", "inline", "em"}
SHOWN = '`=HYPERLINK("http://evil.example")` \\| \\<img src=x onerror=alert(1)\\> '
DOCUMENT = f"""\
# Memory of me

## As memscope remembers it

Memories that hold: 4. That no longer do: 1. Deleted and left out: 1.

### 2023-05-08 13:56, Moving \\* house

Summary: Ann \\<b\\>moves\\</b\\>.

- *No longer holds since 2023-06-01:* Ann is in Lisbon
  - “I moved to Lisbon.” Ann, 2023-05-08 13:56, `a.json` line 1
  - replaced by “Ann lives in Porto”
- Ann moved to Lisbon
  - happened 2023-05-01 to 2023-05-07
  - “I moved to Lisbon.” Ann, 2023-05-08 13:56, `a.json` line 1
- Ann lives in Porto
  - “I live in Porto now” Ann, 2023-05-08 13:58, `a.json` line 3
  - replaces “Ann is in Lisbon” (held until 2023-06-01)
- {inline(HOSTILE)}
  - “{inline(HOSTILE)}” Bob, 2023-05-08 13:59, `=a.json` line 4

### Without a source

- \\- 1. no source

### People, things and how they relate

- Ann (person, also called A.)
  - live in Lisbon (since 2023-05-08 13:56, ended 2023-06-01)
  - \\=say {inline(HOSTILE)}

"""


def tokens(text: str) -> Iterator[str]:
    """The kinds of everything in a document, text and code left out."""
    for token in PARSER.parse(text):
        for one in (token, *(token.children or ())):
            if one.type not in ("text", "code_inline"):
                yield one.type.removesuffix("_open").removesuffix("_close")


def words(text: str) -> str:
    """What a line shows."""
    (line,) = (token for token in PARSER.parse(text) if token.type == "inline")
    return "".join(child.content for child in line.children or ())


def test_the_document_has_everything_by_session_with_dates_words_and_what_replaced_what(
    store: DuckStore,
) -> None:
    assert exported(store, "markdown", owner="me").decode() == DOCUMENT
    assert SHOWN in DOCUMENT


def test_a_parser_finds_only_what_we_wrote(store: DuckStore) -> None:
    document = exported(store, "markdown").decode()
    assert set(tokens(document)) == OURS
    headings = [line for line in document.splitlines() if line.startswith("#")]
    assert list(tokens(document)).count("heading") == 2 * len(headings)


def test_an_empty_store_has_a_document_of_nothing(empty: DuckStore) -> None:
    assert exported(empty, "markdown") == b""


@pytest.mark.parametrize(
    "text",
    [
        "# a",
        "1. a",
        "12) a",
        "- a",
        "+ a",
        "> a",
        "```\ncode",
        "~~~",
        "    code",
        "a\n===",
        "---",
        "| a | b |\n|---|---|",
        "[a](http://b)",
        "[a]: http://b",
        "![a](b.png)",
        "<img src=x>",
        "<!-- a -->",
        "&lt;b&gt;",
        "http://a.example",
        "<a@b.example>",
        "a\\",
        "*a* _b_ `c` ~~d~~",
        "`a@b` ``",
        "\\# a",
        "a  \nb",
        "$x$",
        "[ ] task",
    ],
)
def test_marks_of_markdown_are_words(text: str) -> None:
    assert words(f"- {inline(text)}") == " ".join(text.split())


@given(st.text() | st.text(st.sampled_from("`*_[]()<>!#-+=1.~|\\&@:/ \nhtps")))
@example("`@")
@example("@`")
@example("a ``` @`b` c")
def test_any_text_shows_itself_and_nothing_else(text: str) -> None:
    for shown in (inline(text), code(f"a{text}")):
        line = f"- “{shown}”"
        assert set(tokens(line)) <= {"bullet_list", "list_item", "paragraph", "inline"}
    assert words(f"“{inline(text)}”") == f"“{show_hidden(' '.join(text.split()))}”"
    first = f"- {inline(text)}"
    assert set(tokens(first)) <= {"bullet_list", "list_item", "paragraph", "inline"}
