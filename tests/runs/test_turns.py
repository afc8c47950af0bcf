"""Turns that a program tells as they happen: each kept once, read by the online path of a system."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from memcore.domain.errors import ConflictError, UsageError
from memcore.memory import Memory, open_memory
from memcore.runs.turns import Turn
from tests.pipeline import FakeBackends, content

AT = datetime(2024, 5, 6, 9, 0)


def turn(number: int, text: str = "likes tea.", *, speaker: str = "Ann", at: datetime = AT) -> Turn:
    return Turn(f"t{number}", speaker, text, said_at=at.replace(minute=number % 60))


def messages(memory: Memory) -> list[tuple[int, str, str]]:
    found = [memory.store.messages(session.id) for session in memory.store.sessions(owner="me")]
    return [(m.position, m.speaker, m.text) for session in found for m in session]


def test_turns_are_kept_in_order_word_for_word_with_who_told_them(memory: Memory) -> None:
    told = memory.take(
        [turn(0), turn(1, "likes  rain.", speaker="Ben")], conversation="kitchen", client="bot 1"
    )

    assert (told.new, told.known) == (2, 0)
    assert messages(memory) == [(0, "Ann", "likes tea."), (1, "Ben", "likes  rain.")]
    (session,) = memory.store.sessions(owner="me")
    first = memory.store.messages(session.id)[0]
    assert (first.said_at, first.raw_ref.where) == (AT, "t0, told by bot 1")
    assert memory.memories.count("me") == 0, "what is told is evidence, no memory"


def test_the_same_id_is_kept_once_and_other_words_by_it_are_a_conflict(memory: Memory) -> None:
    memory.take([turn(0)], conversation="kitchen")
    again = memory.take([turn(0), turn(1), turn(1)], conversation="kitchen")
    assert (again.new, again.known) == (1, 2)
    with pytest.raises(ConflictError, match="other words"):
        memory.take([turn(2), turn(0, "likes coffee.")], conversation="kitchen")
    assert len(messages(memory)) == 2
    assert memory.take([turn(0)], conversation="garden").new == 1, "another conversation has ids of its own"


def test_a_session_is_a_day_unless_it_is_named(memory: Memory) -> None:
    next_day = AT.replace(day=7)
    memory.take([turn(0), turn(1), turn(2, at=next_day)], conversation="kitchen")
    memory.take([turn(3, at=next_day)], conversation="kitchen", session="late")
    memory.take([turn(4, at=next_day)], conversation="kitchen")
    sessions = sorted(memory.store.sessions(owner="me"), key=lambda one: one.position)
    assert [len(memory.store.messages(one.id)) for one in sessions] == [2, 2, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"speaker": " "},
        {"text": ""},
        {"id": ""},
        {"id": "x" * 300},
        {"text": "x" * 100_001},
        {"role": "admin"},
    ],
)
def test_what_cannot_be_kept_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Turn(**{"id": "1", "speaker": "Ann", "text": "hello", **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "  ", "x" * 100])
def test_a_conversation_has_a_name_and_turns(memory: Memory, name: str) -> None:
    with pytest.raises(UsageError):
        memory.take([turn(0)], conversation=name)
    with pytest.raises(UsageError):
        memory.take([], conversation="kitchen")


@pytest.mark.parametrize("recipe", ["memscope", "lightmem"])
def test_what_does_not_fill_a_buffer_waits_and_told_one_by_one_it_is_remembered_as_if_at_once(
    tmp_path: Path, recipe: str
) -> None:
    words = " ".join(f"and{n}" for n in range(40))
    turns = [turn(n, f"likes thing{n} {words}.") for n in range(12)]
    found = []
    for one_by_one in (True, False):
        directory = tmp_path / str(one_by_one)
        with open_memory(directory, backends=FakeBackends, buffer_tokens=64, sensory_tokens=64) as memory:
            memory.take(turns[:1], conversation="kitchen")
            memory.read_on(recipe=recipe)
            assert memory.memories.count("me", recipe=recipe) == 0
            assert len(memory.store.pending_messages(recipe, "me")) == 1
            if one_by_one:
                for one in turns[1:]:
                    memory.take([one], conversation="kitchen")
                    memory.read_on(recipe=recipe)
            else:
                memory.take(turns[1:], conversation="kitchen")
                memory.read_on(recipe=recipe)
            assert memory.memories.count("me", recipe=recipe) > 0
            memory.resume(recipe=recipe)
            assert not memory.store.pending_messages(recipe, "me")
            found.append(
                sorted(
                    m["text"] if isinstance(m, dict) else m.text
                    for m in content(memory.store, recipe=recipe)["memories"]
                )
            )
    assert found[0] == found[1]
    assert len(found[0]) == len(turns)
