"""What the language pipeline makes of single messages: one row a rule, in the words of the result.

Every row is (speaker, what the other said before, text, expected facts); said on Monday 8 May 2023.
Melanie speaks with Caroline unless the speaker is User, who speaks with Assistant.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest

from memcore.domain.extraction import Buffer, Fact
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language.extractor import LanguageExtractor

pytestmark = pytest.mark.models

SAID = datetime(2023, 5, 8, 13, 56)
M, U = "Melanie", "User"

KEPT: list[tuple[str, str, str, list[str]]] = [
    (M, "", "I adopted a dog last week.", ["Melanie adopted a dog in the week of 1 May 2023."]),
    (M, "", "I'm swamped with work.", ["Melanie is swamped with work."]),
    (M, "", "I love hiking and I have two bikes.", ["Melanie loves hiking and they have two bikes."]),
    (M, "", "I go to the gym and lift weights.", ["Melanie goes to the gym and lifts weights."]),
    (
        M,
        "",
        "I try to cook every day and wash the dishes.",
        ["Melanie tries to cook every day and wash the dishes."],
    ),
    (
        M,
        "",
        "I don't eat meat and I've never tried fish.",
        ["Melanie doesn't eat meat.", "Melanie has never tried fish."],
    ),
    (M, "", "Dad had a heart attack at 58.", ["Dad had a heart attack at 58."]),
    (U, "", "Dad had a heart attack at 58.", ["User's dad had a heart attack at 58."]),
    (U, "", "Mum and Dad live in Ludlow.", ["User's mum and dad live in Ludlow."]),
    (U, "", "I visited mum in Leeds.", ["User visited their mum in Leeds."]),
    (U, "", "Anna and Dad live in Ludlow.", ["Anna and User's dad live in Ludlow."]),
    (M, "", "Grandma Rose lives in Leeds.", ["Grandma Rose lives in Leeds."]),
    (M, "", "I write a mom blog about Leeds.", ["Melanie writes a mom blog about Leeds."]),
    (M, "", "I told Sam I'd keep the shop.", ["Melanie told Sam that Melanie would keep the shop."]),
    (M, "", "I told HR I was late.", ["Melanie told HR that they were late."]),
    (M, "", "Sophie says she wants a cat.", ["Sophie says she wants a cat."]),
    (M, "", "I was born in Sweden.", ["Melanie was born in Sweden."]),
    (M, "", "I'd never been to Italy before.", ["Melanie had never been to Italy before."]),
    (M, "", "I'd love to visit Japan someday.", ["Melanie would love to visit Japan someday."]),
    (M, "", "I might move to Canada next year.", ["Melanie might move to Canada in 2024."]),
    (
        M,
        "",
        "I hope to run a half marathon by the end of the year.",
        ["Melanie hopes to run a half marathon by the end of 2023."],
    ),
    (
        M,
        "",
        "I used to play the violin but I stopped in 2015.",
        ["Melanie used to play the violin but they stopped in 2015."],
    ),
    (
        M,
        "",
        "If I win the lottery, I'll buy a house in Spain.",
        ["If Melanie wins the lottery, they will buy a house in Spain."],
    ),
    (
        M,
        "",
        "I was going to buy a house but the deal fell through.",
        ["Melanie was going to buy a house but the deal fell through."],
    ),
    (M, "", "I wish I had a dog.", ["Melanie wishes they had a dog."]),
    (
        M,
        "",
        "I'm gonna paint the kitchen tomorrow.",
        ["Melanie is going to paint the kitchen on 9 May 2023."],
    ),
    (
        M,
        "",
        "Gonna repaint the garage on Saturday.",
        ["Melanie is going to repaint the garage on 13 May 2023."],
    ),
    (M, "", "I gotta renew my passport.", ["Melanie has to renew their passport."]),
    (M, "", "Went to the dentist yesterday.", ["Melanie went to the dentist on 7 May 2023."]),
    (
        M,
        "",
        "Been painting landscapes since January.",
        ["Melanie has been painting landscapes since January 2023."],
    ),
    (
        M,
        "",
        "Just signed up for a pottery class.",
        ["Shortly before 8 May 2023, Melanie signed up for a pottery class."],
    ),
    (M, "", "I met a friend of mine in Leeds.", ["Melanie met a friend of Melanie's in Leeds."]),
    (
        M,
        "",
        "Can't wait to visit my grandmother in Oslo.",
        ["Melanie can't wait to visit their grandmother in Oslo."],
    ),
    (M, "", "My sister Anna moved to Boston in 2019.", ["Melanie's sister Anna moved to Boston in 2019."]),
    (
        M,
        "",
        "My sister Anna moved to Boston in 2019. She works as a nurse there.",
        ["Melanie's sister Anna moved to Boston in 2019. She works as a nurse there."],
    ),
    (M, "", "Oscar, my guinea pig, loves parsley.", ["Oscar, Melanie's guinea pig, loves parsley."]),
    (
        M,
        "",
        "My mom used to make pancakes for us every Sunday.",
        ["Melanie's mom used to make pancakes for Melanie and others every Sunday."],
    ),
    (
        M,
        "",
        "My therapist says I should sleep more.",
        ["Melanie's therapist says Melanie should sleep more."],
    ),
    (
        M,
        "",
        "The Eiffel Tower was closed when we got there.",
        ["The Eiffel Tower was closed when Melanie and others got there."],
    ),
    (
        M,
        "",
        "There are three bedrooms in our new house.",
        ["There are three bedrooms in Melanie's new house."],
    ),
    (M, "", "Our dog Rex bit the mailman last Friday.", ["Melanie's dog Rex bit the mailman on 5 May 2023."]),
    (
        M,
        "",
        "My husband and I went camping with the kids last weekend. We saw a bear near the lake.",
        [
            "Melanie's husband and Melanie went camping with the kids on the weekend of 6 May 2023.",
            "Melanie's husband and Melanie saw a bear near the lake.",
        ],
    ),
    (M, "", "Me and my brother built a treehouse.", ["Melanie and their brother built a treehouse."]),
    (
        M,
        "",
        "We adopted two kittens, Milo and Luna, from the shelter on March 3.",
        ["Melanie and others adopted two kittens, Milo and Luna, from the shelter on 3 March 2023."],
    ),
    (
        M,
        "",
        "My parents are visiting us next weekend, and we're taking them to the zoo.",
        [
            "Melanie's parents are visiting Melanie and others on the weekend of 20 May 2023, "
            "and Melanie and others are taking them to the zoo."
        ],
    ),
    (
        M,
        "",
        "I bought a new car yesterday, but it broke down this morning.",
        ["Melanie bought a new car on 7 May 2023, but it broke down on the morning of 8 May 2023."],
    ),
    (
        M,
        "",
        "I ordered a laptop. It arrived on Tuesday but the screen was cracked.",
        ["Melanie ordered a laptop. It arrived on 2 May 2023 but the screen was cracked."],
    ),
    (
        M,
        "",
        "I met Anna at the gym. She invited me to her birthday party.",
        ["Melanie met Anna at the gym. She invited Melanie to her birthday party."],
    ),
    (
        M,
        "",
        "I painted a lake sunrise last year. It hangs in my living room.",
        ["Melanie painted a lake sunrise in 2022. It hangs in Melanie's living room."],
    ),
    (
        M,
        "",
        "I have an old necklace. My grandma gave it to me.",
        ["Melanie has an old necklace. Melanie's grandma gave it to Melanie."],
    ),
    (
        M,
        "",
        "This scarf is a gift from my grandma.\n[shared image: a scarf with dots]",
        ["The scarf is a gift from Melanie's grandma. Melanie shared an image: a scarf with dots."],
    ),
    (
        M,
        "",
        "I got this great book about bees at the market.",
        ["Melanie got a great book about bees at the market."],
    ),
    (M, "", "I painted that lake sunrise last year!", ["Melanie painted the lake sunrise in 2022."]),
    (M, "", "I gave you my old guitar last year.", ["Melanie gave Caroline their old guitar in 2022."]),
    (
        M,
        "",
        "I'm in awe of your garden and your tomatoes.",
        ["Melanie is in awe of Caroline's garden and Caroline's tomatoes."],
    ),
    (
        M,
        "",
        "Hey Caroline! I finally passed my driving test.",
        ["Melanie finally passed their driving test."],
    ),
    (
        M,
        "",
        "Thanks, Caro! I finished the quilt for my niece.",
        ["Melanie finished the quilt for their niece."],
    ),
    (M, "", "Well, by the way, I quit my job at the bakery.", ["Melanie quit their job at the bakery."]),
    (M, "", "Since we last talked, I started a course in Spanish.", ["Melanie started a course in Spanish."]),
    (M, "", "I taught myself to knit.", ["Melanie taught themselves to knit."]),
    (
        M,
        "",
        "A friend of mine opened a bakery in Leeds.",
        ["A friend of Melanie's opened a bakery in Leeds."],
    ),
    (
        M,
        "",
        "The soup at Lea's wedding was delicious.",
        ["Melanie said that the soup at Lea's wedding was delicious."],
    ),
    (
        M,
        "",
        "The marathon in Berlin was exhausting.",
        ["Melanie said that the marathon in Berlin was exhausting."],
    ),
    (M, "", "I think the new library is too noisy.", ["Melanie thinks the new library is too noisy."]),
    (
        M,
        "",
        "My favorite food is sushi, and I hate olives.",
        ["Melanie's favorite food is sushi, and they hate olives."],
    ),
    (
        M,
        "",
        "I'm allergic to peanuts, so I always carry an EpiPen.",
        ["Melanie is allergic to peanuts, so Melanie always carries an EpiPen."],
    ),
    (
        M,
        "",
        "After graduating from MIT in 2018, I worked at Google for two years.",
        ["After graduating from MIT in 2018, Melanie worked at Google for two years."],
    ),
    (
        M,
        "",
        "I told Tom that I'd help him move on Friday.",
        ["Melanie told Tom that Melanie would help him move on 12 May 2023."],
    ),
    (M, "", "I can't swim.", ["Melanie can't swim."]),
    (
        M,
        "",
        "Lost my job as a banker yesterday, so I moved to Leeds.",
        ["Melanie lost their job as a banker on 7 May 2023, so they moved to Leeds."],
    ),
    (
        M,
        "",
        "Last week, my grandma passed away and it's been really hard.",
        ["In the week of 1 May 2023, Melanie's grandma passed away and it's been really hard."],
    ),
    (
        M,
        "",
        "I'm choosing between the Western Digital My Book and a Seagate drive.",
        ["Melanie is choosing between the Western Digital My Book and a Seagate drive."],
    ),
    (
        M,
        "",
        "I gave a talk in Oslo. It was all for the animal shelter.",
        ["Melanie gave a talk in Oslo. It was all for the animal shelter."],
    ),
    (M, "", "I met this one runner from Kenya.", ["Melanie met one runner from Kenya."]),
    (M, "", "i work at a bakery and live in leeds", ["Melanie works at a bakery and lives in leeds."]),
    (
        M,
        "Do you have any pets?",
        "Yes, two dogs and a cat.",
        ['Caroline asked Melanie: "Do you have any pets?" Melanie answered: "Yes, two dogs and a cat."'],
    ),
    (
        M,
        "Which team did you sign with?",
        "The Minnesota Wolves!",
        ['Caroline asked Melanie: "Which team did you sign with?" Melanie answered: "The Minnesota Wolves!"'],
    ),
    (
        M,
        "What's your dog's name?",
        "His name is Max.",
        ['Caroline asked Melanie: "What\'s your dog\'s name?" Melanie answered: "His name is Max."'],
    ),
    (
        M,
        "",
        "Check out my garden!\n[shared image: a row of tomato plants]",
        ['Melanie shared an image: a row of tomato plants, saying "Check out my garden".'],
    ),
    (
        M,
        "",
        "Here's a picture of my new bike in the garage.\n[shared image: a red bicycle]",
        ['Melanie shared an image: a red bicycle, saying "Here\'s a picture of my new bike in the garage".'],
    ),
    (
        M,
        "",
        "Ich habe gestern einen Hund im Tierheim adoptiert.",
        ["Melanie (8 May 2023): Ich habe gestern einen Hund im Tierheim adoptiert."],
    ),
    (
        M,
        "",
        "昨天我领养了一只狗，它叫小白，我很喜欢它。",
        ["Melanie (8 May 2023): 昨天我领养了一只狗，它叫小白，我很喜欢它。"],
    ),
    (
        M,
        "",
        "I've got six ink pens at this point and honestly I use two of them, the rest just sit there.",
        ["Melanie has got six ink pens at this point and honestly Melanie uses two of them."],
    ),
    (
        M,
        "",
        "I have been seeing someone since June, and his name is Marco.",
        ["Melanie has been seeing someone since June 2022, and his name is Marco."],
    ),
    (
        M,
        "",
        "I have been up since seven, because my new piano arrived.",
        ["Melanie has been up since seven, because their new piano arrived."],
    ),
    (
        U,
        "",
        "I'm looking for a hotel in Lisbon. By the way, I fly from Dublin on June 3.",
        ["User is looking for a hotel in Lisbon.", "User flies from Dublin on 3 June 2023."],
    ),
    (
        U,
        "",
        "Can you help me? I've been saving for a house since 2020.",
        ["User has been saving for a house since 2020."],
    ),
    (
        U,
        "",
        "How do I boil an egg? My stove is electric.",
        ["User's stove is electric. (In a conversation about how to boil an egg.)"],
    ),
    (
        U,
        "",
        "I bake in my kitchen with my sister and sell at my stall.",
        ["User bakes in their kitchen with their sister and sells at User's stall."],
    ),
    (
        U,
        "",
        "I went swimming with my sister on Sunday.",
        ["User went swimming with their sister on 7 May 2023."],
    ),
    (U, "", "I teach my students at my desk.", ["User teaches their students at User's desk."]),
    (
        U,
        "",
        "I'm planning a trip with two friends and need a tent for Wales.",
        ["User is planning a trip with two friends and needs a tent for Wales."],
    ),
    (
        U,
        "",
        "I've been trying to eat out less and have been using vouchers for Tesco.",
        ["User has been trying to eat out less and has been using vouchers for Tesco."],
    ),
    (
        U,
        "",
        "I'm looking for curtains that are thick, washable, and have a green lining.",
        ["User is looking for curtains that are thick, washable, and have a green lining."],
    ),
    (
        U,
        "",
        "I didn't know I'd be automatically enrolled in Greek when I moved to Leeds.",
        ["User didn't know they would be automatically enrolled in Greek when they moved to Leeds."],
    ),
    (
        U,
        "",
        "I'm having trouble sleeping and I've been having these vivid dreams about my aunt.",
        ["User is having trouble sleeping and they have been having vivid dreams about User's aunt."],
    ),
    (
        U,
        "",
        'I gave a talk on "Trams of the North" and received a prize from several judges.',
        ['User gave a talk on "Trams of the North" and received a prize from several judges.'],
    ),
    (
        U,
        "",
        "Now that I have a plan for my shed, I need a lathe for my workshop.",
        ["As of 8 May 2023, now that User has a plan for their shed, they need a lathe for their workshop."],
    ),
    (
        U,
        "",
        "I still have a bunch of receipts from last week's shopping trip in my bag.",
        [
            "User still has a bunch of receipts from the shopping trip of the week of 1 May 2023 in"
            " User's bag."
        ],
    ),
    (U, "", "However, I still need to set up my printer.", ["User still needs to set up their printer."]),
    (
        U,
        "",
        "Since we're on the topic of pets, my dog Rex had surgery on 3 May.",
        ["User's dog Rex had surgery on 3 May 2023."],
    ),
    (M, "", "I have an exam on Monday.", ["Melanie has an exam on 15 May 2023."]),
    (
        M,
        "",
        "During Thanksgiving, we usually watch a few movies.",
        ["During Thanksgiving, Melanie and others usually watch a few movies."],
    ),
    (
        M,
        "",
        "I bought ten tickets for £45 each on 12 June 2022.",
        ["Melanie bought ten tickets for £45 each on 12 June 2022."],
    ),
    (
        M,
        "",
        "My grandmother, who lives in Oslo, turned 90 in March.",
        ["Melanie's grandmother, who lives in Oslo, turned 90 in March 2023."],
    ),
    (
        M,
        "",
        "I love my new job at the hospital - it's such a relief!",
        ["Melanie loves their new job at the hospital. It's such a relief."],
    ),
    (
        M,
        "",
        "I forgot my umbrella.\nThe concert in the park was cancelled.",
        ["Melanie forgot their umbrella.", "The concert in the park was cancelled."],
    ),
]

PASSED_OVER: list[tuple[str, str, str, str]] = [
    (M, "", "Thanks so much, Caroline!", "small talk"),
    (M, "", "Hey Caroline, good to see you!", "small talk"),
    (M, "", "That's so sweet, Caroline!", "reaction to what was said"),
    (M, "", "What a lovely garden!", "small talk"),
    (M, "", "It was tough but awesome.", "reaction to what was said"),
    (M, "", "You're doing an amazing job.", "about the listener: compliment, echo or encouragement"),
    (M, "", "I'm so proud of you for finishing the race.", "small talk"),
    (M, "", "Have you been to Rome?", "question"),
    (M, "", "how do i reset my password", "question"),
    (M, "", "Life is a journey.", "nothing specific"),
    (M, "", "Taking care of ourselves is so important.", "nothing specific"),
    (M, "", "We can make a difference together.", "nothing specific"),
    (M, "", "I'm so happy!", "nothing specific"),
    (M, "", "Let's meet on Friday.", "small talk"),
    (M, "", "I bought it yesterday.", "needs context: it refers to something outside of the message"),
    (M, "", "She gave them to me.", "nothing specific"),
    (M, "", "I moved here 4 years ago.", "needs context: it refers to something outside of the message"),
    (M, "", "I can't picture life without it.", "nothing specific"),
    (
        M,
        "",
        "Gonna be a wild night in Leeds!",
        "it says how a time or an event will be, and nothing of its speaker",
    ),
    (
        M,
        "",
        "I love the freedom and connection it brings.",
        "a feeling or resolve that names nothing",
    ),
    (M, "", "Keep painting, Caro!", "small talk"),
    (
        M,
        "",
        "I felt liberated and empowered doing it.",
        "needs context: it refers to something outside of the message",
    ),
    (U, "", 'What does this mean? print("hello");', "code or markup"),
    (U, "", '"The cat sat on the mat in Oslo"', "someone else's words, quoted"),
    (M, "", 'She wrote: "I am moving to Oslo. I sold my car last week."', "someone else's words, quoted"),
    (
        U,
        "",
        "I've heard you should always keep your backups in two places in Lisbon.",
        "cannot be rewritten safely",
    ),
    (
        M,
        "Is this your own painting?",
        "Yeah, I painted it for my aunt last year.",
        "needs context: it refers to something outside of the message",
    ),
]


def buffer(speaker: str, before: str, text: str) -> Buffer:
    other = "Assistant" if speaker == U else "Caroline"
    roles = {"Assistant": "assistant"}

    def message(number: int, who: str, words: str) -> Message:
        role = roles.get(who, "user")
        return Message(
            f"m{number}", "s", number, who, role, words, SAID, "message", RawRef("log", f"line {number}")
        )

    context = (message(0, other, before),) if before else ()
    spoken = message(1, speaker, text)
    segment = Segment("g", "s", (spoken.id,))
    return Buffer("s", (segment,), (spoken,), {}, context, (speaker, other))


def read(rows: Sequence[tuple[str, str, str]]) -> list[tuple[tuple[Fact, ...], tuple[str, ...]]]:
    results = LanguageExtractor().extract([buffer(*row) for row in rows])
    return [(extraction.facts, tuple(p.reason for p in trace.skipped)) for extraction, trace in results]


@pytest.fixture(scope="module")
def kept() -> dict[tuple[str, str, str], tuple[Fact, ...]]:
    rows = [(speaker, before, text) for speaker, before, text, _ in KEPT]
    return {row: facts for row, (facts, _) in zip(rows, read(rows), strict=True)}


@pytest.fixture(scope="module")
def passed() -> dict[tuple[str, str, str], tuple[tuple[Fact, ...], tuple[str, ...]]]:
    rows = [(speaker, before, text) for speaker, before, text, _ in PASSED_OVER]
    return dict(zip(rows, read(rows), strict=True))


@pytest.mark.parametrize(("speaker", "before", "text", "expected"), KEPT, ids=[row[2][:60] for row in KEPT])
def test_statement_is_rewritten_to_stand_alone(kept, speaker, before, text, expected):
    assert [fact.text for fact in kept[speaker, before, text]] == expected


@pytest.mark.parametrize(
    ("speaker", "before", "text", "reason"), PASSED_OVER, ids=[row[2][:60] for row in PASSED_OVER]
)
def test_sentence_that_tells_nothing_is_skipped_with_a_reason(passed, speaker, before, text, reason):
    facts, reasons = passed[speaker, before, text]
    assert facts == ()
    assert reason in reasons


def test_source_is_the_exact_clause(kept):
    text = "I don't eat meat and I've never tried fish."
    spans = [text[f.sources[0].start : f.sources[0].end] for f in kept[M, "", text]]
    assert spans == ["I don't eat meat", "I've never tried fish"]


def test_every_name_of_first_person_is_gone(kept):
    for (speaker, _, _), facts in kept.items():
        for fact in facts:
            if '"' not in fact.text and "(8 May 2023):" not in fact.text:
                assert not {"I", "me", "my", "we", "our"} & set(fact.text.replace(".", " ").split()), (
                    speaker,
                    fact,
                )
