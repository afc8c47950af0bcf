"""What `pip install .` installs: everything that the library, the workbench and the two commands need."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from memcore.cli import workbench

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKBENCH = ("app.py", "pages", "ui", "sample_data", ".streamlit")
BUILD = "import hatchling.build, sys; print(hatchling.build.build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this working tree, made by the build backend itself: nothing is downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as opened:
        yield opened


def tracked(*paths):
    """The files of the repository under these paths, so that a build folder or a cache is not among them."""
    done = subprocess.run(["git", "ls-files", *paths], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("this is no git checkout")
    return done.stdout.split("\n")[:-1]


def test_every_file_of_the_library_is_in_the_wheel(wheel):
    assert set(tracked("memcore")) <= set(wheel.namelist())


def test_every_file_of_the_workbench_is_in_a_folder_of_its_own(wheel):
    assert {f"{workbench.INSTALLED_FOLDER}/{name}" for name in tracked(*WORKBENCH)} <= set(wheel.namelist())


def test_nothing_else_is_left_at_the_top_of_site_packages(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"memcore", workbench.INSTALLED_FOLDER, f"memscope-{PROJECT['version']}.dist-info"}


def test_no_compiled_file_travels(wheel):
    assert not [name for name in wheel.namelist() if name.endswith(".pyc")]


def test_both_commands_lead_to_a_function(wheel):
    written = ConfigParser()
    written.read_string(wheel.read(f"memscope-{PROJECT['version']}.dist-info/entry_points.txt").decode())
    commands = dict(written["console_scripts"])
    assert commands.keys() == {"memcore", "memscope"}
    for place in commands.values():
        module, function = place.split(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_memscope_finds_the_workbench_where_the_wheel_puts_it(wheel, tmp_path):
    wheel.extractall(tmp_path)
    assert workbench._script(tmp_path) == tmp_path / workbench.INSTALLED_FOLDER / "app.py"


def test_memscope_runs_the_app_and_passes_on_what_was_typed(monkeypatch):
    run = []
    monkeypatch.setattr("runpy.run_module", lambda name, **_: run.append((name, list(sys.argv))))
    monkeypatch.setattr(sys, "argv", ["memscope"])
    assert workbench.main(["--server.port", "8600"]) == 0
    typed = ["streamlit", "run", str(ROOT / "app.py"), "--server.port", "8600"]
    assert run == [("streamlit", typed)]


def test_without_its_files_memscope_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(workbench, "_script", lambda root: None)
    assert workbench.main([]) == 1
    assert "fix:   Run: pip install" in capsys.readouterr().err


def pins(file):
    """What a requirements file pins, by normalised name."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    written = [line.partition("#")[0].strip() for line in lines]
    stated = [Requirement(line) for line in written if line and not line.startswith("-")]
    assert all(re.fullmatch(r"==[\w.]+", str(one.specifier)) for one in stated), f"{file} pins exactly"
    return {key(one): str(one.specifier).removeprefix("==") for one in stated}


def key(requirement):
    return re.sub(r"[-_.]+", "-", requirement.name).lower()


@pytest.mark.parametrize(
    ("file", "ranges"),
    [
        ("requirements.txt", PROJECT["dependencies"]),
        ("requirements-dev.txt", PROJECT["optional-dependencies"]["dev"]),
        ("requirements-people.txt", PROJECT["optional-dependencies"]["people"]),
        ("requirements-postgres.txt", PROJECT["optional-dependencies"]["postgres"]),
        ("requirements-scale.txt", PROJECT["optional-dependencies"]["scale"]),
        ("requirements-entropy.txt", PROJECT["optional-dependencies"]["entropy"]),
    ],
)
def test_what_is_pinned_for_tests_is_what_the_package_allows(file, ranges):
    allowed = {key(one): one.specifier for one in map(Requirement, ranges)}
    pinned = pins(file)
    assert pinned.keys() == allowed.keys()
    assert not [name for name, exact in pinned.items() if exact not in allowed[name]]
