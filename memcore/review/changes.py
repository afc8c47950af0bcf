"""Rules for a value that was replaced: another diet, another place of the same thing, one thing given up for
another. The older statement stays with its end; the newer takes its place.
"""

from __future__ import annotations

import calendar
import re
from string import capwords

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.wording import CONDITION
from memcore.review.firmness import firmness
from memcore.review.pairs import (
    Finding,
    Statement,
    is_later,
    on,
    part,
    person,
    same_subject,
    tells_plainly,
)
from memcore.review.relations import LEAVES, LESSON, RESET, Held, differ, held
from memcore.review.superseding import superseding_text

_WISHED = frozenset({"plan", "condition", "able"})
_FROM_TO = re.compile(
    r"\b(?P<verb>switched|changed|upgraded|moved|went|gone|swapped|traded|replaced)(?: over)?"
    r"(?: (?:in|out))?(?P<off> from)? (?P<was>[^.;,]+?) (?P<how>to|with|for|by) (?P<now>[^.;,]+)",
    re.IGNORECASE,
)
_TO_REPLACE = re.compile(
    r"^(?:\w+ly |also |just |has |now )*"
    r"(?:got|bought|purchased|ordered|picked up|adopted|chose|installed|hired) (?P<now>[^.;,]+?) "
    r"(?:to replace|as a replacement for|in place of) (?P<was>[^.;,]+)"
)
_USED_TO = re.compile(
    r"^(?:\w+ly |also )*used to (?P<deed>[^.;,]+?)(?=$|[.;,]| (?:but|and|when|in|before|until|for|back)\b)"
)
_NOT_IN = re.compile(
    r"^(?:has not|hasn['’]t) (?:really |actually )?(?P<deed>[^.;,]+?) (?:in|for) "
    r"(?:a (?:long )?while|ages|years"
    r"|months|weeks|a long time|\w+ (?:years|months))\b"
)
_UNDER_WAY = re.compile(
    r"\b(?:reading|watching|listening to|playing|writing|working (?:on|through)|(?:halfway|partway) through"
    r"|in the middle of|meaning to (?:get back to|finish|read|watch)|has not finished|hasn['’]t finished"
    r"|stuck on|started|picked up) (?:the (?:book|novel|series|game|film|movie|show) )?"
    r"[\"“](?P<title>[^\"”]+)[\"”]"
)
_FINISHED = re.compile(
    r"\b(?:finished|completed|done with|got through)(?: (?:reading|watching|listening to|playing|writing))?"
    r"(?: the (?:book|novel|series|game|film|movie|show))? [\"“](?P<title>[^\"”]+)[\"”]"
)
_TIME = re.compile(
    rf"\b(?:{'|'.join((*calendar.month_name[1:], *calendar.day_name))})s?\b|\d ?[ap]m\b|\d:\d\d",
    re.IGNORECASE,
)
_PUT = (
    r"(?:rescheduled|rebooked|changed|postponed|pushed|put off|delayed|brought forward|moved)"
    r"(?: back| forward| out)?"
)
_WAS_MOVED = re.compile(
    rf"^(?P<head>(?:[a-z]+ ){{0,2}}?)(?:to [\w ]+? )?(?:was|were|is|are|has been|have been|has|have|got)"
    rf"(?: now)? {_PUT} (?:to|until) (?=.*{_TIME.pattern})"
)
_MOVED = re.compile(
    rf"^(?:had to |has |just |also )*{_PUT} (?P<of>[^.;,]+?) (?:from [\w ]+? )?(?:(?:back|forward) )?"
    rf"(?:to|until|for) (?=(?:[\w.-]+ ){{0,2}}?(?:{_TIME.pattern}))"
)
_GOING = frozenset(map(stem, "trip visit journey holiday vacation plan appointment".split()))
"""What "visits Japan" becomes once it is moved: "the trip to Japan"."""
_UNDECIDED = re.compile(rf"\b(?:{CONDITION})\b")
_INSTEAD_OF = re.compile(r"(?P<now>[^.;]+?) (?:instead of|rather than) (?P<was>[^.;,]+?)(?=$|[.;,])")
_SAYING = frozenset(
    map(stem, "think consider plan decide want hope usual most day now current be have been go week".split())
)
"""Words by which it is told that something is so or intended, and which say nothing of what."""
_LITTLE = frozenset(map(stem, "have own use drive ride be old new trusty current buy get".split()))
_OWN = re.compile(r"^[A-Z][\w-]*['’]s? ")
""" "Ann's" in "traded Ann's Honda for a van"."""
MORE_WORDS = 3
"""Content words that the older statement may have beyond what was given up: what it is about is that."""


def changed_value(older: Statement, newer: Statement) -> Finding | None:
    """Another value of what one has one of at a time (`relations`)."""
    who = person(older)
    tells = tells_plainly(older) or LEAVES.match(older.said.rest)
    if not (who and who == person(newer) and is_later(newer, older) and tells and tells_plainly(newer)):
        return None
    before = [h for h in held(older.said, older.told, who) if h.lasting or older.is_ongoing]
    after = [h for h in held(newer.said, newer.told, who) if h.begun or h.relation == "diet"]
    for was in before:
        for now in after:
            if _is_of_the_same(was, now) and _replaces(was, now):
                reason = (
                    f"“{was.value}”{on(older)}, “{now.value}”{on(newer)}: "
                    f"{capwords(who)} has one {was.relation} at a time."
                )
                text = superseding_text(older, newer, was.words)
                return Finding("new value", "update", text, reason, "high", ends=True)
    return None


def given_up_for_another(older: Statement, newer: Statement) -> Finding | None:
    """ "Replaced the Bosch with a Siemens": what the older statement says one has, uses or is was changed for
    something else."""
    thing = older.said.subject.partition("'s ")[2]
    theirs = person(older) == person(newer) == newer.said.subject != "" and thing not in lexicon.PERSON
    if not (is_later(newer, older) and theirs and tells_plainly(older) and tells_plainly(newer)):
        return None
    change = _TO_REPLACE.match(newer.said.rest) or _FROM_TO.search(newer.said.rest)
    if change is None or not older.is_ongoing or not ("verb" not in change.groupdict() or _exchanges(change)):
        return None
    was = {w for w in part(older, "the " + _OWN.sub("", change["was"])).words if w not in _LITTLE}
    told = [w for w in older.said.words if w not in _LITTLE]
    if not was or not was <= set(told) or len(told) > len(was) + MORE_WORDS:
        return None
    reason = f"“{change['was']}”{on(older)} was given up for “{change['now']}”{on(newer)}."
    return Finding(
        "given up for another",
        "update",
        superseding_text(older, newer, older.said.rest),
        reason,
        "high",
        ends=True,
    )


def done_instead(older: Statement, newer: Statement) -> Finding | None:
    """ "Cycles to work instead of taking the bus": what the older statement tells as so, or intended, and
    nothing else, is done, or intended as firmly, in another way."""
    if not (is_later(newer, older) and same_subject(older, newer)) or newer.said.past:
        return None
    if "statement" in (older.memory.kind, newer.memory.kind) or older.memory.kind == "event":
        return None
    if older.said.negations or newer.said.negations or firmness(newer) < firmness(older):
        return None
    instead = _INSTEAD_OF.match(newer.said.rest)
    if instead is None or _UNDECIDED.search(newer.said.rest):
        return None
    was = set(part(newer, instead["was"]).words) - _LITTLE
    told = set(older.said.words) - _SAYING
    if not was or not was <= told or told - was - set(newer.said.words):
        return None
    now = set(part(newer, instead["now"]).words) - _SAYING
    if not (now & (told - was) or (len(was) > 1 and told <= was)):
        return None
    reason = f"“{older.memory.text}”{on(older)}, but{on(newer)}: “{newer.memory.text}”."
    text = superseding_text(older, newer, older.said.rest)
    return Finding("done instead", "update", text, reason, "high", ends=True)


def no_longer_done(older: Statement, newer: Statement) -> Finding | None:
    """What is done is later said to have been done once: "used to play", "has not played in years"."""
    if not (is_later(newer, older) and same_subject(older, newer)):
        return None
    if not older.is_ongoing or not older.is_plain or older.memory.kind in ("event", "plan"):
        return None
    over = _USED_TO.match(newer.said.rest) or _NOT_IN.match(newer.said.rest)
    if over is None:
        return None
    deed, done = part(newer, over["deed"]).words, older.said.words
    if len(deed) < 2 or deed[:1] != done[:1] or not set(deed) <= set(done):
        return None
    reason = f"“{older.memory.text}”{on(older)}, but{on(newer)}: “{newer.memory.text}”."
    text = superseding_text(older, newer, older.said.rest)
    return Finding("no longer done", "update", text, reason, "high", ends=True)


def finished(older: Statement, newer: Statement) -> Finding | None:
    """What somebody was reading, watching or at work on is told as finished."""
    who = person(older)
    if not (who and who == person(newer) and is_later(newer, older)) or newer.said.negations:
        return None
    if (
        newer.memory.kind in ("plan", "statement")
        or older.memory.kind == "statement"
        or newer.said.moods & _WISHED
    ):
        return None
    at_work = {m["title"].casefold() for m in _UNDER_WAY.finditer(older.said.rest)}
    done = next((m for m in _FINISHED.finditer(newer.said.rest) if m["title"].casefold() in at_work), None)
    if done is None:
        return None
    reason = f"“{done['title']}” was under way{on(older)} and finished{on(newer)}: “{newer.memory.text}”."
    return Finding("finished", "invalidate", None, reason, "high", ends=True)


def rescheduled(older: Statement, newer: Statement) -> Finding | None:
    """What was to be at one time was put off or brought forward to another."""
    if (
        not is_later(newer, older)
        or newer.said.negations
        or older.said.past
        or not _TIME.search(older.said.rest)
    ):
        return None
    passive, active = _WAS_MOVED.match(newer.said.rest), _MOVED.match(newer.said.rest)
    if passive is not None:
        same = "'s " in newer.said.subject and same_subject(older, newer)
        same = same and older.said.rest.startswith(passive["head"])
    elif active is not None:
        what = {*older.said.words, *part(older, older.said.subject.partition("'s ")[2]).words}
        moved = set(part(newer, active["of"]).words)
        named = moved - _GOING
        same = person(older) == person(newer) and (moved <= what or (bool(named) and named <= what))
    else:
        return None
    if not same:
        return None
    reason = f"“{older.memory.text}”{on(older)}; {on(newer).strip()}: “{newer.memory.text}”."
    text = superseding_text(older, newer, older.said.rest)
    return Finding("rescheduled", "update", text, reason, "medium", ends=True)


def _is_of_the_same(was: Held, now: Held) -> bool:
    """Whether both give a value to the same thing."""
    if (was.relation, now.relation) == ("time for it", RESET) and isinstance(was.of, tuple):
        return isinstance(now.of, frozenset) and now.of <= was.of[0]  # "does yoga before work", "the yoga"
    if was.relation != now.relation:
        return False
    if was.relation == "time for it" and now.told_now:
        alike = was.days == now.days and was.doing == now.doing != ()
        return alike and _as_much(_words(was), _words(now))
    if was.relation != "day for it":
        return was.of == now.of
    if not now.doing:  # told of the thing itself: "Ann's yoga is on Mondays"
        return _words(was) - LESSON == _words(now) - LESSON
    if now.told_now:
        return was.doing == now.doing and _as_much(_words(was), _words(now))
    return was.of == now.of and len(_words(now)) > 1


def _words(held: Held) -> frozenset[str]:
    """What is done again and again, by its words."""
    of = held.of[0] if isinstance(held.of, tuple) else held.of
    return of if isinstance(of, frozenset) else frozenset()


def _as_much(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one of the two has all the words of the other."""
    return one <= other or other <= one


def _replaces(was: Held, now: Held) -> bool:
    if isinstance(was.of, tuple):  # hours, as figures
        return was.value != now.value
    return differ(was.value, now.value)


def _exchanges(change: re.Match[str]) -> bool:
    """Whether the verb and its particles tell of an exchange: "replaced x with y", "switched from x to y"."""
    swapped = change["verb"].lower() in ("swapped", "traded", "replaced")
    return (swapped and change["how"] != "to" and not change["off"]) or (
        not swapped and bool(change["off"]) and change["how"] == "to"
    )
