"""What a person can set about LightMem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from memcore.stages.segmentation.scores import METHODS
from memcore.systems.lightmem.published_rule import NAME as PUBLISHED
from memcore.systems.settings import in_words
from memcore.systems.steps import Tools

Messages = Literal["user", "assistant", "all"]
Prompt = Literal["flat", "event"]
Retrieval = Literal["hybrid", "embedding", "bm25"]

ROLES = {
    "user": frozenset({"user", "person"}),
    "assistant": frozenset({"assistant"}),
    "all": frozenset({"user", "assistant", "person"}),
}


@dataclass(frozen=True, slots=True)
class LightMemSettings:
    """As in the published code: whose messages are read is its `messages_use`, retrieval its
    `retrieve_strategy`."""

    segment_method: str = field(
        default="intersection",
        metadata=in_words(
            "Topic segmentation",
            f"“intersection” is the paper’s rule, “{PUBLISHED}” that of the published code.",
            options=tuple(METHODS),
        ),
    )
    messages: Messages = field(
        default="user",
        metadata=in_words(
            "Whose messages are read",
            "LightMem reads what the user says (in a talk between people: everybody). The rest is stored, "
            "but nothing is remembered from it.",
            options=get_args(Messages),
        ),
    )
    prompt: Prompt = field(
        default="flat",
        metadata=in_words(
            "Extraction prompt",
            "Single facts, or facts bound to events with time, place and people. For a language model.",
            options=get_args(Prompt),
        ),
    )
    retrieval: Retrieval = field(
        default="hybrid",
        metadata=in_words(
            "Retrieval",
            "How LightMem searches: by embedding, by words (“bm25”, the published code’s “context”), or by "
            "both, merged.",
            options=get_args(Retrieval),
            only_search=True,
        ),
    )


OLDER = {"lightmem_sensory_tokens": "sensory_tokens"}
"""Memscope's own obeys this one, too."""


def tools(given: Tools, own: LightMemSettings) -> Tools:
    """Its own segmentation method, and whom it hears."""
    return replace(given, segment_method=own.segment_method, roles=ROLES[own.messages])
