"""What has another number than before becomes a proposal; what happened again does not."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.review.new_quantity import new_quantity
from memcore.review.pairs import statement
from memcore.review.rules import examine
from tests.review.scenes import JAN, MAR, said


def find(older: str, newer: str, kind: str = "event") -> str:
    """The action on the older of two statements, the second said two months later."""
    a = said("a", older, JAN, kind=kind)
    b = said("b", newer, MAR, kind=kind, message="a-s0-m2")
    finding = new_quantity(statement(a), statement(b))
    return finding.action if finding else "nothing"


CHANGED = [
    (
        "Ann has finished 3 quilts since joining the guild.",
        "Ann just finished Ann's 4th quilt since joining the guild.",
    ),
    (
        "Ann's fastest time so far is 52 minutes in the river race.",
        "Ann ran Ann's fastest time in the river race, 49 minutes.",
    ),
    (
        "Ann has saved enough stamps for a single free coffee at the kiosk.",
        "Ann has saved enough stamps for two free coffees at the kiosk, so Ann might take Tom along.",
    ),
    ("Ann practises the cello about an hour each day.", "Ann practises the cello about two hours each day."),
    (
        "Ann's handball team is 3-2 so far in the league.",
        "Ann's handball team is doing well in the league with a 5-2 record.",
    ),
    (
        "Ann has 20 films on Ann's list of westerns to watch.",
        "Ann currently has 25 films on Ann's list of westerns to watch.",
    ),
    ("Ann's salary at the bakery is $54,000 a year.", "Ann's salary at the bakery is now $65,000 a year."),
    ("Ann just finished the third issue of Granta.", "Ann has just finished the fifth issue of Granta."),
    ("Ann just finished Ann's third issue.", "Ann reads a magazine, and Ann just finished the fifth issue."),
    ("Ann's highest score so far is 124 points.", "Ann just got Ann's highest score in Catan - 132 points."),
    ("Ann's highest score so far is 124 points.", "Ann's highest score so far is 132 points."),
    ("Ann sees Ann's therapist, Dr. Smith, every two weeks.", "Ann has been seeing Dr. Smith every week."),
    ("Ann goes to the climbing wall twice a week.", "Ann goes to the climbing wall three times a week."),
    ("Ann's personal best time in the 5k is 27:12.", "Ann set a personal best time of 25:50 in the 5k."),
    ("Ann's best time in the 5k is 27 minutes and 12 seconds.", "Ann's best time in the 5k is now 25:50."),
    ("Ann has bought three tops from Mango so far.", "Ann has already got five tops from Mango."),
    ("Ann has four bikes.", "Ann now owns five bikes."),
    ("Ann currently has 1,250 followers on Instagram.", "Ann just reached 1,300 followers on Instagram."),
    ("Ann earns $54,000 a year at the bakery.", "Ann's salary at the bakery is now $65,000."),
    ("Ann has 20 titles on Ann's list of films to watch.", "Ann has 25 on Ann's list of films to watch now."),
    ("Ann's highest score in Catan is 98 points.", "Ann beat Ann's high score in Catan with 112 points."),
    ("Ann has three plants in the kitchen.", "Ann made that five plants in the kitchen."),
    ("Ann has four engineers on the team.", "Ann now leads a team of five engineers."),
    ("Ann practises guitar for 30 minutes a day.", "Ann practises guitar an hour a day."),
    (
        "Ann needs to use up the eggs, Ann and others have a lot stocked in the barn - 30 dozen by now.",
        "Ann and others have got 20 dozen stocked in the barn right now.",
    ),
    # of what, the sentence before says
    ("Ann has lessons with Dr. Roe. It's every two weeks.", "Ann sees Dr. Roe every week."),
    (
        "Ann does well in the handball league; Ann and others are 3-2 so far.",
        "Ann's handball team, the Otters, does well with a 5-2 record.",
    ),
    (
        "Ann has been doing pretty well in the handball league; Ann and others are 3-2 so far.",
        "As of 1 March 2024, Ann is fit, Ann's handball team, the Otters, is doing well with a 5-2 record.",
    ),
    (
        "Ann needs to use the eggs; Ann and others have a lot kept in the barn - 30 dozen at the moment.",
        "As of 1 March 2024, Ann and others have got 20 dozen kept in the barn right now.",
    ),
    # how far one has come
    ("Ann is on page 120 of Emma.", "Ann is already on page 310 of Emma."),
    ("Ann has finished five seasons of Dark.", "Ann just finished season seven of Dark."),
    (
        "Ann is on episode 10 of the bird series.",
        "Ann watches the bird series, and Ann has finished 30 episodes.",
    ),
    # some of a set
    (
        "Ann has tried three of Emeka's soup recipes so far.",
        "Ann tried another one of Emeka's soup recipes, that makes five now.",
    ),
    # what is one's own has one measure
    ("Ann weighs 84 kg.", "Ann is down to 79 kg."),
    ("Ann's rent is $1,200.", "Ann's rent went up to $1,350."),
    ("Ann has two cats.", "Ann got a third cat."),
    ("Ann's shop has 230 followers.", "Ann wanted to ask about ads: Ann's shop just reached 400 followers."),
    ("Ann works out three times a week.", "Ann has been working out five days a week lately."),
    (
        "Ann saw two people at the net - reminds Ann of Ann's own weekly tennis sessions with friends.",
        "Ann is planning to play tennis with friends in the park, like Ann and others do every other week.",
    ),
    ("Ann's bean to water ratio is 1:15.", "Ann's bean to water ratio is now 1:17."),
    # told as what it has come to, beside few words that say of what
    ("Ann has 3 beehives behind Ann's barn.", "Ann bought two more hives, so Ann now has 5 beehives."),
    ("Ann's record in the quiz app is 40 wins.", "As of 1 March 2024, Ann has got 55 wins in the quiz app."),
    ("Ann has sung in the choir 5 times so far.", "1 March 2024 was Ann's 8th time singing in the choir."),
    ("Ann's son is in second grade and loves chess.", "Ann's son just started third grade."),
    # what is paid each month, whoever sets it
    ("Ann is paying $900 a month for Ann's flat.", "Ann's landlord raised the rent to $1,050 a month."),
    # how often
    ("Ann mows the lawn every Friday after work.", "Ann only mows the lawn every other Friday."),
    ("Ann sees Ann's osteopath every week.", "Ann is seeing Ann's osteopath only once a month."),
    ("Ann sings with the choir every week.", "Ann sings with the choir on the first Monday of each month."),
]  # fmt: skip

SAME_OR_ELSE = [
    # what came to those there were, and a sum by the day
    (
        "Ann has 5 plants at home, including a snake plant, a spider plant, a peace lily and a basil plant.",
        "Shortly before 1 March 2024, Ann actually just got three new plants a snake plant, a spider plant.",
    ),
    (
        "Ann is trying to reduce their daily commute expenses.",
        "Ann starts at 8, and Ann commutes every weekday.",
    ),
    # the same words beside another thing, or of another person
    ("Ann can hold a plank for 60 seconds.", "Ann can hold a handstand for 20 seconds."),
    ("Ann reads for 20 minutes before bed.", "Ann stretches for 10 minutes before bed."),
    ("Ann plays tennis with Tom every week.", "Ann plays chess with Tom every day."),
    ("Ann spends 30 minutes a day on Spanish.", "Ann spends an hour a day on the piano."),
    ("Ann has three cats.", "Ann's sister has two cats."),
    ("Ann weighs 84 kg.", "Ann's suitcase weighs 19 kg."),
    ("Ann's budget is around $100.", "Ann's budget for the new keyboard is around $1,000."),
    # what is read is not what has been read
    ("Ann is reading two books.", "Ann has read 20 books this year."),
    ("Ann is on episode 3 of Dark.", "Ann is on episode 5 of Silo."),
    ("Ann likes The Daily News on paper.", "Ann reads the news on paper every week."),
    ("Ann has 3 questions about the flat.", "Ann has 2 questions about the flat."),
    ("Ann has been rowing for 30 minutes daily at the club.", "Ann has been rowing half a mile at the club."),
    ("Ann caught 7 bass on the trip with Tom.", "Ann caught 9 bass with Tom that day at the lake."),
    ("Ann has read 20 novels by Le Guin.", "Ann wants to read 50 novels by Le Guin."),
    ("Ann has read 20 novels by Le Guin.", "Ann has not read 30 novels by Le Guin."),
    ("Ann has 3 meetings with the sales team weekly.", "Ann has 5 meetings with the legal team weekly."),
    ("Ann has 3 brown dogs in the yard at home.", "Ann has 5 black dogs in the yard at home."),
    ("Ann goes to the gym twice a week.", "Ann goes to the library three times a week."),
    ("Ann goes to the climbing wall every week.", "Ann goes to the climbing wall weekly."),
    ("Ann has three questions.", "Ann has two questions."),
    ("Ann just ran Ann's first marathon.", "Ann just ran Ann's second marathon."),
    ("Ann's best time in the 5k is 27:12.", "Ann's best time in the 10k is 55:30."),
    ("Ann bought 3 books at the fair in Leeds.", "Ann bought 5 books at the fair in Leeds."),
    ("Ann has been tending the garden for 3 weeks.", "Ann has been tending the garden for 4 weeks."),
    ("Ann has bought three tops from Mango this year.", "Ann has bought five tops from Zara this year."),
    ("Ann has read 4 novels by Le Guin.", "Ann has read 4 novels by Le Guin so far."),
    ("Ann has 2 brothers in Leeds.", "Ann has 3 keys to the shed."),
    ("Ann has 2 cats.", "Tom has 3 cats."),
    ("Ann is free on 4 May 2024 for the concert.", "Ann is free on 6 May 2024 for the concert."),
    ("Ann has lived in Leeds since 2019.", "Ann has lived in Leeds since 2020."),
    ("Ann swims every Monday and Friday at the lido.", "Ann has started swimming twice a week at the lido."),
    ("Ann beat Ann's best time by 3 minutes.", "Ann reads the one Ann got already, for 20-30 minutes."),
    ("Ann wore the boots to work on 17 May and 22nd.", "Ann has worn the coat to work three times already."),
    ("Ann's son is in second grade.", "Ann's daughter just started third grade."),
    ("Ann is paying $900 a month for Ann's flat.", "Ann's landlord raised the rent of the shop upstairs."),
    ("Ann has 3 beehives behind Ann's barn.", "Ann now has 5 wheelbarrows behind Ann's barn."),
    ("Ann has 4 cooks in the day shift.", "Ann now has 6 cooks in the night shift."),
]  # fmt: skip


@pytest.mark.parametrize(("older", "newer"), CHANGED)
def test_another_number_of_the_same_ends_the_older_statement(older: str, newer: str) -> None:
    assert find(older, newer) == "update"


@pytest.mark.parametrize(("older", "newer"), SAME_OR_ELSE)
def test_what_happened_again_or_is_something_else_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


def test_the_older_is_never_set_against_what_was_said_before_it() -> None:
    older, newer = (statement(said(i, text, MAR)) for i, text in zip("ab", CHANGED[0], strict=True))
    assert new_quantity(older, newer) is None


def test_a_quotation_is_not_understood_and_says_no_number() -> None:
    assert find(*CHANGED[0], kind="statement") == "nothing"


def test_an_occasion_that_is_told_twice_has_not_changed() -> None:
    day, week = datetime(2024, 1, 5), datetime(2024, 1, 1)
    older = "Ann ran for charity on 5 January 2024, finishing with a personal best time of 27:12."
    newer = "Ann ran for charity in the week of 1 January 2024, finishing with a personal best time of 24:12."
    a = said("a", older, JAN, kind="event", event_at=day, event_end=day + timedelta(days=1))
    b = said("b", newer, MAR, kind="event", event_at=week, event_end=week + timedelta(days=7), message="m2")
    assert new_quantity(statement(a), statement(b)) is None
    in_may = said("b", newer, MAR, kind="event", event_at=datetime(2024, 2, 27), message="m2")
    assert new_quantity(statement(a), statement(in_may)) is not None


def test_the_reason_names_both_numbers_with_their_words() -> None:
    a, b = (said(i, t, at, kind="event") for i, t, at in zip("ab", CHANGED[0], (JAN, MAR), strict=True))
    finding = examine(statement(a), statement(b))
    assert finding is not None
    assert "finished 3 quilts" in finding.reason
    assert finding.reason.endswith("3, then 4.")


WORDS = st.lists(
    st.sampled_from("Ann has is 3 4th third a an hour $5 20% 3-2 of the best book now . - May 2024".split()),
    max_size=10,
).map(" ".join)


@given(WORDS, WORDS)
def test_any_two_texts_can_be_compared(older: str, newer: str) -> None:
    assert find(older, newer) in ("update", "nothing")


def test_what_is_only_thought_of_changing_leaves_both() -> None:
    older = said("a", "Ann has cut back to just one cup in the morning.", JAN, kind="event")
    newer = said("b", "Ann is thinking of changing Ann's morning coffee limit to two cups.", MAR, kind="plan")
    assert examine(statement(older), statement(newer)) is None


def test_what_reminded_of_it_and_happened_once_stays() -> None:
    older = "Ann saw ducks in the park - reminds Ann of Ann's own weekly tennis sessions with friends."
    newer = (
        "Ann is planning to play tennis with friends in the park, like Ann and others do every other week."
    )
    a, b = said("a", older, JAN, kind="event"), said("b", newer, MAR, kind="event", message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    assert finding is not None
    assert finding.text == f"{newer} Ann saw ducks in the park."
