"""What a fact leaves open is named, told with what names it, or passed over; its form is checked last.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from memcore.nlp.language.pipeline import parse
from memcore.nlp.language.statements.form import is_well_formed, without_comment
from tests.nlp.language.test_conversations import facts, named

PRONOUNS: list[tuple[list[str], list[str]]] = [
    (["Ada: I think I'll sell my kayak in Leeds."], ["Ada thinks they will sell their kayak in Leeds."]),
    (
        ["Ada: I've moved to Oslo, so I'm selling my boat."],
        ["Ada has moved to Oslo, so they are selling their boat."],
    ),
    (
        ["Ada: I gave my sister Kim my old kayak in May."],
        ["Ada gave their sister Kim Ada's old kayak in May 2023."],
    ),
    (
        ["Ada: I baked a cake with my friend Kim, and we sold it in Norway."],
        ["Ada baked a cake with their friend Kim, and they sold it in Norway."],
    ),
]

MOMENTS: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I just recently sold my boat to a dealer."],
        ["Shortly before 12 January 2024, Ada sold their boat to a dealer."],
    ),
    (
        ["Ada: I saw a heron near Leeds the other day."],
        ["Shortly before 12 January 2024, Ada saw a heron near Leeds."],
    ),
]

LEFT_OPEN: list[tuple[list[str], list[str]]] = [
    (["Ada: I've rowed on the Ouse, but I haven't tried the others."], ["Ada has rowed on the Ouse."]),
    (["Ada: It's a clay owl, and I used wire and plaster to create it."], []),
    (
        ["Ada: I carved a clay owl in May. I used wire and plaster to create it."],
        ["Ada carved a clay owl in May 2023. Ada used wire and plaster to create it."],
    ),
    (["Ada: I've heard great things about their rye bread."], []),
    (["Ada: I'm all set with the boat."], []),
    (
        ["Ada: My dad was great at chess, been playing it in Oslo since he was five."],
        ["Ada's dad was great at chess, been playing it in Oslo since he was five."],
    ),
    (["Ada: My rent in Oslo is 900€."], ["Ada's rent in Oslo is 900€."]),
    (
        ["Ada: I ran late but I made it to the concert in Oslo in May."],
        ["Ada ran late but they made it to the concert in Oslo in May 2023."],
    ),
    (
        ["Ada: I usually set two alarms, but yesterday I forgot."],
        ["Ada usually sets two alarms, but on 11 January 2024 Ada forgot."],
    ),
    (
        ["Ada: I finished The Tale of Us Part II in May."],
        ["Ada finished The Tale of Us Part II in May 2023."],
    ),
    (
        ["Ada: I've been wanting to row again and need to get my boat tarred in Leeds."],
        ["Ada has been wanting to row again and needs to get their boat tarred in Leeds."],
    ),
    (
        ["Ada: I had my boat cleaned in May and it cost me $..."],
        ["Ada had their boat cleaned in May 2023."],
    ),
    (
        ["Ada: I set a daily limit for myself about a month ago.", "Ada: I set a daily limit for Kim."],
        [
            "Ada set a daily limit for themselves around December 2023.",
            "Ada sets a daily limit for Kim.",
        ],
    ),
    (
        ["Ada: I like to have more control over my trips and often find better deals in Leeds."],
        ["Ada likes to have more control over their trips and often finds better deals in Leeds."],
    ),
    (["Ada: I love the hills in Leeds, thanks for asking!"], ["Ada loves the hills in Leeds."]),
    (
        ["Ada: I've been meaning to sell my boat, been saving for a kayak for years."],
        ["Ada has been meaning to sell their boat.", "Ada has been saving for a kayak for years."],
    ),
    (["Ada: I'm all set to move to Oslo in May."], ["Ada is all set to move to Oslo in May 2024."]),
    (
        ["Ada: I've been spending an hour a day on scales, which has been helpful in making progress."],
        ["Ada has been spending an hour a day on scales, which has been helpful in making progress."],
    ),
    (
        ["Ada: My cousin's wedding in Leeds had 50 guests.", "Ada: I picked the colours for my wedding."],
        ["Ada's cousin's wedding in Leeds had 50 guests."],
    ),
    (
        ["Ada: I've been playing my Gibson at home since I got my Orange Crush I V2."],
        ['Ada said to Ben: "I have been playing my Gibson at home since I got my Orange Crush I V2."'],
    ),
    (
        ["Ada: I've been thinking about buying a pedal to even out my sound and add some sustain."],
        ["Ada has been thinking about buying a pedal to even out their sound and add some sustain."],
    ),
    (
        ["Ada: Just the other day, I found a new gym in Leeds."],
        ["Shortly before 12 January 2024, Ada found a new gym in Leeds."],
    ),
    (["Ada: My trip got off to a bad start."], []),
    (["Ada: I finished in four hours and twelve minutes."], []),
    (
        ["Ada: I ran the Leeds marathon in May. I finished in four hours."],
        ["Ada ran the Leeds marathon in May 2023. Ada finished in four hours."],
    ),
    (["Ada: We won first place."], []),
    (["Ada: I've heard great things about both kayaks."], []),
    (["Ada: I'm worried about the repair fees."], []),
    (["Ada: I started a course at the Oslo academy."], ["Ada started a course at the Oslo academy."]),
    (["Ada: I used to row, but I stopped in 2015."], ["Ada used to row, but they stopped in 2015."]),
    (
        ["Ada: I bought a lamp like the one I saw in Leeds."],
        ["Ada bought a lamp like the one they saw in Leeds."],
    ),
    (
        ["Ada: I am organizing a boat race similar to the one I won on Friday."],
        ["Ada is organizing a boat race similar to the one they won on 5 January 2024."],
    ),
    (["Ada: I bought something like the one I saw at my school."], []),
    (["Ada: I would like the red one from my school."], []),
]

SENTIMENTS: list[tuple[list[str], list[str]]] = [
    (["Ada: I'm so lucky to have such great support around me."], []),
    (["Ada: I'm going to keep using my voice to make a change."], []),
    (["Ada: Finding silver linings keeps me going."], []),
    (["Ada: I'm passionate about restoring kayaks."], ["Ada is passionate about restoring kayaks."]),
    (["Ada: I'm diabetic."], ["Ada is diabetic."]),
]

FORETOLD: list[tuple[list[str], list[str]]] = [
    (["Ada: Gonna be a wild night in Leeds!"], []),
    (["Ada: Going to be a long week at the bakery."], []),
    (["Ada: Gonna be an epic trip to Norway on Friday!"], []),
    (["Ada: Gonna be a hard exam, my tutor Kim says."], []),
    (["Ben: Are you going to Leeds?", "Ada: Yes! Gonna be a fine concert with Kim."], []),
    (["Ada: Gonna be a godmother in May!"], ["Ada is going to be a godmother in May 2024."]),
    (["Ada: Going to be a night nurse in Leeds."], ["Ada is going to be a night nurse in Leeds."]),
    (["Ada: Gonna be in Oslo on Friday."], ["Ada is going to be in Oslo on 19 January 2024."]),
]

SPLICED: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I need a new coat, my old one is worn out."],
        ["Ada needs a new coat; their old one is worn out."],
    ),
    (
        ["Ada: We went to Norway in May, had a swim in the fjord."],
        ["Ada and others went to Norway in May 2023 and had a swim in the fjord."],
    ),
]


@pytest.mark.models
@pytest.mark.parametrize(("said", "expected"), PRONOUNS, ids=named(PRONOUNS))
def test_a_speaker_once_named_is_they_where_nobody_else_can_be_meant(said, expected):
    assert facts(said) == expected


@pytest.mark.models
@pytest.mark.parametrize(("said", "expected"), MOMENTS, ids=named(MOMENTS))
def test_what_was_done_just_now_was_done_shortly_before_the_day(said, expected):
    assert facts(said) == expected


@pytest.mark.models
@pytest.mark.parametrize(("said", "expected"), LEFT_OPEN, ids=named(LEFT_OPEN))
def test_what_nothing_names_is_no_fact(said, expected):
    assert facts(said) == expected


@pytest.mark.models
@pytest.mark.parametrize(("said", "expected"), SENTIMENTS, ids=named(SENTIMENTS))
def test_a_feeling_or_resolve_that_names_nothing_is_no_fact(said, expected):
    assert facts(said) == expected


@pytest.mark.models
@pytest.mark.parametrize(("said", "expected"), FORETOLD, ids=named(FORETOLD))
def test_a_night_or_a_concert_that_will_be_is_not_its_speaker(said, expected):
    assert facts(said) == expected


@pytest.mark.models
@pytest.mark.parametrize(("said", "expected"), SPLICED, ids=named(SPLICED))
def test_a_comma_alone_joins_no_sentences(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Ada sold the old boat in May, so that's a plus.", "Ada sold the old boat in May."),
        ("Ada moved to Oslo last spring; it was great.", "Ada moved to Oslo last spring."),
        ("Ada keeps two cats in Leeds, and now that it is cold.", "Ada keeps two cats in Leeds."),
        ("Ada plays the cello in Leeds too.", "Ada plays the cello in Leeds."),
        ("Ada said that it was great.", "Ada said that it was great."),
    ],
)
def test_a_comment_at_the_end_is_left_out(text, bare):
    assert without_comment(text) == bare


@pytest.mark.models
@pytest.mark.parametrize(
    ("text", "formed"),
    [
        ("Ada sold their boat to a dealer.", True),
        ("Ada saw a doctor, Dr. Roe, in Leeds.", True),
        ("Considering the age of Ada's house is ninety.", False),
        ("Ada sold the the boat.", False),
        ("Ada has cats in Leeds and.", False),
        ('Ada answered: "Two dogs.', False),
        ("Ada and Ada went to Oslo.", False),
    ],
)
def test_a_fact_is_a_full_sentence(text, formed):
    assert is_well_formed(text, parse([text])[0], ("Ada", "Ben")) is formed
