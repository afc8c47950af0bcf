"""What the cited words carry is supported; whatever is changed in it is found, and said in words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.errors import UsageError
from memcore.domain.models import Grounding
from memcore.stages.grounding.judge import Grounder, ground
from tests.fakes import HashingEmbedder
from tests.stages.grounding.conversation import TOLD, conversation, message

MESSAGES = conversation()
GROUNDER = Grounder(MESSAGES, HashingEmbedder(256))


def judged(text: str, place: int) -> Grounding:
    return GROUNDER.judge(text, [f"m{place}"])


def kinds(grounding: Grounding) -> set[str]:
    return {reason.kind for reason in grounding.reasons}


@pytest.mark.parametrize("place", range(len(TOLD)))
def test_the_very_words_are_supported(place):
    found = judged(TOLD[place][1], place)
    assert (found.verdict, found.reasons, found.better) == ("supported", (), "")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Felix moved into a flat in Leipzig last Friday with his two cats, Biscuit and Tofu.", 1),
        ("Felix moved into a flat in Leipzig on 8 March 2024.", 1),
        ("The old lady upstairs bakes bread every morning and gave Felix a loaf.", 3),
        ("Nora never eats bread because her stomach can't take gluten.", 4),
        ("Nora does not eat bread.", 4),
        ("Nora saw a doctor three weeks ago, who told her to keep a food diary.", 6),
        ("Nora starts a pottery course in April 2024.", 8),
        ("Felix ran the Dresden marathon in 2022.", 9),
        ("Nora is so disciplined.", 7),
    ],
)
def test_what_was_said_in_other_words_is_supported(text, place):
    assert judged(text, place).verdict == "supported"


@pytest.mark.parametrize(
    ("text", "place", "kind", "words"),
    [
        ("Nora moved into a flat in Leipzig last Friday with her two cats.", 1, "name", "Nora"),
        ("Felix starts a pottery course next month.", 8, "name", "Felix"),
        ("Felix moved into a flat in Leipzig last Friday with his three cats.", 1, "number", "three"),
        ("Felix ran the Dresden marathon in 2019.", 9, "date", "in 2019"),
        ("Felix moved into a flat in Leipzig last Monday with his two cats.", 1, "date", "last Monday"),
        ("Nora saw a doctor three months ago.", 6, "date", "three months ago"),
        ("Nora starts a pottery course last month.", 8, "date", "last month"),
        ("Felix did not move into a flat in Leipzig last Friday.", 1, "negation", "move flat Leipzig"),
    ],
)
def test_what_was_changed_contradicts_the_cited_words(text, place, kind, words):
    found = judged(text, place)
    assert found.verdict == "contradicted"
    assert [reason.words for reason in found.reasons if reason.kind == kind] == [words]


def test_a_reason_says_what_stands_there_instead():
    number = judged("Felix has three cats, Biscuit and Tofu, in Leipzig.", 1).reasons[0]
    assert number.why == "three is not said; there it is 2."
    date = judged("Felix ran the Dresden marathon in 2019.", 9).reasons[0]
    assert date.why == "in 2019 is not said; there it is in 2022."


def test_a_sentence_of_another_conversation_is_unsupported():
    found = judged("Felix repaired the gearbox of a tractor for his uncle.", 3)
    assert found.verdict == "unsupported"
    assert "gearbox" in found.reasons[0].why


def test_of_few_words_most_must_be_said():
    assert judged("Nora likes gunpowder", 8).verdict == "unsupported"


def test_a_name_that_nobody_said_is_a_reason():
    found = judged("Felix moved into a flat with Rosalind and Bertram in Chemnitz.", 1)
    assert found.verdict != "supported"
    assert {r.words for r in found.reasons if r.kind == "name"} >= {"Rosalind", "Bertram", "Chemnitz"}


def test_a_wrong_citation_points_to_the_message_that_carries_it():
    found = judged("Nora starts a pottery course next month to make a teapot for her mother.", 0)
    assert found.verdict == "unsupported"
    assert found.better == "m8"
    assert "m8" in {reason.message_id for reason in found.reasons}


def test_the_turns_before_count_for_who_answers():
    text = "Nora saw a doctor about gluten."
    alone = ground(text, [MESSAGES[6]], [], HashingEmbedder(256))
    answered = ground(text, [MESSAGES[6]], MESSAGES[3:6], HashingEmbedder(256))
    assert answered.score < alone.score


def test_turns_of_another_session_are_not_read_as_the_turns_before():
    text = "Nora saw a doctor about gluten."
    elsewhere = [message(place, *one, session="two") for place, one in enumerate(TOLD[:6])]
    apart = Grounder([*elsewhere, MESSAGES[6]], HashingEmbedder(256)).judge(text, ["m6"])
    together = Grounder(MESSAGES[:7], HashingEmbedder(256)).judge(text, ["m6"])
    assert together.score < apart.score


@pytest.mark.parametrize("year", [2023, 2024])
def test_a_day_without_a_year_may_lie_ahead_or_behind(year):
    told = conversation([("Nora", "I start at the maritime museum on 18 March.")])
    text = f"Nora starts at the maritime museum on 18 March {year}."
    assert Grounder(told, HashingEmbedder(256)).judge(text, ["m0"]).verdict == "supported"
    wrong = text.replace("18", "19")
    assert Grounder(told, HashingEmbedder(256)).judge(wrong, ["m0"]).verdict == "contradicted"


def test_that_somebody_asked_and_answered_nobody_need_have_said():
    told = conversation([("Nora", "Since when do you cycle?"), ("Felix", "Since January.")])
    text = 'Nora asked Felix: "Since when do you cycle?" Felix answered: "Since January."'
    assert Grounder(told, HashingEmbedder(256)).judge(text, ["m1"]).verdict == "supported"


def test_the_score_grows_with_what_is_wrong():
    right = judged("Felix moved into a flat in Leipzig with two cats.", 1).score
    number = judged("Felix moved into a flat in Leipzig with four cats.", 1).score
    both = judged("Nora moved into a flat in Leipzig with four cats.", 1).score
    assert 0 <= right < number < both <= 1


def test_without_evidence_nothing_is_supported():
    found = GROUNDER.judge("Felix has a boat.", [])
    assert (found.verdict, found.score) == ("unsupported", 1.0)
    assert found.reasons[0].why == "It cites no message."


def test_a_message_of_another_conversation_is_refused():
    with pytest.raises(UsageError, match="no message m99"):
        GROUNDER.judge("Felix has a boat.", ["m99"])


def test_who_writes_to_an_assistant_is_the_user():
    told = [("Nora", "I adopted a parrot."), ("assistant", "Congratulations!")]
    grounder = Grounder(conversation(told), HashingEmbedder(256))
    assert grounder.judge("The user adopted a parrot.", ["m0"]).verdict == "supported"
    assert grounder.judge("Nora adopted a parrot.", ["m0"]).verdict == "supported"


def test_somebody_may_be_named_twice_in_what_they_think_of_themselves():
    grounder = Grounder(
        conversation(
            [
                ("Nora", "I think I will sell my kayak. I am so grateful for my neighbours."),
                ("Felix", "Why? You have such a fast kayak!"),
            ]
        ),
        HashingEmbedder(256),
    )
    assert grounder.judge("Nora thinks Nora will sell Nora's kayak.", ["m0"]).verdict == "supported"
    assert grounder.judge("Nora is so grateful for Nora's neighbours.", ["m0"]).verdict == "supported"
    admired = grounder.judge("Felix admires Felix's fast kayak.", ["m1"])
    assert "Felix says this of somebody else." in {reason.why for reason in admired.reasons}


def judged_in(told: list[tuple[str, str]], text: str, place: int) -> Grounding:
    """The verdict on a statement about a conversation of its own."""
    return Grounder(conversation(told), HashingEmbedder(256)).judge(text, [f"m{place}"])


@pytest.mark.parametrize(
    ("answer", "statement", "right", "wrong"),
    [
        (
            "I will ride to Dover in the summer.",
            "Nora will ride to Dover in the summer",
            "in summer 2024",
            "in winter 2024",
        ),
        ("I have not smoked for ten weeks.", "Nora has not smoked", "since 2024-01-03", "since 2023-10-03"),
        (
            "I was in Dover last week.",
            "Nora was in Dover",
            "between 2024-03-04 and 2024-03-10",
            "on 2024-02-10",
        ),
    ],
)
def test_a_time_may_be_worked_out_from_what_was_said(answer, statement, right, wrong):
    for text, verdict in ((right, True), (wrong, False)):
        found = judged_in([("Nora", answer)], f"{statement} {text}.", 0)
        assert ("date" not in kinds(found)) is verdict


def test_what_was_said_long_before_may_stand_in_a_statement_about_a_short_answer():
    told = [
        ("Nora", "My sister Ines marries in Porto on 18 May 2024, with two bands."),
        ("Felix", "Lovely."),
        *[("Nora", f"And now for something else, number {n}.") for n in range(6)],
        ("Felix", "Do you bring the cake?"),
        ("Nora", "The cake has a handle."),
    ]
    known = judged_in(told, "The cake for Ines in Porto on 2024-05-18 has a handle.", 9)
    foreign = judged_in(told, "The cake for Ruth in Oslo on 2024-06-19 has a handle.", 9)
    assert known.score < foreign.score
    assert kinds(foreign) >= {"name", "date"}
    assert not kinds(known) & {"name", "date"}


def test_a_question_is_about_who_is_asked():
    told = [("Nora", "I moved last week."), ("Felix", "Finally! Is it the flat with the tiny balcony?")]
    assert judged_in(told, "Nora's flat has a tiny balcony.", 1).verdict == "supported"


def test_who_is_told_did_what_they_are_told_they_did():
    told = [("Nora", "I take pottery lessons."), ("Felix", "You broke three of my mugs.")]
    assert judged_in(told, "Nora broke three of Felix's mugs.", 1).verdict == "supported"


def test_whoever_reports_it_may_be_named_last():
    told = [("Nora", "The choir misses Ines.")]
    people = [*told, ("Ines", "Thank you.")]
    assert judged_in(people, "Ines is missed in the choir, Nora said.", 0).verdict == "supported"
    assert judged_in(people, "According to Nora, the choir misses Ines.", 0).verdict == "supported"


def test_a_number_that_only_the_cited_message_says_makes_it_the_right_one():
    told = [
        ("Nora", "How long is the ride from London to Dover for the heart foundation that you train for?"),
        ("Felix", "I train for the ride from London to Dover for the heart foundation."),
        ("Nora", "I know, but how far is it?"),
        ("Felix", "Seventy miles."),
    ]
    text = "The ride from London to Dover that Felix trains for is seventy miles."
    assert judged_in(told, text, 3).better == ""


def test_who_asks_in_their_own_words_is_not_the_one_told_of():
    question = 'Felix asked Nora: "Did you see a doctor about that?" Nora saw one three weeks ago.'
    assert judged(question, 6).verdict == "supported"


def test_places_and_articles_are_not_people_whose_names_they_resemble():
    told = [("Theo", "I flew to Melbourne."), ("Mel", "The weather there is lovely in March.")]
    grounder = Grounder(conversation(told), HashingEmbedder(256))
    assert grounder.judge("The weather in Melbourne is lovely in March.", ["m1"]).verdict == "supported"


def test_an_adverb_before_a_time_is_no_name():
    found = judged("Shortly after 10 March 2024 Felix moved into a flat in Leipzig.", 1)
    assert "Shortly" not in {reason.words for reason in found.reasons}


STATEMENTS = [
    *(text for _, text in TOLD),
    *(text.replace("I ", f"{who} ").replace("my", "their") for who, text in TOLD),
    "Felix moved into a flat in Leipzig on 8 March 2024.",
    "Nora moved into a flat in Leipzig last Friday with her two cats.",
    "Felix ran the Dresden marathon in 2019.",
    "Nora eats bread every morning.",
    "The old lady upstairs gave Felix a loaf of bread.",
    "Felix keeps snakes.",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_is_judged_cheaply_is_judged_the_same(text):
    everything = [one.id for one in MESSAGES]
    for cited in ([], everything[2:5], everything, *([one] for one in everything)):
        cheaply = GROUNDER.judge_cheaply(text, cited)
        if cheaply is not None:
            whole = GROUNDER.judge(text, cited)
            assert (cheaply.verdict, cheaply.reasons, cheaply.better) == (
                whole.verdict,
                whole.reasons,
                whole.better,
            )


def test_the_words_of_a_message_need_no_encoder_and_others_only_its_own():
    embedder = HashingEmbedder(256)
    grounder = Grounder(MESSAGES, embedder)
    assert grounder.judge_cheaply("Felix moved into a flat in Leipzig with his two cats", ["m1"])
    assert embedder.embedded == []
    assert grounder.judge_cheaply("Felix lives in a flat in Leipzig with cats Biscuit, Tofu", ["m1"])
    assert set(embedder.embedded) <= {
        "Felix lives in a flat in Leipzig with cats Biscuit, Tofu",
        TOLD[1][1],
    }


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=12))
def test_no_text_raises(statement, told, speaker):
    found = Grounder(conversation([(speaker, told)]), HashingEmbedder(64)).judge(statement, ["m0"])
    assert 0 <= found.score <= 1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from("no not never 2 two 1999 last week Monday May I you Nora can't , . ' -".split()))
)
def test_no_pile_of_telling_words_raises(words):
    text = " ".join(words)
    assert GROUNDER.judge(text, ["m1"]).verdict in ("supported", "partly", "unsupported", "contradicted")
