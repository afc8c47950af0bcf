"""From two values of one thing to the history of both: proposed, approved, and asked as of each time."""

from __future__ import annotations

from dataclasses import replace

from memcore.domain.models import MemoryEntry, Run, now
from memcore.review.consolidate import consolidate
from memcore.review.decide import approve
from memcore.review.pairs import statement
from memcore.review.rules import RuleDecider
from memcore.review.superseding import superseding_text
from memcore.store import DuckStore, HnswIndex
from tests.review.scenes import JAN, JUN, MAR, fill, said, valid_texts
from tests.store.samples import EMBEDDER, log

EARLY = said("early", "Ann earns $54,000 a year at the bakery", JAN, kind="fact")
RAISED = said("raised", "Ann's salary at the bakery is now $65,000", MAR, kind="fact", message="a-s0-m2")
AGAIN = said("again", "Ann earns $78,000 at the bakery now", JUN, kind="fact", message="a-s0-m4")


def consolidated(store: DuckStore, run_id: str) -> list[str]:
    """Consolidate, approve everything, and say what by."""
    run = Run(run_id, "consolidate", "me", "", "running", now())
    consolidate(store, run=run, decider=RuleDecider(), embedder=EMBEDDER, make_index=HnswIndex)
    waiting = store.proposals("me")
    if waiting:
        approve(store, EMBEDDER, [p.id for p in waiting], "ann")
    return [p.made_by for p in waiting]


def test_of_two_values_the_older_stays_with_its_end(store: DuckStore) -> None:
    fill(store, EARLY, RAISED)
    assert consolidated(store, "one") == ["rule: new quantity"]
    assert valid_texts(store, JAN) == {EARLY.text}
    assert valid_texts(store, JUN) == valid_texts(store, None) == {RAISED.text}
    (now_so,) = store.memories("me")
    assert [source.message_id for source in now_so.sources] == ["a-s0-m2", "a-s0-m0"]


def test_three_values_come_to_three_times_one_consolidation_after_the_other(store: DuckStore) -> None:
    fill(store, EARLY, RAISED, AGAIN)
    assert [consolidated(store, name) for name in ("one", "two", "three")] == [
        ["rule: new quantity"],
        ["rule: new quantity"],
        [],
    ]
    assert [valid_texts(store, at) for at in (JAN, MAR, None)] == [{EARLY.text}, {RAISED.text}, {AGAIN.text}]


def test_values_are_compared_however_unlike_the_words(store: DuckStore) -> None:
    home = said("home", "Ann lives in Leeds with a grumpy parrot and far too many spider plants", JAN)
    moved = said("moved", "Ann moved to Oslo", MAR, kind="event", message="a-s0-m2")
    fill(store, replace(home, kind="state"), moved)
    alike = float(EMBEDDER.embed([home.text])[0] @ EMBEDDER.embed([moved.text])[0])
    assert alike < 0.55
    assert consolidated(store, "one") == ["rule: one value at a time"]


def test_what_an_assistant_said_is_set_against_nothing(store: DuckStore) -> None:
    spoken = log("I have 20 films on my list", "Nice", "You have 25 films on your list", name="a")
    messages = tuple(
        replace(m, speaker="Assistant", role="assistant") if m.position == 2 else m for m in spoken.messages
    )
    memories: list[MemoryEntry] = [
        said("a", "Ann has 20 films on the list of films to watch", JAN, kind="state"),
        said("b", "Ann has 25 films on the list of films to watch", MAR, kind="state", message="a-s0-m2"),
    ]
    with store.write(actor="ingest") as writer:
        writer.add_log(replace(spoken, messages=messages))
        writer.put_memories(memories)
    assert consolidated(store, "one") == []


def test_what_led_to_a_value_and_what_it_is_of_stay() -> None:
    older = said(
        "a",
        "Shortly before 5 January 2024, Ann flew 20,000 miles on Skyline Air, which means Ann holds"
        " Silver status.",
        JAN,
    )
    newer = said("b", "Ann reached Gold status.", MAR, message="a-s0-m2")
    text = superseding_text(statement(older), statement(newer), "Ann holds Silver status")
    assert text == f"{newer.text} Shortly before 5 January 2024, Ann flew 20,000 miles on Skyline Air."
    eggs = said(
        "c",
        "As of 5 January 2024, Ann needs to use up some of Ann's eggs; Ann has 30 dozen in the fridge.",
        JAN,
    )
    fewer = said("d", "Ann has 20 dozen in the fridge.", MAR, message="a-s0-m2")
    text = superseding_text(statement(eggs), statement(fewer), "Ann has 30 dozen in the fridge")
    assert text == f"{fewer.text} As of 5 January 2024, Ann needs to use up some of Ann's eggs."


def test_the_conversation_in_which_something_was_told_is_no_part_of_it() -> None:
    older = said(
        "a",
        "Ann has finished 4 boats, and Ann feels proud of Ann's work. "
        "(In a conversation about 5 trips to Oslo.)",
        JAN,
    )
    newer = said(
        "b", "Ann has finished 5 boats. (In a conversation about a new shed.)", MAR, message="a-s0-m2"
    )
    assert statement(newer).said == statement(said("c", "Ann has finished 5 boats.", MAR)).said
    assert superseding_text(statement(older), statement(newer), "Ann has finished 4 boats") == (
        "Ann has finished 5 boats. Ann feels proud of Ann's work. (In a conversation about a new shed.)"
    )
