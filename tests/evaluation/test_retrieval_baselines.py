"""Rankings that a recipe is compared with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memcore.evaluation.ranking import Yardstick, recall, scores_of, turn_ranking
from memcore.evaluation.retrieval_baselines import RANDOM_DRAWS, TurnBaselines, turn_text
from memcore.store import Bm25Index
from tests.evaluation.annotated import message, question
from tests.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder(256)
SAID = [
    message("long", "s1", "the kayak, which I bought on Tuesday together with two paddles and a helmet"),
    message("pie", "s1", "rhubarb pie"),
    message("kayak", "s2", "kayak kayak"),
    message("rain", "s3", "rain again"),
]


def asked(*evidence, text="kayak", sessions=("s1",)):
    made = question(*evidence, sessions=sessions)
    return replace(made, text=text, owner="me")


def rankings(about, k=10):
    vectors = EMBEDDER.embed([turn_text(m) for m in SAID])
    found = TurnBaselines(SAID, vectors, EMBEDDER, Bm25Index()).rankings(about, k)
    return {name: [[h.id for h in draw] for draw in draws] for name, draws in found.items()}


def test_words_alone_find_only_what_shares_a_word():
    assert rankings(asked("kayak"))["bm25"] == [["kayak", "long"]]


def test_a_speakers_name_is_a_word_of_every_turn_and_a_role_is_none():
    assert len(rankings(asked("kayak", text="Ann"))["bm25"][0]) == len(SAID)
    assert turn_text(SAID[1]) == "Ann: rhubarb pie"
    assert turn_text(replace(SAID[1], role="user", speaker="user")) == "rhubarb pie"


def test_meaning_alone_ranks_everything_by_cosine():
    (dense,) = rankings(asked("kayak"))["dense"]
    cosine = EMBEDDER.embed([turn_text(m) for m in SAID]) @ EMBEDDER.embed(["kayak"])[0]
    assert dense == [SAID[i].id for i in np.argsort(-cosine, kind="stable")]
    assert dense[0] == "kayak"


def test_both_are_added_as_standard_scores():
    (both,) = rankings(asked("kayak"))["z-sum"]
    assert both[:2] == ["kayak", "long"] and {*both} == {m.id for m in SAID}


def test_the_oracle_begins_with_the_evidence_shortest_first():
    assert rankings(asked("long", "pie"))["oracle"][0][:2] == ["pie", "long"]


def test_the_oracle_opens_each_evidence_session_whose_turns_are_unknown():
    assert rankings(asked(sessions=("s1", "s2")))["oracle"][0][:2] == ["pie", "kayak"]
    assert rankings(asked("kayak", sessions=("s1", "s2")))["oracle"][0][:2] == ["kayak", "pie"]


def test_chance_is_drawn_several_times_and_is_the_same_in_the_next_run():
    draws = rankings(asked("kayak"))["random"]
    assert len(draws) == RANDOM_DRAWS and draws == rankings(asked("kayak"))["random"]
    assert all(sorted(draw) == sorted(m.id for m in SAID) for draw in draws)


def test_no_more_than_was_asked_for():
    assert all(len(draw) <= 2 for draws in rankings(asked("kayak"), k=2).values() for draw in draws)


def test_no_ranking_of_turns_beats_the_oracle_at_any_rank():
    about = asked("long", "rain", sessions=("s1", "s3"))
    found = TurnBaselines(SAID, EMBEDDER.embed([turn_text(m) for m in SAID]), EMBEDDER, Bm25Index()).rankings(
        about, 9
    )
    yardstick = Yardstick(ks=(1, 2, 3, 4), budgets=())
    best = scores_of(about, turn_ranking(found["oracle"][0]), {}, yardstick)
    for draws in found.values():
        for draw in draws:
            scores = scores_of(about, turn_ranking(draw), {}, yardstick)
            assert all(scores[name] <= best[name] + 1e-12 for name in best)
    assert recall([h.id for h in found["oracle"][0]], about.messages, 2) == 1
