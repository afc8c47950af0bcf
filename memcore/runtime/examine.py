"""What `doctor` looks at: packages, backends, and a store."""

from __future__ import annotations

from collections.abc import Callable

from memcore.domain.errors import MemcoreError
from memcore.runtime.backends import Backends
from memcore.runtime.chosen import EMBEDDED_COMPRESSOR, EMBEDDED_ENCODER
from memcore.runtime.config import SETTINGS_FILE, Settings, waiting_settings
from memcore.runtime.doctor import Check, CheckState, check_packages, check_python, check_systems
from memcore.store import SqlStore


def surroundings(backends: Backends) -> list[Check]:
    """Python, packages, and every backend: loaded, or asked whether it is there."""
    checks = [check_python(), *check_packages(), *check_systems(), *waiting_checks(backends.settings)]
    checks += [Check(f"active {name}", "ok", what) for name, what in backends.active().items()]
    return checks + check_models(backends)


def waiting_checks(settings: Settings) -> list[Check]:
    """Settings of systems that cannot be had: kept, and without effect until they can."""
    return [
        Check(
            f"settings of {system}",
            "warn",
            f"the system {system} is not here; its settings are kept: {', '.join(own)}",
            f"Install the package that brings {system} again, or delete these settings from "
            f"{settings.store_dir / SETTINGS_FILE}.",
        )
        for system, own in waiting_settings(settings.store_dir).items()
    ]


def check_models(backends: Backends) -> list[Check]:
    """Load each in-process model and ask the chosen server; one finding each."""
    checks = []
    loaders: tuple[tuple[str, Callable[[], object]], ...] = (
        ("encoder", lambda: backends.embedder().embed(["ready"])),
        ("compressor", lambda: backends.compressor().compress(["It is ready to be compressed."], 0.6)),
        ("language pipeline", lambda: backends.extractor(None).extract([])),
    )
    for name, load in loaders:
        try:
            load()
        except MemcoreError as error:
            checks.append(Check(f"model {name}", "fail", error.cause, error.fix))
        else:
            runtime = _runtime(backends.settings, name)
            checks.append(Check(f"model {name}", "ok", f"loads and runs{runtime}"))
    return [*checks, _check_server(backends)]


def _check_server(backends: Backends) -> Check:
    try:
        found = backends.probe()
    except MemcoreError as error:
        return Check("language model", "fail", error.cause, error.fix)
    if found is None:
        return Check("language model", "ok", "none chosen; the language pipeline and rules are active")
    if found.usable and found.backend == "recorded":
        what = f"{found.model}, {found.version} in {found.host}"
        if found.remarks:
            fix = "Take the file anew from where it is whole; the other lines are used."
            return Check("language model", "warn", f"{what}. {'; '.join(found.remarks[:5])}", fix)
        return Check("language model", "ok", what)
    if found.usable:
        return Check("language model", "ok", f"{found.backend} {found.model} at {found.host}")
    return Check("language model", "fail", found.problem, found.fix)


def _runtime(settings: Settings, model: str) -> str:
    """What a model that was just loaded computes with, where that differs by machine."""
    embedded = {
        "encoder": settings.embedder == EMBEDDED_ENCODER,
        "compressor": settings.compressor == EMBEDDED_COMPRESSOR,
    }
    if not embedded.get(model):
        return ""
    from memcore.nlp.encoder.minilm import load_minilm

    return f" ({load_minilm(threads=1, same_everywhere=settings.repeats).runtime})"


def store_checks(store: SqlStore) -> list[Check]:
    """Whether a store is sound, one finding each."""
    checks = []
    if store.read_only:
        checks.append(
            Check(
                "store access",
                "warn",
                "the store can only be read: this program may not write to its directory or file",
                "Nothing to do for reading. To change it, take the right to write, or work on a copy.",
            )
        )
    for finding in store.check():
        state: CheckState = "ok" if finding.sound else "fail"
        checks.append(Check(f"store {finding.name}", state, finding.what, finding.fix))
    return checks
