"""Why not this one: a message or memory that a search should have found, where it ranked, and why it lost."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import LogRead
from tests.pipeline import FakeBackends, log

SAID = log(
    ["lives in New York.", "likes tea.", "plays the cello.", "bought a red bicycle.", "hates rain."],
    begin=datetime(2024, 1, 10),
)
WHERE = "Where does Ann live?"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    store = tmp_path_factory.mktemp("why") / "store"
    with open_memory(store, backends=FakeBackends) as memory:
        memory.ingest(LogRead((SAID,)))
        memory.ingest(LogRead((SAID,)), recipe="naive_rag")
    return store


@pytest.fixture
def memory(directory):
    with open_memory(directory, backends=FakeBackends) as opened:
        yield opened


def the_memory(memory, words):
    (found,) = memory.memories.find(contains=words, recipe="memscope")
    return found


def the_last(memory):
    """The memory that a search for WHERE finds last."""
    return memory.memories.by_id([memory.search(WHERE, k=50).hits[-1].id]).popitem()[1]


def test_what_is_found_is_told_with_its_rank(memory):
    first = memory.search(WHERE).hits[0]
    missed = memory.why_not(WHERE, first.id)
    assert (missed.wanted.rank, missed.loss, missed.reasons) == (1, None, ())


def test_a_message_behind_the_first_k_is_told_with_its_place_its_memories_and_what_it_lost_by(memory):
    last = memory.search(WHERE, k=50).hits[-1]
    message = last.quotes[0].message
    missed = memory.why_not(WHERE, message.id, k=1)
    assert missed.wanted.rank == len(memory.search(WHERE, k=50).hits)
    assert [one.text for one in missed.made] == [last.text]
    assert missed.loss is not None and missed.loss.of == "results"
    assert missed.loss.ahead.id == memory.search(WHERE).hits[0].id
    assert missed.loss.outscored
    assert {place.view for place in missed.views if place.rank} & {"semantic memory", "lexical memory"}
    assert "place 1" in " ".join(missed.reasons)


def test_a_memory_is_asked_about_by_its_own_id(memory):
    last = the_last(memory)
    missed = memory.why_not(WHERE, last.id, k=1)
    assert missed.memory == last
    assert missed.wanted.ids == {last.id}
    assert missed.made == (last,)
    assert missed.wanted.rank == len(memory.search(WHERE, k=50).hits)
    assert missed.reasons


def test_a_deleted_memory_is_said_to_be_deleted(tmp_path):
    with open_memory(tmp_path / "own", backends=FakeBackends) as memory:
        memory.ingest(LogRead((SAID,)))
        cello = the_memory(memory, "cello")
        with memory.store.write(actor="test") as writer:
            writer.put_memories([replace(cello, state="deleted")])
        missed = memory.why_not("Who plays the cello?", cello.id)
        assert missed.reasons[0] == "It was deleted, so it is not searched."
        of_message = memory.why_not("Who plays the cello?", cello.sources[0].message_id, k=1)
        assert [one.state for one in of_message.made] == ["deleted"]


@pytest.mark.parametrize("wanted", ["nope", "", "mem_" + "0" * 20])
def test_an_unknown_id_is_told(memory, wanted):
    with pytest.raises(NotFoundError, match="no message and no memory"):
        memory.why_not(WHERE, wanted)


def test_nobody_learns_of_another_owners_words(memory):
    cello = the_memory(memory, "cello")
    for wanted in (cello.id, cello.sources[0].message_id):
        with pytest.raises(NotFoundError):
            memory.why_not(WHERE, wanted, owner="somebody else")


def test_a_memory_of_another_system_is_asked_of_that_system(memory):
    with pytest.raises(UsageError, match="memscope remembers this"):
        memory.why_not(WHERE, the_memory(memory, "cello").id, recipe="naive_rag")


def test_messages_are_found_by_words_to_choose_from(memory):
    (found,) = memory.evidence.containing("BICYCLE red")
    assert "red bicycle" in found.text
    assert memory.evidence.containing("") == []
    assert memory.evidence.containing("bicycle", owner="somebody else") == []
    assert len(memory.evidence.containing(".", limit=2)) == 2


def test_the_command_line_says_it_too(directory, memory, capsys):
    last = the_last(memory)
    memory.close()
    arguments = ["search", WHERE, "-k", "1", "--store", str(directory), "--why-not", last.id]
    assert main([*arguments, "--json"], FakeBackends) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["results"]) == 1
    assert document["why_not"]["id"] == last.id
    assert document["why_not"]["found"] is False
    assert document["why_not"]["why"]
    assert main(arguments, FakeBackends) == 0
    assert last.id in capsys.readouterr().out
    assert main([*arguments[:-1], "nope"], FakeBackends) == 1
