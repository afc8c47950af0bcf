"""What the rules propose, and above all what they leave alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcore.domain.models import MemoryEntry
from memcore.review.decisions import UpdateQueue
from memcore.review.pairs import statement
from memcore.review.rules import RuleDecider, decide_queue, examine
from tests.review.scenes import JAN, JUN, MAR, said

NOON = datetime(2024, 1, 5, 12)
DAY = timedelta(days=1)


def find(older: str, newer: str, *, later: bool = True, kind: str = "state", newer_kind: str = "") -> str:
    """ "rule → action" for two statements, the second said two months later (or at the same moment)."""
    a = said("a", older, JAN, kind=kind)
    b = said("b", newer, MAR if later else JAN, kind=newer_kind or kind, message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    return f"{finding.rule} → {finding.action}" if finding else "nothing"


ANY_WORDS = st.lists(
    st.sampled_from(
        "Ann is what the 3 5 dogs. not now? was has used to in a while moved works at since May 2023 Monday "
        "7 am planning instead vegetarian switched from reads".split()
    ),
    max_size=6,
).map(" ".join)


@given(ANY_WORDS, ANY_WORDS)
@example("Ann Ann", "Ann what is")
def test_any_two_texts_can_be_compared(older: str, newer: str) -> None:
    assert find(older, newer)


def test_statements_without_content_words_say_nothing_of_each_other() -> None:
    assert find("Ann was.", "Ann is.") == find("Ann has 3 dogs.", "Ann is.") == "nothing"


# --------------------------------------------------------------------------- said again


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann is allergic to peanuts and shellfish", "Ann is allergic to peanuts and shellfish."),
        ("Ann loves painting watercolors", "Ann also really loves painting watercolors"),
        ("Ann has two brown dogs", "Ann has 2 brown dogs"),
        ("Ann doesn't eat red meat", "Ann does not eat red meat"),
        ("Ann is a nurse", "Ann is also a nurse"),
    ],
)
def test_the_same_in_nearly_the_same_words_is_one_memory(older: str, newer: str) -> None:
    assert find(older, newer) == "near-duplicate → merge"


def test_literal_repetitions_are_found_in_any_language() -> None:
    assert find("Ana vive en Madrid.", "Ana vive en Madrid") == "near-duplicate → merge"
    assert find("我喜欢咖啡", "我喜欢咖啡。") == "near-duplicate → merge"


def test_a_refinement_takes_the_fuller_text_and_invents_nothing() -> None:
    older = said("a", "Ann plays the cello", JAN, kind="state")
    newer = said("b", "Ann plays the cello in the city orchestra", MAR, kind="state")
    finding = examine(statement(older), statement(newer))
    assert finding is not None
    assert (finding.rule, finding.action, finding.text) == ("refinement", "update", newer.text)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has a dog", "Ann has a brown dog named Rex"),
        ("Ann is a nurse", "Ann is a nurse at the city hospital"),
    ],
)
def test_short_statements_are_refined_too(older: str, newer: str) -> None:
    assert find(older, newer) == "refinement → update"


def test_what_one_clause_of_a_longer_text_says_is_said_by_it() -> None:
    short = "Ann has been reading about the Amazon rainforest in a magazine"
    long = "Ann has been reading a lot about the Amazon rainforest in a magazine, and Ann wants to go there."
    assert find(short, long) == "refinement → update"
    assert find(long, short) == "shorter repetition → merge"
    assert find(short, long.replace("has been reading a lot", "has never been reading")) == "nothing"


def test_a_quotation_is_not_understood_and_refines_no_other() -> None:
    short, long = 'Ann said: "; Jan 22; Feb 22."', 'Ann said: "O; Jan 22; Feb 22."'
    assert find(short, long, kind="statement") == "nothing"
    assert find(short, short, kind="statement", later=False) == "near-duplicate → merge"


def test_a_newer_statement_that_says_less_keeps_the_fuller_text() -> None:
    older = said("a", "Ann plays the cello in the city orchestra", JAN, kind="state")
    newer = said("b", "Ann plays the cello", MAR, kind="state")
    finding = examine(statement(older), statement(newer))
    assert finding is not None
    assert (finding.rule, finding.action, finding.text) == ("shorter repetition", "merge", older.text)


def test_a_restatement_in_another_order_keeps_the_fuller_text() -> None:
    older = "Ann plays the cello in the city orchestra on weekday evenings"
    newer = "Ann plays on weekday evenings in the orchestra the cello"
    finding = examine(statement(said("a", older, JAN)), statement(said("b", newer, MAR)))
    assert finding is not None
    assert (finding.rule, finding.action, finding.text) == ("restatement", "merge", older)


def test_what_still_goes_on_in_other_words_leaves_both() -> None:
    a = said("a", "Ann has been working on the shop and just teamed up with an artist", JAN, kind="state")
    b = said("b", "Ann is working on the shop, growing the customer base", JUN, kind="state")
    assert examine(statement(a), statement(b)) is None


# --------------------------------------------------------------------------- has ended


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann lives in New York", "Ann lives in Boston"),
        ("Ann lives in New York with her sister", "Ann moved to Boston in 2024"),
        ("Ann works at Acme Corp", "Ann got a new job at Initech"),
        ("Ann works as a nurse", "Ann works as a teacher in Leeds"),
        ("Ann is 29 years old", "Ann turned 30"),
        ("Ann is single", "Ann is engaged to Max"),
        ("Ann is married to Max", "Ann got divorced"),
        ("Ann's favorite color is green", "Ann's favourite color is blue"),
        ("Ann's phone number is 555-0100", "Ann's phone number is 555-0199"),
        ("Ann's name is Ann Lee", "Ann's name is Ann Miller"),
    ],
)
def test_a_new_value_of_what_is_single_ends_the_old_one(older: str, newer: str) -> None:
    assert find(older, newer) == "one value at a time → invalidate"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has 25 titles on the watch list", "Ann has 30 titles on the watch list"),
        ("Ann has read four issues of the magazine", "Ann has read five issues of the magazine so far"),
    ],
)
def test_a_new_figure_in_the_same_statement_takes_the_place_of_the_old_one(older: str, newer: str) -> None:
    assert find(older, newer) == "new figure → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has a red car", "Ann sold the car"),
        ("Ann smokes ten cigarettes a day", "Ann quit smoking"),
        ("Ann plays chess", "Ann stopped playing chess in February 2024"),
        ("Ann drinks coffee", "Ann gave up coffee"),
        ("Ann works at the university library", "Ann left the library on 6 March 2024"),
        ("Ann works as a nurse", "Ann quit her job"),
        ("Ann is dating Max", "Ann broke up with Max"),
    ],
)
def test_a_state_ends_when_its_end_is_told(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "ended state → invalidate"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann likes coffee", "Ann no longer drinks coffee"),
        ("Ann likes coffee", "Ann doesn't like coffee anymore"),
        ("Ann is a vegetarian", "Ann is not a vegetarian any more"),
        ("Ann does not eat fish", "Ann eats fish"),
    ],
)
def test_a_denial_of_a_habit_ends_it(older: str, newer: str) -> None:
    assert find(older, newer) == "denied → invalidate"


def test_a_vegetarian_who_eats_fish_is_none_any_more() -> None:
    assert find("Ann is a strict vegetarian", "Ann has eaten fish ever since", newer_kind="event") == (
        "changed diet → invalidate"
    )


@pytest.mark.parametrize(
    ("older", "newer", "newer_kind", "rule"),
    [
        ("Ann live in New York", "Ann live in Boston", "state", "one value at a time"),
        ("Ann live in New York", "Ann move to Boston", "event", "one value at a time"),
        ("Ann work at Acme", "Ann work at Initech", "state", "one value at a time"),
        ("Ann live in New York", "Ann not live in New York", "state", "denied"),
        ("Ann date Max", "Ann break up with Max", "event", "ended state"),
    ],
)
def test_a_triples_words_end_what_a_sentence_would(
    older: str, newer: str, newer_kind: str, rule: str
) -> None:
    assert find(older, newer, newer_kind=newer_kind) == f"{rule} → invalidate"


@pytest.mark.parametrize(
    ("kind", "newer", "newer_kind"),
    [
        ("event", "Ann live in Boston", "state"),  # lived in New York
        ("plan", "Ann live in Boston", "state"),  # will live in New York
        ("state", "Ann live in Boston", "event"),
        ("state", "Ann live in Boston", "plan"),
        ("state", "Ann move to Boston", "plan"),
        ("state", "Ann move to Boston", "state"),  # is moving to Boston
    ],
)
def test_what_was_or_will_be_ends_nothing_and_is_not_ended(kind: str, newer: str, newer_kind: str) -> None:
    assert find("Ann live in New York", newer, kind=kind, newer_kind=newer_kind) == "nothing"


def test_a_move_ends_a_home_only_if_it_was_made_since_and_not_before_or_later() -> None:
    home = statement(said("a", "Ann lives in New York", NOON, kind="state"))

    def moved(when: datetime, until: datetime | None = None) -> bool:
        move = said("b", "Ann moved to Boston", NOON + 60 * DAY, kind="event", event_at=when, event_end=until)
        return examine(home, statement(move)) is not None

    assert [moved(NOON - 900 * DAY), moved(NOON + 30 * DAY), moved(NOON + 90 * DAY)] == [False, True, False]
    assert moved(NOON - 3 * DAY, NOON + 4 * DAY), "in the week in which the home was told of"


# --------------------------------------------------------------------------- was planned, is done


def test_a_plan_told_as_done_is_updated_to_the_deed() -> None:
    older, newer = "Ann plans to adopt a greyhound", "Ann adopted a greyhound from the shelter"
    assert find(older, newer, kind="plan", newer_kind="event") == "plan carried out → update"


@pytest.mark.parametrize(
    ("plan", "deed"),
    [
        ("Ann plans to adopt a greyhound", "Ann adopted a cat"),
        ("Ann plans to adopt a greyhound", "Ann did not adopt a greyhound"),
        ("Ann plans to adopt a greyhound", "Ann wants to adopt a greyhound next year"),
        ("Ann plans to adopt a greyhound", "Bob adopted a greyhound"),
        ("Ann does not plan to adopt a greyhound", "Ann adopted a greyhound"),
    ],
)
def test_a_plan_is_not_carried_out_by_something_else(plan: str, deed: str) -> None:
    assert "carried out" not in find(plan, deed, kind="plan", newer_kind="event")


def test_a_plan_is_not_carried_out_before_it_was_made_nor_a_year_later() -> None:
    plan = statement(said("a", "Ann plans to run the marathon", NOON, kind="plan"))

    def done(when: datetime) -> bool:
        deed = said("b", "Ann ran the marathon", NOON + 600 * DAY, kind="event", event_at=when)
        return examine(plan, statement(deed)) is not None

    assert [done(NOON - 30 * DAY), done(NOON + 30 * DAY), done(NOON + 400 * DAY)] == [False, True, False]


# --------------------------------------------------------------------------- left alone


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # tastes and possessions that coexist
        ("Ann likes tea", "Ann likes coffee"),
        ("Ann likes painting", "Ann likes swimming"),
        ("Ann has a dog", "Ann has a cat"),
        # work that is no job
        ("Ann is working on the dance studio", "Ann lost her job"),
        ("Ann works out at the gym", "Ann quit her job"),
        # different subjects
        ("Ann lives in New York", "Bob lives in Boston"),
        ("Ann's sister lives in New York", "Ann lives in Boston"),
        ("Ann and Bob love climbing in the hills", "Ann loves climbing in the hills"),
        # the same place in more or less detail, or no place at all
        ("Ann lives in Paris", "Ann lives in Paris, France"),
        ("Ann lives in Paris", "Ann moved to a bigger flat"),
        # negation and mood are not details
        ("Ann eats fish on Fridays", "Ann would eat fish on Fridays"),
        ("Ann thinks the museum is too expensive", "The museum is too expensive"),
        ("Ann used to live in New York", "Ann lives in Boston"),
        ("Ann wants to live in Rome", "Ann lives in Boston"),
        # a step that is still true after the next one
        ("Ann moved to New York in 2019", "Ann moved to Boston in 2024"),
        # two things of one kind, however alike their beginning ("never again")
        (
            "Ann thinks adding more details to the toy car would make it look more lifelike, like seatbelts",
            "Ann thinks adding more details to the toy car would make it look more lifelike, like an engine",
        ),
        # one of several that are open, and what one has beside what one does with it
        (
            "Ann has been doing research on planning a bigger trip for 2024, possibly to Europe or Asia",
            "Ann is thinking of planning a trip to Europe",
        ),
        (
            "Ann has got a road bike and a mountain bike",
            "Ann rides the road bike while the mountain bike is mended",
        ),
        # one word may change everything
        ("Ann needs to use up the eggs in the fridge", "Ann needs to use up the milk in the fridge"),
        ("Ann will pair the boots with a dress", "Ann will pair the boots with shorts"),
        ("Ann has a dog", "Ann has a dog bed"),
        ("Ann likes tea", "Ann likes tea towels"),
        ("Ann is thinking about the honeymoon", "Ann is thinking of a balloon ride on the honeymoon"),
        ("Ann is considering visiting Japan", "Ann is considering visiting other countries after Japan"),
        # two pictures, however alike
        ("Ann shared an image: a photo of a book shelf", "Ann shared an image: a photo of a book shelf."),
        # another figure of another thing, or a date
        ("Ann has 2 dogs", "Ann has 3 cats"),
        ("Ann has had the car since 2019", "Ann has had the car since 2020"),
        # announced, and not yet so
        ("Ann works at the university library", "Ann handed in her notice at the library on 6 March 2024"),
        ("Ann works at the university library", "Ann is planning to quit her job"),
        ("Ann lives in New York", "Ann is planning to move to Boston"),
        # the third of what?
        # sold something else
        ("Ann has a red car", "Ann sold the house"),
        ("Ann works at the library", "Ann lost her phone"),
    ],
)
def test_what_can_both_be_true_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


def hike(key: str, text: str, day: int | None, told: int, kind: str = "event") -> MemoryEntry:
    when = None if day is None else NOON.replace(hour=0) + day * DAY
    end = when + DAY if when else None
    return said(key, text, NOON + told * DAY, kind=kind, event_at=when, event_end=end)


def test_outings_on_different_days_are_different_however_alike_their_words() -> None:
    first = statement(hike("a", "Ann went hiking in the Alps with Bob", 1, 2))
    assert examine(first, statement(hike("b", "Ann went hiking in the Alps with Bob", 40, 41))) is None
    assert examine(first, statement(hike("b", "Ann went hiking in the Alps with Bob", 1, 41))) is not None


def test_two_dinners_seven_weeks_apart_are_two() -> None:
    first = statement(hike("a", "Ann had dinner with Bob at the harbour", None, 0))
    again = statement(hike("b", "Ann had dinner with Bob at the harbour again", None, 49))
    assert examine(first, again) is None


def test_undated_outings_are_one_only_within_one_talk() -> None:
    first = statement(hike("a", "Ann went hiking in the Alps with Bob", None, 0))
    assert examine(first, statement(hike("b", "Ann went hiking in the Alps with Bob", None, 30))) is None
    assert examine(first, statement(hike("b", "Ann went hiking in the Alps with Bob", None, 0))) is not None


def test_nothing_ends_by_a_statement_that_is_not_known_to_be_later() -> None:
    assert find("Ann lives in New York", "Ann lives in Boston", later=False) == "nothing"
    undated = statement(said("b", "Ann lives in Boston", None))
    assert examine(statement(said("a", "Ann lives in New York", JAN)), undated) is None


# --------------------------------------------------------------------------- one decision per queue


def queue(target: MemoryEntry, *candidates: MemoryEntry) -> UpdateQueue:
    return UpdateQueue(target, tuple((memory, 0.9 - i / 100) for i, memory in enumerate(candidates)))


def test_the_earliest_contradiction_says_when_a_memory_ceased_to_hold() -> None:
    target = said("a", "Ann lives in New York", JAN)
    boston = said("b", "Ann lives in Boston", MAR)
    rome = said("c", "Ann lives in Rome", MAR + 30 * DAY)
    decision = decide_queue(queue(target, rome, boston))
    assert (decision.action, decision.against, decision.risk) == ("invalidate", ("b",), "high")
    assert [candidate.memory_id for candidate in decision.queue] == ["c", "b"]


def test_an_end_outranks_a_repetition_and_all_repetitions_are_merged_together() -> None:
    target = said("a", "Ann lives in New York", JAN)
    again = [said(f"r{i}", "Ann lives in New York", JAN + i * DAY) for i in (1, 2)]
    assert decide_queue(queue(target, *again)).against == ("r1", "r2")
    moved = said("b", "Ann lives in Boston", MAR)
    assert decide_queue(queue(target, *again, moved)).action == "invalidate"


def test_a_queue_no_rule_speaks_to_is_ignored_with_a_reason() -> None:
    (decision,) = RuleDecider().decide([queue(said("a", "Ann likes tea"), said("b", "Ann likes coffee"))])
    assert (decision.action, decision.new_text, decision.error) == ("ignore", None, "")
    assert decision.reason


def test_memories_that_one_text_takes_the_place_of_are_replaced_together() -> None:
    newer = said("n", "Ann just finished the fifth issue of Granta", JUN, message="a-s0-m2")
    olds = [
        said("a", "Ann just finished the third issue of Granta"),
        said("b", "Ann remembers finishing three issues of Granta"),
    ]
    first, second = RuleDecider().decide([queue(old, newer) for old in olds])
    assert (first.action, first.target.id, first.together) == ("update", "a", ("b",))
    assert second.action == "ignore"
    assert "together with “Ann just finished the third issue of Granta”" in second.reason


def test_what_an_assistant_said_is_merged_with_itself_and_nothing_else() -> None:
    listed = said("a", 'Assistant said to Ann about films: "Alien; Arrival; Solaris (1972) and others"')
    longer = said("b", f"{listed.text} and more", MAR)
    again = said("c", listed.text, JAN)
    told = said("d", "Ann lives in Boston", MAR)
    home = said("e", "Ann lives in New York", JAN)

    def decided(target: MemoryEntry, other: MemoryEntry, *of_assistant: MemoryEntry) -> str:
        asked = queue(target, other)
        return decide_queue(replace(asked, of_assistant=frozenset(m.id for m in of_assistant))).action

    assert decided(listed, longer, listed, longer) == "ignore"
    assert decided(listed, again, listed, again) == "merge"
    assert decided(home, told, told) == "ignore"
    assert decided(home, told) == "invalidate"


def test_an_end_rests_on_all_that_tell_it_on_one_day() -> None:
    older = said("a", "Ann hung the tide chart above the stove.", JAN, kind="event")
    newer = [
        said("b", "Ann moved the tide chart to Ann's hall.", MAR, kind="event"),
        said("c", "Ann moved the tide chart above Ann's coat rack.", MAR, kind="event", message="a-s0-m2"),
        said("d", "Ann moved the tide chart above Ann's bath.", JUN, kind="event", message="a-s0-m3"),
    ]
    (decision,) = RuleDecider().decide([UpdateQueue(older, tuple((one, 0.8) for one in newer))])
    assert decision.against == ("b", "c")
