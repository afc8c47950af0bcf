"""A memory opened for somebody who logged in: what was not granted to them is refused by every verb."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore import open_memory
from memcore.domain.errors import ConflictError, MemcoreError, NotFoundError, NotPermittedError, UsageError
from memcore.domain.models import EVERY_OWNER, LogRead, Role, Source
from memcore.domain.models.people import LONGEST_NAME, ROLES, logged_in_as, person_named
from memcore.domain.protocols import Cancelled
from memcore.memory import Memory
from memcore.memory.rights import NEEDED
from memcore.review.additions import Addition
from memcore.review.curate import acts
from memcore.runs.bulk import Job, JobDone
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.systems.drawings import read_traces
from tests.pipeline import FakeBackends
from tests.test_owner_boundary import OF_ADA, SECRET, fill
from tests.unwritable import unwritable

ANN, BEN = "ann@example.org", "ben@example.org"
ROOMS = {
    **{
        name.lower(): name
        for name in ("Evidence", "Memories", "Graph", "Traces", "Review", "Runs", "Exports")
    },
    **{"curation": "CurationRoom", "people": "People"},
}
"""Of a memory, and their classes."""
open_it = partial(open_memory, backends=FakeBackends)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which `me` and `ada` have a memory and a waiting proposal each."""
    return fill(tmp_path_factory.mktemp("two") / "store")


@pytest.fixture
def directory(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled, tmp_path / "store"))


@pytest.fixture
def operator(directory: Path) -> Iterator[Memory]:
    with open_it(directory) as memory:
        yield memory


class Of:
    """Ada's memory and the ids of what is hers, to call a verb with."""

    def __init__(self, operator: Memory) -> None:
        (waiting,) = operator.review.proposals("ada")
        self.proposal = waiting.id
        self.memory = operator.memories.find("ada")[0].id
        self.session = operator.evidence.sessions("ada")[0].id
        self.run = operator.runs.all(owner="ada")[-1].id
        self.event = operator.review.history(owner="ada")[0].id
        self.message = OF_ADA.messages[0].id
        self.conversation = OF_ADA.conversation.id
        self.act = acts.EditMemories((self.memory,), "Ann lives in Paris")
        self.source = Source(self.message, 0, 4)


Call = Callable[[Memory, Of], object]


class NoReaders:
    """Readers of nothing."""

    def read(self, jobs: Sequence[Job], *, cancelled: Cancelled) -> Generator[JobDone, None, None]:
        yield from ()


SEE: dict[str, Call] = {
    "default_recipe": lambda m, of: m.default_recipe("ada"),
    "search": lambda m, of: m.search("Rome", owner="ada"),
    "usual_time_of_asking": lambda m, of: m.usual_time_of_asking("ada"),
    "why_not": lambda m, of: m.why_not("Rome", of.message, owner="ada"),
    "retrieve": lambda m, of: m.retrieve("Rome", owner="ada"),
    "ask": lambda m, of: m.ask("Rome", owner="ada"),
    "compare": lambda m, of: m.compare(of.conversation, ["memscope"], owner="ada"),
    "overview": lambda m, of: m.overview("ada"),
    "evidence.speakers": lambda m, of: m.evidence.speakers("ada"),
    "evidence.stats": lambda m, of: m.evidence.stats("ada"),
    "evidence.count_stored": lambda m, of: m.evidence.count_stored(LogRead((OF_ADA,))),
    "evidence.conversations": lambda m, of: m.evidence.conversations("ada"),
    "evidence.sessions": lambda m, of: m.evidence.sessions("ada"),
    "evidence.log_of": lambda m, of: m.evidence.log_of(of.session, owner="ada"),
    "evidence.session": lambda m, of: m.evidence.session(of.session, owner="ada"),
    "evidence.message": lambda m, of: m.evidence.message(of.message, owner="ada"),
    "evidence.containing": lambda m, of: m.evidence.containing("key", owner="ada"),
    "memories.find": lambda m, of: m.memories.find("ada"),
    "memories.groundings": lambda m, of: m.memories.groundings([of.memory], owner="ada"),
    "memories.by_id": lambda m, of: m.memories.by_id([of.memory], owner="ada"),
    "memories.count": lambda m, of: m.memories.count("ada"),
    "memories.persons": lambda m, of: m.memories.persons("ada"),
    "memories.view": lambda m, of: m.memories.view(of.memory, owner="ada"),
    "graph.systems": lambda m, of: m.graph.systems("ada"),
    "graph.entities": lambda m, of: m.graph.entities("ada"),
    "graph.triples": lambda m, of: m.graph.triples("ada"),
    "graph.whole": lambda m, of: m.graph.whole("ada"),
    "graph.part": lambda m, of: m.graph.part("ada"),
    "graph.layers": lambda m, of: m.graph.layers(m.graph.part("ada"), owner="ada"),
    "graph.graphml": lambda m, of: m.graph.graphml("ada"),
    "graph.merges": lambda m, of: m.graph.merges("ada"),
    "review.proposals": lambda m, of: m.review.proposals("ada"),
    "review.proposal": lambda m, of: m.review.proposal(of.proposal, owner="ada"),
    "review.to_undo": lambda m, of: m.review.to_undo(of.proposal, owner="ada"),
    "review.consolidations": lambda m, of: m.review.consolidations("ada"),
    "review.queues": lambda m, of: m.review.queues(owner="ada"),
    "review.rules": lambda m, of: m.review.rules("ada"),
    "review.history": lambda m, of: m.review.history(owner="ada"),
    "review.step": lambda m, of: m.review.step("a batch", owner="ada"),
    "review.decisions": lambda m, of: m.review.decisions(owner="ada"),
    "curation.wrong": lambda m, of: m.curation.wrong("ada"),
    "curation.decided": lambda m, of: m.curation.decided(of.memory, owner="ada"),
    "curation.note_question": lambda m, of: m.curation.note_question("Rome?", [of.memory], owner="ada"),
    "curation.questions": lambda m, of: m.curation.questions("ada"),
    "runs.view": lambda m, of: m.runs.view(of.run, owner="ada"),
    "runs.failed_parts": lambda m, of: m.runs.failed_parts(of.run, owner="ada"),
    "runs.systems": lambda m, of: m.runs.systems("ada"),
    "runs.pending": lambda m, of: m.runs.pending("ada"),
    "runs.unfinished": lambda m, of: m.runs.unfinished("ada"),
    "runs.progress": lambda m, of: m.runs.progress(of.conversation, owner="ada"),
    "runs.unanswered": lambda m, of: m.runs.unanswered(owner="ada"),
    "runs.token_statistics": lambda m, of: m.runs.token_statistics(owner="ada"),
    "exports.write": lambda m, of: m.exports.write(Path("/nowhere/at.csv"), format="csv", owner="ada"),
    "exports.content": lambda m, of: m.exports.content("csv", owner="ada"),
}
DECIDE: dict[str, Call] = {
    "review.propose": lambda m, of: m.review.propose(Addition("Ada has a dog", "Desk 1"), owner="ada"),
    "review.preview_consolidation": lambda m, of: m.review.preview_consolidation(owner="ada"),
    "review.preview_approval": lambda m, of: m.review.preview_approval([of.proposal], owner="ada"),
    "review.decide_automatically": lambda m, of: m.review.decide_automatically("ada"),
    "curation.preview": lambda m, of: m.curation.preview(of.act, owner="ada"),
    "curation.do": lambda m, of: m.curation.do(of.act, owner="ada"),
    "graph.propose_merges": lambda m, of: m.graph.propose_merges("ada"),
    "ingest": lambda m, of: m.ingest(LogRead((OF_ADA,)), owner="ada"),
    "resume": lambda m, of: m.resume(owner="ada"),
    "take": lambda m, of: m.take([], conversation="c", owner="ada"),
    "read_on": lambda m, of: m.read_on(owner="ada"),
    "retry": lambda m, of: m.retry(of.run, owner="ada"),
    "resegment": lambda m, of: m.resegment(of.session, [], owner="ada"),
    "consolidate": lambda m, of: m.consolidate(owner="ada"),
    "ground": lambda m, of: m.ground(owner="ada"),
    "propose_corrections": lambda m, of: m.propose_corrections(owner="ada"),
    "edit": lambda m, of: m.edit(of.proposal, "Ada has two keys", owner="ada"),
    "approve": lambda m, of: m.approve([of.proposal], owner="ada"),
    "reject": lambda m, of: m.reject([of.proposal], owner="ada"),
    "undo": lambda m, of: m.undo(of.event, owner="ada"),
}
ADMINISTER: dict[str, Call] = {
    "review.switch_rule": lambda m, of: m.review.switch_rule("same name", True, owner="ada"),
    "people.grants": lambda m, of: m.people.grants("ada"),
    "people.history": lambda m, of: m.people.history("ada"),
    "people.grant": lambda m, of: m.people.grant("carl@example.org", "read", owner="ada"),
    "people.revoke": lambda m, of: m.people.revoke("carl@example.org", owner="ada"),
    "preview_erasure": lambda m, of: m.preview_erasure("owner", "ada"),
    "erase": lambda m, of: m.erase("message", of.message, owner="ada"),
}
WHOLE_STORE: dict[str, tuple[Role, Call]] = {
    "problems": ("administer", lambda m, of: m.problems()),
    "doctor": ("administer", lambda m, of: m.doctor()),
    "exports.read": ("administer", lambda m, of: m.exports.read(Path("/nowhere/at.jsonl"))),
    "exports.read_content": ("administer", lambda m, of: m.exports.read_content(b"{}", "store.jsonl")),
    "ingest_in_bulk": ("review", lambda m, of: m.ingest_in_bulk([], NoReaders())),
}
EVERYONES: dict[str, tuple[Role, Call]] = {
    "ground": ("review", lambda m, of: m.ground()),
    "exports.write": ("administer", lambda m, of: m.exports.write(Path("/nowhere/at.jsonl"))),
    "exports.content": ("administer", lambda m, of: m.exports.content("jsonl")),
    "exports.content as csv": ("read", lambda m, of: m.exports.content("csv")),
    "people.grants": ("administer", lambda m, of: m.people.grants()),
    "people.history": ("administer", lambda m, of: m.people.history()),
    "people.grant": ("administer", lambda m, of: m.people.grant(BEN, "read", owner=EVERY_OWNER)),
    "people.revoke": ("administer", lambda m, of: m.people.revoke(BEN, owner=EVERY_OWNER)),
    "erase": ("administer", lambda m, of: m.erase("owner", "nobody", owner="ada")),
}
"""The same verbs for no owner in particular, or for another than the one that the keyword names."""
FREE = {
    *("close", "acting_for", "traces.try_compression"),
    *("evidence.owners", "evidence.said_in", "evidence.quotes", "traces.of", "traces.with_attention"),
    *("runs.all", "runs.conversations"),
    *("people.my_roles", "people.may", "people.allowed", "people.require"),
    *("people.require_operator", "people.claim"),
}
"""What reads nothing that is an owner's, or leaves out what is of those one may not see."""

OF_ONE: dict[str, tuple[Role, Call]] = {
    **{name: ("read", call) for name, call in SEE.items()},
    **{name: ("review", call) for name, call in DECIDE.items()},
    **{name: ("administer", call) for name, call in ADMINISTER.items()},
}


def verbs() -> dict[str, object]:
    """Everything public that can be called on a memory and in its rooms."""
    found = dict[str, object](inspect.getmembers(Memory, inspect.isfunction))
    annotated = Memory.__init__.__globals__
    for room, name in ROOMS.items():
        members = inspect.getmembers(annotated[name], inspect.isfunction)
        found |= {f"{room}.{verb}": one for verb, one in members}
    return {name: one for name, one in found.items() if not name.split(".")[-1].startswith("_")}


def test_every_verb_says_what_it_needs_or_is_tested_here_by_itself() -> None:
    assert {*OF_ONE, *WHOLE_STORE, *FREE} == {*verbs()}
    said = {name: getattr(verb, NEEDED, None) for name, verb in verbs().items()}
    assert {name for name, needed in said.items() if needed is None} == FREE
    assert {name: role for name, (role, _) in OF_ONE.items()} == {name: said[name] for name in OF_ONE}


def refused(call: Callable[[], object]) -> bool:
    """Whether it is refused to who is logged in; whatever else may be wrong with it is no matter here."""
    try:
        call()
    except NotPermittedError as error:
        assert error.cause
        assert error.fix
        assert SECRET not in str(error)
        return True
    except MemcoreError:
        return False
    return False


@pytest.mark.parametrize("role", [None, *ROLES])
@pytest.mark.parametrize("everyones", [False, True], ids=["of ada", "of everyone"])
def test_a_verb_is_refused_to_whoever_has_not_the_role_it_needs(
    operator: Memory, role: Role | None, everyones: bool
) -> None:
    of = Of(operator)
    if role:
        operator.people.grant(ANN, role, owner=EVERY_OWNER if everyones else "ada")
    ann = operator.acting_for(ANN)
    enough = ROLES[: ROLES.index(role) + 1] if role else ()
    before = operator.review.history(owner="ada")
    wanted = {name: needed not in enough for name, (needed, _) in OF_ONE.items()}
    asked = sorted(OF_ONE, key=lambda name: not wanted[name])  # what is refused first: it changes nothing
    found = {}
    for name in asked:
        found[name] = refused(lambda call=OF_ONE[name][1]: call(ann, of))  # type: ignore[misc]
        if found[name]:
            assert operator.review.history(owner="ada") == before, name
    assert found == wanted


@pytest.mark.parametrize("role", [None, *ROLES])
def test_what_is_of_the_whole_store_needs_a_role_for_everyones_memory(
    operator: Memory, role: Role | None
) -> None:
    of = Of(operator)
    for owner in operator.evidence.owners():
        operator.people.grant(ANN, "administer", owner=owner)
    ann = operator.acting_for(ANN)
    calls = WHOLE_STORE | EVERYONES
    assert [name for name, (_, call) in calls.items() if not refused(lambda call=call: call(ann, of))] == []  # type: ignore[misc]
    if role is None:
        return
    operator.people.grant(ANN, role, owner=EVERY_OWNER)
    operator.people.grant("carl@example.org", "administer", owner=EVERY_OWNER)
    enough = ROLES[: ROLES.index(role) + 1]
    for name, (needed, call) in calls.items():
        assert refused(lambda call=call: call(ann, of)) == (needed not in enough), name  # type: ignore[misc]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_for_one_owner_gives_nothing_of_another(operator: Memory, role: Role) -> None:
    operator.people.grant(ANN, role, owner="me")
    of, ann = Of(operator), operator.acting_for(ANN)
    assert [name for name, (_, call) in OF_ONE.items() if not refused(lambda call=call: call(ann, of))] == []  # type: ignore[misc]
    assert ann.memories.find("me")


def test_what_names_no_owner_leaves_out_those_one_may_not_see(operator: Memory) -> None:
    of, ann = Of(operator), operator.acting_for(ANN)
    operator.people.grant(ANN, "read", owner="me")
    assert ann.evidence.owners() == ["me"]
    assert ann.evidence.said_in(of.conversation) == []
    assert ann.evidence.quotes([of.source]) == ()
    assert ann.traces.of(of.session, "compress") == []
    (trace,) = read_traces(operator.traces.of(of.session, "segment"), SegmentationTrace)
    with pytest.raises(NotFoundError):
        ann.traces.with_attention(of.session, trace)
    assert {run.owner for run in ann.runs.all()} == {"me"}
    assert ann.runs.conversations(of.run) == []
    assert operator.runs.conversations(of.run) == [of.conversation]
    with pytest.raises(NotPermittedError):
        ann.runs.all(owner="ada")
    with pytest.raises(NotPermittedError):
        _ = ann.store


def test_the_same_calls_give_it_to_who_may_see_it(operator: Memory) -> None:
    of, ann = Of(operator), operator.acting_for(ANN)
    operator.people.grant(ANN, "read", owner="ada")
    assert ann.evidence.owners() == ["ada"]
    assert len(ann.evidence.said_in(of.conversation)) == 2
    assert [quote.message.id for quote in ann.evidence.quotes([of.source])] == [of.message]
    assert ann.traces.of(of.session, "compress")
    assert ann.runs.conversations(of.run) == [of.conversation]
    assert {run.owner for run in ann.runs.all()} == {"ada"}


# ---------------------------------------------------------------- who did it


def test_the_actor_of_every_decision_is_who_is_logged_in(operator: Memory) -> None:
    of, ann = Of(operator), operator.acting_for("Ann@Example.org")
    operator.people.grant(ANN, "administer", owner="ada")
    begun = operator.review.history(owner="ada")[-1].seq
    ann.edit(of.proposal, "Ada has two keys", owner="ada")
    decided = ann.approve([of.proposal], owner="ada", actor="somebody else")
    ann.undo(decided.event_id, owner="ada", actor="somebody else")
    ann.reject([of.proposal], owner="ada")
    ann.curation.do(of.act, owner="ada", actor="somebody else")
    ann.review.switch_rule("same name", True, owner="ada")
    ann.people.grant(BEN, "read", owner="ada", actor="somebody else")
    ann.people.revoke(BEN, owner="ada")
    ann.resegment(of.session, [m.id for m in OF_ADA.messages], owner="ada")
    ann.erase("message", of.message, owner="ada", actor="somebody else")
    told = [event for event in operator.review.history(owner="ada") if event.seq > begun and not event.run_id]
    assert {event.actor for event in told} == {ANN}
    assert {"grant.given", "grant.ended", "message.erased"} <= {event.kind for event in told}


def test_a_run_names_who_was_logged_in_when_it_began(operator: Memory) -> None:
    ann = operator.acting_for(ANN)
    operator.people.grant(ANN, "review", owner="ada")
    ann.ingest(LogRead((OF_ADA,)), owner="ada")
    ann.consolidate(owner="ada")
    begun, read, *_, first = operator.runs.all(owner="ada")
    assert (begun.kind, begun.settings["started_by"]) == ("consolidate", ANN)
    assert (read.kind, read.settings["started_by"]) == ("ingest", ANN)
    assert "started_by" not in first.settings


def test_a_question_of_somebody_who_may_only_see_is_not_kept_for_others(operator: Memory) -> None:
    ann = operator.acting_for(ANN)
    operator.people.grant(ANN, "read", owner="ada")
    ann.curation.note_question("Where is the key?", [], owner="ada")
    assert operator.curation.questions("ada") == []
    operator.people.grant(ANN, "review", owner="ada")
    ann.curation.note_question("Where is the key?", [], owner="ada")
    assert [one.text for one in operator.curation.questions("ada")] == ["Where is the key?"]


# ---------------------------------------------------------------- granting and taking back


def test_what_is_taken_back_is_gone_at_once(operator: Memory) -> None:
    ann = operator.acting_for(ANN)
    operator.people.grant(ANN, "read", owner="ada")
    assert ann.memories.find("ada")
    operator.people.revoke(ANN, owner="ada")
    with pytest.raises(NotPermittedError):
        ann.memories.find("ada")
    with pytest.raises(NotFoundError):
        operator.people.revoke(ANN, owner="ada")


def test_grants_are_events_of_the_owner_and_are_not_undone_with_what_is_remembered(operator: Memory) -> None:
    operator.people.grant(ANN, "review", owner="ada")
    operator.people.revoke(ANN, owner="ada")
    *_, given_to, ended = operator.review.history(owner="ada")
    assert (given_to.kind, given_to.after and given_to.after["role"]) == ("grant.given", "review")
    assert (ended.kind, ended.after and ended.after["role"]) == ("grant.ended", None)
    assert operator.review.history()[-1].kind != "grant.ended"
    for memory in (operator, operator.acting_for(ANN)):
        operator.people.grant(ANN, "review", owner="ada")
        with pytest.raises(UsageError, match="not undone"):
            memory.undo(ended.id, owner="ada")
    assert operator.people.grants("ada")[0].role == "review"


def test_the_last_who_administers_the_store_stays_unless_the_operator_says_so(operator: Memory) -> None:
    operator.people.grant(ANN, "administer", owner=EVERY_OWNER)
    ann = operator.acting_for(ANN)
    for leave in (
        lambda: ann.people.revoke(ANN, owner=EVERY_OWNER),
        lambda: ann.people.grant(ANN, "read", owner=EVERY_OWNER),
    ):
        with pytest.raises(ConflictError, match="the last"):
            leave()
    ann.people.grant(BEN, "administer", owner=EVERY_OWNER)
    ann.people.revoke(ANN, owner=EVERY_OWNER)
    with pytest.raises(NotPermittedError):
        ann.people.grants()
    operator.people.revoke(BEN, owner=EVERY_OWNER)
    assert operator.people.grants() == []


def test_who_administers_one_owner_shares_that_one_alone(operator: Memory) -> None:
    operator.people.grant(ANN, "administer", owner="ada")
    operator.people.grant("carl@example.org", "administer", owner=EVERY_OWNER)
    ann = operator.acting_for(ANN)
    ann.people.grant(BEN, "read", owner="ada")
    assert [one.person for one in ann.people.grants("ada")] == [ANN, BEN]
    for owner in ("me", EVERY_OWNER):
        with pytest.raises(NotPermittedError):
            ann.people.grant(ANN, "administer", owner=owner)


def test_only_the_first_of_a_store_in_which_nothing_was_ever_granted_claims_it(
    directory: Path, operator: Memory
) -> None:
    ann, ben = operator.acting_for(ANN), operator.acting_for(BEN)
    assert not operator.people.claim()
    assert ann.people.claim()
    assert ann.people.may("administer")
    assert not ben.people.claim()
    assert not ann.people.claim()
    operator.people.revoke(ANN, owner=EVERY_OWNER)
    assert not ben.people.claim()
    (event,) = [one for one in operator.people.history() if one.kind == "grant.claimed"]
    assert event.actor == ANN


def test_a_store_that_can_only_be_read_is_claimed_by_nobody(directory: Path) -> None:
    with unwritable(directory), open_it(directory, actor=ANN) as ann:
        assert not ann.people.claim()
        with pytest.raises(NotPermittedError):
            ann.memories.find("ada")


def test_grants_stay_when_a_store_is_opened_for_somebody_and_go_with_an_owner_that_is_erased(
    directory: Path,
) -> None:
    with open_it(directory) as operator:
        operator.people.grant(ANN, "administer", owner="ada")
        operator.people.grant(BEN, "read", owner="me")
    with open_it(directory, actor="Ann@example.org ") as ann:
        assert ann.people.me == ANN
        assert dict(ann.people.my_roles()) == {"ada": "administer"}
        ann.erase("owner", "ada", owner="me")
        assert dict(ann.people.my_roles()) == {}
    with open_it(directory) as operator:
        assert [(one.person, one.owner) for one in operator.people.grants()] == [(BEN, "me")]
        assert operator.problems() == ()


def test_a_person_who_is_erased_from_what_was_said_keeps_what_is_granted_to_them(directory: Path) -> None:
    with open_it(directory) as operator:
        operator.people.grant("Ann", "read", owner="ada")
        operator.erase("person", "Ann", owner="ada")
        assert [one.person for one in operator.people.grants("ada")] == ["Ann"]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\u202eb", "x" * (LONGEST_NAME + 1)])
def test_what_can_be_no_name_is_refused(operator: Memory, name: str) -> None:
    with pytest.raises(UsageError):
        operator.people.grant(name, "read", owner="ada")
    with pytest.raises(UsageError):
        operator.people.grant(ANN, "own", owner="ada")  # type: ignore[arg-type]


# ---------------------------------------------------------------- names

TEXTS = st.text(max_size=400) | st.sampled_from(["a@b.c", "A@b.c", "x|y", "https://id.example", "\u202e"])


@given(
    email=TEXTS | st.none(), verified=st.sampled_from([True, False, None, "true", 1]), iss=TEXTS, sub=TEXTS
)
def test_a_name_is_one_line_that_can_be_granted_to(
    email: str | None, verified: object, iss: str, sub: str
) -> None:
    claims = {"email": email, "email_verified": verified, "iss": iss, "sub": sub}
    try:
        name = logged_in_as(claims)
    except UsageError:
        assert not (iss and sub)
        return
    assert name.isprintable()
    assert 0 < len(name) <= LONGEST_NAME
    assert person_named(name) == name


@given(ones=st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=2, unique=True))
def test_two_subjects_are_never_one_person(ones: list[tuple[str, str]]) -> None:
    named = [(iss, sub) for iss, sub in ones if iss and sub and "|" not in iss]
    names = {logged_in_as({"iss": iss, "sub": sub, "email": "ann@example.org"}) for iss, sub in named}
    assert len(names) == len(named)
    assert "ann@example.org" not in names


@pytest.mark.parametrize(
    "email", ["ann@example.org|7", "https://id.example|ann@example.org", "ann", "ann@\u202egro.elpmaxe"]
)
def test_an_address_that_is_none_is_no_name(email: str) -> None:
    told = {"email": email, "email_verified": True, "iss": "https://id.example", "sub": "7"}
    assert logged_in_as(told) == "https://id.example|7"
