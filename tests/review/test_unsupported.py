"""Memories that their words do not carry become proposals, never more: cite elsewhere, cut, delete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import (
    Grounding,
    MemoryEntry,
    Proposal,
    Reason,
    Run,
    Source,
    Standing,
    Statement,
    now,
)
from memcore.review import consolidate as consolidation
from memcore.review.curate import acts, perform
from memcore.review.decide import approve, edit, reject, undo
from memcore.review.erase import plan
from memcore.review.proposals import renewed
from memcore.review.remedies import find_remedies
from memcore.review.unsupported import UnsupportedReport, propose_corrections
from memcore.store import DuckStore
from tests.fakes import EMBEDDER
from tests.store.samples import entity, log, memory, triple

CAT, DOG, RAIN = "a-s0-m0", "a-s0-m1", "a-s0-m2"
SAID = {CAT: "I have a cat.", DOG: "My dog sleeps on the sofa.", RAIN: "It rained on Monday."}


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class WordByWord:
    """A `Judge` and `Examiner`: what is said is what stands in a cited message; "not" contradicts."""

    version = "words 1"

    def judge(self, statements: Sequence[Statement]) -> list[Grounding | None]:
        return [self._one(statement) for statement in statements]

    def _one(self, statement: Statement) -> Grounding:
        wanted = [word for word in words_of(statement.text) if word not in ("ann", "has", "s", "a", "the")]
        said = {word for one in statement.cited for word in words_of(SAID[one])}
        missing = [word for word in wanted if word not in said]
        if not missing:
            return Grounding("supported", 0.0, made_by=self.version)
        better = next((i for i, text in SAID.items() if set(wanted) <= set(words_of(text))), "")
        reasons = tuple(Reason("content", word, f"{word} is not said there.") for word in missing)
        verdict = "unsupported" if len(missing) == len(wanted) else "partly"
        return Grounding("contradicted" if "not" in missing else verdict, 0.9, reasons, better, self.version)

    def standing(self, statements: Sequence[Statement]) -> list[Standing | None]:
        return [self._stands(statement) for statement in statements]

    def _stands(self, statement: Statement) -> Standing:
        wanted = [word for word in words_of(statement.text) if word not in ("ann", "has", "s", "a", "the")]
        said = {i: set(words_of(text)) for i, text in SAID.items()}
        anywhere = set().union(*said.values())
        return Standing(
            readable=True,
            heard=tuple(word for word in wanted if word in anywhere),
            unheard=tuple(word for word in wanted if word not in anywhere),
            most=max(len(words & set(wanted)) for words in said.values()) / len(wanted),
            there=len({w for i in statement.cited for w in said[i]} & set(wanted)) / len(wanted),
            denied=frozenset({"negation"}) if "not" in wanted else frozenset(),
        )


class WordsOut:
    """A `Shortener` that leaves out words."""

    def shorter(self, wanted: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, ...]]:
        return [
            tuple(
                " ".join(word for word in text.split() if word != one)
                for one in words
                if len(text.split()) > 3
            )
            for text, words in wanted
        ]


class Supports:
    """A `Judge` that calls supported what cites a message."""

    version = "1"

    def __init__(self, message: str) -> None:
        self.message = message

    def judge(self, statements: Sequence[Statement]) -> list[Grounding | None]:
        return [Grounding("supported" if self.message in one.cited else "partly", 0.1) for one in statements]


class Stands:
    """An `Examiner` that says the same of everything."""

    def __init__(self, *, readable: bool = True, there: float = 0.0) -> None:
        self.all = Standing(readable, ("dog",), (), 1.0, there, frozenset())

    def standing(self, statements: Sequence[Statement]) -> list[Standing | None]:
        return [self.all for _ in statements]


def cites(*messages: str) -> tuple[Source, ...]:
    return tuple(Source(message, 0, len(SAID[message])) for message in messages)


@pytest.fixture
def filled(store: DuckStore) -> DuckStore:
    store.judge_with(WordByWord())
    with store.write(actor="ingest") as writer:
        writer.add_log(log(*SAID.values()))
        writer.put_memories(
            [
                memory("right", "Ann has a cat", sources=cites(CAT), run_id="r"),
                memory("moved", "Ann has a dog", sources=cites(CAT), run_id="r"),
                memory("longer", "Ann has a blue cat", sources=cites(CAT), run_id="r"),
                memory("invented", "Ann sells trumpets", sources=cites(RAIN), run_id="r"),
                memory("flipped", "Ann has not a cat", sources=cites(CAT), run_id="r"),
                memory("half", "Ann has a cat blue house", sources=cites(CAT), run_id="r"),
            ]
        )
        writer.put_entities([entity("ann", "Ann"), entity("trumpets", "trumpets")])
        writer.put_triples([triple("sells", "ann", "sell", "trumpets", memory_ids=("invented",))])
    return store


def propose(store: DuckStore) -> UnsupportedReport:
    run = Run("run_ground", "ground", "me", "", "running", now())
    judge = WordByWord()
    return propose_corrections(store, run=run, judge=judge, examiner=judge, shortener=WordsOut())


def about(store: DuckStore, memory_id: str) -> Proposal:
    [found] = [p for p in store.proposals("me", states=None) if p.target_ids == (memory_id,)]
    return found


def one(store: DuckStore, memory_id: str) -> MemoryEntry:
    return store.memories_by_id([memory_id])[memory_id]


def test_each_gets_the_mildest_proposal_that_helps(filled: DuckStore) -> None:
    report = propose(filled)
    assert report.by_operation == {"cite": 1, "delete": 2, "update": 2}
    moved, longer, gone = (about(filled, key) for key in ("moved", "longer", "invented"))
    assert (moved.operation, moved.sources, moved.risk) == ("cite", cites(DOG), "low")
    assert (longer.operation, longer.before, longer.after) == (
        "update",
        "Ann has a blue cat",
        "Ann has a cat",
    )
    assert (gone.operation, gone.after, gone.risk) == ("delete", None, "high")
    assert longer.reason == "blue is not said there. Without that it is supported."
    assert longer.made_by == "grounding (words 1)"
    assert not [p for p in filled.proposals("me") if p.target_ids == ("right",)]


def test_parts_are_left_out_one_after_another(filled: DuckStore) -> None:
    propose(filled)
    assert about(filled, "half").after == "Ann has a cat"


def test_what_is_partly_supported_is_never_deleted(filled: DuckStore) -> None:
    class Nothing:
        def shorter(self, wanted: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, ...]]:
            return [() for _ in wanted]

    run = Run("r", "ground", "me", "", "running", now())
    judge = WordByWord()
    propose_corrections(filled, run=run, judge=judge, examiner=judge, shortener=Nothing())
    deleted = {p.target_ids[0] for p in filled.proposals("me") if p.operation == "delete"}
    assert deleted == {"invented", "flipped"}
    assert not [p for p in filled.proposals("me") if p.target_ids[0] in ("longer", "half")]


def test_what_was_said_elsewhere_is_neither_cut_nor_deleted(filled: DuckStore) -> None:
    with filled.write(actor="ingest") as writer:
        writer.put_memories(
            [
                memory("joined", "Ann has a cat and sofa", sources=cites(CAT), run_id="r"),
                memory("known", "Ann sleeps through rain on Monday", sources=cites(CAT), run_id="r"),
            ]
        )
    propose(filled)
    assert not [p for p in filled.proposals("me") if p.target_ids[0] in ("joined", "known")]


def test_a_message_that_says_a_part_stays_cited() -> None:
    text = "Ann has a dog that sleeps on the sofa"
    remedies = find_remedies(
        Supports(DOG),
        Stands(there=0.7),
        WordsOut(),
        [(Statement("memory", "m", "me", text, (CAT,)), Grounding("partly", 0.9, better=DOG))],
    )
    assert [remedy and remedy.cited for remedy in remedies] == [(CAT, DOG)]


def test_nothing_is_proposed_where_the_rules_cannot_read() -> None:
    doubtful = [
        (Statement("memory", "m", "me", "Ann rows", (CAT,)), Grounding("unsupported", 0.9, better=DOG))
    ]
    assert find_remedies(Supports(DOG), Stands(readable=False, there=0.7), WordsOut(), doubtful) == [None]


def test_another_message_must_say_most_of_what_it_is_cited_for() -> None:
    doubtful = [
        (Statement("memory", "m", "me", "Ann rows", (CAT,)), Grounding("unsupported", 0.9, better=DOG))
    ]
    assert find_remedies(Supports(DOG), Stands(there=0.5), WordsOut(), doubtful) == [None]


def test_nothing_changes_before_a_person_approves(filled: DuckStore) -> None:
    before = filled.memories("me", states=None), filled.triples("me")
    propose(filled)
    assert (filled.memories("me", states=None), filled.triples("me")) == before


@pytest.mark.parametrize("key", ["moved", "longer", "invented"])
def test_an_approval_is_a_correction_that_one_undo_takes_back(filled: DuckStore, key: str) -> None:
    propose(filled)
    was, its_triples = one(filled, key), filled.triples("me")
    decided = approve(filled, EMBEDDER, [about(filled, key).id], "cleo")
    becomes = one(filled, key)
    expected = {
        "moved": replace(was, sources=cites(DOG), speaker="Ben"),
        "longer": replace(was, text="Ann has a cat", embedding_model=EMBEDDER.model_id),
        "invented": replace(was, state="deleted"),
    }[key]
    assert (becomes.text, becomes.sources, becomes.state) == (
        expected.text,
        expected.sources,
        expected.state,
    )
    curation = filled.curation(key)
    assert curation is not None
    assert curation.actor == "cleo"
    assert {event.actor for event in filled.events(batch=decided.batch)} == {"cleo"}
    if key != "invented":
        assert filled.groundings([key])[key].verdict == "supported"
    assert about(filled, key).state == "applied"
    undo(filled, decided.event_id, "cleo")
    assert (one(filled, key), filled.triples("me")) == (was, its_triples)
    assert about(filled, key).state == "pending"


def test_what_was_deleted_takes_its_triples_along_and_is_told_as_a_mistake(filled: DuckStore) -> None:
    propose(filled)
    approve(filled, EMBEDDER, [about(filled, "invented").id], "cleo")
    assert [t.mentions for t in filled.triples("me") if t.id == "sells"] in ([], [0])
    curation = filled.curation("invented")
    assert curation is not None
    assert (curation.stage, curation.act) == ("extraction", "wrong")
    assert "trumpets is not said there." in curation.reason


def test_several_are_approved_in_one_step(filled: DuckStore) -> None:
    propose(filled)
    waiting = [proposal.id for proposal in filled.proposals("me")]
    decided = approve(filled, EMBEDDER, waiting, "cleo")
    assert not any(outcome.conflict for outcome in decided.outcomes)
    assert propose(filled).proposals == 0
    undo(filled, decided.event_id, "cleo")
    assert {p.id for p in filled.proposals("me")} == set(waiting)


def test_a_cut_is_edited_before_it_is_approved(filled: DuckStore) -> None:
    propose(filled)
    cut = about(filled, "longer")
    with pytest.raises(UsageError, match="remembered already"):
        edit(filled, cut.id, cut.before, "cleo")
    edit(filled, cut.id, "Ann has a cat indeed", "cleo")
    approve(filled, EMBEDDER, [cut.id], "cleo")
    assert one(filled, "longer").text == "Ann has a cat indeed"
    with pytest.raises(UsageError, match="writes no text"):
        edit(filled, about(filled, "moved").id, "Ann has a dog", "cleo")


def test_nothing_is_proposed_twice_and_what_was_rejected_not_again(filled: DuckStore) -> None:
    propose(filled)
    reject(filled, [about(filled, "invented").id], "cleo")
    again = propose(filled)
    assert (again.proposals, again.retired) == (0, 0)
    assert about(filled, "invented").state == "rejected"


def test_other_words_have_another_proposal_and_what_waited_is_retired(filled: DuckStore) -> None:
    propose(filled)
    stale = about(filled, "longer")
    act = acts.EditMemories(("longer",), "Ann has a green cat")
    done = perform.do(filled, EMBEDDER, act, owner="me", actor="cleo")
    report = propose(filled)
    assert (report.proposals, report.retired) == (1, 1)
    fresh = [p for p in filled.proposals("me") if p.target_ids == ("longer",)]
    assert [(p.before, p.after) for p in fresh] == [("Ann has a green cat", "Ann has a cat")]
    undo(filled, done.event_id, "cleo")
    propose(filled)  # as it was before, so what was proposed about that waits again
    assert [p.id for p in filled.proposals("me") if p.target_ids == ("longer",)] == [stale.id]


def test_what_waits_about_a_changed_memory_is_not_applied(filled: DuckStore) -> None:
    propose(filled)
    act = acts.EditMemories(("longer",), "Ann has a green cat")
    perform.do(filled, EMBEDDER, act, owner="me", actor="cleo")
    stale = about(filled, "longer")
    with pytest.raises(ConflictError, match="changed since"):
        approve(filled, EMBEDDER, [stale.id], "cleo")
    assert one(filled, "longer").text == "Ann has a green cat"
    superseded = about(filled, "longer")
    assert superseded.state == "superseded"
    assert renewed([superseded], {"longer"}, now()) == ([], []), consolidation.__doc__


def test_a_memory_of_a_persons_is_only_proposed_about(filled: DuckStore) -> None:
    act = acts.EditMemories(("right",), "Ann sells trumpets on Mars")
    perform.do(filled, EMBEDDER, act, owner="me", actor="cleo")
    propose(filled)
    assert about(filled, "right").state == "pending"
    assert one(filled, "right").text == "Ann sells trumpets on Mars"


def test_a_time_that_is_cut_is_no_longer_the_memorys(filled: DuckStore) -> None:
    when = now()
    dated = memory("dated", "Ann has a cat yesterday", sources=cites(CAT), event_at=when, mentioned_at=when)
    with filled.write(actor="ingest") as writer:
        writer.put_memories([dated])
    propose(filled)
    approve(filled, EMBEDDER, [about(filled, "dated").id], "cleo")
    assert (one(filled, "dated").text, one(filled, "dated").event_at) == ("Ann has a cat", None)


def test_erasing_the_message_to_be_cited_takes_the_proposal_along(filled: DuckStore) -> None:
    propose(filled)
    moved = about(filled, "moved").id
    assert moved in plan(filled, "message", DOG, "me").gone.get("proposal", frozenset())
