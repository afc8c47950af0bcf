"""From `Settings` to the models and servers they name. The one place that knows every backend.

Building is lazy and cached per process; nothing heavy is imported before it is used. A backend
that was asked for and is missing is an error with its fix, never replaced by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memcore.domain.errors import BackendError, LlmUnavailableError, MemcoreError, UsageError
from memcore.domain.extraction import Extractor
from memcore.domain.models import DEFAULT_RECIPE
from memcore.domain.protocols import (
    Compressor,
    Embedder,
    EncodedQuestion,
    Ledger,
    Llm,
    TokenCodes,
    TurnAttention,
    Vectors,
)
from memcore.review.decisions import Decider
from memcore.runtime.config import Settings
from memcore.runtime.doctor import Check
from memcore.systems.registry import system_named
from memcore.systems.steps import Tools

if TYPE_CHECKING:
    from memcore.llm.probe import Probe

EMBEDDED_ENCODER = "all-MiniLM-L6-v2"
EMBEDDED_COMPRESSOR = "embedded"


def embedder(settings: Settings) -> Embedder:
    """The active embedder: the embedded MiniLM, or a sentence-transformers model by name or path."""
    if settings.embedder == EMBEDDED_ENCODER:
        from memcore.nlp.encoder.minilm import load_minilm

        return load_minilm(threads=1)
    from memcore.nlp.encoder.sentence_embedder import load_sentence_embedder

    return load_sentence_embedder(settings.embedder)


class EmbedderWhenNeeded:
    """The active embedder, loaded when it is first asked for something: deciding on words that are known
    needs none, and loading takes seconds."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model_id, self.dimension = embedding_space(settings)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`."""
        return embedder(self._settings).embed(texts)

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """As `Embedder.token_codes`."""
        return embedder(self._settings).token_codes(texts)

    def read_question(self, text: str) -> EncodedQuestion:
        """As `Embedder.read_question`."""
        return embedder(self._settings).read_question(text)


def embedding_space(settings: Settings) -> tuple[str, int]:
    """Id and dimension of the active embedder. Loads nothing for the embedded one."""
    if settings.embedder == EMBEDDED_ENCODER:
        from memcore.nlp.encoder.minilm import DIMENSION, MODEL_ID

        return MODEL_ID, DIMENSION
    chosen = embedder(settings)
    return chosen.model_id, chosen.dimension


def compressor(settings: Settings) -> Compressor:
    """The active compressor: the embedded head, an LLMLingua-2 checkpoint by name or path, or
    self-information (`entropy`, or `entropy:MODEL` for another causal model), protecting words or not."""
    protect = settings.protect_words
    if settings.compressor == EMBEDDED_COMPRESSOR:
        from memcore.nlp.encoder.minilm import load_minilm

        encoder = load_minilm(threads=1)
        return encoder if protect else encoder.unprotected()
    kind, _, model = settings.compressor.partition(":")
    if kind == "entropy":
        from memcore.nlp.encoder.causal_model import EMBEDDED
        from memcore.nlp.encoder.entropy import load_entropy

        return load_entropy(model or EMBEDDED, threads=1, protect=protect)
    from memcore.nlp.encoder.llmlingua2 import load_compressor

    return load_compressor(settings.compressor, protect=protect)


def compared_compressors(settings: Settings) -> tuple[dict[str, Compressor], dict[str, str]]:
    """By name, for measuring: the active compressor and self-information, each with word protection and
    without it, the settings' own first; and why self-information is not among them, if it is not."""
    first = "protected" if settings.protect_words else "unprotected"
    protections = sorted(("protected", "unprotected"), key=lambda protection: protection != first)
    found: dict[str, Compressor] = {}
    unavailable: dict[str, str] = {}
    for name in dict.fromkeys((settings.compressor, "entropy")):
        title = "keep head" if name == EMBEDDED_COMPRESSOR else name
        try:
            for protection in protections:
                chosen = replace(settings, compressor=name, protect_words=protection == "protected")
                found[f"{title}, {protection}"] = compressor(chosen)
        except BackendError as error:
            if name == settings.compressor:
                raise
            unavailable[title] = f"{error.cause} {error.fix}"
    return found, unavailable


def turn_attention() -> TurnAttention:
    """Turn-level attention always comes from the embedded encoder."""
    from memcore.nlp.encoder.minilm import load_minilm

    return load_minilm(threads=1)


def llm(settings: Settings, ledger: Ledger, run_id: str) -> Llm | None:
    """The chosen language model, recording its calls under `run_id`; None when none is chosen."""
    if settings.llm == "ollama":
        from memcore.llm.ollama import ollama_llm

        return ollama_llm(
            settings.ollama_model, settings.ollama_host, ledger, run_id, timeout_s=settings.llm_timeout_s
        )
    if settings.llm == "openai":
        from memcore.llm.openai_compatible import openai_llm

        if not settings.openai_api_key and settings.openai_base_url.startswith("https://api.openai.com"):
            raise UsageError("OpenAI needs an API key.", "Set the environment variable OPENAI_API_KEY.")
        return openai_llm(
            settings.openai_model,
            settings.openai_base_url,
            settings.openai_api_key,
            ledger,
            run_id,
            timeout_s=settings.llm_timeout_s,
        )
    return None


def tools(settings: Settings, recipe: str, ledger: Ledger, run_id: str) -> Tools:
    """What a system works with: every backend, and the settings, its own among them."""
    model = llm(settings, ledger, run_id)
    system = system_named(recipe)
    given = Tools(
        embedder=embedder(settings),
        compressor=compressor(settings),
        attention=turn_attention(),
        extractor=extractor(settings, model, recipe),
        compression_rate=settings.compression_rate,
        segment_method=settings.segment_method,
        buffer_tokens=settings.buffer_tokens,
        sensory_tokens=settings.sensory_tokens,
        llm=model,
        count_tokens=token_counter(),
        own=settings.of(recipe),
    )
    return system.tools(given, settings.of(recipe))


def extractor(settings: Settings, model: Llm | None, recipe: str = DEFAULT_RECIPE) -> Extractor:
    """What reads a system's buffers: its own extractor, or the language pipeline where it gives none."""
    system = system_named(recipe)
    if (own := system.extractor(model, settings.of(recipe), settings.llm_workers)) is not None:
        return own
    from memcore.nlp.language.extractor import LanguageExtractor

    return LanguageExtractor()


def decider(settings: Settings, model: Llm | None) -> Decider:
    """Update decisions by the chosen model, or by rule when none is chosen."""
    if model is not None:
        from memcore.review.decide_llm import LlmDecider

        return LlmDecider(model, workers=settings.llm_workers)
    from memcore.review.rules import RuleDecider

    return RuleDecider()


def token_counter() -> Callable[[str], int]:
    """cl100k tokens, the unit of context budgets."""
    from memcore.nlp.encoder.cl100k import count_tokens

    return count_tokens


def probe(settings: Settings) -> Probe | None:
    """Whether the chosen model server can be used now; None when none is chosen."""
    if settings.llm == "none":
        return None
    from memcore.llm.probe import probe_ollama, probe_openai

    if settings.llm == "ollama":
        return probe_ollama(settings.ollama_host, settings.ollama_model)
    return probe_openai(settings.openai_base_url, settings.openai_api_key, settings.openai_model)


def require_llm(settings: Settings) -> None:
    """Raise LlmUnavailableError when a model is chosen but cannot be used: better before an hour of
    work than after. Nothing else takes its place."""
    found = probe(settings)
    if found is not None and not found.usable:
        raise LlmUnavailableError(found.problem, found.fix)


def check_models(settings: Settings) -> list[Check]:
    """Load each in-process model and ask the chosen server; one finding each."""
    checks = []
    loaders: tuple[tuple[str, Callable[[], object]], ...] = (
        ("encoder", lambda: embedder(settings).embed(["ready"])),
        ("compressor", lambda: compressor(settings).compress(["It is ready to be compressed."], 0.6)),
        ("language pipeline", lambda: extractor(settings, None).extract([])),
    )
    for name, load in loaders:
        try:
            load()
        except MemcoreError as error:
            checks.append(Check(f"model {name}", "fail", error.cause, error.fix))
        else:
            checks.append(Check(f"model {name}", "ok", f"loads and runs{_runtime(settings, name)}"))
    found = probe(settings)
    if found is None:
        checks.append(
            Check("language model", "ok", "none chosen; the language pipeline and rules are active")
        )
    elif found.usable:
        checks.append(Check("language model", "ok", f"{found.backend} {found.model} at {found.host}"))
    else:
        checks.append(Check("language model", "fail", found.problem, found.fix))
    return checks


def _runtime(settings: Settings, model: str) -> str:
    """What a model that was just loaded computes with, where that differs by machine."""
    embedded = {
        "encoder": settings.embedder == EMBEDDED_ENCODER,
        "compressor": settings.compressor == EMBEDDED_COMPRESSOR,
    }
    if not embedded.get(model):
        return ""
    from memcore.nlp.encoder.minilm import load_minilm

    return f" ({load_minilm(threads=1).runtime})"


def model_name(settings: Settings) -> str:
    """The chosen model's name; empty when none is chosen."""
    return {"none": "", "ollama": settings.ollama_model, "openai": settings.openai_model}[settings.llm]


def active(settings: Settings) -> dict[str, str]:
    """What is active, in words for a person. Loads nothing."""
    chosen = settings.llm != "none"
    model = f"{settings.llm} {model_name(settings)}"
    return {
        "encoder": settings.embedder + (" (embedded)" if settings.embedder == EMBEDDED_ENCODER else ""),
        "compressor": _compressor_in_words(settings),
        "extractor": model if chosen else "language pipeline (spaCy en_core_web_sm), no language model",
        "decider": model if chosen else "rules, no language model",
        "llm": model if chosen else "none",
    }


def _compressor_in_words(settings: Settings) -> str:
    kind, _, model = settings.compressor.partition(":")
    if settings.compressor == EMBEDDED_COMPRESSOR:
        named = "embedded, rule/IDF-distilled, LLMLingua-2-compatible"
    elif kind == "entropy":
        named = f"entropy, self-information by {model or 'SmolLM2-135M-Instruct'}"
    else:
        named = settings.compressor
    return named if settings.protect_words else f"{named}, no word protected"


def llm_document(settings: Settings) -> dict[str, Any]:
    """Backend and model as reports name them."""
    return {"backend": settings.llm, "model": model_name(settings)}
