"""Two people's memories in one store: to either, an id of the other's is as unknown as one that never was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.domain.errors import NotFoundError
from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.review.additions import Addition
from tests.pipeline import FakeBackends, log

SECRET = "hides a key under the mat."
OF_ADA = log(["lives in Rome.", SECRET], owner="ada", begin=datetime(2024, 1, 10))
MINE = log(["likes tea."], begin=datetime(2024, 1, 10))


def fill(directory: Path) -> Path:
    """A store in which `me` and `ada` have a memory and a waiting proposal each."""
    with open_memory(directory, backends=FakeBackends) as memory:
        for one, said in ((MINE, "I have a cat"), (OF_ADA, SECRET)):
            owner = one.conversation.owner
            memory.ingest(LogRead((one,)), owner=owner)
            memory.review.propose(Addition(said, "Desk 1"), owner=owner)
    return directory


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return fill(tmp_path / "store")


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """For what must change nothing."""
    with open_memory(fill(tmp_path_factory.mktemp("two")), backends=FakeBackends) as memory:
        yield memory


@pytest.fixture
def two(directory: Path) -> Iterator[Memory]:
    with open_memory(directory, backends=FakeBackends) as memory:
        yield memory


def adas(memory: Memory) -> dict[str, str]:
    """Ids of what is Ada's."""
    (proposal,) = memory.review.proposals("ada")
    return {
        "proposal": proposal.id,
        "memory": memory.memories.find("ada")[0].id,
        "session": memory.evidence.sessions("ada")[0].id,
        "run": memory.runs.all(owner="ada")[0].id,
        "event": memory.review.history(owner="ada")[0].id,
        "batch": memory.review.history(owner="ada")[0].batch,
        "message": OF_ADA.messages[0].id,
    }


UNKNOWN: dict[str, Callable[[Memory, dict[str, str]], object]] = {
    "approve": lambda memory, ids: memory.approve([ids["proposal"]]),
    "approve with one's own": lambda memory, ids: memory.approve(
        [memory.review.proposals()[0].id, ids["proposal"]]
    ),
    "reject": lambda memory, ids: memory.reject([ids["proposal"]]),
    "edit": lambda memory, ids: memory.edit(ids["proposal"], "mine now"),
    "undo": lambda memory, ids: memory.undo(ids["event"]),
    "proposal": lambda memory, ids: memory.review.proposal(ids["proposal"]),
    "preview": lambda memory, ids: memory.review.preview_approval([ids["proposal"]]),
    "memory": lambda memory, ids: memory.memories.view(ids["memory"]),
    "session": lambda memory, ids: memory.evidence.session(ids["session"]),
    "resegment": lambda memory, ids: memory.resegment(ids["session"], []),
    "run": lambda memory, ids: memory.runs.view(ids["run"]),
    "failed parts": lambda memory, ids: memory.runs.failed_parts(ids["run"]),
    "retry": lambda memory, ids: memory.retry(ids["run"]),
    "statistics": lambda memory, ids: memory.runs.token_statistics(run_id=ids["run"]),
    "why not": lambda memory, ids: memory.why_not("tea", ids["message"]),
}


@pytest.mark.parametrize("call", UNKNOWN)
def test_what_is_somebody_elses_is_unknown_and_stays_as_it_is(unchanged: Memory, call: str) -> None:
    two = unchanged
    ids, before = adas(two), two.review.history(owner="ada")
    mine = two.review.history()
    with pytest.raises(NotFoundError, match="me has no ") as refused:
        UNKNOWN[call](two, ids)
    assert refused.value.fix
    assert SECRET not in str(refused.value)
    assert (two.review.history(owner="ada"), two.review.history()) == (before, mine)


def test_what_belongs_to_oneself_is_found_by_the_same_calls(two: Memory) -> None:
    ids = adas(two)
    assert two.review.proposal(ids["proposal"], owner="ada").proposal.id == ids["proposal"]
    assert two.memories.view(ids["memory"], owner="ada").memory.id == ids["memory"]
    assert two.evidence.session(ids["session"], owner="ada").owner == "ada"
    assert two.runs.view(ids["run"], owner="ada").run.id == ids["run"]
    two.edit(ids["proposal"], "Ada has a cat", owner="ada")
    decided = two.approve([ids["proposal"]], owner="ada")
    with pytest.raises(NotFoundError):
        two.undo(decided.event_id)
    undone = two.undo(decided.event_id, owner="ada")
    assert undone.objects


def test_history_steps_and_decisions_tell_of_one_owner(two: Memory) -> None:
    ids = adas(two)
    two.reject([ids["proposal"]], owner="ada")
    told = [*two.review.history(), *two.review.decisions(), *two.review.step(ids["batch"])]
    assert {event.owner for event in told} == {"me"}
    assert two.review.history(ids["memory"]) == []
    assert {event.owner for event in two.review.decisions(owner="ada")} == {"ada"}
    assert two.review.history(limit=1) == two.review.history()[-1:]
    assert two.memories.by_id([ids["memory"]]) == {}
    assert two.evidence.log_of(ids["session"]) is None


def test_a_step_over_two_memories_is_neither_owners_to_undo(two: Memory) -> None:
    """Only a program that writes by itself can make one."""
    ones = [memory for owner in ("me", "ada") for memory in two.memories.find(owner)]
    with two.store.write(actor="a program") as writer:
        writer.put_memories([replace(one, kind="plan") for one in ones])
    step = two.review.history()[-1]
    for owner in ("me", "ada"):
        with pytest.raises(NotFoundError):
            two.undo(step.id, owner=owner)


def test_an_erasure_is_told_to_everybody_in_no_ones_words(two: Memory) -> None:
    two.erase("owner", "ada", owner="ada")
    told = two.review.history()
    assert any(event.kind == "owner.erased" for event in told)
    assert SECRET not in str(told)


# ---------------------------------------------------------------- command line


@pytest.fixture
def cli(directory: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[Any, str]]:
    def run(*arguments: str, code: int = 0) -> tuple[Any, str]:
        assert main([*arguments, "--store", str(directory), "--json"], FakeBackends) == code
        out, err = capsys.readouterr()
        return (json.loads(out) if out else None), out + err

    return run


@pytest.mark.parametrize("arguments", [("show",), ("approve",), ("reject",), ("edit", "--text", "mine")])
def test_review_commands_know_one_owners_proposals(
    cli: Callable[..., tuple[Any, str]], arguments: tuple[str, ...]
) -> None:
    (proposal,) = cli("review", "list", "--owner", "ada")[0]["proposals"]
    verb, *rest = arguments
    _, told = cli("review", verb, proposal["id"], *rest, code=1)
    assert "me has no proposal with the id" in told
    assert SECRET not in told
    document, _ = cli("review", verb, proposal["id"], *rest, "--owner", "ada")
    assert document


def test_history_and_undo_know_one_owners_events(cli: Callable[..., tuple[Any, str]]) -> None:
    hers = cli("history", "--owner", "ada")[0]["events"]
    document, told = cli("history")
    assert document["events"]
    assert not {event["id"] for event in hers} & {event["id"] for event in document["events"]}
    assert SECRET not in told
    assert cli("history", hers[0]["object_id"])[0]["events"] == []
    assert "me has no event with the id" in cli("review", "undo", hers[-1]["id"], code=1)[1]
    assert cli("review", "undo", hers[-1]["id"], "--owner", "ada")[0]["objects"]


def test_a_store_of_one_owner_needs_no_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_memory(tmp_path, backends=FakeBackends) as memory:
        memory.ingest(LogRead((OF_ADA,)), owner="ada")
        proposal = memory.review.propose(Addition("Ada has a cat", "Desk 1"), owner="ada")
    where = ["--store", str(tmp_path), "--json"]
    assert main(["review", "list", *where], FakeBackends) == 0
    assert proposal.id in capsys.readouterr().out
    assert main(["review", "approve", proposal.id, *where], FakeBackends) == 0
    assert main(["review", "undo", json.loads(capsys.readouterr().out)["event"], *where], FakeBackends) == 0
    assert main(["history", *where], FakeBackends) == 0


def test_where_several_owners_have_a_memory_and_none_is_me_one_is_asked_whose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_memory(tmp_path, backends=FakeBackends) as memory:
        for owner in ("ada", "ben"):
            memory.ingest(LogRead((log(["likes tea."], owner=owner),)), owner=owner)
    assert main(["history", "--store", str(tmp_path)], FakeBackends) == 2
    assert "ada, ben" in capsys.readouterr().err
