"""The backends of a memory: a seam, and the ones that its settings choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from memcore.domain.protocols import Compressor, Embedder, Ledger, Llm
from memcore.review.decisions import Decider
from memcore.runtime import backends
from memcore.runtime.config import Settings
from memcore.systems.steps import Tools


class Backends(Protocol):
    """What a memory works with. A program or test with models of its own gives another one to `Memory`."""

    settings: Settings

    @property
    def has_llm(self) -> bool:
        """Whether a language model is chosen; without one, rules and the language pipeline work."""
        ...

    def embedding_space(self) -> tuple[str, int]:
        """Id and dimension of the embedder."""
        ...

    def embedder(self) -> Embedder:
        """What texts are embedded with."""
        ...

    def embedder_when_needed(self) -> Embedder:
        """The same, loaded when it is first asked for something."""
        ...

    def compressor(self, *, protect: bool | None = None) -> Compressor:
        """The compressor; `protect` overrides whether it protects words."""
        ...

    def llm(self, ledger: Ledger, run_id: str) -> Llm | None:
        """The language model, recording its calls under `run_id`; None when none is chosen."""
        ...

    def require_llm(self) -> None:
        """Raise LlmUnavailableError when a model is chosen but cannot be used."""
        ...

    def tools(self, system: str, ledger: Ledger, run_id: str) -> Tools:
        """What a system works with in one run."""
        ...

    def decider(self, model: Llm | None) -> Decider:
        """What decides update queues: the model, or rules where there is none."""
        ...

    def token_counter(self) -> Callable[[str], int]:
        """Tokens of a text, the unit of context budgets."""
        ...

    def active(self) -> dict[str, str]:
        """What is active (encoder, compressor, extractor, decider, llm), in words. Loads nothing."""
        ...

    def model_name(self) -> str:
        """The chosen model's name; empty when none is chosen."""
        ...

    def llm_document(self) -> dict[str, Any]:
        """Backend and model as reports name them."""
        ...


class ChosenBackends:
    """The backends that settings choose (`Backends`), built when they are first needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @property
    def has_llm(self) -> bool:
        """As `Backends.has_llm`."""
        return self.settings.llm != "none"

    def embedding_space(self) -> tuple[str, int]:
        """As `Backends.embedding_space`."""
        return backends.embedding_space(self.settings)

    def embedder(self) -> Embedder:
        """As `backends.embedder`."""
        return backends.embedder(self.settings)

    def embedder_when_needed(self) -> Embedder:
        """As `backends.EmbedderWhenNeeded`."""
        return backends.EmbedderWhenNeeded(self.settings)

    def compressor(self, *, protect: bool | None = None) -> Compressor:
        """As `backends.compressor`."""
        settings = self.settings if protect is None else replace(self.settings, protect_words=protect)
        return backends.compressor(settings)

    def llm(self, ledger: Ledger, run_id: str) -> Llm | None:
        """As `backends.llm`."""
        return backends.llm(self.settings, ledger, run_id)

    def require_llm(self) -> None:
        """As `backends.require_llm`."""
        backends.require_llm(self.settings)

    def tools(self, system: str, ledger: Ledger, run_id: str) -> Tools:
        """As `backends.tools`."""
        return backends.tools(self.settings, system, ledger, run_id)

    def decider(self, model: Llm | None) -> Decider:
        """As `backends.decider`."""
        return backends.decider(self.settings, model)

    def token_counter(self) -> Callable[[str], int]:
        """As `backends.token_counter`."""
        return backends.token_counter()

    def active(self) -> dict[str, str]:
        """As `backends.active`."""
        return backends.active(self.settings)

    def model_name(self) -> str:
        """As `backends.model_name`."""
        return backends.model_name(self.settings)

    def llm_document(self) -> dict[str, Any]:
        """As `backends.llm_document`."""
        return backends.llm_document(self.settings)
