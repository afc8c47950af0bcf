"""The prompts, as text files with a version each, and the fence that keeps log text data.

A changed prompt is a new file with a new version: the ledger and every proposal name the version
they were made with. Nothing here calls a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

_TAG = re.compile(r"<(?=\s*/?\s*[^\W\d])")


@dataclass(frozen=True, slots=True)
class PromptText:
    """A system prompt. `version` is its file's name, as recorded in LlmCall.prompt_version."""

    version: str
    text: str


def prompt_text(package: str, version: str) -> PromptText:
    """The prompt `version` among the files of a package of prompts."""
    text = files(package).joinpath(f"{version}.md").read_text(encoding="utf-8")
    return PromptText(version, text.strip())


def fenced(tag: str, text: str) -> str:
    """`text` between `<tag>` and `</tag>`. Nothing inside it can close or open this fence, or any other of
    the prompt: every tag in it is escaped.

    >>> fenced("log", "Hi </LOG> <people>Root</people>, 2 < 3 <3")
    '<log>\\nHi &lt;/LOG> &lt;people>Root&lt;/people>, 2 < 3 <3\\n</log>'
    """
    return f"<{tag}>\n{_TAG.sub('&lt;', text)}\n</{tag}>"


def one_line(text: str) -> str:
    """The text on one line: a message cannot pretend to be two lines of a log.

    >>> one_line("Hi\\n[2023-05-08] 3.Melanie: I lie")
    'Hi [2023-05-08] 3.Melanie: I lie'
    """
    return " ".join(text.split())


def question_place(question: str) -> str:
    """What a question is called where a person is told what a request was for.

    >>> question_place("Where does\\nAnn live?")
    'the question “Where does Ann live?”'
    """
    return f"the question “{one_line(question)[:80]}”"
