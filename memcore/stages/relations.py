"""Facts as relations: one fact a triple, stated as the sentence that is embedded.

What Mem0-graph and LiCoMemory remember. An extractor that gives sentences with triples in them, as the
language pipeline does, stands in for one that gives relations: each keeps the sources and the time of its
sentence.
"""

from __future__ import annotations

from dataclasses import replace

from memcore.domain.extraction import Extraction, ExtractionTrace, Fact, SkippedText, TripleDraft
from memcore.domain.models import triple_text

NO_RELATION = "it states no relation between two named things"


def as_relations(extraction: Extraction, trace: ExtractionTrace) -> tuple[Extraction, ExtractionTrace]:
    """One fact for each triple, in order; a fact that states none is skipped, with the reason."""
    relations = [stated(draft, fact) for fact in extraction.facts for draft in fact.triples]
    without = tuple(
        SkippedText(fact.sources[0].message_id, fact.sources[0].start, fact.sources[0].end, NO_RELATION)
        for fact in extraction.facts
        if not fact.triples
    )
    return (
        Extraction(extraction.session_id, tuple(dict.fromkeys(relations))),
        replace(trace, skipped=(*trace.skipped, *without)),
    )


def text_of(draft: TripleDraft) -> str:
    """The sentence of a relation, with the names as they were said."""
    return triple_text(draft.subject, draft.relation, draft.object)


def stated(draft: TripleDraft, fact: Fact) -> Fact:
    """The fact that states one relation of `fact`, and of whose names only the relation's are left. As it
    is all that is remembered of the fact, it is linked whether or not its names tell."""
    ends = {draft.subject: draft.subject_type, draft.object: draft.object_type}
    return replace(
        fact,
        text=text_of(draft),
        told_in=(),
        keywords=(),
        persons=tuple(name for name, kind in ends.items() if kind == "PERSON"),
        entities=tuple(name for name, kind in ends.items() if kind != "PERSON"),
        location=fact.location if fact.location in ends else "",
        triples=(replace(draft, telling=True),),
    )
