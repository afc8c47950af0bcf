"""A fact says of what, to what and on what occasion: by the words before it, else it is passed over.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from tests.nlp.language.test_assistant import extract
from tests.nlp.language.test_conversations import facts, named

pytestmark = pytest.mark.models

BEHIND_WHAT_NAMES_IT: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I loved Portal. I hope Myst will be just as gripping."],
        ["Ada loved Portal. Ada hopes Myst will be just as gripping."],
    ),
    (["Ada: I hope Myst will be just as gripping."], []),
    (
        ["Ada: I got the job at Acme in May and my wife is just as excited."],
        ["Ada got the job at Acme in May 2023 and their wife is just as excited."],
    ),
    (["Ada: I have a bike, but it is not as fast."], ["Ada has a bike, but it is not as fast."]),
    (
        ["Ada: I row with two friends who are equally keen on Leeds."],
        ["Ada rows with two friends who are equally keen on Leeds."],
    ),
    (["Ada: I've been wearing an old pair that leaks."], []),
    (["Ada: I bought a pair of boots in Leeds."], ["Ada bought a pair of boots in Leeds."]),
    (
        ["Ada: I tried something new yesterday - I gave a talk in class."],
        ["Ada tried something new on 11 January 2024. Ada gave a talk in class."],
    ),
    (
        ["Ada: I moved my desk to the window in May. On a side note, it's great that Kim came to Leeds."],
        [
            "Ada moved their desk to the window in May 2023.",
            "Ada said that it's great that Kim came to Leeds.",
        ],
    ),
    (
        ["Ada: I bought a bed in Leeds. Speaking of which, I got it on sale."],
        ["Ada bought a bed in Leeds. Ada got it on sale."],
    ),
    (
        ["Ada: Last weekend, I took part in a rowing day to raise money. We got a great turnout."],
        [
            "On the weekend of 6 January 2024, Ada took part in a rowing day to raise money. Ada and others "
            "got a great turnout."
        ],
    ),
    (
        [
            "Ada: I work on a line of kayaks from recycled plastic, and we're seeing a lot of interest from "
            "shops."
        ],
        [
            "Ada works on a line of kayaks from recycled plastic, and Ada and others are seeing a lot of "
            "interest from shops."
        ],
    ),
    (
        ["User: My canoe is outside, so I want a cover. I'm willing to spend around $100."],
        ["User's canoe is outside, so they want a cover. User is willing to spend around $100."],
    ),
    (["User: I'm thinking of spending around $500-$1000."], []),
    (["Ada: I paid $40 for a lamp."], ["Ada paid $40 for a lamp."]),
    (
        ["Ada: I intend to build a cedar canoe in the garage. I have already bought the plans for $85."],
        ["Ada intends to build a cedar canoe in the garage. Ada has already bought the plans for $85."],
    ),
    (
        [
            "User: I've been playing Acme Quest for a while now. I'm looking for something more focused on "
            "music."
        ],
        [
            "User has been playing Acme Quest for a while now. User is looking for something more focused "
            "on music."
        ],
    ),
    (
        [
            "Ada: I'm busy with my hobby, collecting tin badges from the 90s - I'm only five badges shy of "
            "completing my set."
        ],
        [
            "Ada is busy with their hobby, collecting tin badges from the 90s. Ada is only five badges shy "
            "of completing Ada's set."
        ],
    ),
    (
        [
            "Ada: Yesterday, I went to a fair to show my bakery. I got some possible leads, so that was "
            "awesome. I've learned that this shop is no cakewalk."
        ],
        [
            "On 11 January 2024, Ada went to a fair to show their bakery. Ada got some possible leads, so "
            "that was awesome. Ada has learned that the shop is no cakewalk."
        ],
    ),
    (
        ["Ada: I was thinking about our rowing team and I realized that having 100 rowers is significant."],
        ["Ada was thinking about Ada's rowing team and Ada realized that having 100 rowers is significant."],
    ),
    (
        ["Ada: I got a surge of energy, and we were able to save a family from a burning barn in Leeds."],
        [
            "Ada got a surge of energy, and Ada and others were able to save a family from a burning barn "
            "in Leeds."
        ],
    ),
    (
        [
            "Ada: I attended the Night of Art at the Leeds gallery, and I loved the energy and creativity "
            "on display."
        ],
        [
            "Ada attended the Night of Art at the Leeds gallery, and Ada loved the energy and creativity on "
            "display."
        ],
    ),
]

PASSED_OVER: list[tuple[list[str], list[str]]] = [
    (["User: I'm actually thinking of inviting some friends who are also beginner rowers."], []),
    (["User: I want to invite Kim to my party."], ["User wants to invite Kim to User's party."]),
    (["Ada: I got to ask a question during the Q&A session."], []),
    (
        [
            "Ada: We got to call several shops, but it paid off. We ended up with some sponsors that made "
            "the event a hit."
        ],
        ["Ada and others got to call several shops, but it paid off."],
    ),
    (["User: I'm still weighing the pros and cons of each kayak."], []),
    (["User: I'm worried about the logistics of keeping all the animals safe."], []),
    (["User: I'd love to explore more of the park and get some exercise."], []),
    (["Ada: I got the idea from a magazine."], []),
    (
        ["Ada: I got the idea of a canoe club from a magazine."],
        ["Ada got the idea of a canoe club from a magazine."],
    ),
    (
        [
            "Ada: I felt like I was in a fairy tale! The water sounded so calming and the surroundings were "
            "beautiful."
        ],
        [],
    ),
    (["User: I'm curious about the latter - tips on how to pitch a tent in the snow."], []),
    (
        [
            "Ben: Great!",
            "Ada: Thanks! It was painted in May and shows a heron. I made it to show my own journey as a "
            "rower.",
        ],
        [],
    ),
    (["Ada: Even made a poster to remind myself about it."], []),
    (
        ["Ada: I'm making a real difference, plus it's fulfilling in so many ways."],
        [],
    ),
    (
        ["Ada: We ran a kitchen in Leeds in May. Seeing their smiles, we knew we made a real difference."],
        ["Ada and others ran a kitchen in Leeds in May 2023."],
    ),
    (["Ada: I got the idea from the trip to England in May."], []),
    (["Ada: I tried to stay calm and asked for assistance."], []),
    (["Ada: I really enjoyed the slow investigation and the way it explored the mind of the accused."], []),
    (["User: I want to you to act as a tax clerk of Leeds."], []),
    (["User: /snap/foo/150/bin 30796.\n/snap/foo/150/bin 30878.\n/snap/foo/150/bin 30879."], []),
    (
        ["User: Create 15 dishes of Leeds. Use 3 names.", "Assistant: Here they are.", "User: Make 4 more."],
        [],
    ),
]

CUT: list[tuple[list[str], list[str]]] = [
    (
        [
            "User: I've been using my portable lamp from Acme a lot, but it would be great if the laptop "
            "could last a full day."
        ],
        ["User has been using their portable lamp from Acme a lot."],
    ),
    (
        ["User: I have some fresh mint leaves in my kitchen, and it sounds really refreshing."],
        ["User has some fresh mint leaves in User's kitchen."],
    ),
    (
        [
            "User: I've been meaning to get back into rowing for a while, and this gives me a good starting "
            "point."
        ],
        ["User has been meaning to get back into rowing for a while."],
    ),
    (
        ["Ada: I want to do the ski season in Oslo but don't tell Mum yet."],
        ["Ada wants to do the ski season in Oslo."],
    ),
    (
        [
            "Ada: I've been keeping up with trends at the Oslo fair so I can offer the best kayaks to "
            "customers."
        ],
        [
            "Ada has been keeping up with trends at the Oslo fair so Ada can offer the best kayaks to "
            "customers."
        ],
    ),
    (["User: I'm concerned about the noise, especially since I plan to use the laptop in libraries."], []),
    (["Ada: I booked Oslo for July though."], ["Ada booked Oslo for July."]),
]

NAMED: list[tuple[list[str], list[str]]] = [
    (
        [
            "Ada: Paprika gives my goulash an authentic flavor in May. I'm adding some caraway from Norway "
            "to enhance the flavor."
        ],
        [
            "Paprika gives Ada's goulash an authentic flavor in May 2024. Ada is adding some caraway from "
            "Norway to enhance the flavor."
        ],
    ),
    (
        [
            "User: I'm not in the mood for another open-world game. I'm really interested in the game's "
            "music by Ann Dahl."
        ],
        [
            "User is not in the mood for another open-world game. User is really interested in the game's "
            "music by Ann Dahl."
        ],
    ),
    (
        [
            "Ada: I love spending time with the friends I have. We usually watch films and have game nights "
            "at my place."
        ],
        [
            "Ada loves spending time with the friends Ada has.",
            "Ada and others usually watch films and have game nights at Ada's place.",
        ],
    ),
]

WORDING: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I had a little doll like this as a child in Leeds."],
        ["Ada had a little doll as a child in Leeds."],
    ),
    (["Ada: I had a day like that in Leeds."], []),
    (
        ["Ada: Been to Oslo yesterday with my sister Kim."],
        ["Ada went to Oslo on 11 January 2024 with their sister Kim."],
    ),
    (["Ada: Been to Oslo twice."], ["Ada has been to Oslo twice."]),
    (
        ["Ada: Being my own boss and doing something I love is awesome."],
        ["Ada said that being their own boss and doing something Ada loves is awesome."],
    ),
    (
        ["Ada: I made a window in Leeds to show that within us all is the key to our best life."],
        ["Ada made a window in Leeds to show that within everybody is the key to their best life."],
    ),
    (
        ["User: Me: I committed $5 towards groceries and spent $4."],
        ["User committed $5 towards groceries and spent $4."],
    ),
    (
        ["User: I'm thinking of planting some peas, I just built a small trellis for them."],
        ["User is thinking of planting some peas; User just built a small trellis for them."],
    ),
]

CHATTED: list[tuple[list[str], list[str]]] = [
    (["Ada: wrist 🙃 left one luckily"], []),
    (["Ada: CAST OFF"], []),
    (["Ada: shut UP"], []),
    (["Ada: I'm still dead"], []),
    (["Ada: can imran eat my lasagna in Leeds"], []),
    (["Ada: My lips are sealed."], []),
    (["Ada: 🍁 home for the holidays 😀 missed my piano"], ["Ada missed their piano."]),
]


@pytest.mark.parametrize(("said", "expected"), BEHIND_WHAT_NAMES_IT, ids=named(BEHIND_WHAT_NAMES_IT))
def test_what_goes_on_with_a_sentence_is_told_with_it(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(("said", "expected"), PASSED_OVER, ids=named(PASSED_OVER))
def test_what_no_words_before_it_name_is_no_fact(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(("said", "expected"), CUT, ids=named(CUT))
def test_a_sentence_keeps_what_it_says_without_what_was_said_elsewhere(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(("said", "expected"), NAMED, ids=named(NAMED))
def test_a_thing_or_group_is_named_only_by_what_means_it(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(("said", "expected"), WORDING, ids=named(WORDING))
def test_a_fact_is_worded_as_it_was_meant(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(("said", "expected"), CHATTED, ids=named(CHATTED))
def test_what_is_shouted_or_joked_is_no_fact(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I was thinking about the food in Osaka.", []),
        (
            "I was thinking about our team, and I noticed that it has nine rowers.",
            ["Lena was thinking about Lena's team, and Lena noticed that it has nine rowers."],
        ),
        (
            "I was thinking about selling my boat in Osaka.",
            ["Lena was thinking about selling their boat in Osaka."],
        ),
    ],
)
def test_a_passing_thought_told_to_an_assistant_is_no_fact(said, expected):
    found = [fact.text for fact in extract(said, "Go on.")[0].facts if fact.speaker == "Lena"]
    assert found == expected
