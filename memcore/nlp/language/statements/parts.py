"""The parts of a sentence that stand without what it refers to: "I ran the marathon in May, and it was ...";
and the clauses of one that runs on and is misread as a whole.

Cut by words, where a clause may end; each part is parsed and judged anew, as a sentence of its own: whether
it tells enough without the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.errands import ERRAND
from memcore.nlp.language.prose.sentences import Sentence
from memcore.nlp.language.statements.meant import is_pinned
from memcore.nlp.language.statements.reading import FRAGMENT, Reading
from memcore.nlp.language.syntax.asides import is_aside
from memcore.nlp.language.syntax.continuing import is_as_much
from memcore.nlp.language.syntax.definites import is_without_occasion, taken_as_known
from memcore.nlp.language.syntax.grammar import root_of, subject_of
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.noun_kinds import kind_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_TAKES_CLAUSE = lexicon.THINKING | lexicon.REPORTING | {"remember", "notice", "hear", "know", "wish"}
_MOODS = frozenset({"concerned", "worried", "unsure", "nervous"})
_STANDS_SO = frozenset({"work", "live", "study"})
"""Of whom little need be said: "I still work as a nurse"."""
_SUPPOSING = frozenset({"would", "'d", "might", "could"})
FEWEST_TOLD, FEWEST_NAMED = 3, 2
"""Content words of a part of a sentence that is kept alone; with a name, number or time, fewer do."""
MOST_CANDIDATES = 3
RUNS_ON = 8
"""Words from which on a sentence is divided that cannot be read whole."""
FEWEST_WORDS = 4
_OWN = r"(?:(?:(?-i:[A-Z])\w+ and )?(?:I|we)|my|our)\b"
_JOINT = re.compile(
    r"(?:\s*[,;]\s*(?:(?:and|but|so|because|since|although|though|while|especially since|plus|as)\s+)?"
    r"|\s+(?:and|but|so|because|since|although|though|while|now that)\s+|\s+[-\u2013\u2014]+\s+)"
    rf"(?:(?:honestly|actually|now|also|usually|normally|mostly|lately|maybe)\s+(?={_OWN}))?"
    rf"(?={_OWN}|(?:it|its|they|their|he|his|she|her|that|this|these|those|there|which|who|where|the|a|have|has)\b"
    r"|(?<=, )(?:one|each|both|all|some|most|none|including|especially|with)\b"
    r"|(?<=, and )(?:each|both|all|most|none)\b|(?<=, )(?:been|actually|just)\b)"
    r"|(?<!\bme)(?<!\bus)(?<!\bknow)(?<!\bsee)(?<!\btell)(?<!\bremember)\s+when\s+(?=(?:they|he|she)\b)"
    r"|\s+that\s+(?=I think\b)"
    r"|\s+and\s+(?=(?:wanted|want|was wondering|am wondering|would like|would love)\b)",
    re.IGNORECASE,
)
"""Where a clause may end."""
_SINCE_THEN = re.compile(
    r"since\s+(?:I|we) (?!have|am|are|need|want|can|do|also|already|usually|really|prefer|like|love|work|live"
    r"|still)(?=[a-z])",
    re.IGNORECASE,
)
"""Since when, not why: "known them since I moved"."""
_IN_ORDER = re.compile(r"so (?:that )?(?:I|we) (?:can|could|will|may|might|don't|won't)\b", re.IGNORECASE)
"""What for, not what follows: "I follow the news so I can tell customers"."""
_BECAUSE = re.compile(
    r"(?P<mused>I (?:was|am) (?:just )?thinking,? (?:that )?)?"
    r"(?:since|because|considering|given|seeing|now)(?: that)? (?=(?:I|we|my|our|the|a|an)\b)",
    re.IGNORECASE,
)
"""What stands behind it is told as a fact: "since I moved to Oslo in May, I'm used to the cold"."""
_SUPPOSED = re.compile(r"\b(?:if|unless|would|could|might|may|should|thought)\b|'d\b", re.IGNORECASE)
"""It need not be so."""
_LAST_COMMA = re.compile(r",(?=[^,]*$)")
_CONDITION = re.compile(
    r"(?:if|when|whenever|since|because|although|though|unless|while|once|after|before)\b", re.IGNORECASE
)


def parts_of(reading: Reading, turn: Turn) -> list[Sentence]:
    """What may be kept of a sentence that cannot be kept whole."""
    assert reading.doc is not None
    if opened_at := _opened_at(reading) or (_addressed_at(reading) if turn.to_assistant else []):
        return _closed_parts(reading.sentence, reading.doc, opened_at)
    return _clauses(reading.sentence) if reading.reason == FRAGMENT else []


def stands_alone(part: Reading, turn: Turn) -> bool:
    """Whether a part of a sentence leaves nothing open and tells enough without the rest."""
    if part.reason is not None or part.open or part.doc is None or (part.leans and not _tells_beside(part)):
        return False
    root = root_of(part.doc)
    if root is None or (root.lemma_.lower() in _TAKES_CLAUSE and not _has_object(root)):
        return False  # "I remember during the workshop"
    if any(map(is_as_much, part.doc)) or not any(
        screening.is_first_person(token) or token.pos_ == "PROPN" for token in part.doc
    ):
        return False
    is_one = any(c.dep_ == "attr" and kind_of(c.lemma_.lower()) == "PERSON" for c in root.rights)
    if root.lemma_ == "be" and is_one and any(token.lower_ == "myself" for token in part.doc):
        return True  # "I'm a marketing specialist myself"
    if root.lemma_ in _STANDS_SO and any(child.dep_ == "prep" for child in root.children):
        return True
    told = screening.content_words(part.doc, turn)
    if any(child.lower_ in _MOODS for child in root.children) and not part.timed:
        return False  # "I'm concerned about the noise": of what?
    when = any(token.ent_type_ in {"DATE", "TIME"} for token in part.doc)
    if when and any(token.pos_ == "NOUN" for token in told):
        return True  # "I do yoga on Monday evenings"
    named = any(token.pos_ == "PROPN" for token in told) or is_pinned(part)
    return len(told) >= (FEWEST_NAMED if named else FEWEST_TOLD)


def _tells_beside(part: Reading) -> bool:
    """Whether it tells enough beside all that it speaks of as known."""
    assert part.doc is not None
    known = taken_as_known(part.doc, part.timed)
    aside = bool(known) and all(is_aside(noun, part.timed) for noun in known)
    return aside and not is_without_occasion(part.doc, part.timed)


def _has_object(verb: Token) -> bool:
    return any(
        child.dep_ in {"ccomp", "xcomp", "dobj", "acl"} or child.lower_ in {"about", "of"}
        for child in verb.children
    )


def _opened_at(reading: Reading) -> list[int]:
    """The tokens for which a sentence cannot be kept whole."""
    doc = reading.doc
    assert doc is not None
    if reading.reason == ERRAND:
        return [token.i for token in doc if token.dep_ == "ROOT"]
    if reading.reason is not None:
        return []
    known = taken_as_known(doc, reading.timed) if reading.leans else []
    known = [noun for noun in known if not is_aside(noun, reading.timed)] or known
    return [*(need.index for need in reading.open), *(noun.i for noun in known)]


def _addressed_at(reading: Reading) -> list[int]:
    """The tokens that address an assistant, of a sentence that leaves nothing else open: "I'm making stew,
    but I want to know if you have a recipe"."""
    assert reading.doc is not None
    found = [token.i for token in reading.doc if token.lower_ in lexicon.SECOND]
    if reading.reason is not None or not found:
        return []
    return [] if any(token.lower_ in _SUPPOSING for token in reading.doc[: found[0]]) else found


def _closed_parts(sentence: Sentence, doc: Doc, opened: Sequence[int]) -> list[Sentence]:
    """The parts of a sentence that lie before, or after, the tokens in which it leaves something open; the
    longest first."""
    text = sentence.text
    if opened and (cause := _cause(doc, opened)) is not None:
        return _cut(sentence, [cause])
    if _CONDITION.match(text) or not opened:
        return []
    first = doc[min(opened)].idx
    last = doc[max(opened)].idx + len(doc[max(opened)].text)
    joints = list(_JOINT.finditer(text))
    found = [(0, joint.start()) for joint in reversed(joints) if joint.start() <= first]
    found += [
        (joint.end(), len(text))
        for joint in joints
        if joint.start() >= last
        and _leads_to_own(joint)
        and not _SINCE_THEN.match(text[joint.start() :].lstrip(" ,;"))
    ]
    return [_with_list_closed(part, doc) for part in _cut(sentence, found)[:MOST_CANDIDATES]]


def _cause(doc: Doc, opened: Sequence[int]) -> tuple[int, int] | None:
    """The characters of the clause of a cause that a sentence begins with, where only what follows from it
    leaves something open: "since I've driven 900 miles this month, I'm used to the car"."""
    lead, root = _BECAUSE.match(doc.text), root_of(doc)
    if lead is not None and lead["mused"]:
        return _cause_mused(doc, lead.end(), opened)
    subject = subject_of(root) if root is not None else None
    if lead is None or subject is None:
        return None
    comma = next((t for t in reversed(doc[: subject.left_edge.i]) if t.text == ","), None)
    if comma is None or comma.i > min(opened) or subject.lower_ not in {"i", "we"}:
        return None
    if _SUPPOSED.search(doc.text, 0, comma.idx):
        return None
    return lead.end(), comma.idx


def _cause_mused(doc: Doc, start: int, opened: Sequence[int]) -> tuple[int, int] | None:
    """ "I was thinking, since my friend is moving to Leeds, it would be lovely to ...": up to the comma."""
    comma = next((t for t in doc if t.idx >= start and t.text == ","), None)
    if comma is None or comma.i > min(opened) or _SUPPOSED.search(doc.text, start, comma.idx):
        return None
    return start, comma.idx


def _with_list_closed(part: Sentence, doc: Doc) -> Sentence:
    """ "Including clothes, toys" of "including clothes, toys and the like": "including clothes and toys"."""
    text = part.text
    last = next((t for t in doc if t.idx + len(t.text) == len(text) and doc.text.startswith(text)), None)
    if last is None or last.dep_ != "conj" or not any(other.i > last.i for other in last.conjuncts):
        return part
    if last.left_edge.i == 0 or last.left_edge.nbor(-1).text != ",":
        return part
    return replace(part, words=part.words.sub(_LAST_COMMA, " and"))


def _clauses(sentence: Sentence) -> list[Sentence]:
    """What a sentence that runs on ("I have six pens and use two, the rest dry up") begins with, up to
    where a clause may end, the longest first; and its later clauses that begin with the speaker."""
    text = sentence.text
    if len(text.split()) < RUNS_ON or _CONDITION.match(text):
        return []
    joints = list(_JOINT.finditer(text))
    begun = [(0, joint.start()) for joint in reversed(joints)]
    own = [joint for joint in joints if _leads_to_own(joint)]
    ends = [*(joint.start() for joint in joints), len(text)]
    later = [(joint.end(), next(end for end in ends if end > joint.end())) for joint in own]
    return _cut(sentence, [*begun[:MOST_CANDIDATES], *later[:MOST_CANDIDATES]])


def _leads_to_own(joint: re.Match[str]) -> bool:
    """Whether a clause about the speaker begins behind it that says more than what for, or when."""
    text = joint.string
    own = re.match(_OWN, text[joint.end() :]) is not None and joint.group().strip().lower() != "while"
    return own and not _IN_ORDER.match(text[joint.start() :].lstrip(" ,;"))


def _cut(sentence: Sentence, places: Sequence[tuple[int, int]]) -> list[Sentence]:
    """These characters of a sentence, each as one of its own, where they are words enough."""
    parts = [sentence.words.cut(low, high) for low, high in places]
    return [replace(sentence, words=part) for part in parts if len(part.text.split()) >= FEWEST_WORDS]
