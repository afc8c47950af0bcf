"""An `Llm` on a server: what the settings make of it, with a test's own patience."""

from __future__ import annotations

from memcore.domain.protocols import Ledger
from memcore.llm.conversation import CheckedLlm
from memcore.llm.ollama import OllamaServer
from memcore.llm.openai_compatible import OpenAiServer


def ollama_llm(
    model: str, host: str, ledger: Ledger, run_id: str, *, timeout_s: float = 120.0, pause_s: float = 1.0
) -> CheckedLlm:
    return CheckedLlm(OllamaServer(model, host, timeout_s=timeout_s), ledger, run_id, pause_s=pause_s)


def openai_llm(
    model: str,
    base_url: str,
    api_key: str,
    ledger: Ledger,
    run_id: str,
    *,
    timeout_s: float = 120.0,
    pause_s: float = 1.0,
) -> CheckedLlm:
    server = OpenAiServer(model, base_url, api_key, timeout_s=timeout_s)
    return CheckedLlm(server, ledger, run_id, pause_s=pause_s)
