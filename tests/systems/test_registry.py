"""Systems of other people: found by their entry point, refused with a reason, never in the way of ours."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcore.domain.errors import UsageError
from memcore.runtime.config import load_settings, save_settings, waiting_settings
from memcore.runtime.doctor import check_systems
from memcore.runtime.examine import waiting_checks
from memcore.systems.registry import OURS, SYSTEMS, Refused, find, system_named

GOOD = """
from dataclasses import dataclass, field
from memcore.systems.settings import in_words
from memcore.systems.steps import About, StepResult, System


@dataclass(frozen=True)
class Own:
    depth: int = field(default=3, metadata=in_words("Depth", "How deep.", least=1))


def read(step, tools):
    return step


def remember(step, known, tools):
    return StepResult()


SYSTEM = System("theirs", read, remember, about=About("Theirs", "It keeps nothing.", "None."), settings=Own)
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes a module with an entry point importable, as pip would."""
    monkeypatch.syspath_prepend(str(tmp_path))
    modules: list[str] = []

    def installed(module: str, text: str, *, name: str = "theirs", target: str = "SYSTEM") -> None:
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[memcore.systems]\n{name} = {module}:{target}\n")
        modules.append(module)
        find.cache_clear()

    yield installed
    for module in modules:
        sys.modules.pop(module, None)
    monkeypatch.undo()
    find.cache_clear()


def refused() -> Refused:
    (one,) = find().refused
    return one


def test_a_system_of_another_package_stands_behind_ours(install: Install) -> None:
    install("good_system", GOOD)
    assert list(SYSTEMS) == [*(system.name for system in OURS), "theirs"]
    assert SYSTEMS["theirs"].title == "Theirs"
    assert find().refused == ()
    (check,) = check_systems()
    assert (check.name, check.state) == ("system theirs", "ok")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("import no_such_module_anywhere", "cannot be imported .*no_such_module_anywhere"),
        ("raise SystemError('on fire')", "on fire"),
        ("SYSTEM = 3", "is a int, not a System"),
        (GOOD.replace('"theirs"', '"others"'), "called 'others' and its entry point 'theirs'"),
        ("", "cannot be imported .*SYSTEM"),
    ],
    ids=["import", "raises", "no system", "another name", "empty"],
)
def test_a_broken_system_costs_only_itself(install: Install, text: str, cause: str) -> None:
    install("broken_system", text)
    assert list(SYSTEMS) == [system.name for system in OURS]
    assert re.search(cause, refused().cause)
    assert refused().package == "broken_system"
    (check,) = check_systems()
    assert check.state == "fail"
    assert check.fix


def test_a_system_cannot_take_the_name_of_one_of_ours(install: Install) -> None:
    ours = SYSTEMS["mem0"]
    install("clash", GOOD.replace('"theirs"', '"mem0"'), name="mem0")
    assert SYSTEMS["mem0"] is ours
    assert refused().cause == "There is a system called 'mem0' already."
    assert "pip uninstall clash" in refused().fix


def test_of_two_systems_of_one_name_the_first_package_wins(install: Install) -> None:
    install("b_second", GOOD)
    install("a_first", GOOD)
    assert refused().package == "b_second"
    assert system_named("theirs").read.__module__ == "a_first"


def test_its_settings_are_kept_with_ours(install: Install, tmp_path: Path) -> None:
    install("good_system", GOOD)
    store = tmp_path / "store"
    save_settings(load_settings(store, overriding=False), theirs_depth=5)
    assert load_settings(store, overriding=False).of("theirs").depth == 5


def test_its_settings_wait_while_it_is_not_installed(install: Install, tmp_path: Path) -> None:
    store = tmp_path / "store"
    install("good_system", GOOD)
    save_settings(load_settings(store, overriding=False), theirs_depth=5)
    point = tmp_path / "good_system-1.0.dist-info" / "entry_points.txt"
    offered = point.read_text(encoding="utf-8")
    point.write_text("", encoding="utf-8")
    find.cache_clear()

    for _ in range(2):
        save_settings(load_settings(store, overriding=False), buffer_tokens=128)
    assert waiting_settings(store) == {"theirs": {"theirs_depth": 5}}
    (said,) = [one for one in waiting_checks(load_settings(store, overriding=False)) if "theirs" in one.name]
    assert (said.state, "theirs_depth" in said.what) == ("warn", True)
    assert "theirs" in said.fix and str(store / "settings.json") in said.fix

    point.write_text(offered, encoding="utf-8")
    find.cache_clear()
    back = load_settings(store, overriding=False)
    assert (back.of("theirs").depth, back.buffer_tokens, waiting_settings(store)) == (5, 128, {})


def test_a_setting_of_no_system_at_all_is_still_refused(install: Install, tmp_path: Path) -> None:
    store = tmp_path / "store"
    install("good_system", GOOD)
    saved = save_settings(load_settings(store, overriding=False), theirs_depth=5)
    path = saved.store_dir / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"thiers_depth": 4}), "utf-8")
    with pytest.raises(UsageError, match="unknown settings: thiers_depth"):
        load_settings(store, overriding=False)


def test_its_settings_wait_while_it_cannot_be_had(install: Install, tmp_path: Path) -> None:
    install("good_system", GOOD)
    store = tmp_path / "store"
    save_settings(load_settings(store, overriding=False), theirs_depth=5)
    (tmp_path / "good_system.py").write_text("raise SystemError('on fire')")
    sys.modules.pop("good_system")
    find.cache_clear()
    save_settings(load_settings(store, overriding=False), buffer_tokens=128)
    kept = json.loads((store / "settings.json").read_text(encoding="utf-8"))
    assert (kept["theirs_depth"], kept["buffer_tokens"]) == (5, 128)
