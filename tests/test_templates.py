"""HTML reaches a page by templates alone: the code of the pages is read for every other way, and each call
of a template for a macro or a value that is not there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from jinja2 import UndefinedError, nodes
from markupsafe import Markup

from ui.shell.marked import Mark, block, marked
from ui.shell.templates import ENVIRONMENT, FOLDER, render, show

ROOT = Path(__file__).parents[1]
CODE = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted(FOLDER.rglob("*.py"))]
TEMPLATES = sorted(FOLDER.rglob("*.html.j2"))
HOSTILE = "<img src=x onerror=alert(1)>\u202e"
HARMLESS = "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩"


class Used(NamedTuple):
    """A call of `draw`, `render` or `run_script`: where, which macro, and the values it is given."""

    place: str
    macro: str
    values: frozenset[str]


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                yield path, node


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def uses() -> Iterator[Used]:
    for path, node in calls():
        name = node.args[0] if node.args else None
        if called(node) in ("draw", "render", "run_script") and isinstance(name, ast.Constant):
            given = frozenset(k.arg for k in node.keywords if k.arg) - {"into", "width"}
            yield Used(f"{path.relative_to(ROOT)}:{node.lineno}", str(name.value), given)


def macros() -> dict[str, nodes.Macro]:
    found = {}
    for path in TEMPLATES:
        source = path.read_text()
        for macro in ENVIRONMENT.parse(source).find_all(nodes.Macro):
            found[f"{path.parent.name}.{macro.name}"] = macro
    return found


def test_only_the_shell_hands_html_to_streamlit() -> None:
    places = {path.relative_to(ROOT).as_posix() for path, node in calls() if called(node) == "html"}
    assert places == {"ui/shell/templates.py"}


def test_nothing_but_a_template_is_called_markup() -> None:
    places = {
        path.relative_to(ROOT).as_posix() for path, node in calls() if called(node) == "Markup" and node.args
    }
    assert places == {"ui/shell/templates.py"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.parent.name)
def test_no_template_switches_escaping_off(path: Path) -> None:
    assert "safe" not in ENVIRONMENT.filters
    assert not re.search(r"\|\s*safe\b|autoescape", path.read_text())
    assert path.name == f"{path.parent.name}.html.j2"


def test_every_macro_that_is_called_is_there_and_is_given_its_values() -> None:
    known, wrong = macros(), []
    for place, name, given in uses():
        if name not in known:
            wrong.append(f"{place}: no macro {name}")
            continue
        names = [argument.name for argument in known[name].args]
        needed = names[: len(names) - len(known[name].defaults)]
        if not given <= {*names} or not {*needed} <= given:
            wrong.append(f"{place}: {name} takes {names}, is given {sorted(given)}")
    assert not wrong
    assert len(list(uses())) > 80


def test_every_macro_is_used() -> None:
    source = "\n".join(path.read_text() for path in TEMPLATES)
    by_code = {use.macro for use in uses()}
    unused = [
        name
        for name in macros()
        if name not in by_code and not re.search(rf"\{{\{{-? ?(\w+\.)?{name.partition('.')[2]}\(", source)
    ]
    assert not unused


def test_text_is_escaped_and_hidden_characters_are_shown() -> None:
    assert HARMLESS in render("shell.meta", text=HOSTILE)
    assert HARMLESS in render("shell.alert", text="", css=HOSTILE)
    assert HARMLESS in block(HOSTILE)
    assert HARMLESS in block(HOSTILE + "x" * 2_000)
    assert f'title="{HARMLESS}"' in marked("Lisbon", [Mark(0, 6, title=HOSTILE)])
    assert render("components.pair", left=HOSTILE, right=Markup("<i>")).count("<i>") == 1


def test_a_plain_string_is_not_drawn_and_what_is_missing_is_not_left_out() -> None:
    with pytest.raises(TypeError, match="template"):
        show("<b>written by hand</b>")  # type: ignore[arg-type]
    with pytest.raises(UndefinedError):
        render("shell.purpose")
    with pytest.raises(TypeError, match="None"):
        render("shell.purpose", text=None)


def test_layout_of_a_template_does_not_reach_the_page() -> None:
    table = render("shell.table", heads=["a"], rows=[["one\n  two"]])
    assert table == '<table class="ms"><tr><th>a</th></tr><tr><td>one\n  two</td></tr></table>'
