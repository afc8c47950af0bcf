"""A count that goes on is one count, whatever verb tells it."""

from __future__ import annotations

import pytest

from tests.review.test_new_quantity import find


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has read four plays this year.", "Ann just finished Ann's sixth play of the year."),
        ("Ann has written three short plays this year.", "Ann has finished five short plays this year."),
        ("Ann has taken Ann's Leica on two hikes.", "Ann has had Ann's Leica with Ann on four hikes."),
        ("Ann has 12 ferns in Ann's kitchen.", "Ann's collection of ferns has grown to 16."),
        ('Ann is on episode 4 of the series "Dark Fen".', 'Ann has watched nine episodes of "Dark Fen".'),
        ("Ann has done 10 hours of sailing practice.", "Ann has logged 16 hours of sailing practice."),
        # how many times in all, and the next of so many
        ("Ann has seen the musical twice.", "Ann just saw the musical for the third time."),
        ("Ann has been to Oslo once.", "Ann has been to Oslo three times."),
        ("Ann has run two marathons.", "Ann finished Ann's third marathon."),
        # told of as going on now
        ("Ann works 20 hours a week at the mill.", "Ann is now working 30 hours a week at the mill."),
        # of which series, the clauses before say
        (
            "Ann enjoys Granta and Bird Watching Monthly for the pictures. Ann finished their third issue.",
            "Ann read of owls in Bird Watching Monthly, and Ann just finished their fifth issue.",
        ),
        # one measure of a thing of one's own, and a sum that one is granted
        ("Ann's drive takes 45 minutes each way.", "Ann's drive is down to 30 minutes since the tram."),
        ("Ann was approved for $35,000 by the bank.", "Ann got approved for $40,000 by Hill's."),
    ],
)  # fmt: skip
def test_a_count_told_with_another_verb_has_gone_on(older: str, newer: str) -> None:
    assert find(older, newer) == "update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # who has six plays has not read six, and who has read fewer has read others
        ("Ann has read four plays this year.", "Ann now has six plays."),
        ("Ann has read four plays this year.", "Ann just finished Ann's second play of the week."),
        # of others, by others, by other means
        ("Ann has read four plays by Ibsen.", "Ann has read six plays by Racine."),
        ("Ann has taken Ann's Leica on two hikes.", "Ann has taken Ann's kayak on four hikes."),
        ("Ann has written three plays this year.", "Ann has seen five plays this year."),
        ("Ann has written three plays this year.", "Tom has written five plays this year."),
        ("Ann has run two marathons.", "Ann finished Ann's tenth thesis page."),
        ("Ann sees the coach twice a month.", "Ann saw the coach for the third time."),
        # so many at one time
        ("Ann bought three plants at the fair.", "Ann bought five plants at the market."),
        ("Ann spent two hours at the museum.", "Ann spent three hours at the museum."),
        ("Ann's drive takes 45 minutes each way.", "Ann's walk is down to 30 minutes."),
        ("Ann's drive takes 45 minutes each way.", "Ann's sister's drive is down to 30 minutes."),
    ],
)
def test_another_count_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"
