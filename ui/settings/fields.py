"""Every setting as a field of the Settings page: where it belongs and what it does, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import streamlit as st

from memcore.domain.extraction import Kept
from memcore.runtime.config import GroundMethod, LlmBackend
from memcore.stages.segmentation.scores import METHODS
from memcore.systems.registry import SYSTEMS
from memcore.systems.settings import described
from ui.components import terms
from ui.shell.templates import draw
from ui.shell.text import label


@dataclass(frozen=True, slots=True)
class Field:
    """One setting: its label, what it does, and for a choice the options."""

    name: str
    label: str
    does: str
    options: tuple[str, ...] = ()
    step: float = 1


COMMON: dict[str, tuple[Field, ...]] = {
    "Language model": (
        Field(
            "llm",
            "Backend",
            "Who extracts facts, decides updates and writes answers. With none, rules and the language "
            "pipeline do the first two, and Ask shows the memories themselves.",
            options=get_args(LlmBackend),
        ),
        Field("ollama_host", "Ollama host", "Where the Ollama server listens."),
        Field("ollama_model", "Ollama model", "A model the server has; fetch one with “ollama pull NAME”."),
        Field(
            "openai_base_url", "OpenAI-compatible base URL", "OpenAI, DeepSeek, vLLM, LM Studio or llama.cpp."
        ),
        Field("openai_model", "OpenAI-compatible model", "The model's name at that server."),
        Field(
            "recording",
            "Recorded replies",
            "With “recorded”: the file that answers in a model’s place, made with “ingest --record FILE”. "
            "A request it lacks fails; nothing is made up.",
        ),
        Field("llm_timeout_s", "Timeout in seconds", "How long one call may take.", step=10),
        Field("llm_workers", "Calls at once", "How many calls may run side by side."),
    ),
    "Models in this process": (
        Field(
            "embedder",
            "Embedder",
            "Turns texts into vectors. A store keeps the one it was made with and refuses another, since "
            "their vectors cannot be compared. A sentence-transformers name or path is possible.",
        ),
        Field(
            "compressor",
            "Compressor",
            "Drops words that carry little. “embedded”; an LLMLingua-2 checkpoint by name or path; or "
            "“entropy”, the self-information that a small language model sees in each word.",
        ),
        Field(
            "protect_words",
            "Protect numbers, dates, negations and names",
            "These words are never dropped, whatever the rate.",
        ),
    ),
    "Stages": (
        Field("compression_rate", "Retention rate", "The share of tokens compression keeps.", step=0.05),
        Field(
            "segment_method",
            "Topic segmentation",
            "How boundaries between topics are found; the Topics page shows what fired.",
            options=tuple(METHODS),
        ),
        Field(
            "ground_method",
            "Check of memories",
            "Who says whether the words that a memory cites carry it: “rules”, without a language model; or "
            "“model”, where the chosen one is asked about each memory that the rules do not call supported.",
            options=get_args(GroundMethod),
        ),
        Field(
            "buffer_tokens",
            "Short-term memory, tokens",
            "How many compressed tokens are gathered before one extraction.",
            step=64,
        ),
        Field(
            "sensory_tokens",
            "Sensory memory, tokens",
            "How many compressed tokens are gathered before they are divided into topics.",
            step=64,
        ),
        Field(
            "assistant_words",
            "What an assistant said",
            "How much of it the language pipeline remembers: “all”; “personal”, the replies to messages that "
            "tell of who asks, without general knowledge; or “none”. All messages stay searchable.",
            options=get_args(Kept),
        ),
    ),
    "Other programs": (
        Field(
            "serve",
            "Serve the store to this machine",
            "While this workbench has the store, commands, assistants and other programs of this machine "
            "work with it through the workbench, with the token that lies in the store’s directory. Off: "
            "they find the store busy.",
        ),
    ),
    "Consolidation": (
        Field(
            "queue_top_k", "Candidates looked at", "The most similar later memories per memory (LightMem k)."
        ),
        Field("queue_keep", "Candidates kept", "How many of them a decision sees (LightMem n)."),
        Field(
            "queue_threshold",
            "Similarity threshold",
            "Cosine below which two memories are unrelated.",
            step=0.05,
        ),
    ),
}


def groups() -> dict[str, tuple[Field, ...]]:
    """All settings: those that all systems share, and those of each system that has some."""
    own = {
        system.title: tuple(
            Field(f"{system.name}_{name}", words.label, words.does, words.options, words.step)
            for name, (words, _) in described(system.settings).items()
        )
        for system in SYSTEMS.values()
    }
    return COMMON | {title: fields for title, fields in own.items() if fields}


def widget(field: Field, value: Any, decided_by: str | None) -> Any:
    """The field's input. One that the environment decides shows its value and says so."""
    common: dict[str, Any] = {"key": f"set_{field.name}", "disabled": decided_by is not None}
    chosen = _input(field, value, common)
    draw("settings.field", does=terms.explained(field.does), decided_by=decided_by or "")
    return chosen


def _input(field: Field, value: Any, common: dict[str, Any]) -> Any:
    if field.options:
        return st.selectbox(label(field.label), field.options, index=field.options.index(value), **common)
    if isinstance(value, bool):
        return st.toggle(label(field.label), value=value, **common)
    if isinstance(value, float):
        return st.number_input(label(field.label), value=value, step=float(field.step), **common)
    if isinstance(value, int):
        return st.number_input(label(field.label), value=value, step=int(field.step), **common)
    return st.text_input(label(field.label), value=value, **common).strip()
