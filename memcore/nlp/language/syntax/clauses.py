"""A parsed sentence as clauses that can stand alone.

A sentence is divided only where nothing is lost: between coordinated finite clauses without
pronouns that point across. Causes, contrasts and conditions stay with what they qualify.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.clause_kind import Clause, is_evaluative
from memcore.nlp.language.syntax.continuing import depends
from memcore.nlp.language.syntax.coreference import needs
from memcore.nlp.language.syntax.grammar import auxiliaries, is_finite, root_of, subject_of
from memcore.nlp.language.syntax.of_what import is_where_one_is
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import PARTS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_KNOWN = (lexicon.KNOWN - lexicon.PLACE) | lexicon.TEMPORAL
_POINTING = {
    "it",
    "they",
    "them",
    "their",
    "he",
    "she",
    "him",
    "her",
    "his",
    "this",
    "that",
    "these",
    "those",
    "its",
    "there",
    "one",
    "ones",
    "too",
    "also",
    "then",
    "so",
    "which",
    "both",
    "each",
    "instead",
    "either",
}
FINAL = frozenset({".", "!", "?", ",", ";", ":", "...", "..", "!!", "!!!", "-", "--"})
"""Marks at a sentence's end that are not part of what it says (closing quotes and brackets are)."""
_CLOSING = frozenset("\"')]”’»")
_JOINING = {"and"}
_ASKING = {"whether", "if", "how", "why", "what", "which", "who", "where", "when"}
_MUSING = frozenset({"think", "look", "wonder", "reflect"})
_RUSHES = frozenset({"surge", "rush", "burst", "boost", "sense", "wave"})
"""Of feelings, as something that one gets."""
_CONDITIONS = {"if", "unless", "although", "though", "while"}


def clauses(doc: Doc, timed: frozenset[int]) -> list[Clause]:
    """The clauses a sentence is divided into, in order; one clause when it is better left whole."""
    root = root_of(doc)
    whole = whole_clause(doc)
    if root is None or root.pos_ not in {"VERB", "AUX"} or subject_of(root) is None or whole.high < 10:
        return [whole]
    if needs(doc, timed) or any(t.dep_ == "mark" and t.lower_ in _CONDITIONS for t in doc[: whole.high]):
        return [whole]
    found = _divided(doc, root, whole.high)
    if any(is_evaluative(doc, clause) and not _about_speaker(doc, clause) for clause in found):
        return [whole]
    return found if found and all(_stands(doc, clause, timed) for clause in found) else [whole]


def _divided(doc: Doc, root: Token, high: int) -> list[Clause]:
    """A clause for the root and for each finite verb joined to it; none when there is no place to cut."""
    found: list[Clause] = []
    low, verb, borrows = 0, root, None
    for following in doc[root.i + 1 : high]:
        if following.dep_ != "conj" or not _joined_to_root(following, root):
            continue
        cut = _start_of(following)
        if cut is None:
            continue
        joint = cut
        while joint > low + 1 and _joins(doc[joint - 1]):
            joint -= 1
        if joint == cut:
            return []
        found.append(Clause(low, joint, verb.i, borrows))
        low, verb = cut, following
        borrows = root.i if subject_of(following) is None else None
    if any(_lists(doc, clause) or _is_of_thinking(doc[clause.verb]) for clause in found):
        return []
    return [*found, Clause(low, high, verb.i, borrows)] if found else []


def _joins(word: Token) -> bool:
    return word.lower_ in _JOINING or (word.is_punct and word.text not in _CLOSING)


def _lists(doc: Doc, clause: Clause) -> bool:
    """ "I sang, danced" of "I sang, danced and slept": what is cut off would end a list without its "and"."""
    return any(
        t.pos_ == "VERB"
        and t.tag_ in {"VBD", "VBP", "VBZ"}
        and clause.low < t.i
        and doc[t.i - 1].text == ","
        and subject_of(t) is None
        for t in doc[clause.low : clause.high]
    )


def _is_of_thinking(verb: Token) -> bool:
    """ "I was thinking about my team, and I realized ...": it says nothing without what follows."""
    return verb.lemma_.lower() in _MUSING and not any(
        child.dep_ in {"ccomp", "xcomp"} or any(inner.dep_ == "pcomp" for inner in child.children)
        for child in verb.children
    )


def _about_speaker(doc: Doc, clause: Clause) -> bool:
    return any(t.lower_ in {"i", "me", "my", "we", "us", "our"} for t in doc[clause.low : clause.high])


def _joined_to_root(verb: Token, root: Token) -> bool:
    """A finite verb joined by "and" to the root, or to a verb that is."""
    if verb.pos_ not in {"VERB", "AUX"} or not is_finite(verb):
        return False
    own = subject_of(verb)
    if _is_outcome(verb, root):
        return False  # "I had a bet and I ended up winning $20"
    if own is None and (
        auxiliaries(root) or root.tag_ not in {"VBD", "VBP", "VBZ"} or verb.tag_ != root.tag_
    ):
        return False
    if own is not None and own.lower_ in _POINTING:
        return False
    head = verb.head
    while head != root:
        if head.dep_ != "conj" or head.pos_ not in {"VERB", "AUX"}:
            return False
        head = head.head
    return True


def _is_outcome(verb: Token, root: Token) -> bool:
    ended = verb.lemma_ == "end" and any(child.lower_ == "up" for child in verb.rights)
    subjects = {subject.lower_ for one in (verb, root) if (subject := subject_of(one)) is not None}
    return ended and subjects == {"i"}


def _start_of(verb: Token) -> int | None:
    """Where the clause of a coordinated verb begins: right after its conjunction."""
    start = min(token.i for token in verb.subtree)
    # Its own left edge, when the words between conjunction and verb all belong to it.
    before = verb.doc[start - 1] if start else None
    asks = verb.doc[start].lower_ in _ASKING  # "I wonder about the fee and whether I should go"
    return start if before is not None and before.lower_ in _JOINING and not asks else None


def _stands(doc: Doc, clause: Clause, timed: frozenset[int]) -> bool:
    words = doc[clause.low : clause.high]
    if len(words) < 4:
        return False
    if clause.low > 0 and any(
        (t.lower_ in _POINTING and t.dep_ not in {"mark", "det"})
        or t.lower_ in {"these", "those"}
        or (t.lower_ in {"this", "that", "such"} and t.dep_ == "det" and t.i not in timed)
        for t in words
    ):
        return False
    if clause.low > 0 and _needs_before(doc, clause, timed):
        return False
    if any(t.lower_ == "some" and t.dep_ == "det" and len(list(t.head.children)) == 1 for t in words):
        return False  # "we held some events and gave out blankets"
    vague = lexicon.VAGUE | lexicon.EVALUATIVE
    if clause.low > 0 and not any(
        t.pos_ in {"NOUN", "PROPN", "NUM"} and t.lemma_.lower() not in vague for t in words
    ):
        return False
    verb = doc[clause.verb]
    if any(
        (c.dep_ == "acomp" and c.lemma_.lower() in lexicon.FEELING | lexicon.MOODS)
        or (c.dep_ == "dobj" and c.lemma_.lower() in _RUSHES)
        for c in verb.children
    ):
        return False  # a feeling stays with its cause
    subject = subject_of(verb)
    if clause.low == 0 and (subject is None or not clause.low <= subject.i < clause.high):
        return False
    # What comes first, or stands in another clause, may hold for all of them.
    if clause.borrows is not None and any(t.i in timed or _is_an_occasion(t) for t in doc[: clause.low]):
        return False
    if clause.high < len(doc) and any(t.dep_ in {"advcl"} and t.i < clause.verb for t in words):
        return False
    return any(
        t.dep_ in {"dobj", "prep", "attr", "acomp", "xcomp", "ccomp", "prt", "advmod", "pobj"} for t in words
    )


def _is_an_occasion(noun: Token) -> bool:
    """ "I had a meeting and discussed a novel": on it one does what the next clause tells."""
    return noun.dep_ == "dobj" and noun.pos_ == "NOUN" and noun.lemma_.lower() in lexicon.OCCASIONS


def _needs_before(doc: Doc, clause: Clause, timed: frozenset[int]) -> bool:
    words = doc[clause.low : clause.high]
    told = {t.lemma_.lower() for t in doc[: clause.low] if t.pos_ == "NOUN"}
    return any(
        _is_of_before(t)
        or _is_part_of_before(t)
        or _is_own_progress(t)
        or (t.lemma_.lower() in told and _is_numbered(t))
        for t in words
    ) or depends(list(words), doc[clause.verb], timed)


def _is_of_before(word: Token) -> bool:
    """Whether the clause before may say which thing it is: "I left the lake, and I still feel the vibe"."""
    noun = word.head
    lemma = noun.lemma_.lower()
    liked = noun.dep_ == "dobj" and noun.head.lemma_.lower() in lexicon.LIKING
    made_known = word.lower_ != "the" or any(
        child.dep_ in {"relcl", "acl"} or (child.dep_ == "prep" and not (liked and child.lower_ == "on"))
        for child in noun.children
    )
    return noun.pos_ == "NOUN" and not made_known and lemma not in _KNOWN


def _is_part_of_before(noun: Token) -> bool:
    """Whether only the clause before says of what it is a part: "I follow the series, and I just finished
    50 episodes", "... and I'm on page 120"."""
    counted = any(
        child.dep_ == "nummod" or child.ent_type_ in {"CARDINAL", "ORDINAL"} for child in noun.children
    )
    named = any(child.dep_ in {"prep", "relcl", "acl", "compound", "nmod"} for child in noun.children)
    return is_where_one_is(noun) and counted and not named and stem(noun.lower_) in PARTS


def _is_own_progress(noun: Token) -> bool:
    """ "I track my progress": with what, the clause before says."""
    owned = noun.lemma_ == "progress" and any(child.dep_ == "poss" for child in noun.lefts)
    return owned and not any(child.lower_ in {"in", "with", "toward", "towards"} for child in noun.rights)


def _is_numbered(noun: Token) -> bool:
    """One of several that were spoken of: "my first trip"."""
    return any(child.ent_type_ == "ORDINAL" or child.lower_ in {"last", "other"} for child in noun.lefts)


def whole_clause(doc: Doc) -> Clause:
    """A sentence as one clause, its final marks left off."""
    high = len(doc)
    while high > 1 and doc[high - 1].text in FINAL:
        high -= 1
    root = next((token.i for token in doc if token.dep_ == "ROOT"), 0)
    return Clause(0, high, root)
