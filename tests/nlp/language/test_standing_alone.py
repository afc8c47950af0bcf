"""A fact says by itself what it speaks of, and of which day.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from memcore.nlp.language.words.quantities import quantities
from memcore.nlp.language.words.wording import contains_content, wording
from tests.nlp.language.test_conversations import facts, named

pytestmark = pytest.mark.models

MOMENTS: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I'm currently reading two novels by Ursula Le Guin."],
        ["As of 12 January 2024, Ada is reading two novels by Ursula Le Guin."],
    ),
    (
        ["Ada: Lately, I've been looking into counseling as a career."],
        ["As of 12 January 2024, Ada has been looking into counseling as a career."],
    ),
    (
        ["Ada: Recently, I visited several theme parks in Spain."],
        ["Shortly before 12 January 2024, Ada visited several theme parks in Spain."],
    ),
    (
        ["Ada: I have six boats in my shed at the moment."],
        ["As of 12 January 2024, Ada has six boats in Ada's shed at the moment."],
    ),
    (["Ada: I just sold my boat."], ["Shortly before 12 January 2024, Ada sold their boat."]),
    (["Ada: My sister is now a nurse."], ["As of 12 January 2024, Ada's sister is a nurse."]),
    (
        ["Ada: Learning Danish was a long process, but now I can read newspapers."],
        ["Learning Danish was a long process, but as of 12 January 2024 Ada can read newspapers."],
    ),
    (
        ["Ada: I recently joined a rowing club last week."],
        ["Ada recently joined a rowing club in the week of 1 January 2024."],
    ),
    (
        ["Ada: I made some peach cobbler recently, it was great."],
        ["Shortly before 12 January 2024, Ada made some peach cobbler."],
    ),
    (
        ["Ada: I bought a canoe recently, but it was broken."],
        ["Shortly before 12 January 2024, Ada bought a canoe, but it was broken."],
    ),
    (
        ["Ada: I recently just rowed with a new team in Leeds."],
        ["Shortly before 12 January 2024, Ada rowed with a new team in Leeds."],
    ),
    (
        ["Ada: I've read six novels over the past two weeks."],
        ["As of 12 January 2024, Ada has read six novels over the past two weeks."],
    ),
    (
        ["Ada: As a sailor myself, I've always wondered how to row."],
        ["As a sailor, Ada has always wondered how to row."],
    ),
    (
        ["Ada: I'm someone who's attended a gala of my club in early April."],
        ["Ada is someone who's attended a gala of Ada's club in early April 2023."],
    ),
    (
        ["Ada: I just think cats are cleaner than dogs."],
        ["Ada just thinks cats are cleaner than dogs."],
    ),
]

KNOWN: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I entered a rowing race in Leeds in May. The prize was a kayak from Norway."],
        ["Ada entered a rowing race in Leeds in May 2023. The prize was a kayak from Norway."],
    ),
    (
        ["Ada: I'm keen on working in mental health - I'd love to support people with similar issues."],
        ["Ada is keen on working in mental health. Ada would love to support people with similar issues."],
    ),
    (
        ["Ada: I took my kids to a workshop in May. Seeing their pots from Leeds was the best."],
        ["Ada took their kids to a workshop in May 2023. Seeing their pots from Leeds was the best."],
    ),
    (
        [
            "Ben: When are you opening the studio?",
            "Ada: The party is on Saturday at 8 with a band from Oslo.",
        ],
        [
            'Ben asked Ada: "When are you opening the studio?" '
            "Ada said that the party is on 13 January 2024 at 8 with a band from Oslo."
        ],
    ),
    (["Ada: I am a gardener at the abbey."], ["Ada is a gardener at the abbey."]),
    (["Ada: I work for the council."], ["Ada works for the council."]),
    (["Ada: I left after nine years at the depot."], ["Ada left after nine years at the depot."]),
    (
        ["Ben: What gave you the idea?", "Ada: The design reminds me of the grit it takes to sail at night."],
        [],
    ),
    (
        ["Ada: I went to Norway with my sister in May. By the way, I sold a kayak to a dealer."],
        ["Ada went to Norway with their sister in May 2023.", "Ada sold a kayak to a dealer."],
    ),
    (
        [
            "Ada: Look!\n[shared image: a bowl with a flower design]",
            "Ben: Lovely!",
            "Ada: I made this bowl in May.",
        ],
        ["Ada shared an image: a bowl with a flower design. Ada made a bowl in May 2023."],
    ),
    (
        [
            "Ben: What are you doing for your dance school?",
            "Ada: It's been so inspiring to work with our young dancers, seeing their passion and joy.",
        ],
        [
            'Ben asked Ada: "What are you doing for your dance school?" Ada said: It\'s been so inspiring'
            " to work with Ada's young dancers, seeing their passion and joy."
        ],
    ),
    (
        ["Ada: Aragorn's story is so inspiring - from a ranger to king of Gondor."],
        ["Ada said that Aragorn's story is so inspiring - from a ranger to king of Gondor."],
    ),
    (
        ["Ada: Dance practice has been fun and exhausting in Leeds."],
        ["Ada said that dance practice has been fun and exhausting in Leeds."],
    ),
    (
        ["Ada: I row far, so I need a boat in Leeds that can handle that kind of use, this time a kayak."],
        ["Ada rows far, so they need a boat in Leeds that can handle that kind of use, this time a kayak."],
    ),
    (
        ["Ada: I've been listening to this one playlist that I made, called Sea Songs."],
        ["Ada has been listening to one playlist that they made, called Sea Songs."],
    ),
    (["Ada: Priya found one in Dundrum."], []),
    (
        ["Ben: How was it? Did you see the tram museum?", "Ada: We did, the museum was tiny."],
        ['Ben asked Ada: "Did you see the tram museum?" Ada answered: "We did, the museum was tiny."'],
    ),
    (
        ["Ben: How does it feel? Do you have any pets?", "Ada: Exciting but a bit nerve-wracking."],
        [],
    ),
]

PEOPLE: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: My husband and I adopted a dog after we talked about it for months."],
        ["Ada's husband and Ada adopted a dog after Ada's husband and Ada talked about it for months."],
    ),
    (
        ["Ada: My colleague and I met for lunch in Leeds, then I drove home to our kids."],
        ["Ada's colleague and Ada met for lunch in Leeds, then Ada drove home to Ada's kids."],
    ),
    (
        ["Ada: My sister and I sold our old house in May."],
        ["Ada's sister and Ada sold their old house in May 2023."],
    ),
    (
        ["Ada: We sailed to Oslo on our last family trip."],
        ["Ada and their family sailed to Oslo on their last family trip."],
    ),
    (
        ["Ada: I rowed with a small group of sailors. We won a cup in Leeds."],
        ["Ada rowed with a small group of sailors.", "Ada and a small group of sailors won a cup in Leeds."],
    ),
    (
        ["Ada: I rowed across the lake in Oslo with my sister.", "Ben: Nice!", "Ada: We won a cup in Leeds."],
        ["Ada rowed across the lake in Oslo with their sister.", "Ada and their sister won a cup in Leeds."],
    ),
    (
        [
            "Ada: I rowed across the lake in Oslo with my sister.",
            "Ben: Nice!",
            "Ada: I sold my old boat.",
            "Ben: Good!",
            "Ada: We won a cup in Leeds.",
        ],
        [
            "Ada rowed across the lake in Oslo with their sister.",
            "Ada sold their old boat.",
            "Ada and others won a cup in Leeds.",
        ],
    ),
    (
        ["Ada: I mentor a young girl. We won a cup in Leeds."],
        ["Ada mentors a young girl.", "Ada and a young girl won a cup in Leeds."],
    ),
    (
        ["Ada: Baking that bread with my aunt was awesome, we'd get cosy with tea and knit a blanket."],
        ["Ada and their aunt would get cosy with tea and knit a blanket."],
    ),
    (
        ["Ada: I rowed in Leeds with my sister, and we bought a boat in Oslo."],
        ["Ada rowed in Leeds with Ada's sister.", "Ada and their sister bought a boat in Oslo."],
    ),
    (
        ["Ada: I talked to my cousin who sails in Kent, and we bought a boat in Oslo."],
        ["Ada talked to their cousin who sails in Kent.", "Ada and their cousin bought a boat in Oslo."],
    ),
    (
        ["Ada: I talked to my lawyer on Monday. We moved to Kent in May."],
        ["Ada talked to their lawyer on 8 January 2024.", "Ada and others moved to Kent in May 2023."],
    ),
    (
        ["Ada: I visited my home in Kent and caught up with my family. We rowed on the lake."],
        [
            "Ada visited their home in Kent and caught up with Ada's family. "
            "Ada and their family rowed on the lake.",
        ],
    ),
    (
        ["Ada: I didn't bring my brother. We won a cup in Oslo."],
        ["Ada didn't bring their brother.", "Ada and others won a cup in Oslo."],
    ),
    (
        ["Ada: Please remember that we moved to Kent in May."],
        ["Ada and others moved to Kent in May 2023."],
    ),
    (
        ["Ada: Remember when we rowed to Oslo together last year?"],
        ["Ada and Ben rowed to Oslo together in 2023."],
    ),
    (
        ["Ada: My neighbours have a family. We won a cup in Leeds."],
        ["Ada's neighbours have a family.", "Ada and others won a cup in Leeds."],
    ),
    (
        ["Ada: Films with my family in Leeds were awesome, we'd all get comfy with a blanket."],
        [
            "Films with Ada's family in Leeds were awesome; "
            "Ada and others would all get comfy with a blanket.",
        ],
    ),
    (
        ["Ada: I think it's important to preserve our marine ecosystems."],
        ["Ada thinks it's important to preserve the marine ecosystems."],
    ),
    (
        ["Ada: I used to go riding with my dad when I was a kid, we'd go through the fields near Leeds."],
        [
            "Ada used to go riding with their dad when Ada was a kid; "
            "they would go through the fields near Leeds."
        ],
    ),
    (
        ["Ada: I took my kids to a pottery workshop in May. It rained. We made six pots."],
        ["Ada took their kids to a pottery workshop in May 2023.", "Ada and their kids made six pots."],
    ),
    (
        ["Ada: I swam with my boss. It rained. It was hot. It got late. We won a cup in Leeds."],
        ["Ada swam with their boss.", "Ada and others won a cup in Leeds."],
    ),
    (
        ["Ada: I joined a rowing club in May. We won a cup in Leeds."],
        ["Ada joined a rowing club in May 2023.", "Ada and others won a cup in Leeds."],
    ),
    (
        [
            "Ben: What do you and your family do in Leeds?",
            "Ada: We love rowing, sailing, and building rafts.",
        ],
        ["Ada and their family love rowing, sailing, and building rafts."],
    ),
    (
        ["Ada: I went to Oslo with my husband. Also, we saw six whales in Leeds."],
        ["Ada went to Oslo with their husband.", "Ada and their husband saw six whales in Leeds."],
    ),
    (
        ["Ada: I swam with my boss. By the way, we won a cup in Leeds."],
        ["Ada swam with their boss.", "Ada and others won a cup in Leeds."],
    ),
    (
        [
            "Ben: Did you talk with your landlord in Leeds?",
            "Ada: We love rowing, sailing, and building rafts.",
        ],
        ["Ada and others love rowing, sailing, and building rafts."],
    ),
]

JOINED: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: My blue hoodie isn't for sale, it's from a flea market in Leeds."],
        ["Ada's blue hoodie isn't for sale; it's from a flea market in Leeds."],
    ),
    (
        ["Ada: My boat was so slow, I had to swim back to Oslo."],
        ["Ada's boat was so slow, they had to swim back to Oslo."],
    ),
    (
        ["Ada: When I rest, I can row twenty miles."],
        ["When Ada rests, they can row twenty miles."],
    ),
    (
        ["Ada: We played chess in Leeds, ate good food, and just built a raft."],
        ["Ada and others played chess in Leeds, ate good food, and just built a raft."],
    ),
]

SAYS_NOTHING = [
    "I want to say thanks to everyone for the support this week.",
    "I have to go now, my train is coming.",
    "I hope you have a great day at work.",
]

IMAGES: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: Takes a lot of courage and maturity.\n[shared image: a plate of flowers]"],
        [],
    ),
    (
        [
            "Ben: How do you find peace?",
            "Ada: Creativity and family keep me at peace.\n[shared image: a man with a frisbee]",
        ],
        ['Ben asked Ada: "How do you find peace?" Ada answered: "Creativity and family keep me at peace."'],
    ),
    (
        ["Ada: Thanks! By the way, take a look at this.\n[shared image: a lake]"],
        [],
    ),
]


@pytest.mark.parametrize(("lines", "expected"), MOMENTS, ids=named(MOMENTS))
def test_what_holds_at_the_time_of_speaking_names_the_day(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), KNOWN, ids=named(KNOWN))
def test_what_is_spoken_of_as_known_is_told_with_what_names_it(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), PEOPLE, ids=named(PEOPLE))
def test_we_are_those_whom_the_words_before_name(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), JOINED, ids=named(JOINED))
def test_a_comma_joins_no_two_sentences(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize("said", SAYS_NOTHING)
def test_thanks_wishes_and_goodbyes_are_no_facts(said):
    assert facts([f"Ada: {said}"]) == []


@pytest.mark.parametrize(("lines", "expected"), IMAGES, ids=named(IMAGES))
def test_an_image_has_no_words_that_say_nothing_of_it(lines, expected):
    assert facts(lines) == expected


def test_the_day_of_speaking_is_no_part_of_what_is_said():
    first, second = (f"As of {day} May 2023, Ada works at a bakery." for day in (8, 9))
    assert wording(first) == wording("Ada works at a bakery.")
    assert contains_content(first, second)


def test_thousands_are_counted_as_a_number():
    assert [
        quantities(f"Ada walked {steps} steps.", "Ada")[0].value for steps in ("1.5k", "1,500", "2k")
    ] == [
        "1500",
        "1500",
        "2000",
    ]


def test_a_number_as_of_a_day_is_how_things_stand():
    (found,) = quantities("As of 8 May 2023, Ada owned 4 kayaks.", "Ada")
    assert (found.value, found.counted, found.standing) == ("4", "kayak", True)


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        (
            "Ada: The best part for me was the camaraderie we built on the court in Leeds.",
            "The best part for Ada was the camaraderie Ada and others built on the court in Leeds.",
        ),
        ("Ada: And, I bought a silver necklace in May.", "Ada bought a silver necklace in May 2023."),
    ],
)
def test_who_is_only_spoken_of_does_not_act_and_what_opens_a_sentence_goes(line: str, fact: str) -> None:
    assert facts([line]) == [fact]
