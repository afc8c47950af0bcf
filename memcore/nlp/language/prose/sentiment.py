"""What says how somebody feels, or what they resolve and value, and names nothing that it is about.

"I'm so lucky to have this support", "I have to focus on success": true of many people on many days. A name, a
number or a date tells enough, and so do things that are not moods themselves ("grateful for the piano").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import inherited_subject
from memcore.nlp.language.syntax.outcomes import EFFECTS
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

_GLAD = frozenset(
    """
    glad happy proud thankful grateful lucky fortunate blessed honored inspired touched moved elated thrilled
    stoked pumped appreciative overjoyed ecstatic delighted pleased motivated determined confident positive
    hopeful optimistic amazed
    """.split()
)
_KEEN = frozenset({"passionate", "committed", "driven", "excited", "eager", "keen"})
_HAVING = frozenset("be have get feel seem keep stay become go need want try make give help bring".split())
_MAKING = frozenset(
    "make give help bring keep remind motivate inspire show teach push let warm fill lift brighten".split()
)
_HOPING = frozenset({"hope", "wish"})
_ABSTRACT = frozenset(
    """
    support system journey story resilience strength voice passion talent power surge purpose boost push
    stability confidence ups downs ride setback obstacle effort hustle grit lining impact difference
    mindset focus drive goal vision potential hope dream faith belief respect appreciation connection
    relationship love joy happiness fulfillment fulfilment comfort peace calm tranquility stress relief
    outlook perspective lesson example role model influence opportunity possibility option process path
    direction change growth progress achievement accomplishment success failure struggle hardship
    challenge courage acceptance freedom equality unity sense presence energy atmosphere vibe mood space
    work kid child family friend people folk person others world life experience emotion feeling moment
    memory way decision attitude insight input inspiration self myself yourself task end day future past
    bit ton lot kind bond pride creativity reward dedication kindness compassion cause gratitude
    encouragement feedback trust truth beauty reason value meaning chance need plan idea laugh blast
    thing something stuff spirit enthusiasm situation
    """.split()
)
"""Nouns that name a mood, a virtue, a course of life, or anybody."""
_MOODS = (
    lexicon.EVALUATIVE | lexicon.FEELING | lexicon.MOODS | lexicon.WEAK_ADJECTIVES | _GLAD | _KEEN | _ABSTRACT
)


def is_sentiment(root: Token, nouns: Sequence[Token], *, pinned: bool) -> bool:
    """Whether a sentence says no more than a feeling, a resolve or a value. `nouns` are those that tell
    something; `pinned`: it has a date, a number or a name."""
    if pinned:
        return False
    if _knows_effect(root):
        return True
    things = [noun for noun in nouns if noun.lemma_.lower() not in _ABSTRACT]
    doing = [t for t in root.doc if _is_pursuit(t, root)]
    told = len(things) + len(doing)
    subject = inherited_subject(root)
    if (felt := _felt(root)) or _comes_from(root, subject):
        return told < (1 if felt in _KEEN else 2)
    if subject is not None and subject.lower_ == "life":
        return told < 2
    if root.lemma_ in _HOPING and subject is not None and subject.lower_ in lexicon.SPEAKERS:
        return not told or not _hopes_for_self(root)
    return not told and root.lemma_.lower() in _HAVING | lexicon.LIGHT_VERBS and not _is_so(root)


def _knows_effect(root: Token) -> bool:
    """ "Seeing them smile, we knew we made a real difference"."""
    return root.lemma_ in {"know", "see", "feel"} and any(
        thing.dep_ == "dobj" and thing.lemma_.lower() in EFFECTS
        for made in root.children
        if made.dep_ == "ccomp" and made.lemma_ == "make"
        for thing in made.children
    )


def _is_pursuit(word: Token, root: Token) -> bool:
    """ "Dancing calms me", "I love swimming": a doing that is named."""
    used = {"csubj", "xcomp", "pcomp", "nsubj", "dobj", "pobj", "conj"}
    doing = word.tag_ == "VBG" and word != root and word.dep_ in used
    return doing and word.lemma_.lower() not in lexicon.LIGHT_VERBS


def _felt(root: Token) -> str:
    """How somebody says they feel: "I'm so glad that", "we're blessed"; empty where they do not."""
    if root.tag_ == "VBN" and root.lower_ in _GLAD:
        return root.lower_
    felt = next((child.lower_ for child in root.children if child.dep_ == "acomp"), "")
    return felt if felt in _GLAD | _KEEN and root.lemma_ in {"be", "feel", "get", "stay"} else ""


def _is_so(root: Token) -> bool:
    """ "I'm diabetic", "I got divorced", "I live alone": what somebody is, no mood and no judgement."""
    if root.lemma_ == "live" and any(child.lower_ in {"alone", "together"} for child in root.rights):
        return True
    said = (child for child in root.children if child.dep_ in {"acomp", "attr", "oprd"})
    return any(child.pos_ in {"ADJ", "VERB", "NOUN"} and child.lemma_.lower() not in _MOODS for child in said)


def _comes_from(root: Token, subject: Token | None) -> bool:
    """ "Finding silver linings keeps me going", "it gives me strength"."""
    if subject is None or subject.lower_ in lexicon.SPEAKERS or root.lemma_.lower() not in _MAKING:
        return False
    if any(child.lower_ in {"heart", "soul", "day", "spirit"} for child in root.children):
        return True
    return any(child.lower_ in {"me", "us"} for child in root.children) or any(
        grand.lower_ in {"me", "us"}
        for child in root.children
        if child.dep_ in {"ccomp", "xcomp"}
        for grand in child.children
    )


def _hopes_for_self(root: Token) -> bool:
    inner = next((child for child in root.children if child.dep_ in {"ccomp", "xcomp"}), None)
    if inner is None or inner.dep_ == "xcomp":
        return True
    subject = inherited_subject(inner)
    return subject is None or any(t.lower_ in lexicon.SPEAKERS for t in subject.subtree)
