"""`memcore curate`: change, end, remove, add, merge and split by hand what is remembered.

Every command takes `--preview`: it then says what would change and does nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.cli.help import command, group
from memcore.cli.names import SYSTEM, one_of
from memcore.cli.options import Actor, Json, OnlySystem, Owner, Store, opened
from memcore.cli.output import Document, jsonable, write
from memcore.cli.shows import show_curation, show_mistakes, show_plain
from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER, DEFAULT_RECIPE, Fault, Source
from memcore.review.curate import acts

if TYPE_CHECKING:
    from memcore.memory import Memory
    from memcore.memory.curation import Preview

Id = Annotated[str, typer.Argument(metavar="ID", help="Its id, as `search` and `history` have it.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID", help="Their ids.")]
Text = Annotated[str, typer.Option(metavar="T", help="What to remember.")]
NewText = Annotated[str | None, typer.Option("--text", metavar="T", help="What to remember instead.")]
Words = Annotated[
    list[str],
    typer.Option(
        "--words", metavar="MESSAGE[:FROM-TO]", help="Words it rests on: a message, or part of one."
    ),
]
Persons = Annotated[list[str], typer.Option("--person", metavar="NAME", help="Whom it is about.")]
EventAt = Annotated[str | None, typer.Option("--event", metavar="D", help="When it happened (2023-05-08).")]
Kind = Annotated[str | None, typer.Option(metavar="K", help="Its kind (fact, event, plan, state).")]
Stage = Annotated[str, typer.Option(metavar="STAGE", help=f"Where it went wrong: {', '.join(acts.STAGES)}.")]
Reason = Annotated[str, typer.Option(metavar="WHY", help="What is wrong, in your words.")]
Preview_ = Annotated[bool, typer.Option("--preview", help="Say what would change, and change nothing.")]

app = group("Edit, end, delete, add, merge and split by hand what is remembered.")
HEADING = "Propose and decide"
COMMANDS = "Commands"


@command(app, "edit", 'curate edit mem_1f3a --text "Ann has two dogs" --store out', heading=COMMANDS)
def edit(
    ids: Ids,
    text: NewText = None,
    event: EventAt = None,
    person: Persons = [],  # noqa: B006  # typer reads the default and never changes it
    kind: Kind = None,
    since: Annotated[
        str | None, typer.Option(metavar="D", help="What it said held until then (none: it was never so).")
    ] = None,
    stage: Stage = "",
    reason: Reason = "",
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Correct text, time, persons or kind; or, with --since, say what holds from then on."""
    persons = tuple(person) or None
    when = _when(event) if event is not None else None
    act = acts.EditMemories(
        tuple(ids), text, when, persons, kind, _day(since) if since else None, _stage(stage), reason
    )
    _run(act, store, owner, actor, preview, as_json)


@command(
    app, "wrong", 'curate wrong mem_1f3a --stage time --reason "It was in May" --store out', heading=COMMANDS
)
def wrong(
    ids: Ids,
    stage: Stage = "other",
    reason: Reason = "",
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Say that memories or relations were never true, and why."""
    act = acts.MarkWrong(tuple(ids), _stage(stage) or "other", reason)
    _run(act, store, owner, actor, preview, as_json)


@command(app, "end", "curate end mem_1f3a --on 2024-03-01 --store out", heading=COMMANDS)
def end(
    ids: Ids,
    on: Annotated[str, typer.Option(metavar="D", help="The day from which it no longer holds.")],
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Say until when memories or relations held."""
    _run(acts.End(tuple(ids), _day(on)), store, owner, actor, preview, as_json)


@command(app, "merge", 'curate merge mem_1 mem_2 --text "Ann has a dog, Rex" --store out', heading=COMMANDS)
def merge(
    ids: Ids,
    text: Text,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Make one memory of several."""
    _run(acts.MergeMemories(tuple(ids), text), store, owner, actor, preview, as_json)


@command(
    app,
    "split",
    'curate split mem_1f3a --text "Ann has a dog" --text "Ann has a cat" --store out',
    heading=COMMANDS,
)
def split(
    id: Id,
    text: Annotated[list[str], typer.Option(metavar="T", help="What each part says.")],
    words: Words = [],  # noqa: B006
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Make several memories of one; with as many --words as --text, each on its own words."""
    if words and len(words) != len(text):
        raise UsageError("Each part has its own words, or none has.", "Give --words once for each --text.")
    with opened(store) as memory:
        sources = [_source(memory, one) for one in words]
        parts = tuple(acts.Part(one, tuple(sources[n : n + 1])) for n, one in enumerate(text))
        _perform(memory, acts.SplitMemory(id, parts), owner, actor, preview, as_json)


@command(app, "delete", "curate delete mem_1f3a --store out", heading=COMMANDS)
def delete(
    ids: Ids,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Stop remembering memories or relations, whether true or not; an undo brings them back."""
    _run(acts.Delete(tuple(ids)), store, owner, actor, preview, as_json)


@command(app, "add", 'curate add --text "Ann has a dog" --words msg_77c0:0-14 --store out', heading=COMMANDS)
def add(
    text: Text,
    words: Words,
    event: EventAt = None,
    person: Persons = [],  # noqa: B006
    kind: Kind = None,
    recipe: Annotated[
        str,
        typer.Option(metavar=SYSTEM, parser=one_of(SYSTEM), show_default=True, help="In whose memory."),
    ] = DEFAULT_RECIPE,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Remember something that no system found, with the words it rests on."""
    with opened(store) as memory:
        sources = tuple(_source(memory, one) for one in words)
        when = _when(event) if event else acts.EventTime()
        act = acts.AddMemory(text, sources, recipe, kind or "fact", when, tuple(person))
        _perform(memory, act, owner, actor, preview, as_json)


@command(app, "cite", "curate cite mem_1f3a --words msg_77c0 --store out", heading=COMMANDS)
def cite(
    id: Id,
    words: Words,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Let a memory rest on other words."""
    with opened(store) as memory:
        act = acts.CiteWords(id, tuple(_source(memory, one) for one in words))
        _perform(memory, act, owner, actor, preview, as_json)


@command(app, "relation", "curate relation tri_1f3a --says lives_in --store out", heading=COMMANDS)
def relation(
    id: Id,
    says: Annotated[str | None, typer.Option(metavar="R", help="The relation.")] = None,
    subject: Annotated[str | None, typer.Option(metavar="ENTITY", help="The entity it is about.")] = None,
    object: Annotated[str | None, typer.Option(metavar="ENTITY", help="The entity at its other end.")] = None,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Correct what a relation says, or between which entities."""
    _run(acts.ChangeRelation(id, says, subject, object), store, owner, actor, preview, as_json)


@command(app, "rename", 'curate rename ent_1f3a --to "Ann Lee" --store out', heading=COMMANDS)
def rename(
    id: Id,
    to: Annotated[str, typer.Option(metavar="NAME", help="Its name.")],
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Give an entity another name; the old one stays an alias."""
    _run(acts.RenameEntity(id, to), store, owner, actor, preview, as_json)


@command(app, "retype", "curate retype ent_1f3a --to PLACE --store out", heading=COMMANDS)
def retype(
    ids: Ids,
    to: Annotated[str, typer.Option(metavar="TYPE", help="Their type.")],
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Give entities another type."""
    _run(acts.RetypeEntities(tuple(ids), to), store, owner, actor, preview, as_json)


@command(app, "merge-entities", "curate merge-entities ent_1f3a ent_77c0 --store out", heading=COMMANDS)
def merge_entities(
    ids: Ids,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Make one entity of several: the first."""
    _run(acts.MergeEntities(tuple(ids)), store, owner, actor, preview, as_json)


@command(
    app,
    "split-entity",
    'curate split-entity ent_1f3a --name "Ann Roy" --relation tri_77c0 --store out',
    heading=COMMANDS,
)
def split_entity(
    id: Id,
    name: Annotated[str, typer.Option(metavar="NAME", help="The other entity's name.")],
    relation: Annotated[list[str], typer.Option(metavar="ID", help="Relations that go to it.")] = [],  # noqa: B006
    alias: Annotated[list[str], typer.Option(metavar="NAME", help="Aliases that go to it.")] = [],  # noqa: B006
    type: Annotated[str | None, typer.Option(metavar="TYPE", help="Its type.")] = None,
    preview: Preview_ = False,
    actor: Actor = "person",
    owner: Owner = DEFAULT_OWNER,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Make two entities of one that stands for both."""
    act = acts.SplitEntity(id, name, tuple(relation), tuple(alias), type)
    _run(act, store, owner, actor, preview, as_json)


@command(app, "list-wrong", "curate list-wrong --store out", heading=COMMANDS)
def list_wrong(
    recipe: OnlySystem = None, owner: Owner = DEFAULT_OWNER, store: Store = None, as_json: Json = False
) -> None:
    """What people found wrong, by the stage at which it came about."""
    with opened(store) as memory:
        found = memory.curation.wrong(owner, recipe=recipe)
    document = {"by_stage": found.by_stage, "wrong": [jsonable(row) for row in found.rows]}
    write(document, show_mistakes, as_json=as_json)


def _run(act: acts.Act, store: str | None, owner: str, actor: str, preview: bool, as_json: bool) -> None:
    with opened(store) as memory:
        _perform(memory, act, owner, actor, preview, as_json)


def _perform(memory: Memory, act: acts.Act, owner: str, actor: str, preview: bool, as_json: bool) -> None:
    if preview:
        write(_previewed(memory.curation.preview(act, owner=owner)), show_curation, as_json=as_json)
        return
    done = memory.curation.do(act, owner=owner, actor=actor)
    write(
        {"event": done.event_id, "made": list(done.made), "changed": done.changed},
        show_plain,
        as_json=as_json,
    )


def _previewed(preview: Preview) -> Document:
    return {
        "objects": [jsonable(one) for one in preview.objects],
        "questions": [
            {
                "question": question.question,
                "leave": [jsonable(hit) for hit in question.dropped],
                "enter": [jsonable(hit) for hit in question.entered],
                "reword": [[was.text, now.text] for was, now in question.reworded],
                "move": {key: list(ranks) for key, ranks in question.moved.items()},
            }
            for question in preview.affected
        ],
        "questions_asked": len(preview.questions),
    }


def _source(memory: Memory, written: str) -> Source:
    """`msg_1:0-14` or, for all of a message, `msg_1`."""
    message_id, _, span = written.partition(":")
    found = memory.store.messages_by_id([message_id]).get(message_id)
    start, dash, stop = span.partition("-")
    if not span:
        return Source(message_id, 0, len(found.text) if found else 1)
    if not (dash and start.isdecimal() and stop.isdecimal()):
        raise UsageError(f"{written!r} names no words.", "Write them as MESSAGE or MESSAGE:FROM-TO (0-14).")
    return Source(message_id, int(start), int(stop))


def _stage(written: str) -> Fault:
    for stage in acts.STAGES:
        if stage == written:
            return stage
    if written:
        raise UsageError(f"{written!r} is no stage.", f"Choose one of: {', '.join(acts.STAGES)}.")
    return ""


def _day(written: str) -> datetime:
    from memcore.nlp.time_grammar.dates import parse_when

    return parse_when(written)[0]


def _when(written: str) -> acts.EventTime:
    """A described period, as exact as it is written; empty: none."""
    from memcore.nlp.time_grammar.dates import parse_when

    return acts.EventTime(*parse_when(written)) if written else acts.EventTime()
