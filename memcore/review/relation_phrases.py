"""What somebody has one of at a time, as data: the phrases that tell it, and those that tell its change.

Further relations of the kind that `endings` has (residence, employer, age). Each has phrases for what holds
and for what has begun; `value` in them is what it is, `of` what it is about, where one may have several
(where which thing stands, what is used for which purpose). English.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import FIGURES, stem

ADVERBS = r"(?:(?:also|now|currently|still|recently|just|really|already|actually|finally|lately) )*"
END = (
    r"(?=$|[.,;!(]| (?:since|for|because|where|which|who|now|and|but|while|after|until|before|so|this|last"
    r"|instead|as (?:it )?is|these|lately|recently|to|in \d|in [A-Z]\w+ \d|on \d|in the week"
    r"|on the (?:weekend|morning|afternoon|evening|night))\b)"
)
NOW = "(?:now|currently|nowadays|these days|lately)"
A = r"(?:(?:an?|the|(?:[A-Z][\w-]*['’]s?)) )?"
NAMES = r"(?P<value>(?:[A-Z]|i[A-Z])[\w&'-]*(?: (?:[A-Z][\w&'-]*|\d+))*)"
_DIETS = "|".join(sorted(lexicon.DIETS | {"keto", "flexitarian", "carnivore", "omnivore"}))
_DIET, _DIET_OF = rf"(?P<value>{_DIETS})\b", rf"(?P<eaten>{_DIETS})\b"
_WHERE = (
    r"(?:above|below|under|underneath|beneath|behind|beside|next to|on top of|in|on|at|near"
    r"|by(?! [A-Z]\w+ [A-Z])|over|inside)"
)
_NO_PLACE = "|".join((*FIGURES, *calendar.day_name, *calendar.month_name[1:]))
THING = rf"{A}(?P<of>(?!to\b)[\w'\"“” -]{{2,60}}?)"
SPOT = rf"(?P<value>{_WHERE} {A}(?!a while|order|general|time\b|\d|(?:{_NO_PLACE})s?\b)[\w' -]{{2,30}}?)"
_PURPOSE = r"(?:for|to) (?P<of>[\w' -]{3,40}?)"
SINGLE = (
    "dishwasher fridge refrigerator oven stove microwave dryer washer thermostat vacuum router tv television "
    "laptop phone smartphone smartwatch car truck suv mattress bank"
).split()
ROLES = (
    "dentist|doctor|therapist|trainer|coach|landlord|manager|boss|tutor|hairdresser|barber|gym|major|mentor"
    "|hairstylist|stylist|vet|veterinarian|psychiatrist|psychologist|dermatologist|pediatrician|physiotherapist"
    "|cardiologist|physical therapist|optometrist|accountant|lawyer|attorney|real estate agent|realtor|nanny"
    "|babysitter|dog walker|cleaner|supervisor|advisor|adviser|editor|piano teacher|guitar teacher"
    "|instructor|internet provider|phone carrier|roommate|flatmate|bank"
)
_TRAINS = rf"(?:training|preparing|practi[sc]ing) for {A}(?:first |next |second )?(?P<value>[\w' -]+?){END}"
_READS = (
    rf"(?:is|has been) (?:currently |now |presently )(?P<of>reading|watching|listening to) ['\"“]?{NAMES}"
)
_POSITION = rf"(?P<value>(?:[\w-]+ ){{0,3}}?(?P<of>[a-z]+))(?= (?:at|in|with|for|of)\b|{END[3:-1]})"
KEEPS_IT = "(?:will |is going to )(?:make sure to )?(?:leave|keep)"
_CRAVES = (
    r"(?:is|has been) (?:\w+ly |now |so )*(?:obsessed with|hooked on|addicted to|really into|crazy about)"
)
_TO_WORK = r"to (?:work|the office|school|campus|university)"
_BY = "bus|train|tram|subway|metro|tube|ferry|bike|bicycle|car|scooter|motorcycle|carpool|shuttle|e-bike"
_ON_ONES_OWN = (
    "bik(?:es?|ing)|cycl(?:es?|ing)|walk(?:s|ing)?|driv(?:es?|ing)|carpool(?:s|ing)?|run(?:s|ning)?"
)
_RIDES = (
    r"(?:(?:usually|normally|typically|always|mostly|generally|just|recently|now|finally) )*"
    r"(?:(?:has|is) (?:now |lately |just |recently |also )*)?"
    r"(?:(?:started|begun|been|switched to|back to) )?"
    rf"(?:(?:commut(?:es|ing)|(?:go(?:es|ing)|gets|getting|travel(?:s|ing|ling)) {_TO_WORK}) (?:by|on|via) "
    rf"{A}(?P<value>{_BY})|(?:tak(?:es|ing)|rid(?:es|ing)|us(?:es|ing)) {A}(?P<ridden>{_BY}) {_TO_WORK}"
    rf"|(?P<eaten>{_ON_ONES_OWN}) {_TO_WORK})\b"
)
_BY_NOW = (
    rf"(?=.*\b{NOW}\b|(?:(?:has|is) |recently |just |finally )+(?:started|begun|been|switched|back)\b"
    r"|started\b)"
)
_ONE_WAY = {"cycl": "bike", "bicycl": "bike", "drive": "car", "metro": "subway", "tube": "subway"}
_HAS_JUST = "(?:has )?(?:recently |just |finally )*"
_PLACE_OR_WORK = r"(?P<value>[A-Za-z][\w&' -]+?)"
_HOME = (
    r"(?:an?|[A-Z][\w-]*['’]s?) (?:[\w-]+ ){0,3}?(?:flat|apartment|house|home|studio|condo|loft|dorm"
    r"|townhouse|cottage|basement)(?: [\w' -]+?)?"
)
_MODEL = r"(?:new |old )?(?P<of>i?[A-Z]\w+) (?P<value>\d\w*(?: (?:Pro|Plus|Max|Mini|Ultra))*)\b"
_KEEPS = "keeps|stores|has been (?:keeping|storing)|is (?:now )?(?:keeping|storing)"


@dataclass(frozen=True, slots=True)
class Relation:
    """One value at a time, of what `of` says. `lasting`: a deed that leaves it so tells it too ("hung the
    picture above the sofa"). `as_of`: what is so as of a day has begun by then. `as_value`: what is told as
    the value it is, where several words tell one."""

    name: str
    holds: re.Pattern[str]
    becomes: re.Pattern[str]
    lasting: bool = False
    as_of: bool = False
    as_value: Callable[[str], str] = str.strip


def _way(told: str) -> str:
    """ "Cycles" and "by bike" are one way."""
    return _ONE_WAY.get(stem(told), stem(told))


def _relation(name: str, holds: str, becomes: str, *, lasting: bool = False) -> Relation:
    holding, beginning = (re.compile(ADVERBS + f"(?:{verb})") for verb in (holds, becomes))
    return Relation(name, holding, beginning, lasting)


def _as_of_now(name: str, holds: str) -> Relation:
    """What holds is told in the same words whether it is new or not: it has begun where "now" stands by."""
    holding = re.compile(ADVERBS + f"(?:{holds})")
    return Relation(name, holding, re.compile(rf"(?=.*\b{NOW}\b){holding.pattern}"), as_of=True)


RELATIONS = (
    _relation(
        "diet",
        rf"(?:is|has been) {ADVERBS}(?:an? )?(?:\w+ )?{_DIET}"
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
        rf"(?:{_KEEPS}|(?:has )?(?:hung|put|placed|mounted|set up)|has|has had|{KEEPS_IT}) "
        rf"{THING} {SPOT}{END}",
        rf"(?:{_KEEPS}|(?:has )?(?:moved|relocated|transferred|rehung)|has started (?:keeping|storing)) "
        rf"{THING}(?: from [\w' -]+?)?(?:(?: to)? {SPOT}| (?P<to>to {A}(?!a\b|the (?:next|same|top)\b)"
        rf"[a-z][\w' -]{{2,30}}?)){END}",
        lasting=True,
    ),
    _relation(
        "means for that",
        rf"(?:uses|is using|has been using|relies on) {A}{NAMES}(?: [a-z]+)? {_PURPOSE}{END}",
        r"(?:(?:has |has been )?(?:switched|moved|changed|switching) to(?: using)?|now uses|is now using"
        rf"|(?:has )?started using) {A}{NAMES}(?: [a-z]+)? {_PURPOSE}{END}",
    ),
    _relation("thing at hand", _READS, _READS),
    _as_of_now("favourite of the moment", rf"{_CRAVES} {A}{NAMES}(?:['’]s)? (?P<of>[a-z][a-z -]+?){END}"),
    Relation("way to work", re.compile(_RIDES), re.compile(_BY_NOW + _RIDES), as_of=True, as_value=_way),
    _relation(
        "job",
        rf"(?:works|is working|has been working|has worked) (?:as|at|for) {A}{_PLACE_OR_WORK}{END}",
        rf"{_HAS_JUST}(?:started|got|landed|accepted|took|began) (?:an?|[A-Z][\w-]*['’]s?) "
        rf"(?:\w+ )?new (?:\w+ )?(?:job|role|position) (?:as|at|with|for) {A}{_PLACE_OR_WORK}{END}",
    ),
    _relation(
        "home",
        rf"(?:(?:has been |is )?(?:living|renting)|lives|rents)(?: in)? (?P<value>{_HOME}){END}",
        rf"{_HAS_JUST}moved (?:back )?(?:in ?to|out to|to) (?P<value>{_HOME}){END}",
    ),
    _relation(
        "model",
        rf"(?:has|owns|uses|is using|has had|has been using) {A}{_MODEL}",
        rf"{_HAS_JUST}upgraded (?:[\w' -]+? )?to {A}{_MODEL}",
    ),
    _as_of_now("car", rf"drives {A}{NAMES}{END}"),
    _relation(
        "position",
        rf"is an? {_POSITION}",
        rf"(?:(?:was|got|has been) promoted to|became|has become|is now) {A}{_POSITION}",
    ),
)
