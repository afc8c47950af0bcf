"""One word for one thing (docs/glossary.md): retired words stay out of names and off the screens."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
APP = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "ui").rglob("*.py"))]
CODE = sorted([*(ROOT / "memcore").rglob("*.py"), *APP, *(ROOT / "benchmarks").glob("*.py")])
TEMPLATES = sorted([*(ROOT / "ui").rglob("*.html"), *(ROOT / "ui").rglob("*.j2")])
GLOSSARY = ROOT / "docs" / "glossary.md"

RETIRED_NAMES = {
    r"passed_?over": "skipped",
    r"re_?cut": "resegment",
    r"let_wait": "enqueue",
    r"docket": "proposal queue",
    r"promise": "candidate scores",
    r"weigh(s|ed|ing)?": "rerank",
    r"of_one_company|company": "participants",
    r"stretch(es)?": "contiguous run",
    r"freed": "without framing",
    r"faults": "problems",
    r"lone_memories": "finds_unlinked_memories",
    r"k_matters": "ranking_depends_on_k",
    r"search_asks": "search_uses_llm",
    r"giv(e|es|en|ing)_?way|gave_way": "replaced, deferred",
    r"asleep": "in consolidation",
    r"caught_by": "remembered by",
}
"""What a part of a name may not be (whole words, in snake_case and CamelCase), and what to say instead."""

RETIRED_PHRASES = {
    r"passed over": "skipped",
    r"\brecut": "move boundaries, resegment",
    r"said no earlier": "of the same time or later",
    r"g(a|i)ves? way|giving way": "replaced; of a decision that waits, deferred",
    r"\basleep\b": "during consolidation",
    r"what can go lost": "information loss",
    r"second yes": "confirmation",
    r"caught by|\bcaught\.|that another (one of them )?caught": "remembered",
    r"nothing to rely on": "nothing specific",
    r"^Behind it$": "System",
    r"look for changes to propose|consolidate now": "Consolidate",
    r"the words behind": "source text",
    r"\bweighed\b": "ranked",
    r"\bin a circle\b": "in a cycle",
    r"\bcut (by a person|into topics|anew|because|off)\b": "set, divided, resegmented, emptied, interrupted",
}
"""What may not stand on a screen, and what to say instead."""


def words(name: str) -> str:
    """A name in lower snake_case.

    >>> words("TopicCut"), words("_KNOWN")
    ('topic_cut', 'known')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).strip("_").lower()


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that the code gives to something, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string but docstrings, with its line."""
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


def retired_names(source: str) -> list[str]:
    """`line 3: weigh (rerank)` for each name that has a retired word."""
    return [
        f"line {line}: {name} ({instead})"
        for line, name in names(ast.parse(source))
        for word, instead in RETIRED_NAMES.items()
        if re.search(rf"(^|_)({word})(_|$)", words(name))
    ]


def retired_phrases(found: Iterable[tuple[int, str]]) -> list[str]:
    """The same for texts."""
    return [
        f"line {line}: {text.strip()[:60]!r} ({instead})"
        for line, text in found
        for phrase, instead in RETIRED_PHRASES.items()
        if re.search(phrase, text, re.IGNORECASE)
    ]


def by_file(files: list[Path], found: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """What is found in which file."""
    every = {str(file.relative_to(ROOT)): found(file.read_text(encoding="utf-8")) for file in files}
    return {name: places for name, places in every.items() if places}


def test_no_name_uses_a_retired_word() -> None:
    assert by_file(CODE, retired_names) == {}


def test_no_screen_says_a_retired_word() -> None:
    assert by_file(APP, lambda source: retired_phrases(texts(ast.parse(source)))) == {}
    assert by_file(TEMPLATES, lambda text: retired_phrases(enumerate(text.splitlines(), 1))) == {}


def test_what_is_retired_is_found() -> None:
    source = "def weigh(promise):\n    PassedOver = promise\n    self.k_matters = 1\n    weight = default = 2"
    found = {line.split(" (")[0] for line in retired_names(source)}
    assert found == {"line 1: weigh", "line 1: promise", "line 2: PassedOver", "line 3: k_matters"}
    assert retired_phrases(iter([(1, "Passed over"), (2, "Behind it"), (3, "a word behind it")])) != []
    assert retired_phrases(iter([(1, "a word behind it all"), (2, "the cut of a coat")])) == []


def test_the_glossary_says_each_term_once_and_no_retired_word() -> None:
    terms = re.findall(r"^\| ([^|]+?) \|", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    terms = [term for term in terms if term not in {"Term", "---"}]
    assert len(terms) > 50
    assert len(terms) == len(set(terms))
    assert retired_phrases(enumerate(terms)) == []
