"""Rules for what has ceased to hold: a new value of what can have only one, a state that was ended,
a habit that is denied. Each proposes to invalidate the older statement from the newer one on.

Only lasting states end ("lives in Boston", "has a car"); that someone moved to Boston once stays
true. All of it is high risk, as a person may well have two of what usually comes singly. English.

A triple of the language pipeline says it without tense ("Ann live in Boston"); whether that was, is or
is planned, its memory's kind and time tell.
"""

from __future__ import annotations

import re
from itertools import pairwise
from string import capwords

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.wording import SPOKEN, Wording, is_subsequence
from memcore.review.pairs import (
    MONTH_WORDS,
    TIMES,
    Finding,
    Statement,
    is_later,
    is_under_way,
    on,
    part,
    same_subject,
)
from memcore.review.superseding import superseding_text

_ADVERBS = r"(?:(?:also|now|currently|still|recently|just|has|has been|really|already) )*"
_VALUE = r"(?P<value>[^.;!]+?)"
_END = (
    r"(?=$|[.,;!(]| (?:since|for|with|because|where|which|who|now|as of|and|but|while|after|until|before|"
    r"to be|from|around|near|this|last|in \d|in the week|in [A-Z]\w+ \d|on \d)\b)"
)
_NAMED = frozenset({"residence", "employer"})
"""Relations whose value is a name: "moved to a new flat" says nothing about the city."""

_A_HOME = r"an? (?:[\w-]+ )*?(?:flat|apartment|house|home|place|studio|room|condo)"
_MARITAL = "|".join(sorted(lexicon.MARITAL))
_HOLDS = {
    "residence": rf"(?:lives?|resides?|is {_ADVERBS}(?:living|based|residing)) in(?: {_A_HOME} in)?",
    "employer": rf"(?:works?|is {_ADVERBS}(?:working|employed)) (?:at|for|by)",
    "occupation": r"(?:works?|is working|is employed) as(?: an?| the)?",
    "age": r"is(?= [\w-]+ years? old)",
    "marital status": rf"is(?= (?:{_MARITAL})\b)",
}
_GETS_A_JOB = r"(?:got|started|took|accepted|landed) an? (?:new )?(?:job|role|position)"
_BECOMES = {
    "residence": r"(?:moved?|relocated?)(?: back)?(?: from [^.;!]+?)? (?:in)?to"
    rf"(?: {_A_HOME} in)?",
    "employer": rf"(?:started working|started|began working|{_GETS_A_JOB}|was hired)(?: as an? [\w -]+?)? "
    r"(?:at|for|with|by)",
    "occupation": rf"(?:(?:started working|began working|{_GETS_A_JOB}|was hired) as"
    r"|(?:was|got|has been)(?: just| recently)? promoted to)(?: an?| the)?",
    "age": r"turned(?= \w+)",
    "marital status": rf"(?:got|became|is now)(?= (?:{_MARITAL})\b)",
}
_APPOSITION = re.compile(r"^[A-Z][\w-]*,? (?=[a-z])")
""" "Rachel" in "Ann's cousin Rachel"."""
_STATUS = re.compile(r"^(?:\d+|\w+) years? old|^\w+")
_WHEN = TIMES | {stem("since")}
"""Content words that only say when."""
_PARTS = frozenset(
    map(
        stem,
        "issue page episode season chapter level volume part lesson round point score unit section".split(),
    )
)
"""What is counted of something: of what, must be told beside it."""
_KIN = "|".join(sorted(lexicon.PERSON))
_OWN = re.compile(
    rf"^(?:{SPOKEN.pattern})?(?:(?:these days|nowadays|lately|now),? )?(?P<who>[^\W\d_a-z][\w-]*(?:['’]s"
    rf" (?:{_KIN}))?)['’]s? "
    r"(?:new |current )?(?P<of>favou?rite [\w -]+?"
    r"|(?:phone|telephone|mobile|cell) number|"
    r"e-?mail(?: address)?|(?:home )?address|birthday|(?:first |last |full |middle )?name|job|nationality|"
    r"hometown|salary|height|weight|boss|husband|wife|employer) is (?P<value>[^.;!]+)"
)


def new_value(older: Statement, newer: Statement) -> Finding | None:
    """The same subject has a different value of a relation that has one value at a time."""
    if not (is_later(newer, older) and older.is_plain and _holds(older)):
        return None
    if newer.said.negations or newer.said.moods - {"attempt"}:
        return None
    before = _lasting(older)
    after = _lasting(newer) if _holds(newer) else {}
    if _of_one(older, newer) and _has_happened_since(older, newer):
        after |= _begun(newer)
    for relation, old in before.items():
        new = after.get(relation, old)
        if _differ(old, new):
            who, what = capwords(relation[0]), relation[1]
            reason = f"{who} has one {what} at a time: “{old}”{on(older)}, “{new}”{on(newer)}."
            return Finding("one value at a time", "invalidate", None, reason, "high", ends=True)
    return None


def _of_one(older: Statement, newer: Statement) -> bool:
    """Whether both tell of the same one, be it once as "Ann's friend Tom" and once as "Tom"."""
    if same_subject(older, newer):
        return True
    pairs = ((older, newer), (newer, older))
    return any(_named(one.said) == other.said.subject != "" for one, other in pairs)


def _named(said: Wording) -> str:
    """ "Tom" of "Ann's friend Tom"; empty: nobody is named so."""
    name = _APPOSITION.match(said.rest) if "'s " in said.subject else None
    return name[0].strip(" ,").casefold() if name is not None else ""


def new_figure(older: Statement, newer: Statement) -> Finding | None:
    """The same lasting statement with another number: "has read 4 books", "has read 5 books"."""
    if not (is_later(newer, older) and same_subject(older, newer) and older.is_plain and newer.is_plain):
        return None
    old, new = older.said.words, newer.said.words
    before, after = _counts(older.said), _counts(newer.said)
    if len(before) != 1 or len(after) != 1 or before.keys() != after.keys() or before == after:
        return None
    if any(_tells_a_time(s) for s in (older, newer)) or is_under_way(older.said) != is_under_way(newer.said):
        return None
    fewer, more = sorted((_without_figures(old), _without_figures(new)), key=len)
    if len(fewer) < 2 or fewer[0] != more[0] or not is_subsequence(fewer, more):
        return None
    if _PARTS & before.keys() and not set(fewer[1:]) - before.keys() - _WHEN:
        return None  # the third issue of what?
    ((counted, was),), ((_, now),) = before.items(), after.items()
    reason = f"The number for “{counted}” is {was}{on(older)} and {now}{on(newer)}; all else is the same."
    return Finding(
        "new figure", "update", superseding_text(older, newer, older.said.rest), reason, "medium", ends=True
    )


def _tells_a_time(statement: Statement) -> bool:
    """Whether it is of one moment, or its number says when, or for how long already."""
    said = statement.said
    lasted = re.search(r"\bfor (?:\w+ )?[\w-]+ (?:days|weeks|months|years)\b", said.rest)
    return said.past or bool(statement.memory.event_at or lasted) or _dated(said)


def _counts(said: Wording) -> dict[str, str]:
    """Counted word → its number."""
    following = pairwise((*said.words, ""))
    return {counted: figure for figure, counted in following if figure in said.figures}


def _without_figures(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if not any(char.isdigit() for char in word))


def _dated(said: Wording) -> bool:
    """Whether a number is (part of) a date or time of day."""
    return any(word in MONTH_WORDS for word in said.words) or any(
        re.match(r"\d{4}$|\d+:", f) for f in said.figures
    )


def _lasting(statement: Statement) -> dict[tuple[str, str], str]:
    """(subject, relation) → value of what the statement says holds."""
    own = _OWN.match(statement.told)
    if own:
        of = own["of"].casefold().replace("favourite", "favorite")
        return {(own["who"].casefold(), of): own["value"].strip()}
    return _values(statement.said, _HOLDS)


def told_values(statement: Statement) -> frozenset[tuple[str, str]]:
    """(subject, relation) of every value that a statement tells, as what holds or what has begun; whether one
    keeps a diet, or eats what a diet may exclude, among them."""
    found = frozenset(_lasting(statement) | _begun(statement))
    diet = _DIET.search(statement.told) or _eats(statement, _MEAT | _FISH | _DAIRY)
    return found | {(statement.said.subject, "diet")} if diet else found


def _begun(statement: Statement) -> dict[tuple[str, str], str]:
    return _values(statement.said, _BECOMES)


def _holds(statement: Statement) -> bool:
    return _is_present(statement) and statement.memory.kind != "plan"


def _has_happened_since(older: Statement, newer: Statement) -> bool:
    """Whether the newer statement tells of something done, and not of something done before the older
    one was said ("moved here ten years ago")."""
    if not (newer.said.past or newer.memory.kind == "event"):
        return False
    begun, said, before = newer.memory.event_at, newer.memory.mentioned_at, older.memory.mentioned_at
    if begun is None or said is None or before is None:
        return True
    return before <= (newer.memory.event_end or begun) and begun <= said


def _values(said: Wording, patterns: dict[str, str]) -> dict[tuple[str, str], str]:
    found = {}
    name = _named(said)
    rest = _APPOSITION.sub("", said.rest) if name else said.rest
    subject = f"{said.subject} {name}" if name else said.subject
    for relation, verb in patterns.items():
        match = re.match(rf"{_ADVERBS}{verb} {_VALUE}{_END}", rest)
        if match is None or not said.subject or " and " in said.subject:
            continue
        value = match["value"].strip()
        if relation in ("age", "marital status"):
            value = (_STATUS.match(value) or match)[0].removesuffix(" years old").removesuffix(" year old")
            if relation == "age" and not stem(value).isdigit():
                continue
        if relation not in _NAMED or value[:1].isupper():
            found[subject, relation] = value
            if name:
                found[name, relation] = value
    return found


def _differ(old: str, new: str) -> bool:
    """Whether neither value contains the other's words ("Paris" and "Paris, France" agree)."""
    one, other = ({stem(w) for w in re.findall(r"\w+", value.casefold())} for value in (old, new))
    return not (one <= other or other <= one)


# --------------------------------------------------------------------------- states that were ended


_STATES = (
    # (what a newer statement tells of, the states it ends), both by their first content words
    ("sell; give away; lose; donate; return; throw away", "have own drive possess ride"),
    ("quit; leave; resign; retire; lose", "work"),
    ("break up; split up; divorce; separate", "date marry engage"),
    ("graduate; drop out", "study attend enroll take"),
    ("cancel; unsubscribe", "have subscribe use be"),
    ("stop; quit; give up", "do play take smoke drink eat use practice attend run go train learn study work"),
)
_ENDINGS = tuple(
    (
        tuple(stem(word) for word in ending.split() if word not in ("up", "out")),
        frozenset(map(stem, states.split())),
    )
    for endings, states in _STATES
    for ending in endings.split("; ")
)
_BEING_IN = frozenset(map(stem, "subscription membership".split()))
_JOB = frozenset({"job", "posit", "work"})
_EMPLOYED = re.compile(rf"{_ADVERBS}(?:works?|is working|is employed)(?! on\b| out\b| through\b)\b")
"""Working on something, or out, is no job to lose."""
_DIET = re.compile(
    rf"\b(?:is|has been) (?:an? )?(?:\w+ )?(?P<diet>{'|'.join(sorted(lexicon.DIETS, reverse=True))})\b",
    re.IGNORECASE,
)
_BEGINNING = frozenset({"start", "begin"})
_MEAT = frozenset(map(stem, lexicon.MEAT))
_FISH = frozenset(map(stem, lexicon.FISH))
_DAIRY = frozenset(map(stem, lexicon.DAIRY))


def ended_state(older: Statement, newer: Statement) -> Finding | None:
    """The newer statement tells how the older one's state ended: sold, left, broke up, stopped."""
    if not (is_later(newer, older) and same_subject(older, newer) and _is_present(older)):
        return None
    if newer.said.negations or newer.said.moods - {"attempt"} or not newer.said.words:
        return None
    first = part(newer, newer.said.rest.partition(" and ")[0])  # "sold the car and bought a van"
    told, held = _core(first if len(first.words) > 1 else newer.said), _core(older.said)
    for ending, states in _ENDINGS:
        if told[: len(ending)] == ending and _ends(told[len(ending) :], held, states, older.said.rest):
            reason = f"“{older.memory.text}”{on(older)} ended: “{newer.memory.text}”{on(newer)}."
            return Finding("ended state", "invalidate", None, reason, "high", ends=True)
    return None


def _ends(object_: tuple[str, ...], held: tuple[str, ...], states: frozenset[str], rest: str) -> bool:
    """Whether ending `object_` ends the state `held` (`rest`, as written), as in "quit smoking", "sold the
    car"."""
    if not object_ or not held:
        return False
    if len(object_) > 1 and object_[-1] in _BEING_IN and object_[-1] not in held:
        object_ = object_[:-1]  # "canceled the Netflix subscription", "subscribes to Netflix"
    elif object_[0] in _BEING_IN and object_[0] not in held and len(object_) > 1:
        object_ = object_[1:]
    if object_[0] == held[0]:  # the activity itself is named: with its object, or altogether
        return object_[1:] in ((), held[1:])
    if held[0] not in states:
        return False
    named = held[1:2] == object_[-1:] or held[-1:] == object_[-1:] or set(object_) == set(held[1:])
    named = named or (len(object_) > 1 and object_[-1] in held[1:3])  # "a gym membership at Fit & Fun"
    return (bool(_EMPLOYED.match(rest)) and set(object_) <= _JOB) or (
        len(held) > 1 and named and set(object_) <= set(held)
    )


def _core(said: Wording) -> tuple[str, ...]:
    """The content words without those that say when, or whence."""
    return tuple(w for w in said.words if w not in said.figures | _WHEN | {"from"})


def broken_diet(older: Statement, newer: Statement) -> Finding | None:
    """A vegetarian (vegan, pescatarian) who now eats what that excludes."""
    diet = _DIET.search(older.told)
    if not (diet and is_later(newer, older) and same_subject(older, newer)):
        return None
    excluded = {"vegetarian": _MEAT | _FISH, "vegan": _MEAT | _FISH | _DAIRY, "pescatarian": _MEAT}
    if older.said.negations or not _eats(newer, excluded[diet["diet"].casefold()]):
        return None
    reason = f"A {diet['diet'].casefold()}{on(older)}, but{on(newer)}: “{newer.memory.text}”."
    return Finding("changed diet", "invalidate", None, reason, "high", ends=True)


def _eats(statement: Statement, foods: frozenset[str]) -> bool:
    """Whether somebody is told to eat one of them: "eats fish", "started eating salmon"."""
    said = statement.said
    eats = [w for w in said.words if w not in _BEGINNING][:1] == ["eat"]
    return eats and not said.negations and not said.moods - {"attempt"} and bool(foods & set(said.words))


# --------------------------------------------------------------------------- denial


_AFFINITIES = frozenset(
    stem(w) for w in "be like love enjoy drink eat have own use want prefer adore keep".split()
)
_DENIAL = re.compile(
    r"\b(?:no longer|not\b.* any ?more|n't\b.* any ?more|does(?: not|n't)|is(?: not|n't)|has no|never)\b"
    r"|^not\b"
)
_DENIAL_WORDS = frozenset({"longer", "anymore", "ani"})


def denied_habit(older: Statement, newer: Statement) -> Finding | None:
    """What was so is now said not to be so, or the reverse, in the present tense and about the same."""
    if not (is_later(newer, older) and same_subject(older, newer)):
        return None
    if older.said.moods or newer.said.moods or not (_is_present(older) and _is_present(newer)):
        return None
    denied = [bool(s.said.negations) for s in (older, newer)]
    if denied[0] == denied[1] or not _DENIAL.search((newer if denied[1] else older).said.rest):
        return None
    if not _object(older.said) or _object(older.said) != _object(newer.said):
        return None
    reason = f"“{older.memory.text}”{on(older)} is contradicted by “{newer.memory.text}”{on(newer)}."
    return Finding("denied", "invalidate", None, reason, "high", ends=True)


def _object(said: Wording) -> tuple[str, ...]:
    """What a habit or state is about: its content words without a verb of liking or having."""
    words = tuple(word for word in said.words if word not in _DENIAL_WORDS)
    return words[1:] if words[:1] and words[0] in _AFFINITIES else words


def _is_present(statement: Statement) -> bool:
    """Whether it states what holds, rather than what happened once."""
    return statement.is_ongoing and statement.memory.kind != "event"
