"""One frozen `Settings`. Environment variables and the settings file are read here and nowhere else.

Order, later wins: defaults, the store's `settings.json` (what the Settings page saves), environment
variables `MEMSCOPE_*`, `OLLAMA_HOST` and `OPENAI_*`, what a caller passes. API keys are never
written to a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from memcore.domain import private_files
from memcore.domain.errors import StoreError, UsageError
from memcore.domain.extraction import Kept
from memcore.domain.server_address import ServerAddress
from memcore.runtime import caller, recordings, servers
from memcore.runtime.store_place import place_of
from memcore.stages.segmentation.scores import METHODS
from memcore.systems import registry
from memcore.systems.settings import check, described, flat

GroundMethod = Literal["rules", "model"]
"""`model`: the chosen language model is asked about what the rules do not call supported."""
LlmBackend = Literal["none", "ollama", "openai", "recorded"]

SETTINGS_FILE = "settings.json"
_PERMITTED = ("permitted_servers", "permitted_recordings")
_SECRET_OR_PLACE = ("store_dir", "database", "openai_api_key", "record_to")
_SERVERS = {"ollama": "ollama_host", "openai": "openai_base_url"}
_SYSTEMS = "systems"
_OUTSIDE = "systems_of_other_packages"
"""In the settings file: whose settings are in it that may one day not be installed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can set. Each field is used by the code its comment names."""

    store_dir: Path = Path("memscope_data")
    database: ServerAddress | None = None  # whose database has the store; its files are in store_dir
    # language model
    llm: LlmBackend = "none"
    ollama_host: str = "http://127.0.0.1:11434"
    ollama_model: str = "qwen3:8b"
    openai_base_url: str = "https://api.openai.com/v1"
    openai_model: str = "gpt-4o-mini"
    openai_api_key: str = ""
    permitted_servers: frozenset[str] = frozenset()  # the person's own; no store can add to it
    recording: str = ""  # the file that recorded replies are in
    permitted_recordings: frozenset[str] = frozenset()  # the person's own, too
    record_to: str = ""  # the file that a live model's answers are appended to; never from a store
    llm_timeout_s: float = 120.0
    llm_workers: int = 2
    # in-process models
    embedder: str = "all-MiniLM-L6-v2"  # embedded; or a sentence-transformers name or path
    # embedded; an LLMLingua-2 checkpoint's name or path; entropy, or entropy:NAME of a causal model
    compressor: str = "embedded"
    protect_words: bool = True  # never drop numbers, dates, negations and names
    # stages
    compression_rate: float = 0.6
    segment_method: str = "topic_shift"
    ground_method: GroundMethod = "rules"  # who says whether the words that a memory cites carry it
    buffer_tokens: int = 512  # short-term memory threshold th, in compressed tokens
    sensory_tokens: int = 512  # sensory memory's size, in compressed tokens
    assistant_words: Kept = "all"  # what the language pipeline remembers of an assistant's messages
    # sleep-time update
    queue_top_k: int = 20
    queue_keep: int = 10
    queue_threshold: float = 0.55
    # other programs
    serve: bool = True  # whether the workbench serves the store that it holds
    # by system: its own settings, where they are not its defaults (`of`)
    systems: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        checks = (
            (0.1 <= self.compression_rate <= 1.0, "compression_rate", "a number from 0.1 to 1.0"),
            (self.llm in get_args(LlmBackend), "llm", "none, ollama, openai or recorded"),
            (self.segment_method in METHODS, "segment_method", ", ".join(METHODS)),
            (
                self.ground_method in get_args(GroundMethod),
                "ground_method",
                "rules or model",
            ),
            (self.buffer_tokens >= 64, "buffer_tokens", "64 or more"),
            (self.sensory_tokens >= 64, "sensory_tokens", "64 or more"),
            (self.assistant_words in get_args(Kept), "assistant_words", ", ".join(get_args(Kept))),
            (1 <= self.queue_keep <= self.queue_top_k, "queue_keep", "from 1 to queue_top_k"),
            (0.0 <= self.queue_threshold <= 1.0, "queue_threshold", "a number from 0 to 1"),
            (self.llm != recordings.BACKEND or self.recording, "recording", "a file, as --llm recorded:FILE"),
            (self.llm_workers >= 1, "llm_workers", "1 or more"),
            (self.llm_timeout_s > 0, "llm_timeout_s", "seconds above 0"),
        )
        for good, name, wanted in checks:
            if not good:
                raise UsageError(
                    f"{name} = {getattr(self, name)!r} is not possible.", f"Set {name} to {wanted}."
                )
        if self.record_to and self.server is None:
            raise UsageError(
                "There is nothing to record: no live model is chosen.", "Add --llm ollama or --llm openai."
            )
        for system, own in self.systems.items():
            check(system, own)

    @property
    def server(self) -> str | None:
        """The address of the chosen model server; None where no model is chosen."""
        return getattr(self, _SERVERS[self.llm]) if self.llm in _SERVERS else None

    @property
    def unpermitted_server(self) -> str | None:
        """The origin of the chosen model server if the person has not permitted it: nothing is sent there.
        What is no address is refused as it is written: a client may still make one of it."""
        written = self.server or servers.DEFAULT
        bare = self.llm == "ollama" and "://" not in written
        try:
            wanted = servers.origin(_as_url(written) if bare else written)
        except UsageError:
            return written[:200]
        return None if servers.needs_no_asking(wanted) or wanted in self.permitted_servers else wanted

    @property
    def where(self) -> Path | ServerAddress:
        """What the store is opened by."""
        return self.database or self.store_dir

    @property
    def repeats(self) -> bool:
        """Whether a model must be asked the same, word for word, as elsewhere: its replies are recorded, or
        looked for in a recording."""
        return self.llm == recordings.BACKEND or bool(self.record_to)

    @property
    def unpermitted_recording(self) -> str | None:
        """The file of recorded replies that is chosen, if the person has not permitted it: it is not read."""
        if self.llm != recordings.BACKEND:
            return None
        try:
            wanted = recordings.whole(self.recording)
        except UsageError:  # a store of somebody else must not keep its reader from correcting it
            return self.recording[:200]
        return None if wanted in self.permitted_recordings else self.recording

    def of(self, system: str) -> Any:
        """A system's own settings."""
        return self.systems[system] if system in self.systems else registry.system_named(system).settings()

    def flat(self) -> dict[str, Any]:
        """Every setting by its one name, those of systems as SYSTEM_FIELD; permissions are none."""
        names = {one.name for one in fields(self)} - {_SYSTEMS, *_PERMITTED}
        common = {one.name: getattr(self, one.name) for one in fields(self) if one.name in names}
        for system in registry.SYSTEMS:
            common |= flat(system, self.of(system))
        return common

    def shown(self) -> dict[str, Any]:
        """`flat` without keys and places: what a run, a record or the settings file may tell."""
        return {name: value for name, value in self.flat().items() if name not in _SECRET_OR_PLACE}

    def changed(self, **values: Any) -> Settings:
        """These settings with others, by the names that `flat` gives them or that they once had."""
        values, systems = _by_system(values, self.systems)
        return replace(self, **values, systems=systems)


_ENVIRONMENT = {
    "MEMSCOPE_STORE": "store_dir",
    "MEMSCOPE_LLM": "llm",
    "OLLAMA_HOST": "ollama_host",
    "MEMSCOPE_OLLAMA_MODEL": "ollama_model",
    "OPENAI_BASE_URL": "openai_base_url",
    "OPENAI_API_KEY": "openai_api_key",
    "MEMSCOPE_OPENAI_MODEL": "openai_model",
    "MEMSCOPE_EMBEDDER": "embedder",
    "MEMSCOPE_COMPRESSOR": "compressor",
    "MEMSCOPE_SERVE": "serve",
}
_SWITCH = {"on": True, "off": False}


def load_settings(
    store: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    overriding: bool = True,
    **overrides: Any,
) -> Settings:
    """Settings for a store, by its directory or a server's address; with `overriding`, environment variables
    outrank its file. Raises UsageError for a damaged file or an impossible value."""
    environment = caller.environment(environ)
    values: dict[str, Any] = {
        field: environment[name]
        for name, field in _ENVIRONMENT.items()
        if overriding and environment.get(name)
    }
    if "ollama_host" in values:
        values["ollama_host"] = _as_url(values["ollama_host"])
    if "serve" in values:
        values["serve"] = _switch("MEMSCOPE_SERVE", values["serve"])
    named = values.pop("store_dir", None)
    directory, database = place_of(store or named or Settings().store_dir, environ)
    values.update({name: value for name, value in overrides.items() if value is not None})
    if file := recordings.named(str(values.get("llm", ""))):
        values.update(llm=recordings.BACKEND, recording=file)
    permitted = {
        "permitted_servers": servers.permitted(environ) | _named_servers(values),
        "permitted_recordings": recordings.permitted(environ) | ({file} if file else set()),
    }
    values = {**_read_file(directory / SETTINGS_FILE), **values, "store_dir": directory, "database": database}
    return Settings().changed(**values, **permitted)


def store_named(named: str | None = None, environ: Mapping[str, str] | None = None) -> str:
    """What names the store, a directory or an address: what is given, else MEMSCOPE_STORE, else
    ./memscope_data."""
    return named or caller.environment(environ).get("MEMSCOPE_STORE") or str(Settings().store_dir)


def _named_servers(values: Mapping[str, Any]) -> frozenset[str]:
    """The servers that the person names here and now."""
    named: set[str] = set()
    for name in _SERVERS.values():
        with suppress(UsageError):  # using it says what is wrong with it
            named.add(servers.origin(str(values.get(name, ""))))
    return frozenset(named)


def cache_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Where what can be made again is kept: `MEMSCOPE_CACHE`, else memscope in `XDG_CACHE_HOME` or
    ~/.cache."""
    return caller.own_directory("MEMSCOPE_CACHE", "XDG_CACHE_HOME", ".cache", environ)


def overridden(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The settings that the environment decides now: field name → the variable that does."""
    environment = caller.environment(environ)
    found = {field: name for name, field in _ENVIRONMENT.items() if environment.get(name)}
    if found.get("llm") and environment[found["llm"]].startswith(f"{recordings.BACKEND}:"):
        found["recording"] = found["llm"]
    return found


def save_settings(settings: Settings, **changes: Any) -> Settings:
    """Change settings and keep them in the store's settings file (never the API key). Raises StoreError where
    that cannot be written."""
    changed = settings.changed(**changes)
    kept = changed.shown()
    path = changed.store_dir / SETTINGS_FILE
    ours = {system.name for system in registry.OURS}
    outside = {name for name in registry.SYSTEMS if name not in ours}
    for name, own in waiting_settings(changed.store_dir).items():
        outside.add(name)
        kept |= own
    if outside:
        kept[_OUTSIDE] = sorted(outside)
    temporary = path.with_suffix(".tmp")
    try:
        private_files.make_directory(changed.store_dir)
        temporary.unlink(missing_ok=True)
        with private_files.create(temporary) as file:
            file.write((json.dumps(kept, indent=2) + "\n").encode())
        temporary.replace(path)
    except OSError as error:
        raise StoreError(
            f"The settings cannot be kept in {changed.store_dir}: {error}.",
            "Take the right to write there, free disk space, or work on a copy of the directory.",
        ) from error
    return changed


def waiting_settings(store_dir: Path) -> dict[str, dict[str, Any]]:
    """By system of other people that cannot be had now, its settings in a store's file: they stay there, and
    change nothing, until it is installed again."""
    path = store_dir / SETTINGS_FILE
    return _waiting(_read_object(path)) if path.exists() else {}


def _read_file(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    raw = _read_object(path)
    waiting = {name for own in _waiting(raw).values() for name in own}
    fix = _to_correct(path)
    raw = {_name_now(n): v for n, v in raw.items() if n != _OUTSIDE and n not in waiting}
    known = _known()
    if unknown := sorted(set(raw) - set(known)):
        raise UsageError(f"The settings file {path} names unknown settings: {', '.join(unknown)}.", fix)
    for name, value in raw.items():
        wanted = (int, float) if known[name] is float else (known[name],)
        if not isinstance(value, wanted) or (isinstance(value, bool) and known[name] is not bool):
            raise UsageError(f"{name} = {value!r} in {path} should be a {known[name].__name__}.", fix)
    return raw


def _to_correct(path: Path) -> str:
    return f"Correct {path}, or delete it to return to the defaults."


def _read_object(path: Path) -> dict[str, Any]:
    fix = _to_correct(path)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The settings file {path} is not valid JSON ({error}).", fix) from error
    if not isinstance(raw, dict):
        raise UsageError(f"The settings file {path} is not an object.", fix)
    return raw


def _known() -> dict[str, type]:
    """The type of every setting that the file may name."""
    known = {one.name: type(one.default) for one in fields(Settings) if one.name != _SYSTEMS}
    for name, system in registry.SYSTEMS.items():
        for its, (_, default) in described(system.settings).items():
            known[f"{name}_{its}"] = type(default)
    return {name: kind for name, kind in known.items() if name not in {*_SECRET_OR_PLACE, *_PERMITTED}}


def _name_now(name: str) -> str:
    """What a setting that a system named is called now."""
    for system in registry.SYSTEMS.values():
        name = system.older_settings.get(name, name)
    return name


def _waiting(raw: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By system, settings in a file of those that are not installed, or are and cannot be had."""
    named = raw.get(_OUTSIDE)
    names = {name for name in named if isinstance(name, str)} if isinstance(named, list) else set()
    names |= {one.name for one in registry.find().refused}
    known = _known()
    of = {
        name: {its: v for its, v in raw.items() if its.startswith(f"{name}_") and its not in known}
        for name in sorted(names - {*registry.SYSTEMS})
    }
    return {name: own for name, own in of.items() if own}


def _by_system(
    values: Mapping[str, Any], systems: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The common settings among `values`, and those of systems with what `values` change of them."""
    common = {_name_now(name): value for name, value in values.items()}
    changed = dict(systems)
    for name, system in registry.SYSTEMS.items():
        its = {its: f"{name}_{its}" for its in described(system.settings)}
        own = {its: common.pop(known) for its, known in its.items() if known in common}
        if own:
            changed[name] = replace(changed.get(name) or system.settings(), **own)
    default = {name for name, own in changed.items() if own == type(own)()}
    return common, {name: own for name, own in changed.items() if name not in default}


def _switch(variable: str, written: str) -> bool:
    if written not in _SWITCH:
        raise UsageError(f"{variable} = {written[:40]!r} is not possible.", f"Set {variable} to on or off.")
    return _SWITCH[written]


def _as_url(host: str) -> str:
    """OLLAMA_HOST as its own tools accept it: `0.0.0.0`, `host:port` or a whole URL."""
    url = host if "://" in host else f"http://{host}"
    scheme, _, rest = url.partition("://")
    place = rest.rstrip("/")
    if place.startswith("0.0.0.0"):  # noqa: S104 - replaced here, never bound to
        place = place.replace("0.0.0.0", "127.0.0.1", 1)  # noqa: S104
    return f"{scheme}://{place}" if ":" in place or scheme == "https" else f"{scheme}://{place}:11434"
