"""What a statement gives a value to: what somebody has one of at a time (`relation_phrases`), the make and
grade of a thing, whom one goes to, when and with whom something is done again and again.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from string import capwords

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.wording import SPOKEN, Wording, wording
from memcore.review.pairs import real_moods
from memcore.review.relation_phrases import (
    ADVERBS,
    END,
    KEEPS_IT,
    NAMES,
    NOW,
    RELATIONS,
    ROLES,
    SINGLE,
    SPOT,
    THING,
    A,
)

_BRAND = re.compile(
    rf"\b(?:[A-Z][\w-]*['’]s?|[Aa]n?|[Tt]he)(?: (?:old|new|trusty|current))* {NAMES} "
    rf"(?P<of>{'|'.join(SINGLE)})\b"
)
_IS_BRAND = re.compile(
    rf"\b(?P<who>[A-Z][\w-]*)['’]s? (?:new |old |current )?(?P<of>{'|'.join(SINGLE)}) is (?:now )?"
    rf"(?:an? |from )?(?:new )?{NAMES}{END}"
)
_REPLACES = re.compile(r"\b(?:new|replaced?|upgraded|switched|traded|now)\b")
_KEPT_ONE = re.compile(
    rf"^(?P<who>[^\W\d_a-z][\w-]*)['’]s? (?:new |current )?(?P<of>{ROLES})(?: is(?: now)?|,) "
    rf"(?P<value>(?:(?:Dr|Mr|Ms|Mrs|Prof)\.? )?[A-Z][\w -]*?){END}"
)
_FAVOURITE = re.compile(
    r"^(?P<who>[^\W\d_a-z][\w-]*)['’]s? (?:new |current )?(?P<of>favou?rite [a-z -]+?) is (?:now )?"
    rf"(?P<value>[^.;!]+?){END}"
)
_FOUND_ONE = re.compile(
    rf"(?:{ADVERBS}(?:has|found|got|is seeing|has been seeing|started seeing|switched to|changed to"
    rf"|is working with|started working with|hired) a new (?P<of>{ROLES}|favou?rite [a-z -]+?)(?: now)?"
    rf"(?:,| named| called|:| -) (?P<value>(?:(?:Dr|Mr|Ms|Mrs|Prof)\.? )?[A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*))"
)
"""Somebody new in the place of another: "has a new dentist, Dr. Park"."""
_NOW = re.compile(rf"\b{NOW}\b")
_TITLE = re.compile(r"[\"“][^\"”]+[\"”]")
_CLOCK = re.compile(
    r"\b(?:at |around |about )*(\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\b\.?)|\d{1,2}:\d\d|noon|midnight)", re.I
)
LEAVES = re.compile(rf"{ADVERBS}{KEEPS_IT} {THING} {SPOT}{END}")
"""Who leaves something where it is tells where it is, plan or not."""
_GRADES = "status|tier|membership|rank|belt|level"
_GRADE = re.compile(
    rf"\b(?:has|holds|hit|reached|got|earned|achieved|gained|eligible for|(?:upgraded|promoted|moved up) to) "
    rf"(?:(?:an?|the|[A-Z][\w-]*['’]s?) )?(?P<value>(?:[A-Z][\w-]* )+|[a-z]+ (?=belt\b))(?P<of>{_GRADES})\b"
)
_IS_AT = re.compile(
    rf"{ADVERBS}(?:is|starts|begins) {ADVERBS}(?:set )?(?:at|for|around)? ?"
    rf"(?P<hour>{_CLOCK.pattern})(?! to| until| for)",
    re.IGNORECASE,
)
_IS_ON = re.compile(
    rf"(?P<head>(?:[a-z]+ )*?)(?:(?:is|are) {ADVERBS}(?:on|every|held on)"
    rf"|(?:(?:has|have|was|were|is|are|got|been|now) )*(?:moved|changed|switched|shifted) to)"
    rf" (?P<day>(?:{'|'.join(calendar.day_name)}))s?\b"
)
_IS_IN = re.compile(rf"(?P<head>(?:[a-z]+ )*?)(?:is|are) {ADVERBS}{SPOT}{END}")
LESSON = frozenset(map(stem, "class lesson session practice meeting rehearsal training course".split()))
"""What is left out of "yoga class" when one goes to yoga."""
_WHOM = r"(?P<whom>alone|solo|by (?:them|him|her)sel(?:f|ves)|with [\w' -]+?)"
_DOES = r"(?P<of>[a-z]+(?: (?!with\b)[a-z]+){0,3}?)"
_WITH_WHOM = re.compile(rf"(?:usually|always|normally|typically|generally|mostly) {_DOES} {_WHOM}{END}")
_NOW_ALONE = re.compile(rf"(?:now |lately |is now |has been |has started |started )+{_DOES} {_WHOM}{END}")
_RESET = re.compile(
    rf"{ADVERBS}(?:has )?(?:shifted|moved|changed|pushed|switched|set) {A}(?P<thing>[\w' -]{{3,40}}?)"
    rf"(?: back| forward)?(?: from [\w :.]+?)? to {_CLOCK.pattern}",
    re.IGNORECASE,
)
"""What is done at another hour from now on: "has shifted Ann's yoga to 7:15 am"."""
_BESIDE_THE_HOUR = frozenset(
    map(
        stem,
        "pm am around usually usual lately days now currently normal normally generally mostly always only"
        "".split(),
    )
)
_HAD_AGAIN = (
    "breakfast|brunch|lunch|dinner|coffee|tea|class(?:es)?|lessons?|practice|training|rehearsals?"
    "|(?:[a-z]+ ){1,2}(?:class(?:es)?|lessons?|practice|training|rehearsals?)"
)
_BECAUSE = re.compile(r",? (?:as|because|since|so|but|which|while) ")
_WEEKDAYS = frozenset(stem(day.lower()) for day in calendar.day_name)
_OR = ("eaten", "to", "ridden")
"""Further groups of a phrase that hold the value."""
RESET = "hour it was moved to"
_TURNING = frozenset(map(stem, "half ultra former ex vice deputy junior senior".split()))


@dataclass(frozen=True, slots=True)
class Held:
    """The `value` of a relation, told in these `words` of the statement. `begun`: told so that another value
    no longer holds. `lasting`: holds even if told as a deed. Of what is done again and again, `doing` is the
    first word, `days` are the days of the week, and `told_now` says that it is told as so by then."""

    relation: str
    of: Hashable
    value: str
    words: str
    begun: bool
    lasting: bool = False
    doing: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    told_now: bool = False


def held(said: Wording, text: str, who: str) -> Iterator[Held]:
    """What a statement about `who` gives a value to, as far as the words tell."""
    if said.subject == who:
        for relation in RELATIONS:
            for pattern, begun in ((relation.becomes, True), (relation.holds, False)):
                match = pattern.match(said.rest)
                if match is not None:
                    begun = begun or (relation.as_of and SPOKEN.match(text) is not None)
                    groups = match.groupdict()
                    value = groups["value"] or ""
                    value = value or next((groups[other] for other in _OR if groups.get(other)), "")
                    value = relation.as_value(value)
                    of = _head(groups.get("of") or "")
                    yield Held(relation.name, of, value, match[0], begun, relation.lasting)
                    break
    owner, _, thing = said.subject.partition("'s ")
    yield from _brands(said, text, who)
    for graded in _GRADE.finditer(text):
        *series, grade = graded["value"].split()
        yield Held(graded["of"], " ".join(series).casefold(), grade, graded[0], True, True)
    yield from _kept_ones(said, text, who)
    if owner == who and (hour := _IS_AT.match(said.rest)):
        yield Held("time for it", (frozenset({stem(thing)}), frozenset()), _hour(hour["hour"]), hour[0], True)
    if owner == who and (day := _IS_ON.match(said.rest)):
        about = frozenset(stem(word) for word in (*thing.split(), *day["head"].split()))
        yield Held("day for it", about, stem(day["day"].casefold()), day[0], True)
    if owner == who and thing not in lexicon.PERSON and (spot := _IS_IN.match(said.rest)):
        of = _head(f"{thing} {spot['head']}".strip())
        yield Held("place for it", of, spot["value"], spot[0], _is_told_now(said, text))
    yield from _rhythm(said, text, who)
    yield from _companions(said, who)


def _kept_ones(said: Wording, text: str, who: str) -> Iterator[Held]:
    """Whom one goes to, and what one likes best."""
    text = SPOKEN.sub("", text)
    liked = _FAVOURITE.match(text)
    if liked is not None and liked["who"].casefold() == who:
        yield Held(_of_spelling(liked["of"]), "", liked["value"], liked[0], False)
    found = _FOUND_ONE.match(said.rest) if said.subject == who else None
    if found is not None:
        yield Held(_of_spelling(found["of"]), "", found["value"].strip(), found[0], True, True)
    kept = _KEPT_ONE.match(text)
    if kept is not None and kept["who"].casefold() == who:
        yield Held(kept["of"], "", kept["value"].strip(), kept[0], True)


def _of_spelling(role: str) -> str:
    return role.replace("favourite", "favorite")


def _companions(said: Wording, who: str) -> Iterator[Held]:
    """With whom something is done again and again, or that it is done alone."""
    told = (_WITH_WHOM.match(said.rest) or _NOW_ALONE.match(said.rest)) if said.subject == who else None
    if told is not None and not real_moods(said):
        alone = not told["whom"].startswith("with ")
        doing = frozenset(stem(word) for word in told["of"].split())
        yield Held("company", doing, "alone" if alone else told["whom"], told[0], alone)


def differ(old: str, new: str) -> bool:
    """Whether two values are not one in more or less detail ("Paris", "Paris, France")."""
    one, other = ({stem(word) for word in re.findall(r"[^\W_]+", value.casefold())} for value in (old, new))
    return not (one <= other or other <= one) or bool((one ^ other) & _TURNING)


def _brands(said: Wording, text: str, who: str) -> Iterator[Held]:
    begun = bool(_REPLACES.search(text))
    for match in _BRAND.finditer(text):
        if match["value"].casefold() != who:
            yield Held("make of it", match["of"], match["value"], match[0], begun, True)
    for named in _IS_BRAND.finditer(text):
        if named["who"].casefold() == who:
            yield Held("make of it", named["of"], named["value"], named[0], begun)


def _rhythm(said: Wording, text: str, who: str) -> Iterator[Held]:
    """When something is done again and again: its hour, and its days of the week."""
    told_now = _is_told_now(said, text)
    if said.subject == who and (reason := _BECAUSE.search(said.rest)):
        said = wording(f"{capwords(who)} {said.rest[: reason.start()]}")  # whose day is another's
    reset = _RESET.match(said.rest) if said.subject == who else None
    if reset is not None and not real_moods(said):
        thing = frozenset(stem(word) for word in re.findall(r"[^\W_]+", reset["thing"].casefold()))
        yield Held(RESET, thing, _hour(_CLOCK.findall(reset[0])[-1]), reset[0], True)
        return
    if (
        said.subject != who
        or said.past
        or real_moods(said) - {"attempt"}
        or not re.match(r"(?:\w+ )?(?:has been \w+ing|\w+s)\b", said.rest)
    ):
        return
    if re.match(rf"{ADVERBS}(?:is|has)\b(?! been| (?:{_HAD_AGAIN})\b)", said.rest):
        return
    days = tuple(word for word in said.words if word in _WEEKDAYS)
    hours = _CLOCK.findall(said.rest)
    doing = tuple(w for w in said.words if w not in said.figures | _WEEKDAYS | _BESIDE_THE_HOUR)
    about, doing = frozenset(doing), doing[:1]
    if len(hours) == 1 and about:
        hour = _hour(hours[0])
        yield Held(
            "time for it", (about, frozenset(days)), hour, said.rest, True, False, doing, days, told_now
        )
    what = about - set(said.words[:1])
    if days and not hours and what:
        yield Held("day for it", what, " ".join(days), said.rest, True, False, doing, days, told_now)


def _is_told_now(said: Wording, text: str) -> bool:
    """Whether it is told as so by the day on which it was said."""
    return SPOKEN.match(text) is not None or _NOW.search(said.rest) is not None


def _hour(written: str) -> str:
    """ "7 am" as "7:00 am"."""
    return re.sub(r"^(\d+)(?![\d:])", r"\1:00", written.strip().lower()).replace(".", "")


def _head(of: str) -> Hashable:
    """The last word of what it is about, before "of" and the like: the thing itself. With its title, if it
    bears one: two paintings are two things."""
    title = _TITLE.search(of)
    if title is not None:
        return _head(_TITLE.sub("", of)), title[0].strip('"“”').casefold()
    words = re.split(r" (?:of|from|with|that|for|by) ", of.casefold())[0].split()
    return stem(words[-1]) if words else ""
