"""The fields of each form, and the act they stand for. A field's key names the form and its objects, so that
nothing typed for one shows for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import streamlit as st

from memcore.domain.errors import UsageError
from memcore.domain.models import Entity, Fault, MemoryEntry, Message, Source
from memcore.memory import Memory
from memcore.nlp.time_grammar.dates import parse_when
from memcore.review.curate import acts
from memcore.review.curate.acts import Act
from ui.shell import opened, params
from ui.shell.text import shorten

KINDS = ("fact", "event", "plan", "preference", "opinion", "state", "statement")
STAGES: dict[Fault, str] = {
    "": "not said",
    "extraction": "extraction: it was misread",
    "time": "time: the date is wrong",
    "person": "person: it is about somebody else",
    "merge": "merge: it was wrongly joined",
    "graph": "graph: the relation is wrong",
    "other": "something else",
}
Built = Callable[[], Act]
"""Makes the act of what was typed, once the form is sent."""


def edit(ones: Sequence[MemoryEntry], key: str) -> Built:
    """Text (of one memory), time, persons, kind; and whether it was ever true."""
    ids, first = tuple(one.id for one in ones), ones[0]
    single = len(ones) == 1
    text = st.text_area("What it says", first.text, key=f"{key}_text") if single else None
    with st.container(horizontal=True):
        when = st.text_input(
            "When it happened",
            _written(first) if single else "",
            key=f"{key}_when",
            placeholder="2024-05-08, 2024-05, 2024",
        )
        persons = st.text_input(
            "Persons, with commas", ", ".join(first.persons) if single else "", key=f"{key}_persons"
        )
        kinds = list(dict.fromkeys((*([first.kind] if single else ["as it is"]), *KINDS)))
        kind = st.selectbox("Its kind", kinds, key=f"{key}_kind")
    since = st.text_input(
        "It was true until (left empty: it was wrong from the start)",
        key=f"{key}_since",
        placeholder="2024-05-08",
    )
    stage, reason = _why(key)

    def built() -> Act:
        new_when = when.strip() != (_written(first) if single else "")
        event = (
            (acts.EventTime(*parse_when(when)) if when.strip() else acts.EventTime()) if new_when else None
        )
        names = tuple(name.strip() for name in persons.split(",") if name.strip())
        new_persons = names if names != (first.persons if single else ()) else None
        return acts.EditMemories(
            ids,
            text if text is not None and text.strip() != first.text else None,
            event,
            new_persons,
            None if kind in (first.kind if single else "", "as it is") else kind,
            _day(since) if since.strip() else None,
            stage,
            reason,
        )

    return built


def wrong(ids: tuple[str, ...], key: str) -> Built:
    """Never true, and why."""
    stage, reason = _why(key)
    return lambda: acts.MarkWrong(ids, stage or "other", reason)


def end(ids: tuple[str, ...], key: str) -> Built:
    """True until a day."""
    on = st.text_input("It held until", key=f"{key}_on", placeholder="2024-05-08")
    return lambda: acts.End(ids, _day(on))


def split(one: MemoryEntry, key: str) -> Built:
    """A line for each part."""
    lines = st.text_area("The parts, each on a line of its own", one.text, key=f"{key}_parts")
    return lambda: acts.SplitMemory(
        one.id, tuple(acts.Part(line.strip()) for line in lines.splitlines() if line.strip())
    )


def merge(ones: Sequence[MemoryEntry], key: str) -> Built:
    """What the one memory says."""
    ids = tuple(one.id for one in ones)
    text = st.text_area("What the one memory says", ". ".join(one.text for one in ones), key=f"{key}_text")
    return lambda: acts.MergeMemories(ids, text)


def cite(one: MemoryEntry, said: Sequence[Message], key: str) -> Built:
    """Other words."""
    words = _words(said, key)
    return lambda: acts.CiteWords(one.id, (words(),))


def add(recipe: str, said: Sequence[Message], key: str, begin: str) -> Built:
    """A memory on the words of a message; `begin` is there to be changed."""
    text = st.text_area("What is to be remembered", begin, key=f"{key}_text")
    words = _words(said, key)
    with st.container(horizontal=True):
        when = st.text_input("When it happened", key=f"{key}_when", placeholder="2024-05-08, 2024-05, 2024")
        persons = st.text_input("Persons, with commas", key=f"{key}_persons")
        kind = st.selectbox("Its kind", KINDS, key=f"{key}_kind")

    def built() -> Act:
        event = acts.EventTime(*parse_when(when)) if when.strip() else acts.EventTime()
        names = tuple(name.strip() for name in persons.split(",") if name.strip())
        return acts.AddMemory(text, (words(),), recipe, kind, event, names)

    return built


def rename(entity: Entity, key: str) -> Built:
    """Its name."""
    name = st.text_input("Its name", entity.name, key=f"{key}_name")
    return lambda: acts.RenameEntity(entity.id, name)


def retype(entity: Entity, others: Mapping[str, str], key: str) -> Built:
    """Its type, and that of others."""
    type_ = st.text_input("Its type", entity.type, key=f"{key}_type")
    also = _several("Also the type of", others, key=f"{key}_also")
    return lambda: acts.RetypeEntities((entity.id, *also), type_)


def join(entity: Entity, others: Mapping[str, str], key: str) -> Built:
    """The entities that are the same."""
    same = _several("The same as", others, key=f"{key}_same")
    return lambda: acts.MergeEntities((entity.id, *same))


def divide(entity: Entity, triples: Mapping[str, str], key: str) -> Built:
    """What belongs to another entity."""
    name = st.text_input("Name of the other", key=f"{key}_name")
    theirs = _several("Relations that are the other’s", triples, key=f"{key}_relations")
    aliases: list[str] = []
    if entity.aliases:
        called = {alias: shorten(alias, 60) for alias in entity.aliases}
        aliases = _several("Names that are the other’s", called, key=f"{key}_aliases")
    type_ = st.text_input("Type of the other (empty: the same)", key=f"{key}_type")
    return lambda: acts.SplitEntity(entity.id, name, tuple(theirs), tuple(aliases), type_ or None)


def relation(triples: Mapping[str, str], entities: Mapping[str, str], first: str, key: str) -> Built:
    """What one relation says instead: the relation, or what it is between."""
    words = params.told_apart(triples)
    triple: str = st.selectbox(
        "Which relation",
        list(words),
        index=list(words).index(first) if first in words else 0,
        format_func=words.__getitem__,
        key=f"{key}_relation",
    )
    says = st.text_input("Another relation (empty: the same)", key=f"{key}_says", placeholder="lives in")
    names = params.told_apart(entities)
    subject, object_ = (
        st.selectbox(
            said, list(names), index=None, format_func=names.__getitem__, placeholder="the same", key=at
        )
        for said, at in (("Another subject", f"{key}_subject"), ("Another object", f"{key}_object"))
    )
    return lambda: acts.ChangeRelation(triple, says.strip() or None, subject, object_)


def wrong_relations(triples: Mapping[str, str], first: str, key: str) -> Built:
    """Relations that were never true."""
    ids = _relations(triples, first, key)
    stage, reason = _why(key)
    return lambda: acts.MarkWrong(tuple(ids), stage or "graph", reason)


def end_relations(triples: Mapping[str, str], first: str, key: str) -> Built:
    """Relations that held until a day."""
    ids = _relations(triples, first, key)
    on = st.text_input("They held until", key=f"{key}_on", placeholder="2024-05-08")
    return lambda: acts.End(tuple(ids), _day(on))


def delete_relations(triples: Mapping[str, str], first: str, key: str) -> Built:
    """Relations that are not to be remembered, whether true or not."""
    ids = _relations(triples, first, key)
    return lambda: acts.Delete(tuple(ids))


def _relations(triples: Mapping[str, str], first: str, key: str) -> list[str]:
    return _several(
        "Which relations", triples, key=f"{key}_relations", default=[i for i in (first,) if i in triples]
    )


def _several(said: str, options: Mapping[str, str], *, key: str, default: Sequence[str] = ()) -> list[str]:
    words = params.told_apart(options)
    return st.multiselect(
        said, list(words), default=list(default), format_func=words.__getitem__, key=key, placeholder="none"
    )


def _why(key: str) -> tuple[Fault, str]:
    with st.container(horizontal=True):
        stages: list[Fault] = list(STAGES)
        stage = st.selectbox(
            "What went wrong", stages, format_func=lambda one: STAGES[one], key=f"{key}_stage"
        )
        reason = st.text_input("Why", key=f"{key}_reason", placeholder="in your words")
    return stage, reason


def _words(said: Sequence[Message], key: str) -> Callable[[], Source]:
    by_id = {message.id: message for message in said}
    names = params.told_apart({i: shorten(f"{m.speaker}: {m.text}", 110) for i, m in by_id.items()})
    chosen = st.selectbox(
        "Message it rests on", list(names), format_func=names.__getitem__, key=f"{key}_message"
    )
    words = st.text_input("The words of it that say so (empty: all of it)", key=f"{key}_words")

    def source() -> Source:
        text = by_id[chosen].text
        start = text.find(words.strip())
        if start < 0:
            raise UsageError("The message does not have these words.", "Copy them as they stand there.")
        return Source(chosen, start, start + len(words.strip()) if words.strip() else len(text))

    return source


def _day(written: str) -> datetime:
    if not written.strip():
        raise UsageError("No date is given.", "Write one, as 2024-05-08.")
    return parse_when(written)[0]


def _written(one: MemoryEntry) -> str:
    """The described time as `parse_when` reads it: a day, a month, a year."""
    if one.event_at is None:
        return ""
    for form in ("%Y-%m-%d", "%Y-%m", "%Y"):
        written = one.event_at.strftime(form)
        if parse_when(written) == (one.event_at, one.event_end):
            return written
    return f"{one.event_at:%Y-%m-%d}"


def messages(memory: Memory, sources: Sequence[Source]) -> list[Message]:
    """Everything said in the sessions of the first of these words, those words first."""
    quotes = memory.evidence.quotes(sources)
    if not quotes:
        return []
    first = quotes[0].message
    said = memory.evidence.session(first.session_id, owner=opened.owner(memory)).messages
    return [first, *(message for message in said if message.id != first.id)]
