"""The direction of dependencies, and where SQL, Streamlit and heavy imports may stand."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MEMCORE = sorted((ROOT / "memcore").rglob("*.py"))
APP = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "ui").rglob("*.py"))]

HEAVY = {"torch", "transformers", "llmlingua", "sentence_transformers", "spacy", "ray"}
STAGES = {"domain", "stages", "nlp.time_grammar", "nlp.encoder.words", "nlp.language.words"}
SYSTEMS = STAGES | {"retrieval", "review"}
ABOVE_SYSTEMS = SYSTEMS | {"systems", "store", "llm.statistics"}
MAY_IMPORT = {
    "domain": {"domain"},
    "logs": {"domain", "logs"},
    "nlp": {"domain", "nlp"},
    "llm": {"domain", "llm"},
    "store": {"domain", "store"},
    "stages": STAGES,
    "retrieval": STAGES | {"retrieval"},
    "review": STAGES | {"review"},
    "systems": SYSTEMS | {"systems"},
    "runtime": SYSTEMS | {"store", "runtime", "systems", "nlp", "llm"},
    "runs": ABOVE_SYSTEMS | {"runs", "inspection", "runtime"},
    "inspection": ABOVE_SYSTEMS | {"inspection"},
    "exporting": SYSTEMS | {"exporting", "inspection"},
    "evaluation": SYSTEMS | {"evaluation", "logs", "nlp.encoder", "runtime", "systems", "store"},
}
"""What each package may import from memcore; `memory`, `cli`, `server` and `scale` may import anything."""
SAVED_AND_RESTORED = {"PYTHONHASHSEED"}
"""Variables a library changes when it is loaded, put back as they were: no configuration."""

ABOVE = {"memory", "cli", "server", "scale", "__main__", "__init__"}


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


def top_level(tree: ast.Module) -> Iterator[str]:
    """Modules imported when the file is imported (not inside functions, not for type checking)."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.ClassDef):
            waiting.extend(node.body)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            waiting.extend(node.body + node.orelse)
        elif isinstance(node, ast.Try):
            waiting.extend(node.body)


def part_of(path: Path) -> str:
    return path.relative_to(ROOT / "memcore").with_suffix("").parts[0]


@pytest.mark.parametrize("path", MEMCORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_dependencies_point_inwards(path: Path) -> None:
    part = part_of(path)
    if part in ABOVE:
        return
    allowed = MAY_IMPORT[part]
    for name, _ in imports(ast.parse(path.read_text("utf-8"))):
        if name.startswith("memcore."):
            inner = name.removeprefix("memcore.")
            assert any(inner == a or inner.startswith(f"{a}.") for a in allowed), f"{part} imports {name}"


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_module_waits_for_itself_to_be_imported() -> None:
    """Two sessions that import a circle from two ends at once see half of a module, or wait for ever."""
    modules = {module_of(path): path for path in MEMCORE + APP}
    needs: dict[str, set[str]] = {}
    for module, path in modules.items():
        tree = ast.parse(path.read_text("utf-8"))
        now = set(top_level(tree))
        named = {name for name, _ in imports(tree) if name.rpartition(".")[0] in now} | now
        needs[module] = {name for name in named & modules.keys() if not f"{module}.".startswith(f"{name}.")}
    TopologicalSorter(needs).prepare()


SYSTEM_FOLDERS = sorted(p.parent.name for p in (ROOT / "memcore" / "systems").glob("*/__init__.py"))


def system_of(module: str) -> str | None:
    """The system whose folder a module is in."""
    parts = module.split(".")
    inside = parts[:2] == ["memcore", "systems"] and len(parts) > 2
    return parts[2] if inside and parts[2] in SYSTEM_FOLDERS else None


@pytest.mark.parametrize("path", MEMCORE + APP, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_system_is_imported_by_itself_and_by_the_registry_only(path: Path) -> None:
    """No system imports another one, and nothing else imports a system's folder."""
    here = system_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
    if path == ROOT / "memcore" / "systems" / "registry.py":
        return
    of_systems = {system_of(name) for name, _ in imports(ast.parse(path.read_text("utf-8")))}
    assert of_systems <= {None, here}


def said_in_docstrings(tree: ast.AST) -> set[int]:
    """The lines of docstrings, those of variables among them."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for inner in body if isinstance(body, list) else []:
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                lines.update(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
    return lines


OTHER_SYSTEMS = re.compile("lightmem|simplemem|mem0|licomemory", re.IGNORECASE)
NAMES_THEM = {"systems", "exporting"}
"""The systems themselves, and the file formats of three programs of that name."""


@pytest.mark.parametrize(
    "path", [p for p in MEMCORE if part_of(p) not in NAMES_THEM], ids=lambda p: str(p.relative_to(ROOT))
)
def test_only_docstrings_and_comments_name_a_system(path: Path) -> None:
    text = path.read_text("utf-8")
    docstrings = said_in_docstrings(ast.parse(text))
    named = [
        f"{token.start[0]}: {token.string}"
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type != tokenize.COMMENT and token.start[0] not in docstrings
        if OTHER_SYSTEMS.search(token.string)
    ]
    assert not named, f"{path} names a system where its source is not cited: {named}"


@pytest.mark.parametrize("path", MEMCORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_memcore_knows_no_user_interface(path: Path) -> None:
    used = {name.split(".")[0] for name, _ in imports(ast.parse(path.read_text("utf-8")))}
    assert not used & {"streamlit", "plotly", "pyvis", "ui", "pages"}


@pytest.mark.parametrize("path", MEMCORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_heavy_packages_are_imported_inside_the_function_that_needs_them(path: Path) -> None:
    assert not {name.split(".")[0] for name in top_level(ast.parse(path.read_text("utf-8")))} & HEAVY


@pytest.mark.parametrize("path", MEMCORE + APP, ids=lambda p: str(p.relative_to(ROOT)))
def test_sql_lives_only_in_the_store(path: Path) -> None:
    if path.is_relative_to(ROOT / "memcore" / "store"):
        return
    tree = ast.parse(path.read_text("utf-8"))
    assert "duckdb" not in {name.split(".")[0] for name, _ in imports(tree)}
    opening = r"^\s*(SELECT .* FROM |INSERT INTO |UPDATE \w+ SET |DELETE FROM |CREATE TABLE )"
    statement = re.compile(opening, re.DOTALL | re.IGNORECASE)
    texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    assert not [text for text in texts if statement.match(text)]


@pytest.mark.parametrize("path", MEMCORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_environment_is_read_only_in_config(path: Path) -> None:
    if path.name == "config.py":
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        assert not (isinstance(node, ast.Attribute) and node.attr == "getenv"), path
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("environ.get"):
            name = ast.unparse(node.args[0]).strip("'")
            assert name in SAVED_AND_RESTORED, f"{path} reads {name}"


@pytest.mark.parametrize("path", MEMCORE + APP, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_error_is_swallowed(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"bare except at line {node.lineno}"
            silent = len(node.body) == 1 and isinstance(node.body[0], ast.Pass)
            wide = ast.unparse(node.type) in ("Exception", "BaseException")
            assert not (silent and wide), f"swallowed at line {node.lineno}"


TESTS = sorted((ROOT / "tests").rglob("*.py"))
INSIDE = {"_store", "_record", "_backends"}
"""What a Memory and its rooms were given: `memory.store` and `memory.backends` are open to everybody."""


def given_names(tree: ast.Module, package: str) -> set[str]:
    """The names by which a file knows a package's modules and what is in them."""
    return {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if f"{getattr(node, 'module', '') or ''}.{alias.name}.".lstrip(".").startswith(f"{package}.")
        and (isinstance(node, ast.ImportFrom) or alias.asname)
    }


def replaced(tree: ast.Module, package: str) -> list[int]:
    """The lines on which `setattr` replaces something of a package, by its path or by its owner."""
    known = given_names(tree, package)
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setattr") and node.args:
            target = node.args[0]
            path = target.value if isinstance(target, ast.Constant) else ast.unparse(target)
            if f"{path}.".startswith(f"{package}.") or str(path).split(".")[0] in known:
                lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    "patch",
    [
        'import pytest\nmonkeypatch.setattr("memcore.runtime.chosen.ChosenBackends.llm", fake)',
        "import memcore.runtime.chosen\nmonkeypatch.setattr(memcore.runtime.chosen, 'x', fake)",
        "from memcore.runtime import chosen\nmonkeypatch.setattr(chosen, 'x', fake)",
        "from memcore.runtime.chosen import ChosenBackends\nmonkeypatch.setattr(ChosenBackends, 'llm', fake)",
    ],
)
def test_a_replaced_backend_is_noticed_however_it_is_written(patch: str) -> None:
    assert replaced(ast.parse(patch), "memcore.runtime") == [2]


@pytest.mark.parametrize("path", TESTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_tests_give_backends_instead_of_replacing_them(path: Path) -> None:
    assert not replaced(ast.parse(path.read_text("utf-8")), "memcore.runtime")


@pytest.mark.parametrize("path", TESTS + APP, ids=lambda p: str(p.relative_to(ROOT)))
def test_nobody_reaches_into_a_memory(path: Path) -> None:
    reached = [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in INSIDE
        if ast.unparse(node.value) != "self"
    ]
    assert not reached


def test_importing_the_library_loads_nothing_heavy() -> None:
    code = f"import memcore, memcore.cli, sys; print(sorted(set(sys.modules) & {HEAVY!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
