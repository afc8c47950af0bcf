"""On which side of the day of speaking a date without a year lies: the tense of its clause.

"Lucía is getting married on 18 May" is ahead, "I moved on 18 May" is behind. It looks at the verb that
governs the date, not at the sentence as a whole, and knows no calendar. Of 9,774 sentences of LoCoMo and
LongMemEval dev 15 have a date that one tense for the whole sentence would put on the other side of the day:
nine are right only with it ("tickets to see The 1975 in July"), five only without ("I remember having a snack
on Wednesday"), one is open.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from memcore.nlp.language.syntax.grammar import auxiliaries, finite_word, tells_past
from memcore.nlp.time_grammar.dates import TimeExpression, find_times

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Side = Literal["past", "future"]
_INTENDED = re.compile(
    r"\b(?:going to|plan(?:s|ned|ning)?|hop(?:e|ed|ing) to|decid\w+ to|agreed to|promised to|about to"
    r"|thinking (?:of|about)|considering|scheduled|booked|upcoming|next|due|deadline|appointment|postponed"
    r"|rescheduled|brought forward|pushed back|looking"
    r"|(?:moved|pushed|bumped|shifted) (?:me|us|it|that|them) (?:back )?to"
    r"|(?:offer|accept|agree|hire|sign|approve)\w*\b.*\b(?:starting|beginning|to start|to begin)"
    r"|(?:moved|changed|shifted|pushed) (?:the|our|my|his|her|their|its) (?:\w+ )?(?:date|meeting|wedding"
    r"|interview|exam|party|trip|flight|launch|release|event|session|class|lesson))\b",
    re.IGNORECASE,
)
"""Words by which a past clause tells of what was then still ahead."""
_PAST = frozenset({"recent", "last", "previous", "past"})
_ONE_DAY = timedelta(days=1)
_ONE_WEEK = timedelta(days=7)
_MOST_OF_A_YEAR = timedelta(days=300)
_RIGHT_AHEAD = timedelta(days=21)
"""How far ahead a single day of a past clause is rather a log's wrong date than a day of the year before."""
_ARRANGING = frozenset(
    "enter register sign book reserve get buy enrol enroll arrange schedule invite".split()
)
_LEFT = frozenset(
    "dream photo photograph picture video recording note letter email message post receipt bill invoice"
    " purchase conversation talk discussion".split()
)
"""What is left from a day that is over: "my dream from 15 February"."""
_JOURNEYS = frozenset("flight ticket trip cruise holiday vacation hotel airbnb".split())
_HOLIDAY = re.compile(
    r"(?:(?:on|at|over|for) )?(?:christmas|easter|good friday|black friday|halloween|thanksgiving)(?: \w+)?",
    re.IGNORECASE,
)
_SCHEDULED = frozenset("leave open start begin arrive fly end close be".split())
"""What is told in the present of what will be: "We leave on Good Friday"."""
_REMEMBERING = frozenset({"remember", "recall"})
_NEAR_SINCE = 3
"""Words from a day up to the "since" that it belongs to: "since my birthday in April"."""
_NOT_LONG_AGO = timedelta(days=60)
_MEANWHILE = re.compile(
    r"in (?:(?:about|around|only|just) )?(?:an?|\w+)(?: \w+)? (?:day|week|month|year|decade)s?", re.IGNORECASE
)
"""After a past verb "in two years" says how long it took."""


def times_of(doc: Doc, said_at: datetime | None) -> tuple[TimeExpression, ...]:
    """The time expressions of a sentence, each resolved by the tense of its own clause."""
    ahead = find_times(doc.text, said_at, prefer="future")
    if not ahead or said_at is None:
        return tuple(ahead)
    behind = find_times(doc.text, said_at, prefer="past")
    if len(ahead) != len(behind):
        return tuple(behind if _has_past(doc) else ahead)
    found = []
    for early, late in zip(behind, ahead, strict=True):
        if _is_every_year(doc, late):
            continue
        side = _side(doc, late)
        if side == "past" and early.begin > said_at and _MEANWHILE.fullmatch(early.text):
            continue
        if side == "past" and _is_misdated(early, late, said_at):
            continue
        if side == "past" and early.begin < said_at - _NOT_LONG_AGO and _is_of_an_event(doc, late):
            side = "future"
        if side == "future" and said_at - early.begin < late.begin - said_at and _is_over(doc, late):
            side = "past"
        found.append(late if side == "future" else early)
    return tuple(found)


def _is_every_year(doc: Doc, time: TimeExpression) -> bool:
    """ "I fast on Good Friday", "she was born at Easter": no holiday of a certain year."""
    token = _first_token(doc, time) if time.relative and _HOLIDAY.fullmatch(time.text) else None
    verb = None if token is None else _finite_over(token)
    if verb is None:
        return False
    habit = verb.tag_ in {"VBP", "VBZ"} and not auxiliaries(verb) and verb.lemma_ not in _SCHEDULED
    return habit or verb.lower_ == "born"


def _is_misdated(early: TimeExpression, late: TimeExpression, said_at: datetime) -> bool:
    """Whether a day told of as past lies right ahead: the log's dates are off rather than that the day a year
    before is meant."""
    ahead = said_at < late.begin < said_at + _RIGHT_AHEAD
    return ahead and late.until - late.begin == _ONE_DAY and late.begin - early.begin > _MOST_OF_A_YEAR


def _is_of_an_event(doc: Doc, time: TimeExpression) -> bool:
    """ "I've entered a race on 21 September": no day of entering, which the perfect leaves open, but that of
    the race, which lies ahead."""
    if time.until - time.begin > _ONE_WEEK:
        return False
    token = _first_token(doc, time)
    verb = None if token is None else _finite_over(token)
    word = None if verb is None else finite_word(verb)
    perfect = word is not None and word != verb and word.tag_ in {"VBP", "VBZ"}
    if verb is None or not perfect:
        return False
    if verb.lemma_ == "register" and any(child.dep_ == "dobj" for child in verb.children):
        return False  # "I've registered my business on 10 February"
    asked = verb.lemma_ == "put" and any(child.lower_ == "in" for child in verb.children)  # "put in for it"
    return asked or verb.lemma_.lower() in _ARRANGING


def _is_over(doc: Doc, time: TimeExpression) -> bool:
    """ "I booked my flight on 15 January", said in May: the day of booking, not "for 15 January"; or one had
    an appointment on it; or it goes on since: "I decided to start a business on 15 January, and it's been a
    whirlwind since"."""
    token = _first_token(doc, time)
    verb = None if token is None else _finite_over(token)
    if token is None or verb is None or not _is_past(verb):
        return False
    since = any(t.lower_ == "since" and t.dep_ == "advmod" and t.idx > time.end for t in doc)
    had = verb.lower_ == "had" and any(
        child.dep_ == "dobj" and child.lemma_ == "appointment" for child in verb.rights
    )
    return since or had or _is_day_of_booking(token, verb)


def _is_day_of_booking(token: Token, verb: Token) -> bool:
    """Whether a journey was booked on that day; not a table, a class or an appointment, which is on it."""
    booked = verb.lemma_ == "book" and verb.tag_ == "VBD" and not auxiliaries(verb)
    journey = any(child.dep_ == "dobj" and child.lemma_.lower() in _JOURNEYS for child in verb.children)
    leading = {t.lower_ for t in token.doc[max(0, token.i - 1) : token.i + 1]}
    return booked and journey and "on" in leading


def _first_token(doc: Doc, time: TimeExpression) -> Token | None:
    return next((t for t in doc if time.start <= t.idx < time.end), None)


def _side(doc: Doc, time: TimeExpression) -> Side:
    if doc.text[: time.start].lower().endswith("back "):
        return "past"  # "back in September"
    token = _first_token(doc, time)
    if token is None:
        return "future"
    before = doc[token.i - 1].lower_ if token.i else ""
    over = list(token.ancestors)[:_NEAR_SINCE]
    since = any(word.lower_ == "since" and word.dep_ == "prep" for word in over)
    ago = re.search(r"\bago\b", time.text) is not None  # "three months ago on December 15th"
    if time.relation == "from" or ago or since or "since" in {before, token.lower_}:
        return "past"
    verb = _finite_over(token)
    if any(map(_is_remembered, token.ancestors)):
        return "past"
    if any(child.lower_ in _PAST for noun in token.ancestors for child in noun.lefts if child.dep_ == "amod"):
        return "past"  # "because of the recent move in March"
    if before == "from" and verb is not None and verb.lemma_ == "be":
        return "past"  # "the photo is from May"
    if before == "from" and token.i > 1 and doc[token.i - 2].lemma_.lower() in _LEFT:
        return "past"
    if verb is None:
        return "past" if _has_past(doc) else "future"
    if not _is_past(verb):
        return "future"
    start = min(t.idx for t in (verb, *auxiliaries(verb)))
    between = doc.text[min(start, time.start) : max(time.start, verb.idx + len(verb.text))]
    return "future" if _INTENDED.search(between) else "past"


def _is_remembered(verb: Token) -> bool:
    """ "I remember buying it on 10 February", not "I remember booking it for 10 February"."""
    gerund = verb.tag_ == "VBG" and verb.head.lemma_ in _REMEMBERING
    return gerund and verb.lemma_.lower() not in _ARRANGING - {"buy", "get", "enter"}


def _finite_over(token: Token) -> Token | None:
    """The nearest finite verb above; an infinitive or participle has the tense of what governs it."""
    for head in token.ancestors:
        if head.pos_ not in {"VERB", "AUX"} or head.dep_ in {"aux", "auxpass", "amod", "compound", "pobj"}:
            continue
        if head.lower_ == "am" and head.i and head.nbor(-1).text[-1].isdigit():
            continue  # "the 7:15 am train"
        word = finite_word(head)
        if word is not None and (word.tag_ in {"VBD", "VBP", "VBZ", "MD"} or tells_past(head)):
            return head
        if word is not None and word.tag_ == "VBN" and head.dep_ in {"ROOT", "ccomp", "conj"}:
            return head  # "Been there in March", "Started in May"
    return None


_OF_TWO_OBJECTS = frozenset("give pay show allow offer teach send tell grant promise lend".split())
"""What has an object in the passive, too: "who's given a speech"."""


def _is_past(verb: Token) -> bool:
    word = finite_word(verb)
    if word is None or tells_past(verb):
        return True
    if word.tag_ in {"VBD", "VBN"} and word.lower_ not in {"'d", "would"}:
        return True
    perfect = word.lemma_ == "have" or word.lower_ in {"'ve", "'s"}
    passive = word.lemma_ == "be" or word.dep_ == "auxpass"
    done = word.lower_ == "'s" and any(child.dep_ == "dobj" for child in verb.rights)  # "who's bought a boat"
    done = done and verb.lemma_ not in _OF_TWO_OBJECTS
    return (
        perfect
        and word != verb
        and any(t.tag_ == "VBN" for t in (verb, *auxiliaries(verb)))
        and (done or not passive)
    )


def _has_past(doc: Doc) -> bool:
    return any(token.tag_ in {"VBD", "VBN"} for token in doc)
