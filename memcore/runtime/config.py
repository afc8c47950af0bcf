"""One frozen `Settings`. Environment variables and the settings file are read here and nowhere else.

Order, later wins: defaults, the store's `settings.json` (what the Settings page saves), environment
variables `MEMSCOPE_*`, `OLLAMA_HOST` and `OPENAI_*`, what a caller passes. API keys are never
written to a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from memcore.domain.errors import UsageError

LlmBackend = Literal["none", "ollama", "openai"]
SegmentMethod = Literal["topic_shift", "attention", "similarity", "intersection", "lightmem", "texttiling"]
LightMemMessages = Literal["user", "assistant", "all"]
LightMemPrompt = Literal["flat", "event"]

SETTINGS_FILE = "settings.json"
_SECRET_OR_PLACE = ("store_dir", "openai_api_key")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can set. Each field is used by the code its comment names."""

    store_dir: Path = Path("memscope_data")
    # language model
    llm: LlmBackend = "none"
    ollama_host: str = "http://127.0.0.1:11434"
    ollama_model: str = "qwen3:8b"
    openai_base_url: str = "https://api.openai.com/v1"
    openai_model: str = "gpt-4o-mini"
    openai_api_key: str = ""
    llm_timeout_s: float = 120.0
    llm_workers: int = 2
    # in-process models
    embedder: str = "all-MiniLM-L6-v2"  # embedded; or a sentence-transformers name or path
    # embedded; an LLMLingua-2 checkpoint's name or path; entropy, or entropy:NAME of a causal model
    compressor: str = "embedded"
    protect_words: bool = True  # never drop numbers, dates, negations and names
    # stages
    compression_rate: float = 0.6
    segment_method: SegmentMethod = "topic_shift"
    buffer_tokens: int = 512  # short-term memory threshold th, in compressed tokens
    # the lightmem recipe
    lightmem_segment_method: SegmentMethod = "intersection"
    lightmem_sensory_tokens: int = 512  # sensory memory's size, in compressed tokens; memscope's, too
    lightmem_messages: LightMemMessages = "user"  # whose messages are read
    lightmem_prompt: LightMemPrompt = "flat"
    # sleep-time update
    queue_top_k: int = 20
    queue_keep: int = 10
    queue_threshold: float = 0.55

    def __post_init__(self) -> None:
        checks = (
            (0.1 <= self.compression_rate <= 1.0, "compression_rate", "a number from 0.1 to 1.0"),
            (self.llm in get_args(LlmBackend), "llm", "none, ollama or openai"),
            (
                self.segment_method in get_args(SegmentMethod),
                "segment_method",
                ", ".join(get_args(SegmentMethod)),
            ),
            (
                self.lightmem_segment_method in get_args(SegmentMethod),
                "lightmem_segment_method",
                ", ".join(get_args(SegmentMethod)),
            ),
            (
                self.lightmem_messages in get_args(LightMemMessages),
                "lightmem_messages",
                ", ".join(get_args(LightMemMessages)),
            ),
            (self.lightmem_prompt in get_args(LightMemPrompt), "lightmem_prompt", "flat or event"),
            (self.buffer_tokens >= 64, "buffer_tokens", "64 or more"),
            (self.lightmem_sensory_tokens >= 64, "lightmem_sensory_tokens", "64 or more"),
            (1 <= self.queue_keep <= self.queue_top_k, "queue_keep", "from 1 to queue_top_k"),
            (0.0 <= self.queue_threshold <= 1.0, "queue_threshold", "a number from 0 to 1"),
            (self.llm_workers >= 1, "llm_workers", "1 or more"),
            (self.llm_timeout_s > 0, "llm_timeout_s", "seconds above 0"),
        )
        for good, name, wanted in checks:
            if not good:
                raise UsageError(
                    f"{name} = {getattr(self, name)!r} is not possible.", f"Set {name} to {wanted}."
                )


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
}


def load_settings(
    store_dir: Path | None = None, *, environ: Mapping[str, str] | None = None, **overrides: Any
) -> Settings:
    """Settings for a store. Raises UsageError for a damaged file or an impossible value."""
    environment = os.environ if environ is None else environ
    values: dict[str, Any] = {
        field: environment[name] for name, field in _ENVIRONMENT.items() if environment.get(name)
    }
    if "ollama_host" in values:
        values["ollama_host"] = _as_url(values["ollama_host"])
    directory = Path(store_dir or values.pop("store_dir", None) or Settings().store_dir)
    values = {**_read_file(directory / SETTINGS_FILE), **values, "store_dir": directory}
    values.update({name: value for name, value in overrides.items() if value is not None})
    return Settings(**values)


def cache_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Where what can be made again is kept: `MEMSCOPE_CACHE`, else memscope in `XDG_CACHE_HOME` or
    ~/.cache."""
    environment = os.environ if environ is None else environ
    if chosen := environment.get("MEMSCOPE_CACHE"):
        return Path(chosen)
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memscope"


def overridden(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The settings that the environment decides now: field name → the variable that does."""
    environment = os.environ if environ is None else environ
    return {field: name for name, field in _ENVIRONMENT.items() if environment.get(name)}


def save_settings(settings: Settings, **changes: Any) -> Settings:
    """Change settings and keep them in the store's settings file (never the API key)."""
    changed = replace(settings, **changes)
    kept = {k: v for k, v in asdict(changed).items() if k not in _SECRET_OR_PLACE}
    changed.store_dir.mkdir(parents=True, exist_ok=True)
    path = changed.store_dir / SETTINGS_FILE
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)
    return changed


def _read_file(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    fix = f"Correct {path}, or delete it to return to the defaults."
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The settings file {path} is not valid JSON ({error}).", fix) from error
    known = {f.name: type(f.default) for f in fields(Settings) if f.name not in _SECRET_OR_PLACE}
    if not isinstance(raw, dict) or (unknown := sorted(set(raw) - set(known))):
        what = (
            f"names unknown settings: {', '.join(unknown)}" if isinstance(raw, dict) else "is not an object"
        )
        raise UsageError(f"The settings file {path} {what}.", fix)
    for name, value in raw.items():
        wanted = (int, float) if known[name] is float else (known[name],)
        if not isinstance(value, wanted) or (isinstance(value, bool) and known[name] is not bool):
            raise UsageError(f"{name} = {value!r} in {path} should be a {known[name].__name__}.", fix)
    return cast("dict[str, Any]", raw)


def _as_url(host: str) -> str:
    """OLLAMA_HOST as its own tools accept it: `0.0.0.0`, `host:port` or a whole URL."""
    url = host if "://" in host else f"http://{host}"
    scheme, _, rest = url.partition("://")
    place = rest.rstrip("/")
    if place.startswith("0.0.0.0"):
        place = place.replace("0.0.0.0", "127.0.0.1", 1)
    return f"{scheme}://{place}" if ":" in place or scheme == "https" else f"{scheme}://{place}:11434"
