"""What somebody has one of at a time, as data: the phrases that tell it, and those that tell its change.

Further relations of the kind that `endings` has (home, employer, age). Each has phrases for what holds and
for what has begun; `value` in them is what it is, `of` what it is about, where one may have several (where
which thing stands, what is used for which purpose). English.
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

_ADVERBS = r"(?:(?:also|now|currently|still|recently|just|really|already|actually|finally|lately) )*"
_END = (
    r"(?=$|[.,;!(]| (?:since|for|because|where|which|who|now|and|but|while|after|until|before|so|this|last"
    r"|instead|as (?:it )?is|these|lately|recently|to|in \d|in [A-Z]\w+ \d|on \d|in the week"
    r"|on the (?:weekend|morning|afternoon|evening|night))\b)"
)
_NOW = "(?:now|currently|nowadays|these days|lately)"
_A = r"(?:(?:an?|the|(?:[A-Z][\w-]*['’]s?)) )?"
_NAMES = r"(?P<value>(?:[A-Z]|i[A-Z])[\w&'-]*(?: (?:[A-Z][\w&'-]*|\d+))*)"
_DIETS = "|".join(sorted(lexicon.DIETS | {"keto", "flexitarian", "carnivore", "omnivore"}))
_DIET, _DIET_OF = rf"(?P<value>{_DIETS})\b", rf"(?P<eaten>{_DIETS})\b"
_WHERE = (
    r"(?:above|below|under|underneath|beneath|behind|beside|next to|on top of|in|on|at|near"
    r"|by(?! [A-Z]\w+ [A-Z])|over|inside)"
)
_THING = rf"{_A}(?P<of>(?!to\b)[\w'\"“” -]{{2,60}}?)"
_SPOT = rf"(?P<value>{_WHERE} {_A}(?!a while|order|general|time\b)[\w' -]{{2,30}}?)"
_PURPOSE = r"(?:for|to) (?P<of>[\w' -]{3,40}?)"
_SINGLE = (
    "dishwasher fridge refrigerator oven stove microwave dryer washer thermostat vacuum router tv television "
    "laptop phone smartphone smartwatch car truck suv mattress bank"
).split()
_ROLES = (
    "dentist|doctor|therapist|trainer|coach|landlord|manager|boss|tutor|hairdresser|barber|gym|major|mentor"
    "|hairstylist|stylist|vet|veterinarian|psychiatrist|psychologist|dermatologist|pediatrician|physiotherapist"
    "|cardiologist|physical therapist|optometrist|accountant|lawyer|attorney|real estate agent|realtor|nanny"
    "|babysitter|dog walker|cleaner|supervisor|advisor|adviser|editor|piano teacher|guitar teacher"
    "|instructor|internet provider|phone carrier|roommate|flatmate|bank"
)
_TRAINS = rf"(?:training|preparing|practi[sc]ing) for {_A}(?:first |next |second )?(?P<value>[\w' -]+?){_END}"
_READS = (
    rf"(?:is|has been) (?:currently |now |presently )(?P<of>reading|watching|listening to) ['\"“]?{_NAMES}"
)
_POSITION = rf"(?P<value>(?:[\w-]+ ){{0,3}}?(?P<of>[a-z]+))(?= (?:at|in|with|for|of)\b|{_END[3:-1]})"
_LEAVES = "(?:will |is going to )(?:make sure to )?(?:leave|keep)"
_CRAVES = (
    r"(?:is|has been) (?:\w+ly |now |so )*(?:obsessed with|hooked on|addicted to|really into|crazy about)"
)
_TO_WORK = r"to (?:work|the office|school|campus|university)"
_BY = "bus|train|tram|subway|metro|tube|ferry|bike|bicycle|car|scooter|motorcycle|carpool|shuttle|streetcar|e-bike"
_ON_ONES_OWN = "bik(?:es?|ing)|cycl(?:es?|ing)|walk(?:s|ing)?|driv(?:es?|ing)|carpool(?:s|ing)?|run(?:s|ning)?"
_RIDES = (
    r"(?:(?:usually|normally|typically|always|mostly|generally|just|recently|now|finally) )*"
    r"(?:(?:has|is) (?:now |lately |just |recently |also )*)?"
    r"(?:(?:started|begun|been|switched to|back to) )?"
    rf"(?:(?:commut(?:es|ing)|(?:go(?:es|ing)|gets|getting|travel(?:s|ing|ling)) {_TO_WORK}) (?:by|on|via) {_A}"
    rf"(?P<value>{_BY})|(?:tak(?:es|ing)|rid(?:es|ing)|us(?:es|ing)) {_A}(?P<ridden>{_BY}) {_TO_WORK}"
    rf"|(?P<eaten>{_ON_ONES_OWN}) {_TO_WORK})\b"
)
_BY_NOW = rf"(?=.*\b{_NOW}\b|(?:(?:has|is) |recently |just |finally )+(?:started|begun|been|switched|back)\b|started\b)"
_HOME = (
    r"(?:an?|[A-Z][\w-]*['’]s?) (?:[\w-]+ ){0,3}?(?:flat|apartment|house|home|studio|condo|loft|dorm|townhouse"
    r"|cottage|basement)(?: [\w' -]+?)?"
)
_MODEL = r"(?:new |old )?(?P<of>i?[A-Z]\w+) (?P<value>\d\w*(?: (?:Pro|Plus|Max|Mini|Ultra))*)\b"
_KEEPS = "keeps|stores|has been (?:keeping|storing)|is (?:now )?(?:keeping|storing)"


@dataclass(frozen=True, slots=True)
class Relation:
    """One value at a time, of what `of` says. `lasting`: a deed that leaves it so tells it too ("hung the
    picture above the sofa"). `as_of`: what is so as of a day has begun by then."""

    name: str
    holds: re.Pattern[str]
    becomes: re.Pattern[str]
    lasting: bool = False
    as_of: bool = False


def _relation(name: str, holds: str, becomes: str, *, lasting: bool = False) -> Relation:
    holding, beginning = (re.compile(_ADVERBS + f"(?:{verb})") for verb in (holds, becomes))
    return Relation(name, holding, beginning, lasting)


def _as_of_now(name: str, holds: str) -> Relation:
    """What holds is told in the same words whether it is new or not: it has begun where "now" stands by."""
    holding = re.compile(_ADVERBS + f"(?:{holds})")
    return Relation(name, holding, re.compile(rf"(?=.*\b{_NOW}\b){holding.pattern}"), as_of=True)


RELATIONS = (
    _relation(
        "diet",
        rf"(?:is|has been) {_ADVERBS}(?:an? )?(?:\w+ )?{_DIET}"
        rf"|(?:eats|follows|is (?:on|following)|has been (?:on|following)) an? (?:\w+ )?{_DIET_OF}",
        r"(?:is now|became|went|turned|(?:has )?(?:gone|become|turned|switched to|changed to|moved to)) "
        rf"(?:(?:an?|being|eating|\w+ly|more) )*{_DIET}",
    ),
    _relation(
        "event to train for",
        rf"(?:is |has been ){_TRAINS}",
        rf"(?:is |has been |is now |(?:has )?(?:switched|changed) to ){_TRAINS}",
    ),
    _relation(
        "place for it",
        rf"(?:{_KEEPS}|(?:has )?(?:hung|put|placed|mounted|set up)|has|has had|{_LEAVES}) "
        rf"{_THING} {_SPOT}{_END}",
        rf"(?:{_KEEPS}|(?:has )?(?:moved|relocated|transferred|rehung)|has started (?:keeping|storing)) "
        rf"{_THING}(?: from [\w' -]+?)?(?:(?: to)? {_SPOT}| (?P<to>to {_A}(?!a\b|the (?:next|same|top)\b)"
        rf"[a-z][\w' -]{{2,30}}?)){_END}",
        lasting=True,
    ),
    _relation(
        "means for that",
        rf"(?:uses|is using|has been using|relies on) {_A}{_NAMES}(?: [a-z]+)? {_PURPOSE}{_END}",
        r"(?:(?:has |has been )?(?:switched|moved|changed|switching) to(?: using)?|now uses|is now using"
        rf"|(?:has )?started using) {_A}{_NAMES}(?: [a-z]+)? {_PURPOSE}{_END}",
    ),
    _relation("thing at hand", _READS, _READS),
    _as_of_now("favourite of the moment", rf"{_CRAVES} {_A}{_NAMES}(?:['’]s)? (?P<of>[a-z][a-z -]+?){_END}"),
    Relation("way to work", re.compile(_RIDES), re.compile(_BY_NOW + _RIDES), as_of=True),
    _relation(
        "job",
        rf"(?:works|is working|has been working|has worked) (?:as {_A}|at {_A}|for {_A})(?P<value>[A-Za-z][\w&' -]+?){_END}",
        r"(?:has )?(?:recently |just |finally )*(?:started|got|landed|accepted|took|began) (?:an?|[A-Z][\w-]*['’]s?) "
        rf"(?:\w+ )?new (?:\w+ )?(?:job|role|position) (?:as|at|with|for) {_A}(?P<value>[A-Za-z][\w&' -]+?){_END}",
    ),
    _relation(
        "home",
        rf"(?:lives|is living|has been living|rents|is renting|has been renting)(?: in)? (?P<value>{_HOME}){_END}",
        rf"(?:has )?(?:recently |just |finally )*moved (?:back )?(?:in ?to|out to|to) (?P<value>{_HOME}){_END}",
    ),
    _relation(
        "model",
        rf"(?:has|owns|uses|is using|has had|has been using) {_A}{_MODEL}",
        rf"(?:has )?(?:recently |just |finally )*upgraded (?:[\w' -]+? )?to {_A}{_MODEL}",
    ),
    _as_of_now("car", rf"drives {_A}{_NAMES}{_END}"),
    _relation(
        "position",
        rf"is an? {_POSITION}",
        rf"(?:(?:was|got|has been) promoted to|became|has become|is now) {_A}{_POSITION}",
    ),
)
_BRAND = re.compile(
    rf"\b(?:[A-Z][\w-]*['’]s?|[Aa]n?|[Tt]he)(?: (?:old|new|trusty|current))* {_NAMES} "
    rf"(?P<of>{'|'.join(_SINGLE)})\b"
)
_IS_BRAND = re.compile(
    rf"\b(?P<who>[A-Z][\w-]*)['’]s? (?:new |old |current )?(?P<of>{'|'.join(_SINGLE)}) is (?:now )?"
    rf"(?:an? |from )?(?:new )?{_NAMES}{_END}"
)
_REPLACES = re.compile(r"\b(?:new|replaced?|upgraded|switched|traded|now)\b")
_KEPT_ONE = re.compile(
    rf"^(?P<who>[^\W\d_a-z][\w-]*)['’]s? (?:new |current )?(?P<of>{_ROLES})(?: is(?: now)?|,) "
    rf"(?P<value>(?:(?:Dr|Mr|Ms|Mrs|Prof)\.? )?[A-Z][\w -]*?){_END}"
)
_FAVOURITE = re.compile(
    r"^(?P<who>[^\W\d_a-z][\w-]*)['’]s? (?:new |current )?(?P<of>favou?rite [a-z -]+?) is (?:now )?"
    rf"(?P<value>[^.;!]+?){_END}"
)
_FOUND_ONE = re.compile(
    rf"(?:{_ADVERBS}(?:has|found|got|is seeing|has been seeing|started seeing|switched to|changed to"
    rf"|is working with|started working with|hired) a new (?P<of>{_ROLES}|favou?rite [a-z -]+?)(?: now)?"
    rf"(?:,| named| called|:| -) (?P<value>(?:(?:Dr|Mr|Ms|Mrs|Prof)\.? )?[A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*))"
)
"""Somebody new in the place of another: "has a new dentist, Dr. Park"."""
_TITLE = re.compile(r"[\"“][^\"”]+[\"”]")
_CLOCK = re.compile(
    r"\b(?:at |around |about )*(\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\b\.?)|\d{1,2}:\d\d|noon|midnight)", re.I
)
LEAVES = re.compile(rf"{_ADVERBS}{_LEAVES} {_THING} {_SPOT}{_END}")
"""Who leaves something where it is tells where it is, plan or not."""
_GRADES = "status|tier|membership|rank|belt|level"
_GRADE = re.compile(
    rf"\b(?:has|holds|hit|reached|got|earned|achieved|gained|eligible for|(?:upgraded|promoted|moved up) to) "
    rf"(?:(?:an?|the|[A-Z][\w-]*['’]s?) )?(?P<value>(?:[A-Z][\w-]* )+|[a-z]+ (?=belt\b))(?P<of>{_GRADES})\b"
)
_IS_AT = re.compile(
    rf"is {_ADVERBS}(?:set )?(?:at|for|around)? ?(?P<hour>{_CLOCK.pattern})(?! to| until| for)", re.IGNORECASE
)
_IS_ON = re.compile(
    rf"(?P<head>(?:[a-z]+ )*?)(?:(?:is|are) {_ADVERBS}(?:on|every|held on)|(?:(?:has|have|was|were|is|are|got|been|now) )*"
    rf"(?:moved|changed|switched|shifted) to) (?P<day>(?:{'|'.join(calendar.day_name)}))s?\b"
)
_IS_IN = re.compile(rf"(?P<head>(?:[a-z]+ )*?)(?:is|are) {_ADVERBS}{_SPOT}{_END}")
LESSON = frozenset(map(stem, "class lesson session practice meeting rehearsal training course".split()))
"""What is left out of "yoga class" when one goes to yoga."""
_WHOM = r"(?P<whom>alone|solo|by (?:them|him|her)sel(?:f|ves)|with [\w' -]+?)"
_DOES = r"(?P<of>[a-z]+(?: (?!with\b)[a-z]+){0,3}?)"
_WITH_WHOM = re.compile(rf"(?:usually|always|normally|typically|generally|mostly) {_DOES} {_WHOM}{_END}")
_NOW_ALONE = re.compile(rf"(?:now |lately |is now |has been |has started |started )+{_DOES} {_WHOM}{_END}")
_RESET = re.compile(
    rf"{_ADVERBS}(?:has )?(?:shifted|moved|changed|pushed|switched|set) {_A}(?P<thing>[\w' -]{{3,40}}?)"
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
_ONE_WAY = {"cycl": "bike", "bicycl": "bike", "drive": "car", "metro": "subway", "tube": "subway"}
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
                    if relation.name == "way to work":
                        value = _ONE_WAY.get(stem(value), stem(value))
                    of = _head(groups.get("of") or "")
                    yield Held(relation.name, of, value.strip(), match[0], begun, relation.lasting)
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
        begun = SPOKEN.match(text) is not None or re.search(rf"\b{_NOW}\b", said.rest) is not None
        yield Held("place for it", _head(f"{thing} {spot['head']}".strip()), spot["value"], spot[0], begun)
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
    told_now = SPOKEN.match(text) is not None or re.search(rf"\b{_NOW}\b", said.rest) is not None
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
    if re.match(rf"{_ADVERBS}(?:is|has)\b(?! been| (?:{_HAD_AGAIN})\b)", said.rest):
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


def real_moods(said: Wording) -> frozenset[str]:
    """The moods of what is said, without the plan that "has been going to bed" is not."""
    return said.moods - {"plan"} if re.match(r"(?:\w+ )?has been going to\b", said.rest) else said.moods


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
