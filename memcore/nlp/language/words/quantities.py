"""The quantities that a standalone statement tells: how many or how much, of what, and beside which words.

Works on words alone, as `wording` does. What is no quantity of anything (dates, times of day, model numbers)
is left out, so that a rule that needs one stays silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.frequencies import phrases
from memcore.nlp.language.words.inflection import FIGURES, stem, thousands
from memcore.nlp.language.words.told_in import without_note
from memcore.nlp.language.words.wording import SPOKEN
from memcore.nlp.time_grammar.periods import MONTHS

_CLAUSE = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)[.;!?]\s+|(?<=\w)\s[-\u2013\u2014]\s+(?!\d)"
    r"|:\s+(?=[A-Z])|,\s+(?:like|as)\s+(?=[A-Z]|they\b)"
    r"|,\s+(?:and|so|but|which|because|while|since(?! (?:around |about )?(?:\d|[A-Z]\w+ \d)))\s+"
    r"|(?:,|\s+(?:and|but|so))\s+(?=[A-Z][\w'’]*(?:\s+and\s+others)?"
    r"\s+(?:is|are|was|has|have|had|might|may|will|would|wants|plans)\b)"
)
_TOKEN = re.compile(r"[$€£]?\d[\w,]*(?:[.:/-]\d[\w]*)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*|,")
"""A number, a word, or the comma that ends what is counted: "a second cat, Luna"."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_FIGURE = re.compile(
    r"(?P<money>[$€£])?(?P<number>\d[\d,]*(?:\.\d+)?)(?P<k>k)?(?P<nth>st|nd|rd|th)?(?P<share>%)?"
)
_SCORE = re.compile(r"\d{1,3}-\d{1,3}")
_RATIO = re.compile(r"\b\d{1,3}(?::| to )\d{1,3}\b")
_RACE = re.compile(r"\d{1,2}k")
_RACING = frozenset("run race time event course personal record best".split())
_YEAR = re.compile(r"(?:19|20)\d\d")
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ORDINALS = {word: str(number) for number, word in enumerate(_NTH, 1)}
_UNITS = frozenset("minute hour day night week month year dozen".split())
_MONEY = frozenset("$€£")
_AFTER_NUMBER = frozenset({"am", "pm", "o'clock"})
_SMALL = frozenset(lexicon.EMPTY | lexicon.NEGATIONS) | set(
    "now far so already currently more since during while until per each every other others behind"
    " beside above below under near between among inside outside along across around towards without"
    " from ,".split()
)
_MONTHS = frozenset(month.lower() for month in MONTHS)
_RUNNING = re.compile(
    r"\b(?:so far|now|to date|in total|altogether|already|currently|since|still|these days|each|every"
    r"|per|reached|beat|high score|makes? that|made that|(?:up|down|grown|risen|dropped) to"
    r"|highest|best|longest|fastest|record|latest|most recent|(?:pre-?)?approved for"
    r"|(?:raised|increased|extended|expanded|lowered|reduced|cut|upped|bumped|rose|fell|dropped|climbed"
    r"|(?:gone|went) (?:up|down))(?: back)?(?: [\w'’ ]{1,40}?)? to(?= (?:about |around )?[$€£\d])"
    r"|(?:just|finally|recently) (?:passed|hit|crossed|surpassed|topped))\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|already|so far|to date|in total|altogether|currently|these days|nowadays|lately"
    r"|(?:up|down|increased|grown|risen|dropped|raised|reduced|cut) to|anymore)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"^(?:['’]s? [\w -]+? )?(?:\w+ly |also |now |just |already )*(?!was\b)(?:are|have|can|\w+s)\b",
    re.IGNORECASE,
)
_BY_NOW = frozenset({("at", "the", "moment"), ("at", "this", "point")})
_ALIKE = {
    stem(word): first
    for first, *others in (
        words.split()
        for words in (
            "earn salary income wage paid pay make",
            "finish complete done",
            "best fastest quickest record personal",
            "get reach hit grow",
            "high highest beat",
        )
    )
    for word in (first, *others)
}
"""Words by which people tell the same number: they count as the first of their row."""
PARTS = frozenset(
    map(
        stem,
        "issue page episode season chapter level volume part lesson round module unit book week day".split(),
    )
)
"""What a thing is made of, one after the other: "on page 120", "finished season seven"."""
BARE_PARTS = PARTS - {"book", "week", "day"}
"""Those that are no thing of their own."""
_BARE = frozenset({"score", "frequency", "length", *BARE_PARTS})
"""Of what these are, a clause before may say."""
_POINTS = re.compile(r"(?:it|that|this|they|he|she|which)(?:['’]s)?\b", re.IGNORECASE)
_DOING = frozenset(map(stem, "do be have get finish complete reach".split())) | {"do"}
_ELAPSED = frozenset({"for", "been", "past", "last"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` of `counted` ("4" of "project", "450000" of "$", "3-2" of "score", "2 a week" of
    "frequency"; empty: nothing is named), and the other content words and names of its clause, by stem;
    `modified` are two of them, or one and what is counted, that stand side by side ("brown", "dog").
    `standing`: told as how things stand and not of one occasion. `nth`: one more of those counted before
    ("the 5th project"). `elapsed`: how long something has gone on. `told_now`: told as what it has come to by
    the day of speaking."""

    value: str
    counted: str
    words: frozenset[str]
    modified: frozenset[tuple[str, str]]
    names: frozenset[str]
    standing: bool
    nth: bool
    elapsed: bool
    clause: str
    told_now: bool = False


@lru_cache(maxsize=20_000)
def quantities(text: str, who: str) -> tuple[Quantity, ...]:
    """Every quantity of a statement about `who` (whose name is no word of it), in order. One whose own clause
    does not say of what ("It is every two weeks") takes the words of the clause before.

    >>> [(q.value, q.counted, sorted(q.words)) for q in quantities("Ann has read 4 novels so far.", "Ann")]
    [('4', 'novel', ['read'])]
    """
    lead = SPOKEN.match(text)
    as_of = _SENTENCE.split(text, maxsplit=1)[0] if lead is not None else ""
    found: list[Quantity] = []
    before: frozenset[str] = frozenset()
    for clause in clauses(text):
        for one in _of_clause(clause, who, clause.rstrip(".") in as_of):
            found.append(replace(one, words=one.words | before) if _leans(one, clause) else one)
        before = _content(clause, who)
    return tuple(found)


def _leans(quantity: Quantity, clause: str) -> bool:
    """Whether the clause before says of what it is."""
    told = len(quantity.words - _DOING)
    return (told == 0 and quantity.counted in _BARE) or (told <= 1 and bool(_POINTS.match(clause)))


def _content(clause: str, who: str) -> frozenset[str]:
    written = (re.sub(r"['’]s?$", "", token).lower() for token in _TOKEN.findall(clause))
    return frozenset(
        alike(word) for word in written if word[0].isalpha() and word not in _SMALL and word != who.lower()
    )


@lru_cache(maxsize=20_000)
def clauses(text: str) -> tuple[str, ...]:
    """The sentences of a statement, and their parts that stand by themselves.

    >>> clauses("Shortly before 2 May 2024, Ann played chess, like they do every week.")
    ('Ann played chess', 'they do every week.')
    """
    return tuple(clause.strip() for clause in _CLAUSE.split(SPOKEN.sub("", without_note(text))))


def _of_clause(clause: str, who: str, now: bool) -> Iterator[Quantity]:
    rest = re.sub(rf"^{re.escape(who)}(?: and others)?\s*", "", clause, flags=re.IGNORECASE)
    stands = now or bool(_RUNNING.search(clause) or _STANDS.match(rest))
    told = list(phrases(clause))
    without = clause
    for phrase in told:
        without = without[: phrase.start] + " " * (phrase.end - phrase.start) + without[phrase.end :]
    written = [re.sub(r"['’]s?$", "", token) for token in _TOKEN.findall(without)]
    low = [token.lower() for token in written]

    def quantity(
        value: str, what: str, places: set[int], *, nth: bool = False, elapsed: bool = False
    ) -> Quantity:
        others = [
            at
            for at, one in enumerate(low)
            if at not in places
            and one not in _SMALL
            and one != who.lower()
            and (one[0].isalpha() or _is_race(low, at))
        ]
        beside = [at - 1 for at in (*others, *places) if at - 1 in others]
        return Quantity(
            value=value,
            counted=what,
            words=frozenset(alike(low[at]) for at in others),
            modified=frozenset((alike(low[at]), alike(low[at + 1])) for at in beside),
            names=frozenset(stem(low[at]) for at in others if at and written[at][0].isupper()),
            standing=stands or nth,
            nth=nth,
            elapsed=elapsed,
            clause=clause.rstrip("."),
            told_now=now or _NOW.search(clause) is not None,
        )

    for phrase in told:
        yield quantity(phrase.value, phrase.counted, set())
    for ratio in _RATIO.finditer(clause) if "ratio" in low else ():
        yield quantity(ratio[0].replace(" to ", ":"), "ratio", set())
    for place, token in enumerate(low):
        value = _value(low, place)
        counted = _counted(low, place) if value is not None else None
        if counted is not None and counted[0] == stem(who.lower()):
            continue  # "the one Ann got"
        if value is not None and place and stem(low[place - 1]) in PARTS and not _is_ordinal(token):
            yield quantity(value, stem(low[place - 1]), {place, place - 1}, nth=True)  # "page 120"
        elif value is not None and counted is not None:
            what, last = counted
            value, what = _in_minutes(value, what)
            elapsed = place > 0 and last == place + 1 and what in _UNITS and low[place - 1] in _ELAPSED
            yield quantity(value, what, {place, last}, nth=_is_ordinal(token), elapsed=elapsed)


def alike(word: str) -> str:
    """The stem of a word, or of the word that tells the same number.

    >>> alike("salary") == alike("earns")
    True
    """
    return _ALIKE.get(stem(word), stem(word))


def _is_ordinal(token: str) -> bool:
    """ "Fifth", "5th": one more of what is counted."""
    return token in _ORDINALS or re.fullmatch(r"\d+(?:st|nd|rd|th)", token) is not None


def _value(low: Sequence[str], place: int) -> str | None:
    """The number that a word is, in figures; None: it is none, or (part of) a date or time."""
    word, following, before = low[place], _at(low, place + 1), _at(low, place - 1)
    if word in ("a", "an"):  # "an hour each day"; "$20 an hour" is a rate
        is_rate = bool(re.match(r"[$€£\d]", before))
        return "1" if stem(following) in _UNITS and not is_rate else None
    if word in ("one", "single") or word in _ORDINALS:
        counts = following not in {"", *_SMALL} or (word in _ORDINALS and following == "time")
        return _ORDINALS.get(word, "1") if counts else None
    if word in FIGURES:
        return FIGURES[word]
    if _is_race(low, place):
        return None
    if _SCORE.fullmatch(word):
        return word
    return None if {before, following} & _MONTHS or following in _AFTER_NUMBER else _figure(word)


def _in_minutes(value: str, unit: str) -> tuple[str, str]:
    """Hours as minutes, so that "30 minutes" and "an hour" are compared."""
    if unit != "hour" or not re.fullmatch(r"\d+(?:\.\d+)?", value):
        return value, unit
    return f"{float(value) * 60:g}", "minut"


def _is_race(low: Sequence[str], place: int) -> bool:
    """ "A 5k", which is no five thousand."""
    following = _at(low, place + 1)
    return bool(_RACE.fullmatch(low[place])) and (following in _RACING or following in {"", *_SMALL})


def _figure(word: str) -> str | None:
    match = _FIGURE.fullmatch(word)
    if match is None or _YEAR.fullmatch(word):
        return None
    number = match["number"].replace(",", "")
    return thousands(number) if match["k"] else number


def _at(low: Sequence[str], place: int) -> str:
    return low[place] if 0 <= place < len(low) else ""


def _counted(low: Sequence[str], place: int) -> tuple[str, int] | None:
    """What is counted, and the place of the word that says it; None: a number word that counts nothing."""
    word = low[place]
    if _SCORE.fullmatch(word) and stem(_at(low, place + 1)) not in _UNITS:  # "20-30 minutes"
        return "score", place
    if word[0] in _MONEY:
        return word[0], place
    if word.endswith("%"):
        return "%", place
    if _at(low, place + 1) in ("time", "times"):
        return "time", place + 1
    last = place + _of_these(low, place)
    begin = last
    while _at(low, last + 1) not in ("", *_SMALL) and last - begin < 3 and stem(low[last]) not in _UNITS:
        last += 1
    if last > begin:
        return stem(low[last]), last
    alone = word in FIGURES and _at(low, place + 1) in {"", "now", "so", "already", "in"}
    alone = alone or (word in FIGURES and tuple(low[place + 1 : place + 4]) in _BY_NOW)
    alone = alone or (word[0].isdigit() and not _is_ordinal(word))  # "on 17 May and 22nd"
    return ("", place) if alone else None


def _of_these(low: Sequence[str], place: int) -> int:
    """How many words stand between a number and what is counted of a set: "three of the", "five of my"."""
    if _at(low, place + 1) != "of":
        return 0
    return 2 if _at(low, place + 2) in {"the", "my", "our", "his", "her", "their", "these", "those"} else 1
