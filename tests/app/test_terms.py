"""The table of terms: every term stands on a screen, and explaining one lets no markup in."""

from __future__ import annotations

import ast
from pathlib import Path

import ui
from ui.components.terms import TERMS, explained, in_chart, told

FOLDER = Path(ui.__file__).parent
SYSTEMS = FOLDER.parent / "memcore" / "systems"


def words_of_the_pages() -> str:
    """Every text in the code of the pages, and of what systems tell them, but for the table itself."""
    found = []
    for path in (*FOLDER.rglob("*.py"), *(FOLDER.parent / "pages").glob("*.py"), *SYSTEMS.rglob("*.py")):
        if path.name != "terms.py":
            tree = ast.parse(path.read_text())
            constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
            found += [value for value in constants if isinstance(value, str)]
    return "\n".join(found)


def test_every_term_is_used_on_a_page() -> None:
    used = {line.partition(":")[0] for line in told(words_of_the_pages())}
    assert TERMS.keys() <= used


def test_the_longest_term_is_the_one_explained() -> None:
    assert explained("B1 ∩ B2").count("<abbr") == 1
    assert [line.partition(":")[0] for line in told("B2 below τ, then B2")] == ["B2", "τ"]


def test_nothing_around_a_term_becomes_markup() -> None:
    assert "<script>" not in explained("z-sum <script>")
    assert "<" not in in_chart("z-sum <script>").replace("<br>", "")
