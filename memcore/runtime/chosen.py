"""From `Settings` to the models and servers they name. The one place that knows every backend.

Building is lazy and cached per process; nothing heavy is imported before it is used. A backend
that was asked for and is missing is an error with its fix, never replaced by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.extraction import Extractor
from memcore.domain.models import DEFAULT_RECIPE
from memcore.domain.protocols import (
    Cancelled,
    Compressor,
    Embedder,
    EncodedQuestion,
    EncodedText,
    Ledger,
    Llm,
    Shortener,
    TokenCodes,
    TurnAttention,
    Vectors,
)
from memcore.review.decisions import Decider
from memcore.runtime import language_model
from memcore.runtime.backends import Backends
from memcore.runtime.config import Settings
from memcore.systems.registry import SYSTEMS, system_named
from memcore.systems.steps import Tools

if TYPE_CHECKING:
    from memcore.llm.probe import Probe
    from memcore.nlp.encoder.minilm import MiniLM

EMBEDDED_ENCODER = "all-MiniLM-L6-v2"
EMBEDDED_COMPRESSOR = "embedded"


class ChosenBackends:
    """The backends that settings choose (`Backends`), built when they are first needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    # ------------------------------------------------------------------ in-process models

    def embedder(self) -> Embedder:
        """The embedded MiniLM, or a sentence-transformers model by name or path."""
        if self.settings.embedder == EMBEDDED_ENCODER:
            return self._minilm()
        from memcore.nlp.encoder.sentence_embedder import load_sentence_embedder

        return load_sentence_embedder(self.settings.embedder)

    def embedder_when_needed(self) -> Embedder:
        """As `Backends.embedder_when_needed`."""
        return EmbedderWhenNeeded(self)

    def embedding_space(self) -> tuple[str, int]:
        """Id and dimension of the embedder. Loads nothing for the embedded one."""
        if self.settings.embedder == EMBEDDED_ENCODER:
            from memcore.nlp.encoder.minilm import DIMENSION, MODEL_ID

            return MODEL_ID, DIMENSION
        chosen = self.embedder()
        return chosen.model_id, chosen.dimension

    def compressor(self, name: str | None = None, *, protect: bool | None = None) -> Compressor:
        """The embedded head, an LLMLingua-2 checkpoint by name or path, or self-information (`entropy`, or
        `entropy:MODEL` for another causal model), protecting words or not."""
        name = self.settings.compressor if name is None else name
        protect = self.settings.protect_words if protect is None else protect
        if name == EMBEDDED_COMPRESSOR:
            encoder = self._minilm()
            return encoder if protect else encoder.unprotected()
        kind, _, model = name.partition(":")
        if kind == "entropy":
            from memcore.nlp.encoder.causal_model import EMBEDDED
            from memcore.nlp.encoder.entropy import load_entropy

            return load_entropy(model or EMBEDDED, threads=1, protect=protect)
        from memcore.nlp.encoder.llmlingua2 import load_compressor

        return load_compressor(name, protect=protect)

    def attention(self) -> TurnAttention:
        """Turn-level attention always comes from the embedded encoder."""
        return self._minilm()

    def _minilm(self) -> MiniLM:
        from memcore.nlp.encoder.minilm import load_minilm

        return load_minilm(threads=1, same_everywhere=self.settings.repeats)

    def token_counter(self) -> Callable[[str], int]:
        """cl100k tokens, the unit of context budgets."""
        from memcore.nlp.encoder.cl100k import count_tokens

        return count_tokens

    # ------------------------------------------------------------------ the language model

    @property
    def has_llm(self) -> bool:
        """As `Backends.has_llm`."""
        return self.settings.llm != "none"

    def llm(self, ledger: Ledger, run_id: str, *, cancelled: Cancelled | None = None) -> Llm | None:
        """As `Backends.llm`."""
        server = language_model.server(self.settings)
        if server is None:
            return None
        from memcore.llm.conversation import CheckedLlm

        return CheckedLlm(server, ledger, run_id, cancelled=cancelled)

    def probe(self) -> Probe | None:
        """As `Backends.probe`."""
        return language_model.probe(self.settings)

    def require_llm(self) -> None:
        """Raise LlmUnavailableError when a model is chosen but cannot be used: better before an hour of
        work than after. Nothing else takes its place."""
        found = self.probe()
        if found is not None and not found.usable:
            raise LlmUnavailableError(found.problem, found.fix)

    def model_name(self) -> str:
        """As `Backends.model_name`."""
        return language_model.name(self.settings)

    def llm_document(self) -> dict[str, Any]:
        """As `Backends.llm_document`."""
        return {"backend": self.settings.llm, "model": self.model_name()}

    # ------------------------------------------------------------------ put together

    def tools(self, system: str, ledger: Ledger, run_id: str, *, cancelled: Cancelled | None = None) -> Tools:
        """What a system works with: every backend, and the settings, its own among them."""
        chosen, own = self.settings, self.settings.of(system)
        model = self.llm(ledger, run_id, cancelled=cancelled)
        given = Tools(
            embedder=self.embedder(),
            compressor=self.compressor(),
            attention=self.attention(),
            extractor=self.extractor(model, system),
            compression_rate=chosen.compression_rate,
            segment_method=chosen.segment_method,
            buffer_tokens=chosen.buffer_tokens,
            sensory_tokens=chosen.sensory_tokens,
            llm=model,
            count_tokens=self.token_counter(),
            own=own,
        )
        return system_named(system).tools(given, own)

    def extractor(self, model: Llm | None, system: str = DEFAULT_RECIPE) -> Extractor:
        """The system's own extractor, or the language pipeline where it gives none."""
        chosen = self.settings
        own = system_named(system).extractor(model, chosen.of(system), chosen.llm_workers)
        if own is not None:
            return own
        from memcore.nlp.language.own_process import LongRunExtractor

        return LongRunExtractor(chosen.assistant_words)

    def shortener(self) -> Shortener:
        """The language pipeline."""
        from memcore.nlp.language.leaving_out import LeavingOut

        return LeavingOut()

    def decider(self, model: Llm | None) -> Decider:
        """Update decisions by the model, or by rule when there is none."""
        if model is not None:
            from memcore.review.decide_llm import LlmDecider

            return LlmDecider(model, workers=self.settings.llm_workers)
        from memcore.review.rules import RuleDecider

        return RuleDecider()

    def own_deciders(self, model: Llm | None) -> Mapping[str, Decider]:
        """As `Backends.own_deciders`."""
        chosen = self.settings
        found = {
            name: system.decider(model, chosen.of(name), chosen.llm_workers)
            for name, system in SYSTEMS.items()
        }
        return {name: own for name, own in found.items() if own is not None}

    def active(self) -> dict[str, str]:
        """As `Backends.active`."""
        chosen = self.settings
        name = self.model_name()
        model = name if chosen.llm == "recorded" else f"{chosen.llm} {name}" if self.has_llm else ""
        return {
            "encoder": chosen.embedder + (" (embedded)" if chosen.embedder == EMBEDDED_ENCODER else ""),
            "compressor": _compressor_in_words(chosen),
            "extractor": model or "language pipeline (spaCy en_core_web_sm), no language model",
            "decider": model or "rules, no language model",
            "llm": model or "none",
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


class EmbedderWhenNeeded:
    """The embedder of backends, loaded when it is first asked for something: deciding on words that are
    known needs none, and loading takes seconds."""

    def __init__(self, backends: Backends) -> None:
        self._backends = backends
        self.model_id, self.dimension = backends.embedding_space()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`."""
        return self._backends.embedder().embed(texts)

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """As `Embedder.token_codes`."""
        return self._backends.embedder().token_codes(texts)

    def read_question(self, text: str) -> EncodedQuestion:
        """As `Embedder.read_question`."""
        return self._backends.embedder().read_question(text)

    def read_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        """As `Embedder.read_texts`."""
        return self._backends.embedder().read_texts(texts)
