"""How a doubtful statement stands with the whole conversation."""

from __future__ import annotations

import pytest

from memcore.stages.grounding.standing import Conversation
from tests.stages.grounding.conversation import conversation

WHOLE = Conversation(conversation())
MOVED, BREAD, GLUTEN, MARATHON = "m1", "m3", "m4", "m9"


def test_what_anybody_said_is_told_from_what_nobody_did():
    stands = WHOLE.standing("Felix bought a red teapot in Leipzig", [MOVED])
    assert (stands.heard, stands.unheard) == (("teapot", "Leipzig"), ("bought", "red"))


@pytest.mark.parametrize(
    ("statement", "cited", "denied"),
    [
        ("Nora moved into a flat in Leipzig", MOVED, {"name"}),
        ("Felix moved into a flat in Leipzig", MOVED, set()),
        ("Felix has three cats", MOVED, {"number"}),
        ("Felix ran the Dresden marathon in 2019", MARATHON, {"date"}),
        ("Nora eats bread", GLUTEN, {"negation"}),
        ("Nora never eats bread", GLUTEN, set()),
        ("Felix did not move into a flat in Leipzig", MOVED, {"negation"}),
        ("Nora's friend moved into a flat in Leipzig", MOVED, set()),
        ("Nora was told of a flat in Leipzig", MOVED, set()),
        ("Felix got a loaf from an old lady without paying", BREAD, set()),
    ],
)
def test_a_message_denies_what_it_says_otherwise_in_so_many_words(statement, cited, denied):
    assert WHOLE.standing(statement, [cited]).denied == denied


def test_what_one_message_says_of_it_counts_with_the_turns_before():
    assert WHOLE.standing("Felix sails tall ships to Norway", [MOVED]).most == 0.0
    assert WHOLE.standing("Felix took two cats to a flat in Leipzig", [MOVED]).most > 0.5


def test_of_too_few_words_it_is_not_told_that_nobody_said_them():
    assert WHOLE.standing("Felix sails on 10 March 2024", [MOVED]).most == 1.0


def test_a_citation_says_a_share_of_a_statement():
    assert WHOLE.standing("Felix has two cats", [MOVED]).there == 1.0
    assert WHOLE.standing("Felix has two cats", [GLUTEN]).there == 0.0
    assert 0.6 < WHOLE.standing("Felix keeps cats and snakes in Leipzig", [MOVED]).there < 0.7


def test_a_language_that_the_rules_do_not_know_is_told():
    told = Conversation(conversation([("Felix", "Dice que si no vienes, nunca te lo perdona.")]))
    assert not told.standing("Felix passes on a warning", ["m0"]).readable
