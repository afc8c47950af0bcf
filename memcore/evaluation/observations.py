"""LoCoMo's observations: sentences that a language model wrote about a conversation, each citing its turns.

They are never part of a log; here they are what is judged. Turns are cited in several ways (`D1:3`, two in
one string, a list); those that name no turn of the conversation are left out, as is a sentence that cites
none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memcore.domain.errors import LogError
from memcore.domain.models import Message
from memcore.evaluation.dataset_files import DatasetFile, json_records, read_text
from memcore.evaluation.locomo import Place, place_of, places
from memcore.evaluation.retrieval_datasets import log_of


@dataclass(frozen=True, slots=True)
class Observation:
    """A sentence about `speaker`, and the ids of the messages that it cites."""

    text: str
    speaker: str
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObservedConversation:
    """A conversation's messages, in order, and what was observed in it."""

    name: str
    messages: tuple[Message, ...]
    observations: tuple[Observation, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who speaks, by name."""
        return tuple(sorted({message.speaker for message in self.messages}))


def read_observed(path: DatasetFile) -> tuple[ObservedConversation, ...]:
    """The conversations of a LoCoMo file that have observations. Raises LogError for what is damaged or has
    none."""
    found = tuple(
        conversation
        for number, record in enumerate(json_records(path, read_text(path)), 1)
        if (conversation := _conversation(path, number, record.value)) is not None
    )
    if not found:
        raise LogError(
            f"{path} has no observations.",
            "Give the official LoCoMo file: samples with `conversation` and `observation`.",
            file=path.name,
        )
    return found


def _conversation(path: DatasetFile, number: int, sample: Any) -> ObservedConversation | None:
    match sample:
        case {"conversation": dict() as conversation, "observation": dict() as observed}:
            name = str(sample.get("sample_id") or f"sample {number}")
            document = {"sample_id": name, "conversation": conversation}
            _, log = log_of(path, "locomo", name, document)
            messages = tuple(message for one in log.logs for message in one.messages)
            places = {place: m.id for m in messages if (place := place_of(m.raw_ref.where)) is not None}
            observations = tuple(_observations(observed, places))
            return ObservedConversation(name, messages, observations) if observations else None
        case _:
            return None


def _observations(observed: Mapping[str, Any], message_at: Mapping[Place, str]) -> Iterator[Observation]:
    for by_speaker in observed.values():
        if not isinstance(by_speaker, dict):
            continue
        for speaker, sentences in by_speaker.items():
            for sentence in sentences if isinstance(sentences, list) else ():
                match sentence:
                    case [str(text), cited]:
                        named = places([cited])
                        if ids := tuple(dict.fromkeys(message_at[at] for at in named if at in message_at)):
                            yield Observation(text, str(speaker), ids)
                    case _:
                        continue
