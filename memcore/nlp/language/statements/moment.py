"""Words that mean the day of speaking ("now", "lately", "just"), where no date stands beside them.

"As of 8 May 2023, Ada is reading two novels": alone such a word is wrong as soon as it is read later. It
dates no event; what was "recently" or "just" done happened some time before that day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.nlp.language.statements.speakers import Edit
from memcore.nlp.language.statements.statement import day
from memcore.nlp.language.syntax.clause_kind import Clause
from memcore.nlp.language.syntax.grammar import SUBJECTS, inherited_subject, subject_of, tells_past
from memcore.nlp.language.words import lexicon
from memcore.nlp.time_grammar.dates import TimeExpression

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PRESENT = frozenset({"now", "currently", "nowadays", "presently"})
_PHRASE = re.compile(
    r"\b(?:at the moment|these days|right now"
    r"|(?:over|in|during|for) the (?:past|last) (?:(?:couple of|\w+) )?(?:day|week|month|year)s?)\b"
    r"(?! (?:of|before)\b)",
    re.IGNORECASE,
)
_NEAR = 4
"""Words between one "recently" or "just" and what another one belongs to, of the same deed."""
_OTHER_DAY = re.compile(r",? ?\b(?:just )?the other (?:day|night|evening)\b,?", re.IGNORECASE)
_BEFORE = frozenset({"lately", "recently"})


@dataclass(frozen=True, slots=True)
class Moment:
    """What stands before a clause, and what is left out of it or said in place."""

    lead: str = ""
    edits: tuple[Edit, ...] = ()


def moment(doc: Doc, clause: Clause, times: tuple[TimeExpression, ...], said_at: datetime | None) -> Moment:
    """The day on which a clause holds, where it means that day and names no other."""
    low, high, verb = clause.low, clause.high, doc[clause.verb]
    if said_at is None or any(_names(time, doc, low, high) for time in times):
        return Moment()
    if (
        (other := _OTHER_DAY.search(doc.text, doc[low].idx))
        and verb.tag_ == "VBD"
        and doc[high - 1].idx >= other.start()
    ):
        return Moment(f"shortly before {day(said_at)}", (Edit(*other.span(), ""),))
    word = next((token for token in doc[low:high] if _means_now(token)), None)
    if word is None:
        phrase = _PHRASE.search(said := doc[low:high].text)
        quoted = phrase is not None and said[: phrase.start()].count('"') % 2 == 1
        earlier = any(t.lower_ == "had" and t.dep_ == "aux" for t in doc[low:high])
        return Moment(f"as of {day(said_at)}") if phrase and not (quoted or earlier) else Moment()
    first = word.i == low
    # "I made pie recently, it was good" may be read as "recently it was"
    behind = verb.i < word.i < word.head.i and word.nbor(-1).pos_ not in {"PUNCT", "SCONJ"}
    own = word.head == verb or (behind and word.nbor().text == ",")
    done = own and verb.tag_ == "VBD" and word.lower_ in {"recently", "just"}
    if done and any(t.tag_ in {"VBP", "VBZ"} for t in doc[low : word.i]):
        return Moment()  # "I'm planting peas, I just built a frame": not all of it was shortly before
    if (first and word.lower_ == "recently") or done:
        alike = [t for t in doc[low:high] if t == word or _is_of_same_deed(t, word)]
        alike = [t for t in alike if t.i + 1 == high or t.nbor() not in alike]  # "just recently": at once
        return Moment(f"shortly before {day(said_at)}", tuple(map(_without, alike)))
    if word.head.dep_ == "advcl" and tells_past(verb) and word.lower_ in _PRESENT:
        return Moment("", (_without(word),))  # "it cost $40, as I can now use it outside"
    if word.head != verb and _begins_clause(word) and word.lower_ in _PRESENT:
        return Moment("", (Edit(word.idx, word.idx + len(word.text), f"as of {day(said_at)}"),))
    before = word.nbor(-1).lower_ if word.i else ""
    seen = verb.lemma_.lower() in lexicon.THINKING | {
        "realize",
        "realise",
        "see",
        "know",
        "understand",
        "feel",
    }
    apart = before in {"", ","} or not (seen or before == "right")  # not "I see now that", "right now that"
    if apart and word.lower_ == "now" and word.i + 1 < high and word.nbor().lower_ == "that":
        return Moment(f"as of {day(said_at)}")  # "now that I have a plan"
    dropped = word.lower_ in _PRESENT - {"now"} or (
        word.head == verb and (word.lower_ in _PRESENT or word.lower_ == "lately")
    )
    return Moment(f"as of {day(said_at)}", (_without(word),) if dropped else ())


def _is_of_same_deed(other: Token, word: Token) -> bool:
    """Another "recently" near the first one, or a "just" with the same verb."""
    if other.lower_ == "just":
        return other.head == word.head
    return other.lower_ == "recently" and abs(other.head.i - word.i) < _NEAR


def _names(time: TimeExpression, doc: Doc, low: int, high: int) -> bool:
    end = doc[high - 1].idx + len(doc[high - 1].text)
    return not time.recurring and doc[low].idx <= time.start and time.end <= end


def _means_now(token: Token) -> bool:
    low = token.lower_
    if token.dep_ not in {"advmod", "npadvmod"} or token.head.pos_ not in {"VERB", "AUX"}:
        return False
    if low in _PRESENT:
        return token.head.tag_ != "VBD" and not (token.i and token.nbor(-1).lower_ in {"by", "until", "from"})
    if low == "just":
        return _has_just(token)
    return low in _BEFORE


def _has_just(token: Token) -> bool:
    """ "I just sold it", "I've just sold it"; not "I just think", "I just wanted to"."""
    verb = token.head
    if verb.lemma_.lower() in lexicon.STATIVE | {"have", "try", "hang"} or not 0 < verb.i - token.i <= 2:
        return False
    subject = inherited_subject(verb)
    if subject is None or subject.lower_ in {"it", "this", "that"}:
        return False  # "it just showed me": only
    perfect = any(c.dep_ == "aux" and c.lower_ in {"have", "has", "'ve", "'s"} for c in verb.children)
    alone = verb.dep_ != "conj" or subject_of(verb) is not None  # no "sang and just sat there"
    return (verb.tag_ == "VBD" and alone) or (verb.tag_ == "VBN" and perfect)


def _begins_clause(word: Token) -> bool:
    """It stands right before the subject of its own verb: "but now I can"."""
    following = word.doc[word.i + 1] if word.i + 1 < len(word.doc) else None
    return following is not None and any(
        child.dep_ in SUBJECTS and child.left_edge.i == following.i for child in word.head.children
    )


def _without(word: Token) -> Edit:
    """The word left out, the "right" of "right now" or "just" of "just recently" with it, and a comma after
    it that sets it apart, not one that ends its clause ("I bought a canoe recently, but it was broken")."""
    start, end = word.idx, word.idx + len(word.text)
    if word.i and word.nbor(-1).lower_ in {"right", "just", "recently"}:
        start = word.nbor(-1).idx
    before = word.nbor(-1) if word.i else None
    apart = before is None or before.is_punct or before.pos_ in {"AUX", "CCONJ", "SCONJ"}
    if apart and word.i + 1 < len(word.doc) and word.nbor().text == ",":
        end = word.nbor().idx + 1
    return Edit(start, end, "")
