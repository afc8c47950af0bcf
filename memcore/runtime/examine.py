"""What `doctor` looks at: packages, backends, and a store."""

from __future__ import annotations

from memcore.runtime import backends
from memcore.runtime.config import Settings
from memcore.runtime.doctor import Check, CheckState, check_packages, check_python, check_systems
from memcore.store import DuckStore


def surroundings(settings: Settings) -> list[Check]:
    """Python, packages, and every backend the settings choose: loaded, or asked whether it is there."""
    checks = [check_python(), *check_packages(), *check_systems()]
    checks += [Check(f"active {name}", "ok", what) for name, what in backends.active(settings).items()]
    return checks + backends.check_models(settings)


def store_checks(store: DuckStore) -> list[Check]:
    """Whether a store is sound, one finding each."""
    checks = []
    for finding in store.check():
        state: CheckState = "ok" if finding.sound else "fail"
        checks.append(Check(f"store {finding.name}", state, finding.what, finding.fix))
    return checks
