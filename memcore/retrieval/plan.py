"""Reading the question: which people, entities and times it names (SimpleMem's retrieval planning,
done by rule).

Names are matched against what the owner's store knows, so no model is needed. It does not rewrite
or decompose the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memcore.domain.models import Entity
from memcore.domain.names import entity_key
from memcore.domain.protocols import Store
from memcore.nlp.time_grammar.dates import TimeExpression, find_times
from memcore.retrieval.asks_now import asks_now
from memcore.retrieval.question import Question
from memcore.retrieval.results import QueryPlan
from memcore.retrieval.time_of_asking import time_of_asking
from memcore.stages.link import by_name

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_WHEN = re.compile(
    r"^\s*(?:since )?when\b|^\s*(?:in |on )?(?:which|what) (?:day|date|month|year|time)\b", re.IGNORECASE
)
_SPEAKS = (
    ("user", re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)),
    (
        "assistant",
        re.compile(
            r"\b(?:you|your|yours|yourself|chat ?gpt|claude|gemini|copilot"
            r"|the (?:ai|assistant|chat ?bot)"
            r"|(?:i was|was i|i've been|have i been) (?:\w+ )?(?:told|recommended|suggested|advised)"
            r"|(?:my|our) (?:last|previous|earlier|past) (?:chats?|conversations?|discussions?))\b",
            re.IGNORECASE,
        ),
    ),
)
"""Whose words are asked about: "what did I say", "which hotel was I recommended"."""
_AHEAD = re.compile(r"\b(?:will|going to|plan(?:s|ned|ning)?|upcoming)\b", re.IGNORECASE)
LONGEST_NAME = 6
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could did do does
    doing done down during each few for from get go had has have having he her here hers him his how i if in
    into is it its just kind like many may me might more most much my no nor not of off on once one only or
    other our out over own she should so some such than that the their them then there these they this those
    through to too under until up us very was we were what when where which while who whom whose why will
    with would you your
    """.split()
)


def plan_query(
    query: str,
    *,
    speakers: Iterable[str],
    entities: Mapping[str, Entity],
    reference: datetime | None,
) -> tuple[QueryPlan, tuple[str, ...]]:
    """The plan, and the ids of the entities it names. `entities` are by `entity_key`; `reference`
    resolves relative times ("last week")."""
    words = [_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(query)]
    times = find_times(query, reference, prefer="future" if _AHEAD.search(query) else "past")
    asked = [_interval(t) for t in times if not t.recurring]
    people = {entity_key(name): name for name in speakers}
    persons, named = _names(words, people, entities)
    return (
        QueryPlan(
            query=query,
            persons=tuple(persons),
            entities=tuple(entity.name for entity in named),
            keywords=tuple(dict.fromkeys(w.casefold() for w in words if w.casefold() not in STOP_WORDS)),
            time_from=min((begin for begin, _ in asked), default=None),
            time_to=max((until for _, until in asked), default=None),
            time_words=tuple((t.start, t.end) for t in times if t.relative and not t.recurring),
            asks_when=bool(_WHEN.match(query)),
            asks_now=asks_now(query),
            roles=tuple(role for role, pronoun in _SPEAKS if pronoun.search(query)),
        ),
        tuple(entity.id for entity in named),
    )


def plan_question(store: Store, question: Question) -> tuple[QueryPlan, tuple[str, ...]]:
    """The plan of a question to what one recipe remembers, and the entities it names with everything merged
    into them."""
    named = store.entities_named(question.owner, possible_names(question.text), recipe=question.recipe)
    plan, ids = plan_query(
        question.text,
        speakers=store.speakers(question.owner),
        entities=by_name(named),
        reference=time_of_asking(store, question).at,
    )
    return plan, with_merged(ids, named)


def plan_naming(
    store: Store, question: Question, names: Sequence[str], made_by: str
) -> tuple[QueryPlan, tuple[str, ...]]:
    """As `plan_question`, about the `names` that a model found in the question and no others."""
    plan, _ = plan_question(store, question)
    keys = [key for key in map(entity_key, names) if key]
    named = store.entities_named(question.owner, keys, recipe=question.recipe)
    standing = by_name(named)
    ids = dict.fromkeys(standing[key].id for key in keys if key in standing)
    return replace(plan, entities=tuple(names), made_by=made_by), with_merged(tuple(ids), named)


def possible_names(query: str) -> tuple[str, ...]:
    """Everything in the question that might be a name, as `entity_key`: what to look entities up by."""
    words = [_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(query)]
    lengths = range(1, min(LONGEST_NAME, len(words)) + 1)
    keys = (entity_key(" ".join(words[i : i + n])) for n in lengths for i in range(len(words) - n + 1))
    return tuple(dict.fromkeys(key for key in keys if key and key not in STOP_WORDS))


def _interval(time: TimeExpression) -> tuple[datetime, datetime]:
    """What the question spans: "after 2022" has no end, "before May" no beginning."""
    begins = {"after": time.until, "until": datetime.min, "before": datetime.min}
    ends = {"from": datetime.max, "after": datetime.max, "before": time.begin}
    return begins.get(time.relation, time.begin), ends.get(time.relation, time.until)


def _names(
    words: list[str], people: Mapping[str, str], entities: Mapping[str, Entity]
) -> tuple[list[str], list[Entity]]:
    """Longest match first, so "support group" is found before "group"."""
    persons: list[str] = []
    named: list[Entity] = []
    taken: set[int] = set()
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for begin in range(len(words) - length + 1):
            place = range(begin, begin + length)
            key = entity_key(" ".join(words[begin : begin + length]))
            if taken.intersection(place) or key in STOP_WORDS:
                continue
            entity = entities.get(key)
            if key in people:
                persons.append(people[key])
            if entity is not None:
                named.append(entity)
                if entity.type == "PERSON" and key not in people:
                    persons.append(entity.name)
            if entity is not None or key in people:
                taken.update(place)
    return list(dict.fromkeys(persons)), list(dict.fromkeys(named))


def with_merged(ids: Sequence[str], entities: Iterable[Entity]) -> tuple[str, ...]:
    """The ids, and those of every entity merged into them: triples keep the ends they were made with."""
    found = list(ids)
    merged: dict[str, list[str]] = {}
    for entity in entities:
        if entity.merged_into is not None:
            merged.setdefault(entity.merged_into, []).append(entity.id)
    for entity_id in found:  # grows while it is read: chains of merges
        found += [i for i in merged.get(entity_id, []) if i not in found]
    return tuple(found)
