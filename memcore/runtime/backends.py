"""The seam between a memory and what it works with: `Backends`. `runtime.chosen` has those that settings
choose; a program or test with models of its own gives other ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from memcore.domain.extraction import Extractor
from memcore.domain.models import DEFAULT_RECIPE
from memcore.domain.protocols import (
    Cancelled,
    Compressor,
    Embedder,
    Ledger,
    Llm,
    Shortener,
    TurnAttention,
)
from memcore.review.decisions import Decider
from memcore.runtime.config import Settings
from memcore.systems.steps import Tools

if TYPE_CHECKING:
    from memcore.llm.probe import Probe


class Backends(Protocol):
    """What a memory works with."""

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

    def compressor(self, name: str | None = None, *, protect: bool | None = None) -> Compressor:
        """The compressor; `name` and `protect` override which, and whether it protects words."""
        ...

    def attention(self) -> TurnAttention:
        """What tells how much turns attend to each other."""
        ...

    def extractor(self, model: Llm | None, system: str = DEFAULT_RECIPE) -> Extractor:
        """What reads a system's buffers: with the model, or without one."""
        ...

    def llm(self, ledger: Ledger, run_id: str, *, cancelled: Cancelled | None = None) -> Llm | None:
        """The language model, recording its calls under `run_id`; None when none is chosen. It waits for no
        answer once the person has `cancelled`, and raises CancelledError."""
        ...

    def probe(self) -> Probe | None:
        """Whether the model server can be used now; None when none is chosen."""
        ...

    def require_llm(self) -> None:
        """Raise LlmUnavailableError when a model is chosen but cannot be used."""
        ...

    def tools(self, system: str, ledger: Ledger, run_id: str, *, cancelled: Cancelled | None = None) -> Tools:
        """What a system works with in one run; its model as `llm`."""
        ...

    def decider(self, model: Llm | None) -> Decider:
        """What decides update queues: the model, or rules where there is none."""
        ...

    def own_deciders(self, model: Llm | None) -> Mapping[str, Decider]:
        """By name, what decides the update queues of systems that have a decider of their own."""
        ...

    def shortener(self) -> Shortener:
        """What leaves out of a memory what has no support."""
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


MakeBackends = Callable[[Settings], Backends]
"""From settings to backends. Whatever opens a memory by itself (the command line, the workbench, the server)
is given one of these."""
