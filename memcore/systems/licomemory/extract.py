"""LiCoMemory's one light call a turn (section 3.1): the session summary updated, and entities and triples.

What the call is given is the summary as the turn before left it, the entities the session has named so
far, and the turn. A triple becomes a fact of its own, stated as the sentence that is embedded. It knows
no server and stores nothing; whose names are the same entity is `dedupe_entities`' business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Fact, TripleDraft
from memcore.domain.models import Message, triple_text
from memcore.domain.names import entity_key
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.align import sentence_spans
from memcore.stages.log_lines import numbered, place_of
from memcore.stages.reply_checks import (
    MAX_NAME,
    MAX_SUMMARY,
    EntityType,
    StrictReply,
    SummaryReply,
    checked_summary,
    cleaned,
    sources_of,
    untold,
    usable_facts,
)
from memcore.stages.side_by_side import STAGE, read_side_by_side
from memcore.systems.licomemory.prompts import LICOMEMORY_TURN

UNTYPED = "THING"


class EntityReply(StrictReply):
    name: str
    type: EntityType


class RelationReply(StrictReply):
    source_id: int
    subject: str
    relation: str
    object: str

    @property
    def fact(self) -> str:
        """What the relation states."""
        return triple_text(self.subject, self.relation, self.object)


class TurnReply(StrictReply):
    """What the model is asked for."""

    entities: list[EntityReply]
    triples: list[RelationReply]
    summary: SummaryReply


class LiCoMemoryExtractor:
    """An `Extractor` that asks `llm` once a buffer, which holds one turn; its `known` are the session's
    entities as `name (TYPE)`. Each fact of the result is one relation; the summary is the whole
    session's."""

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({LICOMEMORY_TURN.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no buffer could be asked."""
        return read_side_by_side(buffers, self._read, made_by=self.name, workers=self._workers)

    def _read(self, buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        by_number = dict(enumerate(buffer.messages))
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=LICOMEMORY_TURN.version,
            place=place_of(buffer.messages),
            system=LICOMEMORY_TURN.text,
            user=_user_prompt(buffer, by_number),
            schema=TurnReply,
        ).data
        notes: list[str] = []
        types = {entity_key(entity.name): entity.type for entity in reply.entities}
        told = usable_facts(reply.triples, by_number, notes, made_by=self.name)
        facts = tuple(
            Fact(text, "fact", sources_of(text, message), message.speaker, triples=(draft,))
            for relation, text, message in told
            if (draft := _draft(relation, text, types, notes)) is not None
        )
        _note_unrelated(reply.entities, facts, notes)
        summary = checked_summary(_short_enough(reply.summary, notes), notes)
        if summary is None:
            notes.append("the answer holds no session summary; the one so far stands")
        extraction = Extraction(
            buffer.session_id, facts, summaries={buffer.session_id: summary} if summary else {}
        )
        trace = ExtractionTrace(buffer.session_id, self.name, untold(by_number, facts), notes=tuple(notes))
        return extraction, trace


def _user_prompt(buffer: Buffer, by_number: Mapping[int, Message]) -> str:
    turn = "\n".join(numbered(number, message, message.text) for number, message in by_number.items())
    return "\n\n".join(
        (
            fenced("summary", one_line(buffer.summary)),
            fenced("entities", "\n".join(one_line(entity) for entity in buffer.known)),
            fenced("turn", turn),
        )
    )


def _short_enough(summary: SummaryReply, notes: list[str]) -> SummaryReply:
    """A summary that grew too long loses its last sentences: dropped whole, it would never change again."""
    text = cleaned(summary.text)
    if len(text) <= MAX_SUMMARY:
        return summary
    ends = [end for _, end in sentence_spans(text) if end <= MAX_SUMMARY]
    kept = text[: max(ends, default=MAX_SUMMARY)]
    notes.append(f"the session summary of {len(text)} characters was cut to {len(kept)}")
    return summary.model_copy(update={"text": kept})


def _draft(
    relation: RelationReply, text: str, types: Mapping[str, EntityType], notes: list[str]
) -> TripleDraft | None:
    """The relation with the types the answer gave its ends; none when a part of it cannot be used."""
    subject, object_ = cleaned(relation.subject), cleaned(relation.object)
    verb = "_".join(cleaned(relation.relation).casefold().split())
    keys = entity_key(subject), entity_key(object_)
    if not all((*keys, verb)) or any(len(part) > MAX_NAME for part in (subject, verb, object_)):
        notes.append(f"a triple with a part that is empty or too long was left out: {text[:MAX_NAME]!r}")
        return None
    untyped = [name for name, key in zip((subject, object_), keys, strict=True) if key not in types]
    notes += [f"the answer gives no type for {name!r}; {UNTYPED} was taken" for name in untyped]
    subject_type, object_type = (types.get(key, UNTYPED) for key in keys)
    return TripleDraft(subject, verb, object_, subject_type, object_type)


def _note_unrelated(entities: Iterable[EntityReply], facts: Iterable[Fact], notes: list[str]) -> None:
    """Entities that no triple holds have no evidence and are not kept."""
    related = {entity_key(end) for fact in facts for t in fact.triples for end in (t.subject, t.object)}
    alone = [cleaned(e.name)[:MAX_NAME] for e in entities if entity_key(e.name) not in related]
    if alone:
        notes.append(f"entities without a triple were left out: {', '.join(alone)[:600]}")
