"""Whatever stands where Streamlit reads Markdown is written in the code, or went through `label`.

The code of the pages is read. A function of ours that hands a parameter on to such a place is one itself, and
its calls are looked at in turn; a name is all that is assigned to it, a call of ours all that it returns.
Anything else (an attribute, an item of what is no constant, another call) may be somebody's text.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "ui").rglob("*.py"))]

LABELLED = frozenset(
    "button checkbox toggle radio selectbox multiselect pills segmented_control text_input text_area "
    "number_input date_input slider select_slider file_uploader download_button form_submit_button expander "
    "popover status metric header subheader title caption markdown write info warning error success toast "
    "spinner tabs dialog link_button chat_message".split()
)
"""What takes Markdown first of all."""
NAMED = {"label", "help", "body", "captions"}
"""What takes Markdown under such a name, whatever else it takes."""
OPTIONS = {"radio", "pills", "segmented_control"}
"""Whose options are Markdown too; those of a select box are plain."""
MAKES_LABELS = {"label", "count", "day", "clock", "numbered"}
"""Of `ui.shell.text`, and `links.numbered`: a number and the title of a page."""
KEEPS = {"capitalize", "removeprefix", "strip", "upper", "lower", "values", "keys", "items", "get"}
NUMBER = re.compile(r"[,.\d]*[dfg%]?")


@dataclass(eq=False)
class Scope:
    """Where a name has a value: a function with its parameters, or a module."""

    module: str
    parameters: tuple[str, ...]
    assigned: dict[str, list[ast.expr]]
    returns: tuple[ast.expr, ...] = ()
    name: str = ""


def assignments(node: ast.AST) -> dict[str, list[ast.expr]]:
    """Every name that gets a value here, with what it is made from."""
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for one in inside(node):
        match one:
            case ast.Assign(targets=targets, value=value):
                pairs = [pair for target in targets for pair in parted(target, value)]
            case ast.For(target=target, iter=ast.Tuple(elts=values)):
                pairs = [pair for value in values for pair in parted(target, value)]
            case ast.comprehension(target=target, iter=ast.Tuple(elts=values)):
                pairs = [pair for value in values for pair in parted(target, value)]
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                pairs = [*parted(target, value)]
            case ast.NamedExpr(target=target, value=value) | ast.AugAssign(target=target, value=value):
                pairs = [*parted(target, value)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pairs = [*parted(target, value)]
            case _:
                continue
        for name, value in pairs:
            found[name].append(value)
    return found


def parted(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Names with their values, part by part where both have the same parts."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from parted(one, its)
    else:
        yield from ((name.id, value) for name in ast.walk(target) if isinstance(name, ast.Name))


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """All of a scope, without the functions in it (a lambda belongs to what it stands in)."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef):
            yield child
            yield from inside(child)


class Code:
    """Modules by name, with everything in them that is called and may be called."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.functions: dict[tuple[str, str], Scope] = {}
        self.calls: list[tuple[Scope, ast.Call]] = []
        self.modules: dict[str, Scope] = {}
        self.imported: dict[tuple[str, str], tuple[str, str]] = {}
        for module, source in sources.items():
            self._read(module, ast.parse(source))
        self.doors: set[tuple[str, str, str]] = set()
        self.somebodys: list[str] = []
        while True:
            before = len(self.doors)
            self.somebodys = [said for scope, call in self.calls for said in self._looked_at(scope, call)]
            if len(self.doors) == before:
                break

    def _read(self, module: str, tree: ast.Module) -> None:
        self.modules[module] = Scope(module, (), assignments(tree))
        scopes: list[tuple[Scope, ast.AST]] = [(self.modules[module], tree)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                returned = (one.value for one in inside(node) if isinstance(one, ast.Return) and one.value)
                names = tuple(one.arg for one in given if one.arg != "self")
                scope = Scope(module, names, assignments(node), tuple(returned), node.name)
                self.functions[module, node.name] = scope
                scopes.append((scope, node))
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self.imported[module, alias.asname or alias.name] = (node.module, alias.name)
        self.calls += [(s, c) for s, node in scopes for c in inside(node) if isinstance(c, ast.Call)]

    def _looked_at(self, scope: Scope, call: ast.Call) -> Iterator[str]:
        for value in self._markdown(call, scope.module):
            if not self.ours(value, scope):
                yield f"{scope.module}:{value.lineno} {ast.unparse(value)}"

    def _markdown(self, call: ast.Call, module: str) -> Iterator[ast.expr]:
        """The arguments of a call that are read as Markdown."""
        own = self._resolved(call.func, module)
        name = call.func.attr if isinstance(call.func, ast.Attribute) and own is None else ""
        if name in LABELLED:
            yield from call.args[:1]
            yield from (k.value for k in call.keywords if k.arg in NAMED)
            shown = [k.value for k in call.keywords if k.arg == "format_func"] or call.args[1:2]
            yield from shown if name in OPTIONS else ()
        elif name in ("page_link", "progress"):
            yield from (k.value for k in call.keywords if k.arg in ("label", "text", "help"))
        elif name.endswith("Column"):
            yield from (k.value for k in call.keywords if k.arg == "help")
        if own in self.functions:
            for place, parameter in enumerate(self.functions[own].parameters):
                if (*own, parameter) in self.doors:
                    yield from call.args[place : place + 1]
                    yield from (k.value for k in call.keywords if k.arg == parameter)

    def _resolved(self, what: ast.expr, module: str) -> tuple[str, str] | None:
        """The module of ours (or of the library) and the name there that an expression stands for."""
        match what:
            case ast.Name(id=name):
                found = self.imported.get((module, name), (module, name))
                return found if found in self.functions or found[1] in self._constants(found[0]) else None
            case ast.Attribute(value=ast.Name(id=of), attr=name) if (module, of) in self.imported:
                return (".".join(self.imported[module, of]), name)
        return None

    def _constants(self, module: str) -> dict[str, list[ast.expr]]:
        return self.modules[module].assigned if module in self.modules else {}

    def ours(self, value: ast.expr, scope: Scope, seen: frozenset[str] = frozenset()) -> bool:
        """Whether all of it is written in the code, or a label. A parameter counts as ours, and its calls are
        looked at from now on."""
        match value:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return self._named(name, scope, seen)
            case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=str(spec))])):
                return spec != "" and NUMBER.fullmatch(spec) is not None
            case ast.FormattedValue(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                return self.ours(inner, scope, seen)
            case ast.Lambda(body=inner) | ast.ListComp(elt=inner) | ast.DictComp(key=inner):
                return self.ours(inner, scope, seen)
            case ast.Subscript(value=inner) | ast.UnaryOp(operand=inner):
                return self.ours(inner, scope, seen)
            case ast.Call():
                return self._called(value, scope, seen)
            case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
                return self.ours(one, scope, seen) and self.ours(other, scope, seen)
            case ast.Attribute():
                found = self._resolved(value, scope.module)
                return found is not None and self._global(found, seen)
            case ast.JoinedStr() | ast.BoolOp() | ast.Tuple() | ast.List() | ast.Dict():
                parts = ast.iter_child_nodes(value)
                return all(self.ours(one, scope, seen) for one in parts if isinstance(one, ast.expr))
        return False

    def _named(self, name: str, scope: Scope, seen: frozenset[str]) -> bool:
        mark = f"{scope.module} {scope.name} {name}"
        if mark in seen:
            return True
        if name in scope.parameters:
            self.doors.add((scope.module, scope.name, name))
            return True
        if name in scope.assigned:
            return all(self.ours(value, scope, seen | {mark}) for value in scope.assigned[name])
        found = self.imported.get((scope.module, name), (scope.module, name))
        return self._global(found, seen | {mark})

    def _global(self, found: tuple[str, str], seen: frozenset[str]) -> bool:
        """A constant of a module."""
        module, name = found
        values = self._constants(module).get(name, [])
        return bool(values) and all(self.ours(value, self.modules[module], seen) for value in values)

    def _called(self, call: ast.Call, scope: Scope, seen: frozenset[str]) -> bool:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in MAKES_LABELS:
            return True
        if name == "list":
            return all(self.ours(one, scope, seen) for one in call.args)
        own = self._resolved(call.func, scope.module)
        if own is None and isinstance(call.func, ast.Attribute) and name in KEEPS:
            return all(self.ours(one, scope, seen) for one in (call.func.value, *call.args[1:]))
        if own not in self.functions or f"{own}" in seen:
            return own in self.functions
        made = self.functions[own]
        return all(self.ours(one, made, seen | {f"{own}"}) for one in made.returns)


@cache
def code() -> Code:
    return Code({".".join(p.relative_to(ROOT).with_suffix("").parts): p.read_text("utf-8") for p in CODE})


def test_nothing_that_somebody_wrote_is_read_as_markdown() -> None:
    assert code().somebodys == []


def test_the_ways_into_markdown_are_known() -> None:
    known = {("ui.shell.links", "link", "text"), ("ui.shell.params", "choose", "label")}
    assert known <= code().doors


ABOUT = """
WORDS = {"a": "A", "b": "B"}
def named(text): st.header(f"About {text}")
def made(one): return one.name or "x"
def counted(number): return f"{number:,} of {label(one.name)}"
"""


@pytest.mark.parametrize(
    "line",
    [
        "st.button(one.name)",
        "st.button('x', help=f'{one.name} runs')",
        "st.button(f'{one.name:>9}')",
        "st.progress(0.5, text=f'{one.stage}: {one.done:,}')",
        "st.radio('x', [one.name])",
        "st.radio('x', ['a'], format_func=lambda i: one.names[i])",
        "named(one.name)",
        "text = one.name if one else ''; st.toast(text)",
        "left.expander(made(one))",
        "st.tabs([each.name for each in one.all])",
        "for key, text in (('a', 'A'), ('b', one.name)): st.button(text)",
    ],
)
def test_what_may_be_somebodys_is_found(line: str) -> None:
    assert len(Code({"page": f"{ABOUT}def draw(one):\n    {line}"}).somebodys) == 1


@pytest.mark.parametrize(
    "line",
    [
        "st.button(label(one.name))",
        "st.button('x', help=f'{label(one.name)} runs' if one else None)",
        "st.progress(0.5, text=f'{one.done:,} of {one.all:d}')",
        "st.radio('x', [one.name], format_func=lambda i: label(one.names[i]))",
        "st.selectbox('x', [one.name])",
        "named(WORDS[one.name])",
        "text = counted(1) if one else ''; st.toast(text)",
        "for key, text in ((one.key, 'A'), ('b', 'B')): st.button(text, key=key)",
    ],
)
def test_what_is_ours_is_left_alone(line: str) -> None:
    assert Code({"page": f"{ABOUT}def draw(one):\n    {line}"}).somebodys == []
