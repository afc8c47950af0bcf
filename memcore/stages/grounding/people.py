"""Whom a statement is about, and whether the message it cites tells it of them.

Whoever says "I" speaks of themselves, whoever says "you" of the other; without either, of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memcore.domain.models import Reason
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.stages.grounding.findings import NOTHING, Check
from memcore.stages.grounding.reading import Reading
from memcore.stages.grounding.said import Said, person_of

_NAME_PARTS = re.compile(r"[^\W\d_]+")
_WHOSE = re.compile(r"['’]s?$")
_TOWARDS_OTHERS = frozenset(
    stem(word)
    for word in (
        "value appreciate admire support encourage motivate praise congratulate thank acknowledge recognize "
        "respect assure reassure compliment advise recommend offer proud grateful supportive impressed"
    ).split()
)
"""What one tells of another: nobody thanks themselves by name."""

_ATTITUDES = _TOWARDS_OTHERS | frozenset(
    stem(word)
    for word in lexicon.THINKING
    | lexicon.LIKING
    | lexicon.REPORTING
    | frozenset("express emphasize suggest enthusiastic excited see view agree".split())
)
"""What only the one who speaks can tell of themselves."""

_REPORTS = frozenset(
    stem(word) for word in lexicon.REPORTING | {"said", "asked", "answered", "calls", "called"}
)
"""What one does who tells something."""

_DONE_BY_WHO_IS_TOLD = 0.9
"""How surely a statement is about who is told where the message says of them what its subject does: "You
broke three of my mugs"."""

_OF_SELF = 0.8
_OF_WHO_IS_TOLD = 0.25
"""What stands against a statement in which somebody admires themselves by name ("Ann admires Ann's courage"),
and against one about the person who was told it."""


def names_of(people: Sequence[str]) -> dict[str, str]:
    """By each name and part of a name, in small letters, the person who is called so."""
    return {
        part: person
        for person in people
        for part in (person.lower(), *_NAME_PARTS.findall(person.lower()))
        if len(part) > 1
    }


def mentioned(word: str, names: Mapping[str, str]) -> str:
    """The person a word names, also by a short form; empty: none.

    >>> mentioned("Mel's", {"melanie": "Melanie"})
    'Melanie'
    >>> mentioned("Melbourne", {"mel": "Mel"}), mentioned("The", {"theo": "Theo"})
    ('', '')
    """
    low = _WHOSE.sub("", word.lower())
    if low in names:
        return names[low]
    if word[:1].isupper() and len(low) >= 3 and low not in lexicon.EMPTY:
        return next((person for name, person in names.items() if name.startswith(low)), "")
    return ""


def subject_of(statement: Reading, names: Mapping[str, str]) -> str:
    """Whom a statement is about: the first person named; empty: none. One who only asks another something, in
    the very words ("Ann asked Bob: “…”"), is not the one that is told of."""
    places = _places(statement, names)
    return places[0][1] if places else ""


def _places(statement: Reading, names: Mapping[str, str]) -> list[tuple[int, str]]:
    """Where in a statement which person is named, from its subject on."""
    words = statement.words
    places = [(at, person) for at, word in enumerate(words) if (person := mentioned(word.text, names))]
    if len(places) > 1 and places[1][1] != places[0][1]:
        between = [word.stem for word in words[places[0][0] + 1 : places[1][0]]]
        end = words[places[1][0]].end
        if between == ["ask"] and statement.text[end : end + 1] == ":":
            return places[1:]
    return places


def check_person(statement: Reading, cited: Sequence[Said], names: Mapping[str, str]) -> tuple[Check, float]:
    """Whether the one the statement is about says it of themselves, or is told it; of who does not speak here
    anybody may tell. The second figure: 1 where the message tells the other, and only them, what is said of
    its speaker."""
    places = _places(statement, names)
    if not places or not cited:
        return NOTHING, 0.0
    first, subject = places[0]
    if any(word.is_name for word in statement.words[:first]):
        return NOTHING, 0.0
    following = [word.stem for word in statement.words[first + 1 : first + 4]]
    possessive = _WHOSE.search(statement.words[first].text) is not None
    attitudes = set() if possessive else _ATTITUDES.intersection(following)
    alone = len({person for _, person in places}) == 1
    wanted = {word.stem: word.weight for word in statement.words if word.weight}
    shares = [(said.message.speaker, *_of_whom(wanted, said)) for said in cited]
    if any(speaker == subject for speaker, _, _ in shares):
        towards = alone and all(speaker == subject and yours > 2 * mine for speaker, mine, yours in shares)
        twice = (
            bool(attitudes & _TOWARDS_OTHERS)
            and alone
            and any(not _said_of_self(statement, at, cited) for at, _ in places[1:])
        )
        return _another(_OF_SELF, subject, subject) if twice else NOTHING, float(towards)
    if any(_reports(statement, at) for at, person in places if person in {one for one, _, _ in shares}):
        return NOTHING, 0.0
    told = max(yours / (mine + yours) if mine + yours else 0.0 for _, mine, yours in shares)
    does = next((word.stem for word in statement.words[first + 1 :] if word.weight), "")
    if any(said.of_whom["you"][does] and not said.of_whom["me"][does] for said in cited):
        told = max(told, _DONE_BY_WHO_IS_TOLD)
    against = 1.0 if attitudes else 1.0 - (1.0 - _OF_WHO_IS_TOLD) * told
    return _another(against, shares[0][0], subject), 0.0


def _reports(statement: Reading, at: int) -> bool:
    """Whether the person at a place is who tells the rest: "…, Ann said", "according to Ann", "as Ann calls
    her"."""
    following = statement.words[at + 1 : at + 2]
    before = [word.text.lower() for word in statement.words[max(0, at - 2) : at]]
    return before == ["according", "to"] or any(word.stem in _REPORTS for word in following)


def _said_of_self(statement: Reading, at: int, cited: Sequence[Said]) -> bool:
    """Whether a name stands for the "I" or "my" of who spoke: before the same word as there."""
    following = next((word.stem for word in statement.words[at + 1 :] if word.weight), "")
    return any(
        word.stem == following
        and any(person_of(one.text) == "me" for one in said.reading.words[max(0, place - 4) : place])
        for said in cited
        for place, word in enumerate(said.reading.words)
    )


def _another(against: float, speaker: str, subject: str) -> Check:
    why = (
        f"{speaker} says this of somebody else."
        if speaker == subject
        else f"{speaker} says this, and not of {subject}."
    )
    return Check(against, (Reason("name", subject, why, contradicts=True),))


def _of_whom(wanted: Mapping[str, float], said: Said) -> tuple[float, float]:
    """How much of what a message shares with the stems of a statement, each with its weight, it says of its
    speaker, and of who is told."""
    mine, yours = (
        sum(weight * counts[stem] for stem, weight in wanted.items() if stem in counts)
        for counts in (said.of_whom["me"], said.of_whom["you"])
    )
    return mine, yours
