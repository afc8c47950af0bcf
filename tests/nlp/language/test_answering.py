"""Facts with a name, figure or day that people tell an assistant in passing, and that are kept.

Every row is (a message to an assistant, what is remembered of it); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from tests.nlp.language.test_named import told

pytestmark = pytest.mark.models

KEPT_WHOLE = [
    (
        "I've found great things at Oxfam before, like that oak chair I got for $40.",
        "User has found great things at Oxfam before, like the oak chair user got for $40.",
    ),
    (
        "I was thinking about my behind-the-scenes tour of the Hull Museum today.",
        "User was thinking about their behind-the-scenes tour of the Hull Museum on 12 January 2024.",
    ),
    (
        "I sold 12 jars of honey at the farmers' market on 3 January, earning a total of $90.",
        "User sold 12 jars of honey at the farmers' market on 3 January 2024, earning a total of $90.",
    ),
    (
        "Last week I got 20% off my Zephyr order.",
        "In the week of 1 January 2024 user got 20% off their Zephyr order.",
    ),
    (
        "I was previously married to Tom Roe.",
        "User was previously married to Tom Roe.",
    ),
    (
        "I have a 10% off coupon for Bath & Boats that expires at the end of this month.",
        "User has a 10% off coupon for Bath & Boats that expires at the end of January 2024.",
    ),
    (
        "I've got a lamp from Argos that I got on 10 March, and it's been a joy.",
        "User has got a lamp from Argos that they got on 10 March 2023.",
    ),
    (
        "I think it was three weekends ago when I finally got around to cleaning my grill.",
        "User thinks it was on the weekend of 23 December 2023 when they finally got around to cleaning their"
        " grill.",
    ),
    ("I bought my boat exactly two months ago.", "User bought their boat in November 2023."),
    (
        "I realized that it was on 5 January when I decided to start Lundwerk.",
        "User realized that it was on 5 January 2024 when they decided to start Lundwerk.",
    ),
    (
        "I attended a reading at the Leeds library last month where the author sang.",
        "User attended a reading at the Leeds library in December 2023 where the author sang.",
    ),
    (
        'I\'m looking for more podcasts like "How I Mend This" and "The Daily Boat".',
        'User is looking for more podcasts like "How I Mend This" and "The Daily Boat".',
    ),
    (
        "I'm glad I got a great deal on those pears at Aldi last Saturday.",
        "User is glad they got a great deal on the pears at Aldi on 6 January 2024.",
    ),
    (
        "I bought a signed print of a Leeds United poster made by the artist, and I want to frame it.",
        "User bought a signed print of a Leeds United poster made by the artist, and user wants to frame it.",
    ),
    (
        "I used up my relish at my friend's place last Saturday, which was on the 6th of January.",
        "User used up their relish at their friend's place on 6 January 2024.",
    ),
    (
        "I'm using my new Zephyr pot to make some of these soups and stews.",
        "User is using their new Zephyr pot to make some soups and stews.",
    ),
    (
        "I own 25 records, including Sgt. Pepper's Lonely Hearts Club Band.",
        "User owns 25 records, including Sgt. Pepper's Lonely Hearts Club Band.",
    ),
    (
        "I'm deciding between the Western Digital Elements and the Seagate Backup Plus.",
        "User is deciding between the Western Digital Elements and the Seagate Backup Plus.",
    ),
    (
        "I got my boots on 15 December, and I also bought some Puma socks at the same time.",
        "User got their boots on 15 December 2023, and user also bought some Puma socks at the same time.",
    ),
    (
        'I\'ve been re-watching "The Shawshank Redemption".',
        'User has been rewatching "The Shawshank Redemption".',
    ),
    (
        "I quit smoking on the first of May and I still cough.",
        "User quit smoking on 1 May 2023 and they still cough.",
    ),
    (
        "Paid the vet $340 yesterday for Miso's tooth.",
        "User paid the vet $340 on 11 January 2024 for Miso's tooth.",
    ),
    (
        "ok so my bio teacher, Ms. Lund, wants a proper abstract.",
        "User's bio teacher, Ms. Lund, wants a proper abstract.",
    ),
    (
        "We like Lisbon, since my roommate Ines moved there and has offered us her spare room.",
        "User and others like Lisbon, since user's roommate Ines moved there and has offered user and others"
        " her spare room.",
    ),
]

KEPT_IN_PART = [
    (
        "Since I have driven 900 miles in my camper this month, I'm used to the seat and that noise.",
        "User has driven 900 miles in user's camper in January 2024.",
    ),
    (
        "Considering the average age in my choir is 61, I think I'm not too far off from that demographic.",
        "The average age in user's choir is 61.",
    ),
    (
        "I've been following some sailors on Instagram, and their photos inspired me to plan this trip.",
        "User has been following some sailors on Instagram.",
    ),
    (
        "I was thinking of making Korean-style beef, but I want to know if you have a recipe for rice.",
        "User was thinking of making Korean-style beef.",
    ),
    (
        "I tidied my cabinet above the sink last Thursday, and I threw out pills and wiped the shelves.",
        "User tidied their cabinet above the sink on 11 January 2024.",
    ),
    (
        "My friend Emily got to tie the knot with Sarah in May, and it was amazing to see them so happy.",
        "User's friend Emily got to tie the knot with Sarah in May 2023.",
    ),
]

QUOTED = [
    (
        "What should I ask before knee surgery? Mine is booked for June 8 at St. Anne's.",
        'On 12 January 2024 user said to assistant: "What should I ask before knee surgery?'
        " Mine is booked for June 8 at St. Anne's.\"",
    ),
    (
        "Any tips for a chess tournament? I'm running the one at our library on December 2nd for 26 kids.",
        'On 12 January 2024 user said to assistant: "Any tips for a chess tournament?'
        ' I am running the one at our library on December 2nd for 26 kids."',
    ),
    (
        "Help me write a toast for my sister, with one or two jokes. She met Dan at a pottery class.",
        'user said to assistant: "Help me write a toast for my sister, with one or two jokes.'
        ' She met Dan at a pottery class."',
    ),
    (
        "Our washer won't drain. What do I check first? It's a Bosch, got it for 140 in May.",
        "On 12 January 2024 user said to assistant: \"Our washer won't drain. What do I check first?"
        " It's a Bosch, got it for 140 in May.\"",
    ),
    (
        "Can you find me deals at ShopRite? By the way, I signed up for their rewards program today.",
        'On 12 January 2024 user said to assistant: "Can you find me deals at ShopRite?'
        ' I signed up for their rewards program today."',
    ),
    (
        "What case fits my new laptop, Dell XPS 13? By the way, I ordered the laptop on 3 January.",
        'On 12 January 2024 user said to assistant: "What case fits my new laptop, Dell XPS 13?'
        ' I ordered the laptop on 3 January."',
    ),
    (
        "Can you tell me more about my dog Rex's breed? By the way, I bought him a new bed from Petco today.",
        "On 12 January 2024 user said to assistant: \"Can you tell me more about my dog Rex's breed?"
        ' I bought him a new bed from Petco today."',
    ),
]

TOGETHER = [
    (
        "I bought a leather handbag in May. By the way, I got a deal on the bag - it was originally $500!",
        [
            "User bought a leather handbag in May 2023.",
            "User got a deal on the leather handbag. It was originally $500.",
        ],
    ),
    (
        "I saw Blur live at the Leeds Arena last week - I even got my vinyl signed after the show!",
        [
            "User saw Blur live at the Leeds Arena in the week of 1 January 2024."
            " User even got their vinyl signed after the show."
        ],
    ),
    (
        "My parents have been a help while living with me in Leeds. We've enjoyed each other's company.",
        [
            "User's parents have been a help while living with user in Leeds."
            " User and their parents have enjoyed each other's company."
        ],
    ),
]


@pytest.mark.parametrize(("said", "kept"), KEPT_WHOLE)
def test_a_fact_told_in_passing_is_kept(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize(("said", "kept"), KEPT_IN_PART)
def test_the_part_that_stands_alone_is_kept_of_what_points_elsewhere(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize(("said", "kept"), QUOTED)
def test_what_a_question_names_is_told_with_the_question(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize(("said", "kept"), TOGETHER)
def test_a_sentence_is_told_with_the_one_that_names_its_things(said, kept):
    assert told(f"user: {said}")[0] == kept


def test_only_the_text_that_is_held_out_for_editing_is_not_the_speakers():
    said = "Please proofread this sentence: 'I am exited to bring my boat.' I've been a nurse for two years."
    assert told(f"user: {said}")[0] == ["User has been a nurse for two years."]


def test_what_is_told_of_somebodys_own_is_kept_behind_them_and_of_others_not():
    dad = "I want to get my dad into audiobooks. He finished Shane in May."
    queen = "I read a novel about a queen. She killed Tom in May."
    assert told(f"user: {dad}")[0] == [
        "User wants to get their dad into audiobooks. He finished Shane in May 2023."
    ]
    assert told(f"user: {queen}")[0] == ["User read a novel about a queen."]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "Is it normal for a cat to hide for days? Biscuit was spayed last Thursday and she naps.",
            "Biscuit was spayed on 11 January 2024 and she naps.",
        ),
        (
            "How do I wash my jeans? By the way, they gave me 20% off at Levi's today.",
            "They gave user 20% off at Levi's on 12 January 2024.",
        ),
        ('I love "The Third of May 1808" by Goya.', 'User loves "The Third of May 1808" by Goya.'),
        ("They've moved me to 28 March.", "They've moved user to 28 March 2024."),
        ("I sold my boat on Whit Monday.", "User sold their boat on Whit Monday."),
        (
            "I've lived here for six years without a complaint.",
            "User has lived here for six years without a complaint.",
        ),
        (
            "How do I get the smell out of an old trunk? It belonged to my great aunt Philippa in Halifax.",
            'user said to assistant: "How do I get the smell out of an old trunk?'
            ' It belonged to my great aunt Philippa in Halifax."',
        ),
        (
            "Asking because my wife and I bought a cottage on Lake Champlain.",
            "User's wife and user bought a cottage on Lake Champlain.",
        ),
        (
            "I have an interview on Thursday for a job with the fire department.",
            "User has an interview on 18 January 2024 for a job with the fire department.",
        ),
        (
            "I found out I have celiac back in September, so I hope to be able to bake my own bread.",
            "User found out they have celiac back in September 2023, so they hope to be able to bake their"
            " own bread.",
        ),
    ],
)
def test_what_is_plain_from_the_message_is_kept(said, kept):
    assert kept in told(f"user: {said}")[0]


def test_every_sentence_of_a_run_that_is_cut_is_skipped_with_a_reason():
    said = "Our choir sings Verdi next. There are nine of us, so I need songs that work even if you're late."
    facts, trace = told(f"user: {said}")
    assert len(facts) == 1
    assert any("nine of us" in said[one.start : one.end] for one in trace.skipped)


@pytest.mark.parametrize(
    "said",
    [
        "We've covered the update of my router.",
        "I was referring to the Beatles, and their album.",
        "Tomorrow we will discuss food and play a game of words.",
    ],
)
def test_what_the_chat_itself_was_about_is_no_fact(said):
    assert told(f"user: {said}")[0] == []


def test_what_the_present_says_of_a_past_deed_dates_it_not():
    said = "I got a charger. It cost around $40, but it's been worth it, as I can now charge my phone."
    (kept,) = told(f"user: {said}")[0]
    assert "As of" not in kept
    assert "now" not in kept


def test_lines_of_a_song_are_not_the_speakers():
    song = "I keep my head held high\nI walk along the river\nI sold my boat to Harry\n"
    assert told(f"user: {song}{song}")[0] == []
    assert told("user: I sold my boat to Harry\nI walk along the river in Leeds")[0] != []


def test_what_holds_for_everybody_is_not_the_speakers():
    said = "I was talking with my friend Kim about how our experiences shape our beliefs."
    assert "people's experiences shape their beliefs" in told(f"user: {said}")[0][0]


def test_hours_are_not_what_one_works_on():
    said = "I have trouble with my Coursera assignments. I spend 2 hours each weekend working on them."
    assert len(told(f"user: {said}")[0]) == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Can you tell me more about cat litter?", "I sold her old boat for $300 today."),
        ("How do I store my dresses?", "I sold their house for $90,000 in May."),
        ("Can you compare the iPhone and the Pixel?", "I bought it for $800 on 3 May."),
        ("Can you compare Target and Walmart?", "I signed up for their rewards program today."),
        ("Should I visit Japan or Peru?", "I went there for 10 days in 2019."),
        ("Why is the sky blue?", "I painted it for my 3 kids in May."),
    ],
)
def test_nothing_is_told_with_a_question_that_names_several_or_nothing(asked, said):
    assert told(f"user: {asked} By the way, {said}")[0] == []


@pytest.mark.parametrize(
    "said",
    [
        "It was on sale last week when I bought my Dyson.",
        "I would buy a Canon camera, but I want to know if you like it.",
        "Given that my dad would sell his Mustang in May, I won't do that.",
        "I cleaned the neighbors' house last Saturday.",
    ],
)
def test_what_is_only_supposed_or_points_elsewhere_is_no_fact(said):
    assert told(f"user: {said}")[0] == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I ran a 10k last Sunday, which is 6 miles.",
            "User ran a 10k on 7 January 2024, which is 6 miles.",
        ),
        ("I saw the World War I museum in May.", "User saw the World War I museum in May 2023."),
        (
            "My friend Sara is angry with me. We moved to Texas last month.",
            "User and others moved to Texas in December 2023.",
        ),
        ("I saw Blur live in May - I lost my phone before the meeting.", "User saw Blur live in May 2023."),
    ],
)
def test_what_only_looks_alike_is_read_as_before(said, kept):
    assert kept in told(f"user: {said}")[0]
